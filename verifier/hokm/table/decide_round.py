# SPDX-License-Identifier: Apache-2.0
"""Whether the rules allow an act of a round: trumps, cards, and the house rules H1 to H3."""

from __future__ import annotations

from hokm.cards import SUIT_MASKS, Card, Hand, card_text, cards_text, suit_text
from hokm.deal import early_commitment
from hokm.errors import (
    AlreadyLaid,
    CardNotHeld,
    EarlyNotOpened,
    EarlySpent,
    MiddleMistold,
    MustFollowSuit,
    MustWait,
    NotARun,
    NothingLaid,
    NothingToPickUp,
    NotLed,
    NotOnLead,
    NotYourTurn,
    TooManyLays,
    TurnHasCome,
    WrongPhase,
)
from hokm.events import LayEarly
from hokm.rules import MOST_LAYS, Seat, is_run, partner_of
from hokm.table.hands import Hands, LaidCard, may_play
from hokm.table.state import Decision, Extra, Round, Table, check_in_time, phase


def decide_trump(table: Table, seat: Seat, time_ms: int) -> None:
    """Naming trumps, and calling the partner's middle in place of it (H1)."""
    round_ = table.stage
    if type(round_) is not Round or round_.trump is not None:
        raise WrongPhase(phase(table))
    check_in_time(_in_turn(round_, seat), time_ms)


def decide_play(table: Table, seat: Seat, card: Card, time_ms: int, known: Hands) -> None:
    """A card in turn that is held and follows suit (G7, G8)."""
    round_ = _in_tricks(table)
    check_in_time(_in_turn(round_, seat), time_ms)
    _check_card(round_, card, known.dealt[seat])


def decide_run(table: Table, seat: Seat, cards: tuple[Card, ...], time_ms: int, known: Hands) -> None:
    """Several cards on lead (H3). Nothing is asked that another hand has a part in."""
    round_ = _in_tricks(table)
    check_in_time(_in_turn(round_, seat), time_ms)
    if round_.trick:
        raise NotOnLead(seat)
    for card in cards:
        _check_card(round_, card, known.dealt[seat])
    assert round_.trump is not None
    if not is_run(cards, round_.trump, round_.played):
        raise NotARun(cards_text(cards))


def decide_pick_up(table: Table, seat: Seat) -> None:
    """The partner takes up the middle, at any time while it lies open (H1)."""
    round_ = _in_tricks(table)
    if _extra(round_).middle is None or seat != partner_of(round_.hakem):
        raise NothingToPickUp(seat)


def decide_lay(table: Table, seat: Seat, act: LayEarly, known: Hands, laid: LaidCard | None) -> None:
    """A card face down before the turn comes (H2); `laid` is the card, where it is known."""
    round_ = _in_tricks(table)
    extra = _extra(round_)
    if round_.decision is None or not round_.trick:
        raise NotLed
    if seat - round_.leader & 3 <= len(round_.trick):
        raise TurnHasCome(seat)
    if extra.lays[seat] is not None:
        raise AlreadyLaid(seat)
    if round_.trick_number < extra.again[seat]:
        raise MustWait(seat, round_.trick_number, extra.again[seat])
    if extra.laid[seat] >= MOST_LAYS:
        raise TooManyLays(seat, MOST_LAYS)
    if act.commitment in table.spent_lays:
        raise EarlySpent(seat)
    if act.open_middle and (extra.middle is None or seat != partner_of(round_.hakem)):
        raise MiddleMistold(seat)
    if laid is not None:
        _check_laid(table, round_, seat, act, laid)
        _check_card(round_, laid.card, known.dealt[seat])


def _check_laid(table: Table, round_: Round, seat: Seat, act: LayEarly, laid: LaidCard) -> None:
    """What is beside a LayEarly opens its commitment, is new, and is what the move says of it."""
    ctx = round_.ceremony.ctx
    if early_commitment(ctx, round_.trick_number, seat, laid.card, laid.salt) != act.commitment:
        raise EarlyNotOpened(seat)
    if laid.salt in table.spent_lays or laid.salt in laid.other_salts:
        raise EarlySpent(seat)
    if act.open_middle != (laid.card == _extra(round_).middle):
        raise MiddleMistold(seat)


def decide_take_back(table: Table, seat: Seat) -> None:
    """The card face down goes back, until the turn comes (H2)."""
    if _extra(_in_tricks(table)).lays[seat] is None:
        raise NothingLaid(seat)


def _check_card(round_: Round, card: Card, hand: Hand | None) -> None:
    """The card is held and follows suit, as far as the hand, as it was dealt, is known."""
    bit = 1 << card
    if bit & round_.played or (hand is not None and not bit & hand):
        raise CardNotHeld(card_text(card))
    if hand is not None and not bit & may_play(round_, hand):
        assert round_.led is not None
        assert not bit & SUIT_MASKS[round_.led]
        raise MustFollowSuit(card_text(card), suit_text(round_.led))


def _in_tricks(table: Table) -> Round:
    round_ = table.stage
    if type(round_) is not Round or round_.trump is None:
        raise WrongPhase(phase(table))
    return round_


def _in_turn(round_: Round, seat: Seat) -> Decision:
    if round_.decision is None or round_.turn != seat:
        raise NotYourTurn(seat)
    return round_.decision


def _extra(round_: Round) -> Extra:
    assert round_.extra is not None, "a house rule is on"
    return round_.extra
