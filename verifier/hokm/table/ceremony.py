# SPDX-License-Identifier: Apache-2.0
"""What becomes of a ceremony: it opens, its steps are taken, and it ends with a deal, or without one."""

from __future__ import annotations

from hokm.deal import Context, Purpose
from hokm.events import (
    CeremonyOpened,
    CeremonyVoided,
    Commit,
    GameEndCause,
    GameEnded,
    Reveal,
    SeatKind,
    StandInCause,
    VoidCause,
)
from hokm.rules import BySide, Seat, Side, side_of
from hokm.table.seats import in_control, missed, replaced, with_place
from hokm.table.state import FAULTS_TO_FORFEIT, Between, Ceremony, Decision, Place, Table


def ceremony_opened(table: Table, content: CeremonyOpened) -> Table:
    """Commits are open: of the bots, or of all if there are none."""
    context = Context.from_bytes(content.ctx)
    bots_first = any(holder.kind is not SeatKind.PERSON for holder in content.holders)
    step = _whole_step(table)
    decisions = tuple(None if bots_first and holder.kind is SeatKind.PERSON else step for holder in content.holders)
    places = table.places
    if context.attempt == 0:
        places = tuple([_in_new_round(place) for place in places])
    stage = Ceremony(
        ctx=content.ctx,
        purpose=context.purpose,
        holders=content.holders,
        house_commitment=content.house_commitment,
        commitments=(None,) * 4,
        commit_set=None,
        revealed=(False,) * 4,
        decisions=decisions,
    )
    return table._replace(round=context.round, attempt=context.attempt, places=places, stage=stage)


def _in_new_round(place: Place) -> Place:
    if not (place.returns or place.protests or place.resigned):
        return place
    return place._replace(returns=0, protests=0, resigned=False)


def step_taken(stage: Ceremony, seat: Seat, act: Commit | Reveal, step: Decision) -> Ceremony:
    """One more commitment or Reveal; `step` opens for the persons with the last commitment of a bot."""
    decisions = replaced(stage.decisions, seat, None)
    if isinstance(act, Reveal):
        return stage._replace(revealed=replaced(stage.revealed, seat, True), decisions=decisions)
    commitments = replaced(stage.commitments, seat, act.commitment)
    if stage.holders[seat].kind is not SeatKind.PERSON and not any(decisions):
        decisions = tuple(None if given is not None else step for given in commitments)
    return stage._replace(commitments=commitments, decisions=decisions)


def commit_set_closed(table: Table, commit_set: bytes) -> Table:
    """All four Reveals are open, or, at a `witnessed` table, wait for witnesses."""
    stage, step = table.stage, _whole_step(table)
    assert isinstance(stage, Ceremony)
    stage = stage._replace(commit_set=commit_set, closed=table.version)
    if table.rules.witnessed:
        return table._replace(stage=stage._replace(decisions=(None,) * 4, wait=step))
    return table._replace(stage=stage._replace(decisions=(step,) * 4))


def commit_set_witnessed(table: Table) -> Table:
    """Witnesses have seen the set: all four Reveals are open."""
    assert isinstance(table.stage, Ceremony)
    return table._replace(stage=table.stage._replace(decisions=(_whole_step(table),) * 4, wait=None))


def _whole_step(table: Table) -> Decision:
    """A step that opens with the last entry: one of a ceremony always has the whole time."""
    return Decision(table.version, table.time_ms, 1000 * table.rules.turn_seconds)


def ceremony_voided(table: Table, content: CeremonyVoided) -> Table:
    """What is missing is a miss, or a fault of its side, and the next attempt is due."""
    stage = table.stage
    assert isinstance(stage, Ceremony)
    faults, ending = table.faults, None
    for seat in content.seats:
        place = table.places[seat]
        no_sign = stage.purpose is Purpose.DRAW and not place.signed
        place = place._replace(absent=StandInCause.NO_SIGN) if no_sign else missed(place)
        if content.cause is VoidCause.NO_COMMITMENT:
            place = place._replace(held=True)
        table = with_place(table, seat, place)
    if content.cause is VoidCause.NO_NUMBER:
        named = {side_of(seat) for seat in content.seats}
        faults = (faults[0] + (0 in named), faults[1] + (1 in named))
        ending = _forfeit(faults)
    table = _settled(table)._replace(faults=faults)
    return table._replace(stage=Between(ending, stage.purpose, table.round, table.attempt + 1))


def _forfeit(faults: BySide) -> GameEnded | None:
    """How the game ends where a side has lost it by not revealing."""
    lost = [side for side in (0, 1) if faults[side] >= FAULTS_TO_FORFEIT]
    if not lost:
        return None
    winner: Side | None = None if len(lost) == 2 else 1 - lost[0]
    return GameEnded(GameEndCause.FORFEIT, winner)


def _settled(table: Table) -> Table:
    """The end of a ceremony, where who left is absent and who returned is back."""
    return table._replace(places=tuple(_settle(place) for place in table.places))


def _settle(place: Place) -> Place:
    place = in_control(place)
    if place.left and place.absent is None:
        return place._replace(absent=StandInCause.LEFT)
    return place


def ceremony_done(table: Table) -> Table:
    """The end of a ceremony that made what it was for: held seats go back to their players."""
    table = _settled(table)
    places = []
    for place in table.places:
        if place.held:
            place = place._replace(held=False, stand_in=place.stand_in if place.absent else None)
        places.append(place)
    return table._replace(places=tuple(places))
