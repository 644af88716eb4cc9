// SPDX-License-Identifier: Apache-2.0
// The published log: that what this client was promised is in it, and that it only ever grows; and the proof files that
// it takes home. SPEC.md sections 8, 10.1 and 11.6.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { must } from "./bytes.mjs";
import { checkpointOf, rootFrom, rootsFrom } from "./tree.mjs";

/** The latest checkpoint, which must contain the last one that was seen here; it is kept for the next time. */
export async function checkpoint(session, policy, kept) {
  const tree = checkpointOf((await session.call("log", "GetCheckpoint", {})).checkpoint, policy);
  const seen = kept.last("tree")?.tree;
  if (seen) await mustContain(session, tree, seen);
  kept.keep({ tree: { size: tree.size, root: tree.root } });
  return tree;
}

/** The greater of two trees must begin with the leaves of the other. */
async function mustContain(session, one, other) {
  const [old, grown] = one.size < other.size ? [one, other] : [other, one];
  if (old.size === 0) return;
  const { hashes } = await session.call("log", "GetConsistencyProof", { old_size: old.size, new_size: grown.size });
  const [before, now] = rootsFrom(old.size, grown.size, hashes, old.root) ?? [];
  must(before?.equals(old.root) && now.equals(grown.root), "the log is another than the one seen before");
}

/** The table's last entry is in the log, and so is the tree that its last ceremony names. */
export async function checkIncluded(session, table, policy, kept) {
  const asked = { table_id: table.id, version: table.version };
  await session.call("log", "GetInclusionProof", asked); // once this is answered the entry is published
  const tree = await checkpoint(session, policy, kept);
  const { index, hashes } = await session.call("log", "GetInclusionProof", { ...asked, tree_size: tree.size });
  const root = rootFrom(table.leaves[table.version], index, tree.size, hashes);
  must(root?.equals(tree.root), "the last entry is not in the log");
  if (table.ceremony) await mustContain(session, tree, table.ceremony.anchor);
}

/** The proofs of every round and of the game, as files; their entries are those of the stream. */
export async function fetchProofs(session, table, folder) {
  const proofs = table.compared.rounds.map(({ round }) => ["GetRoundProof", { round }, `round-${round}.json`]);
  const counts = [];
  for (const [method, asked, name] of [...proofs, ["GetGameProof", {}, "game.json"]]) {
    const bytes = await session.pieces(method, { table_id: table.id, ...asked });
    writeFileSync(join(folder, name), bytes);
    const { table: id, first_version: first, entries } = JSON.parse(bytes);
    must(id === table.id.toString("hex"), `${name} is of another table`);
    entries.forEach((entry, i) =>
      must(table.entries[first + i].equals(Buffer.from(entry, "base64")), `${name} has another entry ${first + i}`));
    counts.push(entries.length);
  }
  return counts;
}
