# SPDX-License-Identifier: Apache-2.0
"""A proof that one entry is in the log, as tools know it that know nothing of the game (C2SP tlog-proof).

Lines, each ended by a newline::

    c2sp.org/tlog-proof@v1
    extra <base64>                  here the entry itself; not vouched for by being here, and may be left out
    index <decimal>                 the entry's place in the log
    <base64 of 32 bytes>            the inclusion proof, from the leaf's sibling up: none or more such lines
    <an empty line>
    <the signed checkpoint, to the end>
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

from hokm.entry import leaf
from hokm.errors import BadTlogProof, NotInTree
from hokm.merkle import HASH_BYTES, check_inclusion
from hokm.notation import read_base64, read_decimal, write_base64
from hokm.note import MOST_BYTES as MOST_NOTE_BYTES
from hokm.note import Note
from hokm.policy import Endorsed, Policy
from hokm.proof import MOST_HASHES, Proof

HEADER: Final = "c2sp.org/tlog-proof@v1"

MOST_TLOG_PROOF_BYTES: Final = 2 * MOST_NOTE_BYTES


@dataclass(frozen=True, slots=True)
class TlogProof:
    """What the file holds, none of it verified by being here."""

    index: int
    hashes: tuple[bytes, ...]
    """32 bytes each, at most `MOST_HASHES`."""
    checkpoint: bytes
    """A signed note, if it is one."""
    extra: bytes | None = None

    @classmethod
    def parse(cls, octets: bytes) -> Self:
        """Read the file. Raises `BadTlogProof`."""
        if len(octets) > MOST_TLOG_PROOF_BYTES:
            raise BadTlogProof(f"it has more than {MOST_TLOG_PROOF_BYTES} bytes")
        head, gap, checkpoint = octets.partition(b"\n\n")
        if not gap or not checkpoint:
            raise BadTlogProof("it has no empty line with a checkpoint behind it")
        try:
            header, *lines = head.decode("ascii").split("\n")
        except UnicodeDecodeError:
            raise BadTlogProof("a line before the checkpoint is not ASCII") from None
        if header != HEADER:
            raise BadTlogProof(f"its first line is not {HEADER}")
        extra: bytes | None = None
        if lines and lines[0].startswith("extra "):
            extra = _octets("extra", lines.pop(0).removeprefix("extra "))
        index = read_decimal(lines[0].removeprefix("index ")) if lines and lines[0].startswith("index ") else None
        if index is None:
            raise BadTlogProof("it does not say the index, a decimal number")
        if len(lines) - 1 > MOST_HASHES:
            raise BadTlogProof(f"it has more than {MOST_HASHES} hashes")
        hashes = tuple(_octets("a hash", line) for line in lines[1:])
        if not all(len(found) == HASH_BYTES for found in hashes):
            raise BadTlogProof(f"a hash has not {HASH_BYTES} bytes")
        return cls(index, hashes, checkpoint, extra)

    def format(self) -> bytes:
        """The bytes that `parse` reads."""
        extra = () if self.extra is None else (f"extra {write_base64(self.extra)}",)
        lines = (HEADER, *extra, f"index {self.index}", *map(write_base64, self.hashes))
        return "\n".join(lines).encode() + b"\n\n" + self.checkpoint

    def verify(self, entry: bytes, policy: Policy) -> Endorsed:
        """The checkpoint of a log of the policy in which this entry is, with what witnesses say.

        Raises `NotInTree` where the entry is not there, and what `Note.parse` and `Policy.endorse` raise.
        """
        endorsed = policy.endorse(Note.parse(self.checkpoint))
        checkpoint = endorsed.checkpoint
        if not check_inclusion(leaf(entry), self.index, checkpoint.size, self.hashes, checkpoint.root):
            raise NotInTree(self.index, checkpoint.size)
        return endorsed


def _octets(name: str, text: str) -> bytes:
    found = read_base64(text)
    if found is None:
        raise BadTlogProof(f"{name} is not base64")
    return found


def tlog_proof(octets: bytes) -> TlogProof:
    """That the last entry of a round or game proof is in the log. Raises `BadProof`, `BadTlogProof` where it is not."""
    proof = Proof.parse(octets)
    last = proof.first_version + len(proof.entries) - 1
    for inclusion in proof.inclusion:
        if inclusion.version == last:
            return TlogProof(inclusion.index, inclusion.hashes, proof.checkpoint.encode(), proof.entries[-1])
    raise BadTlogProof("the proof does not show where in the log its last entry is")
