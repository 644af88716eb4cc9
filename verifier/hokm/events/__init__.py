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

from typing import NamedTuple

from hokm.events.moves import (
    Act,
    AnswerTea,
    AskTea,
    CallMiddle,
    Commit,
    Join,
    LayEarly,
    Leave,
    Move,
    NameTrump,
    PickUp,
    Play,
    Protest,
    ProtestOnly,
    ProtestReason,
    Ready,
    Resign,
    Return,
    Reveal,
    Run,
    SeatKind,
    SignedMove,
    TakeBack,
)
from hokm.events.rulings import (
    Anchor,
    Carried,
    CarriedSeat,
    CeremonyOpened,
    CeremonyVoided,
    CommitSetClosed,
    CommitSetWitnessed,
    Dealt,
    EarlyTurned,
    GameEndCause,
    GameEnded,
    GameStarted,
    HakemDrawn,
    Holder,
    MiddleTurned,
    Reopened,
    RoundRevealed,
    Ruling,
    SeatTaken,
    ServerFault,
    ServerFaultCause,
    StandInCause,
    StoodIn,
    TableOpened,
    TeaBegan,
    TeaEnded,
    TimedOut,
    UnturnedLay,
    VoidCause,
    WaitingTea,
)


class Event(NamedTuple):
    """What one log entry says."""

    table: bytes
    version: int
    previous: bytes
    """The leaf of the entry before; 32 zero bytes in version 0."""
    time_ms: int
    content: SignedMove | Ruling


__all__ = [
    "Act",
    "Anchor",
    "AnswerTea",
    "AskTea",
    "CallMiddle",
    "Carried",
    "CarriedSeat",
    "CeremonyOpened",
    "CeremonyVoided",
    "Commit",
    "CommitSetClosed",
    "CommitSetWitnessed",
    "Dealt",
    "EarlyTurned",
    "Event",
    "GameEndCause",
    "GameEnded",
    "GameStarted",
    "HakemDrawn",
    "Holder",
    "Join",
    "LayEarly",
    "Leave",
    "MiddleTurned",
    "Move",
    "NameTrump",
    "PickUp",
    "Play",
    "Protest",
    "ProtestOnly",
    "ProtestReason",
    "Ready",
    "Reopened",
    "Resign",
    "Return",
    "Reveal",
    "RoundRevealed",
    "Ruling",
    "Run",
    "SeatKind",
    "SeatTaken",
    "ServerFault",
    "ServerFaultCause",
    "SignedMove",
    "StandInCause",
    "StoodIn",
    "TableOpened",
    "TakeBack",
    "TeaBegan",
    "TeaEnded",
    "TimedOut",
    "UnturnedLay",
    "VoidCause",
    "WaitingTea",
]
