# SPDX-License-Identifier: Apache-2.0
"""The rules: each function against the words of its rule, in every case where the cases can be counted."""

from __future__ import annotations

import itertools
from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hokm import cards, rules
from hokm.cards import FULL, PACK, SUIT_MASKS, SUITS, Suit, parse_card, parse_cards, parse_hand
from hokm.errors import (
    AwayNotBelowHalfTurn,
    Malformed,
    NotAPack,
    NotAPreset,
    NotATarget,
    OutOfRange,
    ThrowingWhileSilent,
)
from hokm.rules import FirstHakem, HakemPasses, Packets, TableRules

seats = st.integers(0, 3)
suits = st.sampled_from(SUITS)
tricks_of_four = st.permutations(PACK).map(lambda pack: tuple(pack[:4]))
held = st.integers(1, FULL)
led = st.none() | suits


# G1.


@given(seats)
def test_four_steps_to_the_right_come_home(seat: int) -> None:
    """The right of the right is the partner, who plays for the same side; the left is one step back."""
    assert rules.right_of(rules.right_of(seat)) == rules.partner_of(seat)
    assert rules.left_of(rules.right_of(seat)) == seat
    assert rules.side_of(rules.partner_of(seat)) == rules.side_of(seat) != rules.side_of(rules.right_of(seat))
    assert rules.right_of(3) == 0
    assert [rules.side_name(rules.side_of(seat)) for seat in range(4)] == ["even", "odd", "even", "odd"]


# The table's rules.


def test_the_defaults_are_the_classic_game() -> None:
    """To 7 points, 30 seconds a turn, 10 without a sign of life, and every switch off."""
    assert TableRules() == rules.CLASSIC == rules.preset("classic")
    classic = TableRules()
    assert classic.first_hakem is FirstHakem.FIRST_ACE
    assert classic.packets is Packets.FIVE_FOUR_FOUR
    assert classic.hakem_passes is HakemPasses.WHEN_LOSING
    assert (classic.target, classic.turn_seconds, classic.away_seconds) == (7, 30, 10)
    switches = ("open_first_packet", "rated", "witnessed", "partners_middle", "coming_early", "runs", "tea")
    assert not any(getattr(classic, name) for name in (*switches, "throwing", "silent"))


def test_the_presets() -> None:
    """The house has H1 to H5, the tradition draws by the high card in silence (H6)."""
    house = TableRules(partners_middle=True, coming_early=True, runs=True, tea=True, throwing=True)
    assert rules.preset("house") == house
    assert rules.preset("traditional") == TableRules(first_hakem=FirstHakem.HIGH_CARD, silent=True)
    with pytest.raises(NotAPreset, match="'Classic' is not a preset"):
        rules.preset("Classic")


def test_the_options_have_their_values_on_the_wire() -> None:
    """0 is nobody's value: an option that was not sent is seen."""
    assert [int(option) for kind in (FirstHakem, Packets, HakemPasses) for option in kind] == [1, 2, 1, 2, 1, 2]


def test_table_rules_do_not_change() -> None:
    """They are signed before the first card."""
    with pytest.raises(FrozenInstanceError):
        TableRules().target = 5  # type: ignore[misc]


@pytest.mark.parametrize("target", [-7, 0, 1, 4, 6, 8, 9])
def test_a_game_goes_to_7_5_or_3(target: int) -> None:
    """G12."""
    with pytest.raises(NotATarget, match=f"not to {target}"):
        TableRules(target=target)
    assert [TableRules(target=target).target for target in (7, 5, 3)] == [7, 5, 3]


@pytest.mark.parametrize("turn_seconds", [-1, 0, 3601, 2**32])
def test_a_turn_has_a_second_to_an_hour(turn_seconds: int) -> None:
    """The bounds that this project sets."""
    with pytest.raises(OutOfRange, match="turn_seconds"):
        TableRules(turn_seconds=turn_seconds, away_seconds=0)
    assert [TableRules(turn_seconds=s, away_seconds=0).turn_seconds for s in (1, 3600)] == [1, 3600]


@pytest.mark.parametrize(("turn_seconds", "away_seconds"), [(20, 10), (30, 15), (30, 29), (2, 1), (1, 10)])
def test_away_is_less_than_half_a_turn(turn_seconds: int, away_seconds: int) -> None:
    """The error names both numbers, for a table may have got one of them by default."""
    with pytest.raises(AwayNotBelowHalfTurn) as refused:
        TableRules(turn_seconds=turn_seconds, away_seconds=away_seconds)
    assert refused.value.facts == {"away_seconds": str(away_seconds), "turn_seconds": str(turn_seconds)}
    assert refused.value.reason == "AWAY_NOT_BELOW_HALF_TURN"
    assert isinstance(refused.value, Malformed)


@pytest.mark.parametrize(("turn_seconds", "away_seconds"), [(21, 10), (30, 14), (3, 1), (1, 0), (30, 0)])
def test_away_is_off_or_short(turn_seconds: int, away_seconds: int) -> None:
    """0 is off, whatever a turn has."""
    assert TableRules(turn_seconds=turn_seconds, away_seconds=away_seconds).away_seconds == away_seconds


def test_a_short_turn_does_not_go_with_the_default_of_away() -> None:
    """And the sentence says how to help it."""
    with pytest.raises(AwayNotBelowHalfTurn, match=r"away_seconds, 10, .* turn_seconds, 5; 0 is off"):
        TableRules(turn_seconds=5)
    with pytest.raises(OutOfRange, match="away_seconds is -1"):
        TableRules(away_seconds=-1)


def test_nothing_is_thrown_at_a_silent_table() -> None:
    """H5 and H6 exclude each other, also where one comes later."""
    with pytest.raises(ThrowingWhileSilent):
        replace(rules.preset("house"), silent=True)


# G3.


def pack_from(text: str) -> tuple[int, ...]:
    """A pack that begins with these cards."""
    first = parse_cards(text)
    return first + tuple(card for card in PACK if card not in first)


FOURS_OF_ONE_RANK = tuple(cards.card(suit, rank) for rank in range(2, 15) for suit in range(4))
ACES_LAST = tuple(card for card in PACK if cards.rank_of(card) != cards.ACE) + parse_cards("AS AH AD AC")


@pytest.mark.parametrize("start", range(4))
def test_thirteen_ties_leave_the_start_seat_hakem(start: int) -> None:
    """Each four of one rank: the pack is used up, and whoever began has it."""
    hakem, turned = rules.first_hakem(FirstHakem.HIGH_CARD, FOURS_OF_ONE_RANK, start)
    assert hakem == start
    assert turned == tuple(((start + place) % 4, card) for place, card in enumerate(FOURS_OF_ONE_RANK))


@pytest.mark.parametrize("start", range(4))
@pytest.mark.parametrize("place", range(4))
def test_the_last_four_can_decide(start: int, place: int) -> None:
    """Twelve ties, the last of them three aces and a two; then three twos and the fourth ace."""
    pack = [*FOURS_OF_ONE_RANK[4:], *FOURS_OF_ONE_RANK[:4]]
    pack[47], pack[48 + place] = pack[48 + place], pack[47]
    hakem, turned = rules.first_hakem(FirstHakem.HIGH_CARD, pack, start)
    assert (hakem, len(turned)) == ((start + place) % 4, 52)


def test_a_tie_below_the_highest_is_none() -> None:
    """Only the highest rank counts, and a seat that was not in the tie may win the next four."""
    assert rules.first_hakem(FirstHakem.HIGH_CARD, pack_from("TS TH QD 4C"), 1)[0] == 3
    hakem, turned = rules.first_hakem(FirstHakem.HIGH_CARD, pack_from("KS 4H KD 9C 7S 8S QH 2D"), 0)
    assert (hakem, len(turned)) == (2, 8)
    hakem, turned = rules.first_hakem(FirstHakem.HIGH_CARD, pack_from("KS 4H KD 9C 7S QS QH AD"), 0)
    assert (hakem, len(turned)) == (3, 8)


@pytest.mark.parametrize("start", range(4))
@pytest.mark.parametrize("place", range(49))
def test_the_first_ace_is_wherever_it_lies(start: int, place: int) -> None:
    """At most 48 cards come before it."""
    pack = list(ACES_LAST)
    pack[place], pack[48] = pack[48], pack[place]
    hakem, turned = rules.first_hakem(FirstHakem.FIRST_ACE, pack, start)
    assert hakem == (start + place) % 4 == turned[-1][0]
    assert [card for _, card in turned] == pack[: place + 1]


@given(st.permutations(PACK), seats)
def test_the_first_hakem_has_the_first_ace(pack: list[int], start: int) -> None:
    """None was turned up before; the cards went to the right."""
    hakem, turned = rules.first_hakem(FirstHakem.FIRST_ACE, pack, start)
    assert [seat for seat, card in turned if cards.rank_of(card) == cards.ACE] == [hakem]
    assert [seat for seat, _ in turned] == [(start + place) % 4 for place in range(len(turned))]


@given(st.permutations(PACK), seats)
def test_the_first_hakem_has_the_high_card(pack: list[int], start: int) -> None:
    """Of the last four the hakem's is the highest alone, and in each four before it two or more were."""
    hakem, turned = rules.first_hakem(FirstHakem.HIGH_CARD, pack, start)
    for first in range(0, len(turned), 4):
        ranked = [(cards.rank_of(card), seat) for seat, card in turned[first : first + 4]]
        highest = [seat for rank, seat in ranked if rank == max(ranked)[0]]
        assert (highest == [hakem]) if first + 4 == len(turned) else len(highest) > 1


def test_part_of_a_pack_draws_nobody() -> None:
    """52 cards, each once."""
    with pytest.raises(NotAPack):
        rules.first_hakem(FirstHakem.FIRST_ACE, PACK[:51], 0)


# G7, G8.


@pytest.mark.parametrize("suit", SUITS)
def test_follow_suit_in_every_holding_of_the_suit_led(suit: Suit) -> None:
    """All 8,192 holdings of a suit, beside none, one of each or all of the other suits."""
    own = SUIT_MASKS[suit]
    others = FULL & ~own
    for rest in (0, others & cards.RANK_MASKS[2], others & cards.RANK_MASKS[14], others):
        for holding in range(1 << 13):
            of_suit = holding << 13 * suit
            assert rules.legal_cards(of_suit | rest, suit) == (of_suit or rest)


def test_follow_suit_in_every_pattern_of_suits_held() -> None:
    """Any of the sixteen sets of suits held, each suit led or none: follow if you can, else anything goes."""
    for pattern in itertools.product([False, True], repeat=4):
        hand = sum(SUIT_MASKS[suit] & 0x0155_4AA9_5552_AAA5 for suit in SUITS if pattern[suit])
        assert rules.legal_cards(hand, None) == hand
        for suit in SUITS:
            follows = {card for card in PACK if hand >> card & 1 and card // 13 == suit}
            legal = set(cards.cards_of(rules.legal_cards(hand, suit)))
            assert legal == (follows if pattern[suit] else set(cards.cards_of(hand)))


@given(held, led)
def test_there_is_always_a_legal_card(hand: int, led_suit: int | None) -> None:
    """Of the hand's own, and what is legal stays legal when nothing else is held."""
    legal = rules.legal_cards(hand, led_suit)
    assert legal
    assert legal & ~hand == 0
    assert rules.legal_cards(legal, led_suit) == legal


# G9.


def winner_by_the_words(trick: tuple[int, ...], trump: int) -> int:
    """The place of the highest trump, or with none in it of the highest card of the suit led."""
    trumps = [card for card in trick if card // 13 == trump]
    return trick.index(max(trumps or [card for card in trick if card // 13 == trick[0] // 13]))


def test_the_winner_of_every_trick_of_a_small_pack() -> None:
    """All 43,680 tricks of the 16 cards 2, 9, K, A, in every trump suit."""
    small = [card for card in PACK if cards.rank_of(card) in (2, 9, 13, 14)]
    for trick in itertools.permutations(small, 4):
        for trump in range(4):
            assert rules.trick_winner(trick, 0, trump) == winner_by_the_words(trick, trump)


def test_the_winner_between_any_two_cards() -> None:
    """All 2,652 pairs in every trump suit, from every seat: the trick as it lies after two cards."""
    for pair in itertools.permutations(PACK, 2):
        for trump, leader in itertools.product(range(4), repeat=2):
            assert rules.trick_winner(pair, leader, trump) == (leader + winner_by_the_words(pair, trump)) % 4


@given(tricks_of_four, seats, suits)
def test_who_leads_only_turns_the_table(trick: tuple[int, ...], leader: int, trump: int) -> None:
    """The same cards led from another seat are won by the seat as far to the right."""
    assert rules.trick_winner(trick, leader, trump) == (leader + rules.trick_winner(trick, 0, trump)) % 4


@given(tricks_of_four, suits, st.permutations(range(4)))
def test_suits_have_no_order(trick: tuple[int, ...], trump: int, names: list[int]) -> None:
    """Rename the suits, trumps with them, and the same seat wins."""
    renamed = tuple(13 * names[card // 13] + card % 13 for card in trick)
    assert rules.trick_winner(renamed, 0, names[trump]) == rules.trick_winner(trick, 0, trump)


@given(tricks_of_four, suits)
def test_the_losers_can_be_played_in_any_order(trick: tuple[int, ...], trump: int) -> None:
    """Behind the lead, order does not matter: the same card wins."""
    card = trick[rules.trick_winner(trick, 0, trump)]
    for rest in itertools.permutations(trick[1:]):
        again = (trick[0], *rest)
        assert again[rules.trick_winner(again, 0, trump)] == card


@given(tricks_of_four, suits)
def test_a_trick_as_it_lies_is_won_card_by_card(trick: tuple[int, ...], trump: int) -> None:
    """Each further card wins or leaves the winner as it was."""
    for count in range(1, 4):
        before, after = (rules.trick_winner(trick[:many], 0, trump) for many in (count, count + 1))
        assert after in (before, count)


# G10 to G13.


PLAYED_OUT = [(7, lost) for lost in range(7)] + [(lost, 7) for lost in range(7)]


@pytest.mark.parametrize("hakem", range(4))
@pytest.mark.parametrize("tricks", PLAYED_OUT)
def test_the_points_of_every_result(tricks: tuple[int, int], hakem: int) -> None:
    """1; for a kot 2; for a kot against the hakem 3."""
    winner = 0 if tricks[0] == 7 else 1
    kot = 0 in tricks
    assert rules.round_winner(tricks) == winner
    assert rules.points(hakem, tricks) == ((2 if hakem % 2 == winner else 3) if kot else 1)


@pytest.mark.parametrize("tricks", list(itertools.product(range(7), repeat=2)))
def test_a_round_without_seven_tricks_counts_nothing(tricks: tuple[int, int]) -> None:
    """It goes on, or it was not played out."""
    assert rules.round_winner(tricks) is None
    assert rules.points(0, tricks) == 0
    assert rules.score_after((3, 4), None, 0) == (3, 4)


@pytest.mark.parametrize("hakem", range(4))
@pytest.mark.parametrize("winner", range(2))
def test_the_next_hakem(hakem: int, winner: int) -> None:
    """A hakem who wins stays, unless every round passes; the next one sits on the right."""
    right = (hakem + 1) % 4
    assert rules.next_hakem(hakem, winner, HakemPasses.WHEN_LOSING) == (hakem if hakem % 2 == winner else right)
    assert rules.next_hakem(hakem, winner, HakemPasses.EVERY_ROUND) == right


def test_the_true_total_is_kept() -> None:
    """Six and three are nine."""
    assert rules.score_after((6, 6), 0, 3) == (9, 6)
    assert rules.score_after((6, 6), 1, 3) == (6, 9)
    assert rules.game_winner((9, 6), 7) == 0
    assert rules.game_winner((6, 9), 7) == 1


@pytest.mark.parametrize(("target", "fewest", "most"), [(7, 3, 13), (5, 2, 9), (3, 1, 5)])
def test_how_long_a_game_can_last(target: int, fewest: int, most: int) -> None:
    """A game to 7 takes 3 to 13 rounds: walked through every course of the score."""
    scores, rounds, ended = {(0, 0)}, 0, []
    while scores:
        rounds += 1
        scores = {rules.score_after(score, side, won) for score in scores for side in (0, 1) for won in (1, 2, 3)}
        over = {score for score in scores if rules.game_winner(score, target) is not None}
        assert all(min(score) < target <= max(score) for score in over)
        ended += [rounds] * bool(over)
        scores -= over
    assert (ended[0], ended[-1]) == (fewest, most)


# Deadlines.


@pytest.mark.parametrize(
    ("five", "trump"),
    [
        ("2S 3S 4S AH KH", "S"),
        ("2S 3S AH KH QD", "H"),
        ("TS 9S JH 8H AD", "S"),  # 19 and 19: the order
        ("AD 2D KC 3C AS", "D"),  # 16 and 16: the order
        ("AC AD AH AS 2C", "C"),
        ("2C 3C 4C 5C 6C", "C"),
        ("QD 2D JC 4C AH", "C"),  # 14 and 15
    ],
)
def test_the_trumps_that_the_house_names(five: str, trump: str) -> None:
    """The longest suit, then the higher sum, then spades, hearts, diamonds, clubs."""
    assert rules.timeout_trump(parse_hand(five)).letter == trump


@given(st.permutations(PACK))
def test_the_house_names_the_longest_suit(pack: list[int]) -> None:
    """Count, sum of ranks, order: recomputed from lists."""
    five = pack[:5]
    ranks = {suit: [card % 13 + 2 for card in five if card // 13 == suit] for suit in range(4)}
    best = min(range(4), key=lambda suit: (-len(ranks[suit]), -sum(ranks[suit]), suit))
    assert rules.timeout_trump(cards.hand_of(five)) == best


@pytest.mark.parametrize(
    ("hand", "led_suit", "trump", "card"),
    [
        ("AS 2S 3H", None, "S", "3H"),
        ("AS 2S 3S", None, "S", "2S"),
        ("5S 5H 5D 5C", None, "C", "5S"),
        ("5S 5H 5D 5C", None, "S", "5H"),
        ("AH KH 2C", "H", "C", "KH"),
        ("AH KH 2C", "H", "H", "KH"),
        ("AH 2S 3S", "D", "S", "AH"),
        ("4S 3S", "D", "S", "3S"),
        ("AC", "C", "C", "AC"),
    ],
)
def test_the_card_that_the_house_plays(hand: str, led_suit: str | None, trump: str, card: str) -> None:
    """The lowest that is legal and no trump, else the lowest trump."""
    suit = cards.parse_suit(led_suit) if led_suit else None
    assert rules.timeout_card(parse_hand(hand), suit, cards.parse_suit(trump)) == parse_card(card)


@given(held, led, suits)
def test_the_house_plays_a_legal_card(hand: int, led_suit: int | None, trump: int) -> None:
    """And the first of all legal ones by: no trump, rank, order of suits."""
    card = rules.timeout_card(hand, led_suit, trump)
    legal = list(cards.cards_of(rules.legal_cards(hand, led_suit)))
    assert card == min(legal, key=lambda c: (c // 13 == trump, c % 13, c // 13))


def test_the_policy_has_a_name() -> None:
    """It stands in the log, for a later policy will have another."""
    assert rules.TIMEOUT_POLICY == "timeout-1"
