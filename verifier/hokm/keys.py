# SPDX-License-Identifier: Apache-2.0
"""Key manifests: which keys the house signs with, said by the offline root key that a reader trusts.

They are the stream "keys" of the log (table: 16 zero bytes; versions from 0), framed as entries and signed as
PAE(`KEYS_TYPE`, body) by a root key, name origin || "/root". A game's stream keeps the event key of the manifest
that its TableOpened names by leaf.

Every key has one role: event key, log key, root key or key of an operator's program; a key that has two spoils the
manifest. A root key hands over to the next by naming its hash, SHA-256(key), before it is ever used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from hokm.canonical import HASH, KEY, TEXT, U64, read_message, record, several, write_message
from hokm.entry import ZERO_HASH, Entry, event_key_id, leaf, parse_entry, sign_event, signed_by
from hokm.errors import BadManifest, NotAnOrigin, SharedKey
from hokm.notation import is_origin
from hokm.policy import root_name
from hokm.signing import SignatureType, SigningKey, VKey, key_id
from hokm.v1 import keys_pb2
from hokm.wire import KEYS_TYPE, MOST_EVENT_BYTES

KEYS_TABLE: Final = bytes(16)
"""The table id under which the stream "keys" goes."""

_MOST_KEYS: Final = MOST_EVENT_BYTES // 34
"""More do not fit, at 34 bytes each."""


@dataclass(frozen=True, slots=True)
class KeyManifest:
    """One manifest. One that exists is well-formed and gives no key two roles. Keys and hashes have 32 bytes.

    Raises at construction: `NotAnOrigin`; `SharedKey`, also where an event key in use is revoked, a key stands
    twice, or the next root key is one of these.
    """

    version: int
    previous: bytes
    """The leaf of the manifest before; zeros in version 0."""
    time_ms: int
    origin: str
    event_key: bytes
    """Signs the events of the streams that are opened under this manifest."""
    log_key: bytes
    """Signs checkpoints."""
    operator_keys: tuple[bytes, ...]
    """Those of the operator's programs, which alone may bring bots and stand-ins."""
    next_root_hash: bytes
    """SHA-256 of the root key that may sign the next manifest."""
    revoked_keys: tuple[bytes, ...]
    """Event keys that must not be used any more."""

    def __post_init__(self) -> None:
        if not is_origin(self.origin):
            raise NotAnOrigin(self.origin)
        seen: dict[bytes, str] = {}
        for key, role in self.roles():
            if key in seen or hashlib.sha256(key).digest() == self.next_root_hash:
                raise SharedKey(key.hex(), seen.get(key, "next root key"), role)
            seen[key] = role

    def roles(self) -> list[tuple[bytes, str]]:
        """Each key that is named here, with what it is for."""
        return [
            (self.event_key, "event key"),
            (self.log_key, "log key"),
            *((key, "operator key") for key in self.operator_keys),
            *((key, "revoked event key") for key in self.revoked_keys),
        ]

    @property
    def event_key_id(self) -> bytes:
        """The 4-byte hint by which entries name the event key."""
        return event_key_id(self.origin, self.event_key)


_MANIFEST: Final = record(
    KeyManifest,
    keys_pb2.KeyManifest,
    version=U64,
    previous=HASH,
    time_ms=U64,
    origin=TEXT,
    event_key=KEY,
    log_key=KEY,
    operator_keys=several(KEY, 0, _MOST_KEYS),
    next_root_hash=HASH,
    revoked_keys=several(KEY, 0, _MOST_KEYS),
)


def read_manifest(body: bytes) -> KeyManifest:
    """The manifest that these bytes are. Raises `Malformed`."""
    message = read_message(keys_pb2.KeyManifest, body, MOST_EVENT_BYTES, "key manifest")
    if message.table != KEYS_TABLE:
        raise BadManifest(message.version, "its table is not 16 zero bytes")
    return _started_well(_MANIFEST.read(message))


def write_manifest(manifest: KeyManifest) -> bytes:
    """The bytes of a manifest: those that are signed, once. Raises what `read_manifest` would."""
    message = _MANIFEST.write(_started_well(manifest))
    message.table = KEYS_TABLE
    return write_message(message, MOST_EVENT_BYTES, "key manifest")


def _started_well(manifest: KeyManifest) -> KeyManifest:
    if manifest.version == 0 and manifest.previous != ZERO_HASH:
        raise BadManifest(0, "it is the first, and names one before it")
    return manifest


def sign_manifest(manifest: KeyManifest, root: SigningKey) -> bytes:
    """The entry of a manifest, signed by a root key."""
    hint = key_id(root_name(manifest.origin), SignatureType.ED25519, root.public)
    return sign_event(write_manifest(manifest), root, hint, KEYS_TYPE)


# The chain.


def check_manifests(entries: Iterable[bytes], root: VKey, later_roots: Iterable[bytes] = ()) -> tuple[KeyManifest, ...]:
    """The manifests of these entries, in their order, if each of them counts for a reader who trusts `root`.

    The entries are some of the stream "keys", by ascending version; there may be gaps. A manifest counts if it is
    signed by `root`; or by a later root, whose hash the manifest right before it named, if that one counts too.
    Once a later root has signed, the one before it counts no more, and neither does anything behind a gap. A
    manifest holds only the hash of the next root key: the keys themselves are `later_roots`, 32 bytes each.

    Raises `BadManifest`, `SharedKey` (a key with two roles in whatever manifests), and what `parse_entry` and
    `read_manifest` raise.
    """
    roots = {hashlib.sha256(key).digest(): key for key in later_roots}
    roles = {root.public_key: "root key"}
    signer = root.public_key
    manifests: list[KeyManifest] = []
    last: bytes | None = None
    for octets in entries:
        entry = parse_entry(octets)
        manifest = read_manifest(entry.body)
        candidates = [signer] if signer == root.public_key else []
        if last is not None and _follows(manifest, manifests[-1], last):
            candidates = [signer, roots.get(manifests[-1].next_root_hash, signer)]
        if root_name(manifest.origin) != root.name:
            raise BadManifest(manifest.version, f"it is of the log {manifest.origin}, and the root key is {root.name}")
        signers = [key for key in candidates if _signed_by_root(entry, key, root.name)]
        if not signers:
            raise BadManifest(manifest.version, "it is not signed by a root key that counts here")
        signer = signers[0]
        _check_roles([(signer, "root key"), *manifest.roles()], roles)
        manifests.append(manifest)
        last = leaf(octets)
    return tuple(manifests)


def _follows(manifest: KeyManifest, before: KeyManifest, leaf_before: bytes) -> bool:
    """Whether a manifest comes right after the one before it. Raises `BadManifest` if it cannot come after it."""
    if manifest.version <= before.version:
        raise BadManifest(manifest.version, f"it stands behind version {before.version}")
    if manifest.time_ms < before.time_ms:
        raise BadManifest(manifest.version, f"its time is before that of version {before.version}")
    if manifest.version > before.version + 1:
        return False
    if manifest.previous != leaf_before:
        raise BadManifest(manifest.version, "it names another manifest before it than the one that is there")
    return True


def _signed_by_root(entry: Entry, public_key: bytes, name: str) -> bool:
    return signed_by(entry, public_key, key_id(name, SignatureType.ED25519, public_key), KEYS_TYPE)


def _check_roles(named: Iterable[tuple[bytes, str]], roles: dict[bytes, str]) -> None:
    """Take these roles to those that are known. An event key may become a revoked one."""
    for key, role in named:
        known = roles.get(key, role)
        if known != role and (known, role) != ("event key", "revoked event key"):
            raise SharedKey(key.hex(), known, role)
        roles[key] = role
