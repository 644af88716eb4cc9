# SPDX-License-Identifier: Apache-2.0
"""Cards: every notation is read back as it was written, and nothing else is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hokm import cards
from hokm.cards import FULL, PACK, RANK_MASKS, RANKS, SUIT_MASKS, SUITS, Suit
from hokm.errors import CardTwice, NotACard, NotAPack, NotASuit, OutOfRange

hands = st.integers(0, FULL)


def test_a_card_is_thirteen_times_its_suit_and_its_rank_less_two() -> None:
    """The numbers that every commitment is made over: ♠2 0, ♠A 12, ♥10 21, ♣A 51."""
    assert [cards.card(*parts) for parts in ((0, 2), (0, 14), (1, 10), (3, 14))] == [0, 12, 21, 51]
    assert [cards.card(suit, rank) for suit in range(4) for rank in range(2, 15)] == list(range(52))


@pytest.mark.parametrize("number", PACK)
def test_every_notation_of_every_card_goes_both_ways(number: int) -> None:
    """Parts, letters, symbols and Persian, for all 52."""
    assert cards.card(cards.suit_of(number), cards.rank_of(number)) == number
    assert cards.parse_card(cards.card_text(number)) == number
    assert cards.parse_card_symbol(cards.card_symbol(number)) == number
    assert cards.parse_card_persian(cards.card_persian(number)) == number
    assert cards.check_card(number) == number


def test_no_two_cards_are_written_alike() -> None:
    """52 cards, 52 words, in each notation."""
    for write in (cards.card_text, cards.card_symbol, cards.card_persian):
        assert len({write(number) for number in PACK}) == 52


@pytest.mark.parametrize(
    ("number", "text", "symbol", "persian"),
    [
        (12, "AS", "A♠", "آس پیک"),
        (24, "KH", "K♥", "شاه دل"),
        (36, "QD", "Q♦", "بی\u200cبی خشت"),
        (48, "JC", "J♣", "سرباز گشنیز"),
        (21, "TH", "10♥", "ده دل"),
        (0, "2S", "2♠", "دو پیک"),
    ],
)
def test_cards_are_written_as_people_write_them(number: int, text: str, symbol: str, persian: str) -> None:
    """The ten is T in letters and 10 in symbols; Persian says the rank first."""
    assert (cards.card_text(number), cards.card_symbol(number), cards.card_persian(number)) == (text, symbol, persian)


def test_clubs_have_two_persian_names() -> None:
    """Geshniz is written, khaj is read too."""
    assert cards.parse_suit_persian("خاج") is Suit.CLUBS
    assert cards.parse_card_persian("آس خاج") == 51


@pytest.mark.parametrize("suit", SUITS)
def test_suits_go_both_ways(suit: Suit) -> None:
    """Letters, symbols, Persian names."""
    assert cards.parse_suit(cards.suit_text(suit)) is suit
    assert cards.parse_suit(suit.letter) is suit
    assert cards.parse_suit_symbol(suit.symbol) is suit
    assert cards.parse_suit_persian(suit.persian) is suit
    assert cards.suit_persian(suit) == suit.persian


@pytest.mark.parametrize("text", ["", "A", "S", "AS ", " AS", "as", "aS", "10H", "1S", "0S", "A♠", "ASS", "SA", "ＡS"])
def test_other_words_are_no_card(text: str) -> None:
    """The reader of letters is not kind: one card, one word."""
    with pytest.raises(NotACard) as refused:
        cards.parse_card(text)
    assert refused.value.facts == {"text": text}


@pytest.mark.parametrize("text", ["", "A", "♠", "AS", "T♥", "1♥", "a♠", "♠A", "A♠ ", "A♤", "A♠\ufe0f"])
def test_other_words_are_no_card_in_symbols(text: str) -> None:
    """The ten is 10, the symbols are the filled ones, and nothing follows them."""
    with pytest.raises(NotACard):
        cards.parse_card_symbol(text)


@pytest.mark.parametrize("text", ["", "آس", "پیک آس", "آس  پیک", "آس پیک ", "یک پیک"])
def test_other_words_are_no_card_in_persian(text: str) -> None:
    """Rank, one space, suit."""
    with pytest.raises(NotACard):
        cards.parse_card_persian(text)


@pytest.mark.parametrize("text", ["", "s", "SS", "♠", "X"])
def test_other_words_are_no_suit(text: str) -> None:
    """S, H, D and C alone."""
    with pytest.raises(NotASuit):
        cards.parse_suit(text)


@given(hands)
def test_a_hand_goes_both_ways(hand: int) -> None:
    """A mask, the numbers in it, its letters and its symbols."""
    assert cards.hand_of(cards.cards_of(hand)) == hand
    assert cards.parse_hand(cards.hand_text(hand)) == hand
    assert cards.parse_hand_symbols(cards.hand_symbols(hand)) == hand


@given(hands)
def test_the_cards_of_a_hand_come_by_number(hand: int) -> None:
    """Each that is held, once, ascending."""
    assert list(cards.cards_of(hand)) == [number for number in PACK if hand >> number & 1]


@given(st.lists(st.sampled_from(PACK), unique=True))
def test_cards_in_a_text_keep_their_order(numbers: list[int]) -> None:
    """The order of a deal is written and read as it is."""
    assert list(cards.parse_cards(cards.cards_text(numbers))) == numbers


def test_a_hand_is_written_as_it_is_held() -> None:
    """Spades first, and from the ace down."""
    hand = cards.parse_hand("2H AS TC KS TH")
    assert cards.hand_text(hand) == "AS KS TH 2H TC"
    assert cards.hand_symbols(hand) == "A♠ K♠ 10♥ 2♥ 10♣"
    assert cards.hand_text(0) == cards.hand_symbols(0) == ""


@pytest.mark.parametrize("text", [" ", "AS  KS", " AS", "AS ", "AS,KS", "AS\tKS", "AS\n"])
def test_other_texts_are_no_hand(text: str) -> None:
    """One space between, none around."""
    with pytest.raises(NotACard):
        cards.parse_hand(text)


def test_a_card_twice_is_no_hand() -> None:
    """Whether written or given by number."""
    with pytest.raises(CardTwice, match="AS"):
        cards.parse_hand("AS KS AS")
    with pytest.raises(CardTwice, match="AS"):
        cards.parse_cards("AS AS")
    with pytest.raises(CardTwice, match="2S"):
        cards.hand_of([0, 0])


@pytest.mark.parametrize("number", [-1, 52, 2**40])
def test_other_numbers_are_no_card(number: int) -> None:
    """0 to 51."""
    with pytest.raises(OutOfRange, match=r"card is .*: it must be 0 to 51"):
        cards.check_card(number)
    with pytest.raises(OutOfRange):
        cards.hand_of([number])


@pytest.mark.parametrize(("suit", "rank"), [(-1, 2), (4, 2), (0, 1), (0, 15)])
def test_other_parts_are_no_card(suit: int, rank: int) -> None:
    """Suits 0 to 3, ranks 2 to 14: an ace is 14, never 1."""
    with pytest.raises(OutOfRange):
        cards.card(suit, rank)


@pytest.mark.parametrize(
    ("pack", "facts"),
    [
        (PACK[:51], {"count": "51", "distinct": "51"}),
        ((*PACK[:51], 0), {"count": "52", "distinct": "51"}),
        ((*PACK, 0), {"count": "53", "distinct": "52"}),
        ((*PACK[:51], 52), {"count": "52", "distinct": "51"}),
    ],
)
def test_a_pack_is_all_52(pack: tuple[int, ...], facts: dict[str, str]) -> None:
    """None missing, none twice, none from another pack."""
    with pytest.raises(NotAPack) as refused:
        cards.check_pack(pack)
    assert refused.value.facts == facts
    assert cards.check_pack(reversed(PACK)) == PACK[::-1]


def test_masks_of_suits_and_ranks_hold_their_cards() -> None:
    """Each of the four suits and thirteen ranks is a part of the pack, and together they are all of it."""
    for suit in SUITS:
        assert {cards.suit_of(number) for number in cards.cards_of(SUIT_MASKS[suit])} == {suit}
    for rank in RANKS:
        assert {cards.rank_of(number) for number in cards.cards_of(RANK_MASKS[rank])} == {rank}
    assert sum(SUIT_MASKS) == sum(RANK_MASKS) == FULL
    assert len(RANK_MASKS) == 15


def test_persian_digits() -> None:
    """Scores are written ۷ and ۱۳."""
    assert cards.persian_digits(1234567890) == "۱۲۳۴۵۶۷۸۹۰"
    assert int(cards.persian_digits(13)) == 13
    assert cards.rank_persian(12) == "بی\u200cبی"
