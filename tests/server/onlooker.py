# SPDX-License-Identifier: Apache-2.0
"""All that one viewer of a table can get to see of it: its stream, from any version on, the lists, and the log."""

from __future__ import annotations

from typing import Any, Final

from hokm.v1 import log_service_pb2 as log_pb
from hokm.v1 import tables_service_pb2 as pb
from hokm_server.auth import Viewer
from hokm_server.log_service import LogService
from hokm_server.proofs import Proofs
from hokm_server.publisher import Publisher
from hokm_server.tables_service import TablesService
from tests.server.readers import Reader
from tests.server.room import Room, all_of

NO_CONTEXT: Final[Any] = None
"""A call that came over no network."""


class Onlooker:
    """One who looks, with the cards of its own seats."""

    def __init__(self, room: Room, table_id: bytes, viewer: Viewer, seats: tuple[int, ...]) -> None:
        self.room = room
        self.table_id = table_id
        self.viewer = viewer
        self.seats = seats
        self._reader = Reader(room, table_id, viewer, seats)

    async def stream(self) -> bytes:
        """What has come since the last time."""
        return await self._reader.read()

    def come_back(self) -> None:
        """After a restart: go on where the stream broke."""
        self._reader.attach()

    async def from_any_version(self) -> list[bytes]:
        """What the stream brings to those who come late, after each version; the stream itself goes on."""
        self.room.tables.unwatch(self._reader.outbox)
        brought = []
        for after in (None, *range(self.room.table(self.table_id).version + 1)):
            outbox = self.room.watch(self.table_id, self.viewer, self.seats, after)
            brought.append(await all_of(outbox))
            self.room.tables.unwatch(outbox)
        self._reader.attach()
        return brought

    async def lists(self) -> bytes:
        """The table among others, and alone."""
        tables = TablesService(self.room.tables, lambda _: self.viewer)
        listed = await tables.list_tables(pb.ListTablesRequest(), NO_CONTEXT)
        alone = await tables.get_table(pb.GetTableRequest(table_id=self.table_id), NO_CONTEXT)
        assert [table.table_id for table in listed.tables] == [self.table_id]
        return bytes(listed.SerializeToString() + alone.SerializeToString())

    async def log(self) -> bytes:
        """The checkpoint that is published now, the entries, and the proof that the last one is in it."""
        room = self.room
        room.log.publish()
        proofs = Proofs(room.store, room.log, Publisher(room.log))
        log = LogService(room.store, room.log, room.keys.public, proofs, lambda _: self.viewer.caller)
        last = room.table(self.table_id).version
        answers = (
            await log.GetCheckpoint(log_pb.GetCheckpointRequest(), NO_CONTEXT),
            await log.GetEntries(log_pb.GetEntriesRequest(table_id=self.table_id), NO_CONTEXT),
            await log.GetInclusionProof(
                log_pb.GetInclusionProofRequest(table_id=self.table_id, version=last), NO_CONTEXT
            ),
        )
        return b"".join(answer.SerializeToString() for answer in answers)
