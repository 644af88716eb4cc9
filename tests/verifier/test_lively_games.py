# SPDX-License-Identifier: Apache-2.0
"""Whole games by the house rules H1 to H4, with the verifier as judge: of the game and of each round by itself."""

from __future__ import annotations

from collections import Counter

import pytest

from hokm.events import RoundRevealed
from hokm.table import Decision, Round, Table
from hokm.verify import Signatures, Verdict, Wishes, verify
from tests.simulation.house import TestHouse
from tests.simulation.lively import LivelyGame

WISHES = Wishes(Signatures.NONE)
EACH_AT_LEAST = 5
RULES = ("middle", "picked up", "laid", "taken back", "turned over", "run", "tea asked", "tea answered", "tea drunk")


def judged(game: LivelyGame) -> None:
    """The game and every round of it are what the rules make of it."""
    proofs = [game.game_proof()]
    proofs += [game.round_proof(number) for number in range(1, len(game.versions(RoundRevealed)) + 1)]
    for proof in proofs:
        report = verify(proof.format(), game.house.policy, WISHES)
        assert report.verdict is Verdict.WITH_WARNINGS, (proof.round, report.fault)


def test_lively_games_are_verified_and_use_every_rule() -> None:
    """Whatever the players did."""
    used: Counter[str] = Counter()
    for seed in range(10):
        game = LivelyGame(TestHouse(seed))
        game.sit()
        game.play_game()
        judged(game)
        used += game.used
    assert {rule: used[rule] for rule in RULES if used[rule] < EACH_AT_LEAST} == {}


@pytest.mark.parametrize("seed", range(4))
def test_lively_games_with_everything_that_can_go_wrong_are_verified(seed: int) -> None:
    """Silence, leaving, stand-ins, the house being down, in the middle of all that the house rules bring."""
    game = LivelyGame(TestHouse(100 + seed))
    game.sit()
    game.wander()
    judged(game)


def test_clocks_stand_while_tea_is_drunk() -> None:
    """The open decision has after tea the time that it had before."""
    game = LivelyGame(TestHouse(7))
    game.sit()
    game.until(drinks_tea_in_a_round)
    began_ms, before = game.table.time_ms, open_decision(game.table)
    game.until(lambda table: not table.is_pausing)
    drunk_ms = game.table.time_ms - began_ms
    assert drunk_ms > 0
    assert open_decision(game.table) == before._replace(since_ms=before.since_ms + drunk_ms)


def drinks_tea_in_a_round(table: Table) -> bool:
    """Tea is drunk, a card or trumps wait, and no run is to go on."""
    stage = table.stage
    return table.is_pausing and isinstance(stage, Round) and stage.extra is not None and not stage.extra.run


def open_decision(table: Table) -> Decision:
    """That of the seat in turn."""
    assert isinstance(table.stage, Round)
    assert table.stage.decision is not None
    return table.stage.decision
