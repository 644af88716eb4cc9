# SPDX-License-Identifier: Apache-2.0
"""What an auditor keeps of a log: how far it is read, what is still open, what was found; in a file of SQLite.

    log        the checkpoint that was seen last, and the place up to which all is read and judged
    manifests  of the stream "keys"                streams   every table, one row
    waiting    the entries of tables that are open claims    what may stand once in a log: commitments, numbers, …
    roles      what each key is for                records   of games that are over, for the report
    findings   faults and warnings

All that a stretch of the log changes is changed in one transaction. Whoever is stopped, however it happens, goes on
from the stretch before.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hokm_audit.errors import LedgerOfAnother, LedgerUnusable
from hokm_audit.files import failures_of
from hokm_audit.findings import Code, Finding
from hokm_audit.proving import Placed

_APPLICATION: Final = 0x484B4155
"""The mark of such a file: "HKAU"."""

_SCHEMA: Final = f"""
BEGIN;
CREATE TABLE log (origin TEXT NOT NULL, note BLOB, place INTEGER NOT NULL, newest_ms INTEGER NOT NULL);
CREATE TABLE manifests (place INTEGER PRIMARY KEY, entry BLOB NOT NULL);
CREATE TABLE streams (
    id BLOB PRIMARY KEY, versions INTEGER NOT NULL, rounds INTEGER NOT NULL, judged INTEGER NOT NULL,
    over INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX open_streams ON streams (id) WHERE NOT over;
CREATE TABLE waiting (
    stream BLOB, version INTEGER, place INTEGER NOT NULL, entry BLOB NOT NULL, PRIMARY KEY (stream, version)
) WITHOUT ROWID;
CREATE TABLE claims (value BLOB PRIMARY KEY, stream BLOB NOT NULL, version INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE roles (key BLOB PRIMARY KEY, role TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE records (stream BLOB PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE counts (name TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE findings (code TEXT NOT NULL, place INTEGER, facts TEXT NOT NULL);
CREATE UNIQUE INDEX findings_once ON findings (code, ifnull(place, -1), facts);
PRAGMA application_id = {_APPLICATION};
COMMIT;
"""

MOST_FINDINGS: Final = 1000
"""Of one code that are kept; the others are only counted."""


@dataclass(slots=True)
class Stream:
    """A table, as far as the log is read."""

    id: bytes
    versions: int = 0
    """Entries that it has."""
    rounds: int = 0
    """Closed ones."""
    judged: int = 0
    """Of them: replayed, while the game goes on."""
    over: bool = False


class Ledger:
    """The file. One program at a time writes it."""

    def __init__(self, path: Path, origin: str) -> None:
        """Open it, or begin one for that log. Raises `LedgerUnusable`, `LedgerOfAnother`, `FileUnusable`."""
        self._path = path
        self._streams: dict[bytes, Stream] = {}
        """Those that were asked for in this stretch."""
        with failures_of(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        with self._failures():
            self._connection = sqlite3.connect(path, isolation_level=None)
            try:
                self._begin(origin)
            except BaseException:
                self._connection.close()
                raise

    def _begin(self, origin: str) -> None:
        mark = self._ask("PRAGMA application_id")
        if mark == 0 and self._ask("SELECT count(*) FROM sqlite_schema") == 0:
            self._connection.executescript(_SCHEMA)
        elif mark != _APPLICATION:
            raise sqlite3.DatabaseError("it is another program's")
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        known = self._ask("SELECT origin FROM log")
        if known is None:
            self._connection.execute("INSERT INTO log VALUES (?, NULL, 0, 0)", (origin,))
        elif known != origin:
            raise LedgerOfAnother(str(self._path), known)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @contextlib.contextmanager
    def changing(self) -> Iterator[None]:
        """A stretch: all that is changed within, or nothing of it. Raises `LedgerUnusable`."""
        with self._failures():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.executemany(
                    "INSERT OR REPLACE INTO streams VALUES (?, ?, ?, ?, ?)",
                    [(each.id, each.versions, each.rounds, each.judged, each.over) for each in self._streams.values()],
                )
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            finally:
                self._streams.clear()

    @contextlib.contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise LedgerUnusable(str(self._path), str(error)) from error

    def _ask(self, question: str, *values: object) -> Any:
        row = self._connection.execute(question, values).fetchone()
        return row and row[0]

    # How far.

    @property
    def note(self) -> bytes | None:
        """The checkpoint that was seen last."""
        octets: bytes | None = self._ask("SELECT note FROM log")
        return octets

    def saw(self, note: bytes) -> None:
        """This checkpoint goes on from the one before."""
        self._connection.execute("UPDATE log SET note = ?", (note,))

    @property
    def place(self) -> int:
        """All before it is read and judged."""
        return int(self._ask("SELECT place FROM log"))

    @property
    def newest_ms(self) -> int:
        """The latest time of any entry before that place."""
        return int(self._ask("SELECT newest_ms FROM log"))

    def reached(self, place: int, newest_ms: int) -> None:
        """All before it is read."""
        self._connection.execute("UPDATE log SET place = ?, newest_ms = ?", (place, newest_ms))

    # What is there.

    def manifests(self) -> list[Placed]:
        """All that came so far."""
        return [Placed(*row) for row in self._connection.execute("SELECT place, entry FROM manifests ORDER BY place")]

    def add_manifest(self, placed: Placed) -> None:
        """One more."""
        self._connection.execute("INSERT INTO manifests VALUES (?, ?)", placed)

    def stream(self, id: bytes) -> Stream:  # noqa: A002 - it is one
        """A table; what is changed of it is kept at the end of the stretch."""
        stream = self._streams.get(id)
        if stream is None:
            row = self._connection.execute("SELECT * FROM streams WHERE id = ?", (id,)).fetchone()
            stream = self._streams[id] = Stream(*(row or (id,)))
        return stream

    def unjudged(self) -> list[bytes]:
        """Tables that are not over and have rounds that were closed and not replayed; at the end of a stretch."""
        rows = self._connection.execute("SELECT id FROM streams WHERE NOT over AND judged < rounds ORDER BY id")
        return [id_ for (id_,) in rows]

    def wait(self, entries: Iterable[tuple[bytes, int, int, bytes]]) -> None:
        """Entries of tables that are open: stream, version, place, entry."""
        self._connection.executemany("INSERT INTO waiting VALUES (?, ?, ?, ?)", entries)

    def waiting(self, stream: bytes) -> list[Placed]:
        """All entries of a table, by version."""
        rows = self._connection.execute("SELECT place, entry FROM waiting WHERE stream = ? ORDER BY version", (stream,))
        return [Placed(*row) for row in rows]

    def let_go(self, stream: bytes) -> None:
        """A game that was judged is needed no more."""
        self._connection.execute("DELETE FROM waiting WHERE stream = ?", (stream,))

    # What stands once.

    def claim(self, value: bytes, stream: bytes, version: int) -> tuple[bytes, int] | None:
        """Take a value for this entry; if another entry has it, which."""
        self._connection.execute("INSERT OR IGNORE INTO claims VALUES (?, ?, ?)", (value, stream, version))
        row: tuple[bytes, int] = self._connection.execute(
            "SELECT stream, version FROM claims WHERE value = ?", (value,)
        ).fetchone()
        return None if row == (stream, version) else row

    def give_role(self, key: bytes, role: str) -> str:
        """The role that a key has: this one, or the one that it had before."""
        self._connection.execute("INSERT OR IGNORE INTO roles VALUES (?, ?)", (key, role))
        known: str = self._ask("SELECT role FROM roles WHERE key = ?", key)
        return known

    # What is told.

    def keep_record(self, stream: bytes, record: bytes) -> None:
        """Of a game that is over."""
        self._connection.execute("INSERT OR REPLACE INTO records VALUES (?, ?)", (stream, record))

    def records(self) -> Iterator[bytes]:
        """Of all games that are over, by their ids."""
        for (record,) in self._connection.execute("SELECT record FROM records ORDER BY stream"):
            yield record

    def count(self, counts: Counter[str]) -> None:
        """Add these."""
        self._connection.executemany(
            "INSERT INTO counts VALUES (?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count", counts.items()
        )

    def counts(self) -> Counter[str]:
        """All that was counted; besides, the tables: opened, over and open."""
        counts = Counter(dict(self._connection.execute("SELECT name, count FROM counts")))
        counts["tables"] = self._ask("SELECT count(*) FROM streams")
        counts["over"] = self._ask("SELECT count(*) FROM streams WHERE over")
        return counts

    def find(self, finding: Finding) -> None:
        """Keep a finding, once."""
        code = finding.code.name
        if self._ask("SELECT count(*) FROM findings WHERE code = ?", code) < MOST_FINDINGS:
            facts = json.dumps(finding.facts, sort_keys=True)
            self._connection.execute("INSERT OR IGNORE INTO findings VALUES (?, ?, ?)", (code, finding.place, facts))

    def findings(self) -> list[Finding]:
        """All that are kept, oldest first."""
        rows = self._connection.execute("SELECT code, place, facts FROM findings ORDER BY rowid")
        return [Finding(Code[code], place, json.loads(facts)) for code, place, facts in rows]
