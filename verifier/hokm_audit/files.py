# SPDX-License-Identifier: Apache-2.0
"""Files that are either the old one or the new one, whole, whenever the machine stops."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from hokm.errors import system_words
from hokm.policy import MOST_BYTES, Policy
from hokm_audit.errors import FileUnusable


@contextlib.contextmanager
def failures_of(path: Path) -> Iterator[None]:
    """Whatever the system says against it is a `FileUnusable`."""
    try:
        yield
    except OSError as error:
        raise FileUnusable(str(path), system_words(error)) from error


def write_durably(path: Path, octets: bytes, mode: int = 0o644) -> None:
    """Put `octets` into the file `path`. Raises `FileUnusable`, and then the old file is still there."""
    beside = path.with_name(path.name + ".new")
    with failures_of(path):
        beside.unlink(missing_ok=True)
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with open(descriptor, "wb") as file:
            file.write(octets)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        directory = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)


def read_policy(path: Path) -> Policy:
    """The policy of a file. Raises `FileUnusable`, `BadPolicy`."""
    with failures_of(path), open(path, "rb") as file:
        return Policy.parse(file.read(MOST_BYTES + 1))
