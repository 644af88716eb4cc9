# SPDX-License-Identifier: Apache-2.0
"""A bot keeps to what good players say, plays by its own cards alone, and wins by it."""

from __future__ import annotations

import random

import pytest

from hokm.cards import PACK, card_text, hand_of, parse_cards, parse_hand, suit_text
from hokm.deal import Purpose, hands, packets_of
from hokm.events import NameTrump, Play
from hokm.rules import CLASSIC, Packets, points, round_winner, trick_winner
from hokm.table import Between, Ceremony, Decision, House, Round, Table, Trick
from hokm_client.bot import Strategy, best_trump, random_legal, sensible, voids
from hokm_client.question import Question

NOW = Decision(0, 0, 30_000)
CEREMONY = Ceremony(b"", Purpose.DEAL, (), b"", (None,) * 4, None, (True,) * 4, (None,) * 4)
TABLE = Table(
    House("example", b""),
    *(bytes(16), CLASSIC, b"", b"", 9, 0, b"", (), (0, 0), (0, 0), 0, 1, 0, frozenset()),
    Between(None, Purpose.DEAL, 1, 0),
)


def sight(
    hand: str,
    trick: str = "",
    *,
    trump: str = "S",
    seat: int = 0,
    leader: int | None = None,
    gone: str = "",
    tricks: tuple[int, int] = (0, 0),
    history: tuple[Trick, ...] = (),
    dealt: str = "",
) -> Question:
    """What a seat sees that holds these cards; `gone` have been played before, besides those in `history`."""
    cards = parse_cards(trick)
    first = (seat - len(cards)) % 4 if leader is None else leader
    before = parse_hand(gone) | hand_of(card for old in history for card in old.cards) | parse_hand(dealt)
    round_ = Round(CEREMONY, 0, "SHDC".index(trump), first, cards, hand_of(cards) | before, tricks, history, NOW)
    return Question(TABLE._replace(stage=round_), seat, parse_hand(hand) | parse_hand(dealt), NOW)


def plays(question: Question, seed: int = 1) -> str:
    """The card that a bot plays."""
    act = sensible(question, random.Random(seed))
    assert isinstance(act, Play)
    assert question.legal >> act.card & 1
    return card_text(act.card)


def old(leader: int, cards: str, trump: str = "S") -> Trick:
    """A trick that is over."""
    four = parse_cards(cards)
    return Trick(leader, four, trick_winner(four, leader, "SHDC".index(trump)))


# Trumps.


@pytest.mark.parametrize(
    ("five", "suit"),
    [
        ("2H 3H 4H AS KS", "H"),  # the longest
        ("2H 3H AS KS 9D", "S"),  # of equals the one with honours
        ("2H 9H 2D 8D 3C", "H"),  # then the higher cards
        ("AH 2D 3D QS JS", "S"),
    ],
)
def test_it_names_its_longest_suit(five: str, suit: str) -> None:
    """An ace and a king in it better still."""
    assert suit_text(best_trump(parse_hand(five), random.Random(1))) == suit


# Leading.


def test_it_draws_trumps_with_five_or_more() -> None:
    """From the top, as long as opponents may have some."""
    assert plays(sight("AS KS 7S 4S 2S AH 9D 8D 3C")) == "AS"


def test_it_stops_drawing_when_no_opponent_has_trumps() -> None:
    """Then the long side suit is safe."""
    history = (old(0, "AS 2H 3S 3H"), old(0, "KS 4H 5S 5H"))
    question = sight("8S 7S 6S AD KD QD", history=history, gone="QS JS TS 9S 4S 2S", tricks=(2, 0))
    assert plays(question)[1] == "D"


def test_it_leads_side_aces_early() -> None:
    """Before somebody is void."""
    assert plays(sight("9S 4S AH 7H 9D 8D 3C 2C")) == "AH"


def test_it_does_not_lead_an_ace_into_a_cut() -> None:
    """An opponent who has shown void in the suit, and may have trumps, would cut it."""
    history = (old(2, "KH 2D 4H 5H"),)
    assert plays(sight("9S 4S AH 7H 9D 8D KC 2C", history=history, tricks=(1, 0))) != "AH"


def test_it_leads_what_the_partner_cuts() -> None:
    """A suit in which only the partner is void."""
    history = (old(1, "KH 2D 4H 5H"),)
    card = plays(sight("JH 7H 9D 8D TC 2C", seat=0, history=history, tricks=(1, 0)))
    assert card == "7H"


# Following.


def test_second_hand_plays_low() -> None:
    """Without a card that is sure to stand."""
    assert plays(sight("KH 9H 3H 2D", "8H", seat=1)) == "3H"


def test_second_hand_takes_with_the_ace() -> None:
    """Nothing stands above it."""
    assert plays(sight("AH 9H 3H 2D", "8H", seat=1)) == "AH"


def test_third_hand_plays_high() -> None:
    """As high as it takes, and of equal cards the lowest."""
    assert plays(sight("QH JH 3H 2D", "5H 8H", seat=2)) == "JH"


def test_third_hand_leaves_the_partners_sure_card_alone() -> None:
    """The ace needs no help."""
    assert plays(sight("KH QH 3H 2D", "AH 8H", seat=2)) == "3H"


def test_fourth_hand_wins_as_cheaply_as_it_can() -> None:
    """The lowest card that takes the trick."""
    assert plays(sight("AH TH 3H 2D", "9H 5H 8H", seat=3)) == "TH"


def test_fourth_hand_throws_low_when_the_partner_has_it() -> None:
    """No card is spent on one's own trick."""
    assert plays(sight("AH TH 3H 2D", "5H KH 8H", seat=3)) == "3H"


def test_it_does_not_cut_the_partners_sure_winner() -> None:
    """The smallest card goes, and no trump."""
    assert plays(sight("9S 4S 3D 9C", "AH 8H", seat=2)) in ("3D", "9C")
    assert plays(sight("9S 4S 3D 9C", "5H KH 8H", seat=3)) in ("3D", "9C")


def test_it_cuts_with_the_lowest_trump() -> None:
    """When an opponent has the trick."""
    assert plays(sight("9S 4S 3D 9C", "AH 8H 2H", seat=3)) == "4S"


def test_it_overtrumps_as_cheaply_as_it_can() -> None:
    """The lowest trump above the one that lies."""
    assert plays(sight("KS 9S 4S 3D", "AH 2H 7S", seat=3)) == "9S"


def test_it_keeps_its_trumps_when_it_cannot_overtrump() -> None:
    """A trump that does not win is wasted."""
    assert plays(sight("5S 4S 3D 9C", "AH 2H 7S", seat=3)) in ("3D", "9C")


def test_with_six_tricks_against_it_second_hand_tries() -> None:
    """Every trick is match point."""
    assert plays(sight("KH 9H 3H 2D", "8H", seat=1, tricks=(6, 3))) == "KH"


def test_void_is_what_was_not_followed() -> None:
    """By seat, from tricks that are over and the one that lies."""
    round_ = sight("2H", "AD 3C", seat=2, history=(old(1, "KH 2D 4H 5H"),)).round
    assert voids(round_) == (0, 1 << 2, 1 << 1, 0)


# The whole.


def test_it_is_a_function_of_what_it_sees_and_of_chance() -> None:
    """The same question and the same chance give the same card."""
    question = sight("9S 4S AH 7H 9D 8D 3C 2C")
    assert {plays(question, seed=4) for _ in range(20)} == {plays(question, seed=4)}


def play_round(strategies: list[Strategy], chance: random.Random) -> tuple[int, int]:
    """One deal: the side that won, and its points."""
    deck = list(PACK)
    chance.shuffle(deck)
    hakem = chance.randrange(4)
    held = hands(deck, hakem, Packets.FIVE_FOUR_FOUR)
    five = hand_of(packets_of(deck, hakem, Packets.FIVE_FOUR_FOUR)[0][hakem])
    round_ = Round(CEREMONY, hakem, None, hakem, (), 0, (0, 0), (), NOW)
    named = strategies[hakem](Question(TABLE._replace(stage=round_), hakem, five, NOW), chance)
    assert isinstance(named, NameTrump)
    round_ = round_._replace(trump=named.suit)
    while round_winner(round_.tricks) is None:
        seat = round_.turn
        question = Question(TABLE._replace(stage=round_), seat, held[seat], NOW)
        act = strategies[seat](question, chance)
        assert isinstance(act, Play)
        assert question.legal >> act.card & 1
        round_ = after(round_, act.card)
    winner = round_winner(round_.tricks)
    assert winner is not None
    return winner, points(hakem, round_.tricks)


def after(round_: Round, card: int) -> Round:
    """The round after a card."""
    assert round_.trump is not None
    trick, played = (*round_.trick, card), round_.played | 1 << card
    if len(trick) < 4:
        return round_._replace(trick=trick, played=played)
    winner = trick_winner(trick, round_.leader, round_.trump)
    even, odd = round_.tricks
    tricks = (even, odd + 1) if winner & 1 else (even + 1, odd)
    history = (*round_.history, Trick(round_.leader, trick, winner))
    return round_._replace(leader=winner, trick=(), played=played, tricks=tricks, history=history)


def test_it_beats_random_legal_play_clearly() -> None:
    """Of 600 deals, 300 from each side of the table, by far the most are won, and every card played is legal."""
    chance = random.Random(2026)
    won = 0
    for place in range(600):
        side = place & 1
        strategies: list[Strategy] = [sensible if seat & 1 == side else random_legal for seat in range(4)]
        won += play_round(strategies, chance)[0] == side
    assert won > 480
