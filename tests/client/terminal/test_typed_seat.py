# SPDX-License-Identifier: Apache-2.0
"""What is typed to sit elsewhere: where, in both languages, and what is refused before anything is given back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hokm.languages import Language
from hokm_client.terminal.slips import Slip, slip_sentence
from hokm_client.terminal.typed import read
from hokm_client.terminal.typed_seat import ChangeSeat
from hokm_client.terminal.view import Connection, View
from tests.client.terminal.screens import PLAYING, VIEWS

SEATING = VIEWS["seating"]
FROM_THREE = replace(SEATING, me=3, seats=(SEATING.seats[1], *SEATING.seats[1:3], SEATING.seats[0]))


@pytest.mark.parametrize(
    ("text", "view", "seat"),
    [
        *((text, SEATING, 1) for text in ("sit right", "move right", "Sit 1", "بنشین راست", "صندلی ۱")),
        *((text, SEATING, 3) for text in ("sit left", "seat 3", "بنشین چپ", "جای چپ", "صندلی ۳")),
        *((text, FROM_THREE, 1) for text in ("sit partner", "sit 1", "بنشین یارم")),
        ("seat right", FROM_THREE, 0),
    ],
)
def test_a_seat_by_its_place_or_number(text: str, view: View, seat: int) -> None:
    """Places are those seen from one's own seat, numbers are everybody's."""
    assert read(text, view) == ChangeSeat(seat)


@pytest.mark.parametrize(
    ("text", "view", "slip"),
    [
        *((text, SEATING, Slip("SIT_WHERE")) for text in ("sit", "sit down", "sit 4", "بنشین", "sit right 2")),
        *((text, SEATING, Slip("SEAT_IS_YOURS")) for text in ("sit 0", "sit me", "صندلی خودم")),
        *((text, SEATING, Slip("SEAT_NOT_FREE", {"seat": "2"})) for text in ("sit partner", "صندلی ۲")),
        ("sit right", replace(SEATING, connection=Connection.LOST), Slip("NOT_CONNECTED")),
        *(("sit right", view, Slip("SEATS_ARE_FIXED")) for view in (PLAYING, VIEWS["commit"], VIEWS["trumps"])),
    ],
)
def test_slips_about_seats(text: str, view: View, slip: Slip) -> None:
    """Each has a sentence in both languages."""
    assert read(text, view) == slip
    assert all(slip_sentence(slip, language) for language in Language)
