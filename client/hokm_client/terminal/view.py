# SPDX-License-Identifier: Apache-2.0
"""What a screen shows, as one frozen value: the table from one seat, and nothing that the seat may not see.

Seats are absolute, 0 to 3, as everywhere; `place` turns one into where it sits as seen from another (G1).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final, TypeAlias

from hokm.cards import Card, Hand, cards_of, suit_of
from hokm.rules import CLASSIC, BySide, Seat, Side, TableRules, right_of, runs_of, side_of, trick_winner


class Place(IntEnum):
    """Where a seat is, seen from mine. Play goes from each to the next."""

    ME = 0
    RIGHT = 1
    PARTNER = 2
    LEFT = 3


def place(seat: Seat, me: Seat) -> Place:
    """Where `seat` sits as seen from the seat `me`: seat me + 1 is on the right (G1)."""
    return Place(seat - me & 3)


class Sitter(StrEnum):
    """Who holds a seat."""

    FREE = "free"
    PERSON = "person"
    BOT = "bot"
    STAND_IN = "stand-in"


class Phase(StrEnum):
    """What the table is doing."""

    SEATING = "seating"
    CEREMONY = "ceremony"
    TRUMPS = "trumps"
    TRICKS = "tricks"
    ROUND_OVER = "round over"
    GAME_OVER = "game over"


class Step(StrEnum):
    """What a ceremony waits for."""

    COMMIT = "commit"
    WITNESS = "witness"
    REVEAL = "reveal"
    DEAL = "deal"


class Ending(StrEnum):
    """Why a game is over. The first four are the causes of GameEnded, the last is a ServerFault."""

    TARGET = "target"
    FORFEIT = "forfeit"
    RESIGNED = "resigned"
    ABANDONED = "abandoned"
    FAULT = "fault"


class Deal(StrEnum):
    """What this client knows of the deal, by its own checks."""

    NONE = "none"
    UNCHECKED = "unchecked"
    BOUND = "bound"
    """Fixed by numbers that all had committed to, mine among them; what it was is shown when the round ends."""
    PROVED = "proved"
    """The numbers are public and give exactly these hands."""
    WRONG = "wrong"


class TeaStep(StrEnum):
    """How far a tea is (H4)."""

    ASKED = "asked"
    """The others may say no."""
    GRANTED = "granted"
    """It is drunk as soon as no trick is on the table and no ceremony runs."""
    DRUNK = "drunk"
    """The game pauses."""


class Connection(StrEnum):
    """Whether the server hears us."""

    UP = "up"
    CONNECTING = "connecting"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Seated:
    """One seat: who holds it, the name that this client has for them (may be empty), and whether the player is away.

    An absent player's seat is played by a stand-in: `sitter` is then STAND_IN and `absent` true.
    """

    sitter: Sitter = Sitter.FREE
    name: str = ""
    absent: bool = False


@dataclass(frozen=True, slots=True)
class Trick:
    """Cards on the table in the order played, the first by `leader`. At most four."""

    leader: Seat
    cards: tuple[Card, ...] = ()

    def card_of(self, seat: Seat) -> Card | None:
        """What that seat has played to it."""
        turn = seat - self.leader & 3
        return self.cards[turn] if turn < len(self.cards) else None

    def plays(self) -> tuple[tuple[Seat, Card], ...]:
        """Each card with its seat, in the order played."""
        return tuple((self.leader + turn & 3, card) for turn, card in enumerate(self.cards))

    def winner(self, trump: int) -> Seat:
        """The seat that takes it as it lies (G9). At least one card is there."""
        return trick_winner(self.cards, self.leader, trump)


@dataclass(frozen=True, slots=True)
class Tea:
    """A tea that is asked for, granted or drunk (H4)."""

    asker: Seat
    step: TeaStep
    agreed: tuple[Seat, ...] = ()
    """Who has said yes; while tea is drunk, who is ready."""
    awaited: tuple[Seat, ...] = ()
    """Who may still say yes or no; while tea is drunk, who is not ready."""
    seconds_left: int | None = None
    """To say no; while tea is drunk, until it is over at the latest."""


BySeat: TypeAlias = tuple[Hand, Hand, Hand, Hand]

NOBODY: Final = (Seated(), Seated(), Seated(), Seated())


@dataclass(frozen=True, slots=True)
class View:
    """The table as the seat `me` sees it. Every default is a table at which nothing has happened."""

    me: Seat
    seats: tuple[Seated, Seated, Seated, Seated] = NOBODY
    """By seat."""
    phase: Phase = Phase.SEATING
    step: Step | None = None
    """In a ceremony: what it waits for."""
    awaited: tuple[Seat, ...] = ()
    """Whose decision is open: one seat for trumps and cards, any number in a ceremony."""
    seconds_left: int | None = None
    """Until the first of these decisions ends."""
    round: int = 0
    """From 1; 0 before the first deal."""
    rules: TableRules = CLASSIC
    hakem: Seat | None = None
    trump: int | None = None
    hand: Hand = 0
    legal: Hand = 0
    """The cards that I may play now: empty when it is not my turn."""
    trick: Trick | None = None
    """The trick on the table. A finished one may be left here for a moment with its four cards."""
    last: Trick | None = None
    """The trick before, in this round."""
    played: Hand = 0
    """All cards that have left a hand in this round."""
    middle: Card | None = None
    """The partner's middle, while it lies open before the hakem's partner (H1)."""
    face_down: tuple[Seat, ...] = ()
    """The seats before which a card lies face down (H2)."""
    laid: Card | None = None
    """What my own card is that lies face down."""
    run: tuple[Card, ...] = ()
    """Cards of a run that lie open before the leader and have not led yet (H3)."""
    seen: BySeat = (0, 0, 0, 0)
    """By seat, cards of its hand that all have seen."""
    tea: Tea | None = None
    tricks: BySide = (0, 0)
    score: BySide = (0, 0)
    winner: Side | None = None
    """Of the round or the game that is over."""
    points: int = 0
    """What the round that is over brought its winner: 1, for a kot 2, for a hakem kot 3 (G11)."""
    ending: Ending | None = None
    """Why the game is over."""
    deal: Deal = Deal.NONE
    connection: Connection = Connection.UP
    messages: tuple[str, ...] = ()
    """Sentences in the player's language, the newest last: a refusal, a verdict."""
    asked: bool = False
    """A yes or no is wanted, to the newest message."""
    typed: str = ""
    """What stands unfinished behind the prompt: a redraw keeps it."""

    @property
    def my_turn(self) -> bool:
        """Whether a decision of mine is open."""
        return self.me in self.awaited

    @property
    def turn(self) -> Seat | None:
        """The seat that is to name trumps or to play; None in all other phases."""
        if self.phase in (Phase.TRUMPS, Phase.TRICKS) and len(self.awaited) == 1:
            return self.awaited[0]
        return None

    @property
    def runs(self) -> list[tuple[Card, ...]]:
        """The runs that I may lead now (H3)."""
        may = self.rules.runs and self.legal and self.trump is not None and self.led_suit is None
        return runs_of(self.hand, self.trump, self.played) if may and self.trump is not None else []

    @property
    def is_tea_time(self) -> bool:
        """Whether tea is drunk: nobody plays."""
        return self.tea is not None and self.tea.step is TeaStep.DRUNK

    @property
    def may_answer_tea(self) -> bool:
        """Whether I may say yes or no to a tea."""
        return self.tea is not None and self.tea.step is TeaStep.ASKED and self.me in self.tea.awaited

    @property
    def led_suit(self) -> int | None:
        """The suit that must be followed; None on lead."""
        if self.trick is None or not 0 < len(self.trick.cards) < 4:
            return None
        return suit_of(self.trick.cards[0])

    def mine(self, pair: BySide) -> BySide:
        """A pair by side as (ours, theirs)."""
        side = side_of(self.me)
        return pair[side], pair[1 - side]

    def won(self) -> bool | None:
        """Whether my side has won the round or game that is over; None where nobody has."""
        return None if self.winner is None else self.winner == side_of(self.me)

    def around(self) -> tuple[Seat, Seat, Seat, Seat]:
        """The four seats in the order of play, from mine."""
        right = right_of(self.me)
        partner = right_of(right)
        return self.me, right, partner, right_of(partner)


def held(hand: Hand) -> tuple[Card, ...]:
    """The cards of a hand as it is held, and numbered from 1: ♠ ♥ ♦ ♣, each from the ace down."""
    return tuple(sorted(cards_of(hand), key=lambda card: (card // 13, -card)))
