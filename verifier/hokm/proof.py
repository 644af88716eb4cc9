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

Nothing is trusted while it is read: the length is looked at before the text, the nesting is that of this format
and no deeper, and what is read takes no more memory than the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeVar

from hokm.errors import BadProof
from hokm.merkle import HASH_BYTES
from hokm.notation import MOST, read_base64, read_decimal, write_base64

FORMAT: Final = "hokm/v1/proof"

MOST_ROUND_BYTES: Final = 8 * 1024 * 1024
MOST_GAME_BYTES: Final = 64 * 1024 * 1024

MOST_HASHES: Final = 64
"""In one inclusion or consistency proof of a tree of fewer than 2^63 leaves."""
MOST_MANIFESTS: Final = 10_000
LEAST_ENTRY_BYTES: Final = 76
"""Those of the frame. (Very many very small entries would take many times the length of their file.)"""

T = TypeVar("T")


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
        proof = _Reader(octets).whole(_proof)
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


# Reading. A reader of a value takes the text from where the `_Reader` stands and says in an error what it was about.

_SPACE: Final = re.compile(rb"[ \t\n\r]*")
_NUMBER: Final = re.compile(rb"[ \t\n\r]*([-+.0-9eE]+)")
_STRING: Final = re.compile(rb'[ \t\n\r]*("(?:[^"\\]++|\\.)*+")', re.DOTALL)
_BASE64: Final = re.compile(rb'[ \t\n\r]*"([A-Za-z0-9+/]++={0,2})"')
_BASE64_AND_MARK: Final = re.compile(rb'[ \t\n\r]*"([A-Za-z0-9+/]++={0,2})"[ \t\n\r]*([,\]])')
_TABLE: Final = re.compile(r"[0-9a-f]{32}")


class _Reader:
    """A place in a JSON text, which stays bytes: most of it is base64, and is decoded from where it stands."""

    __slots__ = ("place", "text")

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.place = 0

    def whole(self, read: Callable[[_Reader, str], T]) -> T:
        value = read(self, "the proof")
        if self.next():
            raise BadProof("something follows the proof")
        return value

    def next(self) -> bytes:
        """The next byte that is no space, not taken yet; empty at the end."""
        mark = self.text[self.place : self.place + 1]
        if mark and mark in b" \t\n\r":
            spaces = _SPACE.match(self.text, self.place)
            assert spaces is not None
            self.place = spaces.end()
            mark = self.text[self.place : self.place + 1]
        return mark

    def take(self, mark: bytes, name: str) -> None:
        if self.next() != mark:
            raise BadProof(f"{name} is not JSON as it must be: no {mark.decode()} where one is wanted")
        self.place += 1

    def string(self, name: str) -> str:
        spelled = _STRING.match(self.text, self.place)
        if spelled is None:
            raise BadProof(f"{name} is not a string, or does not end")
        try:
            value = json.loads(spelled[1].decode())
        except ValueError:
            raise BadProof(f"{name} is a string that holds what no string may hold") from None
        assert isinstance(value, str)
        self.place = spelled.end()
        return value

    def number(self, name: str) -> int:
        spelled = _NUMBER.match(self.text, self.place)
        value = None if spelled is None else read_decimal(spelled[1].decode())
        if spelled is None or value is None:
            raise BadProof(f"{name} is not a whole number from 0 to {MOST}")
        self.place = spelled.end()
        return value

    def octets(self, name: str) -> bytes:
        spelled = _BASE64.match(self.text, self.place)
        if spelled is not None:
            value = read_base64(spelled[1])
            self.place = spelled.end()
        else:
            value = read_base64(self.string(name))  # with escapes, such as \\/, or nothing like base64
        if not value:
            raise BadProof(f"{name} is not standard base64 of at least one byte")
        return value

    def hash(self, name: str) -> bytes:
        value = self.octets(name)
        if len(value) != HASH_BYTES:
            raise BadProof(f"{name} has {len(value)} bytes, not {HASH_BYTES}")
        return value

    def entry(self, name: str) -> bytes:
        value = self.octets(name)
        if len(value) < LEAST_ENTRY_BYTES:
            raise BadProof(f"{name} has {len(value)} bytes: no entry has fewer than {LEAST_ENTRY_BYTES}")
        return value

    def entries(self, name: str) -> tuple[bytes, ...]:
        """A list of entries: nearly all of a file, so each is taken together with the comma behind it."""
        values: list[bytes] = []
        self.take(b"[", name)
        more = self.next() != b"]"
        while more:
            spelled = _BASE64_AND_MARK.match(self.text, self.place)
            value = None if spelled is None else read_base64(spelled[1])
            if spelled is None or value is None or len(value) < LEAST_ENTRY_BYTES:
                value = self.entry(f"an item of {name}")  # which says what is wrong with it, unless it has escapes
                more = self.next() == b","
                self.place += more
            else:
                more = spelled[2] == b","
                self.place = spelled.end() if more else spelled.start(2)
            values.append(value)
        self.take(b"]", name)
        return tuple(values)

    def several(self, read: Callable[[_Reader, str], T], name: str, most: int) -> tuple[T, ...]:
        self.take(b"[", name)
        values: list[T] = []
        if self.next() != b"]":
            item = f"an item of {name}"
            while True:
                if len(values) == most:
                    raise BadProof(f"{name} has more than {most} items")
                values.append(read(self, item))
                if self.next() != b",":
                    break
                self.place += 1
        self.take(b"]", name)
        return tuple(values)

    def object(self, fields: dict[str, Callable[[_Reader, str], Any]], name: str) -> dict[str, Any]:
        self.take(b"{", name)
        values: dict[str, Any] = {}
        if self.next() != b"}":
            while True:
                key = self.string(f"a key of {name}")
                read = fields.get(key)
                if read is None:
                    raise BadProof(f"{name} has the key {_shown(key)}, which is not known here")
                if key in values:
                    raise BadProof(f"{name} has the key {key!r} twice")
                self.take(b":", name)
                values[key] = read(self, key)
                if self.next() != b",":
                    break
                self.place += 1
        self.take(b"}", name)
        return values


def _shown(text: str) -> str:
    return ascii(text if len(text) <= 40 else text[:40] + "…")


def _hashes(reader: _Reader, name: str) -> tuple[bytes, ...]:
    return reader.several(_Reader.hash, name, MOST_HASHES)


def _record(kind: Callable[..., T], fields: dict[str, Callable[[_Reader, str], Any]]) -> Callable[[_Reader, str], T]:
    def read(reader: _Reader, name: str) -> T:
        values = reader.object(fields, name)
        for field in fields:
            if field not in values:
                raise BadProof(f"{name} has no {field!r}")
        return kind(**values)

    return read


_manifest: Final = _record(ManifestProof, {"entry": _Reader.entry, "index": _Reader.number, "inclusion": _hashes})
_inclusion: Final = _record(Inclusion, {"version": _Reader.number, "index": _Reader.number, "hashes": _hashes})
_anchor: Final = _record(AnchorProof, {"version": _Reader.number, "checkpoint": _Reader.string, "consistency": _hashes})


def _format(reader: _Reader, name: str) -> str:
    value = reader.string(name)
    if value != FORMAT:
        raise BadProof(f"its format is {_shown(value)}: only {FORMAT!r} is known here")
    return value


def _kind(reader: _Reader, name: str) -> ProofKind:
    value = reader.string(name)
    if value not in tuple(ProofKind):
        raise BadProof(f"its kind is {_shown(value)}: only 'round' and 'game' are known here")
    return ProofKind(value)


def _table(reader: _Reader, name: str) -> bytes:
    value = reader.string(name)
    if not _TABLE.fullmatch(value):
        raise BadProof("table is not 32 small hex digits")
    return bytes.fromhex(value)


_FIELDS: Final[dict[str, Callable[[_Reader, str], Any]]] = {
    "format": _format,
    "kind": _kind,
    "origin": _Reader.string,
    "table": _table,
    "round": _Reader.number,
    "manifests": lambda reader, name: reader.several(_manifest, name, MOST_MANIFESTS),
    "roots": lambda reader, name: reader.several(_Reader.hash, name, MOST_MANIFESTS),
    "opening": _Reader.entries,
    "first_version": _Reader.number,
    "entries": _Reader.entries,
    "inclusion": lambda reader, name: reader.several(_inclusion, name, 2),
    "anchors": lambda reader, name: reader.several(_anchor, name, MOST_GAME_BYTES),
    "checkpoint": _Reader.string,
}
_NOT_ALWAYS: Final = {"round", "roots", "opening"}


def _proof(reader: _Reader, name: str) -> Proof:
    values = reader.object(_FIELDS, name)
    for field in _FIELDS:
        if field not in values and field not in _NOT_ALWAYS:
            raise BadProof(f"it has no {field!r}")
    del values["format"]
    proof = Proof(**({"round": None, "roots": (), "opening": ()} | values))
    if (proof.kind is ProofKind.ROUND) != (proof.round is not None):
        raise BadProof("a round proof names its round, a game proof none")
    if proof.round == 0:
        raise BadProof("rounds count from 1")
    if not proof.entries:
        raise BadProof("it has no entries")
    if "roots" in values and not proof.roots:
        raise BadProof("roots is empty")
    later = proof.round is not None and proof.round > 1
    if ("opening" in values) != later or bool(proof.opening) != later:
        raise BadProof("there is an opening in the proof of a round from 2 on, and only there")
    if not proof.opening and proof.first_version:
        raise BadProof("the first version of a game or of round 1 is 0")
    return proof
