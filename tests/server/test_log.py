# SPDX-License-Identifier: Apache-2.0
"""The log against the tree made in one piece: every size, every proof, and what a start refuses."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hokm import merkle
from hokm.checkpoint import Checkpoint, sign_checkpoint, verify_checkpoint
from hokm.errors import NotPublished, OutOfTree, UnknownCheckpoint, UnknownEntry
from hokm.note import Note
from hokm.signing import SignatureType, SigningKey, VKey
from hokm.tiles import Tile, format_bundle
from hokm_server import log as log_module
from hokm_server.errors import (
    CheckpointMoved,
    CheckpointUnreadable,
    DatabaseCorrupt,
    HeadMissing,
    HeadUnwritable,
    LogBehindHead,
    LogNotOfHead,
)
from hokm_server.log import Log
from hokm_server.store import Batch, Store, Stored
from tests.server.stores import ORIGIN, batch, entry, opened, raw, stream

KEY = SigningKey(b"\x01" * 32)
VKEY = VKey(ORIGIN, SignatureType.ED25519, KEY.public)


@contextmanager
def logged(directory: Path, key: SigningKey = KEY) -> Iterator[tuple[Store, Log]]:
    """The store and the log in a directory."""
    with opened(directory / "log.db") as store:
        yield store, Log(store, directory / "head", ORIGIN, key)


def leaves(count: int, table: int = 1) -> list[bytes]:
    return [merkle.leaf_hash(entry(table, version)) for version in range(count)]


# Trees.


def test_a_log_begins_with_a_published_checkpoint_of_size_0(tmp_path: Path) -> None:
    """Its root is that of the empty tree; it is in the store and in the head file."""
    with logged(tmp_path) as (store, log):
        assert log.published.checkpoint == Checkpoint(ORIGIN, 0, merkle.EMPTY_ROOT)
        assert store.latest() == Stored(0, log.published.note)
        assert (tmp_path / "head").read_bytes() == log.published.note


def test_every_size_has_the_root_of_its_entries(tmp_path: Path) -> None:
    """Published one by one, each checkpoint verifies, and each tree begins with every earlier one."""
    sizes = range(41)
    with logged(tmp_path) as (_, log):
        for size in sizes:
            if size:
                log.append([batch(1, size - 1)])
            published = log.publish()
            assert verify_checkpoint(Note.parse(published.note), [VKEY]) == published.checkpoint
            assert published.checkpoint == Checkpoint(ORIGIN, size, merkle.root(leaves(size)))
            assert log.checkpoint(size) == published
        roots = [log.root(size) for size in sizes]
        assert roots == [merkle.root(leaves(size)) for size in sizes]
        for new in sizes:
            for old in range(new + 1):
                size, proof = log.consistency(old, new)
                assert merkle.check_consistency(old, roots[old], size, roots[new], proof)
            for index in range(new):
                inclusion = log.inclusion(stream(1), index, new)
                assert (inclusion.index, inclusion.size) == (index, new)
                assert merkle.check_inclusion(leaves(new)[index], index, new, inclusion.hashes, roots[new])


def test_trees_of_several_tiles(tmp_path: Path) -> None:
    """Beyond 256 and 65,536 leaves, over starts in between, proofs are those of the whole tree."""
    all_leaves: list[bytes] = []
    steps = [1, 255, 256, 257, 3000, 61_767, 1, 300, 5]
    for step in steps:
        with logged(tmp_path) as (_, log):
            assert log.published.checkpoint.size == len(all_leaves)
            log.append([batch(1, len(all_leaves), step)])
            all_leaves += [
                merkle.leaf_hash(entry(1, version)) for version in range(len(all_leaves), len(all_leaves) + step)
            ]
            assert log.publish().checkpoint.root == merkle.root(all_leaves)
    read = merkle.reading(merkle.grow(0, all_leaves, merkle.reading({})))
    with logged(tmp_path) as (_, log):
        for size in (1, 255, 256, 257, 512, 65_535, 65_536, 65_537, len(all_leaves)):
            assert log.root(size) == merkle.root_of(size, read)
            for index in {0, size // 3, size - 1}:
                assert log.inclusion(stream(1), index, size).hashes == merkle.inclusion_proof(index, size, read)
            assert log.consistency(size)[1] == merkle.consistency_proof(size, len(all_leaves), read)
        assert log.file(Tile(0, 1)) == b"".join(all_leaves[256:512])
        assert log.file(Tile(0, 257, 10)) == b"".join(all_leaves[65_792 : 65_792 + 10])
        assert log.file(Tile(1, 0)) == b"".join(read(8, index) for index in range(256))
        assert log.file(Tile(2, 0, 1)) == read(16, 0)
        assert log.file(Tile(None, 257, 2)) == format_bundle([entry(1, 65_792), entry(1, 65_793)])
        for tile in (Tile(0, 257), Tile(0, 300, 1), Tile(1, 1, 2), Tile(2, 0, 2), Tile(None, 257, 200), Tile(5, 0, 1)):
            with pytest.raises(OutOfTree):
                log.file(tile)


def test_what_was_not_integrated_is_after_a_start(tmp_path: Path) -> None:
    """Entries that were durable when the server stopped are in the next checkpoint."""
    with logged(tmp_path) as (_, log):
        log.append([batch(1, 0, 300)])
        assert log.integrate() == 300
        assert log.published.checkpoint.size == 0
    with logged(tmp_path) as (_, log):
        log.append([batch(1, 300)])
        assert log.publish().checkpoint.root == merkle.root(leaves(301))


def test_refused_batches_are_not_in_the_tree(tmp_path: Path) -> None:
    """Only what the store took."""
    with logged(tmp_path) as (_, log):
        log.append([batch(1, 0), batch(1, 5), batch(1, 1), Batch(stream(2), 0, [])])
        assert log.publish().checkpoint.root == merkle.root(leaves(2))


def test_an_unchanged_log_is_not_published_again(tmp_path: Path) -> None:
    """The checkpoint stays the same object."""
    with logged(tmp_path) as (_, log):
        log.append([batch(1, 0)])
        assert log.publish() is log.publish() is log.published


def test_proofs_are_given_of_published_trees_only(tmp_path: Path) -> None:
    """What is durable but not published, too large sizes, and what is not there."""
    with logged(tmp_path) as (_, log):
        log.append([batch(1, 0, 3)])
        log.publish()
        log.append([batch(1, 3)])
        log.integrate()
        with pytest.raises(NotPublished):
            log.inclusion(stream(1), 3)
        with pytest.raises(OutOfTree):
            log.inclusion(stream(1), 2, 4)
        with pytest.raises(OutOfTree):
            log.inclusion(stream(1), 2, 2)
        with pytest.raises(UnknownEntry):
            log.inclusion(stream(1), 4)
        with pytest.raises(UnknownEntry):
            log.inclusion(stream(2), 0)
        for old, new in ((4, None), (2, 4), (2, 1), (-1, 2)):
            with pytest.raises(OutOfTree):
                log.consistency(old, new)
        for size in (1, 4, -1):
            with pytest.raises(UnknownCheckpoint):
                log.checkpoint(size)


# Compare and swap.


def test_a_checkpoint_made_after_another_one_is_refused(tmp_path: Path) -> None:
    """Where somebody else published in between, nothing is signed out into the world."""
    with logged(tmp_path) as (store, log):
        log.append([batch(1, 0)])
        store.publish(store.latest(), Stored(1, b"somebody else's"))
        log.append([batch(1, 1)])
        with pytest.raises(CheckpointMoved):
            log.publish()
        assert log.published.checkpoint.size == 0
        assert (tmp_path / "head").read_bytes() == log.published.note


# The head.


def test_a_head_that_cannot_be_written_holds_the_checkpoint_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Readers see a checkpoint only when the head file has it; the next attempt goes on from there."""
    with logged(tmp_path) as (store, log):
        log.append([batch(1, 0, 300)])
        with monkeypatch.context() as patched:

            def full(*_: object) -> None:
                raise OSError(28, "No space left on device")

            patched.setattr(log_module, "write_durably", full)
            with pytest.raises(HeadUnwritable):
                log.publish()
        assert log.published.checkpoint.size == 0
        assert (store.latest() or Stored(0, b"")).size == 300
        log.append([batch(1, 300)])
        assert log.publish().checkpoint.root == merkle.root(leaves(301))
        assert (tmp_path / "head").read_bytes() == log.published.note


def test_a_head_behind_the_store_is_brought_up(tmp_path: Path) -> None:
    """The server stopped after storing a checkpoint and before writing the head."""
    with logged(tmp_path) as (_, log):
        log.append([batch(1, 0)])
        earlier = log.publish().note
        log.append([batch(1, 1)])
        later = log.publish().note
    (tmp_path / "head").write_bytes(earlier)
    with logged(tmp_path) as (_, log):
        assert log.published.note == later
        assert (tmp_path / "head").read_bytes() == later


def test_an_older_copy_of_the_database_is_refused(tmp_path: Path) -> None:
    """The head file is not in the database, so it does not come back with it."""
    path = tmp_path / "log.db"
    with logged(tmp_path) as (_, log):
        log.append([batch(1, 0, 3)])
        log.publish()
    shutil.copy(path, tmp_path / "copy.db")
    with logged(tmp_path) as (_, log):
        log.append([batch(1, 3, 4)])
        log.publish()
    shutil.copy(tmp_path / "copy.db", path)
    with pytest.raises(LogBehindHead) as caught, logged(tmp_path):
        pass
    assert (caught.value.size, caught.value.head_size) == (3, 7)
    path.unlink()
    with pytest.raises(LogBehindHead), logged(tmp_path):
        pass


def test_another_history_is_refused(tmp_path: Path) -> None:
    """A database of the same size and of the same log, with another entry in it."""
    for name, table in (("one", 1), ("two", 2)):
        (tmp_path / name).mkdir()
        with logged(tmp_path / name) as (_, log):
            log.append([batch(table, 0, 300)])
            log.publish()
    shutil.copy(tmp_path / "one/head", tmp_path / "two/head")
    with pytest.raises(LogNotOfHead), logged(tmp_path / "two"):
        pass


def test_a_missing_head_is_refused(tmp_path: Path) -> None:
    """Where something was published: without it nobody can tell what."""
    with logged(tmp_path) as (_, log):
        log.append([batch(1, 0)])
    (tmp_path / "head").rename(tmp_path / "lost")
    with pytest.raises(HeadMissing), logged(tmp_path):
        pass
    (tmp_path / "lost").rename(tmp_path / "head")
    with logged(tmp_path) as (_, log):
        log.publish()
    (tmp_path / "head").unlink()
    with pytest.raises(HeadMissing), logged(tmp_path):
        pass


def test_a_first_start_that_stopped_in_between_begins_again(tmp_path: Path) -> None:
    """The checkpoint of size 0 was stored and the head not written, or the other way round."""
    with logged(tmp_path):
        pass
    (tmp_path / "head").unlink()
    with logged(tmp_path):
        assert (tmp_path / "head").exists()
    (tmp_path / "log.db").unlink()
    with logged(tmp_path) as (_, log):
        assert log.published.checkpoint.size == 0


@pytest.mark.parametrize("octets", [b"", b"nothing", sign_checkpoint(Checkpoint("x", 0, bytes(32)), KEY).format()])
def test_a_head_that_is_no_checkpoint_of_this_log_is_refused(tmp_path: Path, octets: bytes) -> None:
    """And so is one by another key."""
    with logged(tmp_path):
        pass
    (tmp_path / "head").write_bytes(octets)
    with pytest.raises(CheckpointUnreadable), logged(tmp_path):
        pass


def test_a_log_with_another_key_is_refused(tmp_path: Path) -> None:
    """Head and store are signed by the key that the house had."""
    with logged(tmp_path):
        pass
    with pytest.raises(CheckpointUnreadable), logged(tmp_path, SigningKey(b"\x02" * 32)):
        pass


# Damage.


def test_missing_nodes_are_told(tmp_path: Path) -> None:
    """A table of nodes that does not hold what the checkpoint needs."""
    with logged(tmp_path) as (_, log):
        log.append([batch(1, 0, 600)])
        log.publish()
    with raw(tmp_path / "log.db") as connection:
        connection.execute("DELETE FROM nodes")
    with pytest.raises(DatabaseCorrupt), logged(tmp_path):
        pass
