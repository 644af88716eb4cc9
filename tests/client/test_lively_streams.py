# SPDX-License-Identifier: Apache-2.0
"""What a client believes of games by the house rules H1 to H4: all of an honest one, and nothing of a forged one."""

from __future__ import annotations

import pytest

from hokm.entry import parse_entry
from hokm.events import TableOpened
from hokm.policy import Policy
from hokm.proof import Proof
from hokm.wire import read_event
from hokm_client.fraud import Fraud
from hokm_client.stream import Stream
from hokm_client.trust import Manifests
from tests.simulation.house import TestHouse
from tests.simulation.lively import LivelyGame
from tests.verifier import forged_house_rules
from tests.verifier.forging import CASES, Case

FORGED = [known.make for known in CASES if known.make.__module__ == forged_house_rules.__name__]


def follow(proof: Proof, policy: Policy) -> int:
    """Take the entries of a game as a client does; how many there are. Raises `Fraud`."""
    manifests = Manifests(policy, proof.origin)
    manifests.learn([item.entry for item in proof.manifests])
    opening = read_event(parse_entry(proof.entries[0]).body).content
    assert isinstance(opening, TableOpened)
    keys = manifests.of(opening.manifest_leaf)
    assert keys is not None
    return sum(1 for _ in Stream(proof.table, keys, policy).take(0, proof.entries))


@pytest.mark.parametrize("seed", range(4))
def test_an_honest_lively_game_is_believed(seed: int) -> None:
    """With stand-ins and everything else that may happen, to the last entry."""
    game = LivelyGame(TestHouse(300 + seed))
    game.sit()
    game.wander()
    assert follow(game.game_proof(), game.house.policy) == len(game.entries)


@pytest.mark.parametrize("case", FORGED, ids=lambda case: str(case.__name__))
def test_a_forged_use_of_a_house_rule_is_fraud(case: Case) -> None:
    """At once where everybody can see it, else when the round is revealed."""
    forged = case()
    with pytest.raises(Fraud) as caught:
        follow(forged.proof, forged.policy)
    assert forged.version is not None
    assert caught.value.version >= forged.version
    assert caught.value.proves
