# SPDX-License-Identifier: Apache-2.0
"""The keys of the house, as a server needs them: secrets that belong to what is public of them.

    event.key     signs events and hands            log.key       signs checkpoints
    house.secret  K_house: gives the house's numbers at the tables that event.key signs
    seal.key      what is sealed in the store is encrypted under it
    token.secret  makes challenges and tokens
    operator.key  by which the operator's programs sign in; they read it themselves, so no passphrase locks it
    root.key      signs manifests, and so vouches for the others
    root-1.key    the root key after it, of which the manifest has told the hash

Only the root keys are not needed to serve: take them away, to where no network reaches, and bring them back when keys
are to be changed. An event key and its house secret may go when the last game that they signed is over, a log key when
the policy does not name it any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hokm.policy import Policy
from hokm.signing import SigningKey
from hokm_server.errors import KeysDisagree
from hokm_server.key_files import KeyFiles, Role
from hokm_server.passphrase import Passphrase
from hokm_server.public_keys import PublicKeys, read_public


@dataclass(frozen=True, slots=True)
class EventKey:
    """What signs the tables of one event key."""

    key: SigningKey
    house_secret: bytes = field(repr=False)
    """K_house, 32 bytes."""


@dataclass(frozen=True, slots=True)
class HouseKeys:
    """Everything that a server needs to be the house. No root key is among it."""

    public: PublicKeys
    event_keys: Mapping[bytes, EventKey]
    """Those that are here, by public key; the newest is."""
    log_keys: tuple[SigningKey, ...]
    """Those that sign a checkpoint, the newest first: while readers change over there are two."""
    operator: SigningKey
    seal: bytes = field(repr=False)
    """32 bytes."""
    token_secret: bytes = field(repr=False)
    """32 bytes."""

    @property
    def origin(self) -> str:
        """The name of the log."""
        return self.public.origin

    @property
    def policy(self) -> Policy:
        """For readers."""
        return self.public.policy

    @property
    def event(self) -> SigningKey:
        """The key of new tables."""
        return self.event_keys[self.public.newest.event_key].key

    @property
    def log(self) -> SigningKey:
        """The newest log key."""
        return self.log_keys[0]


def load(directory: Path, origin: str, passphrase: Passphrase | None = None) -> HouseKeys:
    """The keys of a house that is there.

    Raises `KeyFileMissing`, `KeyFileExposed`, `KeyFileMalformed`, `KeyLocked`, `PassphraseWrong`, `KeysOfAnotherLog`,
    and `KeysDisagree` where secrets, policy and manifests are not of one house.
    """
    files = KeyFiles(directory, passphrase)
    public = read_public(files, origin)
    secrets = _Secrets(files)
    events = {}
    for number, key in enumerate(public.event_keys):
        if key == public.newest.event_key or files.has(Role.EVENT.file(number)):
            events[key] = EventKey(secrets.key(Role.EVENT, number, key), secrets.read(Role.HOUSE, number))
    logs = [
        secrets.key(Role.LOG, number, key)
        for number, key in enumerate(public.log_keys)
        if key == public.newest.log_key or (public.trusts(key) and files.has(Role.LOG.file(number)))
    ]
    logs.sort(key=lambda key: key.public != public.newest.log_key)
    operator = secrets.key(Role.OPERATOR, 0, *public.newest.operator_keys)
    for number in range(len(public.roots) + 2):
        if files.has(Role.ROOT.file(number)):
            secrets.read(Role.ROOT, number)
    return HouseKeys(public, events, tuple(logs), operator, secrets.read(Role.SEAL), secrets.read(Role.TOKEN))


class _Secrets:
    """Secrets as they are read, each of which is another."""

    def __init__(self, files: KeyFiles) -> None:
        self._files = files
        self._read: dict[bytes, str] = {}

    def read(self, role: Role, number: int = 0) -> bytes:
        secret, name = self._files.secret(role, number), role.file(number)
        if self._read.setdefault(secret, name) != name:
            raise self._disagree(f"{self._read[secret]} and {name} hold the same secret")
        return secret

    def key(self, role: Role, number: int, *public: bytes) -> SigningKey:
        key = SigningKey(self.read(role, number))
        if key.public not in public:
            raise self._disagree(f"no manifest names {role.file(number)}, which is {key.public.hex()}")
        return key

    def _disagree(self, what: str) -> KeysDisagree:
        return KeysDisagree(str(self._files.directory), what)
