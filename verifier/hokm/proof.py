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

Nothing is trusted while it is read: the length is looked at before the text, and so is how many values there can be
in it, because very many very small ones would take many times the memory of their file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeAlias, TypeVar

from hokm.errors import BadProof
from hokm.merkle import HASH_BYTES
from hokm.notation import MOST, read_base64, read_decimal, write_base64

FORMAT: Final = "hokm/v1/proof"

MOST_ROUND_BYTES: Final = 8 * 1024 * 1024
MOST_GAME_BYTES: Final = 64 * 1024 * 1024

LAST_ROUND: Final = 2**32 - 1
"""That a context can name."""
MOST_HASHES: Final = 64
"""In one inclusion or consistency proof of a tree of fewer than 2^63 leaves."""
MOST_MANIFESTS: Final = 10_000
LEAST_ENTRY_BYTES: Final = 76
"""Those of the frame."""

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
        proof = _proof(_loads(octets))
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


# Reading. A reader of a value is given what the JSON says and, for errors, what it is about.

_MARKS: Final = b",:[{"
_LEAST_FOR_MARK: Final = 12
"""A proof has one of these marks in so many bytes at most, however it is set out: hashes and entries are long."""
_FEW_MARKS: Final = 4096
_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_TABLE: Final = re.compile(r"[0-9a-f]{32}")

Read: TypeAlias = Callable[[Any, str], T]


def _loads(octets: bytes) -> Any:
    """The JSON values of a text, of which no object has a key twice and every number is one that a proof may hold.

    Each value costs a mark in the text. So where marks are rare, the values take little more memory than the text.
    """
    if not _is_sparse(octets):
        raise BadProof("it has more values than any proof of its length")
    try:
        return _DECODER.decode(octets.decode())
    except UnicodeDecodeError:
        raise BadProof("it is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise BadProof(f"it is not JSON: {error.msg} at character {error.pos}") from None
    except RecursionError:
        raise BadProof("it is nested too deep") from None


def _is_sparse(octets: bytes) -> bool:
    """Whether a text has no more marks than a proof of its length. In a string they are letters."""
    most = _FEW_MARKS + len(octets) // _LEAST_FOR_MARK
    if _marks_in(octets) <= most:
        return True
    count = end = 0
    for string in _STRING.finditer(octets):
        count += _marks_in(octets[end : string.start()])
        end = string.end()
        if count > most:
            return False
    return count + _marks_in(octets[end:]) <= most


def _marks_in(octets: bytes) -> int:
    return len(octets) - len(octets.translate(None, _MARKS))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise BadProof("an object has a key twice")
    return values


def _whole_number(spelled: str) -> int:
    value = read_decimal(spelled)
    if value is None:
        raise BadProof(f"{_shown(spelled)} is not a whole number from 0 to {MOST}")
    return value


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_whole_number, parse_float=_whole_number, parse_constant=_whole_number
)


def _shown(text: str) -> str:
    return ascii(text if len(text) <= 40 else text[:40] + "…")


def _text(value: Any, name: str) -> str:
    if type(value) is not str:
        raise BadProof(f"{name} is not a string")
    return value


def _number(value: Any, name: str) -> int:
    if type(value) is not int:
        raise BadProof(f"{name} is not a number")
    return value


def _octets(value: Any, name: str) -> bytes:
    octets = read_base64(value) if type(value) is str else None
    if not octets:
        raise BadProof(f"{name} is not standard base64 of at least one byte")
    return octets


def _hash(value: Any, name: str) -> bytes:
    octets = _octets(value, name)
    if len(octets) != HASH_BYTES:
        raise BadProof(f"{name} has {len(octets)} bytes, not {HASH_BYTES}")
    return octets


def _entry(value: Any, name: str) -> bytes:
    octets = _octets(value, name)
    if len(octets) < LEAST_ENTRY_BYTES:
        raise BadProof(f"{name} has {len(octets)} bytes: no entry has fewer than {LEAST_ENTRY_BYTES}")
    return octets


def _list_of(read: Read[T], most: int = MOST_GAME_BYTES) -> Read[tuple[T, ...]]:
    def read_list(value: Any, name: str) -> tuple[T, ...]:
        if type(value) is not list:
            raise BadProof(f"{name} is not a list")
        if len(value) > most:
            raise BadProof(f"{name} has more than {most} items")
        item = f"an item of {name}"
        return tuple([read(each, item) for each in value])

    return read_list


def _fields(
    value: Any, name: str, fields: dict[str, Read[Any]], may_lack: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """The values of an object that has these keys and no other."""
    if type(value) is not dict:
        raise BadProof(f"{name} is not an object")
    for key in value:
        if key not in fields:
            raise BadProof(f"{name} has the key {_shown(key)}, which is not known here")
    for key in fields:
        if key not in value and key not in may_lack:
            raise BadProof(f"{name} has no {key!r}")
    return {key: fields[key](each, key) for key, each in value.items()}


def _record(kind: Callable[..., T], fields: dict[str, Read[Any]]) -> Read[T]:
    return lambda value, name: kind(**_fields(value, name, fields))


_hashes: Final = _list_of(_hash, MOST_HASHES)
_manifest: Final = _record(ManifestProof, {"entry": _entry, "index": _number, "inclusion": _hashes})
_inclusion: Final = _record(Inclusion, {"version": _number, "index": _number, "hashes": _hashes})
_anchor: Final = _record(AnchorProof, {"version": _number, "checkpoint": _text, "consistency": _hashes})


def _format(value: Any, name: str) -> str:
    if _text(value, name) != FORMAT:
        raise BadProof(f"its format is {_shown(value)}: only {FORMAT!r} is known here")
    return FORMAT


def _kind(value: Any, name: str) -> ProofKind:
    if _text(value, name) not in tuple(ProofKind):
        raise BadProof(f"its kind is {_shown(value)}: only 'round' and 'game' are known here")
    return ProofKind(value)


def _table(value: Any, name: str) -> bytes:
    if type(value) is not str or not _TABLE.fullmatch(value):
        raise BadProof("table is not 32 small hex digits")
    return bytes.fromhex(value)


_FIELDS: Final[dict[str, Read[Any]]] = {
    "format": _format,
    "kind": _kind,
    "origin": _text,
    "table": _table,
    "round": _number,
    "manifests": _list_of(_manifest, MOST_MANIFESTS),
    "roots": _list_of(_hash, MOST_MANIFESTS),
    "opening": _list_of(_entry),
    "first_version": _number,
    "entries": _list_of(_entry),
    "inclusion": _list_of(_inclusion, 2),
    "anchors": _list_of(_anchor),
    "checkpoint": _text,
}
_NOT_ALWAYS: Final = frozenset({"round", "roots", "opening"})


def _proof(value: Any) -> Proof:
    values = _fields(value, "the proof", _FIELDS, _NOT_ALWAYS)
    del values["format"]
    proof = Proof(**({"round": None, "roots": (), "opening": ()} | values))
    if (proof.kind is ProofKind.ROUND) != (proof.round is not None):
        raise BadProof("a round proof names its round, a game proof none")
    if proof.round is not None and not 1 <= proof.round <= LAST_ROUND:
        raise BadProof(f"its round is not a number from 1 to {LAST_ROUND}")
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
