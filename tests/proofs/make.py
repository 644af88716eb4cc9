# SPDX-License-Identifier: Apache-2.0
"""The program that wrote the golden proofs: `python -m tests.proofs.make FOLDER`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

from hokm.events import Move, Play, RoundRevealed
from hokm.verify import Report, verify
from tests.simulation.forge import Forgery
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
    "witnessed": (2, None),
    "unwitnessed": (None,),
}
"""By story, the rounds that are proved; None is the whole game."""


def not_held(forgery: Forgery) -> None:
    """The last card of the round is the one before it once more."""
    end = forgery.find(RoundRevealed, 1)
    before, last = forgery.drafts[end - 2 : end]
    assert isinstance(before.content, Move)
    assert isinstance(before.content.act, Play)
    last.edit(card=before.content.act.card)


def other_number(forgery: Forgery) -> None:
    """The house shows another number than the one that it is bound to."""
    draft = forgery.draft(RoundRevealed, 1)
    assert isinstance(draft.content, RoundRevealed)
    draft.edit(numbers=(*draft.content.numbers[:4], bytes(32)))


def more_points(forgery: Forgery) -> None:
    """The winners of the round are given a point that they did not make."""
    draft = forgery.draft(RoundRevealed, 1)
    assert isinstance(draft.content, RoundRevealed)
    draft.edit(points=draft.content.points + 1)


FORGED: Final = (not_held, other_number, more_points)
"""What is changed in the game `plain`, whose second round is then proved."""


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
            expected[file] = summary(verify(proof.format(), game.house.policy))
    for forge in FORGED:
        forgery = Forgery(story("plain"))
        forge(forgery)
        proof = forgery.round_proof(2)
        file = f"plain-{forge.__name__}.json"
        (folder / file).write_bytes(proof.format())
        expected[file] = summary(verify(proof.format(), forgery.game.house.policy))
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


def summary(report: Report) -> dict[str, Any]:
    """What must never change of what is said of a proof."""
    if report.fault is not None:
        fault = report.fault
        return {"verdict": report.verdict.value, "step": fault.step, "code": fault.code, "entry": fault.version}
    return {
        "verdict": report.verdict.value,
        "warnings": [warning.code for warning in report.warnings],
        "head": report.subject["head"],
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]))
