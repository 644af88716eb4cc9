# SPDX-License-Identifier: Apache-2.0
"""The tables of the database, and the triggers that hold the log append-only.

    entries      the log: position 0, 1, 2 … is the place in the tree, (stream, version) the place in the game
    checkpoints  what was published, by size
    cosignatures what witnesses signed of it, a line of each by checkpoint and key
    nodes        hashes of full subtrees of 256, 65,536 … leaves: follow from the entries, so that no proof has to
                 read them all; the hashes below are made of the entries again when they are wanted
    streams      a row for each table that was opened, and whether its game still runs
    sealed       what players gave in confidence, encrypted, until the rules make it public
    wanted       seats that want a bot or a stand-in
    meta         the version of this schema and the origin of the log

Only the first three are history. A trigger refuses every UPDATE and DELETE of them. REPLACE deletes without asking
a DELETE trigger (unless a connection sets recursive_triggers), so a third one before each INSERT takes only the
row that is next: the position without a gap, the version without a gap; a cosignature where its checkpoint has
none by that key. Then nothing that is there can be replaced, and a gap cannot come about, whoever writes.

A database of an earlier version is brought forward at the start, in one transaction, and nothing in it is changed:
version 2 has cosignatures more than version 1.
"""

from __future__ import annotations

from sqlalchemy import (
    CheckConstraint,
    Column,
    Connection,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

VERSION = 2
"""Of the schema. A database of a greater one is refused, one of a lower one brought forward."""

APPLICATION_ID = int.from_bytes(b"HOKM")
"""What SQLite keeps in the file's header to tell whose it is."""

PAGE_BYTES = 8192
"""Entries of some 300 bytes leave less of a page unused than in SQLite's usual 4,096."""

metadata = MetaData()


def _stream(*, key: bool) -> Column[bytes]:
    return Column("stream", LargeBinary, CheckConstraint("length(stream) = 16"), primary_key=key, nullable=False)


entries = Table(
    "entries",
    metadata,
    Column("position", Integer, primary_key=True, autoincrement=False),
    _stream(key=False),
    Column("version", Integer, nullable=False),
    Column("entry", LargeBinary, nullable=False),
    UniqueConstraint("stream", "version"),
    sqlite_strict=True,
)

checkpoints = Table(
    "checkpoints",
    metadata,
    Column("size", Integer, primary_key=True, autoincrement=False),
    Column("note", LargeBinary, nullable=False),
    sqlite_strict=True,
)

cosignatures = Table(
    "cosignatures",
    metadata,
    Column("size", Integer, primary_key=True),
    Column("witness", LargeBinary, CheckConstraint("length(witness) = 32"), primary_key=True),
    Column("line", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

nodes = Table(
    "nodes",
    metadata,
    Column("level", Integer, primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("hash", LargeBinary, CheckConstraint("length(hash) = 32"), nullable=False),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

streams = Table(
    "streams",
    metadata,
    _stream(key=True),
    Column("running", Integer, nullable=False),
    Index("running_streams", "stream", sqlite_where=text("running")),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

sealed = Table(
    "sealed",
    metadata,
    _stream(key=True),
    Column("ctx", LargeBinary, primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("lay", Integer, primary_key=True),
    Column("box", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

wanted = Table(
    "wanted",
    metadata,
    _stream(key=True),
    Column("seat", Integer, primary_key=True),
    Column("kind", Integer, nullable=False),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

meta = Table(
    "meta",
    metadata,
    Column("schema_version", Integer, nullable=False),
    Column("origin", Text, nullable=False),
    sqlite_strict=True,
)

TRIGGERS = {
    "entries_in_order": """CREATE TRIGGER entries_in_order BEFORE INSERT ON entries
WHEN NEW.position IS NOT (SELECT coalesce(max(position), -1) + 1 FROM entries)
OR NEW.version IS NOT (SELECT coalesce(max(version), -1) + 1 FROM entries WHERE stream = NEW.stream)
BEGIN SELECT RAISE(ABORT, 'entries are appended, one after the other'); END""",
    "entries_unchanged": """CREATE TRIGGER entries_unchanged BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'entries are never changed'); END""",
    "entries_undeleted": """CREATE TRIGGER entries_undeleted BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'entries are never deleted'); END""",
    "checkpoints_in_order": """CREATE TRIGGER checkpoints_in_order BEFORE INSERT ON checkpoints
WHEN NOT coalesce(NEW.size > (SELECT coalesce(max(size), -1) FROM checkpoints), FALSE)
BEGIN SELECT RAISE(ABORT, 'checkpoints are appended, each of a greater size'); END""",
    "checkpoints_unchanged": """CREATE TRIGGER checkpoints_unchanged BEFORE UPDATE ON checkpoints
BEGIN SELECT RAISE(ABORT, 'checkpoints are never changed'); END""",
    "checkpoints_undeleted": """CREATE TRIGGER checkpoints_undeleted BEFORE DELETE ON checkpoints
BEGIN SELECT RAISE(ABORT, 'checkpoints are never deleted'); END""",
    "cosignatures_once": """CREATE TRIGGER cosignatures_once BEFORE INSERT ON cosignatures
WHEN NOT EXISTS (SELECT 1 FROM checkpoints WHERE size = NEW.size)
OR EXISTS (SELECT 1 FROM cosignatures WHERE size = NEW.size AND witness = NEW.witness)
BEGIN SELECT RAISE(ABORT, 'a checkpoint has one cosignature of each witness'); END""",
    "cosignatures_unchanged": """CREATE TRIGGER cosignatures_unchanged BEFORE UPDATE ON cosignatures
BEGIN SELECT RAISE(ABORT, 'cosignatures are never changed'); END""",
    "cosignatures_undeleted": """CREATE TRIGGER cosignatures_undeleted BEFORE DELETE ON cosignatures
BEGIN SELECT RAISE(ABORT, 'cosignatures are never deleted'); END""",
}
"""By name. Compared letter by letter with what a database holds, so a change of one is a new `VERSION`."""


def create(connection: Connection, origin: str) -> None:
    """Make everything, inside the caller's transaction."""
    metadata.create_all(connection, checkfirst=False)
    for statement in TRIGGERS.values():
        connection.exec_driver_sql(statement)
    connection.execute(meta.insert().values(schema_version=VERSION, origin=origin))
    connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")


def bring_forward(connection: Connection, version: int) -> None:
    """Make a database of this earlier version one of `VERSION`, inside the caller's transaction."""
    if version < 2:
        cosignatures.create(connection)
        for name, statement in TRIGGERS.items():
            if name.startswith("cosignatures_"):
                connection.exec_driver_sql(statement)
    connection.execute(meta.update().values(schema_version=VERSION))


def fault_of(connection: Connection) -> str | None:
    """Why the tables of a database do not hold the log append-only, or None if they do."""
    rows = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    found: dict[str, str] = dict(rows.all())
    for name, statement in TRIGGERS.items():
        if name not in found:
            return f"the trigger {name} is missing"
        if found[name] != statement:
            return f"the trigger {name} is not the one that was made"
    if strangers := found.keys() - TRIGGERS.keys():
        return f"there is a trigger {min(strangers)} that is not ours"
    keys = {
        tuple(connection.exec_driver_sql("SELECT name FROM pragma_index_info(?)", (index,)).scalars())
        for index in connection.exec_driver_sql(
            "SELECT name FROM pragma_index_list('entries') WHERE \"unique\" AND NOT partial"
        ).scalars()
    }
    if ("stream", "version") not in keys:
        return "the unique key (stream, version) is missing"
    tables = set(connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'").scalars())
    if missing := metadata.tables.keys() - tables:
        return f"the table {min(missing)} is missing"
    return None
