# SPDX-License-Identifier: Apache-2.0
"""The keys of the house: seven secrets in files of one directory, and what the public is told of them.

    event.key     signs events and hands            log.key       signs checkpoints
    root.key      signs manifests                   operator.key  by which the operator's programs sign in
    house.secret  K_house: gives the house's numbers, and is changed only between games
    seal.key      what is sealed in the store is encrypted under it
    token.secret  makes challenges and tokens
    policy        for readers: the keys of log and root, the only two that they have to trust
    manifest      the first entry of the stream "keys", by which the root key vouches for the others

A secret is one line, `hokm-v1 <role> <base64 of 32 bytes>`, in a file of mode 0600 in a directory of mode 0700. The
role is in the line so that no key can take another's place. Only `root.key` is not needed to serve: take it away, to
where no network reaches, and bring it back when keys are to be changed.

All of it is made at once: the directory appears under its name when everything is in it and on the disk.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from hokm.entry import ZERO_HASH
from hokm.errors import HokmError, NotAnOrigin, system_words
from hokm.keys import KeyManifest, check_manifests, sign_manifest
from hokm.notation import is_origin, read_base64, write_base64
from hokm.policy import Log, Policy, root_name
from hokm.signing import SEED_BYTES, SignatureType, SigningKey, VKey
from hokm_server.errors import (
    KeyFileExposed,
    KeyFileMalformed,
    KeyFileMissing,
    KeysDisagree,
    KeysExist,
    KeysOfAnotherLog,
    KeysUnwritable,
)
from hokm_server.files import flush_directory, write_durably, write_new

_MOST_BYTES = 20_000
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class Role(StrEnum):
    """What a secret is for."""

    EVENT = "event"
    LOG = "log"
    ROOT = "root"
    OPERATOR = "operator"
    HOUSE = "house"
    SEAL = "seal"
    TOKEN = "token"

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"{self}.secret" if self in (Role.HOUSE, Role.TOKEN) else f"{self}.key"


@dataclass(frozen=True, slots=True)
class HouseKeys:
    """Everything that a server needs to be the house. The root key is not among it."""

    origin: str
    event: SigningKey
    log: SigningKey
    operator: SigningKey
    house_secret: bytes = field(repr=False)
    """K_house, 32 bytes."""
    seal: bytes = field(repr=False)
    """32 bytes."""
    token_secret: bytes = field(repr=False)
    """32 bytes."""
    policy: Policy
    """For readers: this log, its root, no witnesses."""
    manifest: bytes
    """The entry at version 0 of the stream "keys"."""

    def write_policy(self, path: Path) -> None:
        """Write the policy to where readers find it. Raises `KeysUnwritable`."""
        try:
            write_durably(path, self.policy.format())
        except OSError as error:
            raise KeysUnwritable(str(path), system_words(error)) from error


def create(directory: Path, origin: str, now_ms: int, *, entropy: Callable[[int], bytes]) -> HouseKeys:
    """Make the keys of a new house; `entropy` gives so many random bytes.

    Raises `NotAnOrigin`, `KeysExist`, `KeysUnwritable`; then there is no such directory that was not there before.
    """
    if not is_origin(origin):
        raise NotAnOrigin(origin)
    secrets = {role: entropy(SEED_BYTES) for role in Role}
    event, log, root, operator = (
        SigningKey(secrets[role]) for role in (Role.EVENT, Role.LOG, Role.ROOT, Role.OPERATOR)
    )
    files = {role.file: _format(role, secret) for role, secret in secrets.items()}
    files["policy"] = Policy(
        logs=(Log(VKey(origin, SignatureType.ED25519, log.public)),),
        roots=(VKey(root_name(origin), SignatureType.ED25519, root.public),),
        witnesses=(),
        groups=(),
        quorum=None,
    ).format()
    manifest = KeyManifest(
        version=0,
        previous=ZERO_HASH,
        time_ms=now_ms,
        origin=origin,
        event_key=event.public,
        log_key=log.public,
        operator_keys=(operator.public,),
        next_root_hash=sha256(root.public).digest(),
        revoked_keys=(),
    )
    files["manifest"] = sign_manifest(manifest, root)
    _write_together(directory, files)
    return load(directory, origin)


def load(directory: Path, origin: str) -> HouseKeys:
    """The keys of a house that is there.

    Raises `KeyFileMissing`, `KeyFileExposed`, `KeyFileMalformed`, `KeysOfAnotherLog`, and `KeysDisagree` where the
    files, the policy and the manifest are not of one house.
    """
    _check_directory(directory)
    needed = [role for role in Role if role is not Role.ROOT]
    secrets: dict[Role, bytes] = {role: _read_secret(directory, role) for role in needed}
    if (directory / Role.ROOT.file).exists():
        secrets[Role.ROOT] = _read_secret(directory, Role.ROOT)
    if len(set(secrets.values())) < len(secrets):
        raise KeysDisagree(str(directory), "two files hold the same secret")
    keys = HouseKeys(
        origin,
        SigningKey(secrets[Role.EVENT]),
        SigningKey(secrets[Role.LOG]),
        SigningKey(secrets[Role.OPERATOR]),
        secrets[Role.HOUSE],
        secrets[Role.SEAL],
        secrets[Role.TOKEN],
        _read_policy(directory / "policy"),
        _read(directory / "manifest"),
    )
    if (named := [log.vkey.name for log in keys.policy.logs]) and origin not in named:
        raise KeysOfAnotherLog(str(directory), named[0], origin)
    if (fault := _fault_of(keys)) is not None:
        raise KeysDisagree(str(directory), fault)
    return keys


def _fault_of(keys: HouseKeys) -> str | None:
    """Why these are not the keys of one house, or None if they are."""
    if [log.vkey for log in keys.policy.logs] != [VKey(keys.origin, SignatureType.ED25519, keys.log.public)]:
        return f"the policy does not name log.key as the one log {keys.origin}"
    try:
        (manifest,) = check_manifests([keys.manifest], keys.policy.root_key(keys.origin))
    except HokmError as error:
        return f"the manifest does not count by the policy ({error})"
    if (manifest.version, manifest.origin) != (0, keys.origin):
        return f"the manifest is not the first of the log {keys.origin}"
    for name, key, named in (
        ("event.key", keys.event, manifest.event_key == keys.event.public),
        ("log.key", keys.log, manifest.log_key == keys.log.public),
        ("operator.key", keys.operator, keys.operator.public in manifest.operator_keys),
    ):
        if not named:
            return f"the manifest does not name {name}, which is {key.public.hex()}"
    return None


# Files.


def _format(role: Role, secret: bytes) -> bytes:
    return f"hokm-v1 {role} {write_base64(secret)}\n".encode("ascii")


def _read_secret(directory: Path, role: Role) -> bytes:
    path = directory / role.file
    text = _read(path, secret=True).decode("ascii", "replace")
    match text.split(" "):
        case ["hokm-v1", found, rest] if rest.endswith("\n"):
            secret = read_base64(rest[:-1])
        case _:
            raise KeyFileMalformed(str(path), f"it is not one line `hokm-v1 {role} <base64 of 32 bytes>`")
    if found != role:
        raise KeyFileMalformed(str(path), f"it is not for the role {role}")
    if secret is None or len(secret) != SEED_BYTES:
        raise KeyFileMalformed(str(path), f"it does not hold {SEED_BYTES} bytes in base64")
    return secret


def _read_policy(path: Path) -> Policy:
    try:
        return Policy.parse(_read(path))
    except HokmError as error:
        if isinstance(error, KeyFileMissing | KeyFileMalformed):
            raise
        raise KeyFileMalformed(str(path), str(error)) from error


def _read(path: Path, *, secret: bool = False) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise KeyFileMalformed(str(path), "it is not a file")
            if secret:
                _check_mode(path, found)
            octets = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise KeyFileMissing(str(path), system_words(error)) from error
    if len(octets) > _MOST_BYTES:
        raise KeyFileMalformed(str(path), f"it has more than {_MOST_BYTES} bytes")
    return octets


def _check_directory(directory: Path) -> None:
    try:
        _check_mode(directory, directory.stat())
    except OSError as error:
        raise KeyFileMissing(str(directory), system_words(error)) from error


def _check_mode(path: Path, found: os.stat_result) -> None:
    if found.st_mode & _OTHERS:
        raise KeyFileExposed(str(path), f"{stat.S_IMODE(found.st_mode):04o}")


def _write_together(directory: Path, files: dict[str, bytes]) -> None:
    """Make the directory with all these files in it, or nothing."""
    if directory.exists():
        raise KeysExist(str(directory))
    try:
        beside = Path(tempfile.mkdtemp(prefix=f".{directory.name}-", dir=directory.parent))  # of mode 0700
        try:
            for name, octets in files.items():
                write_new(beside / name, octets, 0o600)
            flush_directory(beside)
            beside.rename(directory)
        except BaseException:
            shutil.rmtree(beside, ignore_errors=True)
            raise
        flush_directory(directory.parent)
    except OSError as error:
        if directory.exists():
            raise KeysExist(str(directory)) from error
        raise KeysUnwritable(str(directory), system_words(error)) from error
