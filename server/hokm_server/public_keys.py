# SPDX-License-Identifier: Apache-2.0
"""What is public of the keys of a house: the manifests, the roots after the first, and the policy.

    manifest, manifest-1, …    the entries of the stream "keys", by version
    root-1.pub, root-2.pub, …  the root keys that the first one was handed over to
    policy                     for readers, who have to trust no more than this; kept by hand where one likes

A manifest that is there holds: it is the last thing that a change of keys writes, and whatever it names was written
before. That readers should know a new log key is said by the policy, which is brought up to date when it is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hokm.entry import parse_entry
from hokm.errors import BadPolicy, HokmError
from hokm.keys import KeyManifest, check_manifests
from hokm.policy import Policy, root_name
from hokm.signing import SignatureType, VKey
from hokm_server.errors import KeyFileMalformed, KeysDisagree, KeysOfAnotherLog
from hokm_server.key_files import KeyFiles, numbered
from hokm_server.policy_text import parse_with

POLICY: Final = "policy"


@dataclass(frozen=True, slots=True)
class PublicKeys:
    """All that a reader may know of a house's keys; one that was read is one that counts by its policy."""

    origin: str
    entries: tuple[bytes, ...]
    """The stream "keys"."""
    manifests: tuple[KeyManifest, ...]
    """What these entries say."""
    roots: tuple[bytes, ...]
    """The root keys that have signed after the first, in their order."""
    policy_file: bytes
    policy: Policy

    @property
    def newest(self) -> KeyManifest:
        """The manifest that holds for what is new."""
        return self.manifests[-1]

    @property
    def root(self) -> bytes:
        """The root key that has signed last."""
        return self.roots[-1] if self.roots else self.policy.root_key(self.origin).public_key

    @property
    def event_keys(self) -> tuple[bytes, ...]:
        """All that there have been, oldest first."""
        return tuple(dict.fromkeys(manifest.event_key for manifest in self.manifests))

    @property
    def log_keys(self) -> tuple[bytes, ...]:
        """All that there have been, oldest first."""
        return tuple(dict.fromkeys(manifest.log_key for manifest in self.manifests))

    @property
    def all_keys(self) -> frozenset[bytes]:
        """Every key that any manifest names, and the roots: no player has one of them."""
        named = (key for manifest in self.manifests for key, _ in manifest.roles())
        return frozenset((self.policy.root_key(self.origin).public_key, *self.roots, *named))

    def revoking(self, event_key: bytes) -> KeyManifest | None:
        """The first manifest that revoked this key."""
        return next((manifest for manifest in self.manifests if event_key in manifest.revoked_keys), None)

    def trusts(self, log_key: bytes) -> bool:
        """Whether the policy has readers trust this log key."""
        return log_vkey(self.origin, log_key) in [log.vkey for log in self.policy.logs]


def read_public(files: KeyFiles, origin: str) -> PublicKeys:
    """Read what is public.

    Raises `KeyFileMissing`, `KeyFileExposed`, `KeyFileMalformed`, `KeysOfAnotherLog`, `KeysDisagree`.
    """
    files.check()
    policy = files.read(POLICY)
    try:
        Policy.parse(policy)
    except BadPolicy as error:
        raise KeyFileMalformed(str(files.directory / POLICY), str(error)) from error
    entries = (files.read("manifest"), *_in_turn(files, "manifest", 1))
    roots = tuple(_root(files, line, origin) for line in _in_turn(files, "root", 1, ".pub"))
    return public_keys(files.directory, origin, policy, entries, roots)


def public_keys(
    place: Path, origin: str, policy_file: bytes, entries: tuple[bytes, ...], roots: tuple[bytes, ...]
) -> PublicKeys:
    """What these come to, if they are of one house.

    Raises `BadPolicy`, `KeysOfAnotherLog`; `KeysDisagree` where manifests do not count by the policy, or the policy
    trusts a log key of this log that no manifest names.
    """
    policy = Policy.parse(policy_file)
    if (names := [log.vkey.name for log in policy.logs]) and origin not in names:
        raise KeysOfAnotherLog(str(place), names[0], origin)
    try:
        manifests = check_manifests(entries, policy.root_key(origin), roots)
    except HokmError as error:
        raise KeysDisagree(str(place), f"a manifest does not count by the policy ({error})") from error
    if [manifest.version for manifest in manifests] != [*range(len(manifests))]:
        raise KeysDisagree(str(place), "the manifests are not those of a stream, from its first on")
    policy_file, policy = parse_with(policy_file, log_vkey(origin, manifests[-1].log_key))
    signed = {parse_entry(entry).key_id for entry in entries}
    used = tuple(root for root in roots if root_vkey(origin, root).key_id in signed)
    keys = PublicKeys(origin, entries, manifests, used, policy_file, policy)
    for log in policy.logs:
        if log.vkey.name == origin and log.vkey.public_key not in keys.log_keys:
            raise KeysDisagree(str(place), f"no manifest names log.key {log.vkey.public_key.hex()} of the policy")
    return keys


def log_vkey(origin: str, public_key: bytes) -> VKey:
    """How a policy names a log key."""
    return VKey(origin, SignatureType.ED25519, public_key)


def root_vkey(origin: str, public_key: bytes) -> VKey:
    """How a policy names a root key."""
    return VKey(root_name(origin), SignatureType.ED25519, public_key)


def _in_turn(files: KeyFiles, name: str, number: int, ending: str = "") -> Iterator[bytes]:
    """What the files of one kind hold, from that number on."""
    while files.has(file := numbered(name, number) + ending):
        yield files.read(file)
        number += 1


def _root(files: KeyFiles, line: bytes, origin: str) -> bytes:
    try:
        vkey = VKey.parse(line.decode("ascii", "replace").removesuffix("\n"))
    except HokmError as error:
        raise KeyFileMalformed(str(files.directory / "root-1.pub"), str(error)) from error
    if vkey.name != root_name(origin):
        raise KeysOfAnotherLog(str(files.directory), vkey.name, origin)
    return vkey.public_key
