# SPDX-License-Identifier: Apache-2.0
"""A player in Node, written from SPEC.md alone, plays at a real server, and hokm-verify believes the proofs it took."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.foreign.conftest import House

PROGRAM = Path(__file__).with_name("node")
NODE = shutil.which("node")

pytestmark = [
    pytest.mark.skipif(NODE is None, reason="node is not here"),
    pytest.mark.skipif(
        not (PROGRAM / "node_modules").exists(),
        reason="the npm packages are not here: npm install --ignore-scripts in tests/foreign/node brings them",
    ),
]


def run(script: str, *arguments: str | Path) -> str:
    """What a script says that ends well."""
    assert NODE is not None
    done = subprocess.run(
        [NODE, str(PROGRAM / script), *map(str, arguments)], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_examples_of_the_specification_come_out_the_same() -> None:
    """Keys, entries, ceremony, draw, deal, hand note, tree and checkpoint, computed by the other program."""
    assert re.fullmatch(r"\d{2,} values of SPEC.md computed again.\n", run("examples.mjs"))


@pytest.mark.parametrize(
    ("seat", "rounds", "rules"),
    [
        (1, 1, {}),
        (2, 3, {"first_hakem": 2, "packets": 2, "open_first_packet": True, "hakem_passes": 2}),
        # To the end of the game.
        (0, 5, {"target": 3, "turn_seconds": 60, "away_seconds": 0}),
    ],
    ids=["a round", "other rules", "a game"],
)
def test_a_stranger_plays_and_its_proofs_verify(
    house: House, tmp_path: Path, seat: int, rounds: int, rules: dict[str, object]
) -> None:
    """What the program could not make itself, from the numbers that were revealed, would have ended it."""
    where: list[str | Path] = ["--server", house.address, "--policy", house.policy, "--out", tmp_path]
    said = run("play.mjs", *where, "--seat", str(seat), "--rounds", str(rounds), "--rules", json.dumps(rules))
    print(said)
    key, head = found(r"key (\w{64})", said), found(r"head (\d+:\w{64})", said)
    proofs = sorted(tmp_path.glob("round-*.json"))
    assert len(proofs) == len(re.findall("^round ", said, re.MULTILINE)) > 0
    for proof in proofs:
        verify(house, proof, "--mine", key)
    report = verify(house, tmp_path / "game.json", "--mine", key, "--head", head)
    assert report["subject"]["seats"][seat] == {"kind": "person", "key": key}


def found(pattern: str, text: str) -> str:
    """The one group of the pattern."""
    match = re.search(pattern, text)
    assert match, text
    return match[1]


def verify(house: House, proof: Path, *options: str) -> dict[str, Any]:
    """The report on a proof, which holds; nobody has cosigned, and that is all there is to warn of."""
    command = [sys.executable, "-m", "hokm", "--json", "--policy", str(house.policy), "--every-signature", *options]
    done = subprocess.run([*command, str(proof)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    warned = {warning["code"] for warning in report["warnings"]}
    assert warned <= {"NO_QUORUM", "NOT_WITNESSED", "TIMES_NOT_WITNESSED"}, report["warnings"]
    return dict(report)
