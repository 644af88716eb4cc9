// SPDX-License-Identifier: Apache-2.0
// Tea, house rule H4: asked for, granted by silence, drunk while every clock stands: SPEC.md sections 3.1 and 7.3.

import { deadlineOf, opening, present } from "./seats.mjs";

const ASK_MS = 20_000;
const PAUSE_MS = 180_000;

export const asked = (table, seat) =>
  ({ seat, ask: opening(table, ASK_MS), yes: new Set(), pause: null, ready: new Set() });

/** Tea is drunk from TeaBegan to TeaEnded. */
export const isDrunk = (tea) => Boolean(tea?.pause);

/** All have said yes, or nobody has said no for 20 s; it begins when it can. */
export const isGranted = (tea, time) =>
  Boolean(tea) && !tea.pause && (tea.yes.size === 3 || time >= deadlineOf(tea.ask));

/** Every person who is here is ready, or three minutes are over. */
export const isOver = (table, time) =>
  isDrunk(table.tea) &&
  (time >= deadlineOf(table.tea.pause) ||
    table.seats.every((place, seat) => !present(place) || table.tea.ready.has(seat)));

export const begin = (table) => (table.tea.pause = opening(table, PAUSE_MS));

/** Who may still say no. */
export const mayAnswer = ({ tea, seats }, seat) =>
  Boolean(tea) && !tea.pause && seat !== tea.seat && !tea.yes.has(seat) && !seats[seat].standIn;

/** A tea that waits, as RoundRevealed carries it. */
export const waiting = (tea) =>
  tea && !tea.pause
    ? { seat: tea.seat, version: tea.ask.opened, time_ms: tea.ask.since, yes: [...tea.yes].sort() }
    : undefined;
