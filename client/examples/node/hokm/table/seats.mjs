// SPDX-License-Identifier: Apache-2.0
// Who sits where, who decides for a seat, and how long a decision is open: SPEC.md sections 3.3, 7.1 and 7.7.

import { sideOf } from "../cards.mjs";

export const PERSON = 1;
export const BOT = 2;
export const STAND_IN = 3;
/** Why a stand-in plays. */
export const CAUSE = { LEFT: 1, MISSED: 2, AWAY: 3, HELD: 4, NO_SIGN: 5 };

/** A seat that a Join has taken. */
export const takenBy = ({ kind, public_key: key, join_nonce: nonce }) => ({
  kind, key, nonce, signed: false, standIn: null, absent: 0, left: false, back: false, held: false, missed: 0,
  returns: 0, protests: 0, resigned: false, teaAsked: false,
});

/** The key that decides for the seat. */
export const holder = (place) => place.standIn ?? place.key;
export const kindOf = (place) => (place.standIn ? STAND_IN : place.kind);

/** Why the seat wants a stand-in; 0 where it wants none. */
export const wants = (place) => (place.standIn ? 0 : place.absent || (place.held ? CAUSE.HELD : 0));

/** A person who is here to be waited for. */
export const present = (place) => place.kind === PERSON && !place.absent && !place.standIn;

/** Whether there are persons (of one side, if it is named), and this holds for each. */
export function everyPerson(table, holds, side) {
  const asked = (seat) => side === undefined || side === sideOf(seat);
  const persons = table.seats.filter((place, seat) => place?.kind === PERSON && asked(seat));
  return persons.length > 0 && persons.every(holds);
}

/** Who has come back decides again. */
export function control(place) {
  if (place.back) Object.assign(place, { absent: 0, back: false, standIn: null });
}

/** A deadline has passed; while a stand-in plays that is nobody's miss. */
export function miss(place) {
  if (place.standIn) return;
  place.missed += 1;
  if (place.missed === 2) place.absent ||= CAUSE.MISSED;
}

/** Who came back has control; who left in the ceremony is absent now. `done`: nobody is held for another attempt. */
export function ceremonyEnds(table, done) {
  for (const place of table.seats) {
    control(place);
    if (place.left) place.absent ||= CAUSE.LEFT;
    if (!done) continue;
    place.held = false;
    if (!place.absent) place.standIn = null;
  }
}

/** A decision that opens with the last entry. */
export const opening = (table, length) => ({ opened: table.version, since: table.time, length, renewed: false });
export const deadlineOf = (decision) => decision.since + decision.length;

/** Trumps and cards: half the time for who has let a deadline pass. */
export const turnOf = (table, seat) =>
  opening(table, table.options.turn_seconds * (table.seats[seat].missed ? 500 : 1000));
