# SPDX-License-Identifier: Apache-2.0
"""Tiles: their paths and bytes both ways, and a reader that takes nothing that does not make the root."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hokm import merkle
from hokm.errors import BadTile, OutOfTree, TileNotOfTree
from hokm.tiles import Tile, TiledTree, edge, format_bundle, parse_bundle, parse_hashes, tile_of

SIZES = (1, 2, 255, 256, 257, 600, 65_536, 65_537, 70_000)
ENTRIES = [b"entry %d" % number for number in range(max(SIZES))]
READ = merkle.reading(merkle.grow(0, map(merkle.leaf_hash, ENTRIES), merkle.reading({})))


def served(path: str) -> bytes:
    """The file of this path, of a log that holds the entries."""
    tile = Tile.parse(path)
    first = 256 * tile.index
    if tile.level is None:
        return format_bundle(ENTRIES[first : first + tile.width])
    return b"".join(READ(8 * tile.level, place) for place in range(first, first + tile.width))


@cache
def root_at(size: int) -> bytes:
    return merkle.root_of(size, READ)


def tree_of(size: int) -> TiledTree:
    return TiledTree(size, root_at(size), served)


# Paths.


@pytest.mark.parametrize(
    ("tile", "path"),
    [
        (Tile(0, 0), "tile/0/000"),
        (Tile(0, 1_234_067), "tile/0/x001/x234/067"),
        (Tile(1, 1000, 17), "tile/1/x001/000.p/17"),
        (Tile(63, 999, 255), "tile/63/999.p/255"),
        (Tile(None, 273, 112), "tile/entries/273.p/112"),
        (Tile(None, 2**55 - 1), "tile/entries/x036/x028/x797/x018/x963/967"),
    ],
)
def test_paths_of_the_specification(tile: Tile, path: str) -> None:
    """Groups of three digits, all but the last behind an x; a partial tile says its width."""
    assert tile.format() == path
    assert Tile.parse(path) == tile


@given(
    st.builds(Tile, st.none() | st.integers(0, 63), st.integers(0, 2**55 - 1), st.integers(1, 256)),
)
def test_every_path_is_read_as_it_was_written(tile: Tile) -> None:
    """The reader is the exact inverse of the writer."""
    assert Tile.parse(tile.format()) == tile


@pytest.mark.parametrize(
    "path",
    [
        *("", "tile", "tile/0", "tile/0/", "tile/0/0", "tile/0/00", "tile/0/0000", "tile/00/000", "tile/64/000"),
        *("/tile/0/000", "tile/0/000/", "tile/0/x000/000", "tile/0/001/000", "tile/0/x001/x000", "tile/0/X001/000"),
        *("tile/0/000.p", "tile/0/000.p/", "tile/0/000.p/0", "tile/0/000.p/01", "tile/0/000.p/256", "tile/0/000.p/300"),
        *("tile/entry/000", "tile/entries/1", "tile/entries/000\n", "tile/-1/000", "tile/0/+01", "tile/0/٠٠٠"),
        "tile/0/x036/x028/x797/x018/x963/968",
        "tile/0/x001/x001/x001/x001/x001/x001/x001/000",
    ],
)
def test_other_paths_are_refused(path: str) -> None:
    """One spelling for each tile, within what a log of 2^63 - 1 entries can have."""
    with pytest.raises(BadTile):
        Tile.parse(path)


def test_the_tiles_that_a_tree_has() -> None:
    """The example of C2SP tlog-tiles: 70,000 entries."""
    assert edge(70_000) == [Tile(0, 273, 112), Tile(1, 1, 17), Tile(2, 0, 1)]
    assert edge(256) == [Tile(1, 0, 1)]
    assert edge(0) == []
    assert tile_of(0, 272, 70_000) == Tile(0, 272)
    assert tile_of(None, 273, 70_000) == Tile(None, 273, 112)
    for level, index in ((0, 274), (1, 2), (2, 1), (3, 0), (None, 274), (0, -1)):
        with pytest.raises(OutOfTree):
            tile_of(level, index, 70_000)


# Bytes.


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=256))
def test_a_bundle_is_read_as_it_was_written(entries: list[bytes]) -> None:
    """Each entry behind its length in two bytes."""
    assert parse_bundle(Tile(None, 0, len(entries)), format_bundle(entries)) == entries


@pytest.mark.parametrize("octets", [b"", b"\0", b"\0\1a", b"\0\1a\0\2b", b"\0\1a\0\1b\0\1c", b"\0\1a\0\1b\0"])
def test_other_bundles_are_refused(octets: bytes) -> None:
    """Too few entries, too many, and one that is cut off."""
    with pytest.raises(BadTile):
        parse_bundle(Tile(None, 0, 2), octets)


@pytest.mark.parametrize("length", [0, 63, 65, 96])
def test_a_tile_has_its_width(length: int) -> None:
    """Not a byte more or less."""
    with pytest.raises(BadTile):
        parse_hashes(Tile(0, 0, 2), bytes(length))


# The reader.


@pytest.mark.parametrize("size", SIZES)
def test_proofs_are_made_from_tiles(size: int) -> None:
    """Inclusion, consistency and entries of a tree of any size, out of its files alone."""
    tree = tree_of(size)
    for index in {0, size // 3, size - 1}:
        proof = merkle.inclusion_proof(index, size, tree.read)
        assert merkle.check_inclusion(merkle.leaf_hash(ENTRIES[index]), index, size, proof, root_at(size))
        assert tree.bundle(index // 256)[index % 256] == ENTRIES[index]
    for old in {1, size // 2, size}:
        proof = merkle.consistency_proof(old, size, tree.read)
        assert old == 0 or merkle.check_consistency(old, root_at(old), size, root_at(size), proof)


def test_each_file_is_fetched_once() -> None:
    """Tiles that were believed are kept."""
    fetched: list[str] = []

    def fetch(path: str) -> bytes:
        fetched.append(path)
        return served(path)

    tree = TiledTree(70_000, root_at(70_000), fetch)
    for index in range(0, 70_000, 5000):
        merkle.inclusion_proof(index, 70_000, tree.read)
    assert len(fetched) == len(set(fetched))


@pytest.mark.parametrize("size", [1, 257, 600, 70_000])
def test_no_wrong_file_is_believed(size: int) -> None:
    """One bit of any file that a proof or a bundle needs, and another tree's root: the reader says which file."""
    needed: list[str] = []

    def noting(path: str) -> bytes:
        needed.append(path)
        return served(path)

    def use(tree: TiledTree) -> None:
        merkle.inclusion_proof(0, size, tree.read)
        tree.bundle(0)
        tree.bundle((size - 1) // 256)

    use(TiledTree(size, root_at(size), noting))
    for wrong in set(needed):

        def fetch(path: str, wrong: str = wrong) -> bytes:
            octets = served(path)
            return octets[:-1] + bytes([octets[-1] ^ 1]) if path == wrong else octets

        with pytest.raises(TileNotOfTree):
            use(TiledTree(size, root_at(size), fetch))
    with pytest.raises(TileNotOfTree):
        use(TiledTree(size, bytes(32), served))


def test_what_the_tree_does_not_have_is_not_fetched() -> None:
    """A bundle after the last one."""
    with pytest.raises(OutOfTree):
        tree_of(600).bundle(3)
