# SPDX-License-Identifier: Apache-2.0
"""Proof files of rounds and games, made out of the log when somebody asks.

Whatever goes into one is public and in the log already. A file is made when its last entry is published; if it is not,
that is brought about first. Where the policy wants witnesses, the checkpoint in it is one that has their quorum. The
work is done in threads beside the event loop, a few files at a time, and callers take turns. What was made is kept for
a while: it stays true, and whoever played together asks for the same.
"""

from __future__ import annotations

import asyncio
from typing import Final, NamedTuple

from hokm.entry import parse_entry
from hokm.errors import NotOverYet, NotPublished, NotWitnessed, OutOfRange, TooManyProofs, UnknownRound, UnknownTable
from hokm.events import CeremonyOpened, GameEnded, GameStarted, RoundRevealed, ServerFault
from hokm.proof import AnchorProof, Inclusion, ManifestProof, Proof, ProofKind
from hokm.wire import read_event
from hokm_server.log import Log, Published
from hokm_server.publisher import Publisher
from hokm_server.shares import Caller, Share
from hokm_server.store import KEYS_STREAM, Store
from hokm_server.turns import Turns

MOST_SECONDS: Final = 10.0
"""How long to wait for the last entry to be published: as long as the house promises that it takes at most."""

MOST_AT_ONCE: Final = 2

WAITED_FOR: Final = 16
"""Files that one caller waits for at a time."""
WAITED_FOR_BY_ADDRESS: Final = 256

MOST_KEPT_BYTES: Final = 32 << 20
"""Of files that were made."""

_ENTRIES_AT_ONCE: Final = 1000


class Span(NamedTuple):
    """What a proof is to be of."""

    kind: ProofKind
    round: int | None
    opening: tuple[bytes, ...]
    first_version: int
    entries: tuple[bytes, ...]
    start: int | None
    """The version of GameStarted, where there is one."""
    anchors: tuple[tuple[int, int], ...]
    """Of each CeremonyOpened among the entries: its version, and the size of the checkpoint that it names."""

    @property
    def last_version(self) -> int:
        """The version of the last entry."""
        return self.first_version + len(self.entries) - 1


class Name(NamedTuple):
    """Which file: there is another one once the log has another key manifest."""

    table: bytes
    round: int | None
    manifests: int


class Kept:
    """Files that were made, those asked for last."""

    __slots__ = ("_bytes", "_files", "_most_bytes")

    def __init__(self, most_bytes: int) -> None:
        self._files: dict[Name, bytes] = {}
        self._most_bytes = most_bytes
        self._bytes = 0

    def get(self, name: Name) -> bytes | None:
        """The file, if it is kept."""
        file = self._files.pop(name, None)
        if file is not None:
            self._files[name] = file  # behind the others, which go first
        return file

    def put(self, name: Name, file: bytes) -> None:
        """Keep it, and let go of as many others as there is no room for."""
        self._bytes += len(file) - len(self._files.pop(name, b""))
        self._files[name] = file
        while self._bytes > self._most_bytes:
            self._bytes -= len(self._files.pop(next(iter(self._files))))


class Proofs:
    """Makes proof files."""

    def __init__(
        self,
        store: Store,
        log: Log,
        publisher: Publisher,
        roots: tuple[bytes, ...] = (),
        *,
        seconds: float = MOST_SECONDS,
    ) -> None:
        """`roots` are the root keys that manifests were signed by after the first."""
        self._store = store
        self._roots = roots
        self._log = log
        self._publisher = publisher
        self._seconds = seconds
        self._turns = Turns(MOST_AT_ONCE)
        self._waited_for = Share(WAITED_FOR, WAITED_FOR_BY_ADDRESS, TooManyProofs)
        self._kept = Kept(MOST_KEPT_BYTES)

    async def round(self, caller: Caller, table_id: bytes, round_: int) -> bytes:
        """The proof file of one round.

        Raises `OutOfRange` for round 0, `UnknownTable`, `UnknownRound`, `NotOverYet`, `NotPublished`, `NotWitnessed`,
        `TooManyProofs`.
        """
        if round_ == 0:
            raise OutOfRange("round", round_, 1, 2**32 - 1)
        return await self._file(caller, table_id, round_)

    async def game(self, caller: Caller, table_id: bytes) -> bytes:
        """The proof file of a whole game. Raises as `round` does."""
        return await self._file(caller, table_id, None)

    async def _file(self, caller: Caller, table_id: bytes, round_: int | None) -> bytes:
        with self._waited_for.held_by(caller):
            async with self._turns.of(caller):
                name = Name(table_id, round_, await asyncio.to_thread(self._store.last_version, KEYS_STREAM))
                file = self._kept.get(name)
                if file is not None:
                    return file
                span = await asyncio.to_thread(self._span, table_id, round_)
                position = await asyncio.to_thread(self._store.position, table_id, span.last_version)
            try:
                async with asyncio.timeout(self._seconds):
                    published = await self._publisher.wait_witnessed(position)
            except TimeoutError:
                size = self._log.published.checkpoint.size
                raise (NotPublished if size <= position else NotWitnessed)(position, size) from None
            async with self._turns.of(caller):
                file = self._kept.get(name)
                if file is None:
                    file = await asyncio.to_thread(self._make, table_id, span, published)
                    self._kept.put(name, file)
                return file

    def _span(self, table_id: bytes, round_: int | None) -> Span:
        """Find what the proof is of."""
        entries: list[bytes] = []
        while more := self._store.entries_of(table_id, len(entries), _ENTRIES_AT_ONCE):
            entries += more
        if not entries or table_id == KEYS_STREAM:
            raise UnknownTable(table_id.hex())
        start: int | None = None
        closing: list[int] = []
        anchors: list[tuple[int, int]] = []
        over = False
        for version, entry in enumerate(entries):
            match read_event(parse_entry(entry).body).content:
                case GameStarted():
                    start = version
                case CeremonyOpened(anchor=anchor):
                    anchors.append((version, anchor.size))
                case RoundRevealed():
                    closing.append(version)
                case GameEnded() | ServerFault():
                    over = True
        if round_ is None:
            if not over:
                raise NotOverYet(table_id.hex(), 0)
            return Span(ProofKind.GAME, None, (), 0, tuple(entries), start, tuple(anchors))
        if round_ > len(closing):
            if over or round_ > len(closing) + 1:
                raise UnknownRound(round_, len(closing))
            raise NotOverYet(table_id.hex(), round_)
        first, last = closing[round_ - 2] if round_ > 1 else 0, closing[round_ - 1]
        assert start is not None
        return Span(
            ProofKind.ROUND,
            round_,
            tuple(entries[: start + 1]) if first else (),
            first,
            tuple(entries[first : last + 1]),
            start,
            tuple((version, size) for version, size in anchors if first <= version <= last),
        )

    def _make(self, table_id: bytes, span: Span, published: Published) -> bytes:
        size = published.checkpoint.size
        proved = [span.last_version] if span.start is None else [span.start, span.last_version]
        return Proof(
            kind=span.kind,
            origin=published.checkpoint.origin,
            table=table_id,
            round=span.round,
            manifests=self._manifests(size),
            roots=self._roots,
            opening=span.opening,
            first_version=span.first_version,
            entries=span.entries,
            inclusion=tuple(self._inclusion(table_id, version, size) for version in proved),
            anchors=tuple(
                AnchorProof(
                    version,
                    self._log.checkpoint(anchor).note.decode(),
                    tuple(self._log.consistency(anchor, size)[1]),
                )
                for version, anchor in span.anchors
            ),
            checkpoint=published.note.decode(),
        ).format()

    def _manifests(self, size: int) -> tuple[ManifestProof, ...]:
        """Every key manifest of a tree of this size."""
        found = []
        for version, entry in enumerate(self._store.entries_of(KEYS_STREAM, 0, _ENTRIES_AT_ONCE)):
            if self._store.position(KEYS_STREAM, version) < size:
                place = self._log.inclusion(KEYS_STREAM, version, size)
                found.append(ManifestProof(entry, place.index, tuple(place.hashes)))
        return tuple(found)

    def _inclusion(self, table_id: bytes, version: int, size: int) -> Inclusion:
        place = self._log.inclusion(table_id, version, size)
        return Inclusion(version, place.index, tuple(place.hashes))
