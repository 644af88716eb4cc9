// SPDX-License-Identifier: Apache-2.0
// The worked examples of SPEC.md, computed again: `node examples.mjs`.

import { readFileSync } from "node:fs";
import { DEAL, DRAW, commitSet, commitment, context, deal, draw, gameId, houseNumber, pseudorandomKey, rulesHash }
  from "./ceremony.mjs";
import { checkpointOf, manifestsOf, rootFrom, rootsFrom } from "./log.mjs";
import { CLASSIC } from "./rules.mjs";
import { EVENT, HAND, MOVE, SIGN_IN, Wrong, decode, encode, frame, fromSeed, keyId, leafOf, must, pae, publicOf, sign,
  signed, vkey } from "./wire.mjs";

const text = readFileSync(new URL("../../../verifier/SPEC.md", import.meta.url), "utf8");
const EXAMPLES = {};
for (const [, title, body] of text.matchAll(/^```text (\S+)\n(.*?)^```/gms)) {
  EXAMPLES[title] = { text: body };
  for (const [, name, value] of body.matchAll(/^(\S+) +(.*(?:\n +.*)*)/gm)) {
    EXAMPLES[title][name] = value.replace(/\s+/g, " ");
  }
}
const hex = (value) => Buffer.from(value.replace(/ /g, ""), "hex");
const cards = (value) => value.trim().split(" ").map(Number);
const four = (make) => [0, 1, 2, 3].map(make);

let compared = 0;
function same(made, value, what) {
  const [a, b] = Buffer.isBuffer(made) ? [made.toString("hex"), value.replace(/ /g, "")] : [String(made), value.trim()];
  if (a !== b) throw new Wrong(`${what}: made ${a}, and SPEC.md says ${b}`);
  compared += 1;
}

const { keys, rules, "sign-in": signIn, opened, join, game } = EXAMPLES;
const { draw: drawn, deal: dealt, hand, tree, checkpoint } = EXAMPLES;

// 2, 4: keys, rules, sign-in, the first two entries.
const log = vkey(keys.log_vkey);
const root = vkey(keys.root_vkey);
const policy = { origin: log.name, log: log.key, root: root.key };
const origin = log.name;
const event = fromSeed(hex(keys.event_seed));
const eventId = keyId(`${origin}/events`, publicOf(event));
same(publicOf(event), keys.event_key, "event_key");
same(eventId, keys.event_key_id, "event_key_id");
const [[manifestLeaf, manifest]] = manifestsOf([hex(keys.entry)], policy);
same(manifestLeaf, keys.leaf, "the manifest's leaf");
same(encode("KeyManifest", manifest), keys.manifest, "manifest");
same(encode("TableRules", CLASSIC), rules.rules, "rules");
same(rulesHash(hex(rules.rules)), rules.rules_hash, "rules_hash");
const player = fromSeed(hex(signIn.seed));
const asked = Buffer.concat([Buffer.from(`${origin}\n`), hex(signIn.challenge)]);
same(pae(SIGN_IN, asked), signIn.signed, "signed");
same(sign(player, SIGN_IN, asked), signIn.signature, "sign-in");
const first = {
  table: hex(opened.table), version: 0, previous: Buffer.alloc(32), time_ms: 1700000000000,
  table_opened: { server_nonce: hex(opened.server_nonce), rules: hex(rules.rules), manifest_leaf: hex(keys.leaf) },
};
same(encode("Event", first), opened.event, "TableOpened");
const entry = frame(hex(opened.event), eventId, sign(event, EVENT, hex(opened.event)));
same(entry, opened.entry, "its entry");
same(leafOf(entry), opened.leaf, "its leaf");
const zero = Buffer.alloc(32);
const seat = { kind: 1, public_key: hex(join.public_key), join_nonce: hex(join.join_nonce) };
const move = encode("Move", { game_id: zero, seen_hash: leafOf(entry), join: seat });
same(move, join.move, "Join");
same(sign(player, MOVE, move), join.signature, "its signature");
same(pae(MOVE, move).subarray(0, hex(join.pae_begins).length), join.pae_begins, "pae_begins");
const second = encode("Event", {
  table: hex(opened.table), version: 1, previous: leafOf(entry), time_ms: 1700000001000,
  move: { move, signature: hex(join.signature) },
});
same(second, join.event, "its event");
const secondLeaf = leafOf(frame(second, eventId, sign(event, EVENT, second)));
same(secondLeaf, join.leaf, "its leaf");

// 5, 6: identity, draw, deal, a hand note.
const players = four((s) => publicOf(fromSeed(hex(game[`seed_${s}`]))));
players.forEach((key, s) => same(key, game[`key_${s}`], `key_${s}`));
const kinds = cards(game.kinds).map((kind) => kind + 1);
const seats = four((s) => ({ kind: kinds[s], public_key: players[s], join_nonce: hex(game[`join_nonce_${s}`]) }));
const id = gameId(game.origin, hex(game.server_nonce), seats);
same(id, game.game_id, "game_id");
function ceremony(example, ctx) {
  same(ctx, example.ctx, "ctx");
  const numbers = [...four((s) => hex(example[`r_${s}`])), houseNumber(hex(game.house_secret), ctx)];
  same(numbers[4], example.r_4, "r_4");
  const commitments = numbers.map((number, s) => commitment(ctx, s, [...players, publicOf(event)][s], number));
  commitments.forEach((one, s) => same(one, example[`commit_${s}`], `commit_${s}`));
  const set = commitSet(ctx, commitments);
  same(set, example.commit_set, "commit_set");
  const prk = pseudorandomKey(set, numbers);
  same(prk, example.prk, "prk");
  return prk;
}
function bytes(made, example) {
  same(made.stream.subarray(0, 64), example.stream, "stream");
  same(made.rejected.join(" "), example.rejected, "rejected");
  same(made.used, example.bytes_used, "bytes_used");
  same(made.deck.join(" "), example.deck, "deck");
}
const drawPrk = ceremony(drawn, context(id, DRAW, 0, 0));
for (const [rule, shown, hakem] of [[1, "turned", "hakem"], [2, "high_card", "high_card_hakem"]]) {
  const made = draw(drawPrk, rule);
  bytes(made, drawn);
  same(made.start, drawn.start, "start");
  same(made.turned.map((card, i) => `${(made.start + i) % 4}:${card}`).join(" "), drawn[shown], shown);
  same(made.hakem, drawn[hakem], hakem);
}
const dealCtx = context(id, DEAL, 1, 0);
const made = deal(ceremony(dealt, dealCtx), Number(dealt.hakem), 1);
bytes(made, dealt);
made.hands.forEach((packets, s) => {
  same(packets.map((one) => one.join(" ")).join(" | "), dealt[`seat_${s}`], `seat_${s}`);
});
const hakem = Number(dealt.hakem);
const note = encode("HandNote", {
  ctx: dealCtx, seat: hakem, packet: 1, cards: made.hands[hakem][0],
  version: Number(hand.version), leaf: hex(hand.leaf),
});
same(note, hand.note, "note");
same(sign(event, HAND, note), hand.signature, "its signature");
must(signed(publicOf(event), HAND, note, hex(hand.signature)), "the note's signature does not verify");
decode("HandNote", note);

// 8: tree and checkpoint.
const leaves = [hex(tree.leaf_0), hex(tree.leaf_1), hex(tree.leaf_2)];
const hashes = (value) => value.split(" ").map((one) => hex(one));
same(rootFrom(leaves[1], 1, 3, hashes(tree.inclusion_1)), tree.root, "root by inclusion_1");
const [old, grown] = rootsFrom(1, 3, hashes(tree.consistency_1), leaves[0]);
same(old, tree.leaf_0, "old root by consistency_1");
same(grown, tree.root, "root by consistency_1");
same(checkpointOf(checkpoint.text, policy).root, tree.root, "root of the checkpoint");

console.log(`${compared} values of SPEC.md computed again.`);
