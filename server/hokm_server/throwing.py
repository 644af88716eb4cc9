# SPDX-License-Identifier: Apache-2.0
"""Throwing things (H5): everybody sees what lands where, and nobody is told who threw it.

A throw is no move. It leaves no row, no entry, no version and no diagnostic line, and is no sign of life; it goes to
all who watch, whoever threw it too, as the same bytes. All that is remembered is how often each seat has thrown in
the trick at hand, here in memory, for the limit of three. A server that starts again has forgotten it.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from hokm.errors import GameIsOver, NotAtYourself, OutOfRange, RuleOff, SeatStoodIn, TooManyThrows, WrongPhase
from hokm.rules import Seat
from hokm.table import Over, Round, Table, phase
from hokm.v1 import tables_service_pb2 as pb

MOST_THROWS: Final = 3
"""Of one seat in one trick."""
MOST_THING: Final = max(pb.Thing.values())


class Throws:
    """How often each seat of one table has thrown in the trick at hand."""

    __slots__ = ("_counts", "_trick")

    def __init__(self) -> None:
        self._trick = (0, 0)
        self._counts: Counter[Seat] = Counter()

    def count(self, table: Table, seat: Seat) -> None:
        """One more of that seat. Raises `TooManyThrows`."""
        stage = table.stage
        trick = (table.round, stage.trick_number if isinstance(stage, Round) else 0)
        if trick != self._trick:
            self._trick, self._counts = trick, Counter()
        if self._counts[seat] >= MOST_THROWS:
            raise TooManyThrows(seat, MOST_THROWS)
        self._counts[seat] += 1


def check_throw(table: Table, seat: Seat, at: Seat, thing: int) -> None:
    """Raise the reason why that seat cannot throw that thing at another."""
    if not 0 <= at <= 3:
        raise OutOfRange("at", at, 0, 3)
    if not 1 <= thing <= MOST_THING:
        raise OutOfRange("thing", thing, 1, MOST_THING)
    if isinstance(table.stage, Over):
        raise GameIsOver(table.version)
    if not table.rules.throwing:
        raise RuleOff("throwing")
    if not table.places:
        raise WrongPhase(phase(table))
    if table.places[seat].stand_in is not None:
        raise SeatStoodIn(seat)
    if at == seat:
        raise NotAtYourself(seat)
