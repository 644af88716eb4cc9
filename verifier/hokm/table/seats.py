# SPDX-License-Identifier: Apache-2.0
"""What becomes of a seat: counted moves and misses, who plays it, who takes it back."""

from __future__ import annotations

from typing import TypeVar

from hokm.events import CallMiddle, Commit, Join, Move, NameTrump, Play, Return, Reveal, Run, StandInCause, StoodIn
from hokm.rules import MISSES_TO_BE_ABSENT, Seat
from hokm.table.state import Place, Signing, StandIn, Table
from hokm.table.vouch import OF_THE_PLAYER

T = TypeVar("T")

ENDS_A_ROW = (Play, Run, Commit, Reveal, NameTrump, CallMiddle, Return)
"""Acts of the player that end its row of missed deadlines."""


def replaced(values: tuple[T, ...], seat: Seat, value: T) -> tuple[T, ...]:
    """The values by seat, with another one for that seat."""
    return (*values[:seat], value, *values[seat + 1 :])


def with_place(table: Table, seat: Seat, place: Place) -> Table:
    """The table with another place in that seat."""
    return table._replace(places=replaced(table.places, seat, place))


def counted(places: tuple[Place, ...], move: Move) -> tuple[Place, ...]:
    """The places after one more move of the key that signed it."""
    seat = move.seat
    place = places[seat]
    act = move.act
    stand_in = place.stand_in
    if stand_in is not None and not isinstance(act, OF_THE_PLAYER):
        signing = Signing(stand_in.signing.moves + 1, move.seen_version)
        place = place._replace(stand_in=StandIn(stand_in.public_key, signing))
    else:
        # Written out, like the table in `tricks`: a `_replace` takes twice the time, and this is done for every move.
        place = Place(
            place.kind,
            place.public_key,
            place.join_nonce,
            Signing(place.signing.moves + 1, move.seen_version),
            True,
            place.absent,
            place.left,
            place.back,
            place.held,
            stand_in,
            0 if isinstance(act, ENDS_A_ROW) else place.missed,
            place.returns,
            place.protests,
            place.resigned,
            place.tea_asked,
        )
    return (*places[:seat], place, *places[seat + 1 :])


def missed(place: Place) -> Place:
    """The place after one more missed deadline, which counts against its player only while no stand-in plays."""
    if place.stand_in is not None:
        return place
    row = place.missed + 1
    absent = StandInCause.MISSED if place.absent is None and row >= MISSES_TO_BE_ABSENT else place.absent
    return place._replace(missed=row, absent=absent)


def in_control(place: Place) -> Place:
    """The place with its player in control again, where the player has returned."""
    if not place.back:
        return place
    return place._replace(absent=None, back=False, stand_in=None)


def turn_ended(table: Table, seat: Seat) -> Table:
    """A returned player takes over once the decision is made that was the stand-in's."""
    return with_place(table, seat, in_control(table.places[seat]))


def stood_in(table: Table, content: StoodIn) -> Table:
    """A stand-in holds the seat."""
    place = table.places[content.seat]
    move = content.join.move
    assert isinstance(move.act, Join)
    key = move.act.public_key
    place = place._replace(stand_in=StandIn(key, Signing(1, move.seen_version)))
    if content.cause is StandInCause.AWAY:
        place = place._replace(absent=StandInCause.AWAY)
    return with_place(table, content.seat, place)._replace(spent_keys=table.spent_keys | {key})
