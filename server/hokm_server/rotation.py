# SPDX-License-Identifier: Apache-2.0
"""How the keys of a house are made, changed and revoked: one manifest more, signed by the root key.

Every new secret goes into a file of its own, and the manifest into its file last of all: a change that is cut short has
changed nothing. A running server goes on as it is; one that starts takes the change up.

The root key after the one in use is made when that one comes into use, and its hash is told at once, so no one else can
follow it. With a new event key goes a new house secret.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from hashlib import sha256
from pathlib import Path
from typing import Final

from hokm.entry import ZERO_HASH, leaf
from hokm.errors import NotAnOrigin
from hokm.keys import KeyManifest, sign_manifest
from hokm.notation import is_origin
from hokm.policy import Log, Policy
from hokm.signing import SEED_BYTES, SigningKey
from hokm_server.errors import EventKeyUnknown, KeysDisagree
from hokm_server.house_keys import HouseKeys, load
from hokm_server.key_files import KeyFiles, Role, numbered
from hokm_server.passphrase import Passphrase
from hokm_server.policy_text import edited
from hokm_server.public_keys import POLICY, PublicKeys, log_vkey, public_keys, read_public, root_vkey

Entropy = Callable[[int], bytes]
"""So many random bytes of the operating system's."""

CHANGED: Final = frozenset((Role.EVENT, Role.LOG, Role.ROOT))
"""Roles whose keys can be changed."""


def create(
    directory: Path, origin: str, now_ms: int, *, entropy: Entropy, passphrase: Passphrase | None = None
) -> HouseKeys:
    """Make the keys of a new house.

    Raises `NotAnOrigin`, `KeysExist`, `KeysUnwritable`; then there is no such directory that was not there before.
    """
    if not is_origin(origin):
        raise NotAnOrigin(origin)
    secrets = {(role, 0): entropy(SEED_BYTES) for role in Role}
    secrets[Role.ROOT, 1] = entropy(SEED_BYTES)
    event, log, root, operator = (
        SigningKey(secrets[role, 0]) for role in (Role.EVENT, Role.LOG, Role.ROOT, Role.OPERATOR)
    )
    policy = Policy((Log(log_vkey(origin, log.public)),), (root_vkey(origin, root.public),), (), (), None)
    manifest = KeyManifest(
        version=0,
        previous=ZERO_HASH,
        time_ms=now_ms,
        origin=origin,
        event_key=event.public,
        log_key=log.public,
        operator_keys=(operator.public,),
        next_root_hash=_hash(SigningKey(secrets[Role.ROOT, 1])),
        revoked_keys=(),
    )
    public = {POLICY: policy.format(), "manifest": sign_manifest(manifest, root)}
    KeyFiles(directory, passphrase).make(secrets, public)
    return load(directory, origin, passphrase)


def rotate(
    files: KeyFiles, roots: KeyFiles, origin: str, roles: Set[Role], now_ms: int, *, entropy: Entropy
) -> PublicKeys:
    """Change the keys of these roles, some of `CHANGED`; what is public then. `roots` are where the root keys are.

    A new root key signs what the one before it has said; else the one in use signs. Raises what `read_public` and
    `KeyFiles` raise, and `KeysDisagree` where a root key is not the one that may sign.
    """
    with files.alone():
        return _change(files, roots, read_public(files, origin), roles, (), now_ms, entropy)


def revoke(
    files: KeyFiles, roots: KeyFiles, origin: str, event_key: bytes, now_ms: int, *, entropy: Entropy
) -> PublicKeys:
    """Let an event key sign nothing any more: where it is in use there is a new one, and open games of it end.

    Raises as `rotate` does, and `EventKeyUnknown` for one that the house does not have, or has revoked before.
    """
    with files.alone():
        public = read_public(files, origin)
        if event_key not in public.event_keys or public.revoking(event_key) is not None:
            raise EventKeyUnknown(event_key.hex())
        roles = {Role.EVENT} if event_key == public.newest.event_key else frozenset[Role]()
        return _change(files, roots, public, roles, (event_key,), now_ms, entropy)


def change_policy(files: KeyFiles, origin: str, add: list[str], drop: list[str], quorum: str | None) -> PublicKeys:
    """Add lines to the policy, drop those that hold one of these words, and set the quorum.

    Raises `BadPolicy`, and `KeysDisagree` where it would not be this house's any more: then it is what it was.
    """
    with files.alone():
        public = read_public(files, origin)
        octets = edited(public.policy_file, add, drop, quorum)
        changed = public_keys(files.directory, origin, octets, public.entries, public.roots)
        if changed.policy_file != octets:
            raise KeysDisagree(str(files.directory), "the policy would not name the log key that signs")
        files.write(POLICY, octets)
        return changed


def _change(
    files: KeyFiles,
    roots: KeyFiles,
    public: PublicKeys,
    roles: Set[Role],
    revoked: tuple[bytes, ...],
    now_ms: int,
    entropy: Entropy,
) -> PublicKeys:
    """Write one manifest more, with new keys for these roles."""
    last = public.newest
    root, next_root_hash = _signer(files, roots, public, Role.ROOT in roles, entropy)
    event_key, log_key = last.event_key, last.log_key
    if Role.EVENT in roles:
        number = len(public.event_keys)
        event_key = _new(files, Role.EVENT, number, entropy).public
        files.write_secret(Role.HOUSE, entropy(SEED_BYTES), number)
    if Role.LOG in roles:
        log_key = _new(files, Role.LOG, len(public.log_keys), entropy).public
    manifest = KeyManifest(
        version=last.version + 1,
        previous=leaf(public.entries[-1]),
        time_ms=max(now_ms, last.time_ms),
        origin=public.origin,
        event_key=event_key,
        log_key=log_key,
        operator_keys=last.operator_keys,
        next_root_hash=next_root_hash,
        revoked_keys=(*last.revoked_keys, *revoked),
    )
    files.write(numbered("manifest", manifest.version), sign_manifest(manifest, root))
    changed = read_public(files, public.origin)
    files.write(POLICY, changed.policy_file)
    return changed


def _signer(
    files: KeyFiles, roots: KeyFiles, public: PublicKeys, is_handed_over: bool, entropy: Entropy
) -> tuple[SigningKey, bytes]:
    """The root key that signs, and the hash of the one after it. Raises `KeysDisagree`."""
    number = len(public.roots) + is_handed_over
    key = SigningKey(roots.secret(Role.ROOT, number))
    hash_after = public.newest.next_root_hash
    is_right = _hash(key) == hash_after if is_handed_over else key.public == public.root
    if not is_right:
        raise KeysDisagree(str(roots.directory), f"{Role.ROOT.file(number)} is not the root key whose turn it is")
    if is_handed_over:
        hash_after = _hash(_new(roots, Role.ROOT, number + 1, entropy))
        files.write(f"root-{number}.pub", root_vkey(public.origin, key.public).format().encode() + b"\n")
    return key, hash_after


def _new(files: KeyFiles, role: Role, number: int, entropy: Entropy) -> SigningKey:
    """A new key, in its file."""
    secret = entropy(SEED_BYTES)
    files.write_secret(role, secret, number)
    return SigningKey(secret)


def _hash(root: SigningKey) -> bytes:
    """How a root key is told of before it is used."""
    return sha256(root.public).digest()
