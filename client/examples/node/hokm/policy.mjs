// SPDX-License-Identifier: Apache-2.0
// Whom a reader trusts, and what the root key has signed: SPEC.md sections 2.3 and 2.4.

import { ZEROS, hex, leafOf, must, unframe } from "./bytes.mjs";
import { KEYS, keyId, signed, vkey } from "./keys.mjs";
import { decode } from "./messages.mjs";

/** One log and its root key; this client wants no witness. */
export function policyOf(text) {
  const found = (word) => {
    const lines = text.split("\n").filter((line) => line.startsWith(`${word} `));
    must(lines.length === 1, `the policy has ${lines.length} lines ${word}`);
    return vkey(lines[0].split(/[ \t]+/)[1]);
  };
  const log = found("log");
  const root = found("#root");
  must(root.name === `${log.name}/root`, "the root key is another log's");
  return { origin: log.name, log: log.key, root: root.key };
}

/** Manifests signed by the policy's root key, by leaf. A hand-over to another root key is not followed. */
export function manifestsOf(entries, policy) {
  const counted = new Map();
  let previous = ZEROS;
  entries.forEach((entry, version) => {
    const { body, id, signature } = unframe(entry);
    const manifest = decode("KeyManifest", body);
    must(manifest.table.equals(Buffer.alloc(16)), "a manifest of another stream");
    must(manifest.version === version && manifest.previous.equals(previous), "the manifests are no chain");
    must(id.equals(keyId(`${policy.origin}/root`, policy.root)), "a manifest names another key");
    must(signed(policy.root, KEYS, body, signature), "a manifest is not signed by the root key");
    must(manifest.origin === policy.origin, "a manifest of another log");
    must(manifest.log_key.equals(policy.log), "the manifest has another log key than the policy");
    previous = leafOf(entry);
    counted.set(hex(previous), manifest);
  });
  return counted;
}
