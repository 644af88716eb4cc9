# SPDX-License-Identifier: Apache-2.0
"""Forged ceremonies (step 7)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from hokm.deal import commit_set, commitment
from hokm.events import (
    CeremonyOpened,
    CeremonyVoided,
    Commit,
    CommitSetClosed,
    Dealt,
    HakemDrawn,
    Holder,
    Move,
    Reveal,
    RoundRevealed,
    SeatKind,
    ServerFault,
)
from hokm.verify import Code
from tests.simulation.forge import Draft, Forgery
from tests.simulation.stories import story
from tests.verifier.forging import (
    Forged,
    changed,
    forged,
    forged_each,
    within,
)


@forged(7, Code.CEREMONY_OUT_OF_ORDER)
def a_set_closed_before_all_have_committed() -> Forged:
    def change(forgery: Forgery) -> int:
        at = forgery.find(CommitSetClosed)
        drafts = forgery.drafts
        drafts[at - 1], drafts[at] = drafts[at], drafts[at - 1]
        drafts[at - 1].time_ms = drafts[at].time_ms
        return at - 1

    return within("plain", change)


@forged(7, Code.CEREMONY_OUT_OF_ORDER)
def a_deal_without_a_number() -> Forged:
    def change(forgery: Forgery) -> int:
        at = forgery.find(Dealt)
        del forgery.drafts[at - 1]
        return at - 1

    return within("plain", change)


@forged(7, Code.CEREMONY_OUT_OF_ORDER)
def a_move_where_the_deal_is_due() -> Forged:
    def change(forgery: Forgery) -> int:
        at = forgery.find(Dealt)
        del forgery.drafts[at]
        return at

    return within("plain", change)


def an_opening_with_another(field: str) -> Forged:
    game = story("plain")
    content = game.events[game.versions(CeremonyOpened)[2]].content
    assert isinstance(content, CeremonyOpened)
    others = {
        "ctx": content.ctx[:-1] + b"\7",
        "hakem": (content.hakem or 0) ^ 1,
        "score": (content.score[0] + 1, content.score[1]),
        "rules_hash": bytes(32),
        "holders": (Holder(SeatKind.BOT, content.holders[0].public_key), *content.holders[1:]),
    }
    return replace(changed("plain", CeremonyOpened, 2, **{field: others[field]}), field=field)


forged_each(
    7,
    Code.CEREMONY_DIFFERS,
    {
        f"an_opening_with_another_{field}": partial(an_opening_with_another, field)
        for field in ("ctx", "hakem", "score", "rules_hash", "holders")
    },
)


@forged(7, Code.CEREMONY_DIFFERS)
def a_ceremony_that_leaves_out_an_attempt() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(CeremonyOpened, 1)
        assert isinstance(draft.content, CeremonyOpened)
        draft.edit(ctx=draft.content.ctx[:-1] + b"\1")
        return draft

    return within("plain", change)


@forged(7, Code.COMMIT_SET_DIFFERS)
def a_set_of_other_commitments() -> Forged:
    return changed("plain", CommitSetClosed, commit_set=bytes(32))


@forged(7, Code.NUMBER_DOES_NOT_OPEN)
def a_deal_from_another_number_of_a_player() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(RoundRevealed)
        assert isinstance(draft.content, RoundRevealed)
        draft.edit(numbers=(bytes(32), *draft.content.numbers[1:]))
        return draft

    return within("plain", change)


@forged(7, Code.NUMBER_DOES_NOT_OPEN)
def a_deal_from_another_number_of_the_house() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(RoundRevealed, 1)
        assert isinstance(draft.content, RoundRevealed)
        draft.edit(numbers=(*draft.content.numbers[:4], bytes(32)))
        return draft

    return within("plain", change)


@forged(7, Code.NUMBER_DOES_NOT_OPEN)
def a_draw_from_another_number() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(HakemDrawn)
        assert isinstance(draft.content, HakemDrawn)
        draft.edit(numbers=(*draft.content.numbers[:3], bytes(32), draft.content.numbers[4]))
        return draft

    return within("plain", change)


@forged(7, Code.NUMBER_DOES_NOT_OPEN)
def a_void_that_shows_another_number() -> Forged:
    return changed("forfeited", CeremonyVoided, house_number=bytes(32))


@forged(7, Code.NUMBER_DOES_NOT_OPEN)
def a_fault_that_shows_another_number() -> Forged:
    return changed("silent_bot", ServerFault, house_number=bytes(32))


@forged(7, Code.NUMBER_DOES_NOT_OPEN)
def a_seat_whose_commitment_is_by_another_key() -> Forged:
    # A commitment is bound to the key that holds the seat: the number of another key opens nothing.
    def change(forgery: Forgery) -> Draft:
        game = forgery.game
        opened = game.events[game.versions(CeremonyOpened)[0]].content
        drawn = game.events[game.versions(HakemDrawn)[0]].content
        assert isinstance(opened, CeremonyOpened)
        assert isinstance(drawn, HakemDrawn)
        draft = forgery.draft(Commit, 0)
        assert isinstance(draft.content, Move)
        seat = draft.content.seat
        other = opened.holders[seat ^ 1].public_key
        made = commitment(opened.ctx, seat, other, drawn.numbers[seat])
        draft.edit(commitment=made)
        _close_again(forgery, opened, nth=0)
        return forgery.draft(HakemDrawn)

    return within("plain", change)


def _close_again(forgery: Forgery, opened: CeremonyOpened, nth: int) -> None:
    """Compute the set of a ceremony anew, and have everybody reveal over it."""
    commits = sorted(
        (
            (draft.content.seat, draft.content.act.commitment)
            for draft in (forgery.draft(Commit, 4 * nth + count) for count in range(4))
            if isinstance(draft.content, Move) and isinstance(draft.content.act, Commit)
        ),
    )
    made = commit_set(opened.ctx, [*(given for _, given in commits), opened.house_commitment])
    forgery.draft(CommitSetClosed, nth).edit(commit_set=made)
    for count in range(4):
        forgery.draft(Reveal, 4 * nth + count).edit(commit_set=made)


@forged(7, "COMMITMENT_COPIED")
def a_commitment_that_was_copied() -> Forged:
    def change(forgery: Forgery) -> Draft:
        first, draft = forgery.draft(Commit, 4), forgery.draft(Commit, 5)
        assert isinstance(first.content, Move)
        assert isinstance(first.content.act, Commit)
        draft.edit(commitment=first.content.act.commitment)
        return draft

    return within("plain", change)


@forged(7, "COMMITMENT_COPIED")
def a_commitment_that_is_the_houses() -> Forged:
    def change(forgery: Forgery) -> Draft:
        opened, draft = forgery.draft(CeremonyOpened, 1), forgery.draft(Commit, 4)
        assert isinstance(opened.content, CeremonyOpened)
        draft.edit(commitment=opened.content.house_commitment)
        return draft

    return within("plain", change)


@forged(7, "WRONG_COMMIT_SET")
def a_number_revealed_over_another_set() -> Forged:
    return changed("plain", Reveal, 2, commit_set=bytes(32))


@forged(7, "ALREADY_COMMITTED")
def a_seat_that_commits_twice() -> Forged:
    def change(forgery: Forgery) -> Draft:
        first, draft = forgery.draft(Commit, 0), forgery.draft(Commit, 1)
        assert isinstance(first.content, Move)
        draft.content = first.content._replace(number=first.content.number + 1, act=Commit(bytes(32)))
        draft.signer = first.signer
        return draft

    return within("plain", change)


@forged(7, "ALREADY_REVEALED")
def a_seat_that_reveals_twice() -> Forged:
    def change(forgery: Forgery) -> Draft:
        first, draft = forgery.draft(Reveal, 0), forgery.draft(Reveal, 1)
        assert isinstance(first.content, Move)
        draft.content = first.content._replace(number=first.content.number + 1)
        draft.signer = first.signer
        return draft

    return within("plain", change)


@forged(7, "NOT_OPEN_YET")
def a_person_who_commits_before_the_bots() -> Forged:
    def change(forgery: Forgery) -> Draft:
        bot, person = forgery.find(Commit, 0), forgery.find(Commit, 2)
        drafts = forgery.drafts
        drafts[bot] = Draft(drafts[person].content, drafts[bot].time_ms, drafts[person].signer)
        assert isinstance(drafts[bot].content, Move)
        drafts[bot].edit(seen_version=bot - 1)
        return drafts[bot]

    return within("long", change)
