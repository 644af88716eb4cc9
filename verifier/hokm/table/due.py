# SPDX-License-Identifier: Apache-2.0
"""What the house must add next: rulings follow from the entries before them.

`due` names the ruling that is the next entry whatever the time is; no move is taken before it. `overdue` names what a
deadline that has passed brings. With what content, is for `ruling` to say.
"""

from __future__ import annotations

from typing import TypeAlias

from hokm.deal import Purpose
from hokm.events import (
    CeremonyOpened,
    CeremonyVoided,
    CommitSetClosed,
    Dealt,
    EarlyTurned,
    GameEnded,
    GameStarted,
    HakemDrawn,
    MiddleTurned,
    Reopened,
    RoundRevealed,
    Ruling,
    SeatKind,
    ServerFault,
    ServerFaultCause,
    StandInCause,
    StoodIn,
    TeaBegan,
    TeaEnded,
    TimedOut,
)
from hokm.rules import Seat
from hokm.table import tea
from hokm.table.present import all_persons_left
from hokm.table.state import (
    MOST_SEATING_MOVES,
    MOST_SEATING_MS,
    Between,
    Ceremony,
    Extra,
    Round,
    Seating,
    Table,
    to_act,
    to_answer,
)

RulingKind: TypeAlias = type[Ruling]


def due(table: Table, time_ms: int) -> RulingKind | None:
    """The ruling that must be the next entry at that time; None where a move or a deadline is next.

    Time matters to tea alone. At the time of the last entry it is what is due without a deadline. Asks nothing of the
    table and raises nothing.
    """
    stage = table.stage
    if type(stage) is Round:
        if stage.extra is not None and (kind := _due_by_extra(stage, stage.extra)) is not None:
            return kind
        if table.tea is not None and tea.ends(table, time_ms):
            return TeaEnded
        if stage.decision is None:
            return RoundRevealed
        if _seat_without_player(table) is not None:
            return StoodIn
        return TeaBegan if table.tea is not None and tea.begins(table, time_ms) else None
    if type(stage) is Ceremony:
        if stage.commit_set is None and None not in stage.commitments:
            return CommitSetClosed
        if all(stage.revealed):
            return HakemDrawn if stage.purpose is Purpose.DRAW else Dealt
        return GameEnded if all_persons_left(table) else None
    if type(stage) is Between:
        return _due_between(table, stage, time_ms)
    if type(stage) is Seating:
        if None not in stage.places:
            return GameStarted
        return GameEnded if stage.moves >= MOST_SEATING_MOVES else None
    return None


def _due_by_extra(round_: Round, extra: Extra) -> RulingKind | None:
    if extra.called:
        return MiddleTurned
    if round_.decision is not None and extra.lays[round_.turn] is not None:
        return EarlyTurned
    return None


def _due_between(table: Table, stage: Between, time_ms: int) -> RulingKind | None:
    if tea.ends(table, time_ms):
        return TeaEnded
    if stage.ending is not None:
        return GameEnded
    if _seat_without_player(table) is not None:
        return StoodIn
    if table.is_pausing:
        return None
    return TeaBegan if tea.begins(table, time_ms) else CeremonyOpened


def overdue(table: Table, time_ms: int) -> RulingKind | None:
    """The ruling that a deadline at or before that time brings, where nothing is `due`."""
    stage = table.stage
    if type(stage) is Between or table.is_pausing:
        return None
    deadline = _deadline_ms(table)
    if deadline is None or time_ms < deadline:
        return None
    if type(stage) is Round:
        return TimedOut
    if type(stage) is Ceremony:
        return ServerFault if fault_of_house(stage) is not None else CeremonyVoided
    return GameEnded


def expires_ms(table: Table) -> int | None:
    """The first time at which time alone brings something: what is `overdue`, or tea."""
    if table.tea is None:
        return _deadline_ms(table)
    times = [tea.turns_ms(table), None if table.is_pausing else _deadline_ms(table)]
    return min((time for time in times if time is not None), default=None)


def brought_by_time(table: Table) -> RulingKind | None:
    """What comes at `expires_ms`."""
    expiry = expires_ms(table)
    return None if expiry is None else due(table, expiry) or overdue(table, expiry)


def _deadline_ms(table: Table) -> int | None:
    """The deadline of what is open. A ceremony waits until every open step has ended."""
    stage = table.stage
    if type(stage) is Round:
        return None if stage.decision is None else stage.decision.deadline_ms
    if type(stage) is Ceremony:
        open_ = (*stage.decisions, stage.wait)
        return max((decision.deadline_ms for decision in open_ if decision is not None), default=None)
    return stage.opened_ms + MOST_SEATING_MS if type(stage) is Seating else None


def stand_in_wanted(table: Table) -> tuple[Seat, StandInCause] | None:
    """The seat for which a StoodIn is due and why, where that is what is due."""
    seat = _seat_without_player(table)
    if seat is None or due(table, table.time_ms) is not StoodIn:
        return None
    cause = table.places[seat].wants_stand_in
    assert cause is not None
    return seat, cause


def reopening(table: Table, time_ms: int) -> Reopened | None:
    """What lets all begin anew that has run out by that time and has not begun anew before; None where nothing has.

    It names the seats whose decisions these are. The wait for witnesses is no seat's: it begins anew with them, or
    where none is named.
    """
    seats = {seat for seat, decision in to_act(table) if decision.may_begin_anew(time_ms)}
    if ask_may_begin_anew(table, time_ms):
        seats.update(to_answer(table))
    return Reopened(tuple(sorted(seats))) if seats or wait_may_begin_anew(table, time_ms) else None


def wait_may_begin_anew(table: Table, time_ms: int) -> bool:
    """Whether the wait for witnesses has run out by that time, and has not begun anew before."""
    wait = table.stage.wait if type(table.stage) is Ceremony else None
    return wait is not None and wait.may_begin_anew(time_ms)


def ask_may_begin_anew(table: Table, time_ms: int) -> bool:
    """Whether the time to answer an ask for tea has run out since the last entry, and has not begun anew before."""
    tea_ = table.tea
    return tea_ is not None and not tea_.is_granted(table.time_ms) and tea_.ask.may_begin_anew(time_ms)


def _seat_without_player(table: Table) -> Seat | None:
    for seat, place in enumerate(table.places):
        # What `wants_stand_in` would say, without asking it: this is looked at for every entry.
        if place.stand_in is None and (place.absent is not None or place.held):
            return seat
    return None


def fault_of_house(ceremony: Ceremony) -> ServerFaultCause | None:
    """The fault, where a step is missing that the house's own programs owe, or the witnesses that it owes."""
    if ceremony.wait is not None:
        return ServerFaultCause.NO_WITNESS
    kinds = {ceremony.holders[seat].kind for seat in ceremony.missing}
    if ceremony.commit_set is None:
        return ServerFaultCause.NO_COMMITMENT if SeatKind.STAND_IN in kinds else None
    return ServerFaultCause.NO_NUMBER if kinds & {SeatKind.BOT, SeatKind.STAND_IN} else None
