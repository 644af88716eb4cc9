# SPDX-License-Identifier: Apache-2.0
"""The verifier: rounds per second of one core, beside what the signatures in them cost in the same run.

The rounds are those of one game that the tests' house in memory plays.
"""

from __future__ import annotations

import os
from functools import partial
from unittest.mock import patch

from bench.report import Row, seconds_of, tell
from hokm import signing
from hokm.events import RoundRevealed
from hokm.policy import Policy
from hokm.rules import TableRules
from hokm.signing import SigningKey
from hokm.verify import Signatures, Verdict, Wishes, verify
from tests.simulation import Game, TestHouse


def main() -> None:
    """Measure by default and with every signature."""
    proofs, policy = _proofs()
    key = SigningKey(bytes(32))
    message = os.urandom(200)
    signature = key.sign(message)
    one = seconds_of(lambda: [signing.verify(key.public, message, signature) for _ in range(500)]) / 500
    rows = []
    for what, signatures, goal in (
        ("players' signatures and head", Signatures.PLAYERS, "must 200, goal 270"),
        ("every signature", Signatures.ALL, "must 120, goal 150"),
    ):
        count = _signatures_in(proofs, policy, signatures)
        taken = seconds_of(partial(_all, proofs, policy, signatures))
        rows.append(
            Row(what, len(proofs) / taken, "rounds/s", len(proofs) / (count * one), "the signatures alone", goal)
        )
    tell(f"Verify, one core ({signing.BACKEND})", rows)


def _proofs() -> tuple[list[bytes], Policy]:
    """The round proofs of one honest game of bots and persons, and whom to trust."""
    game = Game(TestHouse(), TableRules())
    game.play_game()
    rounds = len(game.versions(RoundRevealed))
    return [game.round_proof(number).format() for number in range(1, rounds + 1)], game.house.policy


def _all(proofs: list[bytes], policy: Policy, signatures: Signatures) -> None:
    for proof in proofs:
        report = verify(proof, policy, Wishes(signatures))
        assert report.verdict in (Verdict.VERIFIED, Verdict.WITH_WARNINGS)


def _signatures_in(proofs: list[bytes], policy: Policy, signatures: Signatures) -> int:
    """How many signatures are looked at in all, counted where entries, moves and notes are verified."""
    count = 0

    def counted(public_key: bytes, message: bytes, signature: bytes) -> bool:
        nonlocal count
        count += 1
        return signing.verify(public_key, message, signature)

    with (
        patch("hokm.entry.verify", counted),
        patch("hokm.note.verify", counted),
        patch("hokm.checkpoint.verify", counted),
    ):
        _all(proofs, policy, signatures)
    return count


if __name__ == "__main__":
    main()
