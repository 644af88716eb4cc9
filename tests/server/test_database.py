# SPDX-License-Identifier: Apache-2.0
"""Files that a server cannot serve: each is answered with one error that says why, and none of them is changed."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from hokm.errors import HokmError
from hokm_server import database, schema
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
from hokm_server.store import Stored
from tests.server.stores import ORIGIN, batch, entry, opened, raw, stream


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A log of 300 entries."""
    path = tmp_path / "log.db"
    with opened(path) as store:
        store.append([batch(1, 0, 300)])
    return path


def refused(path: Path, kind: type[HokmError], origin: str = ORIGIN) -> HokmError:
    """The error that a server meets, which has changed nothing."""
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(kind) as caught, opened(path, origin):
        pass
    assert type(caught.value) is kind
    assert (path.read_bytes() if path.is_file() else None) == before
    assert str(path) in str(caught.value)
    return caught.value


# What makes an append durable.


def test_a_new_database_is_durable_ours_and_closed_to_others(path: Path) -> None:
    """The settings as SQLite reports them, the mark in the header, and the mode of the file."""
    with opened(path) as store:
        settings = {
            name: store._database.writing.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "secure_delete", "temp_store", "application_id", "page_size")
        }
    assert settings == {
        "journal_mode": "wal",
        "synchronous": 2,
        "secure_delete": 1,
        "temp_store": 2,
        "application_id": schema.APPLICATION_ID,
        "page_size": schema.PAGE_BYTES,
    }
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("setting", ["journal_mode", "synchronous"])
def test_a_setting_that_does_not_hold_is_refused(path: Path, setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite keeps the old value where it cannot have the new one, and says so when asked."""

    class Connection(sqlite3.Connection):
        def execute(self, sql: str, *rest: object) -> sqlite3.Cursor:
            if sql == "PRAGMA journal_mode = WAL" and setting == "journal_mode":
                sql = "PRAGMA journal_mode = DELETE"
            if sql == "PRAGMA synchronous = FULL" and setting == "synchronous":
                sql = "PRAGMA synchronous = NORMAL"
            return super().execute(sql, *rest)  # type: ignore[arg-type]

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **named: connect(*args, factory=Connection, **named))
    with pytest.raises(DatabaseUnsafe) as caught, opened(path):
        pass
    assert caught.value.setting == setting


# Whose it is.


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    """One with tables of its own."""
    with raw(tmp_path / "other.db") as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE songs (title TEXT)")
    refused(tmp_path / "other.db", DatabaseNotOurs)


def test_a_database_of_another_log_is_refused(path: Path) -> None:
    """The origin is in it from the beginning."""
    refused(path, DatabaseOfAnotherLog, origin="test.example/other")


def test_a_newer_database_is_refused(path: Path) -> None:
    """And says which version it has."""
    with raw(path) as connection:
        connection.execute(f"UPDATE meta SET schema_version = {schema.VERSION + 1}")
    error = refused(path, DatabaseNewer)
    facts = {"version": str(schema.VERSION + 1), "known": str(schema.VERSION)}
    assert error.facts == {"path": str(path), **facts}


# Earlier versions.


def made_before_cosignatures(path: Path) -> None:
    """Make the database what a server of schema version 1 made."""
    with raw(path) as connection:
        for name in schema.TRIGGERS:
            if name.startswith("cosignatures_"):
                connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DROP TABLE cosignatures")
        connection.execute("UPDATE meta SET schema_version = 1")


def test_a_database_of_an_earlier_version_is_brought_forward(path: Path, tmp_path: Path) -> None:
    """Its entries and checkpoints are what they were, and its schema that of a new database."""
    with opened(path) as store:
        store.publish(None, Stored(300, b"note"))
    made_before_cosignatures(path)
    with opened(tmp_path / "new.db"):
        pass
    with opened(path) as store:
        assert store.entries_between(0, 301) == [entry(1, version) for version in range(300)]
        assert store.latest() == Stored(300, b"note")
        store.cosign(300, bytes(32), b"line")
        assert store.cosignatures(300) == [b"line"]
    schemas = []
    for file in (path, tmp_path / "new.db"):
        with raw(file) as connection:
            schemas.append(sorted(connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()))
    assert schemas[0] == schemas[1]


def test_an_earlier_database_that_was_altered_is_refused(path: Path) -> None:
    """Being brought forward mends nothing, and another log's is not touched."""
    made_before_cosignatures(path)
    refused(path, DatabaseOfAnotherLog, origin="test.example/other")
    with raw(path) as connection:
        connection.execute("DROP TRIGGER entries_unchanged")
    with pytest.raises(DatabaseAltered), opened(path):
        pass


# Append-only.


@pytest.mark.parametrize("name", sorted(schema.TRIGGERS))
def test_a_missing_trigger_is_refused(path: Path, name: str) -> None:
    """At every start, each of them."""
    with raw(path) as connection:
        connection.execute(f"DROP TRIGGER {name}")
    assert name in str(refused(path, DatabaseAltered))


@pytest.mark.parametrize("name", sorted(schema.TRIGGERS))
def test_a_weakened_trigger_is_refused(path: Path, name: str) -> None:
    """One of the same name that does something else."""
    with raw(path) as connection:
        connection.execute(f"DROP TRIGGER {name}")
        connection.execute(f"CREATE TRIGGER {name} BEFORE UPDATE ON entries BEGIN SELECT 1; END")
    assert name in str(refused(path, DatabaseAltered))


def test_a_foreign_trigger_is_refused(path: Path) -> None:
    """It could write what nobody decided."""
    with raw(path) as connection:
        connection.execute("CREATE TRIGGER guest AFTER INSERT ON entries BEGIN DELETE FROM sealed; END")
    assert "guest" in str(refused(path, DatabaseAltered))


def test_a_table_without_its_unique_key_is_refused(path: Path) -> None:
    """Even with all triggers in their places."""
    with raw(path) as connection:
        connection.execute("ALTER TABLE entries RENAME TO gone")
        connection.execute("DROP TABLE gone")
        connection.execute("CREATE TABLE entries (position INTEGER PRIMARY KEY, stream, version, entry)")
        for statement in schema.TRIGGERS.values():
            if "ON entries" in statement:
                connection.execute(statement)
    assert "unique key" in str(refused(path, DatabaseAltered))


def test_a_missing_table_is_refused(path: Path) -> None:
    """Any of them."""
    with raw(path) as connection:
        connection.execute("DROP TABLE sealed")
    assert "sealed" in str(refused(path, DatabaseAltered))


# Damage.


def test_garbage_is_refused(tmp_path: Path) -> None:
    """Bytes that are no database at all."""
    (tmp_path / "garbage.db").write_bytes(b"these are not the pages you are looking for " * 500)
    refused(tmp_path / "garbage.db", DatabaseCorrupt)


@pytest.mark.parametrize("start", [0, 16, 100])
def test_a_damaged_header_is_refused(path: Path, start: int) -> None:
    """The magic, the header's numbers, and the first page of the schema."""
    octets = bytearray(path.read_bytes())
    octets[start : start + 16] = b"\xff" * 16
    path.write_bytes(octets)
    refused(path, DatabaseCorrupt)


def test_a_file_that_was_cut_is_refused_or_found(path: Path) -> None:
    """Half of a database."""
    octets = path.read_bytes()
    path.write_bytes(octets[: len(octets) // 2])
    with pytest.raises(DatabaseCorrupt), opened(path) as store:
        store.examine()


def test_flipped_pages_are_told_where_they_are_read(path: Path) -> None:
    """A page of the table of entries in ruins: reading, appending and examining meet one and the same error."""
    octets = bytearray(path.read_bytes())
    page = octets.index(entry(1, 150)) // schema.PAGE_BYTES * schema.PAGE_BYTES
    octets[page : page + 64] = bytes(byte ^ 0xFF for byte in octets[page : page + 64])
    path.write_bytes(octets)
    with opened(path) as store:
        with pytest.raises(DatabaseCorrupt):
            store.entries_between(0, 300)
        with pytest.raises(DatabaseCorrupt):
            store.examine()


# Room.


def test_a_full_database_takes_nothing_and_goes_on_later(path: Path) -> None:
    """SQLite's own limit of pages: the batches are not there, and there is room again afterwards."""
    with opened(path) as store:
        pages = store._database.writing.execute("PRAGMA page_count").fetchone()[0]
        store._database.writing.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(DatabaseFull):
            store.append([batch(1, 300, 100), batch(2, 0)])
        assert store.size == 300
        store._database.writing.execute("PRAGMA max_page_count = 100000")
        assert store.append([batch(1, 300, 100)]) == [300]
        assert store.last_version(stream(1)) == 399


@contextlib.contextmanager
def no_file_beyond(size: int) -> Iterator[None]:
    """The system lets no file of this process grow beyond so many bytes."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_takes_nothing_and_goes_on_later(path: Path) -> None:
    """The system refuses to write: an error for the batch, whole entries in the file, and then it goes on."""
    with opened(path) as store:
        with no_file_beyond(100_000):
            with contextlib.suppress(DatabaseFull):
                for taken in range(300, 3000, 10):
                    store.append([batch(1, taken, 10)])
            assert 300 < taken < 2990
            assert store.size == taken
        store.append([batch(1, taken)])
    with opened(path) as store:
        assert store.entries_between(0, 10_000) == [entry(1, version) for version in range(taken + 1)]
        store.examine()


def test_a_disk_that_is_full_at_the_first_start(tmp_path: Path) -> None:
    """No database is made, and the next start makes one."""
    with no_file_beyond(10_000), pytest.raises(DatabaseFull), opened(tmp_path / "log.db"):
        pass
    with opened(tmp_path / "log.db") as store:
        assert store.append([batch(1, 0)]) == [0]


# Access.


@contextlib.contextmanager
def unprivileged() -> Iterator[None]:
    """As somebody whom the modes of files hold."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def public(path: Path) -> Iterator[Path]:
    """The same log in a directory that anybody can reach, owned by nobody."""
    with tempfile.TemporaryDirectory(prefix="hokm-") as directory:
        copy = Path(directory) / "log.db"
        copy.write_bytes(path.read_bytes())
        if not os.geteuid():
            os.chown(directory, 65534, 65534)
            os.chown(copy, 65534, 65534)
        try:
            yield copy
        finally:
            Path(directory).chmod(0o700)


def test_a_read_only_file_is_refused(public: Path) -> None:
    """One that may be read."""
    public.chmod(0o400)
    with unprivileged():
        refused(public, DatabaseReadOnly)


def test_a_read_only_directory_is_refused(public: Path) -> None:
    """SQLite has to make files beside its own."""
    public.parent.chmod(0o500)
    with unprivileged():
        refused(public, DatabaseReadOnly)


def test_an_unreadable_file_is_refused(public: Path) -> None:
    """Mode 000."""
    public.chmod(0)
    with unprivileged(), pytest.raises((DatabaseMissing, DatabaseReadOnly)), opened(public):
        pass


def test_a_missing_directory_is_refused(tmp_path: Path) -> None:
    """No directory is made unasked."""
    refused(tmp_path / "nowhere" / "log.db", DatabaseMissing)


def test_a_directory_is_no_database(tmp_path: Path) -> None:
    """In place of the file."""
    (tmp_path / "log.db").mkdir()
    refused(tmp_path / "log.db", DatabaseMissing)


# Others.


def test_a_second_server_is_told_who_was_first(path: Path) -> None:
    """Also through another name of the file; the first goes on."""
    alias = path.with_name("alias.db")
    alias.symlink_to(path)
    with opened(path) as store:
        for name in (path, alias):
            with pytest.raises(DatabaseInUse) as caught, opened(name):
                pass
            assert caught.value.by == f"process {os.getpid()}"
        store.append([batch(1, 300)])


def test_a_killed_server_leaves_no_lock(path: Path) -> None:
    """The lock goes with the process, not with the file."""
    program = f"""
import sys
from pathlib import Path
from hokm_server.store import Store
store = Store(Path({str(path)!r}), {ORIGIN!r})
print("up", flush=True)
sys.stdin.read()
"""
    server = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"up\n"
        with pytest.raises(DatabaseInUse) as caught, opened(path):
            pass
        assert caught.value.by == f"process {server.pid}"
        server.kill()
    with opened(path) as store:
        assert store.size == 300


def test_a_database_locked_by_another_program_is_refused(path: Path) -> None:
    """After the time that the server waits."""
    with raw(path) as connection:
        connection.execute("BEGIN IMMEDIATE")
        refused(path, DatabaseLocked)


def test_an_append_under_a_lock_is_refused_and_goes_on_later(path: Path) -> None:
    """Nothing of it is there; after the lock it is taken."""
    with opened(path) as store, raw(path) as connection:
        connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseLocked):
            store.append([batch(1, 300)])
        assert store.entries_of(stream(1), 300, 10) == []
        connection.execute("ROLLBACK")
        assert store.append([batch(1, 300)]) == [300]


def test_an_append_beside_another_program_is_refused(path: Path) -> None:
    """Whatever writes behind the server's back is noticed with the next append."""
    with opened(path) as store, raw(path) as connection:
        connection.execute("INSERT INTO entries SELECT 300, stream, 300, x'00' FROM entries WHERE position = 0")
        with pytest.raises(DatabaseAltered):
            store.append([batch(2, 0)])


# Names of failures.


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (sqlite3.SQLITE_FULL, DatabaseFull),
        (sqlite3.SQLITE_IOERR_WRITE, DatabaseFull),
        (sqlite3.SQLITE_IOERR_FSYNC, DatabaseFailed),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, DatabaseLocked),
        (sqlite3.SQLITE_READONLY_DBMOVED, DatabaseReadOnly),
        (sqlite3.SQLITE_CORRUPT_INDEX, DatabaseCorrupt),
        (sqlite3.SQLITE_NOTADB, DatabaseCorrupt),
        (sqlite3.SQLITE_CANTOPEN, DatabaseMissing),
        (sqlite3.SQLITE_NOMEM, DatabaseFailed),
    ],
)
def test_each_failure_of_sqlite_has_its_error(code: int, kind: type[HokmError]) -> None:
    """By code, not by text."""
    error = sqlite3.OperationalError("something")
    error.sqlite_errorcode = code
    assert type(database.failure_of(Path("log.db"), error)) is kind


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.ENOSPC, DatabaseFull),
        (errno.EROFS, DatabaseReadOnly),
        (errno.ENOENT, DatabaseMissing),
    ],
)
def test_each_failure_of_the_system_has_its_error(number: int, kind: type[HokmError]) -> None:
    """Where the lock or the file is made."""
    with pytest.raises(kind), database.telling(Path("log.db")):
        raise OSError(number, "something")


def test_a_failed_start_leaves_nothing_open(path: Path) -> None:
    """No lock and no file: the next start of the same process finds them free."""
    with raw(path) as connection:
        connection.execute("DROP TRIGGER entries_unchanged")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        refused(path, DatabaseAltered)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
