// SPDX-License-Identifier: Apache-2.0
// Plays one game from a seat of its own, and takes the proofs home:
//
//     node play.mjs --server HOST:PORT --policy FILE --out DIRECTORY
//
// Said again with the same directory it goes on where it was. Status 0: everything was as SPEC.md says.

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { hex, unhex } from "./hokm/bytes.mjs";
import { PRESETS, SUITS } from "./hokm/cards.mjs";
import { fromSeed, newKey, publicOf, seedOf } from "./hokm/keys.mjs";
import { Kept } from "./hokm/kept.mjs";
import { manifestsOf } from "./hokm/manifests.mjs";
import { policyOf } from "./hokm/policy.mjs";
import { checkIncluded, fetchProofs } from "./hokm/published.mjs";
import { Seat } from "./hokm/seat.mjs";
import { Session } from "./hokm/session.mjs";
import { callBots, readTable, sitDown } from "./hokm/sit.mjs";

const { values: options } = parseArgs({
  options: {
    server: { type: "string" }, policy: { type: "string" }, out: { type: "string" }, tls: { type: "string" },
    preset: { type: "string", default: "classic" }, rules: { type: "string", default: "{}" },
    table: { type: "string" }, code: { type: "string" }, seat: { type: "string" },
    bots: { type: "boolean", default: false },
  },
});
const tell = console.log;
const policy = policyOf(readFileSync(options.policy, "utf8"));
mkdirSync(options.out, { recursive: true });
const kept = new Kept(join(options.out, "kept"));
const session = new Session(options.server, options.tls ? readFileSync(options.tls) : null);

try {
  await play();
} catch (error) {
  console.error(error.name === "Wrong" ? error.message : error);
  process.exitCode = 1;
}
kept.close();
session.close();

async function play() {
  const known = { policy, manifests: manifestsOf(await session.call("log", "GetKeys", {}), policy) };
  const secret = fromSeed((kept.last("seed") ?? newSeed()).seed);
  const key = publicOf(secret);
  await session.signIn(secret, policy.origin);

  const { table, seat } = (await seatAgain(known, key)) ?? (await newSeat(known, secret));
  tell(`table ${hex(table.id)} seat ${seat} key ${hex(key)}`);
  if (options.bots) await callBots(session, table, seat);
  await new Seat({ session, table, seat, secret, kept, tell }).play();
  await checkIncluded(session, table, policy, kept);
  report(table, await fetchProofs(session, table, options.out));
}

/** A key of its own for each game. */
function newSeed() {
  const record = { seed: seedOf(newKey()) };
  kept.keep(record);
  return record;
}

/** The seat that this directory has already, if its Join came through. */
async function seatAgain(known, key) {
  const last = kept.last("table");
  if (!last) return null;
  const table = await readTable(session, last.table, known);
  return table.seats[last.seat]?.key.equals(key) ? { table, seat: last.seat } : null;
}

/** A seat as the options want it; a table that is named has its own rules. */
function newSeat(known, secret) {
  const rules = { ...PRESETS[options.preset], ...JSON.parse(options.rules) };
  const where = options.table ? { table: unhex(options.table), code: options.code } : { rules };
  const wanted = { ...where, seat: options.seat && Number(options.seat) };
  return sitDown(session, known, { secret, kept, wanted });
}

/** What was compared, by kind. */
function report({ version, leaves, score, firstHakem, compared }, counts) {
  tell(`head ${version}:${hex(leaves[version])}`);
  tell(`${compared.entries} entries: frame, spelling, chain, signature of the house`);
  tell(`${compared.moves} moves: signature, head, place`);
  tell(`${compared.rulings} rulings: made here too, and equal byte for byte`);
  tell(`${compared.commitments} commitments: opened by their numbers; first hakem seat ${firstHakem}`);
  tell(`${compared.notes} hand notes: signature, entry, and ${compared.cards} cards that the numbers give`);
  for (const { round, hakem, trumps, tricks } of compared.rounds) {
    tell(`round ${round}: hakem seat ${hakem}, trumps ${SUITS[trumps]}, tricks ${tricks.join("-")}`);
  }
  tell(`score ${score.join("-")}; ${counts.length} proofs of ${counts.join(", ")} entries: those of the stream`);
}
