# SPDX-License-Identifier: Apache-2.0
"""What can happen at a table: moves, which a seat decided, and rulings, which the house adds by the rules.

Both are entries of the log. A move is at once the request that a client signs and, once accepted, the logged
fact: there is no second family of commands. Everything here is a value that never changes; `wire` turns it into the
bytes that are signed and back, `table` says what it means.

They are named tuples, because many are made for every round replayed, and because dataclasses take longer to define
than a round to verify.

Enum values are those on the wire. Keys, nonces, commitments, numbers, salts, hashes and game ids are 32 bytes,
table ids 16, signatures 64, a ctx 41; times are milliseconds since 1970.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple, TypeAlias, TypeVar

from hokm.cards import Card
from hokm.rules import BySide, Seat, Side, TableRules

T = TypeVar("T")


def distinct(kind: type[T]) -> type[T]:
    """Named tuples of this kind equal none of another: as tuples, `Leave()` and `Return()` would be the same."""

    def is_same(self: Any, other: object) -> bool:
        return type(other) is kind and tuple.__eq__(self, other)

    def is_other(self: Any, other: object) -> bool:
        return not is_same(self, other)

    kind.__eq__, kind.__ne__, kind.__hash__ = is_same, is_other, tuple.__hash__  # type: ignore[method-assign,assignment]
    return kind


class SeatKind(IntEnum):
    """Who plays a seat. In `game_id` a person is hashed as 0 and a bot as 1; a stand-in counts as a bot."""

    PERSON = 1
    BOT = 2
    STAND_IN = 3


# Moves.


class ProtestReason(IntEnum):
    """What a protest is about."""

    DENIED_COMMIT = 1
    DENIED_NUMBER = 2
    DENIED_MOVE = 3
    BAD_CHAIN = 4
    BAD_SET = 5
    BAD_HAND = 6
    CLOCK = 7


class Protest(NamedTuple):
    """Something is not as it must be, said in the log itself."""

    ctx: bytes
    reason: ProtestReason


@distinct
class Play(NamedTuple):
    """A card to the trick."""

    card: Card


@distinct
class Commit(NamedTuple):
    """A commitment to a number that is stored on the device."""

    commitment: bytes


@distinct
class Reveal(NamedTuple):
    """A signature over one set of commitments; the number goes beside it, not in it."""

    ctx: bytes
    commit_set: bytes


@distinct
class NameTrump(NamedTuple):
    """The trump suit, 0 to 3."""

    suit: int


@distinct
class Join(NamedTuple):
    """A seat is taken by a key."""

    kind: SeatKind
    public_key: bytes
    join_nonce: bytes


@distinct
class Leave(NamedTuple):
    """A seat is given back before the start; afterwards it is absent at once."""


@distinct
class Return(NamedTuple):
    """The player is back."""


@distinct
class Resign(NamedTuple):
    """The side gives up when every person of it has said so in one round."""


@distinct
class ProtestOnly(NamedTuple):
    """Nothing but the protest that the move carries."""


@distinct
class CallMiddle(NamedTuple):
    """The partner's middle is called (H1)."""


@distinct
class PickUp(NamedTuple):
    """The open card goes into the hand (H1)."""


@distinct
class LayEarly(NamedTuple):
    """A card is laid face down (H2); card and salt go beside it."""

    commitment: bytes
    open_middle: bool


@distinct
class TakeBack(NamedTuple):
    """The face-down card goes back into the hand (H2)."""


@distinct
class Run(NamedTuple):
    """Several cards are led, highest first (H3)."""

    cards: tuple[Card, ...]


@distinct
class AskTea(NamedTuple):
    """Tea is asked for (H4)."""


@distinct
class AnswerTea(NamedTuple):
    """An answer to who asks for tea (H4)."""

    yes: bool


@distinct
class Ready(NamedTuple):
    """Ready to go on after tea (H4)."""


Act: TypeAlias = (
    Play
    | Commit
    | Reveal
    | NameTrump
    | Join
    | Leave
    | Return
    | Resign
    | ProtestOnly
    | CallMiddle
    | PickUp
    | LayEarly
    | TakeBack
    | Run
    | AskTea
    | AnswerTea
    | Ready
)


class Move(NamedTuple):
    """What a seat decided, and what it had seen when it did."""

    game_id: bytes
    """32 zero bytes before GameStarted and in every Join."""
    round: int
    attempt: int
    """Round and attempt of the last CeremonyOpened before the move's own entry, else 0."""
    seat: Seat
    number: int
    """How many moves of this key the log of this game held before."""
    seen_version: int
    seen_hash: bytes
    """The last entry that the signer had checked, and its leaf."""
    protest: Protest | None
    act: Act


class SignedMove(NamedTuple):
    """A move as it came: the very bytes, the signature over them, and what the bytes say."""

    move: Move
    body: bytes
    signature: bytes


# Rulings.


@distinct
class TableOpened(NamedTuple):
    """Version 0 of every stream."""

    server_nonce: bytes
    rules: TableRules
    rules_bytes: bytes
    """The rules as they were serialized once; rules_hash is over these."""
    manifest_leaf: bytes
    rematch_of: bytes
    """The table id of the game before, or empty."""


class SeatTaken(NamedTuple):
    """A seat as it was taken."""

    kind: SeatKind
    public_key: bytes
    join_nonce: bytes


@distinct
class GameStarted(NamedTuple):
    """Four seats are taken."""

    game_id: bytes
    seats: tuple[SeatTaken, ...]


class Holder(NamedTuple):
    """Who holds a seat in a ceremony."""

    kind: SeatKind
    public_key: bytes


class Anchor(NamedTuple):
    """Size and root of a published checkpoint."""

    size: int
    root: bytes


@distinct
class CeremonyOpened(NamedTuple):
    """A ceremony begins."""

    ctx: bytes
    hakem: Seat | None
    """None in a draw."""
    score: BySide
    rules_hash: bytes
    holders: tuple[Holder, ...]
    house_commitment: bytes
    anchor: Anchor


@distinct
class CommitSetClosed(NamedTuple):
    """All five commitments are there."""

    commit_set: bytes


@distinct
class CommitSetWitnessed(NamedTuple):
    """Witnesses have cosigned a checkpoint that covers the set."""

    checkpoint: str
    index: int  # type: ignore[assignment]  # the field, not the method of every tuple
    inclusion: tuple[bytes, ...]


class VoidCause(IntEnum):
    """Why a ceremony ended without a deal."""

    NO_COMMITMENT = 1
    NO_NUMBER = 2


@distinct
class CeremonyVoided(NamedTuple):
    """The ceremony ends without a deal."""

    cause: VoidCause
    seats: tuple[Seat, ...]
    """Every seat whose step was open and is missing, ascending."""
    house_number: bytes
    numbers: tuple[tuple[Seat, bytes], ...]
    """The numbers that had come, by seat."""


@distinct
class HakemDrawn(NamedTuple):
    """The first hakem is drawn, and how."""

    numbers: tuple[bytes, ...]
    """Five; the house's last."""
    hakem: Seat


@distinct
class Dealt(NamedTuple):
    """The cards are dealt."""


@distinct
class MiddleTurned(NamedTuple):
    """The partner's middle lies open (H1)."""

    card: Card


@distinct
class EarlyTurned(NamedTuple):
    """A face-down card turns over and is played (H2)."""

    seat: Seat
    card: Card
    salt: bytes


@distinct
class TimedOut(NamedTuple):
    """A deadline passed and the house decided by its policy: a suit or a card, never both."""

    seat: Seat
    trump: int | None = None
    card: Card | None = None


class StandInCause(IntEnum):
    """Why a stand-in takes a seat."""

    LEFT = 1
    MISSED = 2
    AWAY = 3
    HELD = 4
    NO_SIGN = 5


@distinct
class StoodIn(NamedTuple):
    """A stand-in takes an absent player's place with a key of its own."""

    seat: Seat
    join: SignedMove
    cause: StandInCause


@distinct
class Reopened(NamedTuple):
    """Deadlines that passed while the house was down begin anew."""

    seats: tuple[Seat, ...]


@distinct
class TeaBegan(NamedTuple):
    """The game pauses (H4)."""


@distinct
class TeaEnded(NamedTuple):
    """The game goes on (H4)."""


class UnturnedLay(NamedTuple):
    """A face-down card that did not turn over (H2)."""

    seat: Seat
    trick: int
    card: Card
    salt: bytes


class CarriedSeat(NamedTuple):
    """What a later round depends on, of one seat."""

    absent: bool = False
    left: bool = False
    """The player's last word is Leave."""
    stand_in_key: bytes = b""
    missed: int = 0
    """Deadlines missed in a row."""
    tea_asked: bool = False
    player_moves: int = 0
    stand_in_moves: int = 0


class WaitingTea(NamedTuple):
    """A tea that is asked or granted and has not begun (H4)."""

    seat: Seat
    version: int
    time_ms: int
    yes: tuple[Seat, ...]


class Carried(NamedTuple):
    """What a later round depends on."""

    seats: tuple[CarriedSeat, ...]
    faults: BySide
    tea: WaitingTea | None = None


@distinct
class RoundRevealed(NamedTuple):
    """A round is over and its numbers are public."""

    numbers: tuple[bytes, ...]
    """Five; the house's last."""
    unturned: tuple[UnturnedLay, ...]
    winner: Side | None
    tricks: BySide
    points: int
    score: BySide
    next_hakem: Seat | None
    carried: Carried


class GameEndCause(IntEnum):
    """Why a game is over."""

    TARGET = 1
    FORFEIT = 2
    RESIGNED = 3
    ABANDONED = 4


@distinct
class GameEnded(NamedTuple):
    """The game is over."""

    cause: GameEndCause
    winner: Side | None


class ServerFaultCause(IntEnum):
    """How the house failed."""

    NO_COMMITMENT = 1
    NO_NUMBER = 2
    SEALED_LOST = 3
    NO_DEAL = 4
    KEY_REVOKED = 5
    NO_WITNESS = 6


@distinct
class ServerFault(NamedTuple):
    """The house failed: the game ends, unrated."""

    cause: ServerFaultCause
    numbers: tuple[bytes, ...] = ()
    unturned: tuple[UnturnedLay, ...] = ()
    """These two in a dealt round whose event key was revoked."""
    seats: tuple[Seat, ...] = ()
    house_number: bytes = b""
    received: tuple[tuple[Seat, bytes], ...] = ()
    """These three in a ceremony, as in CeremonyVoided; a number that is lost is not there."""


Ruling: TypeAlias = (
    TableOpened
    | GameStarted
    | CeremonyOpened
    | CommitSetClosed
    | CommitSetWitnessed
    | CeremonyVoided
    | HakemDrawn
    | Dealt
    | MiddleTurned
    | EarlyTurned
    | TimedOut
    | StoodIn
    | Reopened
    | TeaBegan
    | TeaEnded
    | RoundRevealed
    | GameEnded
    | ServerFault
)


class Event(NamedTuple):
    """What one log entry says."""

    table: bytes
    version: int
    previous: bytes
    """The leaf of the entry before; 32 zero bytes in version 0."""
    time_ms: int
    content: SignedMove | Ruling
