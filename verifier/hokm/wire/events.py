# SPDX-License-Identifier: Apache-2.0
"""The bytes of events."""

from __future__ import annotations

from typing import Any

from hokm.canonical import read_message, write_message
from hokm.errors import NotUnderstood, WrongLength
from hokm.events import Event, Ruling, SignedMove
from hokm.v1 import event_pb2
from hokm.wire.moves import read_signed, write_signed
from hokm.wire.rulings import RULING_NAMES, RULINGS
from hokm.wire.types import MOST_EVENT_BYTES


def read_event(body: bytes) -> Event:
    """The event that these bytes are, the move or the stand-in's Join in it read too. Raises `Malformed`.

    No signature is looked at.
    """
    message = read_message(event_pb2.Event, body, MOST_EVENT_BYTES, "event")
    name = message.WhichOneof("content")
    if name is None:
        raise NotUnderstood("content", "it is not set")
    content: SignedMove | Ruling
    content = read_signed(message.move) if name == "move" else RULINGS[name].read(getattr(message, name))
    event = Event(message.table, message.version, message.previous, message.time_ms, content)
    _check_event(event)
    return event


def write_event(event: Event) -> bytes:
    """The bytes of an event: those that are signed, once. Raises what `read_event` would.

    Of a signed move the bytes are carried, and that they say what its `move` says is the caller's to see to.
    """
    _check_event(event)
    table, version, previous, time_ms, content = event
    named: dict[str, Any]
    if isinstance(content, SignedMove):
        named = {"move": write_signed(content)}
    else:
        name = RULING_NAMES[type(content)]
        named = {name: RULINGS[name].write(content)}
    message = event_pb2.Event(table=table, version=version, previous=previous, time_ms=time_ms, **named)
    return write_message(message, MOST_EVENT_BYTES, "event")


def _check_event(event: Event) -> None:
    if len(event.table) != 16:
        raise WrongLength("table", len(event.table), 16)
    if len(event.previous) != 32:
        raise WrongLength("previous", len(event.previous), 32)
