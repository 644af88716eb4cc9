# SPDX-License-Identifier: Apache-2.0
"""Tiles: the published log as files with fixed names, and a reader that believes none of them (C2SP tlog-tiles).

    tile/<L>/<N>          256 hashes, one after the other: those of the nodes (8 L, 256 N), (8 L, 256 N + 1), …
    tile/entries/<N>      the 256 entries under tile/0/<N>, each as u16 length || entry: a bundle
    <either>.p/<W>        the same, of a tree that ends after W of the 256

N is written in groups of three digits, all but the last behind an x: 1234067 is x001/x234/067. L is 0 to 63, W is
1 to 255, neither with a leading zero. Each path is read only as it is written here.

What is fetched is recomputed before it is used. The tiles that a tree of some size ends with, one of each level at
most, together make its root, which a signed checkpoint vouches for; the hash over any other tile stands in the tile
above it. So a wrong byte anywhere is found by whoever holds the root, and the server of the files need not be trusted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Self

from hokm.errors import BadTile, OutOfTree, TileNotOfTree
from hokm.merkle import HASH_BYTES, leaf_hash, root, root_of
from hokm.notation import MOST

TILE_LEVELS: Final = 8
"""Of the tree in one tile."""

TILE_WIDTH: Final = 1 << TILE_LEVELS

MOST_LEVEL: Final = 63
MOST_ENTRY_BYTES: Final = 2**16 - 1
"""Of what a bundle can hold."""

Fetch = Callable[[str], bytes]
"""The file of this path, as it was served; raises whatever says that it could not be had."""

_PATH = re.compile("tile/(entries|[0-9]{1,2})/((?:x[0-9]{3}/){0,6}[0-9]{3})(?:[.]p/([0-9]{1,3}))?")
_TILES_KEPT = 512


@dataclass(frozen=True, slots=True)
class Tile:
    """Which tile, or which bundle of entries."""

    level: int | None
    """None for a bundle."""
    index: int
    width: int = TILE_WIDTH
    """Of a partial one less than `TILE_WIDTH`."""

    @classmethod
    def parse(cls, path: str) -> Self:
        """The tile of this path. Raises `BadTile`."""
        match = _PATH.fullmatch(path)
        if match is None:
            raise BadTile(path, "it is not the path of a tile")
        level, index, width = match.groups()
        tile = cls(
            None if level == "entries" else int(level),
            int(index.replace("x", "").replace("/", "")),
            TILE_WIDTH if width is None else int(width),
        )
        in_range = (tile.level or 0) <= MOST_LEVEL and tile.index * TILE_WIDTH <= MOST and 1 <= tile.width <= TILE_WIDTH
        if not in_range or tile.format() != path:
            raise BadTile(path, "it is not the path of a tile")
        return tile

    def format(self) -> str:
        """The path that `parse` reads, without a slash before it."""
        groups = f"{self.index:03,}".split(",")
        groups = [*(f"x{group:0>3}" for group in groups[:-1]), f"{groups[-1]:0>3}"]
        level = "entries" if self.level is None else str(self.level)
        partial = "" if self.width == TILE_WIDTH else f".p/{self.width}"
        return f"tile/{level}/{'/'.join(groups)}{partial}"


def tile_of(level: int | None, index: int, size: int) -> Tile:
    """The tile of this place in the tree of `size` leaves. Raises `OutOfTree` where the tree has none there."""
    hashes = size >> TILE_LEVELS * (level or 0)
    width = min(TILE_WIDTH, hashes - TILE_WIDTH * index)
    if width < 1 or index < 0:
        raise OutOfTree(TILE_WIDTH * index, hashes)
    return Tile(level, index, width)


# What is in them.


def parse_hashes(tile: Tile, octets: bytes) -> list[bytes]:
    """The hashes of a tile. Raises `BadTile`."""
    if len(octets) != HASH_BYTES * tile.width:
        raise BadTile(tile.format(), f"it has {len(octets)} bytes, not {HASH_BYTES * tile.width}")
    return [octets[start : start + HASH_BYTES] for start in range(0, len(octets), HASH_BYTES)]


def format_bundle(entries: Iterable[bytes]) -> bytes:
    """The bytes of a bundle with these entries, each of at most `MOST_ENTRY_BYTES`."""
    return b"".join(part for entry in entries for part in (len(entry).to_bytes(2), entry))


def parse_bundle(tile: Tile, octets: bytes) -> list[bytes]:
    """The entries of a bundle. Raises `BadTile`."""
    entries: list[bytes] = []
    start = 0
    while start < len(octets) and len(entries) < tile.width:
        end = start + 2 + int.from_bytes(octets[start : start + 2])
        entries.append(octets[start + 2 : end])
        start = end
    if start != len(octets) or len(entries) != tile.width:
        raise BadTile(tile.format(), f"it is not {tile.width} entries, each behind its length")
    return entries


# The reader.


class TiledTree:
    """The tree of a checkpoint, read from tiles. Its `read` is a `merkle.Reader` that never gives a wrong hash.

    Whatever is read raises `BadTile`, `TileNotOfTree`, and what `fetch` raises. Tiles that were read are kept, some
    hundreds of them.
    """

    def __init__(self, size: int, root: bytes, fetch: Fetch) -> None:
        """The tree of this size and root, which the caller has from a checkpoint that it believes."""
        self._size = size
        self._root = root
        self._fetch = fetch
        self._edge: dict[int, list[bytes]] | None = None
        self._full = lru_cache(_TILES_KEPT)(self._read_full)

    def read(self, level: int, index: int) -> bytes:
        """The hash of the node (level, index), which is a full subtree of this tree."""
        row, height = divmod(level, TILE_LEVELS)
        place, start = divmod(index << height, TILE_WIDTH)
        return root(self._hashes(tile_of(row, place, self._size))[start : start + (1 << height)])

    def bundle(self, index: int) -> list[bytes]:
        """The entries from 256 * index on, up to 256 of them: leaves of this tree. Raises `OutOfTree` besides."""
        tile = tile_of(None, index, self._size)
        entries = parse_bundle(tile, self._fetch(tile.format()))
        self._check(tile, [leaf_hash(entry) for entry in entries])
        return entries

    def _hashes(self, tile: Tile) -> list[bytes]:
        assert tile.level is not None
        return self._full(tile) if tile.width == TILE_WIDTH else self._edges()[tile.level]

    def _read_full(self, tile: Tile) -> list[bytes]:
        hashes = parse_hashes(tile, self._fetch(tile.format()))
        self._check(tile, hashes)
        return hashes

    def _check(self, tile: Tile, hashes: list[bytes]) -> None:
        """See that these hashes are those of the tree. Raises `TileNotOfTree`."""
        level = tile.level or 0
        if tile.width < TILE_WIDTH:
            right = hashes == self._edges()[level]
        else:
            right = root(hashes) == self.read(TILE_LEVELS * (level + 1), tile.index)
        if not right:
            raise TileNotOfTree(tile.format(), self._size)

    def _edges(self) -> dict[int, list[bytes]]:
        """The partial tiles by level. All subtrees that the tree splits into lie in them, so they make its root."""
        if self._edge is None:
            tiles = edge(self._size)
            found = {tile.level or 0: parse_hashes(tile, self._fetch(tile.format())) for tile in tiles}
            if root_of(self._size, lambda level, index: _in_edge(found, level, index)) != self._root:
                raise TileNotOfTree(tiles[0].format() if tiles else "tile", self._size)
            self._edge = found
        return self._edge


def edge(size: int) -> Sequence[Tile]:
    """The partial tiles that the tree of this size ends with, lower before higher."""
    rows = range((size.bit_length() + TILE_LEVELS - 1) // TILE_LEVELS)
    hashes = [(row, size >> TILE_LEVELS * row) for row in rows]
    return [Tile(row, count // TILE_WIDTH, count % TILE_WIDTH) for row, count in hashes if count % TILE_WIDTH]


def _in_edge(tiles: dict[int, list[bytes]], level: int, index: int) -> bytes:
    row, height = divmod(level, TILE_LEVELS)
    start = (index << height) % TILE_WIDTH
    return root(tiles[row][start : start + (1 << height)])
