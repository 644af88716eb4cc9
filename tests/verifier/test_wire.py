# SPDX-License-Identifier: Apache-2.0
"""Moves, events and rules as bytes: both ways the same, and every field held to its bounds."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hokm.errors import Malformed, TooLong
from hokm.events import (
    Act,
    AnswerTea,
    CommitSetWitnessed,
    Event,
    Leave,
    Move,
    NameTrump,
    Play,
    Return,
    Ruling,
    SignedMove,
    TableOpened,
)
from hokm.rules import PRESETS, TableRules
from hokm.wire import (
    MOST_EVENT_BYTES,
    MOST_MOVE_BYTES,
    read_event,
    read_move,
    read_rules,
    write_event,
    write_move,
    write_rules,
)
from tests import wire_values

HASH = bytes(range(32))


# Both ways.


def test_every_act_and_ruling_is_tried() -> None:
    """The strategies are of all acts and all rulings."""
    assert {*wire_values.ACTS} == {*get_args(Act)}
    assert {*wire_values.RULINGS} == {*get_args(Ruling)}


@pytest.mark.parametrize("act", wire_values.ACTS, ids=lambda act: act.__name__)
@given(st.data())
def test_a_move_is_read_as_it_was_written(act: type[Act], data: st.DataObject) -> None:
    """Values and types come back, and the bytes too."""
    move = data.draw(wire_values.moves(wire_values.ACTS[act]))
    body = write_move(move)
    again = read_move(body)
    assert again == move
    assert repr(again) == repr(move)
    assert write_move(again) == body


@pytest.mark.parametrize("content", wire_values.CONTENTS, ids=lambda content: content.__name__)
@given(st.data())
def test_an_event_is_read_as_it_was_written(content: type, data: st.DataObject) -> None:
    """Values and types come back, and the bytes too."""
    event = data.draw(wire_values.events(wire_values.CONTENTS[content]))
    body = write_event(event)
    again = read_event(body)
    assert again == event
    assert repr(again) == repr(event)
    assert write_event(again) == body


@given(wire_values.table_rules())
def test_rules_are_read_as_they_were_written(rules: TableRules) -> None:
    """Values and types come back, and the bytes too."""
    body = write_rules(rules)
    again = read_rules(body)
    assert repr(again) == repr(rules)
    assert write_rules(again) == body


def test_the_bytes_of_a_play() -> None:
    """The worked example: by hand, field after field."""
    move = Move(HASH, 3, 0, 2, 20, 70, HASH, None, Play(17))
    body = b"\x0a\x20" + HASH + b"\x10\x03\x20\x02\x28\x14\x30\x46\x3a\x20" + HASH + b"\x4a\x02\x08\x11"
    assert write_move(move) == body
    event = Event(bytes(16), 71, HASH, 1000, SignedMove(move, body, bytes(64)))
    signed = b"\x0a\x50" + body + b"\x12\x40" + bytes(64)
    assert len(body) == 0x50
    assert len(signed) == 0x94
    head = b"\x0a\x10" + bytes(16) + b"\x10\x47\x1a\x20" + HASH + b"\x20\xe8\x07"
    assert write_event(event) == head + b"\x2a\x94\x01" + signed


def test_the_bytes_of_the_classic_rules() -> None:
    """These go into every ceremony of a classic table."""
    assert write_rules(PRESETS["classic"]) == bytes.fromhex("08011001200128073 01e380a8201".replace(" ", "")) + (
        b"\x09timeout-1"
    )


# Limits, and what cannot be written.


def test_limits_are_checked_before_anything_else() -> None:
    """One byte too many is TooLong, whatever the bytes are."""
    for read, most in ((read_move, MOST_MOVE_BYTES), (read_event, MOST_EVENT_BYTES)):
        with pytest.raises(TooLong):
            read(b"\xff" * (most + 1))
        with pytest.raises(Malformed, match="canonical"):
            read(b"\xff" * most)


def test_an_event_that_is_too_long_is_not_written() -> None:
    """An event fits to the last byte or is refused before it is signed."""
    event = Event(bytes(16), 0, bytes(32), 1, CommitSetWitnessed("x", 1, ()))
    room = MOST_EVENT_BYTES - len(write_event(event)) - 2  # two lengths grow to two bytes
    longest = event._replace(content=CommitSetWitnessed("x" * (1 + room), 1, ()))
    assert len(write_event(longest)) == MOST_EVENT_BYTES
    with pytest.raises(TooLong):
        write_event(event._replace(content=CommitSetWitnessed("x" * (2 + room), 1, ())))


@pytest.mark.parametrize(
    "move",
    [
        Move(HASH[1:], 0, 0, 0, 0, 0, HASH, None, Play(0)),
        Move(HASH, 0, 0, 4, 0, 0, HASH, None, Play(0)),
        Move(HASH, 0, 0, -1, 0, 0, HASH, None, Play(0)),
        Move(HASH, 0, 0, 0, 0, 0, HASH + b"\0", None, Play(0)),
        Move(HASH, 0, 0, 0, 0, 0, HASH, None, Play(52)),
        Move(HASH, 0, 0, 0, 0, 0, HASH, None, Play(-1)),
    ],
)
def test_what_could_not_be_read_is_not_written(move: Move) -> None:
    """The bounds hold both ways."""
    with pytest.raises(Malformed):
        write_move(move)


def test_rules_go_into_an_event_as_they_came() -> None:
    """It is the carried bytes that are hashed, not a new spelling of the rules."""
    opened = TableOpened(HASH, PRESETS["house"], write_rules(PRESETS["classic"]), HASH, b"")
    content = read_event(write_event(Event(bytes(16), 0, bytes(32), 1, opened))).content
    assert content == opened._replace(rules=PRESETS["classic"])


# Bytes from anywhere.


@pytest.mark.parametrize("read", [read_move, read_event, read_rules])
@given(body=st.binary(max_size=200))
def test_any_bytes_are_read_or_malformed(read: Callable[[bytes], object], body: bytes) -> None:
    """No other exception comes out."""
    with suppress(Malformed):
        read(body)


@given(st.data())
def test_mangled_bytes_are_read_as_they_are_or_malformed(data: st.DataObject) -> None:
    """After changes anywhere, what is read is written again as the same bytes."""
    ways: list[tuple[Callable[[bytes], Any], Callable[[Any], bytes], st.SearchStrategy[bytes]]] = [
        (read_move, write_move, wire_values.moves().map(write_move)),
        (read_event, write_event, wire_values.events().map(write_event)),
        (read_rules, write_rules, wire_values.table_rules().map(write_rules)),
    ]
    read, write, bodies = data.draw(st.sampled_from(ways))
    body = data.draw(bodies)
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(body)))
        body = body[:start] + data.draw(st.binary(max_size=2)) + body[start + data.draw(st.integers(0, 2)) :]
    try:
        value = read(body)
    except Malformed:
        return
    assert write(value) == body


def test_what_can_happen_is_never_equal_to_something_of_another_kind() -> None:
    """Moves and rulings are tuples, and more than their fields counts."""
    several: list[Act] = [Leave(), Return(), Play(1), NameTrump(1), Play(0), AnswerTea(False)]
    assert [several.index(act) for act in several] == [*range(6)]
    assert len({*several, *several}) == 6
    for kind in (*get_args(Act), *get_args(Ruling)):
        assert kind.__eq__ is not tuple.__eq__
        assert kind.__ne__ is not tuple.__ne__
