// SPDX-License-Identifier: Apache-2.0
// Signed messages, in their one spelling and within their bounds: SPEC.md sections 4.1 and 4.2.
//
// Protobuf lets one message be written in many ways, and a signature holds for one of them only. So nothing that is
// signed is believed before it has been read, written again and found to be the same bytes.

import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import protobuf from "protobufjs";
import { must } from "./bytes.mjs";

/** Where the .proto files are: in the same repository. */
export const PROTO = fileURLToPath(new URL("../../../../proto/", import.meta.url));
export const FILES = readdirSync(`${PROTO}hokm/v1`).filter((name) => name.endsWith(".proto")).sort()
  .map((name) => `hokm/v1/${name}`);

const root = new protobuf.Root();
root.resolvePath = (_origin, target) => PROTO + target;
root.loadSync(FILES, { keepCase: true }).resolveAll();

/** A value without what has no presence and is 0, false or empty: protobufjs would write that, and it may not stand. */
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

/** The one spelling of a message: fields ascending, no defaults. */
export function encode(name, value) {
  const type = root.lookupType(`hokm.v1.${name}`);
  return Buffer.from(type.encode(written(type, value)).finish());
}

/** A message as a plain object; fields with presence are there only if they were written. */
export function decode(name, bytes) {
  const type = root.lookupType(`hokm.v1.${name}`);
  must(bytes.length <= (LONGEST[name] ?? 16_384), `${name} is too long`);
  const value = type.toObject(type.decode(bytes), { longs: Number, defaults: true, arrays: true, oneofs: true });
  must(encode(name, value).equals(bytes), `${name} is not in its one spelling`);
  bounded(type, value);
  return value;
}

const LONGEST = { Move: 2_048, HandNote: 256 };
const of = (bound, names) => Object.fromEntries(names.split(" ").map((name) => [name, bound]));
const LENGTHS = {
  ...of(16, "table"), ...of(41, "ctx"), ...of(64, "signature"),
  ...of(32, "game_id seen_hash previous leaf public_key join_nonce server_nonce manifest_leaf rules_hash root"),
  ...of(32, "house_commitment commitment commit_set number numbers salt event_key log_key"),
};
const GREATEST = {
  ...of(3, "seat seats hakem next_hakem suit trump yes"), ...of(1, "winner"), ...of(51, "card cards"),
};

/** The bounds that go by a field's name or kind, at any depth. */
function bounded(type, value) {
  for (const field of type.fieldsArray) {
    const item = value[field.name];
    if (item === undefined || item === null) continue;
    for (const one of field.repeated ? item : [item]) boundedField(field, one);
  }
}

function boundedField({ name, type, resolvedType }, value) {
  if (resolvedType instanceof protobuf.Type) bounded(resolvedType, value);
  else if (resolvedType) must(value !== 0 && value in resolvedType.valuesById, `${name} is unknown`);
  else if (type === "bytes") must(value.length === (LENGTHS[name] ?? value.length), `${name} has another length`);
  else must(!(value > GREATEST[name]), `${name} is too great`);
}
