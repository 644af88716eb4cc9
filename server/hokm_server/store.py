# SPDX-License-Identifier: Apache-2.0
"""The store: what the log holds, on the disk, appended to in one place and read from any thread.

One transaction takes any number of batches (group commit). A batch is entries of one stream with all that
becomes true together with them: what is sealed, what is no longer secret, which seats want a bot. It is taken
whole or not at all; a batch whose first version is not the next of its stream is refused alone, and the others
of the transaction stand. When `append` returns, what it took is on the disk.

Positions count from 0 without a gap in the order of appending: the position of an entry is its index in the tree.

Appending speaks to the driver directly, and as a rule in a single statement, however many rows: a statement is a
transaction of its own, and the interpreter's lock is let go once, which a thread beside a busy event loop may
wait milliseconds to get back. Everything else is put in SQLAlchemy's terms.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import Executable, Row, func, select

from hokm.errors import UnknownEntry, VersionTaken
from hokm.merkle import Nodes
from hokm_server.database import Database, telling
from hokm_server.errors import CheckpointMoved, DatabaseAltered, DatabaseCorrupt
from hokm_server.schema import checkpoints, cosignatures, entries, nodes, sealed, streams, wanted

STREAM_BYTES = 16

KEYS_STREAM = bytes(STREAM_BYTES)
"""The stream of key manifests: no table, so it is in no listing."""

MOST_ROWS = 128
"""Entries in one statement; more go in several, in one transaction all the same."""

_INSERTS = tuple("INSERT INTO entries VALUES " + ", ".join(["(?, ?, ?, ?)"] * rows) for rows in range(MOST_ROWS + 1))


class SealName(NamedTuple):
    """Which secret of a stream: the number of a ceremony, or an early card."""

    ctx: bytes
    seat: int
    """0 to 3, or 4 for the house."""
    lay: int = 0
    """The version of the entry that laid the card; 0 for a number."""


class Batch(NamedTuple):
    """What becomes durable together. (A named tuple: one is made for every move.)"""

    stream: bytes
    """16 bytes."""
    first: int
    """The version of the first entry: the next of the stream. Of no meaning where there are no entries."""
    entries: Sequence[bytes]
    seal: Sequence[tuple[SealName, bytes]] = ()
    """Boxes to keep, each in place of one of the same name."""
    unseal: Sequence[SealName] = ()
    """Boxes to remove, one by one."""
    unseal_all: Sequence[bytes] = ()
    """Each ctx of which all boxes are to be removed."""
    want: Sequence[tuple[int, int]] = ()
    """Seats that want a bot or a stand-in, each with the kind."""
    unwant: Sequence[int] = ()
    """Seats that do not any more."""
    closes: bool = False
    """The last entry ends the stream."""


_ENTRIES_ONLY = Batch(b"", 0, ())[3:]

Outcome: TypeAlias = "int | VersionTaken"
"""The position of a batch's first entry (where it has none, of the next one), or why it was refused."""


class Wanted(NamedTuple):
    """A seat that wants a bot or a stand-in."""

    stream: bytes
    seat: int
    kind: int


class Stored(NamedTuple):
    """A checkpoint as it is kept."""

    size: int
    note: bytes


class Store:
    """An open store. Raises the Database errors of `hokm_server.errors` wherever the file fails."""

    def __init__(self, path: Path, origin: str, *, busy_seconds: float = 5.0) -> None:
        """Open or make the database of this log; another program may hold it for `busy_seconds`."""
        self._database = Database(path, origin, busy_seconds)
        self._writing = threading.Lock()
        self._size: int = self._last_position() + 1

    @property
    def path(self) -> Path:
        """The file."""
        return self._database.path

    @property
    def size(self) -> int:
        """How many entries are on the disk."""
        return self._size

    def durability(self) -> str:
        """The settings that make a commit durable, read back: `journal_mode = wal, synchronous = 2`, which is FULL."""
        with self._writing, telling(self.path):
            return ", ".join(f"{name} = {value}" for name, value in self._database.durability().items())

    def close(self) -> None:
        """Close the file. Nothing is lost without it."""
        with self._writing:
            self._database.close()

    # Appending.

    def append(self, batches: Sequence[Batch]) -> list[Outcome]:
        """Make these batches durable in one transaction; what became of each, in their order."""
        values: list[Any] = []
        outcomes: list[Outcome] = []
        with self._writing, telling(self.path):
            position = self._size
            changing = []
            for batch in batches:
                outcomes.append(position)
                if batch[3:] != _ENTRIES_ONLY or (batch.first == 0 and batch.entries):
                    changing.append(batch)
                for version, entry in enumerate(batch.entries, batch.first):
                    values += (position, batch.stream, version, entry)
                    position += 1
            try:
                if not changing and len(values) <= 4 * MOST_ROWS:
                    self._insert(values)
                else:
                    with _Transaction(self._database.writing):
                        self._insert(values)
                        self._change(changing)
            except sqlite3.IntegrityError:
                outcomes, position = self._append_one_by_one(batches)
            self._size = position
        return outcomes

    def _append_one_by_one(self, batches: Sequence[Batch]) -> tuple[list[Outcome], int]:
        """The same where a batch is to be refused: each is looked at before it is put in."""
        outcomes: list[Outcome] = []
        taken: list[Batch] = []
        with _Transaction(self._database.writing) as connection:
            position = self._size
            if position != self._last_position() + 1:
                raise DatabaseAltered(str(self.path), "another program has appended to it")
            for batch in batches:
                last = self._last_version(batch.stream) if batch.entries else batch.first - 1
                if batch.first != last + 1:
                    outcomes.append(VersionTaken(batch.first, last))
                    continue
                outcomes.append(position)
                taken.append(batch)
                for version, entry in enumerate(batch.entries, batch.first):
                    connection.execute(_INSERTS[1], (position, batch.stream, version, entry))
                    position += 1
            self._change(taken)
        return outcomes, position

    def _insert(self, values: list[Any]) -> None:
        execute = self._database.writing.execute
        for start in range(0, len(values), 4 * MOST_ROWS):
            some = values[start : start + 4 * MOST_ROWS]
            execute(_INSERTS[len(some) // 4], some)

    def _change(self, batches: Sequence[Batch]) -> None:
        """All that becomes true with the entries of these batches."""
        connection = self._database.writing
        for batch in batches:
            stream = batch.stream
            if batch.entries and batch.first == 0 and stream != KEYS_STREAM:
                connection.execute("INSERT INTO streams VALUES (?, 1)", (stream,))
            if batch.closes:
                connection.execute("UPDATE streams SET running = 0 WHERE stream = ?", (stream,))
            for name, box in batch.seal:
                connection.execute("INSERT OR REPLACE INTO sealed VALUES (?, ?, ?, ?, ?)", (stream, *name, box))
            for name in batch.unseal:
                connection.execute(
                    "DELETE FROM sealed WHERE stream = ? AND ctx = ? AND seat = ? AND lay = ?", (stream, *name)
                )
            for ctx in batch.unseal_all:
                connection.execute("DELETE FROM sealed WHERE stream = ? AND ctx = ?", (stream, ctx))
            for seat, kind in batch.want:
                connection.execute("INSERT OR REPLACE INTO wanted VALUES (?, ?, ?)", (stream, seat, kind))
            for seat in batch.unwant:
                connection.execute("DELETE FROM wanted WHERE stream = ? AND seat = ?", (stream, seat))

    def keep(self, new_nodes: Nodes) -> None:
        """Keep nodes of the tree. One that is there already stays as it is."""
        with self._writing, telling(self.path), _Transaction(self._database.writing) as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO nodes VALUES (?, ?, ?)",
                [(level, place, node) for (level, place), node in new_nodes.items()],
            )

    def publish(self, before: Stored | None, after: Stored) -> None:
        """Keep a checkpoint, if the last one is still `before`. Raises `CheckpointMoved`."""
        with self._writing, telling(self.path), _Transaction(self._database.writing) as connection:
            last = connection.execute("SELECT size, note FROM checkpoints ORDER BY size DESC LIMIT 1").fetchone()
            if last != before:
                raise CheckpointMoved(after.size)
            connection.execute("INSERT INTO checkpoints VALUES (?, ?)", after)

    def cosign(self, size: int, witness: bytes, line: bytes) -> None:
        """Keep the line of a witness, given by its public key, for this checkpoint; the first one is the one kept."""
        with self._writing, telling(self.path), _Transaction(self._database.writing) as connection:
            query = "SELECT 1 FROM cosignatures WHERE size = ? AND witness = ?"
            if not connection.execute(query, (size, witness)).fetchone():
                connection.execute("INSERT INTO cosignatures VALUES (?, ?, ?)", (size, witness, line))

    def _last_position(self) -> int:
        return int(self._database.writing.execute("SELECT coalesce(max(position), -1) FROM entries").fetchone()[0])

    def _last_version(self, stream: bytes) -> int:
        query = "SELECT coalesce(max(version), -1) FROM entries WHERE stream = ?"
        return int(self._database.writing.execute(query, (stream,)).fetchone()[0])

    # Reading.

    def _rows(self, query: Executable) -> Sequence[Row[*tuple[Any, ...]]]:
        with telling(self.path), self._database.reading.connect() as connection:
            return connection.execute(query).all()

    def entries_of(self, stream: bytes, first: int, most: int) -> list[bytes]:
        """The entries of a stream from this version on, at most so many."""
        query = (
            select(entries.c.entry)
            .where(entries.c.stream == stream, entries.c.version >= first)
            .order_by(entries.c.version)
            .limit(most)
        )
        return [entry for (entry,) in self._rows(query)]

    def entries_between(self, start: int, end: int) -> list[bytes]:
        """The entries at the positions from `start` up to, not including, `end`."""
        query = (
            select(entries.c.entry)
            .where(entries.c.position >= start, entries.c.position < end)
            .order_by(entries.c.position)
        )
        return [entry for (entry,) in self._rows(query)]

    def rows_between(self, start: int, end: int) -> list[tuple[bytes, int, bytes]]:
        """The same, each with its stream and version."""
        query = (
            select(entries.c.stream, entries.c.version, entries.c.entry)
            .where(entries.c.position >= start, entries.c.position < end)
            .order_by(entries.c.position)
        )
        return [(stream, version, entry) for stream, version, entry in self._rows(query)]

    def last_version(self, stream: bytes) -> int:
        """The version of the last entry of a stream, -1 where there is none."""
        query = select(func.coalesce(func.max(entries.c.version), -1)).where(entries.c.stream == stream)
        return int(self._rows(query)[0][0])

    def position(self, stream: bytes, version: int) -> int:
        """Where the log holds this entry. Raises `UnknownEntry`."""
        query = select(entries.c.position).where(entries.c.stream == stream, entries.c.version == version)
        for (position,) in self._rows(query):
            return int(position)
        raise UnknownEntry(stream.hex(), version)

    def running(self) -> list[bytes]:
        """The streams that were opened and have not ended, oldest first as their ids go."""
        query = select(streams.c.stream).where(streams.c.running).order_by(streams.c.stream)
        return [stream for (stream,) in self._rows(query)]

    def listed(self) -> dict[bytes, bool]:
        """Every stream that was opened, and whether it runs."""
        return {stream: bool(running) for stream, running in self._rows(select(streams.c.stream, streams.c.running))}

    def all_sealed(self) -> set[tuple[bytes, SealName]]:
        """The names of all boxes, each with its stream."""
        query = select(sealed.c.stream, sealed.c.ctx, sealed.c.seat, sealed.c.lay)
        return {(stream, SealName(*name)) for stream, *name in self._rows(query)}

    def sealed(self, stream: bytes) -> dict[SealName, bytes]:
        """The boxes of a stream by name."""
        query = select(sealed.c.ctx, sealed.c.seat, sealed.c.lay, sealed.c.box).where(sealed.c.stream == stream)
        return {SealName(ctx, seat, lay): box for ctx, seat, lay, box in self._rows(query)}

    def wanted(self) -> list[Wanted]:
        """The seats that want a bot or a stand-in."""
        query = select(wanted.c.stream, wanted.c.seat, wanted.c.kind).order_by(wanted.c.stream, wanted.c.seat)
        return [Wanted(*row) for row in self._rows(query)]

    def latest(self) -> Stored | None:
        """The last checkpoint."""
        query = select(checkpoints.c.size, checkpoints.c.note).order_by(checkpoints.c.size.desc()).limit(1)
        return next((Stored(*row) for row in self._rows(query)), None)

    def checkpoint(self, size: int) -> bytes | None:
        """The note of the checkpoint of this size, where there is one."""
        query = select(checkpoints.c.note).where(checkpoints.c.size == size)
        return next((bytes(note) for (note,) in self._rows(query)), None)

    def checkpoints(self, above: int, most: int) -> list[Stored]:
        """The checkpoints of greater sizes than this, the smallest first, at most so many."""
        query = (
            select(checkpoints.c.size, checkpoints.c.note)
            .where(checkpoints.c.size > above)
            .order_by(checkpoints.c.size)
            .limit(most)
        )
        return [Stored(*row) for row in self._rows(query)]

    def cosignatures(self, size: int) -> list[bytes]:
        """The lines of the witnesses that cosigned the checkpoint of this size."""
        query = select(cosignatures.c.line).where(cosignatures.c.size == size).order_by(cosignatures.c.witness)
        return [line for (line,) in self._rows(query)]

    def cosigned(self, below: int, most: int) -> list[int]:
        """The sizes under this one of checkpoints with cosignatures, the largest first, at most so many."""
        query = (
            select(cosignatures.c.size)
            .where(cosignatures.c.size < below)
            .distinct()
            .order_by(cosignatures.c.size.desc())
            .limit(most)
        )
        return [size for (size,) in self._rows(query)]

    def all_nodes(self) -> int:
        """How many nodes are kept."""
        return int(self._rows(select(func.count()).select_from(nodes))[0][0])

    def nodes(self, level: int, first: int, count: int) -> list[bytes]:
        """The hashes of the nodes (level, first), (level, first + 1) …, of a level that is kept.

        Raises `DatabaseCorrupt` where one is missing.
        """
        query = (
            select(nodes.c.hash)
            .where(nodes.c.level == level, nodes.c.place >= first, nodes.c.place < first + count)
            .order_by(nodes.c.place)
        )
        hashes = [node for (node,) in self._rows(query)]
        if len(hashes) != count:
            raise DatabaseCorrupt(str(self.path), f"nodes of level {level} are missing")
        return hashes

    def examine(self) -> None:
        """Read the whole file and compare table with index. Raises `DatabaseCorrupt`."""
        with telling(self.path), self._database.reading.connect() as connection:
            found = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar()
        if found != "ok":
            raise DatabaseCorrupt(str(self.path), str(found))


class _Transaction:
    """A transaction of the writing connection: committed at the end, rolled back on an error."""

    __slots__ = ("_connection",)

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> sqlite3.Connection:
        self._connection.execute("BEGIN IMMEDIATE")
        return self._connection

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._connection.execute("COMMIT")
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
