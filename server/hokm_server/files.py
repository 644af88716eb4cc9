# SPDX-License-Identifier: Apache-2.0
"""Files that are either the old one or the new one, whole, whenever the machine stops.

Written beside, flushed to the disk, then renamed over the old one; and the directory flushed, for it is the
directory that holds the name.
"""

from __future__ import annotations

import os
from pathlib import Path


def write_durably(path: Path, octets: bytes, mode: int = 0o644) -> None:
    """Put `octets` into the file `path`. Raises `OSError`, and then the old file is still there."""
    beside = path.with_name(path.name + ".new")
    write_new(beside, octets, mode)
    beside.replace(path)
    flush_directory(path.parent)


def write_new(path: Path, octets: bytes, mode: int) -> None:
    """Put `octets` into `path`, in place of a file that an earlier attempt left there, and flush it."""
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with open(descriptor, "wb") as file:
        file.write(octets)
        file.flush()
        os.fsync(file.fileno())


def flush_directory(path: Path) -> None:
    """Flush the names in a directory."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
