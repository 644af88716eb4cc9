// SPDX-License-Identifier: Apache-2.0
// What this player does, where the rules leave it a choice: the part to write anew. It uses every house rule that the
// table plays by, so that all of them can be seen at work; it plays no better than that.

import { favourite, legal, partnerOf, rankOf, rightOf, runsOf, suitOf } from "./cards.mjs";
import { dealtTo, handOf } from "./table/hands.mjs";
import { mayLay } from "./table/round.mjs";
import { isDrunk, mayAnswer } from "./table/tea.mjs";

const HAND = 13;
const SLIPPER = 2;
const highest = (cards) => cards.reduce((best, card) => (rankOf(card) > rankOf(best) ? card : best));
const lowest = (cards) => cards.reduce((best, card) => (rankOf(card) < rankOf(best) ? card : best));

/** What the seat would do now, the most urgent first, as acts of a Move; `lay` is a card to lay face down. */
export function* wishes(table, seat) {
  const { game, options, tea } = table;
  const place = table.seats[seat];
  if (isDrunk(tea)) {
    if (!tea.ready.has(seat)) yield { ready: {} };
    return;
  }
  if (mayAnswer(table, seat)) yield { answer_tea: { yes: true } };
  if (table.stage !== "round") return;
  if (game.turn === seat) yield* turn(table, seat);
  if (game.middle !== null && seat === partnerOf(game.hakem)) yield { pick_up: {} };
  if (options.tea && !tea && !place.teaAsked && game.trick.length > 0) yield { ask_tea: {} };
  if (options.coming_early && game.trick.length > 0) yield* early(table, seat);
}

function* turn(table, seat) {
  const { game, options } = table;
  const dealt = dealtTo(table, seat);
  if (game.trumps === null) {
    if (dealt.length < 5) return; // the note with the first packet is on its way
    const suit = favourite(dealt);
    const many = dealt.filter((card) => suitOf(card) === suit).length;
    yield options.partners_middle && many < 3 ? { call_middle: {} } : { name_trump: { suit } };
  } else if (dealt.length === HAND) {
    const hand = handOf(table, seat);
    const [cards] = options.runs && game.trick.length === 0 ? runsOf(hand, game.trumps, game.played) : [];
    const led = game.trick.length ? suitOf(game.trick[0].card) : null;
    yield cards ? { run: { cards } } : { play: { card: highest(legal(hand, led)) } };
  }
}

/** A low card before the turn; the first one of a round is taken back again, and then laid once more. */
function* early(table, seat) {
  const { game } = table;
  const lays = game.lays.filter((lay) => lay.seat === seat).length;
  if (game.down[seat] && lays === 1) yield { take_back: {} };
  if (dealtTo(table, seat).length < HAND || !mayLay(game, seat)) return;
  yield { lay: lowest(legal(handOf(table, seat), suitOf(game.trick[0].card))) };
}

/** At whom it throws what, if anything: a slipper to the right while a trick lies on the table. */
export function throwing(table, seat) {
  const { game, options, stage } = table;
  if (!options.throwing || stage !== "round" || table.seats[seat].standIn || table.tea) return null;
  return game.trick.length > 0 ? { at: rightOf(seat), thing: SLIPPER } : null;
}
