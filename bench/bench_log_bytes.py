# SPDX-License-Identifier: Apache-2.0
"""What a round takes on the disk: how the store's file grows, index and tree included, beside the signatures in it.

Many tables play at once, as they do at a server: their entries lie between one another. It is the growth that
counts, from the time when half of the tables are over: an empty store has some pages too. Nothing is vacuumed.
`--quick` sees that it works, with figures of no meaning.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.report import Row, is_quick, tell
from hokm.entry import parse_entry
from hokm.events import RoundRevealed, SignedMove, StoodIn
from hokm.rules import TableRules
from hokm.signing import SIGNATURE_BYTES, SigningKey
from hokm.wire import read_event
from hokm_server.log import Log
from hokm_server.store import Batch, Store
from tests.simulation import Game, TestHouse

TABLES = 64
AT_ONCE = 16
"""Tables that play at the same time."""
IN_A_COMMIT = 8
"""Entries, each of another table: how many there are makes no difference to the file."""
COMMITS_TO_A_CHECKPOINT = 32


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the same game to 7 at many tables."""
    quick = is_quick(__doc__, arguments)
    tables = AT_ONCE if quick else TABLES // 2
    game = Game(TestHouse(), TableRules(target=3 if quick else 7))
    game.sit()
    game.play_game()
    rounds = len(game.versions(RoundRevealed))
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR", ".")) as folder:
        path = Path(folder, "log.sqlite")
        half = _write(path, game.entries, tables)
        grown = _write(path, game.entries, tables) - half
    played = rounds * tables
    kilobytes = grown / played / 1000
    entries = sum(map(len, game.entries)) / rounds / 1000
    signed = SIGNATURE_BYTES * sum(map(_signatures_in, game.entries)) / rounds / 1000
    tell(
        "Log: kilobytes for each round",
        [
            Row("stored, with index and tree", kilobytes, "KB", signed, "its signatures", "must 30, goal 20; 3.3 x"),
            Row("the entries alone", entries, "KB", signed, "its signatures"),
        ],
        f"{played} rounds of {tables} games, {len(game.entries) / rounds:.0f} entries in a round",
    )


def _write(path: Path, entries: list[bytes], tables: int) -> int:
    """Let that many tables play and stop the server: the size of the file."""
    store = Store(path, "example.org/bench")
    log = Log(store, path.with_name("head"), "example.org/bench", SigningKey(bytes(32)))
    for count, several in enumerate(_at_once(entries, tables)):
        log.append(several)
        if count % COMMITS_TO_A_CHECKPOINT == 0:
            log.publish()
    store.close()
    assert not path.with_name(path.name + "-wal").exists()
    return path.stat().st_size


def _at_once(entries: list[bytes], tables: int) -> Iterator[list[Batch]]:
    """Batches of one entry, `AT_ONCE` tables taking turns until their games are over."""
    for _ in range(tables // AT_ONCE):
        streams = [time.time_ns().to_bytes(8) + os.urandom(8) for _ in range(AT_ONCE)]  # in order of time, as theirs
        for version, entry in enumerate(entries):
            for first in range(0, AT_ONCE, IN_A_COMMIT):
                yield [Batch(stream, version, [entry]) for stream in streams[first : first + IN_A_COMMIT]]


def _signatures_in(entry: bytes) -> int:
    """The house's, and the player's in a move or in a stand-in's Join."""
    return 1 + isinstance(read_event(parse_entry(entry).body).content, SignedMove | StoodIn)


if __name__ == "__main__":
    main()
