# SPDX-License-Identifier: Apache-2.0
"""Thousands of deals and draws, counted: each card by seat and by position, each seat as hakem.

The numbers are fixed (hashes of a counter), so a run never fails by chance. The cube root of a chi-square is close to
normal (Wilson and Hilferty): what is counted lies within four standard deviations, on both sides, for a count that is
too even is as suspect as one that is not even enough.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import pairwise

import pytest

from hokm import cards, deal, rules
from hokm.cards import PACK
from hokm.rules import FirstHakem, Packets

MANY = 6000


def octets(word: str) -> bytes:
    """32 bytes that look like a number drawn at random, the same in every run."""
    return hashlib.sha256(word.encode()).digest()


@cache
def numbers() -> list[tuple[bytes, list[bytes]]]:
    """The sets of commitments and the five numbers of many ceremonies."""
    return [(octets(f"set {n}"), [octets(f"number {n} of {seat}") for seat in range(5)]) for n in range(MANY)]


@cache
def decks() -> list[tuple[int, ...]]:
    """As many deals."""
    return [deal.deal(commit_set, five) for commit_set, five in numbers()]


@cache
def draws() -> list[tuple[int, tuple[int, ...]]]:
    """As many draws."""
    return [deal.draw(commit_set, five) for commit_set, five in numbers()]


def deviations(counts: Iterable[int], expected: float, freedom: int, scale: float = 1.0) -> float:
    """How many standard deviations these counts lie from what is to be expected of them.

    `scale` makes up for counts that hang together, such as cards that are dealt without being put back.
    """
    chi_square = scale * sum((count - expected) ** 2 / expected for count in counts)
    spread = 2 / (9 * freedom)
    return (math.cbrt(chi_square / freedom) - (1 - spread)) / math.sqrt(spread)


def test_each_card_by_position() -> None:
    """52 cards at 52 places."""
    counts = Counter((place, card) for deck in decks() for place, card in enumerate(deck))
    table = [counts[place, card] for place in PACK for card in PACK]
    assert abs(deviations(table, MANY / 52, 51 * 51, 51 / 52)) < 4


@pytest.mark.parametrize("packets", Packets)
@pytest.mark.parametrize("hakem", range(4))
def test_each_card_by_seat(packets: Packets, hakem: int) -> None:
    """Whoever is hakem, and in whatever packets: no seat gets a card more often than another."""
    counts: Counter[tuple[int, int]] = Counter()
    for deck in decks():
        for seat, hand in enumerate(deal.hands(deck, hakem, packets)):
            counts.update((seat, card) for card in cards.cards_of(hand))
    table = [counts[seat, card] for seat in range(4) for card in PACK]
    assert abs(deviations(table, MANY / 4, 51 * 3, 51 / 52)) < 4


@pytest.mark.parametrize("hakem", range(4))
def test_each_card_in_the_first_five_of_the_hakem(hakem: int) -> None:
    """What the hakem sees before naming trumps favours no card, and so no suit."""
    counts = Counter(
        card for deck in decks() for card in deal.packets_of(deck, hakem, Packets.FIVE_FOUR_FOUR)[0][hakem]
    )
    assert abs(deviations((counts[card] for card in PACK), MANY * 5 / 52, 51, 51 / 47)) < 4


def test_neighbours_in_the_pack() -> None:
    """Of two cards that lie together, each pair comes as often: no order of the new pack is left."""
    counts = Counter(pair for deck in decks() for pair in pairwise(deck))
    table = [counts[one, other] for one in PACK for other in PACK if one != other]
    assert abs(deviations(table, MANY * 51 / (52 * 51), 52 * 51 - 1)) < 4


def test_each_start_seat() -> None:
    """A draw begins at each seat as often."""
    counts = Counter(start for start, _ in draws())
    assert abs(deviations((counts[seat] for seat in range(4)), MANY / 4, 3)) < 4


@pytest.mark.parametrize("how", FirstHakem)
def test_each_first_hakem(how: FirstHakem) -> None:
    """The drawn start seat makes good what the first position is worth (G3)."""
    counts = Counter(rules.first_hakem(how, deck, start)[0] for start, deck in draws())
    assert abs(deviations((counts[seat] for seat in range(4)), MANY / 4, 3)) < 4


def test_what_the_first_position_is_worth() -> None:
    """From a fixed start seat the first position would be hakem in 28.0 % of draws, the last in 22.1 % (G3)."""
    counts = Counter(rules.first_hakem(FirstHakem.FIRST_ACE, deck, 0)[0] for _, deck in draws())
    exact = [sum(math.comb(51 - place, 3) for place in range(seat, 49, 4)) / math.comb(52, 4) for seat in range(4)]
    assert (round(exact[0], 3), round(exact[3], 3)) == (0.280, 0.221)
    for seat in range(4):
        assert counts[seat] / MANY == pytest.approx(exact[seat], abs=4 * math.sqrt(0.25 * 0.75 / MANY))
