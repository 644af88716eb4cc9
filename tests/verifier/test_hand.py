# SPDX-License-Identifier: Apache-2.0
"""Hand notes: both ways the same, strict, and signed by the event key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hokm.deal import Context, Purpose
from hokm.entry import parse_entry, sign_event
from hokm.errors import Malformed, TooLong
from hokm.hand import MOST_HAND_BYTES, HandNote, hand_signed_by, read_hand, sign_hand, write_hand
from hokm.signing import SigningKey
from hokm.v1 import hand_pb2
from tests import wire_values

HASH = bytes(range(32))
CTX = Context(HASH, Purpose.DEAL, 1, 0).to_bytes()
DRAW = Context(HASH, Purpose.DRAW, 0, 0).to_bytes()
KEY = SigningKey(bytes(range(32)))
OTHER = SigningKey(bytes(32))


@given(wire_values.hand_notes())
def test_a_note_is_read_as_it_was_written(note: HandNote) -> None:
    """Values and bytes come back."""
    body = write_hand(note)
    assert read_hand(body) == note
    assert write_hand(read_hand(body)) == body


def test_the_longest_note_fits() -> None:
    """All fields at their longest are below the limit."""
    note = HandNote(CTX, 3, 2, (51, 50, 49, 48, 47), 2**64 - 1, HASH)
    assert read_hand(write_hand(note)) == note
    with pytest.raises(TooLong):
        read_hand(bytes(MOST_HAND_BYTES + 1))


BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"ctx": CTX[:40]}, "WRONG_LENGTH", "ctx"),
    ({"ctx": DRAW}, "OUT_OF_RANGE", "purpose"),
    ({"seat": 4}, "OUT_OF_RANGE", "seat"),
    ({"packet": 0}, "OUT_OF_RANGE", "packet"),
    ({"packet": 4}, "OUT_OF_RANGE", "packet"),
    ({"cards": (1, 2, 3, 4)}, "OUT_OF_RANGE", "count of cards"),
    ({"cards": ()}, "OUT_OF_RANGE", "count of cards"),
    ({"packet": 2, "cards": (1, 2, 3)}, "OUT_OF_RANGE", "count of cards"),
    ({"packet": 3, "cards": (1, 2, 3, 4, 5)}, "OUT_OF_RANGE", "count of cards"),
    ({"cards": (1, 2, 3, 4, 52)}, "OUT_OF_RANGE", "cards[4]"),
    ({"cards": (1, 2, 3, 4, 1)}, "CARD_TWICE", "3S"),
    ({"leaf": HASH[:31]}, "WRONG_LENGTH", "leaf"),
]


@pytest.mark.parametrize(("change", "reason", "fact"), BAD)
def test_a_malformed_note_is_refused(change: dict[str, Any], reason: str, fact: str) -> None:
    """One field is wrong, and the error names it."""
    good: dict[str, Any] = {"ctx": CTX, "seat": 3, "packet": 1, "cards": (1, 2, 3, 4, 5), "version": 9, "leaf": HASH}
    read_hand(hand_pb2.HandNote(**good).SerializeToString())
    with pytest.raises(Malformed) as caught:
        read_hand(hand_pb2.HandNote(**{**good, **change}).SerializeToString())
    assert caught.value.reason == reason
    assert fact in caught.value.facts.values()


def test_a_note_is_signed_by_the_event_key_as_a_note() -> None:
    """Always the same bytes for the same note, and no event's signature passes for it."""
    body = write_hand(HandNote(CTX, 3, 1, (1, 2, 3, 4, 5), 9, HASH))
    signature = sign_hand(body, KEY)
    assert signature == sign_hand(body, KEY)
    assert hand_signed_by(body, signature, KEY.public)
    assert not hand_signed_by(body, signature, OTHER.public)
    assert not hand_signed_by(body + b"\0", signature, KEY.public)
    assert not hand_signed_by(body, parse_entry(sign_event(body, KEY, b"hint")).signature, KEY.public)


@given(st.data())
def test_any_and_mangled_bytes_are_read_as_they_are_or_malformed(data: st.DataObject) -> None:
    """Nothing but Malformed comes out."""
    bodies: Callable[[HandNote], bytes] = write_hand
    body = data.draw(st.binary(max_size=120) | wire_values.hand_notes().map(bodies))
    start = data.draw(st.integers(0, len(body)))
    body = body[:start] + data.draw(st.binary(max_size=2)) + body[start + data.draw(st.integers(0, 2)) :]
    try:
        note = read_hand(body)
    except Malformed:
        return
    assert write_hand(note) == body
