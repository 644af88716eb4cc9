# SPDX-License-Identifier: Apache-2.0
"""What a seat has before it when it is to decide: the table as everybody sees it, and its own cards. Nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from hokm.cards import Card, Hand
from hokm.events import Act
from hokm.rules import Seat
from hokm.table import Decision, Round, Table, may_play


@dataclass(frozen=True, slots=True)
class Question:
    """One seat's sight of a round in which it is to name trumps or to play a card."""

    table: Table
    seat: Seat
    dealt: Hand
    """The seat's cards as dealt, as far as it was sent them: five before trumps are named, else thirteen."""
    decision: Decision
    """What is to be decided, and until when."""

    @property
    def round(self) -> Round:
        """The round that is played."""
        assert isinstance(self.table.stage, Round)
        return self.table.stage

    @property
    def names_trumps(self) -> bool:
        """Trumps are to be named, with a `NameTrump`; else a card is to be played, with a `Play`."""
        return self.round.trump is None

    @property
    def hand(self) -> Hand:
        """The cards that are still held."""
        return self.dealt & ~self.round.played

    @property
    def legal(self) -> Hand:
        """The cards that may be played (G7, G8); none while trumps are to be named."""
        return 0 if self.names_trumps else may_play(self.round, self.dealt)


class ComeEarly(NamedTuple):
    """A card to be laid face down before its turn (H2): the salt, and what binds to it, are the seat's to make."""

    card: Card


Wish: TypeAlias = "Act | ComeEarly"
"""What a player wants done."""


class Standing(NamedTuple):
    """How things stand for one seat at any time, also while nothing is asked of it."""

    table: Table
    seat: Seat
    dealt: Hand
    """The seat's cards as dealt; none until it has been sent all of them."""
