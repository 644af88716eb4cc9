# SPDX-License-Identifier: Apache-2.0
"""The log: sequences entries, integrates them into the Merkle tree, and publishes what the tree is.

    sequence    a batch gets its versions and its positions and is on the disk                           `append`
    integrate   the leaf hashes of the new entries go into the tree, in order, and its nodes to the disk `integrate`
    publish     every new tile is read back and recomputed; then a checkpoint of the tree is signed,
                stored, and written to the head file                                                     `publish`

A checkpoint replaces the one that it was made after and no other (compare and swap, in the store), then goes to
the *head file*, outside the database, and only then to readers. No copy of a database that is brought back brings
the head file back with it, so a log that starts behind its head is refused: serving it would make a second
history. A log begins with a published checkpoint of size 0.

Wherever a server stops between two of these, the next start goes on from what is on the disk. The tree is a function
of the entries, so what is signed again is the same checkpoint, byte by byte. Cosignatures come later, if at all: they
are put under a checkpoint and change nothing of it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hokm.checkpoint import Checkpoint, sign_checkpoint, verify_checkpoint
from hokm.errors import HokmError, NotPublished, OutOfTree, UnknownCheckpoint, system_words
from hokm.merkle import (
    EMPTY_ROOT,
    Nodes,
    Reader,
    consistency_proof,
    grow,
    inclusion_proof,
    leaf_hash,
    reading,
    root_of,
)
from hokm.note import Note, NoteSignature
from hokm.policy import Policy
from hokm.signing import SignatureType, SigningKey, VKey
from hokm.tiles import TILE_LEVELS, TILE_WIDTH, Tile, TiledTree, tile_of
from hokm_server.cosigned import Cosigned
from hokm_server.errors import (
    CheckpointUnreadable,
    HeadMissing,
    HeadUnwritable,
    LogBehindHead,
    LogNotOfHead,
)
from hokm_server.files import write_durably
from hokm_server.store import Batch, Outcome, Store, Stored
from hokm_server.tree import Tree

_ENTRIES_AT_ONCE = 4096


@dataclass(frozen=True, slots=True)
class Published:
    """A checkpoint that anybody may see."""

    checkpoint: Checkpoint
    note: bytes
    """The same, signed by the log, with the cosignatures that it had by then."""


@dataclass(frozen=True, slots=True)
class Inclusion:
    """That an entry is in the tree of some size."""

    index: int
    size: int
    hashes: list[bytes]


class Log:
    """The log over a store. Methods may be called from any thread; two appends, or two publishings, take turns."""

    def __init__(
        self,
        store: Store,
        head: Path,
        origin: str,
        *keys: SigningKey,
        former: Iterable[bytes] = (),
        policy: Policy | None = None,
    ) -> None:
        """Go on with what the store holds, or begin.

        Each of `keys` signs every checkpoint: two where readers are changing over from one to the other. What is
        there already may be signed by public keys of `former` times. The witnesses of the policy are the ones that
        count.

        Raises `CheckpointUnreadable`, `HeadMissing`, `LogBehindHead`, `LogNotOfHead`, and what the store raises.
        """
        self._store = store
        self._head = head
        self._origin = origin
        self._keys = keys
        public = (*(key.public for key in keys), *former)
        self._vkeys = [VKey(origin, SignatureType.ED25519, key) for key in dict.fromkeys(public)]
        self._tree = Tree(store)
        self._cosigned = Cosigned(store, policy or Policy((), (), (), (), None))
        self._waiting: list[bytes] = []
        """Entries that are on the disk and not in the tree."""
        self._appending = threading.Lock()
        self._publishing = threading.Lock()
        self._stored = self._start()
        """The last checkpoint in the store."""
        self._published = self._with_cosignatures(self._stored)
        """The last one that is in the head file too."""
        witnessed = self._cosigned.latest()
        self._witnessed = None if witnessed is None else self.checkpoint(witnessed)
        self._size = self._stored.checkpoint.size
        self._peaks = peaks(self._size, self._tree.reader(self._size))
        self._new_nodes: Nodes = {}
        """Nodes to keep that are not on the disk."""
        for start in range(self._size, store.size, _ENTRIES_AT_ONCE):
            self._take(store.entries_between(start, min(start + _ENTRIES_AT_ONCE, store.size)))

    # Sequence, integrate, publish.

    def append(self, batches: Sequence[Batch]) -> list[Outcome]:
        """Make these batches durable, as `Store.append` does, and leave their entries to `integrate`."""
        with self._appending:
            outcomes = self._store.append(batches)
            for batch, outcome in zip(batches, outcomes, strict=True):
                if isinstance(outcome, int):
                    self._waiting += batch.entries
        return outcomes

    def integrate(self) -> int:
        """Give every entry that is on the disk its place in the tree; the size of the tree."""
        with self._publishing:
            return self._integrate()

    def publish(self) -> Published:
        """Integrate, and publish a checkpoint if the tree has grown; the latest one.

        Raises `TileNotOfTree`, `CheckpointMoved`, `HeadUnwritable`, and what the store raises: then the latest is what
        it was.
        """
        with self._publishing:
            if self._integrate() > self._stored.checkpoint.size:
                tree_root = root_of(self._size, reading(self._peaks))
                self._read_back(self._stored.checkpoint.size, self._size, tree_root)
                after = self._sign(self._size, tree_root)
                self._store.publish(_kept(self._stored), _kept(after))
                self._stored = after
            if self._published.checkpoint != self._stored.checkpoint:
                self._write_head(self._stored)
                self._published = self._stored
            return self._published

    def _integrate(self) -> int:
        with self._appending:
            waiting, self._waiting = self._waiting, []
        self._take(waiting)
        if self._new_nodes:
            self._store.keep(self._new_nodes)
            self._new_nodes = {}
        return self._size

    def _read_back(self, old: int, size: int, tree_root: bytes) -> None:
        """Read every entry since the tree of `old`, and every tile over it, as the public does."""
        tree = TiledTree(size, tree_root, lambda path: self._tree.file(Tile.parse(path)))
        for index in range(old // TILE_WIDTH, (size - 1) // TILE_WIDTH + 1):
            tree.bundle(index)

    def _take(self, entries: list[bytes]) -> None:
        new = grow(self._size, map(leaf_hash, entries), reading(self._peaks))
        self._new_nodes.update(
            ((level, place), node) for (level, place), node in new.items() if level and level % TILE_LEVELS == 0
        )
        self._size += len(entries)
        self._peaks = peaks(self._size, reading(new, reading(self._peaks)))

    def _sign(self, size: int, tree_root: bytes) -> Published:
        checkpoint = Checkpoint(self._origin, size, tree_root)
        return Published(checkpoint, signed_by_all(checkpoint, self._keys).format())

    # Start.

    def _start(self) -> Published:
        stored, head = self._store.latest(), self._read_head()
        latest = self._read(stored.note, self._store.path) if stored else None
        size = latest.checkpoint.size if latest else 0
        if head is None and (size or self._store.size):
            raise HeadMissing(str(self._head), size)
        for known in (head, latest):
            if known is not None:
                self._compare(known.checkpoint, size)
        if latest is None:
            latest = self._sign(0, EMPTY_ROOT)
            self._store.publish(None, _kept(latest))
        if head is None or head.checkpoint.size < size:  # it stopped between storing and writing the head
            self._write_head(latest)
        return latest

    def _compare(self, known: Checkpoint, stored_size: int) -> None:
        """See that what is on the disk begins with the tree of this checkpoint."""
        size = min(self._store.size, stored_size)
        if size < known.size:
            raise LogBehindHead(size, known.size)
        if root_of(known.size, self._tree.reader(known.size)) != known.root:
            raise LogNotOfHead(known.size)

    def _read(self, note: bytes, where: Path) -> Published:
        try:
            return Published(verify_checkpoint(Note.parse(note), self._vkeys), note)
        except HokmError as error:
            raise CheckpointUnreadable(str(where), str(error)) from error

    def _read_head(self) -> Published | None:
        try:
            return self._read(self._head.read_bytes(), self._head)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise CheckpointUnreadable(str(self._head), system_words(error)) from error

    def _write_head(self, published: Published) -> None:
        try:
            write_durably(self._head, published.note)
        except OSError as error:
            raise HeadUnwritable(str(self._head), system_words(error)) from error

    # Reading.

    @property
    def published(self) -> Published:
        """The latest checkpoint."""
        return self._published

    @property
    def wants_witnesses(self) -> bool:
        """Whether the policy wants a quorum of them."""
        return self._cosigned.wanted

    @property
    def witnessed(self) -> Published | None:
        """The latest one that has the policy's quorum. None where none has, or where the policy wants none."""
        return self._witnessed

    @property
    def anchor(self) -> Checkpoint:
        """What a ceremony that opens now comes after: the latest that has the quorum, else the latest."""
        return (self._witnessed or self._published).checkpoint

    def checkpoint(self, size: int) -> Published:
        """The checkpoint of this size, with all cosignatures that are kept of it. Raises `UnknownCheckpoint`."""
        note = self._store.checkpoint(size) if size <= self._published.checkpoint.size else None
        if note is None:
            raise UnknownCheckpoint(size)
        return self._with_cosignatures(self._signed_now(self._read(note, self._store.path)))

    def cosign(self, checkpoint: Checkpoint, witness: VKey, line: NoteSignature) -> None:
        """Put a cosignature, which the caller has verified, under this checkpoint, which was published."""
        with self._publishing:
            self._cosigned.keep(checkpoint.size, witness, line)
            found = self.checkpoint(checkpoint.size)
            if checkpoint == self._published.checkpoint:
                self._published = found
            size = -1 if self._witnessed is None else self._witnessed.checkpoint.size
            if checkpoint.size >= size and self._cosigned.met_by(found.note):
                self._witnessed = found

    def _signed_now(self, published: Published) -> Published:
        """The same by the keys that sign now, too: those of its time may be known to nobody any more."""
        note = Note.parse(published.note)
        own = zip(self._keys, self._vkeys, strict=False)
        lacking = [key for key, vkey in own if not any(line.is_by(vkey) for line in note.signatures)]
        if not lacking:
            return published
        more = signed_by_all(published.checkpoint, lacking).signatures
        return Published(published.checkpoint, Note(note.text, (*note.signatures, *more)).format())

    def _with_cosignatures(self, published: Published) -> Published:
        size = published.checkpoint.size
        return Published(published.checkpoint, self._cosigned.under(size, published.note))

    def position(self, stream: bytes, version: int) -> int:
        """The place of an entry in the tree, whether it is published or not. Raises `UnknownEntry`."""
        return self._store.position(stream, version)

    def inclusion(self, stream: bytes, version: int, size: int | None = None) -> Inclusion:
        """That an entry is in the tree of this size, by default the latest.

        Raises `UnknownEntry`; `OutOfTree` for a size that is not published, or at which the entry was not there;
        `NotPublished` where the latest checkpoint does not cover it yet.
        """
        index = self._store.position(stream, version)
        latest = self._published.checkpoint.size
        if size is None and index >= latest:
            raise NotPublished(index, latest)
        size = self._check_size(size)
        return Inclusion(index, size, inclusion_proof(index, size, self._tree.reader(size)))

    def consistency(self, old: int, new: int | None = None) -> tuple[int, list[bytes]]:
        """The larger size, by default the latest, and the proof that its tree begins with that of `old` leaves.

        Raises `OutOfTree`.
        """
        size = self._check_size(new)
        return size, consistency_proof(old, size, self._tree.reader(size))

    def root(self, size: int) -> bytes:
        """The root of the first `size` entries. Raises `OutOfTree`."""
        return root_of(self._check_size(size), self._tree.reader(size))

    def file(self, tile: Tile) -> bytes:
        """What stands under the path of this tile or bundle of the published log (C2SP tlog-tiles).

        Raises `OutOfTree` for what the latest checkpoint does not cover.
        """
        size = self._published.checkpoint.size
        if tile.width > tile_of(tile.level, tile.index, size).width:
            raise OutOfTree(TILE_WIDTH * tile.index + tile.width, size >> TILE_LEVELS * (tile.level or 0))
        return self._tree.file(tile)

    def _check_size(self, size: int | None) -> int:
        latest = self._published.checkpoint.size
        if size is None:
            return latest
        if not 0 <= size <= latest:
            raise OutOfTree(size, latest)
        return size


def signed_by_all(checkpoint: Checkpoint, keys: Iterable[SigningKey]) -> Note:
    """The checkpoint with a signature of each of these keys of the log."""
    notes = [sign_checkpoint(checkpoint, key) for key in keys]
    return Note(notes[0].text, tuple(signature for note in notes for signature in note.signatures))


def peaks(size: int, read: Reader) -> Nodes:
    """The nodes that a tree of `size` leaves is made of: all that is needed of it for it to grow."""
    levels = [level for level in range(size.bit_length()) if size >> level & 1]
    return {(level, place): read(level, place) for level in levels for place in [(size >> level) - 1]}


def _kept(published: Published) -> Stored:
    return Stored(published.checkpoint.size, published.note)
