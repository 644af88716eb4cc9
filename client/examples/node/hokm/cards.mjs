// SPDX-License-Identifier: Apache-2.0
// The game itself, as it is played with cards in the hand: SPEC.md sections 3.1 and 3.2.

export const SUITS = "♠♥♦♣";
const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];

export const suitOf = (card) => Math.floor(card / 13);
export const rankOf = (card) => (card % 13) + 2;
export const name = (card) => SUITS[suitOf(card)] + RANKS[card % 13];
export const sideOf = (seat) => seat % 2;
export const partnerOf = (seat) => (seat + 2) % 4;
export const rightOf = (seat) => (seat + 1) % 4;
export const ALL = [0, 1, 2, 3];

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
  return stays ? hakem : rightOf(hakem);
}

/** The suit of which a hand of five has most: of equal counts the one with more rank, then the first. */
export function favourite(hand) {
  const worth = (suit) => hand.reduce((sum, card) => sum + (suitOf(card) === suit ? 100 + rankOf(card) : 0), 0);
  return ALL.reduce((best, suit) => (worth(suit) > worth(best) ? suit : best));
}

/** H3: what may be led at once from this hand, the longest first. `played` are all cards that have been played. */
export function runsOf(hand, trumps, played) {
  const left = (suit) => RANKS.map((_, i) => suit * 13 + 12 - i).filter((card) => !played.includes(card));
  const top = left(trumps);
  const held = top.findIndex((card) => !hand.includes(card));
  const many = held < 0 ? top.length : held;
  const runs = [];
  for (let count = many; count >= 2; count--) runs.push(top.slice(0, count));
  for (const suit of ALL) {
    const three = [12, 11, 10].map((i) => suit * 13 + i);
    if (suit !== trumps && three.every((card) => hand.includes(card))) runs.push(three);
  }
  return runs;
}

/** 3.3: what the house plays at a deadline from these legal cards, the lowest that is no trump. */
export function policyCard(cards, trumps) {
  const plain = cards.filter((card) => suitOf(card) !== trumps);
  const low = (card) => 100 * rankOf(card) + suitOf(card);
  return (plain.length ? plain : cards).reduce((best, card) => (low(card) < low(best) ? card : best));
}

/** 3.2: the defaults that go into signed rules, and the presets. */
export const CLASSIC = {
  first_hakem: 1, packets: 1, hakem_passes: 1, target: 7, turn_seconds: 30, away_seconds: 10,
  timeout_policy: "timeout-1",
};
export const PRESETS = {
  classic: CLASSIC,
  house: { ...CLASSIC, partners_middle: true, coming_early: true, runs: true, tea: true, throwing: true },
  traditional: { ...CLASSIC, first_hakem: 2, silent: true },
};
