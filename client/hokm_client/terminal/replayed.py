# SPDX-License-Identifier: Apache-2.0
"""A game seen again: every moment of a record's rounds as a frozen value, and the steps from one to another.

A round begins with the five cards that everybody holds when trumps are to be named; then trumps are named, the cards
come one by one, and it ends. All hands are open, where the record knows them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from hokm.cards import Card, Hand, hand_of, parse_cards, parse_suit
from hokm.record import By, GameRecord, RoundRecord, TrickRecord
from hokm.rules import BySide, Seat, score_after, side_of
from hokm_client.terminal.view import Trick

_FIRST_PACKET: Final = 5
"""Cards that the hakem has seen when trumps are named (G6)."""


@dataclass(frozen=True, slots=True)
class Position:
    """One moment of a round."""

    hands: tuple[Hand, ...] | None
    """What each seat still holds; None where the record does not know."""
    trump: int | None = None
    number: int = 0
    """Which trick is on the table, from 1."""
    trick: Trick | None = None
    came: tuple[By, ...] = ()
    """How each card of it came."""
    think_ms: tuple[int, ...] = ()
    taker: Seat | None = None
    """Who took it, once it is whole."""
    tricks: BySide = (0, 0)
    is_end: bool = False
    """The round is over, and its result is there."""


class Go(StrEnum):
    """Where to."""

    FORWARD = "forward"
    BACK = "back"
    NEXT_ROUND = "next round"
    ROUND_BEFORE = "round before"


@dataclass(frozen=True, slots=True)
class Replay:
    """A record, and the moment of it that is seen."""

    record: GameRecord
    moments: tuple[tuple[Position, ...], ...]
    """By round; no round is without one."""
    round: int = 0
    """Place in `moments`."""
    step: int = 0
    me: Seat | None = None
    """The seat of whoever looks on, if they played."""

    @property
    def position(self) -> Position:
        """What is seen."""
        return self.moments[self.round][self.step]

    @property
    def played(self) -> RoundRecord:
        """The round that it is of."""
        return self.record.rounds[self.round]

    @property
    def score_before(self) -> BySide | None:
        """The score when the round began, where the record tells."""
        played = self.played
        if played.round == 1:
            return 0, 0
        if self.round and (score := self.record.rounds[self.round - 1].score) is not None:
            return score
        if played.score is None or played.winner is None:
            return None
        return score_after(played.score, played.winner, -played.points)

    def gone(self, where: Go) -> Replay:
        """One step that way; the same where there is none."""
        last = len(self.moments[self.round]) - 1
        match where:
            case Go.FORWARD if self.step < last:
                return replace(self, step=self.step + 1)
            case Go.BACK if self.step:
                return replace(self, step=self.step - 1)
            case Go.ROUND_BEFORE if self.step:
                return replace(self, step=0)
            case Go.FORWARD | Go.NEXT_ROUND if self.round + 1 < len(self.moments):
                return replace(self, round=self.round + 1, step=0)
            case Go.BACK if self.round:
                return replace(self, round=self.round - 1, step=len(self.moments[self.round - 1]) - 1)
            case Go.ROUND_BEFORE if self.round:
                return replace(self, round=self.round - 1)
            case _:
                return self


def replayed(record: GameRecord, key: bytes | None = None) -> Replay | None:
    """The record from its first moment, as whoever has that key sees it; None where no round was dealt."""
    if not record.rounds:
        return None
    me = next((seat for seat, place in enumerate(record.seats) if key is not None and place.key == key.hex()), None)
    return Replay(record, tuple(tuple(positions(round_)) for round_ in record.rounds), me=me)


def positions(round_: RoundRecord) -> Iterator[Position]:
    """Every moment of a round, from the first packet to the result."""
    dealt = None if round_.hands is None else tuple(parse_cards(hand) for hand in round_.hands)
    yield Position(None if dealt is None else tuple(hand_of(cards[:_FIRST_PACKET]) for cards in dealt))
    now = Position(None if dealt is None else tuple(map(hand_of, dealt)))
    if round_.trump is not None:
        now = replace(now, trump=parse_suit(round_.trump))
        yield now
    for number, trick in enumerate(round_.tricks, 1):
        played = _of_trick(replace(now, number=number, taker=None), trick)
        yield from played
        now = played[-1]
    yield replace(now, tricks=round_.won, is_end=True)


def _of_trick(before: Position, trick: TrickRecord) -> list[Position]:
    """One for each card of it."""
    cards = parse_cards(trick.cards)
    hands = before.hands
    played = []
    for count, card in enumerate(cards, 1):
        hands = _without(hands, trick.leader + count - 1 & 3, card)
        taker = trick.winner if count == len(cards) else None
        played.append(
            replace(
                before,
                hands=hands,
                trick=Trick(trick.leader, cards[:count]),
                came=trick.by[:count],
                think_ms=trick.think_ms[:count],
                taker=taker,
                tricks=_with(before.tricks, taker),
            )
        )
    return played


def _without(hands: tuple[Hand, ...] | None, seat: Seat, card: Card) -> tuple[Hand, ...] | None:
    if hands is None:
        return None
    return tuple(hand & ~(1 << card) if seat == holder else hand for holder, hand in enumerate(hands))


def _with(tricks: BySide, taker: Seat | None) -> BySide:
    even, odd = tricks
    return tricks if taker is None else (even + (side_of(taker) == 0), odd + (side_of(taker) == 1))
