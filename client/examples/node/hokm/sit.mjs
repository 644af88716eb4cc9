// SPDX-License-Identifier: Apache-2.0
// A table is found and a seat at it taken: SPEC.md section 11.9, steps 2 to 4. These are single calls; the stream comes
// afterwards, since nobody can attach a seat before its Join stands.

import { randomBytes } from "node:crypto";
import { Wrong, must } from "./bytes.mjs";
import { ALL, CLASSIC } from "./cards.mjs";
import { MOVE, publicOf, sign } from "./keys.mjs";
import { encode } from "./messages.mjs";
import { kindOf, reasonOf } from "./reasons.mjs";
import { PERSON } from "./table/seats.mjs";
import { Table } from "./table/table.mjs";

const TRIES = 10;

/** A table as its entries tell it so far, every one checked; `known` are the policy and the manifests. */
export async function readTable(session, id, known, rules = null) {
  const table = new Table(id, known, rules && encode("TableRules", { ...CLASSIC, ...rules }));
  for (;;) {
    const { entries } = await session.call("log", "GetEntries", { table_id: id, first_version: table.version + 1 });
    if (entries.length === 0) return table;
    entries.forEach((entry) => table.take(table.version + 1, entry));
  }
}

/** A seat at the oldest table with these rules, or at a table that is named. */
export async function sitDown(session, known, { secret, kept, wanted }) {
  for (let tries = 0; tries < TRIES; tries++) {
    const id = wanted.table ?? (await session.call("tables", "QuickSeat", { rules: wanted.rules })).table_id;
    const table = await readTable(session, id, known, wanted.rules);
    const seat = wanted.seat ?? table.seats.findIndex((place) => !place);
    const isFree = seat >= 0 && !table.seats[seat];
    if (isFree && (await joined(session, table, seat, { secret, kept, code: wanted.code }))) return { table, seat };
    must(!wanted.table, "that table has no such seat free");
  }
  throw new Wrong("others were faster each time");
}

/** The Join, whose own entry is the answer; false where somebody else was faster. */
async function joined(session, table, seat, { secret, kept, code }) {
  const key = publicOf(secret);
  const join = { kind: PERSON, public_key: key, join_nonce: randomBytes(32) };
  const move = encode("Move", { ...table.head(key, seat, true), join });
  const beside = code ? { join_code: code } : {};
  const signature = sign(secret, MOVE, move);
  kept.keep({ table: table.id, seat });
  kept.keep({ act: "join", move, signature, beside });
  try {
    await session.call("tables", "Act", { act: { table_id: table.id, move, signature, ...beside } });
    return true;
  } catch (error) {
    if (reasonOf(error) && kindOf(reasonOf(error)) === "overtaken") return false;
    throw error;
  }
}

/** The house's bots into the seats that are free. */
export async function callBots(session, table, seat) {
  const seats = ALL.filter((other) => other !== seat && !table.seats[other]);
  if (seats.length) await session.call("tables", "CallBots", { table_id: table.id, seats });
}
