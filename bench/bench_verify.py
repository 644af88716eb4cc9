# SPDX-License-Identifier: Apache-2.0
"""The verifier: rounds per second of one core, beside what the libraries alone take for the same bytes in the same run.

The rounds are those of one game that the tests' house in memory plays, with checkpoints that the log alone has
signed, as the server publishes them. Times of one core are times of its processor: a neighbour does not count.
`--quick` sees that it works, with figures of no meaning.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from unittest.mock import patch

from bench.cold import cold, megabytes
from bench.report import Row, is_quick, seconds_of, tell
from hokm import signing
from hokm.events import RoundRevealed
from hokm.policy import Policy
from hokm.proof import Proof
from hokm.rules import TableRules
from hokm.signing import SigningKey
from hokm.v1.event_pb2 import Event
from hokm.v1.move_pb2 import Move
from hokm.verify import Signatures, Verdict, Wishes, verify
from tests.simulation import Game, TestHouse


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure one core, two processes, and one round from a cold start."""
    takes = 1 if is_quick(__doc__, arguments) else 9
    game = Game(TestHouse(witness_names=(), threshold=0, cosigners=0), TableRules())
    game.sit()
    game.play_game()
    count = len(game.versions(RoundRevealed))
    rounds, whole = [game.round_proof(number + 1) for number in range(count)], [game.game_proof()]
    policy = game.house.policy
    tell(
        f"Verify, one core ({signing.BACKEND})",
        [
            _row(
                "players' signatures and head", rounds, policy, takes, Signatures.PLAYERS, "must 200, goal 270; 0.9 x"
            ),
            _row("every signature", rounds, policy, takes, Signatures.ALL, "must 120, goal 150"),
            _row("chain, head, deal and rules only", rounds, policy, takes, Signatures.NONE, "must 2,000, goal 3,500"),
            _row("the same, a game in one proof", whole, policy, takes, Signatures.NONE, "must 2,000, goal 3,500"),
        ],
        f"a game of {count} rounds, {len(game.entries)} entries",
    )
    octets = [proof.format() for proof in rounds]
    tell("Verify, several processes", [_two_processes(octets, policy, takes)])
    _tell_cold(octets[0], policy, takes)


def _row(what: str, proofs: list[Proof], policy: Policy, takes: int, signatures: Signatures, goal: str) -> Row:
    octets = [proof.format() for proof in proofs]
    rounds = sum(proof.round is not None for proof in proofs) or len(proofs[0].anchors) - 1  # one is the draw's
    taken = _seconds(partial(_verify, octets, policy, signatures), takes)
    floor, floor_is = _one_signature(takes) * _signatures_in(octets, policy, signatures), "signatures"
    if signatures is Signatures.NONE:
        floor, floor_is = floor + _libraries_alone(proofs, takes), "signatures, hashes, base64, protobuf"
    return Row(what, rounds / taken, "rounds/s", rounds / floor, f"{floor_is} alone", goal)


def _seconds(call: Callable[[], object], takes: int) -> float:
    return seconds_of(call, takes, clock=time.process_time)


def _verify(proofs: list[bytes], policy: Policy, signatures: Signatures) -> None:
    for proof in proofs:
        report = verify(proof, policy, Wishes(signatures))
        assert report.verdict in (Verdict.VERIFIED, Verdict.WITH_WARNINGS)


# The floors.


def _one_signature(takes: int) -> float:
    key = SigningKey(bytes(32))
    message = os.urandom(200)
    signature = key.sign(message)
    return _seconds(lambda: [signing.verify(key.public, message, signature) for _ in range(500)], takes) / 500


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
        _verify(proofs, policy, signatures)
    return count


def _libraries_alone(proofs: list[Proof], takes: int) -> float:
    """Of each entry what no verifier does without: base64, its hash, its messages in their one spelling."""
    texts = [b2a_base64(entry, newline=False) for proof in proofs for entry in (*proof.opening, *proof.entries)]

    def alone() -> None:
        for text in texts:
            entry = a2b_base64(text)
            assert b2a_base64(entry, newline=False) == text
            hashlib.sha256(b"\0" + entry).digest()
            event = Event.FromString(entry[8:-68])
            event.DiscardUnknownFields()
            event.SerializeToString()
            if event.HasField("move"):
                move = Move.FromString(event.move.move)
                move.DiscardUnknownFields()
                move.SerializeToString()

    return _seconds(alone, takes)


# Processes.


def _two_processes(proofs: list[bytes], policy: Policy, takes: int) -> Row:
    """The same work by two processes, as the program shares out many files, beside one process in the same run."""
    many = proofs * (1 if takes == 1 else 8)

    def by(workers: int) -> float:
        with ProcessPoolExecutor(workers) as pool:
            work = partial(_verdict, policy)
            return seconds_of(lambda: [*pool.map(work, many, chunksize=8)], takes)

    return Row("two", len(many) / by(2), "rounds/s", len(many) / by(1), "one", "1.8 x")


def _verdict(policy: Policy, proof: bytes) -> Verdict:
    return verify(proof, policy).verdict


def _tell_cold(proof: bytes, policy: Policy, takes: int) -> None:
    """The program, from its start to its verdict on one round."""
    with tempfile.TemporaryDirectory() as folder:
        file, trust = Path(folder, "round.json"), Path(folder, "policy")
        file.write_bytes(proof)
        trust.write_bytes(policy.format())
        words = [str(file), "--policy", str(trust)]
        bare, judged = cold("-c", "", takes=takes), cold("-m", "hokm", *words, takes=takes)
        idle, used = megabytes(""), megabytes("from hokm.__main__ import main\nmain(sys.argv[1:])", *words)
    tell(
        "Verify, cold start",
        [
            Row("verify one round", judged.wall, "ms", bare.wall, "bare Python", "must 120, goal 75; 6 x"),
            Row("its processor time", judged.cpu, "ms", bare.cpu, "bare Python"),
            Row("its memory at most", used, "MB", idle, "bare Python"),
        ],
    )


if __name__ == "__main__":
    main()
