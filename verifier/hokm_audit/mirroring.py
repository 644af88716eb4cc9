# SPDX-License-Identifier: Apache-2.0
"""The files of a published log at one checkpoint, fetched into a directory under their own paths.

Nothing of it is believed: whoever reads it there recomputes it, as `hokm-verify evidence --tiles` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from hokm.tiles import TILE_LEVELS, TILE_WIDTH, Tile, tile_of
from hokm_audit.files import failures_of, write_durably
from hokm_audit.published import PublishedLog

_AT_ONCE: Final = 64


def mirror(log: PublishedLog, folder: Path, progress: Callable[[int, int], None]) -> int:
    """Fetch the tiles and bundles, and then the checkpoint; how many there are. Files that are there are left alone.

    `progress` is told how many are there, and of how many. Raises `FileUnusable`, and what the site raises.
    """
    tiles = [*tiles_of(log.size)]
    for start in range(0, len(tiles), _AT_ONCE):
        progress(start, len(tiles))
        missing = [tile for tile in tiles[start : start + _AT_ONCE] if not (folder / tile.format()).exists()]
        log.expect_files(missing)
        for tile in missing:
            path = folder / tile.format()
            with failures_of(path.parent):
                path.parent.mkdir(parents=True, exist_ok=True)
            write_durably(path, log.file(tile))
    with failures_of(folder):
        folder.mkdir(parents=True, exist_ok=True)
    write_durably(folder / "checkpoint", log.note.encode())
    progress(len(tiles), len(tiles))
    return len(tiles)


def tiles_of(size: int) -> Iterator[Tile]:
    """Every tile and bundle of a tree of this size."""
    for level in range((size.bit_length() + TILE_LEVELS - 1) // TILE_LEVELS):
        for index in range(-(-(size >> TILE_LEVELS * level) // TILE_WIDTH)):
            yield tile_of(level, index, size)
            if not level:
                yield tile_of(None, index, size)
