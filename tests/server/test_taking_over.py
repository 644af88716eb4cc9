# SPDX-License-Identifier: Apache-2.0
"""The newest stream of a player takes the seat over, however many come at once: the others are told so, and end."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from hokm.v1 import tables_service_pb2 as pb
from tests.server.callers import Caller, Visit, visiting
from tests.server.readers import Reader
from tests.server.room import Room, dealt, is_over

STREAMS = 6


class Stream:
    """A stream with the seat of its caller, and what has come on it."""

    def __init__(self, visit: Visit, table_id: bytes, caller: Caller) -> None:
        request = pb.WatchRequest(table_id=table_id, seats=[caller.seat])
        self.call: Any = visit.tables.Watch(request, metadata=caller.metadata)
        self.entries: list[bytes] = []
        self.ends: list[int] = []
        self.reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for answer in self.call:
            assert not self.ends
            self.entries += answer.update.entries
            self.ends += [answer.update.end] if answer.update.end else []


async def test_of_streams_that_come_at_once_one_has_the_seat(tmp_path: Path) -> None:
    """All that happens comes on it; every other one ends, with the reason and without an error."""
    async with visiting(tmp_path / "var") as visit:
        table_id = await visit.seat_four()
        mine, other = visit.callers[:2]
        beside = Stream(visit, table_id, other)
        streams = [Stream(visit, table_id, mine) for _ in range(STREAMS)]
        left = {stream.reading for stream in streams}
        while len(left) > 1:
            _, left = await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)
        (kept,) = [stream for stream in streams if not stream.reading.done()]
        for stream in streams:
            if stream is not kept:
                stream.reading.result()
                assert stream.ends == [pb.STREAM_END_TAKEN_OVER]
        await visit.play(dealt)
        newest = Stream(visit, table_id, mine)
        await kept.reading
        assert kept.ends == [pb.STREAM_END_TAKEN_OVER]
        assert len(kept.entries) == len(visit.leaves)
        for stream in (beside, newest):
            assert not stream.ends
            stream.reading.cancel()


async def test_a_seat_goes_to_and_fro_and_nothing_is_lost(room: Room) -> None:
    """Between three programs that take it from one another in any order, while the game goes on."""
    table_id, players = await room.seat_four()
    readers = [Reader(room, table_id, players[0].viewer, (0,)) for _ in range(3)]
    newest = readers[-1]
    while not is_over(room.table(table_id)):
        if room.rng.random() < 0.3:
            newest = room.rng.choice(readers)
            await newest.read()
            newest.attach()
        (playing,) = room.live(table_id).feed.players
        assert playing.outbox is newest.outbox
        await room.step(table_id)
    for reader in readers:
        await reader.read()
        assert reader.end == (pb.STREAM_END_GAME_OVER if reader is newest else pb.STREAM_END_TAKEN_OVER)
        assert reader.entries == room.entries(table_id)[: len(reader.entries)]
    assert newest.entries == room.entries(table_id)
