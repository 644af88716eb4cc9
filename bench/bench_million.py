# SPDX-License-Identifier: Apache-2.0
"""A log that grows to a million entries: does anything grow with it that should not?

Entries of the usual size come 100 in a commit, each of another table, and after every 1,000 a checkpoint is published,
new tiles read back and recomputed. At each size is told what the last tenth of the way took: processor time for an
entry appended and for a checkpoint, with the memory of the process; and after a start, for that and for proofs of
entries in tiles that nobody has asked for yet, each made of 256 entries. The last line is the largest log beside the
smallest, while the logarithm of the size grows 1.5 times.

`--quick` sees that it works, with figures of no meaning.
"""

from __future__ import annotations

import contextlib
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bench.report import is_quick
from hokm.merkle import check_consistency, check_inclusion, leaf_hash
from hokm.signing import SigningKey
from hokm.tiles import TILE_WIDTH
from hokm_server.log import Log
from hokm_server.store import Batch, Store

ORIGIN = "example.org/bench"
KEY = SigningKey(bytes(32))

SIZES = (10_000, 100_000, 1_000_000)
QUICK_SIZES = (2_000, 4_000, 6_000)
IN_A_COMMIT = 100
TO_A_CHECKPOINT = 1_000
ENTRY_BYTES = 296
ENTRIES_OF_A_TABLE = 250
PROOFS = 200
"""Of each kind, at most."""


class Figures(NamedTuple):
    """What was measured at one size."""

    size: int
    append: float
    """Microseconds of the processor for an entry."""
    checkpoint: float
    """Milliseconds, the median."""
    inclusion: float
    """Milliseconds, the median."""
    consistency: float
    start: float
    memory: float
    """MiB that are resident."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Grow one log through all sizes."""
    sizes = QUICK_SIZES if is_quick(__doc__, arguments) else SIZES
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR", ".")) as folder:
        figures = [_grown(Path(folder), size) for size in sizes]
    print("\nA log that grows, in processor time")
    print("  entries      append      checkpoint   inclusion   consistency   start      memory")
    for row in figures:
        print(
            f"  {row.size:<10,}   {row.append:5.1f} µs    {row.checkpoint:6.2f} ms    {row.inclusion:5.2f} ms    "
            f"{row.consistency:5.2f} ms      {row.start:5.1f} ms   {row.memory:5.1f} MiB"
        )
    ratios = [last / first for first, last in zip(figures[0], figures[-1], strict=True)][1:]
    print("  ratio        " + "        ".join(f"{ratio:4.2f}" for ratio in ratios))


def _grown(folder: Path, size: int) -> Figures:
    """Go on with the log to this size, and measure; then start anew, and measure what is asked of a cold one."""
    with _opened(folder) as (log, store):
        told = size - max(size // 10, TO_A_CHECKPOINT)
        _write(log, store, told)
        written = [_write(log, store, store.size + TO_A_CHECKPOINT) for _ in range((size - told) // TO_A_CHECKPOINT)]
        memory = _resident_bytes() / 2**20
    appends, checkpoints = zip(*written, strict=True)
    begun = time.process_time()
    with _opened(folder) as (log, store):
        start = time.process_time() - begun
        tiles = size // TILE_WIDTH
        places = random.Random(size).sample(range(tiles), min(2 * PROOFS, tiles))
        indexes = [TILE_WIDTH * place + place % TILE_WIDTH for place in places]
        half = len(indexes) // 2
        included = [_seconds(partial(_included, log, store, index)) for index in indexes[:half]]
        consistent = [_seconds(partial(_consistent, log, index)) for index in indexes[half:]]
    return Figures(
        size,
        statistics.median(appends) / TO_A_CHECKPOINT * 1e6,
        statistics.median(checkpoints) * 1e3,
        statistics.median(included) * 1e3,
        statistics.median(consistent) * 1e3,
        start * 1e3,
        memory,
    )


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[tuple[Log, Store]]:
    with contextlib.closing(Store(folder / "log.db", ORIGIN)) as store:
        yield Log(store, folder / "head", ORIGIN, KEY), store


def _write(log: Log, store: Store, size: int) -> tuple[float, float]:
    """Append up to this size with a checkpoint after each thousand; of the last, the seconds of both."""
    appended = published = 0.0
    while store.size < size:
        batches = [_batches(store.size + offset) for offset in range(0, TO_A_CHECKPOINT, IN_A_COMMIT)]
        begun = time.process_time()
        for commit in batches:
            log.append(commit)
        between = time.process_time()
        log.publish()
        appended, published = between - begun, time.process_time() - between
    return appended, published


def _batches(position: int) -> list[Batch]:
    """A commit of one entry for each of some tables, of which the next ones take over when these have enough."""
    group, version = divmod(position // IN_A_COMMIT, ENTRIES_OF_A_TABLE)
    tables = (group * IN_A_COMMIT + table for table in range(1, IN_A_COMMIT + 1))
    return [Batch(table.to_bytes(16), version, [os.urandom(ENTRY_BYTES)]) for table in tables]


def _included(log: Log, store: Store, index: int) -> None:
    position = index // IN_A_COMMIT
    group, version = divmod(position, ENTRIES_OF_A_TABLE)
    stream = (group * IN_A_COMMIT + index % IN_A_COMMIT + 1).to_bytes(16)
    found = log.inclusion(stream, version)
    (entry,) = store.entries_of(stream, version, 1)
    root = log.published.checkpoint.root
    assert check_inclusion(leaf_hash(entry), found.index, found.size, found.hashes, root)


def _consistent(log: Log, old: int) -> None:
    old -= old % TO_A_CHECKPOINT
    latest = log.published.checkpoint
    _, hashes = log.consistency(old)
    assert check_consistency(old, log.checkpoint(old).checkpoint.root, latest.size, latest.root, hashes)


def _seconds(call: Callable[[], None]) -> float:
    begun = time.process_time()
    call()
    return time.process_time() - begun


def _resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
