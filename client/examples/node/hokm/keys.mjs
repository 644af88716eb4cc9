// SPDX-License-Identifier: Apache-2.0
// Keys and signatures: SPEC.md sections 2.2, 4.3 and 9.

import { createPrivateKey, createPublicKey, generateKeyPairSync, sign as signRaw, verify as verifyRaw }
  from "node:crypto";
import { H, Wrong, hex, must, u8, unhex } from "./bytes.mjs";

const type = (what) => `application/vnd.hokm.${what}`;
export const MOVE = type("move.v1+protobuf");
export const EVENT = type("event.v1+protobuf");
export const HAND = type("hand.v1+protobuf");
export const KEYS = type("keys.v1+protobuf");
export const SIGN_IN = type("sign-in.v1");

/** What is signed in place of a body, so that a signature made for one purpose is none for another (4.3). */
export const pae = (kind, body) =>
  Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(kind)} ${kind} ${body.length} `), body]);

// Section 9: what every verifier must refuse alike. Node's OpenSSL does step 5, without the cofactor, as it must be.
const P = 2n ** 255n - 19n;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const little = (bytes) => BigInt(`0x${hex(Buffer.from(bytes).reverse())}`);
const height = (point) => little(point) & (2n ** 255n - 1n);
const ORDER_8 = little(unhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"));
const SMALL = new Set([0n, 1n, P - 1n, ORDER_8, P - ORDER_8]);

/** Strict Ed25519 over any bytes. */
export function signedRaw(key, message, signature) {
  if (key.length !== 32 || signature.length !== 64) return false;
  for (const y of [height(key), height(signature.subarray(0, 32))]) if (y >= P || SMALL.has(y)) return false;
  if (little(signature.subarray(32)) >= L) return false;
  const jwk = { kty: "OKP", crv: "Ed25519", x: Buffer.from(key).toString("base64url") };
  return verifyRaw(null, message, createPublicKey({ key: jwk, format: "jwk" }), signature);
}

export const signed = (key, kind, body, signature) => signedRaw(key, pae(kind, body), signature);
export const sign = (secret, kind, body) => signRaw(null, pae(kind, body), secret);

// A secret key as 32 bytes, the way SPEC.md's examples give it and the way it is kept on disk.
const PKCS8 = unhex("302e020100300506032b657004220420");
export const fromSeed = (seed) => createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: "der", type: "pkcs8" });
export const seedOf = (secret) => secret.export({ format: "der", type: "pkcs8" }).subarray(PKCS8.length);
export const publicOf = (secret) => Buffer.from(createPublicKey(secret).export({ format: "jwk" }).x, "base64url");
export const newKey = () => generateKeyPairSync("ed25519").privateKey;

// Types of keys: of everybody's, and of witnesses'.
export const ED25519 = 1;
export const COSIGNATURE = 4;

/** Four bytes that name a key; only a hint, the key itself comes from a policy or a manifest (2.2). */
export const keyId = (name, key, kind = ED25519) => H(Buffer.from(`${name}\n`), u8(kind), key).subarray(0, 4);

/** Name and key of a vkey. */
export function vkey(text, kind = ED25519) {
  const found = /^([!-*,-~]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text);
  if (!found) throw new Wrong(`${text} is not a vkey`);
  const [, name, id, rest] = found;
  const bytes = Buffer.from(rest, "base64");
  must(bytes.length === 33 && bytes[0] === kind, `${name} has another kind of key`);
  const key = bytes.subarray(1);
  must(hex(keyId(name, key, kind)) === id, `${name} has another key id`);
  return { name, key };
}
