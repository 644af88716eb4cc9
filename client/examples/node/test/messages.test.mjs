// SPDX-License-Identifier: Apache-2.0
// Bytes that say the same in another spelling, or more than they may, are no message (4.1, 4.2).

import assert from "node:assert/strict";
import test from "node:test";
import { unhex } from "../hokm/bytes.mjs";
import { decode, encode } from "../hokm/messages.mjs";

const zeros = Buffer.alloc(32);
const move = (act) => ({ game_id: zeros, seat: 1, number: 2, seen_version: 3, seen_hash: zeros, ...act });
const play = encode("Move", move({ play: { card: 51 } }));
const refused = (bytes, says) => assert.throws(() => decode("Move", bytes), says);

test("a message is read as it was written", () => {
  const { act, play: { card }, seat, round } = decode("Move", play);
  assert.deepEqual({ act, card, seat, round }, { act: "play", card: 51, seat: 1, round: 0 });
});

test("other spellings are refused", () => {
  const spelling = /one spelling/;
  refused(Buffer.concat([play, unhex("1000")]), spelling); // round, which is 0, behind the rest
  refused(Buffer.concat([play, unhex("b00601")]), spelling); // a field that nobody knows
  refused(Buffer.concat([play.subarray(0, -1), unhex("b300")]), /./); // a longer varint than it takes
});

test("what is out of its bounds is refused", () => {
  refused(encode("Move", move({ play: { card: 52 } })), /too great/);
  refused(encode("Move", { ...move({ leave: {} }), seat: 4 }), /too great/);
  refused(encode("Move", move({ commit: { commitment: Buffer.alloc(31) } })), /another length/);
  refused(encode("Move", move({ join: { kind: 9, public_key: zeros, join_nonce: zeros } })), /unknown/);
  refused(encode("Move", move({ join: { public_key: zeros, join_nonce: zeros } })), /unknown/);
  refused(Buffer.concat([play, Buffer.alloc(3000)]), /too long/);
});
