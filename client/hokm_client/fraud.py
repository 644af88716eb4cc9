# SPDX-License-Identifier: Apache-2.0
"""The server caught: what it did, which protest that is, and the evidence as a file that can be shown to anybody.

The file is `hokm.evidence`'s, and `hokm-verify evidence` judges it.

`proves` says whether this shows it to a stranger: bytes that somebody signed twice differently, or against the rules.
Where it is false the player saw it happen and can only say so: bytes without a good signature can come from anybody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from hokm.errors import HokmError
from hokm.events import ProtestReason
from hokm.evidence import Evidence
from hokm_client.files import write_once


class FraudKind(StrEnum):
    """What the server was caught at."""

    BAD_ENTRY = "BAD_ENTRY"
    """It is no entry, or not of this table."""
    BAD_SIGNATURE = "BAD_SIGNATURE"
    """An entry is not signed by the house, or a hand note is not."""
    BAD_CHAIN = "BAD_CHAIN"
    """An entry does not name the one before it."""
    GAP = "GAP"
    """An entry was left out."""
    TWO_ENTRIES = "TWO_ENTRIES"
    """Two entries for one place."""
    FORGED_MOVE = "FORGED_MOVE"
    """A move in the log that its seat did not sign, or that the rules refuse."""
    REFUSED_MOVE = "REFUSED_MOVE"
    """A move in the log that was refused to the seat that sent it."""
    FORGED_RULING = "FORGED_RULING"
    """A ruling that the rules do not give here."""
    WRONG_CONTEXT = "WRONG_CONTEXT"
    """A ceremony that is not the one that comes next."""
    CHANGED_SET = "CHANGED_SET"
    """A set of commitments that is not the one that was sent."""
    TWO_SETS = "TWO_SETS"
    """Two sets of commitments for one context."""
    NOT_WITNESSED = "NOT_WITNESSED"
    """A set of commitments that is said to be in a log which witnesses have seen, and is not."""
    WRONG_NUMBER = "WRONG_NUMBER"
    """A number that does not open its commitment."""
    BAD_NOTE = "BAD_NOTE"
    """A hand note that cannot belong to this deal."""
    TWO_HANDS = "TWO_HANDS"
    """Two hand notes for one packet, or one card in two packets."""
    WRONG_HAND = "WRONG_HAND"
    """A hand note that the revealed numbers contradict."""
    TWO_HEADS = "TWO_HEADS"
    """Two checkpoints that no one tree can have."""
    BAD_CHECKPOINT = "BAD_CHECKPOINT"
    """A checkpoint that is not signed as it must be, or is older than the one before."""
    BROKEN_PROMISE = "BROKEN_PROMISE"
    """A signed entry that is not in the published log where it must be."""

    @property
    def protest(self) -> ProtestReason:
        """The reason under which it is protested."""
        match self:
            case FraudKind.CHANGED_SET | FraudKind.TWO_SETS | FraudKind.NOT_WITNESSED | FraudKind.WRONG_NUMBER:
                return ProtestReason.BAD_SET
            case FraudKind.BAD_NOTE | FraudKind.TWO_HANDS | FraudKind.WRONG_HAND:
                return ProtestReason.BAD_HAND
            case _:
                return ProtestReason.BAD_CHAIN


@dataclass(eq=False)
class Fraud(HokmError):
    """The server contradicts itself, the rules, or what it was sent. Nothing more is signed but a protest."""

    kind: FraudKind
    version: int
    """Of the entry at which it was seen."""
    what: str
    proves: bool = False
    """The exhibits show it to anybody."""
    exhibits: Mapping[str, bytes] = field(default_factory=dict)
    sentence = "The server was caught at entry {version} ({kind}): {what}"

    @property
    def facts(self) -> dict[str, str]:
        """The facts as text, without the exhibits."""
        return {"kind": self.kind, "version": str(self.version), "what": self.what, "proves": str(self.proves)}


@dataclass(frozen=True, slots=True)
class Scene:
    """Where it happened."""

    origin: str
    table_id: bytes
    manifests: Sequence[bytes]
    roots: Sequence[bytes]
    """Root keys that manifests were signed by after the first."""
    entries: Sequence[bytes]


def write_evidence(fraud: Fraud, scene: Scene, seen_ms: int) -> bytes:
    """The file that shows the fraud to others."""
    return Evidence(
        kind=fraud.kind,
        proves=fraud.proves,
        sentence=str(fraud),
        origin=scene.origin,
        table=scene.table_id,
        version=fraud.version,
        seen_ms=seen_ms,
        manifests=tuple(scene.manifests),
        roots=tuple(scene.roots),
        entries=tuple(scene.entries),
        exhibits=fraud.exhibits,
    ).format()


def save_evidence(directory: Path, fraud: Fraud, scene: Scene, seen_ms: int) -> Path:
    """Where the evidence was saved: a file of its own, which nothing writes over. Raises `OSError`."""
    directory.mkdir(parents=True, exist_ok=True)
    octets = write_evidence(fraud, scene, seen_ms)
    stem = f"{scene.table_id.hex()}-{fraud.version}-{fraud.kind.lower().replace('_', '-')}"
    for count in range(1000):
        path = directory / (f"{stem}.json" if count == 0 else f"{stem}-{count}.json")
        try:
            write_once(path, octets, 0o644)
        except FileExistsError:
            continue
        return path
    return directory / f"{stem}.json"  # a thousand times the same: the first is there
