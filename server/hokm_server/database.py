# SPDX-License-Identifier: Apache-2.0
"""The SQLite file that the log is in: opened by one server, made durable, and every failure told by its name.

    journal_mode = WAL, synchronous = FULL   a transaction is on the disk before its commit answers
    secure_delete, recursive_triggers        what is removed is overwritten; REPLACE asks the DELETE triggers too
    <file>.lock                              held while the server runs: a second server is told who was first

SQLite's own locks last a moment, so they keep two writers from writing at once, not from being two. Both settings
of the first line are read back, for SQLite answers a wish that it cannot fulfil by keeping what was.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

from sqlalchemy import Connection, Engine, NullPool, QueuePool, create_engine, select
from sqlalchemy.exc import DBAPIError

from hokm.errors import HokmError, system_words
from hokm_server import schema
from hokm_server.errors import (
    DatabaseAltered,
    DatabaseCorrupt,
    DatabaseFailed,
    DatabaseFull,
    DatabaseInUse,
    DatabaseLocked,
    DatabaseMissing,
    DatabaseNewer,
    DatabaseNotOurs,
    DatabaseOfAnotherLog,
    DatabaseReadOnly,
    DatabaseUnsafe,
)
from hokm_server.files import flush_directory

STATEMENTS_KEPT = 256
"""Prepared statements of the writing connection: one for each number of rows that an append may have."""

_WAL_BYTES_KEPT = 64 * 2**20

_DURABLE = {"journal_mode": "wal", "synchronous": "2"}


class Database:
    """An open database: one connection that writes, and others that only read."""

    __slots__ = ("_lock", "path", "reading", "writing")

    path: Path
    writing: sqlite3.Connection
    """In autocommit mode, for one thread at a time."""
    reading: Engine
    """Connections that refuse to write, for any thread."""

    def __init__(self, path: Path, origin: str, busy_seconds: float) -> None:
        """Open the file, or make it where there is none.

        Raises the errors of `hokm_server.errors` that begin with Database, and leaves nothing open then.
        """
        self.path = path.resolve()
        with contextlib.ExitStack() as undo, telling(self.path):
            self._lock = _take_lock(self.path)
            undo.callback(os.close, self._lock)
            _make_file(self.path)
            self.writing = _connect(self.path, busy_seconds)
            undo.callback(self.writing.close)
            self.reading = create_engine(
                "sqlite://",
                creator=lambda: _connect(self.path, busy_seconds, query_only=True),
                poolclass=QueuePool,
                pool_size=4,
                max_overflow=-1,
            )
            undo.callback(self.reading.dispose)
            self._make_durable()
            self._make_schema(origin, busy_seconds)
            with self.reading.connect() as connection:
                version = self._version(connection, origin)
            if version < schema.VERSION:
                self._change_schema(busy_seconds, lambda connection: schema.bring_forward(connection, version))
            with self.reading.connect() as connection:
                if (fault := schema.fault_of(connection)) is not None:
                    raise DatabaseAltered(str(self.path), fault)
            self._try_to_write()
            undo.pop_all()

    def close(self) -> None:
        """Close everything; the lock last."""
        self.reading.dispose()
        self.writing.close()
        os.close(self._lock)

    def _make_durable(self) -> None:
        self.writing.execute(f"PRAGMA page_size = {schema.PAGE_BYTES}")
        self.writing.execute("PRAGMA journal_mode = WAL")
        self.writing.execute(f"PRAGMA journal_size_limit = {_WAL_BYTES_KEPT}")
        for setting, value in self.durability().items():
            if value != _DURABLE[setting]:
                raise DatabaseUnsafe(str(self.path), setting, value, _DURABLE[setting])

    def durability(self) -> dict[str, str]:
        """What SQLite says of the settings that make a commit durable."""
        return {name: str(self.writing.execute(f"PRAGMA {name}").fetchone()[0]) for name in _DURABLE}

    def _try_to_write(self) -> None:
        self.writing.execute("BEGIN IMMEDIATE")  # refused where another program has a lock
        try:
            self.writing.execute("UPDATE meta SET origin = origin")  # refused where the file is read-only
        finally:
            self.writing.execute("ROLLBACK")

    def _make_schema(self, origin: str, busy_seconds: float) -> None:
        if not self.writing.execute("SELECT 1 FROM sqlite_master").fetchone():
            self._change_schema(busy_seconds, lambda connection: schema.create(connection, origin))

    def _change_schema(self, busy_seconds: float, change: Callable[[Connection], None]) -> None:
        """Change it in one transaction, on a connection that ends with it."""
        engine = create_engine("sqlite://", creator=lambda: _connect(self.path, busy_seconds), poolclass=NullPool)
        with engine.connect() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            change(connection)
            connection.exec_driver_sql("COMMIT")

    def _version(self, connection: Connection, origin: str) -> int:
        """Of the schema of the file, which is a database of this log."""
        path = str(self.path)
        if connection.exec_driver_sql("PRAGMA application_id").scalar() != schema.APPLICATION_ID:
            raise DatabaseNotOurs(path)
        if not connection.exec_driver_sql("SELECT 1 FROM sqlite_master WHERE name = 'meta'").scalar():
            raise DatabaseAltered(path, "the table meta is missing")
        row = connection.execute(select(schema.meta.c.schema_version, schema.meta.c.origin)).first()
        if row is None:
            raise DatabaseAltered(path, "the table meta is empty")
        if row.schema_version > schema.VERSION:
            raise DatabaseNewer(path, row.schema_version, schema.VERSION)
        if row.origin != origin:
            raise DatabaseOfAnotherLog(path, row.origin, origin)
        return int(row.schema_version)


def _take_lock(path: Path) -> int:
    descriptor = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
        os.close(descriptor)
        raise DatabaseInUse(str(path), f"process {holder}" if holder else "another process") from None
    with contextlib.suppress(OSError):  # only to be able to say who
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, b"%d\n" % os.getpid(), 0)
    return descriptor


def _make_file(path: Path) -> None:
    """Make an empty file that others cannot read, where there is none."""
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
        flush_directory(path.parent)


def _connect(path: Path, busy_seconds: float, *, query_only: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path,
        timeout=busy_seconds,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=STATEMENTS_KEPT,
    )
    try:
        for setting in (
            "synchronous = FULL",
            "temp_store = MEMORY",  # what a statement may have to undo goes into no file of its own
            "fullfsync = ON",  # on a Mac, a flush that reaches the disk
            "secure_delete = ON",
            "recursive_triggers = ON",
            "trusted_schema = OFF",
            "cell_size_check = ON",
            f"query_only = {'ON' if query_only else 'OFF'}",
        ):
            connection.execute(f"PRAGMA {setting}")
    except BaseException:
        connection.close()
        raise
    return connection


# Failures.


@contextlib.contextmanager
def telling(path: Path) -> Iterator[None]:
    """Turn what SQLite and the system raise into the error that says so, one of those that begin with Database."""
    try:
        yield
    except DBAPIError as error:
        if not isinstance(error.orig, sqlite3.Error):
            raise
        raise failure_of(path, error.orig) from error
    except sqlite3.Error as error:
        raise failure_of(path, error) from error
    except OSError as error:
        raise _failure_of_system(path, error) from error


def failure_of(path: Path, error: sqlite3.Error) -> HokmError:
    """The error that stands for one of SQLite."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    what, file = str(error), str(path)
    if code in (sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE):  # a quota, or the greatest size of a file
        return DatabaseFull(file, "the system takes no more of it")
    match code & 0xFF:
        case sqlite3.SQLITE_FULL:
            return DatabaseFull(file, what)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return DatabaseLocked(file)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return DatabaseReadOnly(file)
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_FORMAT:
            return DatabaseCorrupt(file, what)
        case sqlite3.SQLITE_CANTOPEN:
            return DatabaseMissing(file, what)
        case _:
            return DatabaseFailed(file, what)


def _failure_of_system(path: Path, error: OSError) -> HokmError:
    what = system_words(error)
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return DatabaseFull(str(path), what)
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return DatabaseReadOnly(str(path))
        case _:
            return DatabaseMissing(str(path), what)
