// SPDX-License-Identifier: Apache-2.0
// The published log: checkpoints, and the trees of RFC 6962 under them: SPEC.md section 8.

import { H, hex, must, u8 } from "./bytes.mjs";
import { COSIGNATURE, ED25519, keyId, signedRaw } from "./keys.mjs";

/** Size and root of a checkpoint that the log has signed, and by the key in hex when, in ms, a witness cosigned it. */
export function checkpointOf(note, policy) {
  const gap = note.lastIndexOf("\n\n");
  must(gap > 0 && note.endsWith("\n"), "not a signed note");
  const text = note.slice(0, gap + 1);
  const [origin, size, root] = text.split("\n");
  must(origin === policy.origin && /^(0|[1-9]\d*)$/.test(size), "not a checkpoint of this log");
  const lines = note.slice(gap + 2, -1).split("\n").map((line) => /^— (\S+) (\S+)$/.exec(line));
  must(lines.every(Boolean), "a signature that is none");
  const by = ({ name, key }, kind) => {
    const id = keyId(name, key, kind);
    const signatures = lines.filter((line) => line[1] === name).map((line) => Buffer.from(line[2], "base64"));
    return signatures.filter((bytes) => bytes.subarray(0, 4).equals(id)).map((bytes) => bytes.subarray(4));
  };
  const ours = by({ name: policy.origin, key: policy.log }, ED25519);
  must(ours.length > 0, "the log has not signed the checkpoint");
  for (const one of ours) must(signedRaw(policy.log, Buffer.from(text), one), "the log's signature is none");

  const cosigners = new Map();
  for (const witness of [...policy.names.values()].filter((one) => one.key)) {
    for (const bytes of by(witness, COSIGNATURE)) {
      must(isCosigned(witness.key, text, bytes), `${witness.name} has not cosigned the checkpoint`);
      cosigners.set(hex(witness.key), 1000 * Number(bytes.readBigUInt64BE(0)));
    }
  }
  return { size: Number(size), root: Buffer.from(root, "base64"), cosigners };
}

/** A cosignature: u64 seconds and a signature over them and the text (8.2). */
function isCosigned(key, text, bytes) {
  if (bytes.length !== 72) return false;
  const signed = `cosignature/v1\ntime ${bytes.readBigUInt64BE(0)}\n${text}`;
  return signedRaw(key, Buffer.from(signed), bytes.subarray(8));
}

const node = (left, right) => H(u8(1), left, right);

/** RFC 6962, 2.1.1: the root of `size` leaves to which the one at `index` leads; null if `hashes` do not fit. */
export function rootFrom(leaf, index, size, hashes) {
  if (index >= size) return null;
  if (size === 1) return hashes.length === 0 ? leaf : null;
  if (hashes.length === 0) return null;
  let split = 1;
  while (split * 2 < size) split *= 2;
  const last = hashes[hashes.length - 1];
  const rest = hashes.slice(0, -1);
  const below = index < split ? rootFrom(leaf, index, split, rest) : rootFrom(leaf, index - split, size - split, rest);
  return below && (index < split ? node(below, last) : node(last, below));
}

/** RFC 6962, 2.1.2: the old and the new root that a consistency proof makes; `old` is the one that is known. */
export function rootsFrom(oldSize, newSize, hashes, old, whole = true) {
  if (oldSize === newSize) {
    if (whole) return hashes.length === 0 ? [old, old] : null;
    return hashes.length === 1 ? [hashes[0], hashes[0]] : null;
  }
  if (hashes.length === 0) return null;
  let split = 1;
  while (split * 2 < newSize) split *= 2;
  const last = hashes[hashes.length - 1];
  const rest = hashes.slice(0, -1);
  if (oldSize <= split) {
    const below = rootsFrom(oldSize, split, rest, old, whole);
    return below && [below[0], node(below[1], last)];
  }
  const below = rootsFrom(oldSize - split, newSize - split, rest, old, false);
  return below && [node(last, below[0]), node(last, below[1])];
}
