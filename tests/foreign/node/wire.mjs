// SPDX-License-Identifier: Apache-2.0
// Bytes, keys and signatures: SPEC.md sections 2.2, 4 and 9.

import { createHash, createPrivateKey, createPublicKey, sign as signRaw, verify as verifyRaw } from "node:crypto";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import protobuf from "protobufjs";

export const PROTO = join(dirname(fileURLToPath(import.meta.url)), "../../../proto");
export const FILES = readdirSync(join(PROTO, "hokm/v1")).map((name) => join("hokm/v1", name)).sort();

/** What a log, a peer or this program has got wrong. */
export class Wrong extends Error {}

export function must(holds, sentence) {
  if (!holds) throw new Wrong(sentence);
}

// --- hashes -------------------------------------------------------------------------------------------------------

export const H = (...parts) => createHash("sha256").update(Buffer.concat(parts)).digest();
export const tag = (text) => Buffer.from(`${text}\0`, "ascii");
export const u8 = (n) => Buffer.from([n]);
export const u32 = (n) => Buffer.from([n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255]);
export const ZEROS = Buffer.alloc(32);

// --- messages (4.1) -----------------------------------------------------------------------------------------------

const root = new protobuf.Root();
root.resolvePath = (_origin, target) => join(PROTO, target);
root.loadSync(FILES, { keepCase: true }).resolveAll();

/** A value without what has no presence and is 0, false or empty: only that may be written. */
function written(type, value) {
  const kept = {};
  for (const field of type.fieldsArray) {
    const item = value[field.name];
    if (item === undefined || item === null) continue;
    const inner = field.resolvedType instanceof protobuf.Type ? field.resolvedType : null;
    if (field.repeated) {
      if (item.length) kept[field.name] = inner ? item.map((one) => written(inner, one)) : item;
    } else if (inner) {
      kept[field.name] = written(inner, item);
    } else if (field.partOf || (item.length === undefined ? Number(item) !== 0 : item.length > 0)) {
      kept[field.name] = item;
    }
  }
  return kept;
}

/** The one spelling of a message. */
export function encode(name, value) {
  const type = root.lookupType(`hokm.v1.${name}`);
  return Buffer.from(type.encode(written(type, value)).finish());
}

/** A message as a plain object; fields with presence are there only if they were written. */
export function decode(name, bytes) {
  const type = root.lookupType(`hokm.v1.${name}`);
  const value = type.toObject(type.decode(bytes), { longs: Number, defaults: true, arrays: true, oneofs: true });
  must(encode(name, value).equals(bytes), `${name} is not in its one spelling`);
  return value;
}

// --- signatures (4.3, 9) ------------------------------------------------------------------------------------------

const KIND = (what) => `application/vnd.hokm.${what}`;
export const MOVE = KIND("move.v1+protobuf");
export const EVENT = KIND("event.v1+protobuf");
export const HAND = KIND("hand.v1+protobuf");
export const KEYS = KIND("keys.v1+protobuf");
export const SIGN_IN = KIND("sign-in.v1");

export const pae = (type, body) =>
  Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${body.length} `), body]);

const P = 2n ** 255n - 19n;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const little = (bytes) => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
const height = (point) => little(point) & (2n ** 255n - 1n);
const ORDER_8 = little(Buffer.from("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", "hex"));
const SMALL = new Set([0n, 1n, P - 1n, ORDER_8, P - ORDER_8]);

/** Strict Ed25519 over any bytes; Node (OpenSSL) does step 5. */
export function signedRaw(key, message, signature) {
  if (key.length !== 32 || signature.length !== 64) return false;
  for (const y of [height(key), height(signature.subarray(0, 32))]) if (y >= P || SMALL.has(y)) return false;
  if (little(signature.subarray(32)) >= L) return false;
  const jwk = { kty: "OKP", crv: "Ed25519", x: Buffer.from(key).toString("base64url") };
  return verifyRaw(null, message, createPublicKey({ key: jwk, format: "jwk" }), signature);
}

export const signed = (key, type, body, signature) => signedRaw(key, pae(type, body), signature);
export const sign = (secret, type, body) => signRaw(null, pae(type, body), secret);

const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");
export const fromSeed = (seed) =>
  createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: "der", type: "pkcs8" });
export const publicOf = (secret) => Buffer.from(createPublicKey(secret).export({ format: "jwk" }).x, "base64url");

// --- keys (2.2) and entries (4.4) ---------------------------------------------------------------------------------

export const keyId = (name, key, type = 1) => H(Buffer.from(`${name}\n`), u8(type), key).subarray(0, 4);

/** Name and key of a vkey of type 01. */
export function vkey(text) {
  const found = /^([!-*,-~]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text);
  must(found, `${text} is not a vkey`);
  const [, name, id, rest] = found;
  const bytes = Buffer.from(rest, "base64");
  must(bytes.length === 33 && bytes[0] === 1, `${name} has no Ed25519 key`);
  const key = bytes.subarray(1);
  must(keyId(name, key).toString("hex") === id, `${name} has another key id`);
  return { name, key };
}

export function unframe(entry) {
  must(entry.length >= 76 && entry.subarray(0, 4).equals(Buffer.from("HKE1")), "not an entry");
  const end = 8 + entry.readUInt32BE(4);
  must(entry.length === end + 68, "an entry of another length than it says");
  return { body: entry.subarray(8, end), id: entry.subarray(end, end + 4), signature: entry.subarray(end + 4) };
}

export const frame = (body, id, signature) =>
  Buffer.concat([Buffer.from("HKE1"), u32(body.length), body, id, signature]);
export const leafOf = (entry) => H(u8(0), entry);
