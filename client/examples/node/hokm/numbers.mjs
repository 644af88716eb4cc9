// SPDX-License-Identifier: Apache-2.0
// Numbers that nobody could choose, and the cards that they make: SPEC.md sections 5 and 6.

import { createHmac } from "node:crypto";
import { H, must, tag, u32, u8 } from "./bytes.mjs";
import { rankOf } from "./cards.mjs";

export const DRAW = 1;
export const DEAL = 2;
const DOMAIN = "hokm/v1";
const hmac = (key, ...parts) => createHmac("sha256", key).update(Buffer.concat(parts)).digest();

export const rulesHash = (rules) => H(tag(`${DOMAIN}/rules`), rules);

/** Seats have the kind of the wire, 1 for a person and 2 for a bot; hashed is one less. */
export const gameId = (origin, nonce, seats) =>
  H(
    tag(`${DOMAIN}/match`), u8(Buffer.byteLength(origin)), Buffer.from(origin), nonce,
    ...seats.flatMap((seat) => [u8(seat.kind - 1), seat.public_key, seat.join_nonce]),
  );

export const context = (game, purpose, round, attempt) => Buffer.concat([game, u8(purpose), u32(round), u32(attempt)]);

export const commitment = (ctx, seat, key, number) => H(tag(`${DOMAIN}/commit`), ctx, u8(seat), key, number);
export const houseNumber = (secret, ctx) => hmac(secret, tag(`${DOMAIN}/house`), ctx);
export const commitSet = (ctx, commitments) => H(tag(`${DOMAIN}/commit-set`), ctx, ...commitments);

/** What binds a card that is laid face down (H2). */
export const earlyCommitment = (ctx, trick, seat, card, salt) =>
  H(tag(`${DOMAIN}/early`), ctx, u32(trick), u8(seat), u8(card), salt);

export const pseudorandomKey = (set, numbers) => hmac(set, ...numbers);

/** HKDF-Expand, all 8160 bytes that RFC 5869 allows; `what` is "draw" or "deck". */
function streamOf(prk, what) {
  const info = Buffer.from(`${DOMAIN}/${what}`);
  const blocks = [Buffer.alloc(0)];
  for (let i = 1; i <= 255; i++) blocks.push(hmac(prk, blocks[i - 1], info, u8(i)));
  return Buffer.concat(blocks);
}

function shuffle(stream) {
  const deck = Array.from({ length: 52 }, (_, card) => card);
  const rejected = [];
  let used = 0;
  for (let i = 51; i >= 1; i--) {
    const n = i + 1;
    const limit = 256 - (256 % n);
    let byte = stream[used++];
    while (byte >= limit) {
      rejected.push(`${n}:${byte}`);
      byte = stream[used++];
    }
    must(byte !== undefined, "the stream of bytes has run out");
    const j = byte % n;
    [deck[i], deck[j]] = [deck[j], deck[i]];
  }
  return { deck, rejected, used };
}

/** G3: the cards turned up, and the seat that they make hakem. */
const TURN_UP = {
  firstAce(deck, start) {
    const last = deck.findIndex((card) => rankOf(card) === 14);
    return { turned: last + 1, hakem: (start + last) % 4 };
  },
  highCard(deck, start) {
    for (let at = 0; at < 52; at += 4) {
      const ranks = deck.slice(at, at + 4).map(rankOf);
      const highest = Math.max(...ranks);
      if (ranks.filter((one) => one === highest).length === 1) {
        return { turned: at + 4, hakem: (start + ranks.indexOf(highest)) % 4 };
      }
    }
    return { turned: 52, hakem: start };
  },
};

export function draw(prk, firstHakem) {
  const stream = streamOf(prk, "draw");
  const start = stream[0] & 3;
  const { deck, rejected, used } = shuffle(stream.subarray(1));
  const { turned, hakem } = TURN_UP[firstHakem === 1 ? "firstAce" : "highCard"](deck, start);
  return { stream, start, deck, rejected, used: used + 1, hakem, turned: deck.slice(0, turned) };
}

/** Packet sizes of FIVE_FOUR_FOUR and FIVE_FIVE_THREE. */
export const PACKETS = { 1: [5, 4, 4], 2: [5, 5, 3] };

/** Four hands of three packets each. */
export function deal(prk, hakem, packets) {
  const stream = streamOf(prk, "deck");
  const { deck, rejected, used } = shuffle(stream);
  const hands = [[], [], [], []];
  let at = 0;
  for (const size of PACKETS[packets]) {
    for (let k = 0; k < 4; k++, at += size) hands[(hakem + k) % 4].push(deck.slice(at, at + size));
  }
  return { stream, deck, rejected, used, hands };
}
