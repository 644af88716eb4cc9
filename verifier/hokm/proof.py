# SPDX-License-Identifier: Apache-2.0
"""The file that proves a round or a whole game: one JSON object, read strictly beside its exact inverse.

    format         "hokm/v1/proof"
    kind           "round" or "game"
    origin         which log: the first line of its checkpoints
    table          the stream's id, 32 hex digits
    round          which round, from 1; in a round proof only
    manifests      [{entry, index, inclusion}], by version: the key manifest that the table was opened under, and
                   those before it that hand over to a later root key, if one signed it
    roots          the later root keys, in base64; only where there are any
    opening        entries 0 to GameStarted; in a round proof from round 2 on only
    first_version  the version of the first of these:
    entries        without a gap; of round 1 and of a game from version 0, of a later round from the RoundRevealed
                   of the round before; to the RoundRevealed of this round, or to the end of the stream
    inclusion      [{version, index, hashes}], of GameStarted and the last entry
    anchors        [{version, checkpoint, consistency}], one for each CeremonyOpened among the entries: the
                   checkpoint that it comes after, and the proof that the tree grew out of it
    checkpoint     the signed note that all the proofs above lead to

Entries and hashes are standard base64 with padding; checkpoints are signed notes as text. Keys may come in any
order, each once; nothing that is not named here may be there. `entries` may end early: such a proof shows less,
and is told so.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from hokm import json_values as read
from hokm.errors import BadProof
from hokm.merkle import HASH_BYTES
from hokm.notation import MOST_ORIGIN_BYTES, write_base64
from hokm.note import MOST_BYTES as MOST_NOTE_BYTES

FORMAT: Final = "hokm/v1/proof"

MOST_ROUND_BYTES: Final = 8 * 1024 * 1024
MOST_GAME_BYTES: Final = 64 * 1024 * 1024

MOST_ENTRIES: Final = 1 << 16
"""In one proof: several times what the longest game can have."""
MOST_ANCHORS: Final = 1 << 12
LAST_ROUND: Final = 2**32 - 1
"""That a context can name."""
MOST_HASHES: Final = 64
"""In one inclusion or consistency proof of a tree of fewer than 2^63 leaves."""
MOST_MANIFESTS: Final = 10_000
LEAST_ENTRY_BYTES: Final = 76
"""Those of the frame."""


class ProofKind(StrEnum):
    """What a proof is of."""

    ROUND = "round"
    GAME = "game"


@dataclass(frozen=True, slots=True)
class ManifestProof:
    """A key manifest and its place in the tree."""

    entry: bytes
    index: int
    inclusion: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Inclusion:
    """The place of an entry in the tree."""

    version: int
    index: int
    hashes: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class AnchorProof:
    """The checkpoint that a ceremony comes after."""

    version: int
    """Of the CeremonyOpened."""
    checkpoint: str
    consistency: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Proof:
    """What the file holds, none of it verified by being here."""

    kind: ProofKind
    origin: str
    table: bytes
    """16 bytes."""
    round: int | None
    """None in the proof of a game."""
    manifests: tuple[ManifestProof, ...]
    roots: tuple[bytes, ...]
    """Root keys that manifests hand over to, 32 bytes each."""
    opening: tuple[bytes, ...]
    first_version: int
    entries: tuple[bytes, ...]
    """At least one."""
    inclusion: tuple[Inclusion, ...]
    anchors: tuple[AnchorProof, ...]
    checkpoint: str

    @classmethod
    def parse(cls, octets: bytes) -> Proof:
        """Read a proof file. Raises `BadProof`."""
        if len(octets) > MOST_GAME_BYTES:
            raise BadProof(f"it has more than {MOST_GAME_BYTES} bytes")
        try:
            proof = _proof(read.load(octets))
        except read.NotSuch as error:
            raise BadProof(str(error)) from None
        if proof.kind is ProofKind.ROUND and len(octets) > MOST_ROUND_BYTES:
            raise BadProof(f"it is of one round and has more than {MOST_ROUND_BYTES} bytes")
        return proof

    def format(self) -> bytes:
        """A file that `parse` reads as this proof."""
        whole: dict[str, Any] = {
            "format": FORMAT,
            "kind": self.kind.value,
            "origin": self.origin,
            "table": self.table.hex(),
        }
        if self.round is not None:
            whole["round"] = self.round
        whole["manifests"] = [
            {"entry": write_base64(item.entry), "index": item.index, "inclusion": _texts(item.inclusion)}
            for item in self.manifests
        ]
        if self.roots:
            whole["roots"] = _texts(self.roots)
        if self.opening:
            whole["opening"] = _texts(self.opening)
        whole["first_version"] = self.first_version
        whole["entries"] = _texts(self.entries)
        whole["inclusion"] = [
            {"version": item.version, "index": item.index, "hashes": _texts(item.hashes)} for item in self.inclusion
        ]
        whole["anchors"] = [
            {"version": item.version, "checkpoint": item.checkpoint, "consistency": _texts(item.consistency)}
            for item in self.anchors
        ]
        whole["checkpoint"] = self.checkpoint
        return (json.dumps(whole, ensure_ascii=False, indent=1) + "\n").encode()


def _texts(several: tuple[bytes, ...]) -> list[str]:
    return [write_base64(octets) for octets in several]


# Reading.

_entry: Final = read.octets_of(LEAST_ENTRY_BYTES, MOST_GAME_BYTES)
_hash: Final = read.octets_of(HASH_BYTES, HASH_BYTES)
_hashes: Final = read.list_of(_hash, MOST_HASHES)
_entries: Final = read.list_of(_entry, MOST_ENTRIES)
_manifest: Final = read.record(ManifestProof, {"entry": _entry, "index": read.number, "inclusion": _hashes})
_inclusion: Final = read.record(Inclusion, {"version": read.number, "index": read.number, "hashes": _hashes})
_note: Final = read.text_of(MOST_NOTE_BYTES)
_anchor: Final = read.record(AnchorProof, {"version": read.number, "checkpoint": _note, "consistency": _hashes})


def _kind(value: Any, name: str) -> ProofKind:
    if read.text(value, name) not in tuple(ProofKind):
        raise read.NotSuch(f"its kind is {read.shown(value)}: only 'round' and 'game' are known here")
    return ProofKind(value)


_FIELDS: Final[dict[str, read.Read[Any]]] = {
    "format": read.exactly(FORMAT),
    "kind": _kind,
    "origin": read.text_of(MOST_ORIGIN_BYTES),
    "table": read.table_id,
    "round": read.number,
    "manifests": read.list_of(_manifest, MOST_MANIFESTS),
    "roots": read.list_of(_hash, MOST_MANIFESTS),
    "opening": _entries,
    "first_version": read.number,
    "entries": _entries,
    "inclusion": read.list_of(_inclusion, 2),
    "anchors": read.list_of(_anchor, MOST_ANCHORS),
    "checkpoint": _note,
}
_NOT_ALWAYS: Final = frozenset({"round", "roots", "opening"})


def _proof(value: Any) -> Proof:
    found = read.fields(value, "the proof", _FIELDS, _NOT_ALWAYS)
    del found["format"]
    proof = Proof(**({"round": None, "roots": (), "opening": ()} | found))
    if (proof.kind is ProofKind.ROUND) != (proof.round is not None):
        raise read.NotSuch("a round proof names its round, a game proof none")
    if proof.round is not None and not 1 <= proof.round <= LAST_ROUND:
        raise read.NotSuch(f"its round is not a number from 1 to {LAST_ROUND}")
    if not proof.entries:
        raise read.NotSuch("it has no entries")
    if "roots" in found and not proof.roots:
        raise read.NotSuch("roots is empty")
    later = proof.round is not None and proof.round > 1
    if ("opening" in found) != later or bool(proof.opening) != later:
        raise read.NotSuch("there is an opening in the proof of a round from 2 on, and only there")
    if not proof.opening and proof.first_version:
        raise read.NotSuch("the first version of a game or of round 1 is 0")
    return proof
