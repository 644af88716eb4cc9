# SPDX-License-Identifier: Apache-2.0
"""The summary of a table says what everybody can see of it, at every entry of whole games, and nothing else."""

from __future__ import annotations

import pytest

from hokm.events import GameEnded, RoundRevealed
from hokm.rules import TableRules
from hokm.table import Between, Ceremony, Over, Round, Seating, Table, to_act
from hokm.v1 import tables_service_pb2 as pb
from hokm.wire import write_rules
from hokm_server.summary import summary
from tests.simulation.game import FOUR_PERSONS, TWO_AND_BOTS, Game
from tests.simulation.house import TestHouse

LEAF = bytes(range(32))

PHASES = {
    Seating: {pb.TABLE_PHASE_SEATING},
    Ceremony: {pb.TABLE_PHASE_CEREMONY},
    Between: {pb.TABLE_PHASE_RULING},
    Round: {pb.TABLE_PHASE_TRUMPS, pb.TABLE_PHASE_TRICKS, pb.TABLE_PHASE_RULING},
    Over: {pb.TABLE_PHASE_OVER},
}


def check(table: Table) -> None:
    """What is true of every summary."""
    made = summary(table, LEAF)
    assert (made.table_id, made.version, made.leaf) == (table.id, table.version, LEAF)
    assert made.rules.SerializeToString(deterministic=True) == write_rules(table.rules)
    assert made.phase in PHASES[type(table.stage)]
    assert list(made.score) == list(table.score)
    assert made.round == table.round
    assert len(made.seats) == 4
    decisions = dict(to_act(table))
    assert list(made.to_act) == sorted(decisions)
    assert made.deadline_ms == min((decision.deadline_ms for decision in decisions.values()), default=0)
    assert made.HasField("hakem") == (table.hakem is not None)
    cards = [seat.cards for seat in made.seats]
    match table.stage:
        case Round(trump=None):
            assert cards == [5] * 4
            assert not made.HasField("trump")
        case Round() as round_:
            assert made.trump == round_.trump
            assert list(made.trick) == list(round_.trick)
            assert list(made.tricks) == list(round_.tricks)
            assert sum(cards) == 52 - round_.played.bit_count()
            assert max(cards) - min(cards) <= 1
        case _:
            assert cards == [0] * 4
            assert list(made.tricks) == [0, 0]
    if not isinstance(table.stage, Over):
        assert not made.HasField("winner")


@pytest.mark.parametrize("kinds", [FOUR_PERSONS, TWO_AND_BOTS])
def test_a_summary_follows_a_game(kinds: tuple[object, ...]) -> None:
    """From the first entry to the last."""
    game = Game(TestHouse(), TableRules(target=3), kinds)  # type: ignore[arg-type]
    check(game.table)
    for seat, player in enumerate(game.players):
        free = [not seat_.public_key for seat_ in summary(game.table, LEAF).seats]
        assert free == [other >= seat for other in range(4)]
        game.join(seat, player)
        check(game.table)
    while not game.over:
        game.step()
        check(game.table)
    ending = game.events[-1].content
    assert isinstance(ending, GameEnded)
    made = summary(game.table, LEAF)
    assert made.winner == ending.winner
    assert [seat.public_key for seat in made.seats] == [player.key.public for player in game.players]
    assert [seat.kind for seat in made.seats] == [int(kind) for kind in game.kinds]
    assert made.round == len(game.versions(RoundRevealed))


def test_absent_seats_are_shown() -> None:
    """From the entry on that makes them so, while the stand-in plays, and until the player is back."""
    game = Game(TestHouse())
    game.sit()
    game.until(lambda table: isinstance(table.stage, Round) and table.stage.trump is not None)
    assert not any(seat.absent for seat in summary(game.table, LEAF).seats)
    game.leave(2)
    seats = summary(game.table, LEAF).seats
    assert [(seat.absent, seat.left) for seat in seats] == [(seat == 2, seat == 2) for seat in range(4)]
