# SPDX-License-Identifier: Apache-2.0
"""Secrets under a passphrase: nothing of them is in the files, and nothing but the passphrase opens them."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from hokm.notation import read_base64, write_base64
from hokm_server import rotation
from hokm_server.errors import KeyFileExposed, KeyFileMalformed, KeyFileMissing, KeyLocked, PassphraseWrong
from hokm_server.house_keys import load
from hokm_server.key_files import KeyFiles, Role, read_passphrase
from hokm_server.passphrase import Passphrase
from hokm_server.public_keys import read_public
from tests.server.stores import ORIGIN

NOW = 1_800_000_000_000
WORDS = b"four words of somebody"


@cache
def passphrase(words: bytes = WORDS) -> Passphrase:
    """Made once: to derive a key takes its time."""
    return Passphrase(words, entropy=os.urandom)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """The keys of a new house, locked."""
    rotation.create(tmp_path / "keys", ORIGIN, NOW, entropy=os.urandom, passphrase=passphrase())
    return tmp_path / "keys"


def test_what_is_locked_opens_for_its_use_alone() -> None:
    """Whole or not at all."""
    locked = passphrase().lock("event", b"s" * 32)
    assert passphrase().unlock("event", locked) == b"s" * 32
    assert passphrase().unlock("log", locked) is None
    assert passphrase(b"another").unlock("event", locked) is None
    for wrong in (b"", locked[:43], locked[:-1], locked[:-1] + bytes([locked[-1] ^ 1])):
        assert passphrase().unlock("event", wrong) is None
    assert b"s" * 8 not in locked
    assert passphrase().lock("event", b"s" * 32) != locked
    assert WORDS.decode() not in repr(passphrase())


def test_locked_keys_are_made_read_and_changed(directory: Path) -> None:
    """Under the same passphrase; the operator's key lies open, for the bots read it."""
    files = KeyFiles(directory, passphrase())
    rotation.rotate(files, files, ORIGIN, {Role.EVENT, Role.LOG, Role.ROOT}, NOW, entropy=os.urandom)
    keys = load(directory, ORIGIN, passphrase())
    assert len(keys.event_keys) == 2
    words = {
        path.name: path.read_text().split()[2] for path in directory.iterdir() if path.suffix in (".key", ".secret")
    }
    assert len(words) == 12
    assert {name for name, word in words.items() if word != "locked"} == {"operator.key"}
    secret = keys.seal
    for spelling in (secret, secret.hex().encode(), write_base64(secret).encode()):
        assert all(spelling not in path.read_bytes() for path in directory.iterdir())


def test_without_the_passphrase_they_stay_closed(directory: Path) -> None:
    """What is public is read all the same."""
    with pytest.raises(KeyLocked, match=r"passphrase-file"):
        load(directory, ORIGIN)
    with pytest.raises(PassphraseWrong):
        load(directory, ORIGIN, passphrase(b"another"))
    assert read_public(KeyFiles(directory), ORIGIN).origin == ORIGIN


def test_keys_that_lie_open_are_read_with_a_passphrase_too(tmp_path: Path) -> None:
    """New ones are locked then."""
    rotation.create(tmp_path / "keys", ORIGIN, NOW, entropy=os.urandom)
    files = KeyFiles(tmp_path / "keys", passphrase())
    rotation.rotate(files, files, ORIGIN, {Role.EVENT}, NOW, entropy=os.urandom)
    assert len(load(tmp_path / "keys", ORIGIN, passphrase()).event_keys) == 2
    with pytest.raises(KeyLocked):
        load(tmp_path / "keys", ORIGIN)


@pytest.mark.parametrize(
    "rest", ["", " ", "locked", "locked AAAA", "locked A", "open AAAA", "locked " + write_base64(bytes(76))]
)
def test_another_content_is_refused(directory: Path, rest: str) -> None:
    """Cut, garbled, or locked by nobody."""
    (directory / "event.key").write_text(f"hokm-v1 event {rest}\n")
    with pytest.raises((KeyFileMalformed, PassphraseWrong)):
        load(directory, ORIGIN, passphrase())


def test_one_locked_file_in_the_place_of_another_is_refused(directory: Path) -> None:
    """Though somebody changes the word in it that says what it is for."""
    text = (directory / "token.secret").read_text()
    (directory / "seal.key").write_text(text.replace("token", "seal"))
    with pytest.raises(PassphraseWrong):
        load(directory, ORIGIN, passphrase())
    assert read_base64(text.split()[-1]) is not None


def test_a_passphrase_is_one_line_of_a_file_of_ones_own(tmp_path: Path) -> None:
    """With its newline or without."""
    path = tmp_path / "passphrase"
    with pytest.raises(KeyFileMissing):
        read_passphrase(path)
    path.touch(0o600)
    for octets in (b"", b"\n", b"two\nlines\n"):
        path.write_bytes(octets)
        with pytest.raises(KeyFileMalformed) as caught:
            read_passphrase(path)
        assert "lines" not in str(caught.value)
    for octets in (WORDS, WORDS + b"\n"):
        path.write_bytes(octets)
        assert read_passphrase(path) == WORDS
    path.chmod(0o640)
    with pytest.raises(KeyFileExposed):
        read_passphrase(path)


def test_keys_that_lie_open_are_locked(tmp_path: Path) -> None:
    """All of them, the former too; once."""
    rotation.create(tmp_path / "keys", ORIGIN, NOW, entropy=os.urandom)
    opened = KeyFiles(tmp_path / "keys")
    rotation.rotate(opened, opened, ORIGIN, {Role.EVENT}, NOW, entropy=os.urandom)
    before = load(tmp_path / "keys", ORIGIN)
    files = KeyFiles(tmp_path / "keys", passphrase())
    locked = ["event-1.key", "event.key", "house-1.secret", "house.secret", "log.key", "root-1.key", "root.key"]
    assert files.lock() == [*locked, "seal.key", "token.secret"]
    assert files.lock() == []
    with pytest.raises(KeyLocked):
        load(tmp_path / "keys", ORIGIN)
    after = load(tmp_path / "keys", ORIGIN, passphrase())
    assert (after.public, after.seal, after.event.public) == (before.public, before.seal, before.event.public)
    assert {path.stat().st_mode & 0o777 for path in files.directory.iterdir()} == {0o600}
