# SPDX-License-Identifier: Apache-2.0
"""A change of keys is one manifest more or nothing, signed by the root whose turn it is."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path

import pytest

from hokm.errors import BadPolicy
from hokm.keys import check_manifests
from hokm.signing import SignatureType, VKey
from hokm_server import key_files, rotation
from hokm_server.errors import EventKeyUnknown, KeyFileMissing, KeysDisagree, KeysUnwritable
from hokm_server.files import write_durably
from hokm_server.house_keys import load
from hokm_server.key_files import KeyFiles, Role
from hokm_server.public_keys import PublicKeys, read_public
from tests.server.stores import ORIGIN

NOW = 1_800_000_000_000


@pytest.fixture
def files(tmp_path: Path) -> KeyFiles:
    """The keys of a new house."""
    rotation.create(tmp_path / "keys", ORIGIN, NOW, entropy=os.urandom)
    return KeyFiles(tmp_path / "keys")


def rotate(files: KeyFiles, *roles: Role, roots: KeyFiles | None = None, now_ms: int = NOW + 1) -> PublicKeys:
    return rotation.rotate(files, roots or files, ORIGIN, set(roles), now_ms, entropy=os.urandom)


revoke = partial(rotation.revoke, entropy=os.urandom)


def test_a_change_is_one_manifest_more(files: KeyFiles) -> None:
    """It changes what it was asked to, and nothing else."""
    first = read_public(files, ORIGIN).newest
    changed = rotate(files, Role.EVENT)
    second = changed.newest
    assert (second.version, second.time_ms) == (1, NOW + 1)
    assert second.event_key != first.event_key
    assert (second.log_key, second.operator_keys) == (first.log_key, first.operator_keys)
    assert (second.next_root_hash, second.revoked_keys) == (first.next_root_hash, ())
    third = rotate(files, Role.LOG).newest
    assert third.log_key != second.log_key
    assert third.event_key == second.event_key
    assert read_public(files, ORIGIN).manifests == (first, second, third)
    assert load(files.directory, ORIGIN).event.public == second.event_key


def test_time_does_not_fall(files: KeyFiles) -> None:
    """Whatever the clock says."""
    assert rotate(files, Role.EVENT, now_ms=5).newest.time_ms == NOW


def test_every_event_key_has_a_house_secret_of_its_own(files: KeyFiles) -> None:
    """What one has signed says nothing about the numbers of the next."""
    rotate(files, Role.EVENT)
    keys = load(files.directory, ORIGIN)
    assert len({each.house_secret for each in keys.event_keys.values()}) == len(keys.event_keys) == 2


def test_nothing_that_is_there_is_written_over(files: KeyFiles) -> None:
    """But the policy, by a change of log key."""
    before = {path.name: path.read_bytes() for path in files.directory.iterdir()}
    rotate(files, Role.EVENT, Role.LOG, Role.ROOT)
    after = {path.name: path.read_bytes() for path in files.directory.iterdir()}
    assert {name for name in before if after[name] != before[name]} == {"policy"}
    new = {"manifest-1", "event-1.key", "house-1.secret", "log-1.key", "root-2.key", "root-1.pub"}
    assert set(after) - set(before) == new
    assert {path.stat().st_mode & 0o777 for path in files.directory.iterdir()} == {0o600}


# The root keys.


def test_the_root_is_handed_over_from_key_to_key(files: KeyFiles) -> None:
    """Each time to the key whose hash was told before, and so on without the one before it."""
    for count in range(1, 4):
        told = read_public(files, ORIGIN).newest.next_root_hash
        (files.directory / Role.ROOT.file(count - 1)).unlink()
        changed = rotate(files, Role.ROOT)
        assert sha256(changed.root).digest() == told
        assert len(changed.roots) == count
        rotate(files, Role.EVENT)
    public = read_public(files, ORIGIN)
    trusted = public.policy.root_key(ORIGIN)
    assert len(check_manifests(public.entries, trusted, public.roots)) == 7


def test_the_root_keys_may_be_elsewhere(files: KeyFiles, tmp_path: Path) -> None:
    """They are read there, and the next one is made there."""
    away = KeyFiles(tmp_path / "away")
    away.directory.mkdir(mode=0o700)
    for number in (0, 1):
        name = Role.ROOT.file(number)
        (files.directory / name).rename(away.directory / name)
    with pytest.raises(KeyFileMissing, match=r"root\.key"):
        rotate(files, Role.EVENT)
    rotate(files, Role.EVENT, roots=away)
    rotate(files, Role.ROOT, roots=away)
    rotate(files, Role.LOG, roots=away)
    assert sorted(path.name for path in away.directory.iterdir()) == ["root-1.key", "root-2.key", "root.key"]
    assert not [path for path in files.directory.iterdir() if path.match("root*.key")]
    assert len(load(files.directory, ORIGIN).public.entries) == 4


@pytest.mark.parametrize(("role", "number"), [(Role.EVENT, 0), (Role.ROOT, 1)])
def test_another_key_in_the_place_of_a_root_signs_nothing(
    files: KeyFiles, tmp_path: Path, role: Role, number: int
) -> None:
    """Nothing has changed then."""
    rotation.create(tmp_path / "other", ORIGIN, NOW, entropy=os.urandom)
    name = Role.ROOT.file(number)
    (files.directory / name).write_bytes((tmp_path / "other" / name).read_bytes())
    before = sorted(files.directory.iterdir())
    with pytest.raises(KeysDisagree, match="whose turn it is"):
        rotate(files, Role.ROOT if number else role)
    assert sorted(files.directory.iterdir()) == before


# Cut short.


@pytest.mark.parametrize("roles", [(Role.EVENT,), (Role.LOG,), (Role.ROOT,), (Role.EVENT, Role.LOG, Role.ROOT)])
def test_a_change_that_is_cut_short_has_changed_nothing_or_all(
    files: KeyFiles, roles: tuple[Role, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After any write the house can be loaded and changed again; readers know the log key that signs."""
    for most in range(10):
        before = read_public(files, ORIGIN)
        write = Cut(most)
        with monkeypatch.context() as patched:
            patched.setattr(key_files, "write_durably", write)
            try:
                rotate(files, *roles)
            except KeysUnwritable:
                is_cut = True
            else:
                is_cut = False
        after = load(files.directory, ORIGIN).public
        is_changed = "manifest" in " ".join(write.written)
        assert len(after.entries) == len(before.entries) + is_changed
        assert after.trusts(after.newest.log_key)
        if not is_changed:
            assert after == before
        if not is_cut:
            return
    raise AssertionError("it has never been done")


class Cut:
    """Writes so many files; then the disk is full."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._write: Callable[[Path, bytes, int], None] = write_durably
        self.written: list[str] = []

    def __call__(self, path: Path, octets: bytes, mode: int) -> None:
        if len(self.written) == self._most:
            raise OSError(28, "No space left on device")
        self._write(path, octets, mode)
        self.written.append(path.name)


def test_two_who_change_keys_take_turns(files: KeyFiles) -> None:
    """Neither takes the other's new key."""
    threads = [threading.Thread(target=rotate, args=(files, Role.EVENT)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(load(files.directory, ORIGIN).event_keys) == 5


# Revoking.


def test_a_key_in_use_is_revoked_for_a_new_one(files: KeyFiles) -> None:
    """And stays revoked in the manifests after it."""
    first = read_public(files, ORIGIN).newest.event_key
    changed = revoke(files, files, ORIGIN, first, NOW)
    assert changed.newest.event_key != first
    assert rotate(files, Role.EVENT).newest.revoked_keys == (first,)
    assert read_public(files, ORIGIN).revoking(first) == changed.newest


def test_a_former_key_is_revoked_and_the_one_in_use_stays(files: KeyFiles) -> None:
    """It did nothing wrong."""
    first = read_public(files, ORIGIN).newest.event_key
    second = rotate(files, Role.EVENT).newest.event_key
    assert revoke(files, files, ORIGIN, first, NOW).newest.event_key == second


def test_only_event_keys_that_there_are_can_be_revoked(files: KeyFiles) -> None:
    """And only once."""
    newest = read_public(files, ORIGIN).newest
    for key in (bytes(32), newest.log_key, b"short"):
        with pytest.raises(EventKeyUnknown):
            revoke(files, files, ORIGIN, key, NOW)
    revoke(files, files, ORIGIN, newest.event_key, NOW)
    with pytest.raises(EventKeyUnknown):
        revoke(files, files, ORIGIN, newest.event_key, NOW)
    assert len(read_public(files, ORIGIN).entries) == 2


# The policy.

WITNESSES = [
    f"witness {name} {VKey(f'{name}.example', SignatureType.COSIGNATURE, bytes([n]) * 32).format()} https://{name}.example"
    for n, name in enumerate(("alef", "be", "pe"), 1)
]


def change_policy(files: KeyFiles, *add: str, drop: tuple[str, ...] = (), quorum: str | None = None) -> PublicKeys:
    return rotation.change_policy(files, ORIGIN, [*add], [*drop], quorum)


def test_witnesses_and_a_quorum_are_lines_of_the_policy(files: KeyFiles) -> None:
    """In whatever order they come, comments stay, and a change of log key leaves them alone."""
    path = files.directory / "policy"
    path.write_bytes(b"# ours\n" + path.read_bytes())
    changed = change_policy(files, *WITNESSES, "group some 2 alef be pe", quorum="some")
    assert changed.policy.quorum == "some"
    assert [witness.name for witness in changed.policy.witnesses] == ["alef", "be", "pe"]
    rotate(files, Role.LOG)
    public = read_public(files, ORIGIN)
    assert b"\n# ours\n" in public.policy_file
    assert public.policy.quorum == "some"
    assert [log.vkey.public_key for log in public.policy.logs] == [*reversed(public.log_keys)]
    without = change_policy(files, "group all-of-them all alef be", drop=("pe",), quorum="none")
    assert len(without.policy.witnesses) == 2
    assert without.policy.groups[0].name == "all-of-them"


def test_a_url_of_the_log_is_that_of_its_next_key_too(files: KeyFiles) -> None:
    """It is the same log."""
    path = files.directory / "policy"
    path.write_bytes(path.read_bytes().replace(b"\n", b" https://log.example\n", 1))
    changed = rotate(files, Role.LOG)
    assert [log.url for log in changed.policy.logs] == ["https://log.example"] * 2


@pytest.mark.parametrize(
    ("add", "drop", "quorum", "error"),
    [
        (["nothing of a policy"], [], None, BadPolicy),
        ([], [], "nobody", BadPolicy),
        ([WITNESSES[0], WITNESSES[0]], [], None, BadPolicy),
        ([], ["#root"], None, BadPolicy),
        ([], ["log"], None, BadPolicy),
        ([f"log {VKey(ORIGIN, SignatureType.ED25519, bytes(32)).format()}"], [], None, KeysDisagree),
    ],
)
def test_what_would_be_no_policy_of_this_house_is_not_taken(
    files: KeyFiles, add: list[str], drop: list[str], quorum: str | None, error: type[Exception]
) -> None:
    """The file is what it was."""
    before = files.read("policy")
    with pytest.raises(error):
        rotation.change_policy(files, ORIGIN, add, drop, quorum)
    assert files.read("policy") == before


def test_the_log_key_that_signs_stays_in_the_policy(files: KeyFiles) -> None:
    """The one before it may go."""
    old, new = (VKey(ORIGIN, SignatureType.ED25519, key) for key in rotate(files, Role.LOG).log_keys)
    with pytest.raises(KeysDisagree, match="log key that signs"):
        change_policy(files, drop=(new.format(),))
    assert [log.vkey for log in change_policy(files, drop=(old.format(),)).policy.logs] == [new]
