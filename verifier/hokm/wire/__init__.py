# SPDX-License-Identifier: Apache-2.0
"""The bytes of moves and events: what is signed, hashed and stored, read into the values of `events` and back.

A body is the one canonical spelling of its message (`canonical`), of at most so many bytes, and every field in it
is held to its bounds: lengths, seats, cards, known values, counts, a context that hangs together. So a value that
was read means something at every table; whether it may happen at this one is the table's to say. Of two things a
reader can be sure: `write_x(read_x(body))` is `body`, and what `write_x` has written `read_x` reads.

What is wrong raises a `Malformed` that names the field. `NotUnderstood` and `TooLong` are apart: the bytes may mean
something to a later version.

A move is signed as `MOVE_TYPE` by its player, an event as `EVENT_TYPE` by the house (`entry`). An event holds the
very bytes of the move that it logs, which are read with it.
"""

from __future__ import annotations

from hokm.wire.events import read_event, write_event
from hokm.wire.moves import read_move, write_move
from hokm.wire.rules import read_rules, write_rules
from hokm.wire.types import EVENT_TYPE, HAND_TYPE, KEYS_TYPE, MOST_EVENT_BYTES, MOST_MOVE_BYTES, MOVE_TYPE

__all__ = [
    "EVENT_TYPE",
    "HAND_TYPE",
    "KEYS_TYPE",
    "MOST_EVENT_BYTES",
    "MOST_MOVE_BYTES",
    "MOVE_TYPE",
    "read_event",
    "read_move",
    "read_rules",
    "write_event",
    "write_move",
    "write_rules",
]
