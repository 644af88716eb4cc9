// SPDX-License-Identifier: Apache-2.0
// The game itself: SPEC.md sections 3.1 and 3.2.

export const SUITS = "♠♥♦♣";
const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];

export const suitOf = (card) => Math.floor(card / 13);
export const rankOf = (card) => (card % 13) + 2;
export const name = (card) => SUITS[suitOf(card)] + RANKS[card % 13];
export const sideOf = (seat) => seat % 2;

/** G7, G8. */
export function legal(hand, led) {
  const following = led === null ? [] : hand.filter((card) => suitOf(card) === led);
  return following.length ? following : hand;
}

/** G9: the seat that takes a trick of four `{seat, card}`, the lead first. */
export function taker(trick, trumps) {
  const led = suitOf(trick[0].card);
  const worth = ({ card }) => rankOf(card) + (suitOf(card) === trumps ? 200 : suitOf(card) === led ? 100 : 0);
  return trick.reduce((best, next) => (worth(next) > worth(best) ? next : best)).seat;
}

/** G11. */
export function points(tricks, winner, hakem) {
  if (tricks[1 - winner] > 0) return 1;
  return sideOf(hakem) === winner ? 2 : 3;
}

/** G13. */
export function nextHakem(hakem, winner, passes) {
  const stays = passes === 1 && sideOf(hakem) === winner;
  return stays ? hakem : (hakem + 1) % 4;
}

/** The suit that a hand of five is best in: most cards, then most rank. */
export function favourite(hand) {
  const worth = (suit) => hand.reduce((sum, card) => sum + (suitOf(card) === suit ? 100 + rankOf(card) : 0), 0);
  return [0, 1, 2, 3].reduce((best, suit) => (worth(suit) > worth(best) ? suit : best));
}

/** 3.2: the defaults that go into signed rules. */
export const CLASSIC = {
  first_hakem: 1, packets: 1, hakem_passes: 1, target: 7, turn_seconds: 30, away_seconds: 10,
  timeout_policy: "timeout-1",
};
