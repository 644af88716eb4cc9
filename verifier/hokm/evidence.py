# SPDX-License-Identifier: Apache-2.0
"""Evidence: the file by which somebody who caught a house shows others at what.

One JSON object; base64 is standard with padding::

    format     "hokm/v1/evidence"
    kind       what the house is said to have done, in capitals
    proves     whether whoever wrote it holds that it shows that to a stranger
    sentence   the same in words
    origin     which log
    table      the stream's id, 32 hex digits; zeros where it is about the log itself
    version    of the entry at which it was seen
    seen_ms    when, in milliseconds since 1970
    manifests  [entry], the key manifests, by version
    roots      the later root keys that signed some of them; only where there are any
    entries    [entry], the stream from its first entry on, as far as it was found right
    exhibits   {name: bytes}: what contradicts the entries, or what contradict each other

Exhibits, by name: `entry` and `other`, entries; `note` and `other` with `note_signature` and `other_signature`, hand
notes; `checkpoint` and `other`, signed notes; `signed_act`, a move as it was sent. That a file says that it proves
something means nothing: see `hokm.complaint`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from hokm import json_values as read
from hokm.errors import BadEvidence
from hokm.merkle import HASH_BYTES
from hokm.notation import MOST_ORIGIN_BYTES, write_base64
from hokm.proof import LEAST_ENTRY_BYTES, MOST_ENTRIES, MOST_GAME_BYTES, MOST_MANIFESTS

FORMAT: Final = "hokm/v1/evidence"

MOST_EXHIBITS: Final = 8
MOST_TEXT: Final = 1000
"""Characters of the kind, and of the sentence."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the file holds, none of it believed by being here."""

    kind: str
    proves: bool
    sentence: str
    origin: str
    table: bytes
    """16 bytes."""
    version: int
    seen_ms: int
    manifests: tuple[bytes, ...]
    roots: tuple[bytes, ...]
    entries: tuple[bytes, ...]
    exhibits: Mapping[str, bytes]

    @classmethod
    def parse(cls, octets: bytes) -> Evidence:
        """Read the file. Raises `BadEvidence`."""
        if len(octets) > MOST_GAME_BYTES:
            raise BadEvidence(f"it has more than {MOST_GAME_BYTES} bytes")
        try:
            found = read.fields(read.load(octets), "the evidence", _FIELDS, _NOT_ALWAYS)
        except read.NotSuch as error:
            raise BadEvidence(str(error)) from None
        del found["format"]
        return cls(**({"roots": ()} | found))

    def format(self) -> bytes:
        """A file that `parse` reads as this evidence."""
        whole: dict[str, Any] = {
            "format": FORMAT,
            "kind": self.kind,
            "proves": self.proves,
            "sentence": self.sentence,
            "origin": self.origin,
            "table": self.table.hex(),
            "version": self.version,
            "seen_ms": self.seen_ms,
            "manifests": [write_base64(entry) for entry in self.manifests],
        }
        if self.roots:
            whole["roots"] = [write_base64(root) for root in self.roots]
        whole["entries"] = [write_base64(entry) for entry in self.entries]
        whole["exhibits"] = {name: write_base64(octets) for name, octets in self.exhibits.items()}
        return (json.dumps(whole, indent=1, ensure_ascii=False) + "\n").encode()


def _exhibits(value: Any, name: str) -> dict[str, bytes]:
    if type(value) is not dict or len(value) > MOST_EXHIBITS:
        raise read.NotSuch(f"{name} is not an object of at most {MOST_EXHIBITS} things")
    return {key: _any_octets(each, f"the exhibit {read.shown(key)}") for key, each in value.items()}


def _any_octets(value: Any, name: str) -> bytes:
    return b"" if value == "" else read.octets(value, name)


_entry: Final = read.octets_of(LEAST_ENTRY_BYTES, MOST_GAME_BYTES)

_FIELDS: Final[dict[str, read.Read[Any]]] = {
    "format": read.exactly(FORMAT),
    "kind": read.text_of(MOST_TEXT),
    "proves": read.flag,
    "sentence": read.text_of(MOST_TEXT),
    "origin": read.text_of(MOST_ORIGIN_BYTES),
    "table": read.table_id,
    "version": read.number,
    "seen_ms": read.number,
    "manifests": read.list_of(_entry, MOST_MANIFESTS),
    "roots": read.list_of(read.octets_of(HASH_BYTES, HASH_BYTES), MOST_MANIFESTS),
    "entries": read.list_of(_entry, MOST_ENTRIES),
    "exhibits": _exhibits,
}
_NOT_ALWAYS: Final = frozenset({"roots"})
