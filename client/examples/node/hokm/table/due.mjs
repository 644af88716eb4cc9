// SPDX-License-Identifier: Apache-2.0
// What must come next, by the rules or because a deadline has passed: SPEC.md sections 7.3 and 7.4. Both answer with
// the name of a ruling, null where there is none.

import { ALL } from "../cards.mjs";
import { DRAW } from "../numbers.mjs";
import { isOver as roundIsOver } from "./round.mjs";
import { BOT, PERSON, STAND_IN, deadlineOf, everyPerson, wants } from "./seats.mjs";
import { isDrunk, isGranted, isOver as teaIsOver } from "./tea.mjs";

const MOST_BEFORE_START = 64;
const HOUR_MS = 3_600_000;

/** Due at that time; of several the first. */
export const dueAt = (table, time) => DUE[table.stage](table, time);

const DUE = {
  nothing: () => "table_opened",
  seating(table) {
    if (table.seats.every(Boolean)) return "game_started";
    return table.movesBeforeStart >= MOST_BEFORE_START ? "game_ended" : null;
  },
  ceremony(table) {
    const { commits, set, revealed, purpose } = table.ceremony;
    if (!set && ALL.every((seat) => commits[seat])) return "commit_set_closed";
    if (revealed.size === 4) return purpose === DRAW ? "hakem_drawn" : "dealt";
    return everyPerson(table, (place) => place.left) ? "game_ended" : null;
  },
  round(table, time) {
    const round = table.game;
    if (round.called) return "middle_turned";
    if (round.decision && round.down[round.turn]) return "early_turned";
    if (teaIsOver(table, time)) return "tea_ended";
    if (roundIsOver(round)) return "round_revealed";
    if (table.seats.some(wants)) return "stood_in";
    return isGranted(table.tea, time) && round.trick.length === 0 ? "tea_began" : null;
  },
  between(table, time) {
    if (teaIsOver(table, time)) return "tea_ended";
    if (table.next.ends) return "game_ended";
    if (table.seats.some(wants)) return "stood_in";
    if (isDrunk(table.tea)) return null;
    return isGranted(table.tea, time) ? "tea_began" : "ceremony_opened";
  },
  over: () => null,
};

/** What a deadline brings that has passed at that time. */
export function lateAt(table, time) {
  if (table.stage === "seating") return time >= table.openedAt + HOUR_MS ? "game_ended" : null;
  if (table.stage === "ceremony") return ceremonyLate(table, time);
  if (table.stage !== "round" || isDrunk(table.tea) || !table.game.decision) return null;
  return time >= deadlineOf(table.game.decision) ? "timed_out" : null;
}

/** The seats whose step of the ceremony is open. */
export const missing = ({ steps }) => ALL.filter((seat) => steps[seat]);

/** The house answers for its witnesses and stand-ins, and for the numbers of its bots. */
function ceremonyLate({ ceremony }, time) {
  if (ceremony.wait) return time >= deadlineOf(ceremony.wait) ? "server_fault" : null;
  const seats = missing(ceremony);
  if (time < Math.max(...seats.map((seat) => deadlineOf(ceremony.steps[seat])))) return null;
  const fatal = ceremony.set ? [BOT, STAND_IN] : [STAND_IN];
  return seats.some((seat) => fatal.includes(ceremony.holders[seat].kind)) ? "server_fault" : "ceremony_voided";
}

/** Persons commit after the last bot or stand-in. */
export const personsMayCommit = ({ holders, commits }) =>
  ALL.every((seat) => holders[seat].kind === PERSON || commits[seat]);
