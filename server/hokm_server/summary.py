# SPDX-License-Identifier: Apache-2.0
"""A table as everybody sees it, as the message that lists and lobbies are made of."""

from __future__ import annotations

from hokm.events import GameEnded
from hokm.rules import SEATS
from hokm.table import Between, Ceremony, Over, Round, Seating, Table, place_at, to_act
from hokm.v1 import rules_pb2
from hokm.v1 import tables_service_pb2 as pb
from hokm.wire import write_rules

CARDS_BEFORE_TRUMPS = 5
CARDS_DEALT = 13


def summary(table: Table, leaf: bytes) -> pb.TableSummary:
    """The summary of a table whose last entry has that leaf. It is made of public state alone."""
    stage = table.stage
    deadlines = [decision.deadline_ms for _, decision in to_act(table)]
    made = pb.TableSummary(
        table_id=table.id,
        version=table.version,
        leaf=leaf,
        rules=rules_pb2.TableRules.FromString(write_rules(table.rules)),
        phase=_phase(table),
        seats=[_seat(table, seat) for seat in SEATS],
        round=table.round,
        score=table.score,
        tricks=stage.tricks if isinstance(stage, Round) else (0, 0),
        to_act=[seat for seat, _ in to_act(table)],
        deadline_ms=min(deadlines, default=0),
        hakem=table.hakem,
    )
    match stage:
        case Round(trump=trump, trick=trick):
            made.trick.extend(trick)
            if trump is not None:
                made.trump = trump
        case Over(ending=GameEnded(winner=int(winner))):
            made.winner = winner
    return made


def _phase(table: Table) -> pb.TablePhase.ValueType:
    if table.is_pausing:
        return pb.TABLE_PHASE_TEA
    match table.stage:
        case Seating():
            return pb.TABLE_PHASE_SEATING
        case Ceremony():
            return pb.TABLE_PHASE_CEREMONY
        case Between() | Round(decision=None):
            return pb.TABLE_PHASE_RULING
        case Round(trump=None):
            return pb.TABLE_PHASE_TRUMPS
        case Round():
            return pb.TABLE_PHASE_TRICKS
        case Over():
            return pb.TABLE_PHASE_OVER


def _seat(table: Table, seat: int) -> pb.SeatSummary:
    place, stage = place_at(table, seat), table.stage
    if place is None:
        return pb.SeatSummary()
    return pb.SeatSummary(
        public_key=place.public_key,
        kind=int(place.kind),  # type: ignore[arg-type]
        absent=place.stand_in is not None or place.wants_stand_in is not None,
        cards=_cards(stage, seat) if isinstance(stage, Round) else 0,
        left=place.left,
    )


def _cards(round_: Round, seat: int) -> int:
    """How many cards that seat has left."""
    if round_.trump is None:
        return CARDS_BEFORE_TRUMPS
    on_the_table = (seat - round_.leader) % 4 < len(round_.trick)
    return CARDS_DEALT - len(round_.history) - on_the_table
