# SPDX-License-Identifier: Apache-2.0
"""A log as its site shows it at one checkpoint, which the reader's policy takes: every hash of it is made again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial

from hokm.checkpoint import Checkpoint
from hokm.errors import HokmError, UnknownCheckpoint
from hokm.merkle import check_consistency, consistency_proof, inclusion_proof
from hokm.note import Note
from hokm.policy import Endorsed, Policy
from hokm.tiles import TILE_WIDTH, Fetch, Tile, TiledTree, format_bundle, parse_bundle, parse_hashes, tile_of
from hokm_audit.errors import CheckpointNotOfLog, NotOnSite
from hokm_audit.sites import Site

_NOTES_KEPT = 10_000


class PublishedLog:
    """The tree of one checkpoint, and what is in it. Whatever is read raises what `TiledTree` raises."""

    def __init__(self, site: Site, policy: Policy, note: bytes) -> None:
        """`note` is the checkpoint. Raises `BadNote`, and what `Policy.endorse` raises."""
        self.note = note.decode(errors="replace")
        self.endorsed: Endorsed = policy.endorse(Note.parse(note))
        self._site = site
        self._policy = policy
        self._expected: set[int] = set()
        """Sizes of which the note was expected."""
        self._tree = TiledTree(self.size, self.checkpoint.root, partial(_tile_on, site.fetch))
        self.note_of = lru_cache(_NOTES_KEPT)(self._note_of)
        """The note of a size, which the log signed. Raises `UnknownCheckpoint`, `CheckpointNotOfLog`."""

    @property
    def checkpoint(self) -> Checkpoint:
        """What the log says its tree is."""
        return self.endorsed.checkpoint

    @property
    def size(self) -> int:
        """Entries."""
        return self.checkpoint.size

    def entries(self, start: int) -> Iterator[tuple[int, bytes]]:
        """All entries from that place on, each with its place."""
        for index in range(start // TILE_WIDTH, -(-self.size // TILE_WIDTH)):
            for place, entry in enumerate(self._tree.bundle(index), TILE_WIDTH * index):
                if place >= start:
                    yield place, entry

    def inclusion(self, place: int) -> tuple[bytes, ...]:
        """That the entry at this place is in the tree. Raises `OutOfTree`."""
        return tuple(inclusion_proof(place, self.size, self._tree.read))

    def consistency(self, size: int) -> tuple[bytes, ...]:
        """That the tree begins with that of this size. Raises `OutOfTree`."""
        return tuple(consistency_proof(size, self.size, self._tree.read))

    def grew_out_of(self, earlier: Checkpoint) -> bool:
        """Whether the tree begins with that of an earlier checkpoint, which is not larger."""
        proof = self.consistency(earlier.size)
        return check_consistency(earlier.size, earlier.root, self.size, self.checkpoint.root, proof)

    def expect(self, start: int, end: int) -> None:
        """Entries from `start` on, up to `end`, will be read soon, and places among them proved."""
        indices = range(start // TILE_WIDTH, -(-end // TILE_WIDTH))
        self.expect_files(tile_of(level, index, self.size) for index in indices for level in (None, 0))

    def expect_files(self, tiles: Iterable[Tile]) -> None:
        """These tiles and bundles will be read soon."""
        self._site.expect(tile.format() for tile in tiles)

    def file(self, tile: Tile) -> bytes:
        """A tile or bundle as the site has it, not recomputed."""
        return _tile_on(self._site.fetch, tile.format())

    def expect_notes(self, sizes: Iterable[int]) -> None:
        """The notes of these sizes will be asked for soon, if they have not been."""
        new = [size for size in dict.fromkeys(sizes) if size not in self._expected]
        self._expected.update(new)
        self._site.expect(map(_note_path, new))

    def _note_of(self, size: int) -> str:
        try:
            octets = self._site.fetch(_note_path(size))
        except NotOnSite:
            raise UnknownCheckpoint(size) from None
        try:
            signed = self._policy.endorse(Note.parse(octets)).checkpoint
        except HokmError as error:
            raise CheckpointNotOfLog(size, str(error)) from error
        if (signed.origin, signed.size) != (self.checkpoint.origin, size):
            raise CheckpointNotOfLog(size, f"it is that of size {signed.size} of {signed.origin}.")
        return octets.decode()


def _note_path(size: int) -> str:
    return f"checkpoint/{size}"


def _tile_on(fetch: Fetch, path: str) -> bytes:
    """The file of a tile or bundle, cut out of the full one where the site has no longer the partial one."""
    try:
        return fetch(path)
    except NotOnSite:
        tile = Tile.parse(path)
        if tile.width == TILE_WIDTH:
            raise
        full = replace(tile, width=TILE_WIDTH)
        octets = fetch(full.format())
        if tile.level is not None:
            return b"".join(parse_hashes(full, octets)[: tile.width])
        return format_bundle(parse_bundle(full, octets)[: tile.width])


def latest(site: Site, policy: Policy) -> PublishedLog:
    """The log at the latest checkpoint of its site, with a policy that wants witnesses the latest that has enough.

    (Where the site knows one: other logs of C2SP's formats do not.) Raises what `PublishedLog` and the site raise.
    """
    if policy.quorum is not None:
        with suppress(NotOnSite):
            return PublishedLog(site, policy, site.fetch("checkpoint/witnessed"))
    return PublishedLog(site, policy, site.fetch("checkpoint"))
