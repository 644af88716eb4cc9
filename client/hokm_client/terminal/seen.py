# SPDX-License-Identifier: Apache-2.0
"""What a seat has seen, turned into what its screen shows: a table and the seat's own cards become a `View`.

`Seen` holds the table as everybody knows it, and beside it only what the table forgets: how the last round went, and
what this client knows of the deal. `seeing` adds one checked entry, `view_of` makes the picture; both are pure, and an
old `Seen` is an old picture that can still be shown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from hokm.cards import Card, Hand
from hokm.deal import draw
from hokm.events import (
    Dealt,
    Event,
    GameEndCause,
    GameEnded,
    HakemDrawn,
    MiddleTurned,
    RoundRevealed,
    SeatKind,
    ServerFault,
    TeaBegan,
)
from hokm.rules import Seat, Turned, first_hakem, partner_of
from hokm.table import Between, Ceremony, Over, Place, Round, Seating, Table, may_play, places_at, to_act
from hokm.table.present import at_tea
from hokm.table.state import Extra, to_answer
from hokm_client.terminal.view import (
    BySeat,
    Connection,
    Deal,
    Ending,
    Phase,
    Seated,
    Sitter,
    Step,
    Tea,
    TeaStep,
    Trick,
    View,
)

Four = tuple[Seated, Seated, Seated, Seated]


@dataclass(frozen=True, slots=True)
class Seen:
    """One seat's memory of a table."""

    me: Seat
    key: bytes
    """The player's public key."""
    table: Table | None = None
    """None before the first entry."""
    deal: Deal = Deal.NONE
    played: Round | None = None
    """The last round that is over, as it stood at its end."""
    result: RoundRevealed | None = None
    """How that ended."""
    shown: BySeat = (0, 0, 0, 0)
    """By seat, cards of this round that all have seen in its hand, also those that it has played since (H1, H3)."""
    teas: int = 0
    """How many have begun."""


def seeing(seen: Seen, event: Event, after: Table) -> Seen:
    """What is seen after one more entry; `after` is the table with it. The stream has checked both."""
    before = seen.table
    seen = replace(seen, shown=_shown(seen, event, after))
    match event.content:
        case TeaBegan():
            return replace(seen, table=after, teas=seen.teas + 1)
        case Dealt():
            assert isinstance(after.stage, Round)
            own = after.stage.ceremony.holders[seen.me].public_key == seen.key
            return replace(seen, table=after, deal=Deal.BOUND if own else Deal.UNCHECKED)
        case RoundRevealed() as result:
            assert before is not None
            assert isinstance(before.stage, Round)
            return replace(seen, table=after, deal=Deal.PROVED, played=before.stage, result=result)
        case _:
            return replace(seen, table=after)


def view_of(seen: Seen, dealt: Hand, now_ms: int, laid: Card | None = None) -> View:
    """The picture at that time of the house's clock.

    `dealt` are the seat's cards as far as they have come: five before trumps are named, then thirteen, whatever has
    been played of them since. `laid` is the card that it has laid face down, where one lies there.
    """
    table = seen.table
    if table is None:
        return View(seen.me, connection=Connection.CONNECTING)
    view = View(
        seen.me,
        seats=_seats(table),
        awaited=tuple(seat for seat, _ in to_act(table)),
        seconds_left=_seconds_left(table, now_ms),
        round=table.round,
        rules=table.rules,
        hakem=table.hakem,
        score=table.score,
        deal=seen.deal,
        tea=_tea(table, now_ms),
    )
    match table.stage:
        case Seating():
            return view
        case Ceremony() as ceremony:
            return replace(view, phase=Phase.CEREMONY, step=_step(ceremony))
        case Round() as round_:
            return _with_round(view, round_, seen, dealt, laid)
        case Between():
            between = replace(view, phase=Phase.CEREMONY)
            return _round_over(between, seen) if _is_just_over(table, seen) else between
        case Over(ending=ending):
            return _game_over(view, seen, ending)


def resting(view: View, round_: Round, trick: int) -> View:
    """The same picture with that trick of the round, from 0, still on the table: it is the last one too."""
    return replace(view, trick=_trick(round_, trick), last=_trick(round_, trick))


def turned_up(before: Table, drawn: HakemDrawn) -> Turned:
    """The cards that were turned up for the first hakem, each with its seat; `before` is the table without the draw."""
    ceremony = before.stage
    assert isinstance(ceremony, Ceremony)
    assert ceremony.commit_set is not None
    start, pack = draw(ceremony.commit_set, drawn.numbers)
    return first_hakem(before.rules.first_hakem, pack, start)[1]


# What the table does not say by itself.


def _shown(seen: Seen, event: Event, after: Table) -> BySeat:
    """The cards that all have seen, each in its hand: of the middle and of what goes back from a run."""
    stage = after.stage
    if isinstance(event.content, Dealt) or not isinstance(stage, Round) or stage.extra is None:
        return 0, 0, 0, 0
    new = stage.extra.seen & ~sum(seen.shown)
    if not new:
        return seen.shown
    assert seen.table is not None
    assert isinstance(seen.table.stage, Round)
    is_middle = isinstance(event.content, MiddleTurned)
    holder = partner_of(stage.hakem) if is_middle else seen.table.stage.leader
    first, second, third, fourth = (cards | new * (seat == holder) for seat, cards in enumerate(seen.shown))
    return first, second, third, fourth


# The seats, and what is waited for.


def _seats(table: Table) -> Four:
    first, second, third, fourth = (_seated(place) for place in places_at(table))
    return first, second, third, fourth


_SITTERS: Final = {
    SeatKind.PERSON: Sitter.PERSON,
    SeatKind.BOT: Sitter.BOT,
    SeatKind.STAND_IN: Sitter.STAND_IN,
}


def _seated(place: Place | None) -> Seated:
    if place is None:
        return Seated()
    if place.absent is not None:
        return Seated(Sitter.STAND_IN, absent=True)
    return Seated(_SITTERS[place.holder.kind])


def _seconds_left(table: Table, now_ms: int) -> int | None:
    deadlines = [decision.deadline_ms for _, decision in to_act(table)]
    if isinstance(table.stage, Ceremony) and table.stage.wait is not None:
        deadlines.append(table.stage.wait.deadline_ms)
    return _seconds(min(deadlines), now_ms) if deadlines else None


def _seconds(deadline_ms: int, now_ms: int) -> int:
    """Whole seconds until then, the one that has begun among them."""
    return max(0, -(-(deadline_ms - now_ms) // 1000))


def _tea(table: Table, now_ms: int) -> Tea | None:
    tea = table.tea
    if tea is None:
        return None
    if tea.pause is not None:
        awaited = tuple(seat for seat in at_tea(table) if seat not in tea.ready)
        left = _seconds(tea.pause.deadline_ms, now_ms)
        return Tea(tea.seat, TeaStep.DRUNK, tuple(sorted(tea.ready)), awaited, left)
    if tea.is_granted(now_ms):
        return Tea(tea.seat, TeaStep.GRANTED, tea.yes)
    return Tea(tea.seat, TeaStep.ASKED, tea.yes, to_answer(table), _seconds(tea.ask.deadline_ms, now_ms))


def _step(ceremony: Ceremony) -> Step:
    if ceremony.commit_set is None:
        return Step.COMMIT
    if ceremony.wait is not None:
        return Step.WITNESS
    return Step.REVEAL if any(ceremony.decisions) else Step.DEAL


# A round, and what is over.


def _with_round(view: View, round_: Round, seen: Seen, dealt: Hand, laid: Card | None) -> View:
    assert seen.table is not None
    holds = seen.table.places[seen.me].holder.public_key == seen.key
    legal = may_play(round_, dealt) if holds and round_.trump is not None and view.awaited == (view.me,) else 0
    shown = replace(
        view,
        phase=Phase.TRUMPS if round_.trump is None else Phase.TRICKS,
        hakem=round_.hakem,
        trump=round_.trump,
        hand=dealt & ~round_.played,
        legal=legal,
        trick=Trick(round_.leader, round_.trick) if round_.trick else None,
        tricks=round_.tricks,
        played=round_.played,
    )
    if round_.extra is not None:
        shown = _with_extra(shown, round_.extra, seen, laid)
    return replace(shown, last=_trick(round_, len(round_.history) - 1)) if round_.history else shown


def _with_extra(view: View, extra: Extra, seen: Seen, laid: Card | None) -> View:
    """What the house rules H1 to H3 put on the table, and what they have shown of the hands."""
    first, second, third, fourth = (cards & ~view.played for cards in seen.shown)
    face_down = tuple(seat for seat, lay in enumerate(extra.lays) if lay is not None)
    return replace(
        view,
        middle=extra.middle,
        face_down=face_down,
        laid=laid if view.me in face_down else None,
        run=extra.run,
        seen=(first, second, third, fourth),
    )


def _trick(round_: Round, number: int) -> Trick:
    trick = round_.history[number]
    return Trick(trick.leader, trick.cards)


def _is_just_over(table: Table, seen: Seen) -> bool:
    """Whether nothing has come since the end of a round."""
    stage = table.stage
    assert isinstance(stage, Between)
    return seen.result is not None and stage.attempt == 0 and stage.round == table.round + 1


def _round_over(view: View, seen: Seen) -> View:
    played, result = seen.played, seen.result
    assert played is not None
    assert result is not None
    over = replace(
        view,
        phase=Phase.ROUND_OVER,
        awaited=(),
        seconds_left=None,
        hakem=played.hakem,
        trump=played.trump,
        tricks=result.tricks,
        winner=result.winner,
        points=result.points,
    )
    return resting(over, played, len(played.history) - 1) if played.history else over


_ENDINGS: Final = {
    GameEndCause.TARGET: Ending.TARGET,
    GameEndCause.FORFEIT: Ending.FORFEIT,
    GameEndCause.RESIGNED: Ending.RESIGNED,
    GameEndCause.ABANDONED: Ending.ABANDONED,
}


def _game_over(view: View, seen: Seen, ending: GameEnded | ServerFault) -> View:
    if isinstance(ending, ServerFault):
        return replace(view, phase=Phase.GAME_OVER, ending=Ending.FAULT)
    with_a_round = seen.result is not None and ending.cause is not GameEndCause.FORFEIT
    over = _round_over(view, seen) if with_a_round else view
    return replace(over, phase=Phase.GAME_OVER, winner=ending.winner, ending=_ENDINGS[ending.cause])
