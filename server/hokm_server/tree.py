# SPDX-License-Identifier: Apache-2.0
"""The tree of the log as the store keeps it, and as the files that the public reads it from.

Hashes of full subtrees of 256, 65,536 … leaves are kept as the nodes of the store; those below are made of them, or of
the entries, when somebody asks. The rows of 256 that this takes are the tiles of C2SP tlog-tiles: nothing is kept for
them, and they cannot differ from the entries.
"""

from __future__ import annotations

from functools import lru_cache

from hokm.merkle import Reader, leaf_hash, root
from hokm.tiles import TILE_LEVELS, TILE_WIDTH, Tile, format_bundle, tile_of
from hokm_server.store import Store

_TILES_KEPT = 512


class Tree:
    """The tree over a store. It is asked only for what is in the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._full = lru_cache(_TILES_KEPT)(self._make)

    def reader(self, size: int) -> Reader:
        """A reader of the tree of `size` leaves, which reads each tile once."""
        tiles: dict[tuple[int, int], list[bytes]] = {}

        def read(level: int, index: int) -> bytes:
            row, height = divmod(level, TILE_LEVELS)
            place, start = divmod(index << height, TILE_WIDTH)
            hashes = tiles.get((row, place))
            if hashes is None:
                hashes = tiles[row, place] = self._hashes(row, place, tile_of(row, place, size).width)
            return root(hashes[start : start + (1 << height)])

        return read

    def file(self, tile: Tile) -> bytes:
        """What stands under the path of this tile or bundle."""
        if tile.level is None:
            first = TILE_WIDTH * tile.index
            return format_bundle(self._store.entries_between(first, first + tile.width))
        return b"".join(self._hashes(tile.level, tile.index, tile.width))

    def _hashes(self, row: int, index: int, width: int) -> list[bytes]:
        return self._full(row, index) if width == TILE_WIDTH else self._make(row, index, width)

    def _make(self, row: int, index: int, width: int = TILE_WIDTH) -> list[bytes]:
        first = TILE_WIDTH * index
        if row:
            return self._store.nodes(TILE_LEVELS * row, first, width)
        return [leaf_hash(entry) for entry in self._store.entries_between(first, first + width)]
