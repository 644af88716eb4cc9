# SPDX-License-Identifier: Apache-2.0
"""Tea (H4): asked for once by each player, refused by one no, and drunk between two tricks while every clock stands."""

from __future__ import annotations

from hokm.errors import (
    AlreadyAnswered,
    AlreadyReady,
    NoTeaAsked,
    StandInsTakeNoTea,
    TeaNotServed,
    TeaSpent,
    TeaWaiting,
    WrongPhase,
)
from hokm.rules import TEA_ANSWER_MS, TEA_MS, Seat
from hokm.table.present import at_tea
from hokm.table.seats import with_place
from hokm.table.state import Between, Decision, Place, Round, Seating, Table, Tea, check_in_time, phase
from hokm.table.tricks import run_goes_on

# What may be done.


def decide_ask(table: Table, seat: Seat) -> None:
    """Each player once, and one tea at a time."""
    place = _player(table, seat)
    if table.tea is not None:
        raise TeaWaiting
    if place.tea_asked:
        raise TeaSpent(seat)


def decide_answer(table: Table, seat: Seat, time_ms: int) -> None:
    """The other players, within their time."""
    _player(table, seat)
    tea = table.tea
    if tea is None or tea.seat == seat:
        raise NoTeaAsked(seat)
    if seat in tea.yes:
        raise AlreadyAnswered(seat)
    check_in_time(tea.ask, time_ms)


def decide_ready(table: Table, seat: Seat) -> None:
    """Each once, while tea is drunk."""
    _player(table, seat)
    tea = table.tea
    if tea is None or tea.pause is None:
        raise TeaNotServed
    if seat in tea.ready:
        raise AlreadyReady(seat)


def _player(table: Table, seat: Seat) -> Place:
    """The place, where its player and no stand-in holds it."""
    if isinstance(table.stage, Seating):
        raise WrongPhase(phase(table))
    place = table.places[seat]
    if place.stand_in is not None:
        raise StandInsTakeNoTea(seat)
    return place


# What is due.


def begins(table: Table, time_ms: int) -> bool:
    """Whether tea that is granted at that time begins: no ceremony runs and no trick is on the table."""
    tea, stage = table.tea, table.stage
    if tea is None or tea.pause is not None or not tea.is_granted(time_ms):
        return False
    return isinstance(stage, Between) or (isinstance(stage, Round) and not stage.trick)


def ends(table: Table, time_ms: int) -> bool:
    """Whether tea is over at that time: every person at the table is ready, or it has lasted long enough."""
    tea = table.tea
    if tea is None or tea.pause is None:
        return False
    return time_ms >= tea.pause.deadline_ms or tea.ready.issuperset(at_tea(table))


def turns_ms(table: Table) -> int | None:
    """The time at which tea begins or ends by itself, where only the time is wanting."""
    tea = table.tea
    if tea is None:
        return None
    if tea.pause is not None:
        return tea.pause.deadline_ms
    return tea.ask.deadline_ms if begins(table, tea.ask.deadline_ms) else None


# What comes of it.


def asked(table: Table, seat: Seat) -> Table:
    """The seat's one ask is spent, and the others may say no."""
    table = with_place(table, seat, table.places[seat]._replace(tea_asked=True))
    return table._replace(tea=Tea(seat, Decision(table.version, table.time_ms, TEA_ANSWER_MS)))


def answered(table: Table, seat: Seat, yes: bool) -> Table:
    """One no ends it."""
    tea = table.tea
    assert tea is not None
    return table._replace(tea=tea._replace(yes=tuple(sorted((*tea.yes, seat)))) if yes else None)


def began(table: Table) -> Table:
    """The game pauses."""
    tea = table.tea
    assert tea is not None
    return table._replace(tea=tea._replace(pause=Decision(table.version, table.time_ms, TEA_MS)))


def is_ready(table: Table, seat: Seat) -> Table:
    """One more waits for the game to go on."""
    tea = table.tea
    assert tea is not None
    return table._replace(tea=tea._replace(ready=tea.ready | {seat}))


def ended(table: Table) -> Table:
    """The game goes on: what is open has the time that it had left, and a run leads its next card."""
    tea, stage = table.tea, table.stage
    assert tea is not None
    assert tea.pause is not None
    table = table._replace(tea=None)
    if not isinstance(stage, Round) or stage.decision is None:
        return table
    decision = stage.decision
    since_ms = decision.since_ms + table.time_ms - tea.pause.since_ms
    table = table._replace(stage=stage._replace(decision=decision._replace(since_ms=since_ms)))
    return run_goes_on(table) if stage.extra is not None and stage.extra.run else table
