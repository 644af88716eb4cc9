# SPDX-License-Identifier: Apache-2.0
"""What one seat has to protest: each reason once for each ceremony or round, said by the next move that it signs.

A move that was sent well before the log calls it missing was denied, unless the way has broken since: then it may not
have arrived. A clock is wrong where an entry is of a time that has not come yet, or where the entry of an own move is
older than the move.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from hokm.deal import Context, Purpose
from hokm.events import (
    Act,
    CeremonyVoided,
    Commit,
    Move,
    NameTrump,
    Play,
    Protest,
    ProtestReason,
    Reveal,
    SignedMove,
    StoodIn,
    TimedOut,
    VoidCause,
)
from hokm.rules import Seat
from hokm.table import Table
from hokm.table.state import NO_GAME
from hokm.v1 import tables_service_pb2 as pb
from hokm_client.stream import Step

MOST_CLOCK_DIFFERENCE_MS: Final = 30_000
"""A greater difference between the house's clock and the device's is protested."""

ON_THE_WAY_MS: Final = 2_000
"""What a move may take to arrive. Only one that was sent so long before can have been denied."""


class Unanswered(NamedTuple):
    """The move that waits for its entry or a refusal."""

    act: pb.SignedAct
    move: Move
    signed_ms: int


class Protests:
    """What one seat has to say against the server."""

    __slots__ = ("_said", "_seat", "_waiting")

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._said: set[tuple[bytes, ProtestReason]] = set()
        self._waiting: Protest | None = None

    def see(self, step: Step, now_ms: int, unanswered: Unanswered | None, *, unsure: bool) -> None:
        """One more entry, and the move that was unanswered before it; `unsure`: it may not have arrived."""
        content, time_ms = step.event.content, step.event.time_ms
        if time_ms > now_ms + MOST_CLOCK_DIFFERENCE_MS:
            self.complain(step.after, ProtestReason.CLOCK)
        if unanswered is None:
            return
        match content:
            case SignedMove(body=body) | StoodIn(join=SignedMove(body=body)) if body == unanswered.act.move:
                if time_ms < unanswered.signed_ms - MOST_CLOCK_DIFFERENCE_MS:
                    self.complain(step.after, ProtestReason.CLOCK)
            case CeremonyVoided(cause=cause, seats=seats) if self._seat in seats:
                if not unsure and _was_on_the_way(unanswered, time_ms, Commit, Reveal):
                    no_number = cause is VoidCause.NO_NUMBER
                    denied = ProtestReason.DENIED_NUMBER if no_number else ProtestReason.DENIED_COMMIT
                    self.complain(step.after, denied)
            case TimedOut(seat=self._seat):
                if not unsure and _was_on_the_way(unanswered, time_ms, NameTrump, Play):
                    self.complain(step.after, ProtestReason.DENIED_MOVE)

    def complain(self, table: Table, reason: ProtestReason) -> None:
        """Let the next move say so."""
        if table.game_id == NO_GAME:
            return
        purpose = Purpose.DEAL if table.round else Purpose.DRAW
        ctx = Context(table.game_id, purpose, table.round, table.attempt).to_bytes()
        if (ctx, reason) not in self._said:
            self._said.add((ctx, reason))
            self._waiting = Protest(ctx, reason)

    @property
    def waiting(self) -> Protest | None:
        """What the next move is to say."""
        return self._waiting

    def signed(self) -> None:
        """A move says it."""
        self._waiting = None

    def refused(self, protest: Protest | None) -> None:
        """The move that said it was refused: the next one is to, if there is nothing newer."""
        self._waiting = self._waiting or protest


def _was_on_the_way(unanswered: Unanswered, time_ms: int, *kinds: type[Act]) -> bool:
    return isinstance(unanswered.move.act, kinds) and time_ms - unanswered.signed_ms >= ON_THE_WAY_MS
