# SPDX-License-Identifier: Apache-2.0
"""The proof file: what is written is read back, and everything else is refused with one sentence."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hokm.errors import BadProof
from hokm.proof import (
    LAST_ROUND,
    MOST_GAME_BYTES,
    MOST_ROUND_BYTES,
    AnchorProof,
    Inclusion,
    ManifestProof,
    Proof,
    ProofKind,
)
from hokm.verify import Verdict, verify
from tests.simulation.stories import story

OCTETS = st.binary(min_size=76, max_size=90)
HASHES = st.lists(st.binary(min_size=32, max_size=32), max_size=3).map(tuple)
NUMBERS = st.integers(0, 2**63 - 1)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@st.composite
def proofs(draw: st.DrawFn) -> Proof:
    """Any proof that a file can hold."""
    kind = draw(st.sampled_from(ProofKind))
    number = draw(st.integers(1, LAST_ROUND)) if kind is ProofKind.ROUND else None
    later = number is not None and number > 1
    return Proof(
        kind=kind,
        origin=draw(TEXTS),
        table=draw(st.binary(min_size=16, max_size=16)),
        round=number,
        manifests=tuple(draw(st.lists(st.builds(ManifestProof, OCTETS, NUMBERS, HASHES), max_size=2))),
        roots=draw(HASHES),
        opening=tuple(draw(st.lists(OCTETS, min_size=1, max_size=2))) if later else (),
        first_version=draw(NUMBERS) if later else 0,
        entries=tuple(draw(st.lists(OCTETS, min_size=1, max_size=4))),
        inclusion=tuple(draw(st.lists(st.builds(Inclusion, NUMBERS, NUMBERS, HASHES), max_size=2))),
        anchors=tuple(draw(st.lists(st.builds(AnchorProof, NUMBERS, TEXTS, HASHES), max_size=2))),
        checkpoint=draw(TEXTS),
    )


@given(proofs())
def test_what_is_written_is_read_back(proof: Proof) -> None:
    """`parse` is the inverse of `format`, whatever the spaces and the order of the keys."""
    octets = proof.format()
    assert Proof.parse(octets) == proof
    whole = json.loads(octets)
    backwards = dict(reversed(whole.items()))
    for text in (json.dumps(whole), json.dumps(backwards, indent=3), json.dumps(whole, separators=(",", ":"))):
        assert Proof.parse(text.encode()) == proof
    slashed = json.dumps(whole).replace("/", r"\/")  # as some writers have it
    assert Proof.parse(slashed.encode()) == proof


# What is refused. Each case changes the JSON of a true proof, or its text.

TRUE = json.loads(story("plain").round_proof(2).format())


def with_(**changes: Any) -> bytes:
    return json.dumps(TRUE | changes).encode()


def without(key: str) -> bytes:
    return json.dumps({name: value for name, value in TRUE.items() if name != key}).encode()


@pytest.mark.parametrize("key", TRUE)
def test_every_key_must_be_there(key: str) -> None:
    """None of them goes without saying."""
    with pytest.raises(BadProof):
        Proof.parse(without(key))


@pytest.mark.parametrize("key", TRUE)
@pytest.mark.parametrize("value", [None, True, -1, 1.0, 2**63, "x", "", {}, [1], [[]], {"a": 1}, [""], ["AA=A"]])
def test_every_value_must_be_of_its_kind(key: str, value: Any) -> None:
    """Nothing of another kind stands in for a value; an origin and a checkpoint are just text."""
    if key in ("origin", "checkpoint") and isinstance(value, str):
        Proof.parse(with_(**{key: value}))
        return
    with pytest.raises(BadProof):
        Proof.parse(with_(**{key: value}))


REFUSED: dict[str, bytes | Callable[[], bytes]] = {
    "nothing": b"",
    "spaces": b" \n",
    "binary": bytes(range(256)),
    "not UTF-8": b'{"format": "\xff"}',
    "UTF-16": json.dumps(TRUE).encode("utf-16"),
    "a mark of byte order": b"\xef\xbb\xbf" + json.dumps(TRUE).encode(),
    "an array": b"[]",
    "a number": b"1",
    "another format": with_(format="hokm/v2/proof"),
    "another kind": with_(kind="match"),
    "an unknown key": with_(colour="red"),
    "a key twice": json.dumps(TRUE).replace('"kind"', '"kind": "round", "kind"', 1).encode(),
    "a key twice, spelled otherwise": json.dumps(TRUE).replace('"kind"', r'"kind": "round", "kin\u0064"', 1).encode(),
    "a comma too much": json.dumps(TRUE)[:-1].encode() + b",}",
    "a colon too few": json.dumps(TRUE).replace('"kind":', '"kind"', 1).encode(),
    "a comment": b"// proof\n" + json.dumps(TRUE).encode(),
    "something behind": json.dumps(TRUE).encode() + b" {}",
    "a zero byte behind": json.dumps(TRUE).encode() + b"\0",
    "a number with a zero in front": json.dumps(TRUE).replace('"round": 2', '"round": 02', 1).encode(),
    "a number with a fraction": json.dumps(TRUE).replace('"round": 2', '"round": 2.0', 1).encode(),
    "a number with an exponent": json.dumps(TRUE).replace('"round": 2', '"round": 2e0', 1).encode(),
    "a long number": json.dumps(TRUE).replace('"round": 2', '"round": ' + "9" * 100_000, 1).encode(),
    "not a number": json.dumps(TRUE).replace('"round": 2', '"round": NaN', 1).encode(),
    "a control character": json.dumps(TRUE).replace('"round"', '"rou\nnd"', 1).encode(),
    "round 0": with_(round=0),
    "a round that no context can name": with_(round=LAST_ROUND + 1),
    "capitals in the table": with_(table="AA" * 16),
    "base64 without padding": with_(entries=["QUI"]),
    "base64 with stray bits": with_(entries=["QUJ="]),
    "base64 with a space": with_(entries=["QU JD"]),
    "no entries": with_(entries=[]),
    "an empty opening": with_(opening=[]),
    "roots that are none": with_(roots=[]),
    "a short root": with_(roots=["QUJD"]),
    "a short hash": with_(inclusion=[{"version": 1, "index": 1, "hashes": ["QUJD"]}]),
    "too many hashes": with_(inclusion=[{"version": 1, "index": 1, "hashes": ["A" * 43 + "="] * 65}]),
    "three inclusion proofs": with_(inclusion=[{"version": 1, "index": 1, "hashes": []}] * 3),
    "an unknown key inside": with_(inclusion=[{"version": 1, "index": 1, "hashes": [], "x": 1}]),
    "a key inside that is missing": with_(inclusion=[{"version": 1, "index": 1}]),
    "a game with a round": with_(kind="game"),
    "round 1 with an opening": with_(round=1),
    "a deep nest of lists": b'{"entries": ' + b"[" * 1_000_000,
    "a deep nest of objects": b'{"a":' * 1_000_000,
    "a deep nest inside an array": b'{"entries": [' + b"[" * 500_000 + b"]" * 500_000 + b"]}",
    "a string without an end": b'{"format": "' + b"a" * 1_000_000,
    "too much for a game": lambda: b" " * (MOST_GAME_BYTES + 1),
    "too much for a round": lambda: json.dumps(TRUE).encode() + b" " * MOST_ROUND_BYTES,
}


@pytest.mark.parametrize("what", REFUSED)
def test_everything_else_is_refused_with_one_sentence(what: str) -> None:
    """`BadProof`, on one line, and in the report UNREADABLE: never a traceback."""
    given_ = REFUSED[what]
    octets = given_() if callable(given_) else given_
    with pytest.raises(BadProof) as refused:
        Proof.parse(octets)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300
    assert verify(octets, story("plain").house.policy).verdict is Verdict.UNREADABLE


def test_a_file_that_is_cut_anywhere_is_unreadable() -> None:
    """No prefix of a proof is a proof."""
    octets = story("plain").round_proof(1).format()
    for length in range(0, len(octets) - 2, 37):
        with pytest.raises(BadProof):
            Proof.parse(octets[:length])


SMALL = ('"",', "[],", "{},", '"QQ==",', f'"{"A" * 104}",', "0,", '{"version":1,"checkpoint":"","consistency":[]},')
SPARSE = tuple(text + " " * (12 * sum(map(text.count, ",:[{")) - len(text)) for text in ("[],", "{},", '{"a":0},'))
"""As many values as a text of its length may hold."""


@pytest.mark.parametrize("filling", [*SMALL, *SPARSE])
def test_memory_is_bounded(filling: str) -> None:
    """A file made to swell takes a small multiple of its length at most."""
    for key in ("entries", "anchors", "manifests"):
        octets = (f'{{"{key}": [' + filling * (4_000_000 // len(filling))).encode()
        tracemalloc.start()
        try:
            with pytest.raises(BadProof):
                Proof.parse(octets)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 8 * len(octets)


def test_a_string_may_hold_any_number_of_marks() -> None:
    """Only those outside of strings cost values."""
    assert Proof.parse(with_(checkpoint=",:[{" * 3000)).checkpoint == ",:[{" * 3000


def test_origin_and_checkpoint_may_be_any_text_and_are_then_refused() -> None:
    """What JSON can say and UTF-8 cannot is unreadable, not a crash."""
    proof = story("plain").round_proof(1)
    policy = story("plain").house.policy
    for text in ("\ud800", "\0", "", "\n\n", "— "):
        octets = json.dumps(json.loads(proof.format()) | {"checkpoint": text}).encode()
        assert verify(octets, policy).verdict is Verdict.UNREADABLE
    octets = json.dumps(json.loads(proof.format()) | {"origin": "\ud800"}).encode()
    report = verify(octets, policy)
    assert report.verdict is Verdict.REJECTED
    assert json.dumps(report.as_json())
    anchors = (replace(proof.anchors[0], checkpoint="nothing"), *proof.anchors[1:])
    assert verify(replace(proof, anchors=anchors).format(), policy).verdict is Verdict.UNREADABLE
