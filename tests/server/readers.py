# SPDX-License-Identifier: Apache-2.0
"""Readers at the end of a table's stream."""

from __future__ import annotations

from hokm.hand import HandNote, read_hand
from hokm.v1 import tables_service_pb2 as pb
from hokm_server.auth import Viewer
from tests.server.room import (
    Room,
    all_of,
)

WATCHER = Viewer(bytes(32), False)


class Reader:
    """Someone at the end of a stream, who keeps what came."""

    def __init__(self, room: Room, table_id: bytes, viewer: Viewer, seats: tuple[int, ...] = ()) -> None:
        self.room = room
        self.table_id = table_id
        self.viewer = viewer
        self.seats = seats
        self.entries: list[bytes] = []
        self.notes: list[pb.SignedHandNote] = []
        self.octets = b""
        self.end: int | None = None
        self.attach()

    def attach(self, most: int = 1 << 20) -> None:
        """Go on after the last entry that is here."""
        after = len(self.entries) - 1 if self.entries else None
        self.end = None
        self.outbox = self.room.watch(self.table_id, self.viewer, self.seats, after, most)

    async def read(self) -> bytes:
        """Everything that waits; entries without a gap."""
        chunk = await all_of(self.outbox)
        self.octets += chunk
        for update in pb.PlayResponse.FromString(chunk).updates:
            assert update.table_id == self.table_id
            assert self.end is None
            if update.entries:
                assert update.first_version == len(self.entries)
            self.entries += update.entries
            self.notes += update.hands
            self.end = update.end or None
        return chunk

    def cards(self, ctx: bytes) -> list[HandNote]:
        """The notes of one deal."""
        return [note for note in (read_hand(signed.note) for signed in self.notes) if note.ctx == ctx]
