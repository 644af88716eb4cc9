// SPDX-License-Identifier: Apache-2.0
// A person's seat at a table with three bots of the house, in a language of its own: SPEC.md section 11.9.
//
//     node play.mjs --server HOST:PORT --policy FILE --out DIRECTORY [--seat 1] [--rounds 1] [--rules '{"target":3}']
//
// It plays so many rounds, leaves, and fetches the proofs into the directory: round-1.json and so on, game.json; what
// it must not forget is in `kept`. Status 0: everything was as SPEC.md says.

import { generateKeyPairSync, randomBytes } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";
import { commitSet, commitment } from "./ceremony.mjs";
import { checkpointOf, manifestsOf, policyOf, rootFrom, rootsFrom } from "./log.mjs";
import { CLASSIC, SUITS, favourite, legal, rankOf, suitOf } from "./rules.mjs";
import { reasonOf } from "./status.mjs";
import { Table } from "./table.mjs";
import { FILES, MOVE, PROTO, SIGN_IN, Wrong, decode, encode, must, publicOf, sign, unframe } from "./wire.mjs";

const { values: options } = parseArgs({
  options: {
    server: { type: "string" }, policy: { type: "string" }, out: { type: "string" },
    seat: { type: "string", default: "1" }, rounds: { type: "string", default: "1" },
    rules: { type: "string", default: "{}" },
  },
});
const GAME_OVER = 3;
const seat = Number(options.seat);
const rounds = Number(options.rounds);
const asked = JSON.parse(options.rules);
const policy = policyOf(readFileSync(options.policy, "utf8"));
mkdirSync(options.out, { recursive: true });

const reading = { keepCase: true, longs: Number, defaults: true, oneofs: true, includeDirs: [PROTO] };
const api = grpc.loadPackageDefinition(loader.loadSync(FILES, reading)).hokm.v1;
const client = (service) => new api[service](options.server, grpc.credentials.createInsecure());
const [signIns, tables, logs] = ["SignInService", "TablesService", "LogService"].map(client);

/** A call with one answer; every call ends within half a minute. */
const call = (service, method, request, metadata = new grpc.Metadata()) =>
  new Promise((resolve, reject) => {
    service[method](request, metadata, { deadline: Date.now() + 30_000 }, (error, answer) =>
      error ? reject(error) : resolve(answer));
  });

// What was promised is on the disk before it is sent.
const kept = openSync(join(options.out, "kept"), "ax", 0o600);
function keep(what, bytes) {
  writeSync(kept, `${what} ${bytes.toString("hex")}\n`);
  fsyncSync(kept);
}

// --- 1, 2: manifests, key, sign-in, table -------------------------------------------------------------------------

const { entries: manifests } = await call(logs, "GetEntries", { table_id: Buffer.alloc(16), limit: 1000 });
const trusted = manifestsOf(manifests, policy);

const { privateKey: secret } = generateKeyPairSync("ed25519");
const key = publicOf(secret);
keep("key", secret.export({ format: "der", type: "pkcs8" }));

const { challenge, origin } = await call(signIns, "GetChallenge", { public_key: key });
must(origin === policy.origin, `the server writes the log ${origin}`);
const body = Buffer.concat([Buffer.from(`${origin}\n`), challenge]);
const { token } = await call(signIns, "SignIn", { public_key: key, challenge, signature: sign(secret, SIGN_IN, body) });
const authorized = new grpc.Metadata();
authorized.set("authorization", `Bearer ${token}`);

const bots = [0, 1, 2, 3].filter((other) => other !== seat);
const { table_id: id, entry: first } = await call(tables, "OpenTable", { rules: asked, bot_seats: bots }, authorized);
const table = new Table(id, origin, trusted, encode("TableRules", { ...CLASSIC, ...asked }));
table.take(0, first);

// --- 3 to 8: one stream, one seat ---------------------------------------------------------------------------------

const stream = tables.Play(authorized);
let unanswered = null;
let number = null;
let seated = false;
let dealer = null;

/** Sign a move that has seen everything, keep it, send it. */
function send(act, beside = {}) {
  const bytes = encode("Move", { ...table.head(key, seat, "join" in act), ...act });
  keep("move", bytes);
  unanswered = bytes;
  stream.write({ acts: [{ table_id: id, move: bytes, signature: sign(secret, MOVE, bytes), ...beside }] });
}

/** The seat's cards, once all that were released have come. */
const cards = (count) => (table.hand[seat].length >= count ? table.hand[seat] : null);

function decide() {
  if (unanswered || table.due) return;
  if (table.stage === "seating" && !table.seats[seat]) {
    send({ join: { kind: 1, public_key: key, join_nonce: randomBytes(32) } });
  } else if (table.stage === "ceremony" && table.compared.rounds.length === rounds) {
    send({ leave: {} });
  } else if (table.stage === "ceremony") {
    inCeremony(table.ceremony);
  } else if (table.stage === "trumps" && table.turn === seat && cards(5)) {
    send({ name_trump: { suit: favourite(cards(5)) } });
  } else if (table.stage === "tricks" && table.turn === seat && cards(13 - Math.floor(table.played.length / 4))) {
    const led = table.trick.length ? suitOf(table.trick[0].card) : null;
    send({ play: { card: legal(table.hand[seat], led).reduce((a, b) => (rankOf(b) > rankOf(a) ? b : a)) } });
  }
}

function inCeremony({ ctx, commits, house, set, revealed }) {
  if (!commits[seat] && table.personsMayCommit()) {
    number = randomBytes(32);
    keep("number", number);
    send({ commit: { commitment: commitment(ctx, seat, key, number) } });
  } else if (set && !revealed.has(seat)) {
    const five = [...commits, house];
    must(commits[seat].equals(commitment(ctx, seat, key, number)), "the set has another commitment of ours");
    must(new Set(five.map((one) => one.toString("hex"))).size === 5, "two commitments are equal");
    must(set.equals(commitSet(ctx, five)), "the set is another than that of the five");
    send({ reveal: { ctx, commit_set: set } }, { number });
  }
}

/** Everything that came about this table; true at its end. */
function take({ table_id, first_version, entries, hands, refusals, end }) {
  must(table_id.equals(id), "an update of another table");
  for (const refusal of refusals) throw new Wrong(`refused: ${refusal.reason} ${JSON.stringify(refusal.facts)}`);
  entries.forEach((entry, i) => {
    table.take(first_version + i, entry);
    const said = decode("Event", unframe(entry).body);
    if (said.move?.move.equals(unanswered ?? Buffer.alloc(0))) unanswered = null;
  });
  hands.forEach((note) => table.note([seat], note));
  if (table.seats[seat]?.public_key.equals(key) && !seated) {
    seated = true; // only now may the seat be attached, and its cards asked for
    stream.write({ attach: [{ table_id: id, after_version: table.version, seats: [seat] }] });
  }
  if (table.hakem !== undefined && dealer === null) dealer = table.hakem;
  if (end === 0) return false;
  must(end === GAME_OVER && table.stage === "over", `the stream ends: ${end}`);
  return true;
}

const patience = setTimeout(() => stream.destroy(new Wrong("nothing more has come for a minute")), 60_000);
stream.write({ attach: [{ table_id: id }] });
for await (const { updates } of stream) {
  patience.refresh();
  if (updates.map(take).some(Boolean)) break;
  decide();
}
clearTimeout(patience);
stream.end();

// --- the published log --------------------------------------------------------------------------------------------

/** The answer of a call once the log is published; a checkpoint comes about every second. */
async function published(make) {
  for (let tries = 0; ; tries++) {
    try {
      return await make();
    } catch (error) {
      if (tries === 40 || reasonOf(error) !== "NOT_PUBLISHED") throw error;
      await sleep(250);
    }
  }
}

const last = await published(() => call(logs, "GetInclusionProof", { table_id: id, version: table.version }));
const tree = checkpointOf((await call(logs, "GetCheckpoint", {})).checkpoint, policy);
const at = last.tree_size === tree.size ? last
  : await call(logs, "GetInclusionProof", { table_id: id, version: table.version, tree_size: tree.size });
const led = rootFrom(table.leaves[table.version], at.index, tree.size, at.hashes);
must(led?.equals(tree.root), "the last entry is not in the log");
const anchor = table.ceremony.anchor;
if (anchor.size > 0) {
  const grown = await call(logs, "GetConsistencyProof", { old_size: anchor.size, new_size: tree.size });
  const [old, now] = rootsFrom(anchor.size, tree.size, grown.hashes, anchor.root) ?? [];
  must(old?.equals(anchor.root) && now.equals(tree.root), "the last anchor is not the beginning of the log");
}

/** A proof in pieces, to a file; its entries are those of the stream. */
async function fetchProof(method, request, file) {
  const json = await published(async () => {
    const pieces = [];
    for await (const { piece } of logs[method](request)) pieces.push(piece);
    return Buffer.concat(pieces);
  });
  writeFileSync(join(options.out, file), json);
  const proof = JSON.parse(json);
  const from = Number(proof.first_version);
  must(proof.format === "hokm/v1/proof" && proof.table === id.toString("hex"), `${file} is another proof`);
  proof.entries.forEach((entry, i) =>
    must(table.entries[from + i].equals(Buffer.from(entry, "base64")), `${file} has another entry ${from + i}`));
  return proof.entries.length;
}

const proofs = [];
for (const { round } of table.compared.rounds) {
  proofs.push(await fetchProof("GetRoundProof", { table_id: id, round }, `round-${round}.json`));
}
proofs.push(await fetchProof("GetGameProof", { table_id: id }, "game.json"));
closeSync(kept);

const { compared } = table;
console.log(`table ${id.toString("hex")} seat ${seat} key ${key.toString("hex")}`);
console.log(`head ${table.version}:${table.leaves[table.version].toString("hex")}`);
console.log(`${compared.entries} entries: frame, spelling, chain, signature of the house`);
console.log(`${compared.moves} moves: signature, head, place`);
console.log(`${compared.rulings} rulings: made here too, and equal byte for byte`);
console.log(`${compared.commitments} commitments: opened by their numbers; first hakem seat ${dealer}`);
console.log(`${compared.notes} hand notes: signature, entry, and ${compared.cards} cards that the numbers give`);
for (const { round, hakem, trumps, tricks } of compared.rounds) {
  console.log(`round ${round}: hakem seat ${hakem}, trumps ${SUITS[trumps]}, tricks ${tricks.join("-")}`);
}
console.log(`${proofs.length} proofs of ${proofs.join(", ")} entries: those of the stream`);
process.exit(0);
