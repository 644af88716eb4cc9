# SPDX-License-Identifier: Apache-2.0
"""The rules of Hokm for one card, one trick, one round and one game, as pure functions of plain numbers.

Seats are 0 to 3; seat s + 1 (mod 4) sits on the right of s, deal and play go to the right, and s and s + 2 are
partners (G1). A side is a seat's last bit: 0 for the even seats, 1 for the odd ones; a pair of numbers "by
side" is (even, odd). Cards and hands are the numbers and masks of `cards`.

Nothing here remembers anything: whose turn it is, and what has been played, is the table's. What comes in is
the program's own and is trusted, with one exception: a `TableRules` that the rules forbid cannot be made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, TypeAlias, assert_never

from hokm.cards import (
    ACE,
    FULL,
    KING,
    QUEEN,
    RANK_MASKS,
    RANKS,
    SUIT_MASKS,
    SUITS,
    Card,
    Hand,
    Suit,
    check_pack,
    rank_of,
)
from hokm.errors import AwayNotBelowHalfTurn, NotAPreset, NotATarget, OutOfRange, ThrowingWhileSilent

Seat: TypeAlias = int
"""0 to 3."""

Side: TypeAlias = int
"""0 for seats 0 and 2, 1 for seats 1 and 3."""

Turned: TypeAlias = tuple[tuple[Seat, Card], ...]
"""Cards turned up one by one, each with the seat that it fell to."""

BySide: TypeAlias = tuple[int, int]
"""Two numbers: the even side's, the odd side's."""

SEATS: Final = range(4)
TRICKS_TO_WIN: Final = 7
"""The first side with so many tricks has the round (G10)."""

TARGETS: Final = (7, 5, 3)
"""The points to which a game may go (G12)."""

MOST_TURN_SECONDS: Final = 3600
MISSES_TO_BE_ABSENT: Final = 2
"""Deadlines missed in a row that make a seat absent."""

TIMEOUT_POLICY: Final = "timeout-1"
"""The name of the policy of `timeout_trump` and `timeout_card`."""

MOST_LAYS: Final = 3
"""Cards that a seat may lay face down in one trick, those that it takes back among them (H2)."""
TRICKS_BETWEEN_LAYS: Final = 4
"""A seat whose face-down card turned over in trick t may lay again from trick t + 4 on (H2)."""

TEA_ANSWER_MS: Final = 20_000
"""How long the others may say no to tea; silence is yes (H4)."""
TEA_MS: Final = 180_000
"""The longest tea (H4)."""


# The table's rules: options fixed and signed before the first card. The enums' values are those on the wire.


class FirstHakem(IntEnum):
    """How the first hakem is drawn (G3)."""

    FIRST_ACE = 1
    HIGH_CARD = 2


class Packets(IntEnum):
    """In what packets the cards are dealt (G4)."""

    FIVE_FOUR_FOUR = 1
    FIVE_FIVE_THREE = 2

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The cards a seat gets in each packet."""
        return (5, 4, 4) if self is Packets.FIVE_FOUR_FOUR else (5, 5, 3)


class HakemPasses(IntEnum):
    """When the seat on the hakem's right becomes hakem (G13)."""

    WHEN_LOSING = 1
    EVERY_ROUND = 2


@dataclass(frozen=True, slots=True)
class TableRules:
    """The options of one table. The defaults are the classic game: to 7, and no house rule is on.

    Raises at construction: `NotATarget` unless target is 7, 5 or 3; `OutOfRange` unless turn_seconds is 1 to
    3600; `AwayNotBelowHalfTurn` unless away_seconds is 0 (off) or less than half of turn_seconds, so that a
    table with turn_seconds of 20 or fewer must say what away_seconds is; `ThrowingWhileSilent` for H5 with
    H6.
    """

    first_hakem: FirstHakem = FirstHakem.FIRST_ACE
    packets: Packets = Packets.FIVE_FOUR_FOUR
    open_first_packet: bool = False
    """G6: each seat gets its own first packet at once, not only the hakem."""
    hakem_passes: HakemPasses = HakemPasses.WHEN_LOSING
    target: int = 7
    turn_seconds: int = 30
    away_seconds: int = 10
    rated: bool = False
    witnessed: bool = False
    """Nobody reveals a number before witnesses have seen the commit set in the log."""
    partners_middle: bool = False
    """H1."""
    coming_early: bool = False
    """H2."""
    runs: bool = False
    """H3."""
    tea: bool = False
    """H4."""
    throwing: bool = False
    """H5."""
    silent: bool = False
    """H6."""

    def __post_init__(self) -> None:
        self.check()

    def check(self) -> None:
        """Raise where these options cannot stand together: see the class. A TableRules that exists has passed it."""
        if self.target not in TARGETS:
            raise NotATarget(self.target)
        if not 1 <= self.turn_seconds <= MOST_TURN_SECONDS:
            raise OutOfRange("turn_seconds", self.turn_seconds, 1, MOST_TURN_SECONDS)
        if self.away_seconds < 0:
            raise OutOfRange("away_seconds", self.away_seconds, 0, (self.turn_seconds - 1) // 2)
        if self.away_seconds and 2 * self.away_seconds >= self.turn_seconds:
            raise AwayNotBelowHalfTurn(self.away_seconds, self.turn_seconds)
        if self.throwing and self.silent:
            raise ThrowingWhileSilent


CLASSIC: Final = TableRules()
"""No house rules."""

HOUSE: Final = TableRules(partners_middle=True, coming_early=True, runs=True, tea=True, throwing=True)
"""H1 to H5 on."""

TRADITIONAL: Final = TableRules(first_hakem=FirstHakem.HIGH_CARD, silent=True)
"""HIGH_CARD, and H6."""

PRESETS: Final = {"classic": CLASSIC, "house": HOUSE, "traditional": TRADITIONAL}


def preset(name: str) -> TableRules:
    """The preset of that name: classic, house or traditional. Raises `NotAPreset`."""
    if name not in PRESETS:
        raise NotAPreset(name)
    return PRESETS[name]


# Seats (G1).


def right_of(seat: Seat) -> Seat:
    """Who plays after that seat."""
    return seat + 1 & 3


def left_of(seat: Seat) -> Seat:
    """Who plays before that seat. The hakem's left is the dealer (G5)."""
    return seat - 1 & 3


def partner_of(seat: Seat) -> Seat:
    """Who sits opposite."""
    return seat ^ 2


def side_of(seat: Seat) -> Side:
    """The side for which that seat plays."""
    return seat & 1


def side_name(side: Side) -> str:
    """``even`` or ``odd``."""
    return "odd" if side else "even"


# The first hakem (G3).


def first_hakem(how: FirstHakem, pack: Sequence[Card], start: Seat) -> tuple[Seat, Turned]:
    """The hakem that a pack gives, and the cards turned up for it in order, the deciding card included.

    `pack` is all 52 in the order in which they are turned up, the first to the seat `start`. FIRST_ACE: one
    at a time to the right, until an ace. HIGH_CARD: four at a time, one for each seat, until one rank of a
    four stands above the other three; all four seats compete each time, and if thirteen fours tie, `start` is
    hakem. Raises `NotAPack`.
    """
    pack = check_pack(pack)
    match how:
        case FirstHakem.FIRST_ACE:
            hakem, count = _first_ace(pack, start)
        case FirstHakem.HIGH_CARD:
            hakem, count = _high_card(pack, start)
        case _:
            assert_never(how)
    return hakem, tuple((start + place & 3, card) for place, card in enumerate(pack[:count]))


def _first_ace(pack: Sequence[Card], start: Seat) -> tuple[Seat, int]:
    place = next(place for place, card in enumerate(pack) if rank_of(card) == ACE)
    return start + place & 3, place + 1


def _high_card(pack: Sequence[Card], start: Seat) -> tuple[Seat, int]:
    for place in range(0, 52, 4):
        ranks = [rank_of(card) for card in pack[place : place + 4]]
        highest = max(ranks)
        if ranks.count(highest) == 1:
            return start + ranks.index(highest) & 3, place + 4
    return start, 52


# One trick (G7, G8, G9).


def legal_cards(hand: Hand, led_suit: int | None) -> Hand:
    """The cards of a hand that may be played: of the suit led if it has one, else any (G8).

    `led_suit` is None on lead: any card (G7).
    """
    if led_suit is None:
        return hand
    return hand & SUIT_MASKS[led_suit] or hand


def _powers(trump: int, led: int) -> tuple[int, ...]:
    """By card, in a trick to which that suit was led: 0 where it cannot win, else its rank, as a trump 13 more."""
    power = [0] * 52
    power[13 * led : 13 * led + 13] = RANKS
    power[13 * trump : 13 * trump + 13] = [rank + 13 for rank in RANKS]
    return tuple(power)


_POWERS: Final = tuple(tuple(_powers(trump, led) for led in SUITS) for trump in SUITS)


def trick_winner(cards: Sequence[Card], leader: Seat, trump: int) -> Seat:
    """The seat that takes the trick: the highest trump, else the highest card of the suit led (G9).

    `cards` are those on the table in the order played, the leader's first. With fewer than four it is the seat
    that would take the trick as it lies.
    """
    powers = _POWERS[trump][cards[0] // 13]
    best = 0
    winner = seat = leader
    for card in cards:
        if powers[card] > best:
            best = powers[card]
            winner = seat
        seat += 1
    return winner & 3


# Several cards on lead (H3).


def is_run(cards: Sequence[Card], trump: int, played: Hand) -> bool:
    """Whether these cards, in this order, may be led at once; that the leader holds them is not asked here.

    Ace, king and queen of one suit that is not trumps, exactly these; or two or more trumps that are the top of those
    not in `played`, without a gap and the highest first. Whoever else holds a card has no part in it, so the answer
    tells nothing about another hand.
    """
    suit = cards[0] // 13
    if suit != trump:
        return tuple(cards) == tuple(13 * suit + rank - 2 for rank in (ACE, KING, QUEEN))
    unplayed = (card for card in range(13 * suit + 12, 13 * suit - 1, -1) if not played >> card & 1)
    return len(cards) > 1 and all(card == next(unplayed, None) for card in cards)


def runs_of(hand: Hand, trump: int, played: Hand) -> list[tuple[Card, ...]]:
    """The runs that may be led with these cards still in the hand: of trumps the longest first, then plain ones."""
    runs = []
    for suit in (trump, *(suit for suit in SUITS if suit != trump)):
        held = tuple(card for card in range(13 * suit + 12, 13 * suit - 1, -1) if hand >> card & 1)
        lengths = range(len(held), 1, -1) if suit == trump else (3,)
        runs += [held[:length] for length in lengths if held and is_run(held[:length], trump, played)]
    return runs


# One round and one game (G10 to G13).


def round_winner(tricks: BySide) -> Side | None:
    """The side with seven tricks, None while neither has them (G10)."""
    even, odd = tricks
    if even >= TRICKS_TO_WIN:
        return 0
    return 1 if odd >= TRICKS_TO_WIN else None


def points(hakem: Seat, tricks: BySide) -> int:
    """The points of the side that won: 1, for a kot 2, for a kot against the hakem's side 3 (G11).

    0 where no side has seven tricks: a round that was not played out counts nothing.
    """
    winner = round_winner(tricks)
    if winner is None:
        return 0
    if tricks[1 - winner]:
        return 1
    return 2 if winner == side_of(hakem) else 3


def score_after(score: BySide, winner: Side | None, won: int) -> BySide:
    """The true total, never cut to the target (G11)."""
    even, odd = score
    match winner:
        case None:
            return score
        case 0:
            return even + won, odd
        case _:
            return even, odd + won


def game_winner(score: BySide, target: int) -> Side | None:
    """The side with at least `target` points, None while the game goes on (G12)."""
    even, odd = score
    if even >= target:
        return 0
    return 1 if odd >= target else None


def next_hakem(hakem: Seat, winner: Side, passes: HakemPasses) -> Seat:
    """The hakem of the round after one that the side `winner` won (G13).

    After the last round of a game there is none (G12): do not ask.
    """
    if passes is HakemPasses.WHEN_LOSING and winner == side_of(hakem):
        return hakem
    return right_of(hakem)


# Deadlines: what the house does by the policy timeout-1.


def timeout_trump(five: Hand) -> Suit:
    """The suit that the house names for a hakem who missed the deadline, seeing the same five cards.

    That of which the five hold most; a tie goes to the higher sum of ranks (jack 11 … ace 14), then to ♠ ♥ ♦ ♣.
    """
    assert 0 < five <= FULL

    def strength(suit: Suit) -> tuple[int, int]:
        held = five & SUIT_MASKS[suit]
        return held.bit_count(), sum(rank * (held & RANK_MASKS[rank]).bit_count() for rank in RANKS)

    return max(SUITS, key=strength)  # the first of equals


def timeout_card(hand: Hand, led_suit: int | None, trump: int) -> Card:
    """The card that the house plays for a seat that missed the deadline.

    The lowest-ranking legal card that is no trump, else the lowest legal trump; equal ranks go by ♠ ♥ ♦ ♣.
    """
    assert 0 < hand <= FULL
    legal = legal_cards(hand, led_suit)
    choice = legal & ~SUIT_MASKS[trump] or legal
    lowest = next(held for rank in RANKS if (held := choice & RANK_MASKS[rank]))
    return (lowest & -lowest).bit_length() - 1
