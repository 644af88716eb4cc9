// SPDX-License-Identifier: Apache-2.0
// The house's word: rulings that may stand though no entry shows that they must. SPEC.md section 7.5.

import { dueAt } from "./due.mjs";
import { CAUSE, PERSON, deadlineOf } from "./seats.mjs";
import { isDrunk, isGranted, mayAnswer } from "./tea.mjs";

export const SEALED_LOST = 3;

const late = (decision, time) => Boolean(decision) && !decision.renewed && deadlineOf(decision) <= time;

/** Whether this ruling may stand at that time as the house's word. */
export function isWord(table, what, said, time) {
  if (what === "server_fault") return said.cause === SEALED_LOST && ["ceremony", "round"].includes(table.stage);
  if (what === "reopened") return mayReopen(table, said.seats, time);
  if (what === "commit_set_witnessed") return mayShowWitnesses(table, time);
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

/** The wait for witnesses, which is nobody's decision. */
const waitOf = (table) => (table.stage === "ceremony" ? table.ceremony.wait : null);

/** What these witnesses signed is looked at when it is taken; here, whether the set still waits for them. */
function mayShowWitnesses(table, time) {
  const wait = waitOf(table);
  return Boolean(wait) && time < deadlineOf(wait) && !dueAt(table, time);
}

/** An ask for tea that nobody could answer in time, and that was not granted by then. */
const lateAsk = (table, time, at) => late(table.tea?.ask, time) && !isGranted(table.tea, at);

/** The house was down while deadlines passed; each begins anew at most once. */
function mayReopen(table, seats, time) {
  if (dueAt(table, table.time) || isDrunk(table.tea)) return false;
  if (seats.length === 0) return late(waitOf(table), time);
  const ask = lateAsk(table, time, table.time);
  return seats.every((seat, i) => (i === 0 || seats[i - 1] < seat) &&
    (late(decisionOf(table, seat), time) || (ask && mayAnswer(table, seat))));
}

/** What the seat is to decide now, where the clock runs. */
function decisionOf(table, seat) {
  if (table.stage === "ceremony") return table.ceremony.steps[seat];
  return table.stage === "round" && table.game.turn === seat ? table.game.decision : null;
}

/** What begins anew runs from this entry on; `before` is the time of the one before it. */
export function reopen(table, seats, before) {
  const { time } = table;
  const asks = lateAsk(table, time, before) && seats.some((seat) => mayAnswer(table, seat));
  const decisions = [...seats.map((seat) => decisionOf(table, seat)), waitOf(table), asks && table.tea.ask];
  for (const decision of decisions.filter((one) => late(one, time))) {
    Object.assign(decision, { since: time, renewed: true });
  }
}
