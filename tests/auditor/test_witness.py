# SPDX-License-Identifier: Apache-2.0
"""The witness at work, in this program: it remembers before it signs, and never signs two histories."""

from __future__ import annotations

import dataclasses
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hokm.errors import HokmError
from hokm.signing import SigningKey
from hokm.witness import NotOldSize, OtherRoot
from hokm_audit.errors import KeyExposed, KeyMalformed, MemoryMissing, MemoryOfAnother, MemoryUnusable
from hokm_audit.key_file import key_of
from hokm_audit.memory import Memory
from hokm_audit.witnessing import Witness
from tests.auditor.witnesses import NAME, asked, cosigned_at, lie, log_key, log_of

HOUSE = log_of(60)
ORIGIN = HOUSE.origin
KEY = SigningKey(b"w" * 32)


class Files:
    """Key and memory of a witness, in a directory."""

    def __init__(self, folder: Path) -> None:
        self.key = folder / "key"
        self.memory = folder / "memory"
        self._open: list[Memory] = []

    def opened(self) -> Memory:
        """The memory, opened once more."""
        self._open.append(Memory(self.memory, self.key))
        return self._open[-1]

    def witness(self, memory: Memory | None = None, now_s: int = 1_800_000_000) -> Witness:
        """A witness over them."""
        return Witness(NAME, KEY, [log_key(HOUSE)], memory or self.opened(), lambda: now_s)

    def close(self) -> None:
        for memory in self._open:
            memory.close()


@pytest.fixture
def files(tmp_path: Path) -> Iterator[Files]:
    """None yet."""
    files = Files(tmp_path)
    yield files
    files.close()


def test_it_cosigns_what_grows_with_the_time(files: Files) -> None:
    """Also the same size again, later."""
    for now_s, old, new in ((1000, 0, 10), (2000, 10, 30), (3000, 30, 30)):
        request, witness = asked(HOUSE, old, new), files.witness(now_s=now_s)
        line = witness.add_checkpoint(request.format())
        assert cosigned_at(request, line.format(), witness.vkey) == now_s


def test_it_refuses_a_fork_and_a_rollback(files: Files, expected_errors: list[str]) -> None:
    """After it was stopped, too; and its memory stays what it was."""
    expected_errors.append("two checkpoints of size 30: it lies")
    files.witness().add_checkpoint(asked(HOUSE, 0, 30).format())
    fork = log_of(60, seed=2)
    fork.origin, fork.log_key = HOUSE.origin, HOUSE.log_key
    for _ in range(2):
        witness = files.witness()
        for request in (asked(HOUSE, 0, 10), asked(HOUSE, 10, 20), asked(fork, 30, 40), lie(HOUSE, 30)):
            with pytest.raises(HokmError):
                witness.add_checkpoint(request.format())
    latest = files.opened().latest(ORIGIN)
    assert latest is not None
    assert latest.text == HOUSE.checkpoint(30).format()


def test_two_checkpoints_of_one_size_are_kept(files: Files, expected_errors: list[str]) -> None:
    """They prove that the log lies, to anybody."""
    expected_errors.append("two checkpoints of size 30: it lies")
    witness = files.witness()
    good, other = asked(HOUSE, 0, 30), lie(HOUSE, 30)
    witness.add_checkpoint(good.format())
    with pytest.raises(OtherRoot):
        witness.add_checkpoint(other.format())
    assert files.opened().lies(ORIGIN) == [(good.note, other.note)]


def test_of_many_lies_some_are_kept(files: Files, expected_errors: list[str]) -> None:
    """A log that lies without end fills no disk."""
    expected_errors.append("it lies")
    witness = files.witness()
    witness.add_checkpoint(asked(HOUSE, 0, 30).format())
    for _ in range(102):
        with pytest.raises(OtherRoot):
            witness.add_checkpoint(lie(HOUSE, 30).format())
    assert len(files.opened().lies(ORIGIN)) == 100


def test_it_remembers_before_it_signs(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped between the two, it knows what nobody has a cosignature of."""
    witness = files.witness()

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("hokm_audit.witnessing.cosign", stop)
        with pytest.raises(KeyboardInterrupt):
            witness.add_checkpoint(asked(HOUSE, 0, 30).format())
    with pytest.raises(NotOldSize) as caught:
        files.witness().add_checkpoint(asked(HOUSE, 0, 20).format())
    assert caught.value.size == 30


def test_what_is_not_on_the_disk_is_not_signed(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fails leaves the witness where it was."""
    witness = files.witness()
    files.memory.unlink()  # SQLite notices, and writes no more
    with pytest.raises(MemoryUnusable):
        witness.add_checkpoint(asked(HOUSE, 0, 30).format())


def test_of_two_at_once_one_is_cosigned(files: Files) -> None:
    """By two witnesses over one file, which is as if they were two programs."""
    witnesses = [files.witness(), files.witness()]
    signed: list[int] = []
    start = threading.Barrier(4)

    def ask(place: int) -> None:
        start.wait()
        try:
            witnesses[place % 2].add_checkpoint(asked(HOUSE, 0, 20 + place).format())
        except NotOldSize:
            return
        signed.append(20 + place)

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (size,) = signed
    latest = files.opened().latest(ORIGIN)
    assert latest is not None
    assert latest.text == HOUSE.checkpoint(size).format()


# Key and memory.


def test_a_key_is_made_once_for_its_owner_alone(files: Files) -> None:
    """And read again; not if others can read it, nor if it is something else."""
    key = key_of(files.key, "witness", os.urandom)
    assert files.key.stat().st_mode & 0o777 == 0o600
    assert key_of(files.key, "witness", os.urandom).public == key.public
    with pytest.raises(KeyMalformed):
        key_of(files.key, "auditor", os.urandom)
    files.key.chmod(0o640)
    with pytest.raises(KeyExposed):
        key_of(files.key, "witness", os.urandom)


def test_a_key_without_its_memory_signs_nothing(files: Files) -> None:
    """Nobody knows what it has cosigned."""
    key_of(files.key, "witness", os.urandom)
    with pytest.raises(MemoryMissing):
        files.opened()
    files.memory.touch()  # all that a full disk may leave of it
    for _ in range(2):
        with pytest.raises(MemoryMissing):
            files.opened()


def test_a_memory_is_of_one_key(files: Files) -> None:
    """What one has cosigned says nothing of another."""
    files.witness()
    with pytest.raises(MemoryOfAnother):
        Witness(NAME, SigningKey(bytes(32)), [log_key(HOUSE)], files.opened(), lambda: 0)


def test_the_file_of_another_program_is_no_memory(files: Files) -> None:
    """Neither a database nor anything else, and it is left alone."""
    import sqlite3

    files.memory.write_bytes(b"a letter" * 500)
    with pytest.raises(MemoryUnusable):
        files.opened()
    assert files.memory.read_bytes() == b"a letter" * 500
    files.memory.unlink()
    with sqlite3.connect(files.memory) as connection:
        connection.execute("CREATE TABLE other (thing)")
    connection.close()
    with pytest.raises(MemoryUnusable):
        files.opened()


def test_other_signatures_on_the_note_do_no_harm(files: Files) -> None:
    """A note that others have cosigned is cosigned too."""
    witness = files.witness()
    request = asked(HOUSE, 0, 30)
    request = dataclasses.replace(request, note=type(request.note).parse(HOUSE.publish(30).encode()))
    line = witness.add_checkpoint(request.format())
    assert cosigned_at(request, line.format(), witness.vkey) == 1_800_000_000
