# SPDX-License-Identifier: Apache-2.0
"""What a device must keep before it sends: numbers, the sets it signed over, its last moves, keys, cards it was sent.

One SQLite file in the player's directory, for all seats that the program plays. What is put here becomes durable with
the next `flush`, all of it in one commit; whoever sends flushes first, so that nothing is on its way that would not
survive a crash:

    number   of a ceremony, seat and key: drawn once, then always the same, so that a commitment can be opened
    set      the one set of commitments that a Reveal was signed over, for each context
    move     the last move that a key signed at a table, with its head: it is sent again until it is answered
    key      of a bot or stand-in at one table and seat
    note     cards of a seat as the house signed them: a second, different note would contradict it
    early    a card that was laid face down: the log has only what it is bound with
    head     the last checkpoint of a log that was found consistent with all before it

It is held by one program at a time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from hokm.table import LaidCard
from hokm_client.errors import KeepingFailed, KeepingInUse, OtherSetSigned

FILE_NAME: Final = "keeping.sqlite"

_SCHEMA: Final = (
    """
CREATE TABLE number (
    ctx BLOB, seat INTEGER, key BLOB, number BLOB NOT NULL, PRIMARY KEY (ctx, seat, key)
) WITHOUT ROWID;
CREATE TABLE signed_set (ctx BLOB PRIMARY KEY, commit_set BLOB NOT NULL, entry BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE move (
    table_id BLOB, key BLOB, act BLOB NOT NULL, seen_version INTEGER NOT NULL, seen_hash BLOB NOT NULL,
    PRIMARY KEY (table_id, key)
) WITHOUT ROWID;
CREATE TABLE seat_key (
    table_id BLOB, seat INTEGER, seed BLOB NOT NULL, PRIMARY KEY (table_id, seat, seed)
) WITHOUT ROWID;
CREATE TABLE note (
    ctx BLOB, seat INTEGER, packet INTEGER, note BLOB NOT NULL, signature BLOB NOT NULL, PRIMARY KEY (ctx, seat, packet)
) WITHOUT ROWID;
CREATE TABLE head (origin TEXT PRIMARY KEY, checkpoint BLOB NOT NULL) WITHOUT ROWID;
""",
    """
CREATE TABLE early (
    ctx BLOB, commitment BLOB, card INTEGER NOT NULL, salt BLOB NOT NULL, PRIMARY KEY (ctx, commitment)
) WITHOUT ROWID;
""",
)
"""What each version has added to the one before."""


class KeptSet(NamedTuple):
    """The one set of commitments that was signed over in a context."""

    commit_set: bytes
    entry: bytes
    """The CommitSetClosed, as the house signed it."""


class KeptMove(NamedTuple):
    """The last move that a key signed at a table."""

    act: bytes
    """A serialized SignedAct, the number beside a Reveal with it."""
    seen_version: int
    seen_hash: bytes
    """The head that it vouches for: the key has checked the stream up to there."""


class KeptKey(NamedTuple):
    """A key made for one seat of one table."""

    table_id: bytes
    seat: int
    seed: bytes


class Keeping:
    """One open file. Every method raises `KeepingFailed` where the disk does."""

    __slots__ = ("_db", "_in_transaction", "_path")

    def __init__(self, directory: Path | None) -> None:
        """Open the file in that directory, or make it; None keeps in memory only, which survives nothing.

        Raises `KeepingInUse`, `KeepingFailed`.
        """
        self._path = ":memory:" if directory is None else str(directory / FILE_NAME)
        self._in_transaction = False
        try:
            if directory is not None:
                directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._db = sqlite3.connect(self._path, timeout=0, isolation_level=None, check_same_thread=False)
            try:
                self._open()
            except BaseException:
                self._db.close()
                raise
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise KeepingInUse(self._path) from None
            raise KeepingFailed(self._path, str(error)) from None
        except (sqlite3.Error, OSError) as error:
            raise KeepingFailed(self._path, str(error)) from None

    def _open(self) -> None:
        db = self._db
        for pragma in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = FULL"):
            db.execute(f"PRAGMA {pragma}").fetchall()
        db.execute("BEGIN IMMEDIATE")
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version > len(_SCHEMA):
            raise KeepingFailed(self._path, f"it is of version {version}, and this program knows {len(_SCHEMA)}")
        for added in _SCHEMA[version:]:
            for statement in added.split(";"):
                db.execute(statement)
        db.execute(f"PRAGMA user_version = {len(_SCHEMA)}")
        db.execute("COMMIT")

    def flush(self) -> None:
        """Make all that was put durable: call it before anything is sent. Costs nothing where nothing was put."""
        if self._in_transaction:
            with self._failing():
                self._db.execute("COMMIT")
                self._in_transaction = False

    def close(self) -> None:
        """Flush, and let another program have the file, also where the flush fails."""
        try:
            self.flush()
        finally:
            with self._failing():
                self._db.close()

    # Numbers and sets.

    def number_for(self, ctx: bytes, seat: int, key: bytes, make: Callable[[], bytes]) -> bytes:
        """The number of that ceremony, seat and key; made and put here where there is none yet."""
        number = self.number(ctx, seat, key)
        if number is None:
            number = make()
            self._put("INSERT INTO number VALUES (?, ?, ?, ?)", ctx, seat, key, number)
        return number

    def number(self, ctx: bytes, seat: int, key: bytes) -> bytes | None:
        """The number that is kept, if one is."""
        row = self._get("SELECT number FROM number WHERE ctx = ? AND seat = ? AND key = ?", ctx, seat, key)
        number: bytes | None = None if row is None else row[0]
        return number

    def sign_over(self, ctx: bytes, commit_set: bytes, entry: bytes) -> None:
        """A Reveal over this set, closed by that entry, is about to be signed.

        Raises `OtherSetSigned` if one over another set was.
        """
        signed = self.set_of(ctx)
        if signed is None:
            self._put("INSERT INTO signed_set VALUES (?, ?, ?)", ctx, commit_set, entry)
        elif signed.commit_set != commit_set:
            raise OtherSetSigned(signed.commit_set.hex(), commit_set.hex())

    def set_of(self, ctx: bytes) -> KeptSet | None:
        """The set that was signed over in that context, if one was."""
        row = self._get("SELECT commit_set, entry FROM signed_set WHERE ctx = ?", ctx)
        return None if row is None else KeptSet(*row)

    # Moves.

    def put_move(self, table_id: bytes, key: bytes, move: KeptMove) -> None:
        """The last move of that key at that table, in place of the one before."""
        self._put("INSERT OR REPLACE INTO move VALUES (?, ?, ?, ?, ?)", table_id, key, *move)

    def last_move(self, table_id: bytes, key: bytes) -> KeptMove | None:
        """The last move that the key signed at that table, answered or not."""
        row = self._get("SELECT act, seen_version, seen_hash FROM move WHERE table_id = ? AND key = ?", table_id, key)
        return None if row is None else KeptMove(*row)

    # Keys of bots and stand-ins.

    def put_key(self, key: KeptKey) -> None:
        """A key made for one seat."""
        self._put("INSERT OR IGNORE INTO seat_key VALUES (?, ?, ?)", *key)

    def seat_keys(self) -> list[KeptKey]:
        """All keys of tables that were not forgotten."""
        with self._failing():
            rows = self._db.execute("SELECT table_id, seat, seed FROM seat_key").fetchall()
        return [KeptKey(*row) for row in rows]

    def drop_key(self, key: KeptKey) -> None:
        """The key will sign no more."""
        self._put("DELETE FROM seat_key WHERE table_id = ? AND seat = ? AND seed = ?", *key)

    # Cards.

    def put_note(self, ctx: bytes, seat: int, packet: int, note: bytes, signature: bytes) -> None:
        """Cards as they were signed; the first note of a packet stays."""
        self._put("INSERT OR IGNORE INTO note VALUES (?, ?, ?, ?, ?)", ctx, seat, packet, note, signature)

    def notes(self, ctx: bytes, seat: int) -> list[tuple[bytes, bytes]]:
        """The notes of that deal and seat, each with its signature, by packet."""
        with self._failing():
            rows: list[tuple[bytes, bytes]] = self._db.execute(
                "SELECT note, signature FROM note WHERE ctx = ? AND seat = ? ORDER BY packet", (ctx, seat)
            ).fetchall()
        return rows

    def put_early(self, ctx: bytes, commitment: bytes, laid: LaidCard) -> None:
        """A card that is about to be laid face down in that deal, by what binds to it."""
        self._put("INSERT INTO early VALUES (?, ?, ?, ?)", ctx, commitment, laid.card, laid.salt)

    def early(self, ctx: bytes, commitment: bytes) -> LaidCard | None:
        """The card that opens the commitment, where it was laid here."""
        row = self._get("SELECT card, salt FROM early WHERE ctx = ? AND commitment = ?", ctx, commitment)
        return None if row is None else LaidCard(*row)

    # The log.

    def put_checkpoint(self, origin: str, checkpoint: bytes) -> None:
        """The last checkpoint of that log, a signed note."""
        self._put("INSERT OR REPLACE INTO head VALUES (?, ?)", origin, checkpoint)

    def checkpoint(self, origin: str) -> bytes | None:
        """The last checkpoint of that log."""
        row = self._get("SELECT checkpoint FROM head WHERE origin = ?", origin)
        checkpoint: bytes | None = None if row is None else row[0]
        return checkpoint

    # When a game is over.

    def forget(self, table_id: bytes, game_id: bytes) -> None:
        """Drop what was kept for a game that is over and has been checked. The sets signed over stay for ever."""
        last = game_id + b"\xff" * 10
        for statement in (
            "DELETE FROM number WHERE ctx BETWEEN ? AND ?",
            "DELETE FROM note WHERE ctx BETWEEN ? AND ?",
            "DELETE FROM early WHERE ctx BETWEEN ? AND ?",
        ):
            self._put(statement, game_id, last)
        for statement in ("DELETE FROM move WHERE table_id = ?", "DELETE FROM seat_key WHERE table_id = ?"):
            self._put(statement, table_id)

    # SQL.

    def _put(self, statement: str, *values: object) -> None:
        with self._failing():
            if not self._in_transaction:
                self._db.execute("BEGIN")
                self._in_transaction = True
            self._db.execute(statement, values)

    def _get(self, statement: str, *values: object) -> tuple[Any, ...] | None:
        with self._failing():
            row: tuple[Any, ...] | None = self._db.execute(statement, values).fetchone()
        return row

    @contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise KeepingFailed(self._path, str(error)) from None
