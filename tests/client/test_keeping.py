# SPDX-License-Identifier: Apache-2.0
"""What was kept before it was sent is there after a crash, and nothing else is ever sent in its place."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from hokm.table import LaidCard
from hokm_client.errors import KeepingFailed, KeepingInUse, OtherSetSigned
from hokm_client.keeping import _SCHEMA, FILE_NAME, Keeping, KeptKey, KeptMove, KeptSet

CTX = bytes(range(41))
KEY = b"k" * 32
TABLE = b"t" * 16
LAID = LaidCard(7, b"s" * 32)


def test_a_number_is_drawn_once_for_a_ceremony_seat_and_key(tmp_path: Path) -> None:
    """Asked again, also after a new start, it is the same; another key or seat has another."""
    keeping = Keeping(tmp_path)
    number = keeping.number_for(CTX, 1, KEY, lambda: os.urandom(32))
    assert keeping.number_for(CTX, 1, KEY, lambda: os.urandom(32)) == number
    assert keeping.number_for(CTX, 2, KEY, lambda: os.urandom(32)) != number
    assert keeping.number_for(CTX, 1, b"j" * 32, lambda: os.urandom(32)) != number
    keeping.close()
    again = Keeping(tmp_path)
    assert again.number(CTX, 1, KEY) == number
    again.close()


def test_one_set_is_signed_for_a_context_and_never_another(tmp_path: Path) -> None:
    """The same again is well; another is refused, also after a new start and after the game was forgotten."""
    keeping = Keeping(tmp_path)
    keeping.sign_over(CTX, b"a" * 32, b"entry")
    keeping.sign_over(CTX, b"a" * 32, b"entry again")
    with pytest.raises(OtherSetSigned):
        keeping.sign_over(CTX, b"b" * 32, b"entry")
    keeping.forget(TABLE, CTX[:32])
    keeping.close()
    again = Keeping(tmp_path)
    assert again.set_of(CTX) == KeptSet(b"a" * 32, b"entry")
    with pytest.raises(OtherSetSigned):
        again.sign_over(CTX, b"b" * 32, b"entry")
    again.close()


def test_the_last_move_takes_the_place_of_the_one_before() -> None:
    """A client has one unanswered move at a time."""
    keeping = Keeping(None)
    assert keeping.last_move(TABLE, KEY) is None
    keeping.put_move(TABLE, KEY, KeptMove(b"first", 3, b"h" * 32))
    keeping.put_move(TABLE, KEY, KeptMove(b"second", 4, b"i" * 32))
    assert keeping.last_move(TABLE, KEY) == KeptMove(b"second", 4, b"i" * 32)
    assert keeping.last_move(TABLE, b"j" * 32) is None


def test_notes_keys_and_heads_come_back_as_they_were(tmp_path: Path) -> None:
    """The first note of a packet stays; keys are dropped one by one; of each log there is one head."""
    keeping = Keeping(tmp_path)
    keeping.put_note(CTX, 0, 2, b"second packet", b"s" * 64)
    keeping.put_note(CTX, 0, 1, b"first packet", b"s" * 64)
    keeping.put_note(CTX, 0, 1, b"another", b"s" * 64)
    keeping.put_key(KeptKey(TABLE, 0, b"1" * 32))
    keeping.put_key(KeptKey(TABLE, 0, b"2" * 32))
    keeping.drop_key(KeptKey(TABLE, 0, b"1" * 32))
    keeping.put_checkpoint("a.example", b"old")
    keeping.put_checkpoint("a.example", b"new")
    keeping.close()
    again = Keeping(tmp_path)
    assert [note for note, _ in again.notes(CTX, 0)] == [b"first packet", b"second packet"]
    assert again.seat_keys() == [KeptKey(TABLE, 0, b"2" * 32)]
    assert again.checkpoint("a.example") == b"new"
    assert again.checkpoint("b.example") is None
    again.close()


def test_a_game_is_forgotten_without_touching_another() -> None:
    """Numbers, notes, moves and keys of that game go."""
    keeping = Keeping(None)
    other = b"\xff" * 32 + CTX[32:]
    for ctx in (CTX, other):
        keeping.number_for(ctx, 0, KEY, lambda: b"n" * 32)
        keeping.put_note(ctx, 0, 1, b"note", b"s" * 64)
        keeping.put_early(ctx, b"c" * 32, LAID)
    keeping.put_move(TABLE, KEY, KeptMove(b"move", 1, b"h" * 32))
    keeping.put_move(b"u" * 16, KEY, KeptMove(b"move", 1, b"h" * 32))
    keeping.put_key(KeptKey(TABLE, 0, b"1" * 32))
    keeping.forget(TABLE, CTX[:32])
    assert keeping.number(CTX, 0, KEY) is None
    assert keeping.notes(CTX, 0) == []
    assert keeping.early(CTX, b"c" * 32) is None
    assert keeping.last_move(TABLE, KEY) is None
    assert keeping.seat_keys() == []
    assert keeping.number(other, 0, KEY) == b"n" * 32
    assert keeping.notes(other, 0)
    assert keeping.early(other, b"c" * 32) == LAID
    assert keeping.last_move(b"u" * 16, KEY) is not None


def test_one_program_at_a_time(tmp_path: Path) -> None:
    """A second program is told so in one sentence; when the first has closed, it may."""
    keeping = Keeping(tmp_path)
    with pytest.raises(KeepingInUse):
        Keeping(tmp_path)
    keeping.close()
    Keeping(tmp_path).close()


def test_a_file_that_cannot_be_flushed_is_let_go_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The failure is told, and the next program may have the file."""

    def fails(_: Keeping) -> None:
        raise KeepingFailed("here", "the disk is full")

    keeping = Keeping(tmp_path)
    monkeypatch.setattr(Keeping, "flush", fails)
    with pytest.raises(KeepingFailed):
        keeping.close()
    monkeypatch.undo()
    Keeping(tmp_path).close()


def test_what_was_flushed_survives_a_kill(tmp_path: Path) -> None:
    """What was put and not flushed may be gone; what was flushed is not."""
    program = (
        "import os, signal, sys; from pathlib import Path; from hokm_client.keeping import Keeping\n"
        f"keeping = Keeping(Path(sys.argv[1])); ctx = {CTX!r}; key = {KEY!r}\n"
        "keeping.number_for(ctx, 0, key, lambda: b'n' * 32); keeping.flush()\n"
        "keeping.number_for(ctx, 1, key, lambda: b'm' * 32); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False)
    assert done.returncode == -9
    keeping = Keeping(tmp_path)
    assert keeping.number(CTX, 0, KEY) == b"n" * 32
    assert keeping.number(CTX, 1, KEY) is None
    keeping.close()


def test_a_file_of_something_else_is_one_sentence(tmp_path: Path) -> None:
    """No traceback, and the file is not touched."""
    path = tmp_path / FILE_NAME
    path.write_bytes(b"not a database, but long enough to be looked at" * 40)
    before = path.read_bytes()
    with pytest.raises(KeepingFailed):
        Keeping(tmp_path)
    assert path.read_bytes() == before


def test_a_file_of_an_earlier_version_is_taken_up(tmp_path: Path) -> None:
    """What it holds stays, and what it could not hold can be put."""
    old = sqlite3.connect(tmp_path / FILE_NAME)
    old.executescript(f"{_SCHEMA[0]} PRAGMA user_version = 1;")
    old.execute("INSERT INTO number VALUES (?, 1, ?, ?)", (CTX, KEY, b"n" * 32))
    old.commit()
    old.close()
    for _ in range(2):
        keeping = Keeping(tmp_path)
        assert keeping.number(CTX, 1, KEY) == b"n" * 32
        if keeping.early(CTX, b"c" * 32) is None:
            keeping.put_early(CTX, b"c" * 32, LAID)
        keeping.close()
    again = Keeping(tmp_path)
    assert again.early(CTX, b"c" * 32) == LAID
    again.close()


def test_a_file_of_a_later_version_is_one_sentence(tmp_path: Path) -> None:
    """What is not understood is not written to."""
    Keeping(tmp_path).close()
    database = sqlite3.connect(tmp_path / FILE_NAME)
    database.execute("PRAGMA user_version = 7")
    database.close()
    with pytest.raises(KeepingFailed, match="version 7"):
        Keeping(tmp_path)


def test_every_commit_reaches_the_disk(tmp_path: Path) -> None:
    """SQLite is asked what it was told: WAL and synchronous FULL."""
    keeping = Keeping(tmp_path)
    database = keeping._db
    assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert database.execute("PRAGMA synchronous").fetchone() == (2,)
    keeping.close()
