# SPDX-License-Identifier: Apache-2.0
"""Forged proofs of a later round: the RoundRevealed that they begin with says what no table could have.

Nothing before it is in the proof but the opening, and all that follows is made to fit it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from hokm.events import CarriedSeat, Ready, RoundRevealed, UnturnedLay, WaitingTea
from hokm.verify import Code
from tests.simulation.forge import Forgery
from tests.simulation.stories import story
from tests.verifier.forging import Forged, forged, forged_each

Tell = Callable[[RoundRevealed], RoundRevealed]


def told_before(tell: Tell, name: str = "plain", field: str | None = None) -> Forged:
    """The proof of round 2 in which the entry that it begins with says something else."""
    forgery = Forgery(story(name))
    place = forgery.find(RoundRevealed)
    content = forgery.drafts[place].content
    assert isinstance(content, RoundRevealed)
    forgery.drafts[place].content = tell(content)
    return Forged(forgery.round_proof(2), forgery.game.house.policy, place, field=field)


def in_seat(seat: int, change: Callable[[CarriedSeat], CarriedSeat]) -> Tell:
    """The same entry, in which something else is carried of one seat."""

    def tell(content: RoundRevealed) -> RoundRevealed:
        seats = [*content.carried.seats]
        seats[seat] = change(seats[seat])
        return content._replace(carried=content.carried._replace(seats=tuple(seats)))

    return tell


# What the entry says by itself.

IMPOSSIBLE: dict[str, tuple[str, Tell]] = {
    "a winner without seven tricks": ("winner", lambda it: it._replace(winner=0)),
    "nobody has won": ("tricks", lambda it: it._replace(winner=None, tricks=(3, 3), points=0, next_hakem=None)),
    "more tricks than there are": ("tricks", lambda it: it._replace(tricks=(13, 13))),
    "seven tricks of both": ("tricks", lambda it: it._replace(tricks=(7, 7))),
    "points of a kot that was none": ("points", lambda it: it._replace(points=3, score=(0, 3))),
    "no next hakem": ("next_hakem", lambda it: it._replace(next_hakem=None)),
    "a next hakem of the losers": ("next_hakem", lambda it: it._replace(next_hakem=0)),
    "more points than the score": ("score", lambda it: it._replace(score=(1, 0))),
    "points of rounds that there were not": ("score", lambda it: it._replace(score=(1, 1))),
    "a side that had won before": ("score", lambda it: it._replace(score=(9, 1))),
    "lays at a table without them": ("unturned", lambda it: it._replace(unturned=(UnturnedLay(0, 1, 0, bytes(32)),))),
    "two faults of a side": ("carried.faults", lambda it: it._replace(carried=it.carried._replace(faults=(2, 0)))),
    "three deadlines missed": ("carried.seats[0].missed", in_seat(0, lambda seat: seat._replace(missed=3))),
    "two missed, and there": ("carried.seats[1].missed", in_seat(1, lambda seat: seat._replace(missed=2))),
    "left, and there": ("carried.seats[2].left", in_seat(2, lambda seat: seat._replace(left=True))),
    "away, and nobody stands in": (
        "carried.seats[3].stand_in_key",
        in_seat(3, lambda seat: seat._replace(absent=True)),
    ),
    "stood in for, and there": (
        "carried.seats[0].stand_in_key",
        in_seat(0, lambda seat: seat._replace(stand_in_key=bytes(32), stand_in_moves=1)),
    ),
    "a stand-in without a move": (
        "carried.seats[0].stand_in_moves",
        in_seat(0, lambda seat: seat._replace(absent=True, stand_in_key=bytes(32))),
    ),
    "moves of no stand-in": (
        "carried.seats[0].stand_in_moves",
        in_seat(0, lambda seat: seat._replace(stand_in_moves=1)),
    ),
    "a player who never joined": (
        "carried.seats[0].player_moves",
        in_seat(0, lambda seat: seat._replace(player_moves=0)),
    ),
    "two wait for a stand-in": (
        "carried.seats",
        lambda it: it._replace(
            carried=it.carried._replace(
                seats=tuple(
                    seat._replace(absent=place < 2, missed=2 * (place < 2))
                    for place, seat in enumerate(it.carried.seats)
                )
            )
        ),
    ),
    "more moves than entries": ("carried moves", in_seat(0, lambda seat: seat._replace(player_moves=9999))),
    "tea at a table without it": ("carried.seats[0].tea_asked", in_seat(0, lambda seat: seat._replace(tea_asked=True))),
    "tea that nobody asked for": (
        "carried.tea.seat",
        lambda it: it._replace(carried=it.carried._replace(tea=WaitingTea(0, 20, 0, ()))),
    ),
}


forged_each(
    11,
    Code.RESULT_IMPOSSIBLE,
    {name: partial(told_before, tell, field=field) for name, (field, tell) in IMPOSSIBLE.items()},
)


@forged(11, Code.RESULT_IMPOSSIBLE)
def a_round_that_is_called_another_one() -> Forged:
    """The score is of more rounds than it says; the contexts of the round are its own."""
    game = story("plain")
    proof = replace(game.round_proof(3), round=2)
    return Forged(proof, game.house.policy, game.versions(RoundRevealed)[1])


@forged(11, Code.RESULT_IMPOSSIBLE)
def a_round_after_all_persons_were_absent() -> Forged:
    def tell(content: RoundRevealed) -> RoundRevealed:
        seats = tuple(
            seat._replace(absent=True, stand_in_key=bytes([place]) * 32, stand_in_moves=1)
            for place, seat in enumerate(content.carried.seats, 1)
        )
        return content._replace(carried=content.carried._replace(seats=seats))

    return told_before(tell)


# A tea that waits (H4).


def with_tea(change: Callable[[WaitingTea], WaitingTea]) -> Tell:
    """The same entry, in which something else is said of the tea that waits."""

    def tell(content: RoundRevealed) -> RoundRevealed:
        assert content.carried.tea is not None
        return content._replace(carried=content.carried._replace(tea=change(content.carried.tea)))

    return tell


IMPOSSIBLE_TEA: dict[str, tuple[str, Tell]] = {
    "asked by who has not": ("carried.tea.seat", with_tea(lambda tea: tea._replace(seat=2))),
    "asked before the start": ("carried.tea.version", with_tea(lambda tea: tea._replace(version=5))),
    "asked after the round": ("carried.tea.version", with_tea(lambda tea: tea._replace(version=84))),
    "asked later than now": ("carried.tea.time_ms", with_tea(lambda tea: tea._replace(time_ms=2**63))),
    "answered by who asked": ("carried.tea.yes", with_tea(lambda tea: tea._replace(yes=(tea.seat,)))),
}


forged_each(
    11,
    Code.RESULT_IMPOSSIBLE,
    {name: partial(told_before, tell, "lively", field) for name, (field, tell) in IMPOSSIBLE_TEA.items()},
)


# Whose keys the stand-ins have. In this story one holds seat 3 from the draw on.


def stood_in_by(public_key: bytes) -> Forged:
    return told_before(in_seat(3, lambda seat: seat._replace(stand_in_key=public_key)), "silent_person")


@forged(6, "KEY_NOT_NEW")
def a_stand_in_before_with_the_event_key() -> Forged:
    return stood_in_by(story("silent_person").event_key.public)


@forged(6, "KEY_NOT_NEW")
def a_stand_in_before_with_the_key_that_it_stands_in_for() -> Forged:
    return stood_in_by(story("silent_person").players[3].key.public)


@forged(6, "KEY_NOT_NEW")
def one_stand_in_before_in_two_seats() -> Forged:
    def tell(content: RoundRevealed) -> RoundRevealed:
        seats = content.carried.seats
        return content._replace(carried=content.carried._replace(seats=(*seats[:2], seats[3], seats[3])))

    return told_before(tell, "silent_person")


@forged(6, "SHARED_KEY")
def a_stand_in_before_with_the_log_key() -> Forged:
    return stood_in_by(story("silent_person").house.log_key.public)


# In how many attempts the round before was dealt is not told: it was in one number of them.


@forged(6, "WRONG_CONTEXT")
def different_attempts_of_the_round_before() -> Forged:
    """Four are ready between the rounds; the second says another attempt than the first."""
    game = story("tea_between")
    forgery = Forgery(game)
    place = forgery.find(Ready, 1)
    forgery.drafts[place].edit(attempt=7)
    return Forged(forgery.round_proof(2), game.house.policy, place)
