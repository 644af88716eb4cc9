# SPDX-License-Identifier: Apache-2.0
"""The frame of an entry, its leaf, and who signed it."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hokm.entry import (
    ZERO_HASH,
    Entry,
    event_key_id,
    event_key_name,
    frame,
    leaf,
    move_signed_by,
    parse_entry,
    sign_event,
    sign_move,
    signed_by,
)
from hokm.errors import NotAnEntry, TooLong, WrongLength
from hokm.events import Move, SignedMove
from hokm.signing import SigningKey
from hokm.wire import EVENT_TYPE, KEYS_TYPE, MOST_EVENT_BYTES, MOVE_TYPE, write_move
from tests import wire_values
from tests.vector_files import Case, framing

KEY = SigningKey(bytes(range(32)))
OTHER = SigningKey(bytes(32))
HINT = b"hint"


@pytest.mark.parametrize("case", framing("entry"), ids=lambda case: case.id)
def test_entries_of_the_vectors(case: Case) -> None:
    """Key, hint, entry and leaf come out as in the vector, and the entry is read back."""
    key = SigningKey(case.input["seed"])
    assert key.public == case.output["public_key"]
    hint = event_key_id(case.input["origin"], key.public)
    assert hint == case.output["key_id"]
    octets = sign_event(case.input["event"], key, hint)
    assert octets == case.output["entry"]
    assert leaf(octets) == case.output["leaf"]
    entry = parse_entry(octets)
    assert entry.body == case.input["event"]
    assert signed_by(entry, key.public, hint)


@pytest.mark.parametrize("case", framing("entry_check"), ids=lambda case: f"{case.id} {case.note}")
def test_entries_of_the_vectors_are_checked(case: Case) -> None:
    """Good frame, good hint and good signature, or not."""
    key = case.input["public_key"]
    try:
        entry = parse_entry(case.input["entry"])
    except NotAnEntry:
        valid = False
    else:
        valid = signed_by(entry, key, event_key_id(case.input["origin"], key))
    assert valid == case.output["valid"]


@given(st.binary(max_size=300), wire_values.octets(4), wire_values.octets(64))
def test_a_frame_is_read_as_it_was_made(body: bytes, hint: bytes, signature: bytes) -> None:
    """Any three parts, both ways."""
    octets = frame(body, hint, signature)
    assert octets == b"HKE1" + len(body).to_bytes(4, "big") + body + hint + signature
    assert parse_entry(octets) == Entry(body, hint, signature)


@given(st.binary(max_size=20), st.data())
def test_a_mangled_frame_is_another_entry_or_none(body: bytes, data: st.DataObject) -> None:
    """What is read from it is framed again as the same bytes."""
    octets = frame(body, HINT, bytes(64))
    start = data.draw(st.integers(0, len(octets)))
    mangled = octets[:start] + data.draw(st.binary(max_size=3)) + octets[start + data.draw(st.integers(0, 3)) :]
    try:
        entry = parse_entry(mangled)
    except (NotAnEntry, TooLong):
        return
    assert frame(*entry) == mangled


@given(st.binary(max_size=100))
def test_any_bytes_are_an_entry_or_none(octets: bytes) -> None:
    """Nothing but these two errors comes out, behind the right beginning too."""
    for whole in (octets, b"HKE1" + octets, b"HKE1\0\0\0" + octets):
        with suppress(NotAnEntry, TooLong):
            assert frame(*parse_entry(whole)) == whole


@pytest.mark.parametrize("count", range(77))
def test_every_cut_is_refused(count: int) -> None:
    """An entry that ends early is none."""
    octets = frame(b"x", HINT, bytes(64))
    assert len(octets) == 77
    with pytest.raises(NotAnEntry):
        parse_entry(octets[:count])


def test_lengths() -> None:
    """A body of up to 16,384 bytes, 4 of key id, 64 of signature."""
    longest = frame(bytes(MOST_EVENT_BYTES), HINT, bytes(64))
    assert len(parse_entry(longest).body) == MOST_EVENT_BYTES
    with pytest.raises(TooLong):
        frame(bytes(MOST_EVENT_BYTES + 1), HINT, bytes(64))
    with pytest.raises(TooLong):
        parse_entry(b"HKE1" + (MOST_EVENT_BYTES + 1).to_bytes(4, "big") + bytes(MOST_EVENT_BYTES + 1 + 68))
    with pytest.raises(WrongLength, match="key_id"):
        frame(b"", b"abc", bytes(64))
    with pytest.raises(WrongLength, match="signature"):
        frame(b"", HINT, bytes(63))
    assert bytes(32) == ZERO_HASH


def test_a_signature_is_for_one_key_one_hint_and_one_type() -> None:
    """Another key, another hint, another type or another body: not signed."""
    entry = parse_entry(sign_event(b"body", KEY, HINT))
    assert signed_by(entry, KEY.public, HINT)
    assert signed_by(entry, KEY.public, HINT, EVENT_TYPE)
    assert not signed_by(entry, OTHER.public, HINT)
    assert not signed_by(entry, KEY.public, b"tnih")
    assert not signed_by(entry, KEY.public, HINT, KEYS_TYPE)
    assert not signed_by(entry._replace(body=b"bode"), KEY.public, HINT)
    manifest = parse_entry(sign_event(b"body", KEY, HINT, KEYS_TYPE))
    assert signed_by(manifest, KEY.public, HINT, KEYS_TYPE)
    assert not signed_by(manifest, KEY.public, HINT)


def test_an_entry_cannot_pass_for_a_move() -> None:
    """The type is signed with the body."""
    entry = parse_entry(sign_event(b"body", KEY, HINT, MOVE_TYPE))
    assert entry.signature == sign_move(b"body", KEY)
    assert sign_move(b"body", KEY) != parse_entry(sign_event(b"body", KEY, HINT)).signature


@given(wire_values.moves())
def test_a_move_is_signed_as_its_bytes(move: Move) -> None:
    """By one key, over the very bytes."""
    body = write_move(move)
    signed = SignedMove(move, body, sign_move(body, KEY))
    assert move_signed_by(signed, KEY.public)
    assert not move_signed_by(signed, OTHER.public)
    assert not move_signed_by(signed._replace(body=body + b"\0"), KEY.public)


def test_the_name_of_an_event_key() -> None:
    """It is the origin with /events behind it."""
    assert event_key_name("hokm.example/log") == "hokm.example/log/events"
