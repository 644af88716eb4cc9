# SPDX-License-Identifier: Apache-2.0
"""Forged results (step 11)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from hokm.events import (
    GameEndCause,
    GameEnded,
    RoundRevealed,
    UnturnedLay,
)
from hokm.verify import Code
from tests.simulation.stories import story
from tests.verifier.forging import (
    Forged,
    changed,
    forged,
    forged_each,
)


def a_result_with_another(field: str) -> Forged:
    game = story("plain")
    content = game.events[game.versions(RoundRevealed)[0]].content
    assert isinstance(content, RoundRevealed)
    assert content.winner is not None
    assert content.next_hakem is not None
    others: dict[str, object] = {
        "winner": 1 - content.winner,
        "tricks": content.tricks[::-1],
        "points": content.points + 1,
        "score": content.score[::-1],
        "next_hakem": content.next_hakem ^ 1,
        "carried": content.carried._replace(faults=(1, 0)),
        "unturned": (UnturnedLay(0, 1, 0, bytes(32)),),
    }
    return replace(changed("plain", RoundRevealed, 0, **{field: others[field]}), field=field)


forged_each(
    11,
    Code.RESULT_DIFFERS,
    {
        f"a_result_with_another_{field}": partial(a_result_with_another, field)
        for field in ("winner", "tricks", "points", "score", "next_hakem", "carried", "unturned")
    },
)


@forged(11, Code.RESULT_DIFFERS)
def points_that_nobody_made() -> Forged:
    return changed("plain", RoundRevealed, 1, points=3)


@forged(11, Code.ENDING_DIFFERS)
def a_game_won_by_the_losers() -> Forged:
    return changed("plain", GameEnded, winner=1)


@forged(11, Code.ENDING_DIFFERS)
def a_game_that_is_called_abandoned() -> Forged:
    return changed("forfeited", GameEnded, cause=GameEndCause.ABANDONED, winner=None)
