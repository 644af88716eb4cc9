# SPDX-License-Identifier: Apache-2.0
"""Moves: what a seat decided, or says."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple, TypeAlias

from hokm.cards import Card
from hokm.events.distinct import distinct
from hokm.rules import Seat


class SeatKind(IntEnum):
    """Who plays a seat. In `game_id` a person is hashed as 0 and a bot as 1; a stand-in counts as a bot."""

    PERSON = 1
    BOT = 2
    STAND_IN = 3


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
