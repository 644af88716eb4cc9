// SPDX-License-Identifier: Apache-2.0
// Follows the game in a proof file from its first entry to its last, as one who watches:
//
//     node follow.mjs --policy FILE PROOF…
//
// It is no verifier: it reads the entries and the manifests, and not how they lie in the log.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { hex, unhex } from "./hokm/bytes.mjs";
import { manifestsOf } from "./hokm/manifests.mjs";
import { policyOf } from "./hokm/policy.mjs";
import { Table } from "./hokm/table/table.mjs";

const { values: options, positionals: files } = parseArgs({
  options: { policy: { type: "string" } }, allowPositionals: true,
});
const policy = policyOf(readFileSync(options.policy, "utf8"));
const bytes = (text) => Buffer.from(text, "base64");

for (const file of files) {
  const proof = JSON.parse(readFileSync(file, "utf8"));
  let version = 0;
  try {
    const keys = { manifests: proof.manifests.map(({ entry }) => bytes(entry)), roots: proof.roots?.map(bytes) };
    const table = new Table(unhex(proof.table), { policy, manifests: manifestsOf(keys, policy) });
    for (; version < proof.entries.length; version++) table.take(version, bytes(proof.entries[version]));
    console.log(`${file}: ${version} entries, the last ${hex(table.leaves.at(-1))}`);
  } catch (error) {
    if (error.name !== "Wrong") throw error;
    console.log(`${file}: version ${version}: ${error.message}`);
    process.exitCode = 1;
  }
}
