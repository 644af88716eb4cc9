# SPDX-License-Identifier: Apache-2.0
"""The append path: entries made durable, beside SQLite itself doing the same on the same disk in the same run."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from pathlib import Path

from bench.report import Row, micros_each, tell
from hokm_server.store import Batch, Store

ENTRY_BYTES = 296
"""What an entry of a game has on average."""
SETTINGS = "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"


def main() -> None:
    """Measure 1, 10 and 100 entries in a commit."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR", ".")) as folder:
        rows = [_row(Path(folder), size, commits) for size, commits in ((1, 400), (10, 200), (100, 60))]
        mode = sqlite3.connect(Path(folder) / "raw-1").execute("PRAGMA journal_mode").fetchone()[0]
    tell(
        "Append: microseconds for each entry",
        rows,
        f"journal mode read back: {mode}; synchronous read back: {_synchronous(rows)}",
    )


_READ_BACK: list[int] = []


def _synchronous(rows: list[Row]) -> str:
    assert rows
    return ", ".join({0: "OFF", 1: "NORMAL", 2: "FULL", 3: "EXTRA"}[mode] for mode in sorted(set(_READ_BACK)))


def _row(folder: Path, size: int, commits: int) -> Row:
    store = Store(folder / f"store-{size}", "example.org/bench")
    raw = _raw(folder / f"raw-{size}")
    stream = os.urandom(16)
    entry = os.urandom(ENTRY_BYTES)
    versions = [0, 0]
    positions = [0]

    def product() -> None:
        for _ in range(commits):
            store.append([Batch(stream, versions[0], [entry] * size)])
            versions[0] += size

    def floor() -> None:
        for _ in range(commits):
            rows = [(positions[0] + place, stream, versions[1] + place, entry) for place in range(size)]
            raw.execute("BEGIN IMMEDIATE")
            raw.executemany("INSERT INTO entries VALUES (?, ?, ?, ?)", rows)
            raw.execute("COMMIT")
            positions[0] += size
            versions[1] += size

    figure, bare = micros_each(product, size * commits), micros_each(floor, size * commits)
    store.close()
    raw.close()
    return Row(f"{size} in a commit", figure, "µs", bare, "sqlite3, same table, no trigger")


def _raw(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript(SETTINGS)
    connection.execute(
        "CREATE TABLE entries (position INTEGER PRIMARY KEY, stream BLOB NOT NULL, version INTEGER NOT NULL,"
        " entry BLOB NOT NULL, UNIQUE (stream, version)) STRICT"
    )
    _READ_BACK.append(connection.execute("PRAGMA synchronous").fetchone()[0])
    return connection


if __name__ == "__main__":
    main()
