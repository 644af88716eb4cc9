# SPDX-License-Identifier: Apache-2.0
"""The Node client follows whole games that it does not play in, and stops where something in them is not so."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest

from hokm.policy import Policy
from hokm.proof import Proof, ProofKind
from hokm.rules import TableRules
from tests.foreign.node import needs_node, node
from tests.simulation.game import FOUR_PERSONS, TWO_AND_BOTS, Game
from tests.simulation.house import TestHouse
from tests.simulation.lively import LivelyGame
from tests.simulation.stories import BOTS, ONE_AND_BOTS, STORIES, story
from tests.verifier import (
    forged_ceremonies,
    forged_house_rules,
    forged_moves,
    forged_players,
    forged_results,
    forged_voids,
    forged_witnesses,
)
from tests.verifier.forging import CASES, Forged

pytestmark = needs_node

BEYOND_IT = {"revoked"}
"""A stream that ends under another key: there this client stops, and says so."""


def follow(folder: Path, policy: Policy, proofs: Mapping[str, Proof]) -> subprocess.CompletedProcess[str]:
    """How the program likes the entries of some games."""
    (folder / "policy").write_bytes(policy.format())
    files = [folder / f"{name}.json" for name in proofs]
    for file, proof in zip(files, proofs.values(), strict=True):
        file.write_bytes(proof.format())
    return node("follow.mjs", "--policy", folder / "policy", *files)


def check_followed(folder: Path, game: Game) -> None:
    """To its last entry."""
    done = follow(folder, game.house.policy, {"game": game.game_proof()})
    last = f" {len(game.entries)} entries, the last {game.leaves[-1].hex()}\n"
    assert done.stdout.endswith(last), done.stdout + done.stderr


@pytest.mark.parametrize("name", sorted(made.__name__ for made in STORIES if made.__name__ not in BEYOND_IT))
def test_it_follows_every_story(name: str, tmp_path: Path) -> None:
    """Stand-ins, voids, forfeit, resigning, the house's faults: every ruling is the one that it makes itself."""
    check_followed(tmp_path, story(name))


def test_it_follows_a_house_with_another_root_key(tmp_path: Path) -> None:
    """The reader's own root key has signed the hash of the next one, which has signed the manifest of this game."""
    house = TestHouse(seed=33)
    house.rotate()
    game = Game(house)
    game.sit()
    game.play_game()
    check_followed(tmp_path, game)


@pytest.mark.parametrize("name", sorted(BEYOND_IT))
def test_it_says_so_where_it_stops(name: str, tmp_path: Path) -> None:
    """And believes nothing of what it does not understand."""
    game = story(name)
    done = follow(tmp_path, game.house.policy, {name: game.game_proof()})
    assert (done.returncode, done.stderr) == (1, "")
    assert f"version {len(game.entries) - 1}: " in done.stdout


@pytest.mark.parametrize("seed", range(3000, 3008))
def test_it_follows_games_that_wander(seed: int, tmp_path: Path) -> None:
    """Silence, leaving, coming back, being called away, the house being down, in any order."""
    kinds = (FOUR_PERSONS, TWO_AND_BOTS, ONE_AND_BOTS, BOTS)[seed % 4]
    game = Game(TestHouse(seed=seed), TableRules(target=(3, 5, 7)[seed % 3], away_seconds=(10, 0)[seed % 2]), kinds)
    game.sit()
    game.wander((0.02, 0.1, 0.3)[seed % 3])
    check_followed(tmp_path, game)


@pytest.mark.parametrize("seed", range(3100, 3108))
def test_it_follows_lively_games_that_wander(seed: int, tmp_path: Path) -> None:
    """The same in the middle of all that the house rules bring."""
    game = LivelyGame(TestHouse(seed))
    game.sit()
    game.wander()
    check_followed(tmp_path, game)


def is_for_it(forged: Forged) -> bool:
    """It follows games, from their first entry, and reads policies for one log."""
    return forged.proof.kind is ProofKind.GAME and len(forged.policy.logs) == 1


@pytest.mark.parametrize(
    "module",
    [
        forged_ceremonies,
        forged_house_rules,
        forged_moves,
        forged_players,
        forged_results,
        forged_voids,
        forged_witnesses,
    ],
    ids=lambda module: module.__name__.rpartition(".")[2],
)
def test_it_stops_at_what_is_forged(module: ModuleType, tmp_path: Path) -> None:
    """At the entry that is wrong, or where the numbers of its round show it; with a sentence, whatever it is."""
    made = {known.name: known.make() for known in CASES if known.make.__module__ == module.__name__}
    games = {name: forged for name, forged in made.items() if is_for_it(forged)}
    assert games
    for policy in {forged.policy for forged in games.values()}:
        of_it = {name: forged for name, forged in games.items() if forged.policy == policy}
        done = follow(tmp_path, policy, {name: forged.proof for name, forged in of_it.items()})
        assert (done.returncode, done.stderr) == (1, "")
        stopped = re.findall(r"/(\w+).json: version (\d+): .", done.stdout)
        assert [name for name, _ in stopped] == list(of_it), done.stdout
        for name, version in stopped:
            wrong = of_it[name].version
            assert wrong is not None
            assert int(version) >= wrong, done.stdout
