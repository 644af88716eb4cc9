// SPDX-License-Identifier: Apache-2.0
// Bytes, hashes, and the frame of an entry: SPEC.md sections 2.1 and 4.4.

import { createHash } from "node:crypto";

/** What a log, a peer or this program has got wrong. */
export class Wrong extends Error {
  name = "Wrong";
}

export function must(holds, sentence) {
  if (!holds) throw new Wrong(sentence);
}

export const H = (...parts) => createHash("sha256").update(Buffer.concat(parts)).digest();
export const tag = (text) => Buffer.from(`${text}\0`, "ascii");
export const u8 = (n) => Buffer.from([n]);
export const u32 = (n) => Buffer.from([n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255]);
export const hex = (bytes) => Buffer.from(bytes).toString("hex");
export const unhex = (text) => Buffer.from(text, "hex");
export const ZEROS = Buffer.alloc(32);

const MAGIC = Buffer.from("HKE1");

/** An entry's parts: the body that is signed, the id of the key that signed it, the signature. */
export function unframe(entry) {
  must(entry.length >= 76 && entry.subarray(0, 4).equals(MAGIC), "not an entry");
  const end = 8 + entry.readUInt32BE(4);
  must(entry.length === end + 68, "an entry of another length than it says");
  return { body: entry.subarray(8, end), id: entry.subarray(end, end + 4), signature: entry.subarray(end + 4) };
}

export const frame = (body, id, signature) => Buffer.concat([MAGIC, u32(body.length), body, id, signature]);
export const leafOf = (entry) => H(u8(0), entry);
