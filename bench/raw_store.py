# SPDX-License-Identifier: Apache-2.0
"""SQLite itself, as durable as the product's store, with the table of entries alone: the floor of the log."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from hokm_server.store import Batch, Outcome

SETTINGS = "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
TABLE = (
    "CREATE TABLE entries (position INTEGER PRIMARY KEY, stream BLOB NOT NULL, version INTEGER NOT NULL,"
    " entry BLOB NOT NULL, UNIQUE (stream, version)) STRICT"
)


class RawStore:
    """One file, for one thread at a time."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._connection.executescript(SETTINGS)
        self._connection.execute(TABLE)
        self._size = 0

    def append(self, batches: Sequence[Batch]) -> list[Outcome]:
        """The entries of all batches in one transaction."""
        outcomes: list[Outcome] = []
        rows = []
        for batch in batches:
            outcomes.append(self._size)
            for version, entry in enumerate(batch.entries, batch.first):
                rows.append((self._size, batch.stream, version, entry))
                self._size += 1
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany("INSERT INTO entries VALUES (?, ?, ?, ?)", rows)
        self._connection.execute("COMMIT")
        return outcomes

    def durability(self) -> str:
        """As `Store.durability`."""
        names = ("journal_mode", "synchronous")
        return ", ".join(f"{name} = {self._connection.execute(f'PRAGMA {name}').fetchone()[0]}" for name in names)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
