// SPDX-License-Identifier: Apache-2.0
// The cards that a seat is sent, signed; and, when a round is over, whether all that was done can have been done with
// the hands that the numbers make: SPEC.md sections 6.7 and 11.9, step 8.

import { H, hex, must } from "../bytes.mjs";
import { favourite, legal, name, partnerOf, policyCard } from "../cards.mjs";
import { HAND, signed } from "../keys.mjs";
import { decode } from "../messages.mjs";
import { PACKETS } from "../numbers.mjs";

/** A signed note with cards of one of this player's seats. */
export function takeNote(table, seats, { note: bytes, signature }) {
  must(signed(table.house, HAND, bytes, signature), "a hand note is not signed by the house");
  const note = decode("HandNote", bytes);
  const { ctx, seat, packet, cards } = note;
  const place = `${hex(H(ctx))} ${seat} ${packet}`;
  const had = table.notes.get(place);
  if (had) {
    must(had.bytes.equals(bytes), "two different hand notes: fraud");
    return;
  }
  must(seats.includes(seat), "a hand note of a seat that is not ours");
  must(table.game?.ctx.equals(ctx), "a hand note of another deal");
  const { hakem, dealtAt, trumpsAt } = table.game;
  const atOnce = packet === 1 && (seat === hakem || table.options.open_first_packet);
  const released = atOnce ? dealtAt : trumpsAt;
  must(note.version === released && note.leaf.equals(table.leaves[released]), "another entry released these cards");
  must(cards.length === PACKETS[table.options.packets][packet - 1], `packet ${packet} has another size`);
  const held = [...dealtTo(table, seat), ...cards];
  must(new Set(held).size === held.length, "a card twice");
  table.notes.set(place, { ...note, bytes });
  table.compared.notes += 1;
}

const notesOf = (table) => [...table.notes.values()].filter(({ ctx }) => ctx.equals(table.game.ctx));

/** All cards that the seat has been sent in this round, in dealing order. */
export const dealtTo = (table, seat) =>
  notesOf(table).filter((note) => note.seat === seat).sort((a, b) => a.packet - b.packet).flatMap(({ cards }) => cards);

/** What the seat holds of them still. */
export const handOf = (table, seat) => dealtTo(table, seat).filter((card) => !table.game.played.includes(card));

/** Walks once more through all that was done, now with the hands open. */
export function bearOut(table, hands) {
  for (const { seat, packet, cards } of notesOf(table)) {
    must(String(hands[seat][packet - 1]) === String(cards), `packet ${packet} was another`);
    table.compared.cards += cards.length;
  }
  const left = hands.map((packets) => packets.flat());
  const partner = partnerOf(table.game.hakem);
  const may = (seat, card, led) => {
    must(left[seat].includes(card), `seat ${seat} did not hold ${name(card)}`);
    must(legal(left[seat], led).includes(card), `seat ${seat} did not follow suit with ${name(card)}`);
  };
  const check = {
    trump({ suit }) {
      must(suit === favourite(hands[table.game.hakem][0]), "other trumps than the policy's");
    },
    middle({ card }) {
      must(card === hands[partner][0][2], "another card than the partner's middle was turned up");
    },
    run({ seat, cards }) {
      for (const card of cards) may(seat, card, null);
    },
    lay({ lay: { seat, card, openMiddle }, led, middle }) {
      may(seat, card, led);
      must(openMiddle === (seat === partner && card === middle), `seat ${seat} has mistold the middle`);
    },
    play({ seat, card, led, trumps, late }) {
      may(seat, card, led);
      must(!late || card === policyCard(legal(left[seat], led), trumps), "another card than the policy's");
      left[seat].splice(left[seat].indexOf(card), 1);
    },
  };
  for (const deed of table.game.deeds) check[deed.what](deed);
}
