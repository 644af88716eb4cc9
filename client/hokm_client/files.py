# SPDX-License-Identifier: Apache-2.0
"""Files of the player that are there whole or not at all, whenever the machine stops."""

from __future__ import annotations

import os
from pathlib import Path


def write_once(path: Path, octets: bytes, mode: int) -> None:
    """Put `octets` into a new file. Raises `FileExistsError`, and then the old one is untouched; `OSError`.

    Written and flushed beside under a name of this process, then linked to its own name, which fails where the name
    is taken; then the directory is flushed, which holds the name.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.unlink(missing_ok=True)
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with open(descriptor, "wb") as file:
            file.write(octets)
            file.flush()
            os.fsync(file.fileno())
        os.link(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    flush_directory(path.parent)


def flush_directory(path: Path) -> None:
    """Let the names in a directory be on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
