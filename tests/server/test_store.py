# SPDX-License-Identifier: Apache-2.0
"""What holds for the store on a real file: order, versions, all or nothing, and a log that nobody can change."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hokm.errors import UnknownEntry, VersionTaken
from hokm_server.errors import CheckpointMoved
from hokm_server.store import KEYS_STREAM, MOST_ROWS, Batch, SealName, Store, Stored, Wanted
from tests.server.stores import CTX, ORIGIN, batch, entry, opened, raw, stream


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


# Order.


def test_positions_have_no_gap_and_versions_are_the_streams_own(path: Path) -> None:
    """Entries are read back in both orders, byte by byte."""
    with opened(path) as store:
        assert store.append([batch(1, 0, 2), batch(2, 0), batch(1, 2)]) == [0, 2, 3]
        assert store.append([batch(2, 1, 3)]) == [4]
        assert store.size == 7
        assert store.entries_of(stream(1), 0, 10) == [entry(1, version) for version in range(3)]
        assert store.entries_of(stream(2), 1, 2) == [entry(2, 1), entry(2, 2)]
        assert store.entries_between(1, 4) == [entry(1, 1), entry(2, 0), entry(1, 2)]
        assert [store.position(stream(2), version) for version in range(4)] == [2, 4, 5, 6]
        assert [store.last_version(stream(table)) for table in (1, 2, 3)] == [2, 3, -1]
        with pytest.raises(UnknownEntry):
            store.position(stream(2), 4)


def test_what_was_appended_is_there_after_a_start(path: Path) -> None:
    """A store that is opened again goes on at the next position."""
    with opened(path) as store:
        store.append([batch(1, 0, 3)])
    with opened(path) as store:
        assert store.size == 3
        assert store.append([batch(1, 3)]) == [3]


@pytest.mark.parametrize("count", [1, MOST_ROWS - 1, MOST_ROWS, MOST_ROWS + 1, 3 * MOST_ROWS + 5])
def test_any_number_of_entries_is_one_transaction(path: Path, count: int) -> None:
    """Also more than one statement takes."""
    with opened(path) as store:
        store.append([batch(1, 0)])
        assert store.append([batch(1, 1, count)]) == [1]
        assert store.entries_of(stream(1), 0, 10_000) == [entry(1, version) for version in range(count + 1)]


def test_nothing_to_append_is_no_error(path: Path) -> None:
    """No batches, and a batch of nothing."""
    with opened(path) as store:
        assert store.append([]) == []
        assert store.append([Batch(stream(1), 0, [])]) == [0]
        assert store.size == 0


# Conflicts.


def test_a_conflict_refuses_its_batch_alone(path: Path) -> None:
    """A version that is taken, and one that leaves a gap; the other batches of the transaction stand."""
    with opened(path) as store:
        store.append([batch(1, 0, 2)])
        name = SealName(CTX, 0)
        lost = batch(1, 1)._replace(seal=[(name, b"box")], want=[(0, 2)])
        outcomes = store.append([batch(2, 0), lost, batch(1, 3), batch(1, 2), batch(2, 1)])
        refused = [outcome for outcome in outcomes if isinstance(outcome, VersionTaken)]
        assert [outcome for outcome in outcomes if isinstance(outcome, int)] == [2, 3, 4]
        assert [(error.version, error.last) for error in refused] == [(1, 1), (3, 1)]
        assert store.entries_of(stream(1), 1, 10) == [entry(1, 1), entry(1, 2)]
        assert store.sealed(stream(1)) == {}
        assert store.wanted() == []
        assert store.append([batch(2, 2)]) == [5]


def test_batches_of_one_stream_build_on_each_other(path: Path) -> None:
    """In one transaction; where the first is refused, so is what builds on it."""
    with opened(path) as store:
        assert store.append([batch(1, 0), batch(1, 1), batch(1, 2)]) == [0, 1, 2]
        first, second = store.append([batch(1, 2), batch(1, 4)])
        assert isinstance(first, VersionTaken)
        assert isinstance(second, VersionTaken)


@settings(max_examples=40, deadline=None)
@given(
    commits=st.lists(
        st.lists(st.tuples(st.integers(1, 3), st.integers(0, 6), st.integers(0, 3)), max_size=6), max_size=6
    )
)
def test_group_commit_is_the_same_as_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, commits: list[list[tuple[int, int, int]]]
) -> None:
    """Whatever is grouped, the outcomes and the log are those of a list that takes one batch after the other."""
    log: list[bytes] = []
    last = dict.fromkeys((1, 2, 3), -1)
    with opened(tmp_path_factory.mktemp("group") / "log.db") as store:
        for commit in commits:
            expected: list[object] = []
            for table, first, count in commit:
                if count and first != last[table] + 1:
                    expected.append((first, last[table]))
                    continue
                expected.append(len(log))
                log += [entry(table, version) for version in range(first, first + count)]
                last[table] += count
            outcomes = store.append([batch(*each) for each in commit])
            assert [
                (outcome.version, outcome.last) if isinstance(outcome, VersionTaken) else outcome
                for outcome in outcomes
            ] == expected
        assert store.entries_between(0, 1000) == log
        assert store.size == len(log)


# What goes with entries.


def test_boxes_are_kept_until_they_are_unsealed(path: Path) -> None:
    """One by one, or all of one ctx; each in the transaction of its batch."""
    other = bytes(41)
    names = [SealName(CTX, 0), SealName(CTX, 4), SealName(CTX, 0, 17), SealName(other, 0)]
    with opened(path) as store:
        store.append([batch(1, 0)._replace(seal=[(name, b"box %d" % at) for at, name in enumerate(names)])])
        assert store.sealed(stream(1)) == {name: b"box %d" % at for at, name in enumerate(names)}
        assert store.sealed(stream(2)) == {}
        store.append([batch(1, 1)._replace(unseal=[names[2]])])
        assert store.sealed(stream(1)).keys() == set(names) - {names[2]}
        store.append([batch(1, 2)._replace(unseal_all=[CTX])])
        assert store.sealed(stream(1)) == {names[3]: b"box 3"}


def test_an_unsealed_box_is_overwritten_in_the_file(path: Path) -> None:
    """Its bytes are in no page of the database once the server has closed it."""
    box = b"a box that nobody shall find any more" * 3
    with opened(path) as store:
        store.append([batch(1, 0)._replace(seal=[(SealName(CTX, 0), box)])])
    assert box in path.read_bytes()
    with opened(path) as store:
        store.append([batch(1, 1)._replace(unseal_all=[CTX])])
    assert box not in path.read_bytes()


def test_wanted_seats_come_and_go(path: Path) -> None:
    """With entries or alone."""
    with opened(path) as store:
        store.append([batch(1, 0)._replace(want=[(2, 2), (3, 2)])])
        store.append([Batch(stream(1), 0, [], want=[(3, 3)])])
        assert store.wanted() == [Wanted(stream(1), 2, 2), Wanted(stream(1), 3, 3)]
        store.append([batch(1, 1)._replace(unwant=[2])])
        assert store.wanted() == [Wanted(stream(1), 3, 3)]


def test_streams_are_listed_and_closed(path: Path) -> None:
    """Running ones oldest first; the manifests are no table."""
    with opened(path) as store:
        store.append([Batch(KEYS_STREAM, 0, [b"manifest"])])
        store.append([batch(table, 0) for table in range(1, 6)])
        store.append([batch(2, 1)._replace(closes=True), batch(5, 1)._replace(closes=True)])
        assert store.running() == [stream(table) for table in (1, 3, 4)]


# Append-only.

ATTACKS = [
    "UPDATE entries SET entry = x'00' WHERE position = 1",
    "UPDATE OR REPLACE entries SET position = 0 WHERE position = 1",
    "DELETE FROM entries WHERE position = 2",
    "DELETE FROM entries",
    "REPLACE INTO entries SELECT position, stream, version, x'00' FROM entries WHERE position = 1",
    "INSERT OR REPLACE INTO entries SELECT 3, stream, version, x'00' FROM entries WHERE position = 1",
    "INSERT OR REPLACE INTO entries SELECT 3, stream, 7, x'00' FROM entries WHERE position = 1",
    "INSERT INTO entries SELECT 7, stream, 3, x'00' FROM entries WHERE position = 1",
    "INSERT INTO entries (stream, version, entry) SELECT stream, 3, x'00' FROM entries WHERE position = 1",
    "INSERT INTO entries SELECT 1, stream, 3, x'00' FROM entries WHERE position = 1 "
    "ON CONFLICT (position) DO UPDATE SET entry = x'00'",
    "UPDATE checkpoints SET note = x'00'",
    "DELETE FROM checkpoints",
    "REPLACE INTO checkpoints VALUES (3, x'00')",
    "INSERT OR REPLACE INTO checkpoints VALUES (2, x'00')",
    "INSERT INTO checkpoints VALUES (NULL, x'00')",
    "UPDATE cosignatures SET line = x'00'",
    "DELETE FROM cosignatures",
    "REPLACE INTO cosignatures SELECT size, witness, x'00' FROM cosignatures",
    "INSERT INTO cosignatures VALUES (4, zeroblob(32), x'00')",
    "INSERT INTO cosignatures VALUES (3, zeroblob(31), x'00')",
]


@pytest.mark.parametrize("recursive", ["OFF", "ON"])
@pytest.mark.parametrize("attack", ATTACKS)
def test_the_log_cannot_be_changed_by_any_program(path: Path, attack: str, recursive: str) -> None:
    """UPDATE, DELETE and REPLACE are refused by the file itself, with and without recursive triggers."""
    with opened(path) as store:
        store.append([batch(1, 0, 3)])
        store.publish(None, Stored(3, b"note"))
        store.cosign(3, bytes(32), b"line")
    with raw(path) as connection:
        connection.execute(f"PRAGMA recursive_triggers = {recursive}")
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(attack)
    with opened(path) as store:
        assert store.entries_between(0, 10) == [entry(1, version) for version in range(3)]
        assert store.latest() == Stored(3, b"note")
        assert store.cosignatures(3) == [b"line"]


def test_or_ignore_changes_nothing(path: Path) -> None:
    """INSERT OR IGNORE is refused too, or passes over the row: the log is what it was."""
    with opened(path) as store:
        store.append([batch(1, 0, 3)])
    with raw(path) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute("INSERT OR IGNORE INTO entries SELECT 1, stream, 1, x'00' FROM entries WHERE position = 1")


# Checkpoints.


def test_a_checkpoint_replaces_the_one_it_was_made_after(path: Path) -> None:
    """Compare and swap: from the one before, and from no other."""
    node = bytes(32)
    with opened(path) as store:
        assert store.latest() is None
        store.publish(None, Stored(0, b"zero"))
        store.keep({(8, 0): node})
        store.publish(Stored(0, b"zero"), Stored(5, b"five"))
        for before in (None, Stored(0, b"zero"), Stored(5, b"another five"), Stored(4, b"five")):
            with pytest.raises(CheckpointMoved):
                store.publish(before, Stored(6, b"six"))
        assert store.latest() == Stored(5, b"five")
        assert [store.checkpoint(size) for size in (0, 4, 5)] == [b"zero", None, b"five"]
        assert store.nodes(8, 0, 1) == [node]


# Threads.


def test_the_first_cosignature_of_a_witness_is_kept(path: Path) -> None:
    """Of each checkpoint; they are found by size, and the sizes that have some from the largest on."""
    one, two = b"\1" * 32, b"\2" * 32
    with opened(path) as store:
        store.append([batch(1, 0, 9)])
        for before, after in ((None, Stored(0, b"zero")), (Stored(0, b"zero"), Stored(5, b"five"))):
            store.publish(before, after)
        for size, witness, line in ((0, two, b"a"), (5, two, b"b"), (5, one, b"c"), (5, two, b"d")):
            store.cosign(size, witness, line)
        assert [store.cosignatures(size) for size in (0, 1, 5)] == [[b"a"], [], [b"c", b"b"]]
        assert [store.cosigned(below, 5) for below in (6, 5, 0)] == [[5, 0], [0], []]
        assert store.cosigned(6, 1) == [5]


def test_readers_beside_the_writer_see_whole_batches(path: Path) -> None:
    """From another thread, at any moment, a batch is there as a whole or not at all."""
    with opened(path, busy_seconds=5) as store:
        stop = threading.Event()
        seen: list[int] = []

        def read() -> None:
            while not stop.is_set():
                seen.append(len(store.entries_of(stream(1), 0, 100_000)))

        reader = threading.Thread(target=read)
        reader.start()
        for first in range(0, 600, 3):
            store.append([batch(1, first, 3)])
        stop.set()
        reader.join()
        assert seen == sorted(seen)
        assert not [count for count in seen if count % 3]


def test_the_log_of_a_round_takes_at_most_20_kilobytes(path: Path) -> None:
    """So much does the file grow by 55 entries of 290 bytes, at 64 tables side by side, with index."""
    tables, rounds = range(1, 65), 2
    with opened(path):
        pass
    empty = path.stat().st_size
    with opened(path) as store:
        for version in range(rounds * 55):
            store.append([batch(table, version) for table in tables])
    assert path.stat().st_size - empty <= len(tables) * rounds * 20_000


def test_two_stores_of_one_process_are_two_servers(path: Path) -> None:
    """The lock is held by a store, not by a process, and goes with it."""
    with opened(path), pytest.raises(Exception, match="served already"):
        Store(path, ORIGIN)
    with opened(path):
        pass
