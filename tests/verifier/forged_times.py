# SPDX-License-Identifier: Apache-2.0
"""Forged times (step 12)."""

from __future__ import annotations

from dataclasses import replace

from hokm.events import (
    CeremonyOpened,
    CeremonyVoided,
    CommitSetClosed,
    Move,
    Play,
    Reopened,
    TimedOut,
)
from hokm.verify import Code
from tests.simulation.forge import Draft, Forgery
from tests.simulation.house import TestHouse
from tests.simulation.stories import story
from tests.verifier.forging import (
    Forged,
    forged,
    within,
)


@forged(12, Code.TIME_FELL)
def an_entry_from_before_the_one_before_it() -> Forged:
    def change(forgery: Forgery) -> Draft:
        at = forgery.find(Play, 9)
        forgery.drafts[at].time_ms = forgery.drafts[at - 1].time_ms - 1
        return forgery.drafts[at]

    return within("plain", change)


@forged(12, Code.BEFORE_DEADLINE)
def a_deadline_that_came_too_early() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(TimedOut)
        draft.time_ms -= 1
        return draft

    return within("troubled", change)


@forged(12, Code.BEFORE_DEADLINE)
def a_void_that_came_too_early() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(CeremonyVoided)
        draft.time_ms -= 1
        return draft

    return within("troubled", change)


@forged(12, Code.DEADLINE_IGNORED)
def a_card_that_was_taken_too_late() -> Forged:
    def change(forgery: Forgery) -> Draft:
        at = forgery.find(Play, 9)
        for draft in forgery.drafts[at:]:
            draft.time_ms += 60_000
        return forgery.drafts[at]

    return within("plain", change)


@forged(12, "DEADLINE_PASSED")
def a_commitment_that_was_taken_too_late() -> Forged:
    # Seat 2's time began anew and the ceremony waits for it; seat 0's was over.
    def change(forgery: Forgery) -> int:
        at = forgery.find(CommitSetClosed)
        drafts = forgery.drafts
        first, second = (drafts[place] for place in (at - 2, at - 1))
        assert isinstance(first.content, Move)
        assert isinstance(second.content, Move)
        late = drafts[at - 3].time_ms + 100_000
        drafts.insert(at - 2, Draft(Reopened((second.content.seat,)), late, None))
        for draft in drafts[at - 1 :]:
            draft.time_ms = late
        return at - 1

    return within("plain", change)


@forged(12, Code.BEFORE_ANCHOR)
def a_ceremony_that_is_older_than_the_log_before_it() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(CeremonyOpened, 1)
        late = draft.time_ms + 62_000

        def see_later(house: TestHouse) -> None:
            draft.anchor_note = house.publish(time_ms=late)

        draft.house_acts = (see_later,)
        return draft

    return within("plain", change)


@forged(12, Code.AFTER_CHECKPOINT)
def an_entry_from_after_its_checkpoint() -> Forged:
    game = story("plain")
    early = game.events[-1].time_ms - 62_000
    proof = game.game_proof()
    note = game.house.publish(time_ms=early)
    latest = 1000 * (early // 1000) + 60_000
    version = next(event.version for event in game.events if event.time_ms > latest)
    return Forged(replace(proof, checkpoint=note), game.house.policy, version)
