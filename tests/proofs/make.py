# SPDX-License-Identifier: Apache-2.0
"""The program that wrote the golden proofs: `python -m tests.proofs.make FOLDER`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Final

from hokm.verify import verify
from tests.simulation.stories import story

GOLDEN: Final = {
    "plain": (1, 2, None),
    "long": (3,),
    "troubled": (1, None),
    "forfeited": (None,),
    "resigned": (None,),
    "abandoned": (None,),
    "bots": (1,),
    "lost": (None,),
    "silent_bot": (None,),
    "revoked": (None,),
    "without_quorum": (1,),
}
"""By story, the rounds that are proved; None is the whole game."""


def main(folder: Path) -> None:
    """Write the proofs, their policies, and what comes of verifying them."""
    folder.mkdir(parents=True, exist_ok=True)
    expected = {}
    for name, rounds in GOLDEN.items():
        game = story(name)
        (folder / f"{name}.policy").write_bytes(game.house.policy.format())
        for number in rounds:
            proof = game.game_proof() if number is None else game.round_proof(number)
            file = f"{name}-{'game' if number is None else number}.json"
            (folder / file).write_bytes(proof.format())
            report = verify(proof.format(), game.house.policy)
            expected[file] = {
                "verdict": report.verdict.value,
                "warnings": [warning.code for warning in report.warnings],
                "head": report.subject["head"],
            }
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
