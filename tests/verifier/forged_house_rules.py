# SPDX-License-Identifier: Apache-2.0
"""Forged uses of the house rules H1 to H4, each in a lively game that is true but for that."""

from __future__ import annotations

from hokm.cards import cards_of
from hokm.deal import early_commitment
from hokm.events import (
    AnswerTea,
    EarlyTurned,
    LayEarly,
    MiddleTurned,
    Move,
    PickUp,
    Play,
    RoundRevealed,
    Run,
    TeaBegan,
    TeaEnded,
)
from hokm.table import Hands, Round, Table, hands_of, may_play
from hokm.verify import Code
from tests.simulation.forge import Draft, Forgery
from tests.verifier.forging import Forged, changed, forged, tables, within

NAME = "lively"


def revealed_hands(table: Table, forgery: Forgery) -> Hands:
    """The hands of the round that is played at that table."""
    stage = table.stage
    assert isinstance(stage, Round)
    assert stage.ceremony.commit_set is not None
    numbers = next(
        draft.content.numbers
        for draft in forgery.drafts[table.version + 1 :]
        if isinstance(draft.content, RoundRevealed)
    )
    return hands_of(stage.ceremony.commit_set, numbers, stage.hakem, table.rules.packets)


# H1


@forged(10, Code.MIDDLE_DIFFERS)
def a_middle_of_the_wrong_card() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(MiddleTurned)
        assert isinstance(draft.content, MiddleTurned)
        draft.edit(card=(draft.content.card + 1) % 52)
        return draft

    return within(NAME, change)


@forged(10, Code.OUT_OF_ORDER)
def a_middle_that_nobody_called() -> Forged:
    def change(forgery: Forgery) -> Draft:
        place = forgery.find(Play)
        forgery.drafts.insert(place, Draft(MiddleTurned(0), forgery.drafts[place - 1].time_ms, None))
        return forgery.drafts[place]

    return within(NAME, change)


@forged(10, "NOTHING_TO_PICK_UP")
def an_open_card_picked_up_by_the_hakem() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(PickUp)
        assert isinstance(draft.content, Move)
        seat = draft.content.seat ^ 2
        moves = [
            other
            for other in forgery.drafts[: forgery.drafts.index(draft)]
            if isinstance(other.content, Move) and other.content.seat == seat
        ]
        draft.content = draft.content._replace(seat=seat, number=len(moves))
        draft.signer = moves[-1].signer
        return draft

    return within(NAME, change)


# H2


@forged(10, Code.EARLY_DOES_NOT_OPEN)
def an_early_card_that_was_swapped() -> Forged:
    """Another card of the same hand that would follow suit as well."""

    def change(forgery: Forgery) -> Draft:
        draft, card = swappable(forgery)
        draft.edit(card=card)
        return draft

    return within(NAME, change)


def swappable(forgery: Forgery) -> tuple[Draft, int]:
    """An EarlyTurned in whose place another card could have been laid, and that card."""
    known = tables(NAME)
    for version, draft in enumerate(forgery.drafts):
        content = draft.content
        if isinstance(content, EarlyTurned):
            stage = known[version].stage
            assert isinstance(stage, Round)
            hand = revealed_hands(known[version], forgery).dealt[content.seat]
            assert hand is not None
            for card in cards_of(may_play(stage, hand)):
                if card != content.card:
                    return draft, card
    raise AssertionError("every early card of this story was the only one")


@forged(10, Code.EARLY_DOES_NOT_OPEN)
def an_early_card_with_another_salt() -> Forged:
    return changed(NAME, EarlyTurned, salt=bytes(32))


@forged(10, Code.EARLY_DIFFERS)
def an_early_card_of_another_seat() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(EarlyTurned)
        assert isinstance(draft.content, EarlyTurned)
        draft.edit(seat=draft.content.seat ^ 1)
        return draft

    return within(NAME, change)


@forged(10, "CARD_NOT_HELD")
def an_early_card_of_another_hand() -> Forged:
    """Committed to, and opened rightly: the lay itself is refused."""

    def change(forgery: Forgery) -> Draft:
        known = tables(NAME)
        turned = forgery.find(EarlyTurned)
        content = forgery.drafts[turned].content
        assert isinstance(content, EarlyTurned)
        lay = max(
            place
            for place, draft in enumerate(forgery.drafts[:turned])
            if isinstance(draft.content, Move)
            and isinstance(draft.content.act, LayEarly)
            and draft.content.seat == content.seat
        )
        stage = known[lay].stage
        assert isinstance(stage, Round)
        other = revealed_hands(known[lay], forgery).dealt[content.seat ^ 1]
        assert other is not None
        card = next(cards_of(other & ~stage.played))
        ctx, number = stage.ceremony.ctx, stage.trick_number
        forgery.drafts[lay].edit(commitment=early_commitment(ctx, number, content.seat, card, content.salt))
        forgery.drafts[turned].edit(card=card)
        return forgery.drafts[lay]

    return within(NAME, change)


@forged(10, "EARLY_SPENT")
def a_salt_that_served_before() -> Forged:
    def change(forgery: Forgery) -> Draft:
        known = tables(NAME)
        first, turned = forgery.find(EarlyTurned), forgery.find(EarlyTurned, 1)
        salts = [forgery.drafts[place].content for place in (first, turned)]
        assert isinstance(salts[0], EarlyTurned)
        assert isinstance(salts[1], EarlyTurned)
        lay = max(
            place
            for place, draft in enumerate(forgery.drafts[:turned])
            if isinstance(draft.content, Move)
            and isinstance(draft.content.act, LayEarly)
            and draft.content.seat == salts[1].seat
        )
        stage = known[lay].stage
        assert isinstance(stage, Round)
        seat, card, salt = salts[1].seat, salts[1].card, salts[0].salt
        made = early_commitment(stage.ceremony.ctx, stage.trick_number, seat, card, salt)
        forgery.drafts[lay].edit(commitment=made)
        forgery.drafts[turned].edit(salt=salt)
        return forgery.drafts[lay]

    return within(NAME, change)


@forged(10, "MIDDLE_MISTOLD")
def an_early_card_said_to_be_the_open_middle() -> Forged:
    return changed(NAME, LayEarly, open_middle=True)


@forged(11, Code.RESULT_DIFFERS)
def a_lay_that_is_not_opened() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = with_unturned(forgery)
        draft.edit(unturned=())
        return draft

    return within(NAME, change)


@forged(10, Code.EARLY_DOES_NOT_OPEN)
def a_lay_that_is_opened_as_another_card() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = with_unturned(forgery)
        assert isinstance(draft.content, RoundRevealed)
        lay, *rest = draft.content.unturned
        other = type(lay)(lay.seat, lay.trick, (lay.card + 1) % 52, lay.salt)
        draft.edit(unturned=(other, *rest))
        return draft

    return within(NAME, change)


def with_unturned(forgery: Forgery) -> Draft:
    """The RoundRevealed of a round in which a lay did not turn over."""
    return next(
        draft for draft in forgery.drafts if isinstance(draft.content, RoundRevealed) and draft.content.unturned
    )


# H3


@forged(10, "NOT_A_RUN")
def a_run_with_a_gap() -> Forged:
    """The leader holds the cards; the one between them is out."""

    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Run)
        table = tables(NAME)[forgery.drafts.index(draft)]
        stage = table.stage
        assert isinstance(stage, Round)
        hand = revealed_hands(table, forgery).dealt[stage.turn]
        assert hand is not None
        held = list(cards_of(hand & ~stage.played))
        draft.edit(cards=(held[-1], held[0]))
        return draft

    return within(NAME, change)


@forged(10, "NOT_A_RUN")
def a_run_in_another_order() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Run)
        assert isinstance(draft.content, Move)
        assert isinstance(draft.content.act, Run)
        draft.edit(cards=tuple(reversed(draft.content.act.cards)))
        return draft

    return within(NAME, change)


@forged(10, "CARD_NOT_HELD")
def a_run_of_cards_that_are_elsewhere() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Run)
        table = tables(NAME)[forgery.drafts.index(draft)]
        stage = table.stage
        assert isinstance(stage, Round)
        hand = revealed_hands(table, forgery).dealt[stage.turn]
        assert hand is not None
        missing = next(card for card in range(51, 0, -1) if not hand >> card & 1)
        draft.edit(cards=(missing, missing - 1))
        return draft

    return within(NAME, change)


# H4


@forged(10, Code.OUT_OF_ORDER)
def a_tea_that_is_granted_against_a_no() -> Forged:
    def change(forgery: Forgery) -> Draft:
        place = next(
            place
            for place, draft in enumerate(forgery.drafts)
            if isinstance(draft.content, Move) and draft.content.act == AnswerTea(False)
        )
        forgery.drafts.insert(place + 1, Draft(TeaBegan(), forgery.drafts[place].time_ms, None))
        return forgery.drafts[place + 1]

    return within(NAME, change)


@forged(12, Code.BEFORE_DEADLINE)
def a_tea_that_ends_before_everybody_is_ready() -> Forged:
    def change(forgery: Forgery) -> Draft:
        place = forgery.find(TeaBegan)
        forgery.drafts.insert(place + 1, Draft(TeaEnded(), forgery.drafts[place].time_ms, None))
        return forgery.drafts[place + 1]

    return within(NAME, change)


@forged(10, "TEA_IS_SERVED")
def a_card_that_is_played_at_tea() -> Forged:
    """The tea is over an entry too late."""

    def change(forgery: Forgery) -> Draft:
        place = next(place for place in range(len(forgery.drafts)) if is_tea_before_a_card(forgery.drafts, place))
        ready, card = forgery.drafts[place - 1], forgery.drafts[place + 1]
        card.time_ms = ready.time_ms
        card.edit(seen_version=place - 2)
        forgery.drafts[place - 1 : place + 2] = [card, ready]
        return card

    return within(NAME, change)


def is_tea_before_a_card(drafts: list[Draft], place: int) -> bool:
    """There a tea ends, by the word of the last who was not ready, and a card is next."""
    if not isinstance(drafts[place].content, TeaEnded):
        return False
    before, after = drafts[place - 1].content, drafts[place + 1].content
    return isinstance(before, Move) and isinstance(after, Move) and isinstance(after.act, Play)
