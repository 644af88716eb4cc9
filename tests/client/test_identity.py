# SPDX-License-Identifier: Apache-2.0
"""An identity is a file that only its owner can read, made once."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from hokm.errors import HokmError
from hokm.notation import write_base64
from hokm.signing import SigningKey
from hokm_client.errors import (
    IdentityExists,
    IdentityExposed,
    IdentityMalformed,
    IdentityMissing,
    IdentityUnwritable,
    OperatorKeyMalformed,
)
from hokm_client.identity import make_identity, read_identity, read_operator_key, read_or_make_identity


def test_an_identity_is_read_as_it_was_made(tmp_path: Path) -> None:
    """32 bytes, mode 0600, in a directory that is made for it; nothing else lies beside it."""
    path = tmp_path / "players" / "me.key"
    made = make_identity(path, os.urandom)
    assert read_identity(path).public == made.public
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(path.read_bytes()) == 32
    assert [*path.parent.iterdir()] == [path]


def test_an_identity_is_never_written_over(tmp_path: Path) -> None:
    """Who has one keeps it."""
    path = tmp_path / "me.key"
    made = make_identity(path, os.urandom)
    with pytest.raises(IdentityExists):
        make_identity(path, os.urandom)
    assert read_or_make_identity(path, os.urandom).public == made.public


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o660, 0o644])
def test_an_identity_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    """A secret that others know is none."""
    path = tmp_path / "me.key"
    make_identity(path, os.urandom)
    path.chmod(mode)
    with pytest.raises(IdentityExposed, match="0600"):
        read_identity(path)


@pytest.mark.parametrize("octets", [b"", b"\1" * 31, b"\1" * 33, b"\1" * 64])
def test_an_identity_of_another_length_is_refused(tmp_path: Path, octets: bytes) -> None:
    """The error says how long it is."""
    path = tmp_path / "me.key"
    path.write_bytes(octets)
    path.chmod(0o600)
    with pytest.raises(IdentityMalformed, match=f" {len(octets)} bytes"):
        read_or_make_identity(path, os.urandom)


def test_an_identity_that_is_missing_is_one_sentence(tmp_path: Path) -> None:
    """No traceback, and no key made where none was asked for."""
    with pytest.raises(IdentityMissing) as found:
        read_identity(tmp_path / "nobody.key")
    assert "No such file" in str(found.value)
    assert not [*tmp_path.iterdir()]


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    """A file in the way of the directory."""
    (tmp_path / "players").write_bytes(b"")
    with pytest.raises(IdentityUnwritable):
        make_identity(tmp_path / "players" / "me.key", os.urandom)


def test_an_operators_key_is_the_line_that_a_house_writes(tmp_path: Path) -> None:
    """Role and version are in the line, so that no other secret takes its place."""
    seed = os.urandom(32)
    path = tmp_path / "operator.key"
    path.write_text(f"hokm-v1 operator {write_base64(seed)}\n")
    path.chmod(0o600)
    assert read_operator_key(path).public == SigningKey(seed).public
    for line in ("", "hokm-v1 event " + write_base64(seed), "hokm-v1 operator " + write_base64(seed[1:]), "\xff"):
        path.write_text(line)
        with pytest.raises(OperatorKeyMalformed):
            read_operator_key(path)
    path.chmod(0o644)
    with pytest.raises(IdentityExposed) as found:
        read_operator_key(path)
    assert isinstance(found.value, HokmError)
