# SPDX-License-Identifier: Apache-2.0
"""Forged proofs that are no one chain (step 5)."""

from __future__ import annotations

from dataclasses import replace

from hokm.entry import leaf
from hokm.events import (
    GameEndCause,
    GameEnded,
    Play,
    RoundRevealed,
)
from hokm.proof import Inclusion, Proof, ProofKind
from hokm.verify import Code, Wishes
from tests.simulation.forge import Draft, Forgery
from tests.simulation.stories import story
from tests.verifier.forging import (
    Forged,
    beside,
    forged,
    within,
)


@forged(5, Code.OTHER_TABLE)
def an_entry_of_another_table() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Play, 3)
        draft.table = bytes(16)
        return draft

    return within("plain", change)


@forged(5, Code.VERSION_GAP)
def a_version_that_is_left_out() -> Forged:
    def change(forgery: Forgery) -> Draft:
        at = forgery.find(Play, 3)
        for place, draft in enumerate(forgery.drafts[at:], at):
            draft.version = place + 1
        return forgery.drafts[at]

    return within("plain", change)


@forged(5, Code.BROKEN_LINK)
def an_entry_that_names_another_before_it() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Play, 3)
        draft.previous = bytes(32)
        return draft

    return within("plain", change)


@forged(5, Code.NOT_THE_BEGINNING)
def an_opening_that_stops_before_the_start() -> Forged:
    # The step before asks for the proof of GameStarted only where there is one, so its proof is of nothing here.
    def change(proof: Proof) -> Proof:
        return replace(proof, opening=proof.opening[:-1], inclusion=proof.inclusion[1:])

    return beside("plain", change, 4, round_=2)


@forged(5, Code.NOT_THE_ROUND_BEFORE)
def a_later_round_that_begins_in_the_middle() -> Forged:
    def change(proof: Proof) -> Proof:
        return replace(proof, first_version=proof.first_version + 1, entries=proof.entries[1:], anchors=proof.anchors)

    return beside("plain", change, story("plain").versions(RoundRevealed)[0] + 1, round_=2)


@forged(5, Code.ENTRY_AFTER_END)
def a_card_after_the_end() -> Forged:
    def change(forgery: Forgery) -> int:
        last = forgery.drafts[-1]
        forgery.drafts.append(Draft(GameEnded(GameEndCause.TARGET, 0), last.time_ms, None))
        return len(forgery.drafts) - 1

    return within("plain", change)


@forged(5, Code.ENTRY_AFTER_END)
def two_rounds_in_the_proof_of_one() -> Forged:
    game = story("plain")
    one, two = game.round_proof(1), game.round_proof(2)
    both = replace(
        one,
        entries=one.entries + two.entries[1:],
        anchors=one.anchors + two.anchors,
        inclusion=(one.inclusion[0], two.inclusion[1]),
    )
    first = game.versions(RoundRevealed)[0]
    return beside("plain", lambda proof: _at_one_checkpoint(both), first + 1)


def _at_one_checkpoint(proof: Proof) -> Proof:
    """Rounds proved at different times, brought to the tree of the game proof."""
    whole = story("plain").game_proof()
    last = proof.inclusion[1].version
    house = story("plain").house
    place = story("plain").places[last]
    inclusion = (whole.inclusion[0], Inclusion(last, place, house.inclusion(place, len(house.leaves))))
    versions = {anchor.version for anchor in proof.anchors}
    anchors = tuple(anchor for anchor in whole.anchors if anchor.version in versions)
    return replace(proof, inclusion=inclusion, anchors=anchors, manifests=whole.manifests, checkpoint=whole.checkpoint)


@forged(5, Code.NO_SUCH_ROUND)
def the_round_that_was_forfeited() -> Forged:
    def change(proof: Proof) -> Proof:
        return replace(proof, kind=ProofKind.ROUND, round=1)

    return beside("forfeited", change, len(story("forfeited").entries) - 1)


@forged(5, Code.OTHER_HEAD)
def a_game_that_is_not_the_one_its_reader_saw() -> Forged:
    seen = Wishes(head=(20, leaf(story("long").entries[20])))
    return replace(beside("plain", lambda proof: proof, 20), wishes=seen)


@forged(5, Code.OTHER_HEAD)
def a_game_that_is_over_before_what_its_reader_saw() -> Forged:
    game = story("plain")
    seen = Wishes(head=(len(game.entries), bytes(32)))
    return replace(beside("plain", lambda proof: proof, len(game.entries)), wishes=seen)
