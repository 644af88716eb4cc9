# SPDX-License-Identifier: Apache-2.0
"""What begins anew after the house was down: all that has run out, once, and nothing that still had time."""

from __future__ import annotations

from hokm.events import AskTea, Reopened
from hokm.rules import TableRules
from hokm.table import Ceremony, may_reopen, reopening
from tests.simulation.game import Game
from tests.simulation.house import TestHouse
from tests.simulation.stories import waiting


def test_what_has_time_left_does_not_begin_anew() -> None:
    """Of one seat an ask may have run out, and its step of the ceremony not; each begins anew by itself, and once."""
    game = Game(TestHouse(seed=8), TableRules(tea=True))
    game.sit()
    game.do(0, AskTea())
    asked = game.table.time_ms
    game.reopen(20_000)
    stage, tea = game.table.stage, game.table.tea
    assert isinstance(stage, Ceremony)
    assert tea is not None
    assert (tea.ask.since_ms, tea.ask.reopened) == (asked + 20_000, True)
    assert all(step is not None and not step.reopened for step in stage.decisions)
    game.reopen(10_000)
    stage, tea = game.table.stage, game.table.tea
    assert isinstance(stage, Ceremony)
    assert tea is not None
    assert tea.ask.since_ms == asked + 20_000
    assert all(step is not None and step.reopened for step in stage.decisions)


def test_a_wait_for_witnesses_is_nobodys() -> None:
    """A Reopened lets it begin anew where it has run out, whoever is named; one that names nobody does nothing else."""
    game = Game(TestHouse(seed=9), TableRules(tea=True, witnessed=True))
    game.sit()
    game.until(waiting)
    closed = game.table.time_ms
    game.house.wait(15_000)
    game.do(0, AskTea())
    assert reopening(game.table, closed + 29_999) is None
    assert reopening(game.table, closed + 30_000) == Reopened(())
    assert reopening(game.table, closed + 35_000) == Reopened((1, 2, 3))
    assert not may_reopen(game.table, Reopened((1,)), closed + 30_000)
    assert may_reopen(game.table, Reopened(()), closed + 35_000)
    assert not may_reopen(game.table, Reopened((0,)), closed + 35_000)
    game.reopen(20_000)
    stage, tea = game.table.stage, game.table.tea
    assert isinstance(stage, Ceremony)
    assert stage.wait is not None
    assert tea is not None
    assert stage.wait.reopened
    assert tea.ask.reopened
