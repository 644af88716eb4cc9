# SPDX-License-Identifier: Apache-2.0
"""Forged witnesses of a commit set, at a table that waits for them (step 7; times, step 12)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hokm.events import (
    CommitSetClosed,
    CommitSetWitnessed,
    Reopened,
    Reveal,
    ServerFault,
    ServerFaultCause,
)
from hokm.verify import Code
from tests.simulation.forge import Draft, Forgery
from tests.simulation.house import TestHouse
from tests.simulation.stories import story
from tests.verifier.forging import Forged, changed, forged, within

STRANGER = "elsewhere.example/log"


def shown(other: Callable[[TestHouse, CommitSetWitnessed], CommitSetWitnessed]) -> Forged:
    """The story in which the second CommitSetWitnessed shows something else."""

    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(CommitSetWitnessed, 1)
        draft.witness = other
        return draft

    return within("witnessed", change)


@forged(7, Code.SET_NOT_PUBLISHED)
def a_set_shown_by_what_is_no_checkpoint() -> Forged:
    return shown(lambda house, right: right._replace(checkpoint="seen\n"))


@forged(7, Code.SET_NOT_PUBLISHED)
def a_set_in_a_checkpoint_that_another_log_of_that_name_signed() -> Forged:
    return shown(lambda house, right: right._replace(checkpoint=TestHouse(seed=99).publish()))


@forged(7, Code.SET_NOT_PUBLISHED)
def a_set_in_another_log_that_the_policy_names() -> Forged:
    stranger = TestHouse(seed=99, origin=STRANGER)
    case = shown(lambda house, right: right._replace(checkpoint=stranger.publish(cosigners=0)))
    ours, theirs = case.policy, stranger.policy
    return replace(case, policy=replace(ours, logs=ours.logs + theirs.logs, roots=ours.roots + theirs.roots))


@forged(7, Code.SET_NOT_COVERED)
def a_set_at_another_place() -> Forged:
    return shown(lambda house, right: right._replace(index=right.index - 1))


@forged(7, Code.SET_NOT_COVERED)
def a_set_that_was_closed_after_its_checkpoint() -> Forged:
    return shown(lambda house, right: right._replace(checkpoint=house.publish(right.index), inclusion=()))


@forged(7, Code.SET_NOT_COVERED)
def another_entry_that_witnesses_have_seen() -> Forged:
    def before(house: TestHouse, right: CommitSetWitnessed) -> CommitSetWitnessed:
        return right._replace(index=0, inclusion=house.inclusion(0, len(house.leaves)))

    return shown(before)


@forged(7, Code.SET_QUORUM_NOT_MET)
def a_set_that_too_few_witnesses_have_seen() -> Forged:
    return shown(lambda house, right: right._replace(checkpoint=house.publish(cosigners=1)))


@forged(7, "NOT_OPEN_YET")
def a_number_shown_before_witnesses_have_seen_the_set() -> Forged:
    def change(forgery: Forgery) -> int:
        at, drafts = forgery.find(CommitSetWitnessed, 1), forgery.drafts
        early = drafts.pop(forgery.find(Reveal, 4))
        early.edit(seen_version=at - 1)
        early.time_ms = drafts[at].time_ms
        drafts.insert(at, early)
        return at

    return within("witnessed", change)


@forged(7, Code.CEREMONY_OUT_OF_ORDER)
def witnesses_at_a_table_that_does_not_wait_for_them() -> Forged:
    def change(forgery: Forgery) -> int:
        at, drafts = forgery.find(CommitSetClosed) + 1, forgery.drafts
        drafts.insert(at, Draft(CommitSetWitnessed("", 0, ()), drafts[at - 1].time_ms, None))
        return at

    return within("plain", change)


@forged(7, Code.CEREMONY_OUT_OF_ORDER)
def witnesses_twice() -> Forged:
    def change(forgery: Forgery) -> int:
        at, drafts = forgery.find(CommitSetWitnessed), forgery.drafts
        drafts.insert(at, drafts[at])
        return at + 1

    return within("witnessed", change)


@forged(7, Code.CEREMONY_OUT_OF_ORDER)
def witnesses_when_the_wait_is_over() -> Forged:
    def change(forgery: Forgery) -> Draft:
        at, drafts = forgery.find(CommitSetWitnessed, 1), forgery.drafts
        late = drafts[forgery.find(CommitSetClosed, 1)].time_ms + 30_000 - drafts[at].time_ms
        for draft in drafts[at:]:
            draft.time_ms += late
        return drafts[at]

    return within("witnessed", change)


@forged(8, Code.FAULT_DIFFERS)
def a_seat_that_is_blamed_where_witnesses_are_missing() -> Forged:
    return changed("unwitnessed", ServerFault, seats=(1,))


@forged(8, Code.FAULT_DIFFERS)
def another_fault_where_witnesses_are_missing() -> Forged:
    return changed("unwitnessed", ServerFault, cause=ServerFaultCause.NO_NUMBER)


@forged(10, Code.NOT_REOPENED)
def a_wait_that_begins_anew_before_its_end() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Reopened)
        assert draft.content == Reopened(())
        draft.time_ms = forgery.draft(CommitSetClosed).time_ms + 29_999
        return draft

    return within("witnessed", change)


@forged(10, Code.NOT_REOPENED)
def a_wait_that_begins_anew_twice() -> Forged:
    def change(forgery: Forgery) -> int:
        at, drafts = forgery.find(Reopened), forgery.drafts
        late = drafts[at].time_ms + 30_000
        del drafts[at + 1 :]
        drafts.append(Draft(Reopened(()), late, None))
        return at + 1

    return within("witnessed", change)


@forged(10, Code.NOT_REOPENED)
def a_house_that_was_down_where_nothing_waits() -> Forged:
    def change(forgery: Forgery) -> int:
        at, drafts = forgery.find(CommitSetWitnessed, 1) + 1, forgery.drafts
        drafts.insert(at, Draft(Reopened(()), drafts[at - 1].time_ms, None))
        return at

    return within("witnessed", change)


@forged(12, Code.BEFORE_DEADLINE)
def witnesses_that_are_given_up_too_early() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(ServerFault)
        draft.time_ms -= 1
        return draft

    return within("unwitnessed", change)


@forged(12, Code.BEFORE_ANCHOR)
def a_set_that_witnesses_saw_after_they_were_shown() -> Forged:
    late = 1000 * (story("witnessed").events[-1].time_ms // 1000) + 62_000
    return shown(lambda house, right: right._replace(checkpoint=house.publish(time_ms=late)))
