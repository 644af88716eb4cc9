# SPDX-License-Identifier: Apache-2.0
"""The RoundRevealed that the proof of a later round begins with: whether a table could have it, and go on.

The rounds before are not in such a proof, so score, hakem and what is carried are the house's word. It is a word about
this table: these seats, these rules, so many rounds. What no such table can have is refused here.
"""

from __future__ import annotations

from collections.abc import Iterator

from hokm.events import Carried, CarriedSeat, Event, RoundRevealed
from hokm.rules import (
    MISSES_TO_BE_ABSENT,
    SEATS,
    TRICKS_TO_WIN,
    TableRules,
    next_hakem,
    points,
    round_winner,
)
from hokm.table import Between, Place, Table
from hokm.table.state import FAULTS_TO_FORFEIT
from hokm.verify.codes import Code
from hokm.verify.report import refusal


def check_round_before(started: Table, event: Event, resumed: Table) -> None:
    """Hold the entry against the table as it started, and as it goes on. Raises `Refused`.

    Whose keys the stand-ins have is asked elsewhere.
    """
    content = event.content
    assert isinstance(content, RoundRevealed)
    assert isinstance(resumed.stage, Between)
    impossible = next(_impossible(started, event, content, resumed.round), None)
    if impossible is None and resumed.stage.ending is not None:
        impossible = "score and carried", f"the game ends here ({resumed.stage.ending.cause.name})"
    if impossible is not None:
        field, found = impossible
        raise refusal(Code.RESULT_IMPOSSIBLE, event.version, field=field, found=found)


def _impossible(started: Table, event: Event, content: RoundRevealed, round_: int) -> Iterator[tuple[str, object]]:
    """The fields that cannot be so, each with what it says."""
    yield from _result(content, started.rules)
    yield from _score(content, started.rules, round_)
    yield from _unturned(content, started.rules)
    carried = content.carried
    if max(carried.faults) >= FAULTS_TO_FORFEIT:
        yield "carried.faults", carried.faults
    for seat in SEATS:
        if (wrong := _wrong_in_seat(carried.seats[seat], started.places[seat], started.rules)) is not None:
            yield f"carried.seats[{seat}].{wrong}", getattr(carried.seats[seat], wrong)
    wanting = [seat for seat in SEATS if carried.seats[seat].absent and not carried.seats[seat].stand_in_key]
    if len(wanting) > 1:
        yield "carried.seats", f"no stand-in for seats {wanting}"
    moves = sum(seat.player_moves + seat.stand_in_moves for seat in carried.seats)
    if moves >= event.version:
        yield "carried moves", moves
    yield from _tea(started, event, carried)


def _result(content: RoundRevealed, rules: TableRules) -> Iterator[tuple[str, object]]:
    """A round after which the game goes on was won by seven tricks; every other one ends it (7.6)."""
    winner, tricks = content.winner, content.tricks
    if max(tricks) != TRICKS_TO_WIN or min(tricks) == TRICKS_TO_WIN:
        yield "tricks", tricks
    elif winner is None or winner != round_winner(tricks):
        yield "winner", winner
    elif content.next_hakem is None:
        yield "next_hakem", None
    else:
        hakems = [seat for seat in SEATS if next_hakem(seat, winner, rules.hakem_passes) == content.next_hakem]
        if not hakems:
            yield "next_hakem", content.next_hakem
        elif content.points not in [points(hakem, tricks) for hakem in hakems]:
            yield "points", content.points


def _score(content: RoundRevealed, rules: TableRules, round_: int) -> Iterator[tuple[str, object]]:
    """Each round until now gave one side 1 to 3 points, and neither has won."""
    before = list(content.score)
    if content.winner is not None:
        before[content.winner] -= content.points
    rounds = round_ - 1
    if min(before) < 0 or max(before) >= rules.target or not rounds <= sum(before) <= 3 * rounds:
        yield "score", content.score


def _unturned(content: RoundRevealed, rules: TableRules) -> Iterator[tuple[str, object]]:
    """Lays of the tricks that were played, in their order (H2)."""
    tricks = [lay.trick for lay in content.unturned]
    if tricks and not rules.coming_early:
        yield "unturned", f"{len(tricks)} lays"
    if tricks != sorted(tricks) or any(trick > sum(content.tricks) for trick in tricks):
        yield "unturned", f"tricks {tricks}"


def _wrong_in_seat(seat: CarriedSeat, started: Place, rules: TableRules) -> str | None:
    """The field of a seat that cannot be so.

    Whoever is absent before the last entry of a round is stood in for before the next; so without a stand-in a seat is
    absent only by the deadline that the last card missed.
    """
    is_missed = seat.missed == MISSES_TO_BE_ABSENT
    if seat.missed > MISSES_TO_BE_ABSENT:
        return "missed"
    if bool(seat.stand_in_key) != bool(seat.stand_in_moves):
        return "stand_in_moves"
    if seat.player_moves < started.signing.moves:
        return "player_moves"
    if seat.absent:
        if not seat.stand_in_key and (seat.left or not is_missed):
            return "stand_in_key"
    elif seat.left:
        return "left"
    elif seat.stand_in_key:
        return "stand_in_key"
    elif is_missed:
        return "missed"
    return "tea_asked" if seat.tea_asked and not rules.tea else None


def _tea(started: Table, event: Event, carried: Carried) -> Iterator[tuple[str, object]]:
    """A tea that waits was asked for in this game by who has no other ask, and is answered by the others (H4)."""
    tea = carried.tea
    if tea is None:
        return
    if not carried.seats[tea.seat].tea_asked:
        yield "carried.tea.seat", tea.seat
    if not started.version < tea.version < event.version:
        yield "carried.tea.version", tea.version
    if not started.time_ms <= tea.time_ms <= event.time_ms:
        yield "carried.tea.time_ms", tea.time_ms
    if tea.seat in tea.yes:
        yield "carried.tea.yes", tea.yes
