# SPDX-License-Identifier: Apache-2.0
"""Golden proofs, honest and forged: files that were written when the format was settled, and what is said of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hokm.policy import Policy
from hokm.proof import Proof
from hokm.verify import Signatures, Wishes, verify
from tests.proofs.make import summary

GOLDEN = Path(__file__).resolve().parents[1] / "proofs"
EXPECTED = json.loads((GOLDEN / "expected.json").read_text())


@pytest.mark.parametrize("name", EXPECTED)
def test_golden_proofs_have_the_verdict_they_always_had(name: str) -> None:
    """Of an honest one with its warnings and its head, of a forged one with step, code and entry."""
    policy = Policy.parse((GOLDEN / f"{name.rpartition('-')[0]}.policy").read_bytes())
    octets = (GOLDEN / name).read_bytes()
    for signatures in (Signatures.PLAYERS, Signatures.ALL):
        assert summary(verify(octets, policy, Wishes(signatures=signatures))) == EXPECTED[name]
    assert Proof.parse(octets).format() == octets


def test_every_golden_proof_is_expected() -> None:
    """No file lies there unread."""
    assert {path.name for path in GOLDEN.glob("*-*.json")} == set(EXPECTED)
