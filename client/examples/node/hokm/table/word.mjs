// SPDX-License-Identifier: Apache-2.0
// The house's word: rulings that may stand though no entry shows that they must. SPEC.md section 7.5.

import { ALL } from "../cards.mjs";
import { dueAt } from "./due.mjs";
import { CAUSE, PERSON, deadlineOf } from "./seats.mjs";
import { isDrunk, isGranted, mayAnswer } from "./tea.mjs";

export const SEALED_LOST = 3;

/** Whether this ruling may stand at that time as the house's word. */
export function isWord(table, what, said, time) {
  if (what === "server_fault") return said.cause === SEALED_LOST && ["ceremony", "round"].includes(table.stage);
  if (what === "reopened") return mayReopen(table, said.seats, time);
  return what === "stood_in" && said.cause === CAUSE.AWAY && isAway(table, time);
}

/** A person in turn who shows no sign of life, before the deadline. */
function isAway(table, time) {
  const { away_seconds: away } = table.options;
  if (!away || table.stage !== "round" || isDrunk(table.tea) || dueAt(table, time)) return false;
  const { turn, decision } = table.game;
  const place = table.seats[turn];
  return Boolean(decision) && place.kind === PERSON && !place.absent &&
    time >= decision.since + 1000 * away && time < deadlineOf(decision);
}

/** The house was down while deadlines passed; each begins anew at most once. */
function mayReopen(table, seats, time) {
  if (dueAt(table, table.time) || isDrunk(table.tea) || seats.length === 0) return false;
  const late = (decision) => Boolean(decision) && !decision.renewed && deadlineOf(decision) <= time;
  const ask = late(table.tea?.ask) && !isGranted(table.tea, table.time);
  return seats.every((seat, i) => (i === 0 || seats[i - 1] < seat) &&
    (late(decisionOf(table, seat)) || (ask && mayAnswer(table, seat))));
}

/** What the seat is to decide now, where the clock runs. */
function decisionOf(table, seat) {
  if (table.stage === "ceremony") return table.ceremony.steps[seat];
  return table.stage === "round" && table.game.turn === seat ? table.game.decision : null;
}

/** Those decisions run from this entry on. */
export function reopen(table, seats) {
  const asked = seats.some((seat) => mayAnswer(table, seat));
  const anew = (decision) => decision && Object.assign(decision, { since: table.time, renewed: true });
  for (const seat of ALL.filter((one) => seats.includes(one))) anew(decisionOf(table, seat));
  if (asked) anew(table.tea.ask);
}
