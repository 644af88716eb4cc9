# SPDX-License-Identifier: Apache-2.0
"""LogService on the wire: words in, words out. All of it is public: who calls matters only for whose turn it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Final, ParamSpec, TypeVar

from hokm.errors import OutOfRange, UnknownEntry, UnknownTable, UnknownVersion
from hokm.v1 import log_service_pb2 as pb
from hokm.v1.log_service_pb2_grpc import LogServiceServicer
from hokm_server.log import Log
from hokm_server.named_table import named_table
from hokm_server.proofs import Proofs
from hokm_server.public_keys import PublicKeys
from hokm_server.shares import Caller
from hokm_server.status import Context
from hokm_server.store import Store
from hokm_server.turns import Turns

ENTRIES: Final = 100
MOST_ENTRIES: Final = 1000
MOST_ENTRIES_BYTES: Final = 1 << 20
"""In one answer, so that a client's receive limit (4 MiB by default) is never met: a page ends early there."""

P = ParamSpec("P")
T = TypeVar("T")

READERS: Final = 4
"""Who may read the store at a time."""

PIECE_BYTES: Final = 1 << 16


class LogService(LogServiceServicer):
    """Checkpoint, entries and proofs."""

    def __init__(
        self, store: Store, log: Log, keys: PublicKeys, proofs: Proofs, caller_of: Callable[[Context], Caller]
    ) -> None:
        self._store = store
        self._log = log
        self._keys = keys
        self._proofs = proofs
        self._caller_of = caller_of
        self._turns = Turns(READERS)

    async def GetCheckpoint(  # noqa: N802
        self, request: pb.GetCheckpointRequest, context: Context
    ) -> pb.GetCheckpointResponse:
        """The latest published checkpoint."""
        return pb.GetCheckpointResponse(checkpoint=self._log.published.note.decode())

    async def GetKeys(self, request: pb.GetKeysRequest, context: Context) -> pb.GetKeysResponse:  # noqa: N802
        """The key manifests, and the root keys that signed them after the first."""
        return pb.GetKeysResponse(manifests=self._keys.entries, roots=self._keys.roots)

    async def GetEntries(self, request: pb.GetEntriesRequest, context: Context) -> pb.GetEntriesResponse:  # noqa: N802
        """Entries of one stream; none where first_version is the next of it.

        Raises `WrongLength`, `OutOfRange`, `UnknownTable`; `UnknownVersion` for a first version after the next.
        """
        stream = named_table(request.table_id)
        if request.limit > MOST_ENTRIES:
            raise OutOfRange("limit", request.limit, 0, MOST_ENTRIES)
        last = await self._last_version(context, stream)
        if request.first_version > last + 1:
            raise UnknownVersion(request.first_version, last)
        entries = await self._read(
            context, self._store.entries_of, stream, request.first_version, request.limit or ENTRIES
        )
        return pb.GetEntriesResponse(entries=_up_to(entries, MOST_ENTRIES_BYTES))

    async def GetInclusionProof(  # noqa: N802
        self, request: pb.GetInclusionProofRequest, context: Context
    ) -> pb.GetInclusionProofResponse:
        """That an entry is in the published log.

        Raises `WrongLength`, `UnknownTable`, `UnknownEntry`, `OutOfTree`, `NotPublished`.
        """
        stream = named_table(request.table_id)
        if request.version > await self._last_version(context, stream):
            raise UnknownEntry(stream.hex(), request.version)
        size = request.tree_size if request.HasField("tree_size") else None
        found = await self._read(context, self._log.inclusion, stream, request.version, size)
        return pb.GetInclusionProofResponse(index=found.index, tree_size=found.size, hashes=found.hashes)

    async def GetConsistencyProof(  # noqa: N802
        self, request: pb.GetConsistencyProofRequest, context: Context
    ) -> pb.GetConsistencyProofResponse:
        """That a published tree is the beginning of a later one. Raises `OutOfTree`."""
        new = request.new_size if request.HasField("new_size") else None
        size, hashes = await self._read(context, self._log.consistency, request.old_size, new)
        return pb.GetConsistencyProofResponse(new_size=size, hashes=hashes)

    async def GetRoundProof(  # noqa: N802
        self, request: pb.GetRoundProofRequest, context: Context
    ) -> AsyncIterator[pb.GetRoundProofResponse]:
        """The proof file of one round, in pieces. Raises `WrongLength` and what `Proofs.round` raises."""
        file = await self._proofs.round(self._caller_of(context), named_table(request.table_id), request.round)
        for start in range(0, len(file), PIECE_BYTES):
            yield pb.GetRoundProofResponse(piece=file[start : start + PIECE_BYTES])

    async def GetGameProof(  # noqa: N802
        self, request: pb.GetGameProofRequest, context: Context
    ) -> AsyncIterator[pb.GetGameProofResponse]:
        """The proof file of a whole game, in pieces. Raises `WrongLength` and what `Proofs.game` raises."""
        file = await self._proofs.game(self._caller_of(context), named_table(request.table_id))
        for start in range(0, len(file), PIECE_BYTES):
            yield pb.GetGameProofResponse(piece=file[start : start + PIECE_BYTES])

    async def _read(self, context: Context, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Read the store or the log in a thread, when it is the caller's turn."""
        async with self._turns.of(self._caller_of(context)):
            return await asyncio.to_thread(read, *args, **kwargs)

    async def _last_version(self, context: Context, stream: bytes) -> int:
        """Of a stream that has entries. Raises `UnknownTable`."""
        last = await self._read(context, self._store.last_version, stream)
        if last < 0:
            raise UnknownTable(stream.hex())
        return last


def _up_to(entries: list[bytes], most_bytes: int) -> list[bytes]:
    """The first of these entries, as many as fit, but one at least."""
    total = 0
    for count, entry in enumerate(entries):
        total += len(entry)
        if total > most_bytes and count:
            return entries[:count]
    return entries
