// SPDX-License-Identifier: Apache-2.0
// A round as everybody sees it: trumps, tricks, the middle, early cards, runs: SPEC.md sections 3.1 and 7.7. What only
// the hands can show (who held what, who could follow) is looked at when the numbers are public: hands.mjs.

import { name, partnerOf, rightOf, sideOf, suitOf, taker } from "../cards.mjs";
import { must } from "../bytes.mjs";
import { control, turnOf } from "./seats.mjs";
import { isGranted } from "./tea.mjs";

const LAYS = 3;
const WAIT = 4;

/** A round with Dealt as its last entry. */
export function dealtRound(table) {
  return {
    ctx: table.ceremony.ctx, hakem: table.hakem, dealtAt: table.version, trumpsAt: null, trumps: null, called: false,
    turn: table.hakem, decision: turnOf(table, table.hakem), ledAt: null, trick: [], tricks: [0, 0], played: [],
    middle: null, run: null, stopped: false,
    lays: [], down: [null, null, null, null], laid: [0, 0, 0, 0], again: [1, 1, 1, 1],
    deeds: [], // what the hands must bear out, in order
  };
}

export const isOver = (round) => round.stopped || round.tricks.includes(7);
export const trickNumber = (round) => round.tricks[0] + round.tricks[1] + 1;
const led = (round) => (round.trick.length ? suitOf(round.trick[0].card) : null);

/** The round ends before seven tricks: nobody decides any more, and who came back is back. */
export function stop(table) {
  Object.assign(table.game, { stopped: true, turn: null, decision: null });
  table.seats.forEach(control);
}

function turnTo(table, seat) {
  Object.assign(table.game, { turn: seat, decision: turnOf(table, seat) });
}

export function makeTrumps(table, trumps) {
  const round = table.game;
  control(table.seats[round.hakem]);
  Object.assign(round, { trumps, trumpsAt: table.version, called: false });
  turnTo(table, round.hakem);
}

/** A card that a seat plays: its own, at a deadline the house's (`late`), or one that lay face down. */
export function play(table, seat, card, late = false) {
  const round = table.game;
  control(table.seats[seat]);
  if (seat === partnerOf(round.hakem)) round.middle = null;
  round.deeds.push({ what: "play", seat, card, led: led(round), trumps: round.trumps, late });
  putDown(table, seat, card);
}

export function run(table, seat, cards) {
  const round = table.game;
  must(round.trick.length === 0, "a run is led");
  must(isRun(cards, round), `${cards.map(name)} is no run`);
  round.deeds.push({ what: "run", seat, cards });
  round.run = { seat, cards: cards.slice(1) };
  play(table, seat, cards[0]);
}

/** H3: ace, king, queen of a plain suit; or the top of the trumps that are left, the highest first. */
function isRun(cards, { trumps, played }) {
  const suit = suitOf(cards[0]);
  if (suit !== trumps) return cards.length === 3 && cards.every((card, i) => card === suit * 13 + 12 - i);
  const top = Array.from({ length: 13 }, (_, i) => suit * 13 + 12 - i).filter((card) => !played.includes(card));
  return cards.length >= 2 && cards.every((card, i) => card === top[i]);
}

function putDown(table, seat, card) {
  const round = table.game;
  must(!round.played.includes(card), `${name(card)} is played twice`);
  if (round.trick.length === 0) round.ledAt = table.version;
  round.played.push(card);
  round.trick.push({ seat, card });
  if (round.trick.length < 4) return turnTo(table, rightOf(seat));

  const winner = taker(round.trick, round.trumps);
  round.tricks[sideOf(winner)] += 1;
  Object.assign(round, { trick: [], laid: [0, 0, 0, 0], turn: null, decision: null });
  if (isOver(round)) return;
  if (round.run && round.run.seat !== winner) round.run = null; // cut: the rest is in the hand again
  if (!round.run) turnTo(table, winner);
  else if (!isGranted(table.tea, table.time)) leadOn(table);
}

/** The next card of a run leads by itself. */
export function leadOn(table) {
  const { seat, cards: [card, ...rest] } = table.game.run;
  table.game.run = rest.length ? { seat, cards: rest } : null;
  table.game.deeds.push({ what: "play", seat, card, led: null, trumps: table.game.trumps, late: false });
  putDown(table, seat, card);
}

/** H2: may this seat lay a card face down now? */
export function mayLay(round, seat) {
  const isBeforeTurn = round.turn !== seat && !round.trick.some((one) => one.seat === seat);
  const mayAgain = trickNumber(round) >= round.again[seat] && round.laid[seat] < LAYS;
  return round.trick.length > 0 && isBeforeTurn && !round.down[seat] && mayAgain;
}

export function lay(table, seat, { commitment, open_middle: openMiddle }) {
  const round = table.game;
  must(mayLay(round, seat), `seat ${seat} cannot lay a card now`);
  must(!openMiddle || (round.middle !== null && seat === partnerOf(round.hakem)), "no middle of this seat lies open");
  table.spend(commitment);
  const laid = { seat, trick: trickNumber(round), commitment, openMiddle, at: table.version, turned: false };
  round.lays.push(laid);
  round.down[seat] = laid;
  round.laid[seat] += 1;
  round.deeds.push({ what: "lay", lay: laid, led: led(round), middle: round.middle });
  if (openMiddle) round.middle = null;
}

/** The turn has come to a seat with a card face down: it turns over and is played. */
export function turnOver(table, seat, card) {
  const round = table.game;
  round.down[seat].turned = true;
  round.down[seat] = null;
  round.again[seat] = trickNumber(round) + WAIT;
  play(table, seat, card);
}
