// SPDX-License-Identifier: Apache-2.0
// The worked examples of SPEC.md, computed again.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { frame, leafOf, unhex } from "../hokm/bytes.mjs";
import { ALL, CLASSIC } from "../hokm/cards.mjs";
import { EVENT, HAND, MOVE, SIGN_IN, fromSeed, keyId, pae, publicOf, sign, signed, vkey } from "../hokm/keys.mjs";
import { decode, encode } from "../hokm/messages.mjs";
import {
  DEAL, DRAW, commitSet, commitment, context, deal, draw, earlyCommitment, gameId, houseNumber, pseudorandomKey,
  rulesHash,
} from "../hokm/numbers.mjs";
import { manifestsOf } from "../hokm/manifests.mjs";
import { checkpointOf, rootFrom, rootsFrom } from "../hokm/tree.mjs";

/** Blocks of `name value` lines by their titles; an indented line goes on with the value above it. */
const text = readFileSync(new URL("../../../../verifier/SPEC.md", import.meta.url), "utf8");
const SPEC = {};
for (const [, title, body] of text.matchAll(/^```text (\S+)\n(.*?)^```/gms)) {
  SPEC[title] = { text: body };
  for (const [, name, value] of body.matchAll(/^(\S+) +(.*(?:\n +.*)*)/gm)) {
    SPEC[title][name] = value.replace(/\s+/g, " ");
  }
}
const bytes = (value) => unhex(value.replace(/ /g, ""));
const numbers = (value) => value.trim().split(" ").map(Number);
const hashes = (value) => value.split(" ").map(unhex);

function same(made, value) {
  if (Buffer.isBuffer(made)) assert.equal(made.toString("hex"), value.replace(/ /g, ""));
  else assert.equal(String(made), value.trim());
}

const { keys, rules, "sign-in": signIn, opened, join, game, hand, early, tree, checkpoint } = SPEC;
const log = vkey(keys.log_vkey);
const root = vkey(keys.root_vkey);
const policy = { origin: log.name, log: log.key, root: root.key, names: new Map() };
const event = fromSeed(bytes(keys.event_seed));
const eventId = keyId(`${log.name}/events`, publicOf(event));
const player = fromSeed(bytes(signIn.seed));
const house = (body) => frame(body, eventId, sign(event, EVENT, body));
const players = ALL.map((seat) => publicOf(fromSeed(bytes(game[`seed_${seat}`]))));
const gameIs = bytes(game.game_id);

test("keys and the manifest that names them (2.2, 2.3)", () => {
  same(publicOf(event), keys.event_key);
  same(eventId, keys.event_key_id);
  const [[leaf, manifest]] = manifestsOf({ manifests: [bytes(keys.entry)] }, policy);
  same(leaf, keys.leaf);
  same(encode("KeyManifest", manifest), keys.manifest);
});

test("rules in their one spelling (4.2)", () => {
  same(encode("TableRules", CLASSIC), rules.rules);
  same(rulesHash(bytes(rules.rules)), rules.rules_hash);
});

test("what is signed to sign in (4.3)", () => {
  const asked = Buffer.concat([Buffer.from(`${log.name}\n`), bytes(signIn.challenge)]);
  same(pae(SIGN_IN, asked), signIn.signed);
  same(sign(player, SIGN_IN, asked), signIn.signature);
});

test("the first two entries of a table (4.4)", () => {
  const first = encode("Event", {
    table: bytes(opened.table), version: 0, previous: Buffer.alloc(32), time_ms: 1700000000000,
    table_opened: {
      server_nonce: bytes(opened.server_nonce), rules: bytes(rules.rules), manifest_leaf: bytes(keys.leaf),
    },
  });
  same(first, opened.event);
  same(house(first), opened.entry);
  const leaf = leafOf(house(first));
  same(leaf, opened.leaf);

  const seat = { kind: 1, public_key: bytes(join.public_key), join_nonce: bytes(join.join_nonce) };
  const move = encode("Move", { game_id: Buffer.alloc(32), seen_hash: leaf, join: seat });
  same(move, join.move);
  const signature = sign(player, MOVE, move);
  same(signature, join.signature);
  same(pae(MOVE, move).subarray(0, bytes(join.pae_begins).length), join.pae_begins);
  const second = encode("Event", {
    table: bytes(opened.table), version: 1, previous: leaf, time_ms: 1700000001000, move: { move, signature },
  });
  same(second, join.event);
  same(leafOf(house(second)), join.leaf);
});

test("what a game is called (5)", () => {
  players.forEach((key, seat) => same(key, game[`key_${seat}`]));
  const kinds = numbers(game.kinds).map((kind) => kind + 1); // hashed is one less than on the wire
  const seats = ALL.map((seat) =>
    ({ kind: kinds[seat], public_key: players[seat], join_nonce: bytes(game[`join_nonce_${seat}`]) }));
  same(gameId(game.origin, bytes(game.server_nonce), seats), game.game_id);
});

/** Five numbers, their commitments and what they open: the key to a stream of bytes. */
function ceremony(example, ctx) {
  same(ctx, example.ctx);
  const five = [...ALL.map((seat) => bytes(example[`r_${seat}`])), houseNumber(bytes(game.house_secret), ctx)];
  same(five[4], example.r_4);
  const commitments = five.map((number, seat) => commitment(ctx, seat, [...players, publicOf(event)][seat], number));
  commitments.forEach((one, seat) => same(one, example[`commit_${seat}`]));
  const set = commitSet(ctx, commitments);
  same(set, example.commit_set);
  const prk = pseudorandomKey(set, five);
  same(prk, example.prk);
  return prk;
}

function shuffled(made, example) {
  same(made.stream.subarray(0, 64), example.stream);
  same(made.rejected.join(" "), example.rejected);
  same(made.used, example.bytes_used);
  same(made.deck.join(" "), example.deck);
}

test("the draw of the first hakem (6.6)", () => {
  const prk = ceremony(SPEC.draw, context(gameIs, DRAW, 0, 0));
  for (const [rule, turned, hakem] of [[1, "turned", "hakem"], [2, "high_card", "high_card_hakem"]]) {
    const made = draw(prk, rule);
    shuffled(made, SPEC.draw);
    same(made.start, SPEC.draw.start);
    same(made.turned.map((card, i) => `${(made.start + i) % 4}:${card}`).join(" "), SPEC.draw[turned]);
    same(made.hakem, SPEC.draw[hakem]);
  }
});

test("a deal, a hand note and an early card (6.7)", () => {
  const ctx = context(gameIs, DEAL, 1, 0);
  const hakem = Number(SPEC.deal.hakem);
  const made = deal(ceremony(SPEC.deal, ctx), hakem, 1);
  shuffled(made, SPEC.deal);
  made.hands.forEach((packets, seat) =>
    same(packets.map((one) => one.join(" ")).join(" | "), SPEC.deal[`seat_${seat}`]));

  const note = encode("HandNote", {
    ctx, seat: hakem, packet: 1, cards: made.hands[hakem][0], version: Number(hand.version), leaf: bytes(hand.leaf),
  });
  same(note, hand.note);
  same(sign(event, HAND, note), hand.signature);
  assert(signed(publicOf(event), HAND, note, bytes(hand.signature)));
  decode("HandNote", note);

  const [trick, seat, card] = [early.trick, early.seat, early.card].map(Number);
  same(earlyCommitment(ctx, trick, seat, card, bytes(early.salt)), early.commitment);
});

test("tree and checkpoint (8)", () => {
  const leaves = [tree.leaf_0, tree.leaf_1, tree.leaf_2].map(bytes);
  same(rootFrom(leaves[1], 1, 3, hashes(tree.inclusion_1)), tree.root);
  const [old, grown] = rootsFrom(1, 3, hashes(tree.consistency_1), leaves[0]);
  same(old, tree.leaf_0);
  same(grown, tree.root);
  same(checkpointOf(checkpoint.text, policy).root, tree.root);
});
