# SPDX-License-Identifier: Apache-2.0
"""Who is at a table: the places in its seats, whatever its stage, and which of the persons are still there."""

from __future__ import annotations

from hokm.events import SeatKind
from hokm.rules import SEATS, Seat
from hokm.table.state import Place, Seating, Table


def places_at(table: Table) -> tuple[Place | None, ...]:
    """The places by seat, None where a seat is free; none at all at a table that was abandoned before its start."""
    stage = table.stage
    return stage.places if isinstance(stage, Seating) else table.places


def place_at(table: Table, seat: Seat) -> Place | None:
    """The place in that seat, where there is somebody."""
    places = places_at(table)
    return places[seat] if places else None


def seated(table: Table) -> tuple[Place, ...]:
    """The places that are taken: all four once the game has started."""
    return tuple(place for place in places_at(table) if place is not None)


def is_free(table: Table, seat: Seat) -> bool:
    """Whether somebody may still take that seat."""
    return isinstance(table.stage, Seating) and table.stage.places[seat] is None


def first_free(table: Table) -> Seat | None:
    """The lowest seat that may still be taken."""
    return next((seat for seat in SEATS if is_free(table, seat)), None)


def seat_of(table: Table, public_key: bytes) -> Seat | None:
    """The seat that this key has, as its player's or as a stand-in's."""
    for seat, place in enumerate(places_at(table)):
        if place is not None and public_key in (place.public_key, place.holder.public_key):
            return seat
    return None


def at_tea(table: Table) -> tuple[Seat, ...]:
    """The seats of the persons who are at the table, which tea waits for."""
    return tuple(
        seat
        for seat, place in enumerate(table.places)
        if place.kind is SeatKind.PERSON and place.absent is None and place.stand_in is None
    )


def all_persons_left(table: Table) -> bool:
    """Every person's last word is Leave. Never where there are only bots."""
    there_are = False
    for place in table.places:
        if place.kind is SeatKind.PERSON:
            if not place.left:
                return False
            there_are = True
    return there_are


def all_persons_absent(table: Table) -> bool:
    """A stand-in plays, or shall, for every person. Never where there are only bots."""
    persons = [place for place in table.places if place.kind is SeatKind.PERSON]
    return bool(persons) and all(place.absent is not None for place in persons)


def resigned_side(table: Table) -> int | None:
    """The side of which every person has resigned in this round; a side of bots never has."""
    for side in (0, 1):
        persons = [place for place in table.places[side::2] if place.kind is SeatKind.PERSON]
        if persons and all(place.resigned for place in persons):
            return side
    return None
