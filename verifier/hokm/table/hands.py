# SPDX-License-Identifier: Apache-2.0
"""The cards of one deal, as far as somebody knows them: the secrets that are handed to the table, and not in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hokm.cards import Card, Hand, hand_of
from hokm.deal import deal, hands, middle, packets_of
from hokm.rules import Packets, Seat, legal_cards
from hokm.table.state import Round


class Hands(NamedTuple):
    """The cards of one deal, of the seats whose cards are known."""

    dealt: tuple[Hand | None, Hand | None, Hand | None, Hand | None]
    """By seat, all thirteen as dealt, whatever has been played since."""
    five: Hand | None
    """The hakem's first packet."""
    middle: Card | None = None
    """The partner's middle."""


NO_HANDS = Hands((None, None, None, None), None)
"""Nobody's cards are known."""


def hands_in(deck: Sequence[Card], hakem: Seat, packets: Packets) -> Hands:
    """All hands of a deal from its pack."""
    five = hand_of(packets_of(deck, hakem, packets)[0][hakem])
    return Hands(hands(deck, hakem, packets), five, middle(deck))


def hands_of(commit_set: bytes, numbers: tuple[bytes, ...], hakem: Seat, packets: Packets) -> Hands:
    """All hands of a deal from its five numbers."""
    return hands_in(deal(commit_set, numbers), hakem, packets)


class LaidCard(NamedTuple):
    """What opens the commitment of a card that is laid face down (H2)."""

    card: Card
    salt: bytes
    other_salts: frozenset[bytes] = frozenset()
    """Salts of earlier lays that are not public yet, as far as they are known."""


def may_play(round_: Round, hand: Hand) -> Hand:
    """The cards of a hand, as it was dealt, that its seat may play to the trick on the table (G7, G8)."""
    return legal_cards(hand & ~round_.played, round_.led)
