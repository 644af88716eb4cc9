# SPDX-License-Identifier: Apache-2.0
"""Whom the player trusts: the log and the root key of a policy, and whatever these two vouch for.

Everything else follows from the two keys: the manifests that the root signed name the event key of each table, and the
log's checkpoints must all be of one growing tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from hokm.checkpoint import Checkpoint
from hokm.entry import leaf
from hokm.errors import HokmError, NotSigned, UnknownLog, system_words
from hokm.keys import KeyManifest, check_manifests
from hokm.merkle import EMPTY_ROOT, check_consistency, check_inclusion
from hokm.note import Note
from hokm.policy import Endorsed, Policy
from hokm_client.errors import PolicyMissing
from hokm_client.fraud import Fraud, FraudKind


def read_policy(path: Path) -> Policy:
    """The policy in that file. Raises `PolicyMissing`, `BadPolicy`."""
    try:
        octets = path.read_bytes()
    except OSError as error:
        raise PolicyMissing(str(path), system_words(error)) from None
    return Policy.parse(octets)


class TableKeys(NamedTuple):
    """What the manifests say of the house of one table."""

    leaf: bytes
    """Of the manifest that the table names."""
    manifest: KeyManifest
    successors: tuple[KeyManifest, ...]
    """The manifests after it that there are."""
    other_keys: frozenset[bytes]
    """The root key, and every key that any manifest names, but for this one's event key: none may be in a seat."""


class Manifests:
    """The key manifests of one log that count for a reader of this policy."""

    def __init__(self, policy: Policy, origin: str) -> None:
        """Raises `UnknownLog` where the policy does not name the log."""
        if not any(log.vkey.name == origin for log in policy.logs):
            raise UnknownLog(origin)
        self._root = policy.root_key(origin)
        self._entries: list[bytes] = []
        self._roots: tuple[bytes, ...] = ()
        self._manifests: tuple[KeyManifest, ...] = ()

    @property
    def entries(self) -> Sequence[bytes]:
        """As they were signed, by version."""
        return self._entries

    @property
    def roots(self) -> Sequence[bytes]:
        """The root keys after the policy's that they hand over to."""
        return self._roots

    def learn(self, entries: Sequence[bytes], roots: Sequence[bytes] = ()) -> None:
        """Take all entries of the stream "keys", from its first on. What was known must still be there.

        `roots` are keys that may be later root keys: each counts by its hash in a manifest that counts.

        Raises `Fraud` where it is not, and what `check_manifests` raises.
        """
        known = len(self._entries)
        if list(entries[:known]) != self._entries:
            raise Fraud(FraudKind.TWO_ENTRIES, 0, "the key manifests are not those that were seen before")
        self._manifests = check_manifests(entries, self._root, roots)
        self._entries = list(entries)
        hashes = {manifest.next_root_hash for manifest in self._manifests}
        self._roots = tuple(root for root in roots if sha256(root).digest() in hashes)

    def of(self, manifest_leaf: bytes) -> TableKeys | None:
        """The keys of a table that names the manifest with that leaf; None where it is not known."""
        for place, entry in enumerate(self._entries):
            if leaf(entry) == manifest_leaf:
                manifest, successors = self._manifests[place], self._manifests[place + 1 :]
                return TableKeys(manifest_leaf, manifest, successors, self._all_keys() - {manifest.event_key})
        return None

    def _all_keys(self) -> frozenset[bytes]:
        named = (key for manifest in self._manifests for key, _ in manifest.roles())
        return frozenset((self._root.public_key, *self._roots, *named))


class SeenHead(NamedTuple):
    """The greatest checkpoint that was found consistent with all before it."""

    note: bytes
    checkpoint: Checkpoint


class Heads:
    """The checkpoints of one log as they are seen: each must continue the last one."""

    def __init__(self, policy: Policy, origin: str, kept: bytes | None) -> None:
        """`kept` is the checkpoint that a run before this one ended with, as a signed note."""
        self._policy = policy
        self.origin = origin
        self.last = None if kept is None else SeenHead(kept, Checkpoint.parse(Note.parse(kept).text))

    def read(self, note: bytes) -> Endorsed:
        """A signed checkpoint of this log. Raises `Fraud` where it is not one."""
        try:
            endorsed = self._policy.endorse(Note.parse(note))
        except NotSigned:
            what = "no log key of your policy has signed it: a house that has another now names it in its new policy"
            raise self._fraud(FraudKind.BAD_CHECKPOINT, what, note) from None
        except HokmError as error:
            raise self._fraud(FraudKind.BAD_CHECKPOINT, str(error), note) from None
        if endorsed.checkpoint.origin != self.origin:
            raise self._fraud(FraudKind.BAD_CHECKPOINT, "the checkpoint is of another log", note)
        return endorsed

    def needs_proof(self, checkpoint: Checkpoint) -> int | None:
        """The size from which a consistency proof is wanted; None where none is needed."""
        last = self.last
        if last is None or last.checkpoint.size in (0, checkpoint.size):
            return None
        return last.checkpoint.size

    def take(self, note: bytes, proof: Sequence[bytes]) -> Checkpoint:
        """A checkpoint that is not older than the last, with the proof from there. Raises `Fraud`."""
        checkpoint = self.read(note).checkpoint
        last = self.last
        if last is not None:
            old = last.checkpoint
            if checkpoint.size < old.size:
                what = f"the log had {old.size} entries before and has {checkpoint.size} now"
                raise self._fraud(FraudKind.BAD_CHECKPOINT, what, note)
            if checkpoint.size == old.size and checkpoint.root != old.root:
                what = f"two roots for the first {old.size} entries"
                raise self._fraud(FraudKind.TWO_HEADS, what, note, proves=True)
            if not check_consistency(old.size, old.root, checkpoint.size, checkpoint.root, proof):
                what = f"nothing shows that the tree of {checkpoint.size} begins with that of {old.size}"
                raise self._fraud(FraudKind.TWO_HEADS, what, note)
        elif checkpoint.size == 0 and checkpoint.root != EMPTY_ROOT:
            raise self._fraud(FraudKind.BAD_CHECKPOINT, "an empty tree has another root", note, proves=True)
        self.last = SeenHead(note, checkpoint)
        return checkpoint

    def take_older(self, note: bytes, proof: Sequence[bytes]) -> None:
        """A checkpoint older than the last, with the proof that the last one's tree begins so. Raises `Fraud`."""
        assert self.last is not None
        old, new = self.read(note).checkpoint, self.last.checkpoint
        if not check_consistency(old.size, old.root, new.size, new.root, proof):
            what = f"nothing shows that the tree of {new.size} begins with that of {old.size}"
            raise self._fraud(FraudKind.TWO_HEADS, what, note)

    def holds(self, entry: bytes, index: int, hashes: Sequence[bytes]) -> bool:
        """Whether the last checkpoint's tree has the entry at that place."""
        assert self.last is not None
        checkpoint = self.last.checkpoint
        return check_inclusion(leaf(entry), index, checkpoint.size, hashes, checkpoint.root)

    def _fraud(self, kind: FraudKind, what: str, note: bytes, *, proves: bool = False) -> Fraud:
        exhibits = {"checkpoint": note}
        if self.last is not None:
            exhibits["other"] = self.last.note
        return Fraud(kind, 0, what, proves, exhibits)
