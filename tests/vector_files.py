# SPDX-License-Identifier: Apache-2.0
"""The vectors: where tests find them, and how each kind is read.

They lie in `tests/vectors` (its README says what each field means). Where the environment names another folder in
HOKM_VECTORS, its files are taken instead, each by its own name; the folder may have the same layout or hold all
files side by side. A file that it lacks is taken from here, and a warning says so.

`framing` and `ceremonies` read the bytes out of their hex, and insist on exactly the fields that the README names.
"""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent / "vectors"

_said: set[str] = set()


class VectorsFromHere(UserWarning):
    """A file that HOKM_VECTORS lacks was taken from tests/vectors."""


def vector_path(name: str) -> Path:
    """Where the file lies that is `name` in tests/vectors, such as ``public/dsse/dsse_v1_example.json``."""
    elsewhere = os.environ.get("HOKM_VECTORS")
    if elsewhere:
        for place in (name, name.removeprefix("public/"), Path(name).name):
            path = Path(elsewhere) / place
            if path.is_file():
                return path
        if name not in _said:
            _said.add(name)
            with warnings.catch_warnings():
                warnings.simplefilter("always", VectorsFromHere)  # to be seen, not to fail
                warnings.warn(f"HOKM_VECTORS lacks {name}: taken from tests/vectors", VectorsFromHere, stacklevel=2)
    return HERE / name


def is_ours(name: str) -> bool:
    """Whether the file is the one in tests/vectors, whose contents are known: how many cases, of which kinds."""
    return vector_path(name).is_relative_to(HERE)


def text(name: str) -> str:
    """A file as text."""
    return vector_path(name).read_text("utf-8")


def document(name: str) -> Any:
    """A JSON file."""
    return json.loads(text(name))


def lines(name: str) -> list[dict[str, Any]]:
    """A file with one JSON object per line, as it stands."""
    found = [json.loads(line) for line in text(name).split("\n") if line]
    assert found, f"{name} is empty"
    return found


def rounds() -> list[dict[str, Any]]:
    """rounds.jsonl: recorded rounds, the rounds of a game together and in order."""
    return lines("rounds.jsonl")


def house_rules(kind: str | None = None) -> list[dict[str, Any]]:
    """house_rules.jsonl: scenarios, all or of one kind."""
    return [line for line in lines("house_rules.jsonl") if kind in (None, line["kind"])]


@dataclass(frozen=True, slots=True)
class Case:
    """A line of framing.jsonl or ceremony.jsonl, bytes as bytes."""

    id: str
    note: str
    input: dict[str, Any]
    output: dict[str, Any]


# Which fields there are; True marks those in hex (or lists of hex).
_FRAMING: dict[str, tuple[dict[str, bool], dict[str, bool]]] = {
    "pae": (
        {"seed": True, "type": False, "body": True},
        {"public_key": True, "pae": True, "signature": True},
    ),
    "entry": (
        {"origin": False, "seed": True, "event": True},
        {"public_key": True, "key_id": True, "entry": True, "leaf": True},
    ),
    "entry_check": ({"origin": False, "public_key": True, "entry": True}, {"valid": False}),
    "key_id": (
        {"name": False, "signature_type": False, "public_key": True},
        {"key_id": True, "vkey": False},
    ),
    "ed25519": ({"public_key": True, "message": True, "signature": True}, {"accept": False}),
    "early_card": (
        {"ctx": True, "trick": False, "seat": False, "card": False, "salt": True},
        {"commitment": True},
    ),
}

_CEREMONY_INPUT = {
    "origin": False,
    "server_nonce": True,
    "kinds": False,
    "public_keys": True,
    "join_nonces": True,
    "purpose": False,
    "round": False,
    "attempt": False,
    "holder_keys": True,
    "numbers": True,
    "house_event_key": True,
    "house_secret": True,
    "house_number": True,
    "hakem": False,
    "packets": False,
}

_CEREMONY_OUTPUT = {
    "game_id": True,
    "ctx": True,
    "house_number": True,
    "commitments": True,
    "commit_set": True,
    "prk": True,
    "stream_64": True,
    "bytes_used": False,
    "rejected": False,
    "deck": False,
    "start": False,
    "first_ace": False,
    "high_card": False,
    "hands": False,
    "middle": False,
}

# A field of one purpose only, or given only where house_secret is null.
_MAY_LACK = {"house_number", "hakem", "packets", "start", "first_ace", "high_card", "hands", "middle"}


def framing(kind: str) -> list[Case]:
    """The lines of framing.jsonl of one kind. A kind that the README does not name is an error, wherever it stands."""
    found = []
    for line in lines("framing.jsonl"):
        fields_in, fields_out = _FRAMING[line["kind"]]
        if line["kind"] == kind:
            given = _fields(line["id"], line["input"], fields_in, set())
            found.append(Case(line["id"], line["note"], given, _fields(line["id"], line["output"], fields_out, set())))
    assert found or not is_ours("framing.jsonl"), f"framing.jsonl has no line of kind {kind}"
    return found


def ceremonies() -> list[Case]:
    """The lines of ceremony.jsonl. A field of the other purpose is None or absent."""
    return [
        Case(
            line["id"],
            line["note"],
            _fields(line["id"], line["input"], _CEREMONY_INPUT, _MAY_LACK),
            _fields(line["id"], line["output"], _CEREMONY_OUTPUT, _MAY_LACK - {"house_number"}),
        )
        for line in lines("ceremony.jsonl")
    ]


def _fields(name: str, given: dict[str, Any], known: dict[str, bool], may_lack: set[str]) -> dict[str, Any]:
    assert given.keys() <= known.keys(), f"{name}: unknown fields {given.keys() - known.keys()}"
    assert known.keys() - may_lack <= given.keys(), f"{name}: lacks {known.keys() - may_lack - given.keys()}"
    return {field: _unhexed(value) if known[field] else value for field, value in given.items()}


def _unhexed(value: Any) -> Any:
    match value:
        case None:
            return None
        case list():
            return [_unhexed(item) for item in value]
        case _:
            octets = bytes.fromhex(value)
            assert octets.hex() == value
            return octets
