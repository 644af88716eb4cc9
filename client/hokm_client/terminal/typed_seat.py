# SPDX-License-Identifier: Apache-2.0
"""What a player typed to sit elsewhere before the game begins: where from here, or a seat by its number.

sit right  sit partner  sit left  sit 2
بنشین راست  صندلی یار  صندلی چپ  صندلی ۲
"""

from __future__ import annotations

from typing import Final, NamedTuple

from hokm.rules import SEATS, Seat
from hokm_client.terminal.slips import Slip
from hokm_client.terminal.spelling import plain
from hokm_client.terminal.typed_customs import PLACES
from hokm_client.terminal.view import Connection, Phase, Sitter, View


class ChangeSeat(NamedTuple):
    """The seat is to be given back for that one, which is free."""

    seat: Seat


def read_seat(phrase: str, view: View) -> ChangeSeat | Slip | None:
    """What a line in the one spelling means; None where it is about no seat."""
    first, _, where = phrase.partition(" ")
    if first not in _SIT:
        return None
    if view.phase is not Phase.SEATING:
        return Slip("SEATS_ARE_FIXED")
    if where in PLACES:
        seat = view.around()[PLACES[where]]
    elif where.isdecimal() and int(where) in SEATS:
        seat = int(where)
    else:
        return Slip("SIT_WHERE")
    if seat == view.me:
        return Slip("SEAT_IS_YOURS")
    if view.seats[seat].sitter is not Sitter.FREE:
        return Slip("SEAT_NOT_FREE", {"seat": str(seat)})
    return ChangeSeat(seat) if view.connection is Connection.UP else Slip("NOT_CONNECTED")


_SIT: Final = frozenset(map(plain, ("sit", "seat", "move", "بنشین", "صندلی", "جای")))
