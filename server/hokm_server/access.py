# SPDX-License-Identifier: Apache-2.0
"""Who may do what at a table. That the seat's key has signed a move is asked apart from this, and always."""

from __future__ import annotations

from hokm.errors import NotAnOperator, SeatNotYours
from hokm.events import Join, Move, SeatKind
from hokm.table import Place, Table, place_at
from hokm_server.auth import Viewer


def may_act(table: Table, viewer: Viewer, move: Move) -> None:
    """Whether the caller may bring this move.

    A person's comes from who has signed in with its key, a bot's from an operator. Raises
    `SeatNotYours`, `NotAnOperator`.
    """
    act = move.act
    if isinstance(act, Join):
        if act.kind is SeatKind.BOT and not viewer.is_operator:
            raise NotAnOperator
        if act.kind is SeatKind.PERSON and act.public_key != viewer.public_key:
            raise SeatNotYours(move.seat)
        return
    place = place_at(table, move.seat)
    if place is not None and not _is_of(place, viewer):
        raise SeatNotYours(move.seat)


def may_see(table: Table, viewer: Viewer, seat: int) -> None:
    """Whether the caller may be sent the cards of that seat. Raises `SeatNotYours`."""
    if not sees(table, viewer, seat):
        raise SeatNotYours(seat)


def may_throw(table: Table, viewer: Viewer, seat: int) -> None:
    """Whether the caller may throw things from that seat: as its player, not as a stand-in. Raises `SeatNotYours`."""
    place = place_at(table, seat)
    if place is not None and place.public_key == viewer.public_key:
        return
    if place is None or place.kind is not SeatKind.BOT or not viewer.is_operator:
        raise SeatNotYours(seat)


def sees(table: Table, viewer: Viewer, seat: int) -> bool:
    """Whether the cards of that seat are for the caller, as things stand now: a seat can change hands."""
    place = place_at(table, seat)
    return place is not None and _is_of(place, viewer)


def _is_of(place: Place, viewer: Viewer) -> bool:
    """The seat is the caller's own, or a bot or stand-in plays it and the caller is the operator."""
    if place.public_key == viewer.public_key:
        return True
    return viewer.is_operator and place.holder.kind is not SeatKind.PERSON
