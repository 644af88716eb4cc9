# SPDX-License-Identifier: Apache-2.0
"""Forged proofs under a checkpoint that is not the log's, or not seen (step 2)."""

from __future__ import annotations

from dataclasses import replace

from hokm.events import (
    CeremonyOpened,
)
from hokm.proof import Proof
from hokm.verify import Code
from tests.simulation.house import TestHouse
from tests.simulation.stories import story
from tests.verifier.forging import (
    Forged,
    beside,
    forged,
)


@forged(2, "UNKNOWN_LOG")
def a_log_that_the_policy_does_not_name() -> Forged:
    stranger = TestHouse(seed=99, origin="elsewhere.example/log")
    return replace(beside("plain", lambda proof: proof), policy=stranger.policy)


@forged(2, "NOT_SIGNED")
def a_checkpoint_signed_by_another_log_of_that_name() -> Forged:
    return replace(beside("plain", lambda proof: proof), policy=TestHouse(seed=99).policy)


@forged(2, "BAD_SIGNATURE")
def a_checkpoint_that_was_changed() -> Forged:
    def change(proof: Proof) -> Proof:
        origin, size, *rest = proof.checkpoint.split("\n")
        return replace(proof, checkpoint="\n".join([origin, str(int(size) + 1), *rest]))

    return beside("plain", change)


@forged(2, "BAD_SIGNATURE")
def an_anchor_that_was_changed() -> Forged:
    def change(proof: Proof) -> Proof:
        origin, size, *rest = proof.anchors[1].checkpoint.split("\n")
        anchor = replace(proof.anchors[1], checkpoint="\n".join([origin, str(int(size) - 1), *rest]))
        return replace(proof, anchors=(proof.anchors[0], anchor, *proof.anchors[2:]))

    return beside("plain", change, story("plain").versions(CeremonyOpened)[1])


@forged(2, Code.OTHER_ORIGIN)
def a_proof_that_names_another_log_than_its_checkpoint() -> Forged:
    return beside("plain", lambda proof: replace(proof, origin="elsewhere.example/log"))


@forged(2, Code.QUORUM_NOT_MET)
def a_checkpoint_that_too_few_witnesses_saw() -> Forged:
    game = story("plain")
    lonely = game.house.publish(len(game.house.leaves), cosigners=1)
    return beside("plain", lambda proof: replace(proof, checkpoint=lonely))
