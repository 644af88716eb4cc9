# SPDX-License-Identifier: Apache-2.0
"""The append path: entries made durable, beside SQLite itself doing the same on the same disk in the same run.

`--quick` sees that it works, with figures of no meaning.
"""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.raw_store import RawStore
from bench.report import Row, is_quick, micros_each, tell
from hokm_server.store import Batch, Outcome, Store

ENTRY_BYTES = 296
"""What an entry of a game has on average."""

COMMITS = {1: 400, 10: 200, 100: 60}
"""By entries in a commit, how many commits are timed."""

Append = Callable[[Sequence[Batch]], list[Outcome]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure 1, 10 and 100 entries in a commit."""
    quick = is_quick(__doc__, arguments)
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR", ".")) as folder:
        store, raw = Store(Path(folder) / "store", "example.org/bench"), RawStore(Path(folder) / "raw")
        rows = []
        for size, commits in COMMITS.items():
            figure, floor = (_micros(append, size, 2 if quick else commits) for append in (store.append, raw.append))
            rows.append(Row(f"{size} in a commit", figure, "µs", floor, "sqlite3, same table, no trigger"))
        read_back = f"read back: {store.durability()}; of the floor: {raw.durability()} (2 is FULL)"
        store.close()
        raw.close()
    tell("Append: microseconds for each entry", rows, read_back)


def _micros(append: Append, size: int, commits: int) -> float:
    """Of each entry, so many in a commit of one stream."""
    stream, entries = os.urandom(16), [os.urandom(ENTRY_BYTES)] * size
    batches = (Batch(stream, version, entries) for version in itertools.count(0, size))

    def commit() -> None:
        for batch in itertools.islice(batches, commits):
            append([batch])

    return micros_each(commit, size * commits)


if __name__ == "__main__":
    main()
