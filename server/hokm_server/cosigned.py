# SPDX-License-Identifier: Apache-2.0
"""What the witnesses of the policy say of the log's checkpoints: kept beside them, and put under them.

A cosignature is taken for a checkpoint that was published, from a witness that the policy names, and once; it never
changes what was published. A checkpoint is *witnessed* when those under it meet the policy's quorum. Where the policy
wants none, no checkpoint is called so.
"""

from __future__ import annotations

from dataclasses import replace

from hokm.checkpoint import verify_cosignatures
from hokm.note import MOST_SIGNATURES, Note, NoteSignature
from hokm.policy import Policy
from hokm.signing import VKey
from hokm_server.store import Store

_SIZES_AT_ONCE = 100
_MOST_SIZES = 100_000
"""Looked through for the last one with the quorum: a day of checkpoints that too few witnesses signed."""


class Cosigned:
    """The cosignatures in a store, by the witnesses of one policy."""

    def __init__(self, store: Store, policy: Policy) -> None:
        self._store = store
        self._policy = policy
        self._vkeys = [witness.vkey for witness in policy.witnesses]

    @property
    def wanted(self) -> bool:
        """Whether the policy wants a quorum."""
        return self._policy.quorum is not None

    def keep(self, size: int, witness: VKey, line: NoteSignature) -> None:
        """Keep this line of a witness, which the caller has verified, for the checkpoint of this size."""
        self._store.cosign(size, witness.public_key, line.format().encode())

    def under(self, size: int, note: bytes) -> bytes:
        """The note of the checkpoint of this size, with every cosignature that is kept of it."""
        lines = [NoteSignature.parse(line.decode()) for line in self._store.cosignatures(size)]
        signed = Note.parse(note)
        return replace(signed, signatures=(*signed.signatures, *lines)[:MOST_SIGNATURES]).format() if lines else note

    def met_by(self, note: bytes) -> bool:
        """Whether the cosignatures under this note meet the quorum; never where the policy wants none."""
        if not self.wanted:
            return False
        found = verify_cosignatures(Note.parse(note), self._vkeys)
        return self._policy.is_met_by(cosignature.witness for cosignature in found)

    def latest(self) -> int | None:
        """The size of the last checkpoint in the store that has the quorum, None where there is none."""
        if not self.wanted:
            return None
        below, seen = 2**63 - 1, 0
        while (sizes := self._store.cosigned(below, _SIZES_AT_ONCE)) and seen < _MOST_SIZES:
            for size in sizes:
                note = self._store.checkpoint(size)
                assert note is not None
                if self.met_by(self.under(size, note)):
                    return size
            below, seen = sizes[-1], seen + len(sizes)
        return None


def can_reach_quorum(policy: Policy) -> bool:
    """Whether the witnesses that have a URL are enough for the quorum; never where the policy wants none."""
    asked = [witness.vkey for witness in policy.witnesses if witness.url is not None]
    return policy.quorum is not None and policy.is_met_by(asked)
