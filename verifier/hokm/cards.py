# SPDX-License-Identifier: Apache-2.0
"""Cards are plain numbers, and this is how they are counted, written and named.

A card is a number 0 to 51: 13 · suit + (rank − 2), with the suits ♠ 0, ♥ 1, ♦ 2, ♣ 3 and the ranks 2 to 14
(jack 11, queen 12, king 13, ace 14; G2). So ♠2 is 0, ♠A is 12 and ♣A is 51. A hand is a number too: bit c is
set while card c is held, so that taking a suit out of a hand is one `&`.

Every notation goes both ways, and each reader accepts exactly what its writer writes:

    12   AS   A♠   آس پیک         letters in logs and files, symbols on a screen, names in Persian
    21   TH   10♥  ده دل

What is not a card, suit or hand is `Malformed`. Suits and ranks that go in as numbers are the program's own and
are trusted; `card` and `check_card` are for numbers that came from elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import Final, TypeAlias

from hokm.errors import CardTwice, NotACard, NotAPack, NotASuit, OutOfRange

Card: TypeAlias = int
"""0 to 51."""

Hand: TypeAlias = int
"""A mask of 52 bits."""


class Suit(IntEnum):
    """The four suits, in the order that decides ties (♠ ♥ ♦ ♣)."""

    SPADES = 0
    HEARTS = 1
    DIAMONDS = 2
    CLUBS = 3

    @property
    def letter(self) -> str:
        """S, H, D or C."""
        return _SUIT_LETTERS[self]

    @property
    def symbol(self) -> str:
        """♠, ♥, ♦ or ♣."""
        return _SUIT_SYMBOLS[self]

    @property
    def persian(self) -> str:
        """پیک, دل, خشت or گشنیز."""
        return _SUITS_PERSIAN[self]


JACK: Final = 11
QUEEN: Final = 12
KING: Final = 13
ACE: Final = 14

PACK: Final[tuple[Card, ...]] = tuple(range(52))
FULL: Final[Hand] = (1 << 52) - 1
"""The hand that holds all 52."""

SUITS: Final[tuple[Suit, ...]] = tuple(Suit)
RANKS: Final = range(2, 15)
SUIT_MASKS: Final[tuple[Hand, ...]] = tuple(0x1FFF << 13 * suit for suit in SUITS)
"""By suit: the thirteen cards of it."""
RANK_MASKS: Final[tuple[Hand, ...]] = (0, 0, *(0x0008004002001 << rank - 2 for rank in RANKS))
"""By rank, 2 to 14: the four cards of it."""

KHAJ: Final = "خاج"
"""The other Persian name of clubs."""

_SUIT_LETTERS: Final = "SHDC"
_SUIT_SYMBOLS: Final = "♠♥♦♣"
_RANK_LETTERS: Final = "23456789TJQKA"
_RANK_SYMBOLS: Final[tuple[str, ...]] = (*"23456789", "10", *"JQKA")
_SUITS_PERSIAN: Final = ("پیک", "دل", "خشت", "گشنیز")
_RANKS_PERSIAN: Final[tuple[str, ...]] = (
    *("دو", "سه", "چهار", "پنج", "شش", "هفت", "هشت", "نه", "ده"),
    *("سرباز", "بی‌بی", "شاه", "آس"),
)
_TO_PERSIAN_DIGITS: Final = {ord("0") + digit: 0x06F0 + digit for digit in range(10)}

_TEXTS: Final = tuple(rank + suit for suit in _SUIT_LETTERS for rank in _RANK_LETTERS)
_SYMBOLS: Final = tuple(rank + suit for suit in _SUIT_SYMBOLS for rank in _RANK_SYMBOLS)
_CARD_OF_TEXT: Final = {text: number for number, text in enumerate(_TEXTS)}
_CARD_OF_SYMBOL: Final = {text: number for number, text in enumerate(_SYMBOLS)}
_PACK_SET: Final = frozenset(PACK)
_SUIT_OF_CARD: Final = tuple(suit for suit in SUITS for _ in RANKS)


# A card and its parts.


def card(suit: int, rank: int) -> Card:
    """The card of a suit, 0 to 3, and a rank, 2 to 14. Raises `OutOfRange`."""
    if not 0 <= suit <= 3:
        raise OutOfRange("suit", suit, 0, 3)
    if not 2 <= rank <= ACE:
        raise OutOfRange("rank", rank, 2, ACE)
    return 13 * suit + rank - 2


def check_card(number: int) -> Card:
    """The same number, if it is a card. Raises `OutOfRange`."""
    if not 0 <= number <= 51:
        raise OutOfRange("card", number, 0, 51)
    return number


def suit_of(card: Card) -> Suit:
    """♠A is of `Suit.SPADES`."""
    return _SUIT_OF_CARD[card]


def rank_of(card: Card) -> int:
    """2 to 14; the ace is 14."""
    return card % 13 + 2


# A hand and its cards.


def hand_of(cards: Iterable[Card]) -> Hand:
    """The hand of these cards. Raises `OutOfRange` for what is no card, `CardTwice` for one met again."""
    hand = 0
    for number in cards:
        bit = 1 << check_card(number)
        if hand & bit:
            raise CardTwice(_TEXTS[number])
        hand |= bit
    return hand


def cards_of(hand: Hand) -> Iterator[Card]:
    """The cards of a hand, by ascending number: ♠2 first, ♣A last."""
    while hand:
        lowest = hand & -hand
        yield lowest.bit_length() - 1
        hand ^= lowest


def check_pack(cards: Iterable[Card]) -> tuple[Card, ...]:
    """The same cards, if they are all 52, each once, in whatever order. Raises `NotAPack`."""
    pack = tuple(cards)
    distinct = len(_PACK_SET.intersection(pack))
    if len(pack) != 52 or distinct != 52:
        raise NotAPack(len(pack), distinct)
    return pack


# Letters: AS, TH, 2C. The notation of the log and of files.


def card_text(card: Card) -> str:
    """``AS``, ``TH``, ``2C``."""
    return _TEXTS[card]


def parse_card(text: str) -> Card:
    """The inverse of `card_text`: two capitals or digits, no space around them. Raises `NotACard`."""
    number = _CARD_OF_TEXT.get(text)
    if number is None:
        raise NotACard(text)
    return number


def cards_text(cards: Iterable[Card]) -> str:
    """Cards in the order given, one space between: ``AS KS 2H``."""
    return " ".join(_TEXTS[number] for number in cards)


def parse_cards(text: str) -> tuple[Card, ...]:
    """The inverse of `cards_text`; the empty text is no card. Raises `NotACard`, `CardTwice`."""
    cards = tuple(parse_card(word) for word in text.split(" ")) if text else ()
    hand_of(cards)
    return cards


def hand_text(hand: Hand) -> str:
    """A hand as it is held: ♠ ♥ ♦ ♣, each from the ace down: ``AS KS 2H``."""
    return cards_text(_as_held(hand))


def parse_hand(text: str) -> Hand:
    """The hand of such a text, its cards in any order. Raises `NotACard`, `CardTwice`."""
    return hand_of(parse_cards(text))


def suit_text(suit: int) -> str:
    """S, H, D or C."""
    return _SUIT_LETTERS[suit]


def parse_suit(text: str) -> Suit:
    """The inverse of `suit_text`. Raises `NotASuit`."""
    return _parse_suit(text, _SUIT_LETTERS)


# Symbols: A♠, 10♥, 2♣. The notation of a screen.


def card_symbol(card: Card) -> str:
    """``A♠``, ``10♥``, ``2♣``."""
    return _SYMBOLS[card]


def parse_card_symbol(text: str) -> Card:
    """The inverse of `card_symbol`. Raises `NotACard`."""
    number = _CARD_OF_SYMBOL.get(text)
    if number is None:
        raise NotACard(text)
    return number


def hand_symbols(hand: Hand) -> str:
    """A hand as it is held: ♠ ♥ ♦ ♣, each from the ace down: ``A♠ K♠ 2♥``."""
    return " ".join(_SYMBOLS[number] for number in _as_held(hand))


def parse_hand_symbols(text: str) -> Hand:
    """The hand of such a text, its cards in any order. Raises `NotACard`, `CardTwice`."""
    return hand_of(parse_card_symbol(word) for word in text.split(" ")) if text else 0


def parse_suit_symbol(text: str) -> Suit:
    """♠, ♥, ♦ or ♣. Raises `NotASuit`."""
    return _parse_suit(text, _SUIT_SYMBOLS)


# Persian.


def suit_persian(suit: int) -> str:
    """پیک, دل, خشت or گشنیز (clubs are also `KHAJ`, خاج)."""
    return _SUITS_PERSIAN[suit]


def rank_persian(rank: int) -> str:
    """دو to ده, سرباز, بی‌بی, شاه, آس."""
    return _RANKS_PERSIAN[rank - 2]


def card_persian(card: Card) -> str:
    """Rank, then suit: آس پیک."""
    return f"{_RANKS_PERSIAN[card % 13]} {_SUITS_PERSIAN[card // 13]}"


def parse_suit_persian(text: str) -> Suit:
    """The inverse of `suit_persian`; خاج is clubs too. Raises `NotASuit`."""
    if text == KHAJ:
        return Suit.CLUBS
    return _parse_suit(text, _SUITS_PERSIAN)


def parse_card_persian(text: str) -> Card:
    """The inverse of `card_persian`; خاج is clubs too. Raises `NotACard`."""
    rank, _, suit = text.partition(" ")
    if rank not in _RANKS_PERSIAN or suit not in (*_SUITS_PERSIAN, KHAJ):
        raise NotACard(text)
    return card(parse_suit_persian(suit), _RANKS_PERSIAN.index(rank) + 2)


def persian_digits(number: int) -> str:
    """A number in Persian digits: ۷, ۱۳. (`int` reads them.)"""
    return f"{number}".translate(_TO_PERSIAN_DIGITS)


def _as_held(hand: Hand) -> list[Card]:
    return sorted(cards_of(hand), key=lambda number: (number // 13, -number))


def _parse_suit(text: str, names: Iterable[str]) -> Suit:
    for suit, name in zip(SUITS, names, strict=True):
        if text == name:
            return suit
    raise NotASuit(text)
