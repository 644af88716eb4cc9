# SPDX-License-Identifier: Apache-2.0
"""Tables that are over: each is folded once while it is asked for, and only so many stay in memory."""

from __future__ import annotations

import pytest

from hokm.errors import GameIsOver
from hokm.events import Leave
from hokm.v1 import tables_service_pb2 as pb
from hokm_server import past
from hokm_server.live import LiveTable
from tests.server.readers import WATCHER, Reader
from tests.server.room import Room

HOUR_MS = 3_600_000


def folds_of(room: Room, monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The tables that the room folds from its store from now on."""
    folded = []
    load = room.tables._past._load

    def count(table_id: bytes) -> LiveTable:
        folded.append(table_id)
        return load(table_id)

    monkeypatch.setattr(room.tables._past, "_load", count)
    return folded


async def test_whatever_is_asked_it_is_folded_once(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the answers are those of the first time: the table and its leaf, why a move is refused, and all entries."""
    table_id, players = await room.seat_four()
    await room.finish(table_id)
    await room.restart()
    folds = folds_of(room, monkeypatch)
    table, leaf = room.table(table_id), room.tables.leaf(table_id)
    late = room.signed(table_id, players[0], Leave())
    for _ in range(3):
        assert (room.table(table_id), room.tables.leaf(table_id)) == (table, leaf)
        with pytest.raises(GameIsOver):
            await room.send(table_id, players[0], late)
        reader = Reader(room, table_id, WATCHER)
        await reader.read()
        assert (reader.entries, reader.end) == (room.entries(table_id), pb.STREAM_END_GAME_OVER)
    assert folds == [table_id]
    assert not room.tables._past.table(table_id).feed.subscriptions


async def test_only_the_last_that_were_asked_for_stay(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that nobody has asked for longest goes."""
    monkeypatch.setattr(past, "MOST_FOLDED", 2)
    first, second, third = [await room.open() for _ in range(3)]
    await room.turn(HOUR_MS)
    folds = folds_of(room, monkeypatch)
    for table_id in (first, second, first, third, first, second):
        room.table(table_id)
    assert folds == [first, second, third, second]
