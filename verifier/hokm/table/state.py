# SPDX-License-Identifier: Apache-2.0
"""What everybody may know of a table: the public state that the entries of one stream fold into.

There is no hidden card in it, so a watcher, a seat, the server and the verifier all hold the same value. (Named
tuples, because one is made for every entry replayed; nothing in them ever changes.)

A table goes through these stages:

    Seating ── GameStarted ──▶ Between ── CeremonyOpened ──▶ Ceremony ── Dealt ──▶ Round ── RoundRevealed ─┐
                                  ▲                              │ HakemDrawn, CeremonyVoided              │
                                  ├──────────────────────────────┘                                         │
                                  ├────────────────────────────────────────────────────────────────────────┘
                                  └─ GameEnded (or ServerFault, from anywhere) ──▶ Over
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from hokm.cards import Card, Hand
from hokm.deal import Purpose
from hokm.errors import DeadlinePassed
from hokm.events import GameEnded, Holder, SeatKind, ServerFault, StandInCause
from hokm.rules import BySide, Seat, TableRules

NO_GAME = bytes(32)
"""The game id of moves before GameStarted and of every Join."""

MOST_SEATING_MOVES = 64
"""Moves after which a table that has not started is abandoned."""
MOST_SEATING_MS = 3_600_000
"""An hour, after which a table that has not started is abandoned."""
MOST_RETURNS = 3
"""Returns of a seat in one round."""
MOST_PROTESTS = 3
"""Acts ProtestOnly of a seat in one round."""
FAULTS_TO_FORFEIT = 2
"""Ceremonies that a side commits to and does not reveal in, until it has lost the game."""


class House(NamedTuple):
    """Whose table it is."""

    origin: str
    """The log's origin line."""
    event_key: bytes
    """The key that signs this stream: pk_4 of every ceremony."""
    other_keys: frozenset[bytes] = frozenset()
    """Its keys of other roles, where they are known: no player and no stand-in may have one."""


class Decision(NamedTuple):
    """Something that a seat is to decide."""

    opened: int
    """The version of the entry that opened it: a move that answers it has seen at least this."""
    since_ms: int
    length_ms: int
    reopened: bool = False
    """It has begun anew once, after the house was down."""

    @property
    def deadline_ms(self) -> int:
        """An answer comes before this time; the house acts at or after it."""
        return self.since_ms + self.length_ms

    def may_begin_anew(self, time_ms: int) -> bool:
        """Whether it has run out by that time, and has not begun anew before."""
        return self.deadline_ms <= time_ms and not self.reopened


class Signing(NamedTuple):
    """How far a key has signed in this game."""

    moves: int = 0
    """Its moves in the log, which is the number of its next one."""
    seen: int = 0
    """The seen_version of its last move: it never falls."""


class StandIn(NamedTuple):
    """A bot in the place of an absent player."""

    public_key: bytes
    signing: Signing


class Place(NamedTuple):
    """One seat and who is in it."""

    kind: SeatKind
    public_key: bytes
    """The player's, also while a stand-in plays."""
    join_nonce: bytes
    signing: Signing
    """The player's."""
    signed: bool = False
    """The player has signed something since its Join."""
    absent: StandInCause | None = None
    """Why a stand-in plays it or shall, until the player has returned."""
    left: bool = False
    """The player's last word is Leave. In a ceremony the seat becomes absent at its end."""
    back: bool = False
    """The player has returned and takes over once the open decision, or the ceremony, is at its end."""
    held: bool = False
    """A stand-in holds it for the further attempts of this ceremony."""
    stand_in: StandIn | None = None
    missed: int = 0
    """Deadlines that the player missed in a row."""
    returns: int = 0
    """In this round, like the next two."""
    protests: int = 0
    resigned: bool = False
    tea_asked: bool = False
    """The player's one ask for tea in this game is spent (H4)."""

    @property
    def holder(self) -> Holder:
        """Who decides for this seat now."""
        if self.stand_in is not None:
            return Holder(SeatKind.STAND_IN, self.stand_in.public_key)
        return Holder(self.kind, self.public_key)

    @property
    def wants_stand_in(self) -> StandInCause | None:
        """Why a stand-in is due here; None where none is."""
        if self.stand_in is not None:
            return None
        return self.absent or (StandInCause.HELD if self.held else None)


class Seating(NamedTuple):
    """Players sit down."""

    places: tuple[Place | None, ...]
    former: tuple[tuple[bytes, Signing], ...]
    """Keys that have given their seat back."""
    opened_ms: int
    moves: int


class Ceremony(NamedTuple):
    """Numbers are committed to and revealed."""

    ctx: bytes
    purpose: Purpose
    holders: tuple[Holder, ...]
    house_commitment: bytes
    commitments: tuple[bytes | None, ...]
    """By seat."""
    commit_set: bytes | None
    """From CommitSetClosed on."""
    revealed: tuple[bool, ...]
    """By seat: its Reveal is in the log, its number is not."""
    decisions: tuple[Decision | None, ...]
    """By seat, the step that is open: Commit before the set is closed, Reveal after; None where done or not open."""
    closed: int | None = None
    """The version of the CommitSetClosed, once it is there."""
    wait: Decision | None = None
    """Nobody's: at a `witnessed` table the time that the house has, from CommitSetClosed on, to show witnesses."""

    @property
    def missing(self) -> tuple[Seat, ...]:
        """The seats whose step is open."""
        return tuple(seat for seat, decision in enumerate(self.decisions) if decision is not None)


class Trick(NamedTuple):
    """A trick that is over."""

    leader: Seat
    cards: tuple[Card, ...]
    """Four, in the order played."""
    winner: Seat


class Lay(NamedTuple):
    """A card that was laid face down (H2)."""

    version: int
    """Of its LayEarly: who takes it back has seen at least this."""
    seat: Seat
    trick: int
    """From 1."""
    commitment: bytes


NOBODY_LAYS: tuple[Lay | None, ...] = (None,) * 4
NO_LAYS = (0,) * 4


class Extra(NamedTuple):
    """What the house rules H1 to H3 add to a round."""

    called: bool = False
    """The partner's middle is called, and not yet turned up."""
    middle: Card | None = None
    """The partner's middle, while it lies open."""
    lead: int = 0
    """The version of the entry that led the trick on the table: who comes early has seen at least this."""
    lays: tuple[Lay | None, ...] = NOBODY_LAYS
    """By seat, the card that lies face down."""
    laid: tuple[int, ...] = NO_LAYS
    """By seat, how often it has laid in this trick."""
    again: tuple[int, ...] = NO_LAYS
    """By seat, the trick, from 1, in which it may come early again."""
    taken_back: tuple[Lay, ...] = ()
    run: tuple[Card, ...] = ()
    """Cards of a run that lie open and have not led yet."""
    seen: Hand = 0
    """Cards that all have seen without their being played: the middle, and what went back from a run."""

    @property
    def unturned(self) -> tuple[Lay, ...]:
        """The lays that have not turned over, in the order in which they were laid."""
        return tuple(sorted((*self.taken_back, *(lay for lay in self.lays if lay is not None))))


class Round(NamedTuple):
    """A deal is played."""

    ceremony: Ceremony
    """Out of which the deal came; its numbers are sealed."""
    hakem: Seat
    trump: int | None
    leader: Seat
    """Of the trick on the table."""
    trick: tuple[Card, ...]
    """On the table, in the order played."""
    played: Hand
    """All cards that have left a hand."""
    tricks: BySide
    history: tuple[Trick, ...]
    """Tricks that are over, the first one first."""
    decision: Decision | None
    """Trumps or a card, by the seat in turn; None once the round is over."""
    extra: Extra | None = None
    """None where none of H1 to H3 is on."""

    @property
    def turn(self) -> Seat:
        """Whose card, or naming of trumps, is next."""
        return self.leader + len(self.trick) & 3

    @property
    def unturned(self) -> tuple[Lay, ...]:
        """The face-down cards that have not turned over, in the order in which they were laid (H2)."""
        return () if self.extra is None else self.extra.unturned

    @property
    def trick_number(self) -> int:
        """Of the trick on the table, from 1."""
        return len(self.history) + 1

    @property
    def led(self) -> int | None:
        """The suit led, None on lead."""
        return self.trick[0] // 13 if self.trick else None


class Tea(NamedTuple):
    """A tea that is asked for, granted or drunk (H4)."""

    seat: Seat
    """Who asked."""
    ask: Decision
    """Until when the others may say no."""
    yes: tuple[Seat, ...] = ()
    """Who has said yes, ascending."""
    pause: Decision | None = None
    """From TeaBegan on: until when the game pauses at most."""
    ready: frozenset[Seat] = frozenset()

    def is_granted(self, time_ms: int) -> bool:
        """Whether it is at that time: all three have said yes, or nobody has said no in time."""
        return len(self.yes) == 3 or time_ms >= self.ask.deadline_ms


class Between(NamedTuple):
    """What is next is the house's: the end of the game, stand-ins, the next ceremony."""

    ending: GameEnded | None
    purpose: Purpose
    round: int
    attempt: int


class Over(NamedTuple):
    """The stream has ended."""

    ending: GameEnded | ServerFault


Stage: TypeAlias = Seating | Ceremony | Round | Between | Over


class Table(NamedTuple):
    """One table after one entry."""

    house: House
    id: bytes
    rules: TableRules
    rules_hash: bytes
    server_nonce: bytes
    version: int
    """Of the last entry."""
    time_ms: int
    """Of the last entry."""
    game_id: bytes
    """`NO_GAME` until GameStarted."""
    places: tuple[Place, ...]
    """Four from GameStarted on."""
    score: BySide
    faults: BySide
    hakem: Seat | None
    """Of this round, or of the next between rounds."""
    round: int
    attempt: int
    """Of the last CeremonyOpened, else 0."""
    spent_keys: frozenset[bytes]
    """Keys that gave a seat back before the start, and every key that a stand-in has had: none may stand in."""
    stage: Stage
    spent_lays: frozenset[bytes] = frozenset()
    """Commitments of early cards in this game, and their salts as far as they are public: none may serve again."""
    tea: Tea | None = None

    @property
    def is_pausing(self) -> bool:
        """Tea is drunk: no deadline runs and nobody plays."""
        return self.tea is not None and self.tea.pause is not None


def to_act(table: Table) -> tuple[tuple[Seat, Decision], ...]:
    """The seats that are to decide something of the game, each with its decision; nobody while tea is drunk."""
    if table.is_pausing:
        return ()
    match table.stage:
        case Ceremony(decisions=decisions):
            return tuple((seat, open_) for seat, open_ in enumerate(decisions) if open_ is not None)
        case Round(decision=Decision() as decision) as round_:
            return ((round_.turn, decision),)
        case _:
            return ()


def open_decision(table: Table, seat: Seat) -> Decision | None:
    """What that seat is to decide: a step of the ceremony, trumps or a card."""
    stage = table.stage
    if type(stage) is Round:
        return stage.decision if stage.turn == seat else None
    if type(stage) is Ceremony:
        return stage.decisions[seat]
    return None


def to_answer(table: Table) -> tuple[Seat, ...]:
    """The seats that may still say yes or no to a tea: those of the other players who have not, and who are here."""
    tea = table.tea
    if tea is None or tea.pause is not None or len(tea.yes) == 3:
        return ()
    return tuple(
        seat
        for seat, place in enumerate(table.places)
        if seat != tea.seat and seat not in tea.yes and place.stand_in is None
    )


def next_in_turn(seat: Seat, places: tuple[Place, ...], rules: TableRules, version: int, time_ms: int) -> Decision:
    """The decision that opens for that seat with the entry of that version: half the time after a missed deadline."""
    half = places[seat].missed > 0
    return Decision(version, time_ms, rules.turn_seconds * (500 if half else 1000))


def check_in_time(decision: Decision, time_ms: int) -> None:
    """Raise `DeadlinePassed` at or after the deadline."""
    if time_ms >= decision.deadline_ms:
        raise DeadlinePassed(time_ms, decision.deadline_ms)


def phase(table: Table) -> str:
    """The stage in one word: seating, ceremony, trumps, tricks, between or over; tea while tea is drunk."""
    if table.is_pausing:
        return "tea"
    match table.stage:
        case Round(trump=None):
            return "trumps"
        case Round():
            return "tricks"
        case stage:
            return type(stage).__name__.lower()
