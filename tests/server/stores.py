# SPDX-License-Identifier: Apache-2.0
"""Stores and batches for tests: what an entry says does not matter here, only that it is kept."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hokm_server.store import Batch, Store

ORIGIN = "test.example/hokm"
CTX = bytes(range(41))


def stream(number: int) -> bytes:
    """The id of a table, in the order of the numbers."""
    return number.to_bytes(16)


def entry(table: int, version: int, size: int = 290) -> bytes:
    """An entry that can be told from every other."""
    return (b"%d/%d/" % (table, version)).ljust(size, b".")


def batch(table: int, first: int, count: int = 1) -> Batch:
    """So many entries of a table."""
    return Batch(stream(table), first, [entry(table, version) for version in range(first, first + count)])


@contextmanager
def opened(path: Path, origin: str = ORIGIN, busy_seconds: float = 0.1) -> Iterator[Store]:
    """A store, closed at the end."""
    store = Store(path, origin, busy_seconds=busy_seconds)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def raw(path: Path) -> Iterator[sqlite3.Connection]:
    """The file as any other program opens it, with none of the server's settings."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=0.1)
    try:
        yield connection
    finally:
        connection.close()
