# SPDX-License-Identifier: Apache-2.0
"""A house in memory: its keys, its witnesses, and one Merkle tree with checkpoints.

Everything it draws comes from a seeded generator, so the same seed makes the same log, byte for byte. The framing
is written out here once more, so that a mistake in `hokm.entry` cannot hide in both.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from hokm.checkpoint import Checkpoint, cosign, sign_checkpoint
from hokm.merkle import Nodes, consistency_proof, grow, inclusion_proof, leaf_hash, reading, root_of
from hokm.note import Note
from hokm.policy import Group, Log, Policy, Witness, root_name
from hokm.signing import SignatureType, SigningKey, VKey, key_id, pae
from hokm.table import House
from hokm.v1 import keys_pb2
from hokm.wire import EVENT_TYPE, KEYS_TYPE

ORIGIN = "hokm.example/log"
START_MS = 1_800_000_000_000


@dataclass
class TestHouse:
    """Keys, clock and log of one house."""

    __test__ = False  # not a test, whatever its name begins with

    seed: int = 1
    origin: str = ORIGIN
    witness_names: tuple[str, ...] = ("alef", "be", "pe")
    threshold: int = 2
    """How many of the witnesses make the quorum; 0 for a policy without."""
    cosigners: int = 3
    """How many of the witnesses cosign."""
    now_ms: int = START_MS
    strangers: int = 3
    """Leaves before all others that are no entries."""
    leaves: list[bytes] = field(default_factory=list)
    nodes: Nodes = field(default_factory=dict)
    manifests: list[tuple[bytes, int]] = field(default_factory=list)
    """Entry and place in the tree of every key manifest."""

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.root_keys = [self.new_key(), self.new_key()]
        """The root key in use last, and the one after it."""
        self.event_key = self.new_key()
        self.log_key = self.new_key()
        self.operator_key = self.new_key()
        self.secret = self.octets()
        self.witnesses = [(f"{name}.example/witness", self.new_key()) for name in self.witness_names]
        self.first_root = self.root_keys[0]
        for _ in range(self.strangers):
            self.append(b"other" + self.octets())
        self.write_manifest()

    # Entropy and time.

    def octets(self, count: int = 32) -> bytes:
        return self.rng.randbytes(count)

    def new_key(self) -> SigningKey:
        return SigningKey(self.octets())

    def wait(self, milliseconds: int) -> int:
        self.now_ms += milliseconds
        return self.now_ms

    # Keys.

    @property
    def house(self) -> House:
        return House(self.origin, self.event_key.public)

    @property
    def policy(self) -> Policy:
        """What a reader trusts."""
        names = [name.partition(".")[0] for name, _ in self.witnesses]
        witnesses = tuple(
            Witness(short, VKey(name, SignatureType.COSIGNATURE, key.public))
            for short, (name, key) in zip(names, self.witnesses, strict=True)
        )
        return Policy(
            (Log(VKey(self.origin, SignatureType.ED25519, self.log_key.public)),),
            (VKey(root_name(self.origin), SignatureType.ED25519, self.first_root.public),),
            witnesses,
            (Group("several", self.threshold, tuple(names)),) if self.threshold else (),
            "several" if self.threshold else None,
        )

    @property
    def manifest_leaf(self) -> bytes:
        return leaf_hash(self.manifests[-1][0])

    def write_manifest(
        self, revoked: tuple[bytes, ...] = (), root: SigningKey | None = None, next_root_hash: bytes | None = None
    ) -> None:
        """Log a manifest of the keys as they now are."""
        import hashlib

        message = keys_pb2.KeyManifest(
            table=bytes(16),
            version=len(self.manifests),
            previous=self.manifest_leaf if self.manifests else bytes(32),
            time_ms=self.now_ms,
            origin=self.origin,
            event_key=self.event_key.public,
            log_key=self.log_key.public,
            operator_keys=[self.operator_key.public],
            next_root_hash=next_root_hash or hashlib.sha256(self.root_keys[-1].public).digest(),
            revoked_keys=revoked,
        )
        entry = frame(root_name(self.origin), root or self.root_keys[-2], KEYS_TYPE, message.SerializeToString())
        self.manifests.append((entry, self.append(entry)))

    def rotate(self, revoke: bool = False) -> None:
        """A new event key, under the next root."""
        old = self.event_key.public
        self.event_key = self.new_key()
        self.root_keys.append(self.new_key())
        self.write_manifest((old,) if revoke else ())

    def sign_event(self, body: bytes, key: SigningKey | None = None) -> bytes:
        """An entry: the event's bytes, framed and signed by the event key."""
        return frame(self.origin + "/events", key or self.event_key, EVENT_TYPE, body)

    # The tree.

    def append(self, entry: bytes) -> int:
        """One leaf more; its place."""
        leaf = leaf_hash(entry)
        self.nodes.update(grow(len(self.leaves), [leaf], reading(self.nodes)))
        self.leaves.append(leaf)
        return len(self.leaves) - 1

    def inclusion(self, index: int, size: int) -> tuple[bytes, ...]:
        return tuple(inclusion_proof(index, size, reading(self.nodes)))

    def consistency(self, old: int, new: int) -> tuple[bytes, ...]:
        return tuple(consistency_proof(old, new, reading(self.nodes)))

    def checkpoint(self, size: int | None = None) -> Checkpoint:
        if size is None:
            size = len(self.leaves)
        return Checkpoint(self.origin, size, root_of(size, reading(self.nodes)))

    def publish(self, size: int | None = None, cosigners: int | None = None, time_ms: int | None = None) -> str:
        """A checkpoint of the tree, signed by the log and cosigned now."""
        checkpoint = self.checkpoint(size)
        seconds = (self.now_ms if time_ms is None else time_ms) // 1000
        signed = sign_checkpoint(checkpoint, self.log_key)
        count = self.cosigners if cosigners is None else cosigners
        cosignatures = tuple(cosign(checkpoint, name, key, seconds) for name, key in self.witnesses[:count])
        return Note(signed.text, signed.signatures + cosignatures).format().decode()


def frame(name: str, key: SigningKey, type_: str, body: bytes) -> bytes:
    """HKE1 || u32 length || body || key id[4] || signature[64]."""
    hint = key_id(name, SignatureType.ED25519, key.public)
    return b"HKE1" + len(body).to_bytes(4, "big") + body + hint + key.sign(pae(type_, body))
