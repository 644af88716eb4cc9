# SPDX-License-Identifier: Apache-2.0
"""All ways to play an endgame, counted twice: by the rules, and by an enumerator here that shares nothing with them.

The counts in the table are those of the enumerator here, so that a change is seen even where both would change. Where
every seat holds one suit only, all orders are legal and the count is (n!)^4.
"""

from __future__ import annotations

import math
from collections import Counter

import pytest

from hokm import cards, rules

# Four hands by seat, who leads, trumps, and how many ways there are to play all the cards.
ENDGAMES = [
    (("AS", "KS", "QS", "JS"), 0, "S", 1),
    (("AS 2H", "KS 3H", "QS 4H", "JS 5H"), 0, "C", 2),
    (("AS 2H", "KS QS", "3H 4H", "JS TS"), 1, "H", 8),
    (("AS KS QS", "AH KH QH", "AD KD QD", "AC KC QC"), 0, "S", 1296),
    (("AS KS QS", "JS TS 9S", "8S 7S 6S", "5S 4S 3S"), 2, "H", 1296),
    (("AS KH 2D", "KS 2H 3C", "QS 3H TD", "JS 4D 9C"), 3, "D", 54),
    (("AS QS 2H", "KS JS 3H", "4H TS 9D", "8D 7D 2C"), 0, "H", 112),
    (("AS KS 2H 3D", "QS JH TH 9D", "TS 9S AD KD", "2C 3C 4H 5D"), 1, "C", 7552),
    (("2S 7H TD KC", "3S 8H JD AC", "4S 9H QD 2C", "5S TH KD 3C"), 2, "D", 24),
    (("2S 7H TD KC", "3S 8H 9H AC", "4S 5S QD JD", "5H TH KD 3C"), 3, "H", 3160),
]

Card = tuple[str, int]
Hands = tuple[frozenset[Card], ...]


def counted_by_the_rules(hands: tuple[int, ...], leader: int, trump: int) -> Counter[tuple[int, int]]:
    """How many ways lead to each (even, odd) count of tricks."""
    ways: Counter[tuple[int, int]] = Counter()

    def play(hands: tuple[int, ...], leader: int, trick: tuple[int, ...], tricks: tuple[int, int]) -> None:
        if len(trick) == 4:
            leader = rules.trick_winner(trick, leader, trump)
            even, odd = tricks
            tricks = (even, odd + 1) if rules.side_of(leader) else (even + 1, odd)
            trick = ()
        seat = (leader + len(trick)) % 4
        if not hands[seat]:
            ways[tricks] += 1
            return
        for card in cards.cards_of(rules.legal_cards(hands[seat], trick[0] // 13 if trick else None)):
            rest = tuple(hand & ~(1 << card) for hand in hands)
            play(rest, leader, (*trick, card), tricks)

    play(hands, leader, (), (0, 0))
    return ways


def counted_by_the_words(hands: Hands, leader: int, trump: str) -> Counter[tuple[int, int]]:
    """The same with sets of (suit, rank) and a trick at a time."""
    if not hands[leader]:
        return Counter([(0, 0)])
    ways: Counter[tuple[int, int]] = Counter()
    right, across, left = ((leader + step) % 4 for step in (1, 2, 3))
    for lead in hands[leader]:
        for second in follow(hands[right], lead):
            for third in follow(hands[across], lead):
                for fourth in follow(hands[left], lead):
                    trick = {lead: leader, second: right, third: across, fourth: left}
                    wins = [card for card in trick if card[0] == trump] or [c for c in trick if c[0] == lead[0]]
                    winner = trick[max(wins, key=lambda card: card[1])]
                    rest = tuple(hand - trick.keys() for hand in hands)
                    for (even, odd), count in counted_by_the_words(rest, winner, trump).items():
                        ways[even + (winner in (0, 2)), odd + (winner in (1, 3))] += count
    return ways


def follow(hand: frozenset[Card], lead: Card) -> list[Card]:
    """The suit led if the hand has it, else all of it."""
    return [card for card in hand if card[0] == lead[0]] or list(hand)


def as_words(hand: str) -> frozenset[Card]:
    """A hand for the second enumerator, read without `cards`."""
    return frozenset((word[1], "23456789TJQKA".index(word[0])) for word in hand.split())


@pytest.mark.parametrize(("hands", "leader", "trump", "count"), ENDGAMES)
def test_all_ways_to_play_an_endgame(hands: tuple[str, ...], leader: int, trump: str, count: int) -> None:
    """Both enumerators find as many ways to each result, and the table's number in all."""
    by_words = counted_by_the_words(tuple(as_words(hand) for hand in hands), leader, trump)
    by_rules = counted_by_the_rules(tuple(cards.parse_hand(hand) for hand in hands), leader, cards.parse_suit(trump))
    assert by_rules == by_words
    assert by_rules.total() == count


@pytest.mark.parametrize("size", range(1, 5))
def test_one_suit_each_can_be_played_in_any_order(size: int) -> None:
    """(n!)^4 ways, and the leader, holding trumps, takes every trick."""
    hands = tuple(((1 << size) - 1) << 13 * suit for suit in range(4))
    ways = counted_by_the_rules(hands, 0, 0)
    assert ways == {(size, 0): math.factorial(size) ** 4}
