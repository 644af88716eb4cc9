# SPDX-License-Identifier: Apache-2.0
"""Forged proofs that the house's keys do not vouch for (step 4)."""

from __future__ import annotations

from dataclasses import replace

from hokm.events import (
    Dealt,
    GameStarted,
    Play,
    TableOpened,
)
from hokm.verify import Code, Signatures, Wishes
from tests.simulation.forge import Draft, Forgery
from tests.simulation.house import TestHouse
from tests.simulation.stories import story
from tests.verifier.forging import (
    Forged,
    beside,
    forged,
    within,
)


@forged(4, "BAD_MANIFEST")
def a_manifest_signed_by_another_root() -> Forged:
    game = story("plain")
    stranger = TestHouse(seed=98)
    trusted = game.house.policy
    return replace(beside("plain", lambda proof: proof), policy=replace(trusted, roots=stranger.policy.roots))


@forged(4, Code.EVENT_KEY_UNKNOWN)
def a_table_under_a_manifest_that_is_not_there() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(TableOpened)
        draft.edit(manifest_leaf=bytes(32))
        return draft

    return within("plain", change)


@forged(4, Code.EVENT_KEY_REVOKED)
def entries_by_a_key_that_was_revoked_before() -> Forged:
    game = story("plain")
    forgery = Forgery(game)
    draft = forgery.drafts[-3]

    def revoke(house: TestHouse) -> None:
        key = house.event_key
        house.rotate(revoke=True)
        house.event_key = key

    draft.house_acts = (revoke,)
    return Forged(forgery.game_proof(), game.house.policy, len(game.entries) - 1)


@forged(4, Code.OTHER_KEY_ID)
def an_entry_by_a_key_that_is_not_the_houses() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Dealt, 1)
        draft.house_key = TestHouse(seed=97).event_key
        return draft

    return within("plain", change)


@forged(4, Code.HOUSE_SIGNATURE)
def a_start_that_the_house_did_not_sign() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(GameStarted)
        draft.entry_signature = forgery.game.entries[0][-64:]
        return draft

    return within("plain", change)


@forged(4, Code.HOUSE_SIGNATURE)
def an_end_that_the_house_did_not_sign() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.drafts[-1]
        draft.entry_signature = forgery.game.entries[0][-64:]
        return draft

    return within("plain", change)


@forged(4, Code.HOUSE_SIGNATURE)
def an_entry_in_the_middle_that_the_house_did_not_sign() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Play, 7)
        draft.entry_signature = forgery.game.entries[0][-64:]
        return draft

    return replace(within("plain", change), wishes=Wishes(signatures=Signatures.ALL))
