# SPDX-License-Identifier: Apache-2.0
"""Rulings: what the house adds by the rules, and where it has failed."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple, TypeAlias

from hokm.cards import Card
from hokm.events.distinct import distinct
from hokm.events.moves import SeatKind, SignedMove
from hokm.rules import BySide, Seat, Side, TableRules


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
