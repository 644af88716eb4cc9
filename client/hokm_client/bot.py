# SPDX-License-Identifier: Apache-2.0
"""How a bot decides: what good players say that one should do, as rules of thumb over what its seat may see.

    trumps     the longest suit; among equals the one with ace and king
    lead       with five trumps or more draw trumps, while opponents can have some; then sure winners, of suits that no
               opponent cuts; a suit that the partner cuts; else low, from a short suit, so that it is soon void
    second     low, unless the card is sure to stand or every trick counts
    third      high, as cheaply as it serves; low where the partner's card stands by itself
    fourth     the cheapest card that wins; low where the partner has the trick
    middle     no suit of three: the partner's middle is called (H1)
    runs       trumps are drawn from the top with all that can be led together, and so are ace, king and queen (H3)
    void       cut with the lowest trump that wins; never the partner's sure winner: then the smallest card goes
    six to six each trick is match point: with six tricks against one, whatever can win is tried

A strategy is a pure function of a `Question` and a source of chance, which only breaks ties: the same question and the
same chance give the same card.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import Final, TypeAlias

from hokm.cards import FULL, JACK, KING, SUIT_MASKS, SUITS, Card, Hand, cards_of, rank_of
from hokm.events import CallMiddle, NameTrump, Play, Run
from hokm.rules import TRICKS_TO_WIN, Seat, partner_of, right_of, runs_of, side_of, trick_winner
from hokm.table import Round
from hokm_client.question import Question

Decided: TypeAlias = NameTrump | CallMiddle | Play | Run
Strategy: TypeAlias = Callable[[Question, Random], Decided]

TRUMPS_TO_DRAW: Final = 5
"""So many trumps as dealt, and the others' are drawn first."""
LONG: Final = 3
"""Fewer of the best suit among the first five, and the partner's middle is the better guess."""


def random_legal(question: Question, chance: Random) -> Decided:
    """Any legal act. Not for players: for measuring the others."""
    if question.names_trumps:
        calls = question.table.rules.partners_middle and chance.random() < 1 / 5
        return CallMiddle() if calls else NameTrump(chance.randrange(4))
    runs = _runs(question)
    if runs and chance.random() < 1 / 2:
        return Run(chance.choice(runs))
    return Play(chance.choice(list(cards_of(question.legal))))


def sensible(question: Question, chance: Random) -> Decided:
    """What this module's docstring says."""
    if question.names_trumps:
        suit = best_trump(question.dealt, chance)
        is_long = (question.dealt & SUIT_MASKS[suit]).bit_count() >= LONG
        return CallMiddle() if question.table.rules.partners_middle and not is_long else NameTrump(suit)
    legal = question.legal
    if not legal & legal - 1:
        return Play(legal.bit_length() - 1)
    sight = Sight(question)
    card = sight.lead(chance) if not sight.trick else sight.follow(chance)
    run = next((run for run in _runs(question) if run[0] == card), None)
    return Play(card) if run is None else Run(run)


def _runs(question: Question) -> list[tuple[Card, ...]]:
    """What may be led at once, the longest first."""
    round_ = question.round
    if not question.table.rules.runs or round_.trick or round_.trump is None:
        return []
    return runs_of(question.hand, round_.trump, round_.played)


STRATEGIES: Final[dict[str, Strategy]] = {"sensible": sensible, "random": random_legal}


def best_trump(five: Hand, chance: Random) -> int:
    """The longest suit; among equals the one with more of ace and king, then with the higher cards."""

    def worth(suit: int) -> tuple[int, int, int, float]:
        held = list(cards_of(five & SUIT_MASKS[suit]))
        ranks = [rank_of(card) for card in held]
        return len(held), sum(rank >= KING for rank in ranks), sum(ranks), chance.random()

    return int(max(SUITS, key=worth))


class Sight:
    """What one seat can tell from what everybody has seen and from its own cards."""

    __slots__ = ("_voids", "hand", "legal", "me", "partner", "round", "trick", "trump", "trump_mask", "unseen")

    def __init__(self, question: Question) -> None:
        round_ = question.round
        assert round_.trump is not None
        self.round: Round = round_
        self.me = question.seat
        self.partner = partner_of(question.seat)
        self.hand = question.hand
        self.legal = question.legal
        self.trick = round_.trick
        self.trump = round_.trump
        self.trump_mask = SUIT_MASKS[self.trump]
        self.unseen: Hand = FULL & ~(round_.played | question.dealt)
        """Cards in the other three hands."""
        self._voids = voids(round_)

    # What is known.

    @property
    def opponents(self) -> tuple[Seat, Seat]:
        """The two other side's seats."""
        return right_of(self.me), right_of(self.partner)

    def may_hold(self, seat: Seat, suit: int) -> bool:
        """Whether that seat can have a card of the suit."""
        return not self._voids[seat] >> suit & 1 and bool(self.unseen & SUIT_MASKS[suit])

    def stands(self, card: Card) -> bool:
        """No higher card of its suit is in another hand."""
        suit_mask = SUIT_MASKS[card // 13]
        return not self.unseen & suit_mask & ~((2 << card) - 1)

    def cuts(self, seat: Seat, suit: int) -> bool:
        """That seat has shown void in the suit, and may have a trump."""
        return suit != self.trump and bool(self._voids[seat] >> suit & 1) and self.may_hold(seat, self.trump)

    @property
    def trumps_out(self) -> bool:
        """An opponent may still have a trump."""
        return any(self.may_hold(seat, self.trump) for seat in self.opponents)

    @property
    def is_urgent(self) -> bool:
        """The other side needs one trick more."""
        return self.round.tricks[1 - side_of(self.me)] == TRICKS_TO_WIN - 1

    def winner(self) -> tuple[Seat, Card]:
        """Who has the trick as it lies, and with which card."""
        seat = trick_winner(self.trick, self.round.leader, self.trump)
        return seat, self.trick[seat - self.round.leader & 3]

    def winning(self) -> list[Card]:
        """The legal cards that would have the trick now, lowest first; side suits before trumps."""
        led = self.trick[0] // 13
        _, best = self.winner()
        floor = ~((2 << best) - 1)
        if best // 13 == self.trump:
            return list(cards_of(self.legal & self.trump_mask & floor))
        same = self.legal & SUIT_MASKS[led] & floor
        return [*cards_of(same), *(cards_of(self.legal & self.trump_mask) if led != self.trump else ())]

    # Leading.

    def lead(self, chance: Random) -> Card:
        """The card to lead."""
        trumps = self.hand & self.trump_mask
        sides = [suit for suit in SUITS if suit != self.trump and self.hand & SUIT_MASKS[suit]]
        if self._draws_trumps(trumps):
            highest = trumps.bit_length() - 1
            return highest if self.stands(highest) or rank_of(highest) >= JACK else lowest_of(trumps)
        sure = [
            card
            for suit in sides
            if self.stands(card := (self.hand & SUIT_MASKS[suit]).bit_length() - 1)
            and not any(self.cuts(seat, suit) for seat in self.opponents)
        ]
        if sure:
            return min(sure, key=lambda card: (self._length(card // 13), -rank_of(card), chance.random()))
        if trumps and self.stands(highest := trumps.bit_length() - 1) and (self.is_urgent or not sides):
            return highest
        safe = [suit for suit in sides if not any(self.cuts(seat, suit) for seat in self.opponents)]
        for suit in safe:
            if self.cuts(self.partner, suit):
                return lowest_of(self.hand & SUIT_MASKS[suit])
        if safe or sides:
            suit = min(safe or sides, key=lambda suit: (self._lead_worth(suit), chance.random()))
            return lowest_of(self.hand & SUIT_MASKS[suit])
        return lowest_of(trumps)

    def _draws_trumps(self, trumps: Hand) -> bool:
        """It was dealt many trumps, has some left, and opponents may have some."""
        mine = (
            sum((trick.cards[self.me - trick.leader & 3]) // 13 == self.trump for trick in self.round.history)
            + trumps.bit_count()
        )
        return bool(trumps) and mine >= TRUMPS_TO_DRAW and self.trumps_out

    def _length(self, suit: int) -> int:
        return (self.hand & SUIT_MASKS[suit]).bit_count()

    def _lead_worth(self, suit: int) -> tuple[int, int]:
        """Less is better: short suits with nothing to lose in them."""
        held = self.hand & SUIT_MASKS[suit]
        return self._length(suit), rank_of(held.bit_length() - 1)

    # Following.

    def follow(self, chance: Random) -> Card:
        """The card to play to the trick on the table."""
        seat, best = self.winner()
        winning = self.winning()
        last = len(self.trick) == 3
        if seat == self.partner and (last or self._is_safe(best)):
            return self._throw(chance)
        if not winning:
            return self._throw(chance)
        if last:
            return winning[0]
        if winning[0] // 13 == self.trump != self.trick[0] // 13:
            return self._cut(winning)
        if len(self.trick) == 1:
            return self._second(winning, chance)
        return self._third(winning, best, seat, chance)

    def _is_safe(self, best: Card) -> bool:
        """The partner's card, with one opponent to come, cannot be beaten as far as is known."""
        to_come = right_of(self.me)
        suit = best // 13
        if self.cuts(to_come, self.trick[0] // 13) and suit != self.trump:
            return False
        return self.stands(best) or not self.may_hold(to_come, suit)

    def _cut(self, winning: list[Card]) -> Card:
        """The lowest trump that wins; a higher one where the next opponent may overtrump."""
        to_come = right_of(self.me)
        if self.cuts(to_come, self.trick[0] // 13):
            sure = [card for card in winning if self.stands(card)]
            return sure[0] if sure else winning[0]
        return winning[0]

    def _second(self, winning: list[Card], chance: Random) -> Card:
        led = self.trick[0] // 13
        top = winning[-1]
        if self.stands(top) and not self.cuts(right_of(self.me), led):
            return lowest_equal(top, winning, self.unseen)
        return lowest_equal(top, winning, self.unseen) if self.is_urgent else self._throw(chance)

    def _third(self, winning: list[Card], best: Card, seat: Seat, chance: Random) -> Card:
        top = winning[-1]
        if seat == self.partner and not self.unseen & between(best, top):
            return self._throw(chance)  # as good as the partner's own card
        return lowest_equal(top, winning, self.unseen)

    def _throw(self, chance: Random) -> Card:
        """The card that is missed least: low, of a short suit, no trump and no sure winner."""
        legal = self.legal
        if legal & legal - 1 == 0 or legal & SUIT_MASKS[self.trick[0] // 13]:
            return lowest_of(legal)
        sides = legal & ~self.trump_mask or legal
        has_trumps = bool(self.hand & self.trump_mask)

        def miss(card: Card) -> tuple[bool, int, float]:
            length = self._length(card // 13)
            short = 3 * (length - 1) if has_trumps else 0
            return self.stands(card), rank_of(card) + short, chance.random()

        return min(cards_of(sides), key=miss)


# What the table shows.


def voids(round_: Round) -> tuple[int, int, int, int]:
    """By seat, a mask of the suits in which it has shown void by not following."""
    found = [0, 0, 0, 0]
    for leader, cards in (*((trick.leader, trick.cards) for trick in round_.history), (round_.leader, round_.trick)):
        for place, card in enumerate(cards):
            if card // 13 != cards[0] // 13:
                found[leader + place & 3] |= 1 << cards[0] // 13
    return found[0], found[1], found[2], found[3]


def lowest_of(hand: Hand) -> Card:
    """The card of the lowest rank; equal ranks by ♠ ♥ ♦ ♣."""
    return min(cards_of(hand), key=rank_of)


def between(low: Card, high: Card) -> Hand:
    """The cards of one suit between two of it."""
    return (1 << high) - 1 & ~((2 << low) - 1) if low // 13 == high // 13 else 0


def lowest_equal(top: Card, cards: Iterable[Card], unseen: Hand) -> Card:
    """The lowest of these cards that is as good as the top one: nobody else has a card between."""
    equal = [card for card in cards if card // 13 == top // 13 and card <= top and not unseen & between(card, top)]
    return min(equal)
