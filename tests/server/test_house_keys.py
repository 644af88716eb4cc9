# SPDX-License-Identifier: Apache-2.0
"""Key files: made at once, held by their modes, told apart by their roles, and never shown."""

from __future__ import annotations

import os
import stat
from functools import partial
from pathlib import Path

import pytest

from hokm.errors import NotAnOrigin
from hokm.keys import check_manifests
from hokm.notation import read_base64, write_base64
from hokm.policy import Policy
from hokm.signing import SigningKey
from hokm_server import key_files, rotation
from hokm_server.errors import (
    KeyFileExposed,
    KeyFileMalformed,
    KeyFileMissing,
    KeysDisagree,
    KeysExist,
    KeysOfAnotherLog,
    KeysUnwritable,
)
from hokm_server.files import write_new
from hokm_server.house_keys import HouseKeys, load
from hokm_server.key_files import Role
from tests.server.stores import ORIGIN

NOW = 1_800_000_000_000
create = partial(rotation.create, entropy=os.urandom)
NEEDED = [role for role in Role if role is not Role.ROOT]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    create(tmp_path / "keys", ORIGIN, NOW)
    return tmp_path / "keys"


def test_keys_are_made_once_and_read_back(tmp_path: Path) -> None:
    """What was made is what is loaded; a second making changes nothing."""
    made = create(tmp_path / "keys", ORIGIN, NOW)
    with pytest.raises(KeysExist):
        create(tmp_path / "keys", ORIGIN, NOW)
    loaded = load(tmp_path / "keys", ORIGIN)
    assert public(loaded) == public(made)
    assert [path.name for path in tmp_path.iterdir()] == ["keys"]


def public(keys: HouseKeys) -> tuple[bytes, ...]:
    return (keys.event.public, keys.log.public, keys.operator.public, *keys.public.entries)


def test_modes_of_the_files(directory: Path) -> None:
    """0700 for the directory, 0600 for what is in it, whatever the umask."""
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()} == {0o600}
    assert {path.name for path in directory.iterdir()} == {
        "event.key",
        "log.key",
        "root.key",
        "root-1.key",
        "operator.key",
        "house.secret",
        "seal.key",
        "token.secret",
        "policy",
        "manifest",
    }


def test_readers_trust_the_policy_and_the_policy_vouches_for_the_rest(directory: Path) -> None:
    """From the two keys of the policy file, a reader gets to all that sign."""
    keys = load(directory, ORIGIN)
    policy = Policy.parse(keys.public.policy_file)
    assert b"\nquorum none\n" in keys.public.policy_file
    (manifest,) = check_manifests(keys.public.entries, policy.root_key(ORIGIN))
    assert manifest.event_key == keys.event.public
    assert manifest.log_key == policy.logs[0].vkey.public_key == keys.log.public
    assert manifest.operator_keys == (keys.operator.public,)
    assert manifest.time_ms == NOW


def test_the_root_key_may_be_away(directory: Path) -> None:
    """A server runs without it, and knows it by the policy."""
    text = (directory / "root.key").read_text().split()[-1]
    root = SigningKey(read_base64(text) or b"")
    (directory / "root.key").unlink()
    assert load(directory, ORIGIN).policy.root_key(ORIGIN).public_key == root.public


# Refused.


@pytest.mark.parametrize("role", NEEDED)
def test_a_missing_key_is_told(directory: Path, role: Role) -> None:
    """Each file by its path."""
    (directory / role.file()).unlink()
    with pytest.raises(KeyFileMissing, match=role.file()):
        load(directory, ORIGIN)


@pytest.mark.parametrize("name", ["policy", "manifest"])
def test_a_missing_public_file_is_told(directory: Path, name: str) -> None:
    """They belong to the keys."""
    (directory / name).unlink()
    with pytest.raises(KeyFileMissing, match=name):
        load(directory, ORIGIN)


def test_a_missing_directory_is_told(tmp_path: Path) -> None:
    """There are no keys yet."""
    with pytest.raises(KeyFileMissing):
        load(tmp_path / "keys", ORIGIN)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601])
@pytest.mark.parametrize("role", list(Role))
def test_a_key_that_is_open_to_others_is_refused(directory: Path, role: Role, mode: int) -> None:
    """To the group or to everybody, to read or to write, the root key too."""
    (directory / role.file()).chmod(mode)
    with pytest.raises(KeyFileExposed) as caught:
        load(directory, ORIGIN)
    assert caught.value.mode == f"{mode:04o}"
    assert "0600" in str(caught.value)


def test_a_directory_that_is_open_to_others_is_refused(directory: Path) -> None:
    """In it a file could be put in another's place."""
    directory.chmod(0o750)
    with pytest.raises(KeyFileExposed):
        load(directory, ORIGIN)


@pytest.mark.parametrize(
    "octets",
    [
        b"",
        b"\xff" * 32,
        b"hokm-v1 event" + b" " * 50_000,
        b"hokm-v1 event \n",
        b"hokm-v1 event AAAA\n",
        b"hokm-v1 event " + b"A" * 43 + b"=",
        b"hokm-v1 event " + b"A" * 43 + b"=\n\n",
        b"hokm-v1 log " + b"A" * 43 + b"=\n",
        b"hokm-v2 event " + b"A" * 43 + b"=\n",
        b"hokm-v1  event " + b"A" * 43 + b"=\n",
    ],
)
def test_another_content_is_refused(directory: Path, octets: bytes) -> None:
    """Cut, garbled, of another role; and nothing of it is repeated in the error."""
    (directory / "event.key").write_bytes(octets)
    with pytest.raises(KeyFileMalformed) as caught:
        load(directory, ORIGIN)
    assert "AAAA" not in str(caught.value)


def test_what_is_no_file_is_refused(directory: Path) -> None:
    """A directory, and a pipe that nobody writes to."""
    (directory / "event.key").unlink()
    (directory / "event.key").mkdir(mode=0o700)
    with pytest.raises(KeyFileMissing, match="directory"):
        load(directory, ORIGIN)
    (directory / "event.key").rmdir()
    os.mkfifo(directory / "event.key", 0o600)
    with pytest.raises(KeyFileMalformed, match="not a file"):
        load(directory, ORIGIN)


def test_a_policy_that_is_none_is_refused(directory: Path) -> None:
    """With what is wrong with it."""
    (directory / "policy").write_bytes(b"quorum\n")
    with pytest.raises(KeyFileMalformed, match="line 1"):
        load(directory, ORIGIN)


@pytest.mark.parametrize("name", ["event.key", "log.key", "operator.key", "policy", "manifest"])
def test_files_of_two_houses_are_refused(directory: Path, tmp_path: Path, name: str) -> None:
    """Any one that is put in from another."""
    create(tmp_path / "other", ORIGIN, NOW)
    (directory / name).write_bytes((tmp_path / "other" / name).read_bytes())
    with pytest.raises(KeysDisagree):
        load(directory, ORIGIN)


def test_keys_of_another_log_are_refused(directory: Path) -> None:
    """The origin is in policy and manifest, and the sentence says which."""
    with pytest.raises(KeysOfAnotherLog, match=ORIGIN):
        load(directory, "test.example/other")


def test_one_secret_in_two_files_is_refused(directory: Path) -> None:
    """Each key has one role."""
    text = (directory / "house.secret").read_text().replace("house", "token")
    (directory / "token.secret").write_text(text)
    with pytest.raises(KeysDisagree, match="same secret"):
        load(directory, ORIGIN)


# Making.


def test_a_making_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither some of the keys nor a directory beside."""
    count = 0

    def full(path: Path, octets: bytes, mode: int) -> None:
        nonlocal count
        count += 1
        if count == 4:
            raise OSError(28, "No space left on device")
        write_new(path, octets, mode)

    monkeypatch.setattr(key_files, "write_new", full)
    with pytest.raises(KeysUnwritable, match="No space left"):
        create(tmp_path / "keys", ORIGIN, NOW)
    assert list(tmp_path.iterdir()) == []


def test_keys_are_made_where_there_is_a_place(tmp_path: Path) -> None:
    """For a log that can have the name, in a directory that exists."""
    with pytest.raises(NotAnOrigin):
        create(tmp_path / "keys", "no origin", NOW)
    with pytest.raises(KeysUnwritable):
        create(tmp_path / "nowhere/keys", ORIGIN, NOW)


def test_no_secret_is_ever_shown(directory: Path) -> None:
    """Not in a repr, in none of the usual spellings."""
    keys = load(directory, ORIGIN)
    shown = repr(keys)
    assert keys.event.public.hex() in shown
    secrets = [read_base64((directory / role.file()).read_text().split()[-1]) for role in NEEDED]
    assert len(secrets) == 6
    house_secret = keys.event_keys[keys.event.public].house_secret
    assert {house_secret, keys.seal, keys.token_secret} < set(secrets)
    for secret in secrets:
        assert secret is not None
        for spelling in (secret.hex(), repr(secret)[2:-1], write_base64(secret)):
            assert spelling not in shown
