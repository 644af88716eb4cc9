# SPDX-License-Identifier: Apache-2.0
"""Forged draws, moves, and what the house does in place of a move (steps 9 and 10)."""

from __future__ import annotations

from hokm.cards import SUIT_MASKS
from hokm.events import (
    Commit,
    HakemDrawn,
    Leave,
    Move,
    NameTrump,
    Play,
    ProtestOnly,
    Reopened,
    Resign,
    Return,
    RoundRevealed,
    StandInCause,
    StoodIn,
    TakeBack,
    TeaBegan,
    TimedOut,
)
from hokm.table import Round, hands_of
from hokm.verify import Code
from tests.simulation.forge import Draft, Forgery
from tests.simulation.stories import story
from tests.verifier.forging import (
    Forged,
    changed,
    forged,
    tables,
    within,
)


@forged(9, Code.OTHER_HAKEM_DRAWN)
def a_hakem_whom_the_numbers_did_not_draw() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(HakemDrawn)
        assert isinstance(draft.content, HakemDrawn)
        draft.edit(hakem=draft.content.hakem ^ 1)
        return draft

    return within("plain", change)


@forged(10, "MUST_FOLLOW_SUIT")
def a_card_of_another_suit_than_was_led() -> Forged:
    def change(forgery: Forgery) -> Draft:
        for place, table in enumerate(tables("plain")):
            stage = table.stage
            if isinstance(stage, Round) and stage.trick and stage.decision and stage.trump is not None:
                held = hand_in("plain", place, stage)
                other = held & ~SUIT_MASKS[stage.trick[0] // 13]
                if other and other != held:
                    draft = forgery.drafts[place]
                    draft.edit(card=other.bit_length() - 1)
                    return draft
        raise AssertionError("somebody always could")

    return within("plain", change)


@forged(10, "CARD_NOT_HELD")
def a_card_from_somebody_elses_hand() -> Forged:
    def change(forgery: Forgery) -> Draft:
        at = forgery.find(Play, 0)
        stage = tables("plain")[at].stage
        assert isinstance(stage, Round)
        others = (1 << 52) - 1 & ~hand_in("plain", at, stage)
        draft = forgery.drafts[at]
        draft.edit(card=others.bit_length() - 1)
        return draft

    return within("plain", change)


@forged(10, "CARD_NOT_HELD")
def a_card_that_was_played_before() -> Forged:
    def change(forgery: Forgery) -> Draft:
        first, draft = forgery.draft(Play, 0), forgery.draft(Play, 4)
        assert isinstance(first.content, Move)
        assert isinstance(first.content.act, Play)
        draft.edit(card=first.content.act.card)
        return draft

    return within("plain", change)


def hand_in(name: str, place: int, round_: Round) -> int:
    """What the seat in turn holds before the entry of that place."""
    game = story(name)
    revealed = next(event.content for event in game.events[place:] if isinstance(event.content, RoundRevealed))
    assert round_.ceremony.commit_set is not None
    dealt = hands_of(round_.ceremony.commit_set, revealed.numbers, round_.hakem, game.rules.packets).dealt[round_.turn]
    assert dealt is not None
    return dealt & ~round_.played


@forged(10, "NOT_YOUR_TURN")
def a_card_out_of_turn() -> Forged:
    def change(forgery: Forgery) -> Draft:
        at = forgery.find(Play, 8)
        drafts = forgery.drafts
        drafts[at] = Draft(drafts[at + 1].content, drafts[at].time_ms, drafts[at + 1].signer)
        drafts[at].edit(seen_version=at - 1)
        return drafts[at]

    return within("plain", change)


def another_act(name: str, kind: type, nth: int, act: object) -> Forged:
    """A story in which a move does something else."""

    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(kind, nth)
        draft.edit(act=act)
        return draft

    return within(name, change)


@forged(10, "WRONG_PHASE")
def trumps_that_are_named_again() -> Forged:
    return another_act("plain", Play, 0, NameTrump(2))


@forged(10, "WRONG_PHASE")
def a_card_before_trumps() -> Forged:
    return another_act("plain", NameTrump, 0, Play(0))


@forged(10, "WRONG_PHASE")
def resigning_in_a_ceremony() -> Forged:
    return another_act("plain", Commit, 5, Resign())


@forged(10, "RULE_OFF")
def an_act_of_a_rule_that_is_off() -> Forged:
    return another_act("plain", Play, 3, TakeBack())


@forged(10, "NOT_ABSENT")
def coming_back_without_having_been_away() -> Forged:
    return another_act("plain", Play, 3, Return())


@forged(10, "ALREADY_LEFT")
def leaving_twice() -> Forged:
    def change(forgery: Forgery) -> int:
        at = forgery.find(Leave)
        content = forgery.drafts[at].content
        assert isinstance(content, Move)
        again = content._replace(number=content.number + 1)
        forgery.drafts.insert(at + 2, Draft(again, forgery.drafts[at + 1].time_ms, forgery.drafts[at].signer))
        return at + 2

    return within("abandoned", change)


@forged(10, "ALREADY_BACK")
def coming_back_twice() -> Forged:
    # Seat 2, whose card the stand-in still has to choose, says so twice.
    def change(forgery: Forgery) -> int:
        at = next(
            place
            for place, draft in enumerate(forgery.drafts)
            if isinstance(draft.content, StoodIn) and draft.content.cause is StandInCause.AWAY
        )
        player = forgery.game.players[2].key
        left = forgery.draft(Leave)
        assert isinstance(left.content, Move)
        for count in range(2):
            move = left.content._replace(act=Return(), number=left.content.number + count, seen_version=at)
            forgery.drafts.insert(at + 1 + count, Draft(move, forgery.drafts[at].time_ms, player))
        return at + 2

    return within("troubled", change)


@forged(10, "ALREADY_RESIGNED")
def resigning_twice() -> Forged:
    def change(forgery: Forgery) -> int:
        at = forgery.find(Resign)
        content = forgery.drafts[at].content
        assert isinstance(content, Move)
        again = content._replace(number=content.number + 1)
        forgery.drafts.insert(at + 1, Draft(again, forgery.drafts[at].time_ms, forgery.drafts[at].signer))
        return at + 1

    return within("resigned", change)


@forged(10, "ONLY_PERSONS_RESIGN")
def a_bot_that_resigns() -> Forged:
    return another_act("bots", Play, 5, Resign())


@forged(10, "NOTHING_PROTESTED")
def a_protest_about_nothing() -> Forged:
    return another_act("plain", Play, 5, ProtestOnly())


@forged(10, "TOO_MANY_PROTESTS")
def more_protests_than_anybody_reads() -> Forged:
    def change(forgery: Forgery) -> int:
        at = forgery.find(ProtestOnly, -1)
        content = forgery.drafts[at].content
        assert isinstance(content, Move)
        for count in range(1, 4):
            again = content._replace(number=content.number + count)
            forgery.drafts.insert(at + count, Draft(again, forgery.drafts[at].time_ms, forgery.drafts[at].signer))
        return at + 3

    return within("troubled", change)


@forged(10, Code.OUT_OF_ORDER)
def a_card_where_a_stand_in_is_due() -> Forged:
    def change(forgery: Forgery) -> int:
        at = next(
            place
            for place, draft in enumerate(forgery.drafts)
            if isinstance(draft.content, StoodIn) and draft.content.cause is StandInCause.MISSED
        )
        del forgery.drafts[at]
        return at

    return within("troubled", change)


@forged(10, Code.OUT_OF_ORDER)
def a_round_that_goes_on_after_the_last_trick() -> Forged:
    def change(forgery: Forgery) -> int:
        at = forgery.find(RoundRevealed)
        last = forgery.drafts[at - 1]
        forgery.drafts.insert(at, Draft(last.content, last.time_ms, last.signer))
        return at

    return within("plain", change)


@forged(10, Code.OUT_OF_ORDER)
def tea_at_a_table_without_tea() -> Forged:
    def change(forgery: Forgery) -> int:
        at = forgery.find(Play, 4)
        forgery.drafts.insert(at, Draft(TeaBegan(), forgery.drafts[at].time_ms, None))
        return at

    return within("plain", change)


@forged(10, Code.OUT_OF_ORDER)
def a_round_that_is_closed_in_the_middle() -> Forged:
    def change(forgery: Forgery) -> int:
        at = forgery.find(Play, 4)
        forgery.drafts.insert(at, Draft(forgery.draft(RoundRevealed).content, forgery.drafts[at].time_ms, None))
        return at

    return within("plain", change)


@forged(10, Code.POLICY_DIFFERS)
def a_card_that_the_policy_does_not_choose() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(TimedOut)
        assert isinstance(draft.content, TimedOut)
        assert draft.content.card is not None
        draft.edit(card=(draft.content.card + 1) % 52)
        return draft

    return within("troubled", change)


@forged(10, Code.POLICY_DIFFERS)
def a_policy_that_plays_for_another_seat() -> Forged:
    return changed("troubled", TimedOut, seat=3)


@forged(10, Code.STAND_IN_DIFFERS)
def a_stand_in_for_another_seat() -> Forged:
    return changed("troubled", StoodIn, seat=0)


@forged(10, Code.STAND_IN_DIFFERS)
def a_stand_in_for_another_cause() -> Forged:
    return changed("troubled", StoodIn, cause=StandInCause.LEFT)


@forged(10, Code.NOT_AWAY)
def a_person_called_away_too_early() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = next(
            draft
            for draft in forgery.drafts
            if isinstance(draft.content, StoodIn) and draft.content.cause is StandInCause.AWAY
        )
        draft.time_ms -= 1
        return draft

    return within("troubled", change)


@forged(10, Code.NOT_REOPENED)
def deadlines_that_begin_anew_before_they_are_over() -> Forged:
    def change(forgery: Forgery) -> Draft:
        at = forgery.find(Reopened)
        forgery.drafts[at].time_ms = forgery.drafts[at - 1].time_ms
        return forgery.drafts[at]

    return within("troubled", change)


@forged(10, Code.NOT_REOPENED)
def deadlines_that_begin_anew_twice() -> Forged:
    def change(forgery: Forgery) -> int:
        at = forgery.find(Reopened)
        draft = forgery.drafts[at]
        forgery.drafts.insert(at + 1, Draft(draft.content, draft.time_ms + 200_000, None))
        return at + 1

    return within("troubled", change)


@forged(10, Code.NOT_REOPENED)
def nothing_that_begins_anew() -> Forged:
    return changed("troubled", Reopened, seats=())
