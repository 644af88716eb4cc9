# SPDX-License-Identifier: Apache-2.0
"""What a witness remembers: of each log the latest checkpoint that it cosigned, in a file of SQLite.

A checkpoint replaces the one that it was compared with in one transaction, which is on the disk when it ends; two
programs over one file take turns. Two checkpoints of one size, which prove that a log lies, are kept for ever.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from hokm.checkpoint import Checkpoint
from hokm.note import Note
from hokm_audit.errors import MemoryMissing, MemoryOfAnother, MemoryUnusable

_APPLICATION: Final = 0x484B5749
"""The mark of such a file: "HKWI"."""

_SCHEMA: Final = f"""
BEGIN;
CREATE TABLE witness (vkey TEXT NOT NULL);
CREATE TABLE latest (origin TEXT PRIMARY KEY, note BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE lies (origin TEXT NOT NULL, cosigned BLOB NOT NULL, other BLOB NOT NULL);
PRAGMA application_id = {_APPLICATION};
COMMIT;
"""

_MOST_LIES: Final = 100
"""More would prove no more."""


class Memory:
    """The memory of one witness. Its methods may be called from any thread."""

    def __init__(self, path: Path, key_path: Path) -> None:
        """Open or begin it; `key_path` is where the witness's key is, or will be.

        Raises `MemoryMissing` where the key is there and the memory is not, or is empty; `MemoryUnusable`.
        """
        self._path = path
        if key_path.exists() and not path.exists():
            raise MemoryMissing(str(path), str(key_path))
        self._lock = threading.Lock()
        with self._failures():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            try:
                self._begin(key_path)
            except BaseException:
                self._connection.close()
                raise

    def _begin(self, key_path: Path) -> None:
        mark = self._ask("PRAGMA application_id")
        if mark == 0 and self._ask("SELECT count(*) FROM sqlite_schema") == 0:
            if key_path.exists():
                raise MemoryMissing(str(self._path), str(key_path))
            self._connection.executescript(_SCHEMA)
        elif mark != _APPLICATION:
            raise sqlite3.DatabaseError("it is another program's")
        self._connection.execute("PRAGMA synchronous = EXTRA")

    def _ask(self, question: str, *values: object) -> Any:
        row = self._connection.execute(question, values).fetchone()
        return row and row[0]

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def belong_to(self, vkey: str) -> None:
        """See that it is the memory of this witness, or make it so. Raises `MemoryOfAnother`, `MemoryUnusable`."""
        with self._changing():
            known = self._ask("SELECT vkey FROM witness")
            if known is None:
                self._connection.execute("INSERT INTO witness VALUES (?)", (vkey,))
            elif known != vkey:
                raise MemoryOfAnother(str(self._path), known)

    def latest(self, origin: str) -> Note | None:
        """The latest checkpoint of that log. Raises `MemoryUnusable`."""
        with self._lock, self._failures():
            return self._latest(origin)

    def replace(self, origin: str, note: Note, allow: Callable[[Checkpoint | None], None]) -> None:
        """Remember the note as the latest of that log, if `allow` does not raise for the one before.

        Whatever that raises is raised here, and then nothing has changed. Raises `MemoryUnusable`: then the note may
        be remembered or not.
        """
        with self._changing():
            before = self._latest(origin)
            allow(None if before is None else Checkpoint.parse(before.text))
            self._connection.execute("INSERT OR REPLACE INTO latest VALUES (?, ?)", (origin, note.format()))

    def keep_lie(self, origin: str, other: Note) -> None:
        """Keep a checkpoint that contradicts the latest. Raises `MemoryUnusable`."""
        with self._changing():
            count = self._ask("SELECT count(*) FROM lies WHERE origin = ?", origin)
            if count < _MOST_LIES:
                self._connection.execute(
                    "INSERT INTO lies SELECT origin, note, ? FROM latest WHERE origin = ?", (other.format(), origin)
                )

    def lies(self, origin: str) -> list[tuple[Note, Note]]:
        """Pairs of what was cosigned and what contradicts it, oldest first. Raises `MemoryUnusable`."""
        with self._lock, self._failures():
            question = "SELECT cosigned, other FROM lies WHERE origin = ? ORDER BY rowid"
            rows = self._connection.execute(question, (origin,))
            return [(Note.parse(cosigned), Note.parse(other)) for cosigned, other in rows]

    def _latest(self, origin: str) -> Note | None:
        octets = self._ask("SELECT note FROM latest WHERE origin = ?", origin)
        return None if octets is None else Note.parse(octets)

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        """A transaction that nobody else's change falls into; it is on the disk at the end."""
        with self._lock, self._failures():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise MemoryUnusable(str(self._path), str(error)) from error
