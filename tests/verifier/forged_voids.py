# SPDX-License-Identifier: Apache-2.0
"""Forged voids and faults (step 8)."""

from __future__ import annotations

from hokm.events import (
    CeremonyVoided,
    GameStarted,
    ServerFault,
    ServerFaultCause,
    VoidCause,
)
from hokm.verify import Code
from tests.simulation.forge import Draft, Forgery
from tests.verifier.forging import (
    Forged,
    changed,
    forged,
    within,
)


@forged(8, Code.VOID_DIFFERS)
def a_void_that_names_another_seat() -> Forged:
    return changed("forfeited", CeremonyVoided, seats=(1,))


@forged(8, Code.VOID_DIFFERS)
def a_void_that_hides_a_number_that_came() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(CeremonyVoided)
        assert isinstance(draft.content, CeremonyVoided)
        draft.edit(numbers=draft.content.numbers[1:])
        return draft

    return within("forfeited", change)


@forged(8, Code.VOID_DIFFERS)
def a_void_of_another_cause() -> Forged:
    return changed("forfeited", CeremonyVoided, cause=VoidCause.NO_COMMITMENT)


@forged(8, Code.FAULT_DIFFERS)
def a_fault_that_hides_who_was_missing() -> Forged:
    return changed("silent_bot", ServerFault, seats=())


@forged(8, Code.FAULT_DIFFERS)
def a_fault_that_hides_the_houses_number() -> Forged:
    return changed("silent_bot", ServerFault, house_number=b"")


@forged(8, Code.FAULT_DIFFERS)
def a_deal_that_is_called_impossible_and_is_not() -> Forged:
    return within("no_deal", lambda forgery: forgery.drafts[-1])


@forged(8, Code.FAULT_DIFFERS)
def an_impossible_deal_that_hides_a_number() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.drafts[-1]
        assert isinstance(draft.content, ServerFault)
        draft.edit(received=draft.content.received[1:])
        return draft

    return within("no_deal", change)


@forged(8, Code.FAULT_DIFFERS)
def an_impossible_deal_before_all_numbers_are_there() -> Forged:
    def change(forgery: Forgery) -> int:
        del forgery.drafts[-2]
        return len(forgery.drafts) - 1

    return within("no_deal", change)


@forged(8, Code.FAULT_DIFFERS)
def numbers_that_were_lost_where_there_are_none() -> Forged:
    def change(forgery: Forgery) -> int:
        at = forgery.find(GameStarted) + 1
        drafts = forgery.drafts
        del drafts[at:]
        drafts.append(Draft(ServerFault(ServerFaultCause.SEALED_LOST), drafts[-1].time_ms, None))
        return at

    return within("plain", change)
