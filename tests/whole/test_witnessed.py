# SPDX-License-Identifier: Apache-2.0
"""A game with witnesses from end to end: programs that anyone can run, a server that asks them, players that check."""

from __future__ import annotations

import random
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hokm.errors import NoWitnessesHere
from hokm.events import (
    CommitSetClosed,
    CommitSetWitnessed,
    Dealt,
    GameEnded,
    HakemDrawn,
    ServerFault,
    ServerFaultCause,
)
from hokm.rules import TableRules
from hokm.verify import Verdict
from hokm_client.bot import Decided, random_legal
from hokm_client.question import Question
from hokm_client.stream import Step
from tests.auditor.witnesses import Program, witnessed_house
from tests.client.visits import guest, house, house_bots

RULES = TableRules(target=3, witnessed=True)


def by_chance(seed: int) -> Callable[[Question], Decided]:
    """A player who plays any legal card."""
    chance = random.Random(seed)
    return lambda question: random_legal(question, chance)


async def test_a_game_that_waits_for_witnesses(tmp_path: Path) -> None:
    """They see every commit set before a number is shown, and the verifier has nothing to warn of."""
    steps: list[Step] = []
    with witnessed_house(tmp_path) as (var, _):
        async with house(var) as found, house_bots(found.address, var), guest(found.address, var) as player:
            await found.publisher.wait_witnessed(0)  # else the draw may come after a checkpoint that nobody has seen
            table_id = await player.open_table(RULES, (1, 2, 3))
            sitting = await player.sit(table_id, 0, choose=by_chance(1), watch=steps.append)
            assert isinstance(await sitting.over, GameEnded)
            report = await player.verify(table_id)
    kinds = [type(step.event.content) for step in steps]
    assert kinds.count(CommitSetWitnessed) == kinds.count(CommitSetClosed) >= 2
    assert report.verdict is Verdict.VERIFIED, (report.fault, report.warnings)


async def test_witnesses_are_lost_within_and_beyond_the_quorum(tmp_path: Path) -> None:
    """Without one of three the game goes on; without two it ends, and when they are back that is proved too."""
    gone: list[Program] = []
    with witnessed_house(tmp_path) as (var, programs):

        def lose(step: Step) -> None:
            """One when the hakem is drawn, another when the first round is dealt."""
            if isinstance(step.event.content, HakemDrawn | Dealt):
                gone.append(programs[len(gone)])
                gone[-1].popen.send_signal(signal.SIGSTOP)

        async with house(var) as found, house_bots(found.address, var), guest(found.address, var) as player:
            await found.publisher.wait_witnessed(0)  # all three are up before anything waits for them
            table_id = await player.open_table(replace(RULES, turn_seconds=12, away_seconds=0), (1, 2, 3))
            sitting = await player.sit(table_id, 0, choose=by_chance(2), watch=lose)
            ending = await sitting.over
            for program in gone:
                program.popen.send_signal(signal.SIGCONT)
            assert len(gone) == 2
            assert isinstance(ending, ServerFault)
            assert ending.cause is ServerFaultCause.NO_WITNESS
            await found.publisher.wait_witnessed(found.log.position(table_id, sitting.table.version))
            report = await player.verify(table_id)
    assert report.verdict is Verdict.WITH_WARNINGS, report.fault
    assert "SERVER_FAULT" in {warning.code for warning in report.warnings}


async def test_a_house_without_a_quorum_opens_no_such_table(tmp_path: Path) -> None:
    """It says so at once."""
    async with house(tmp_path) as found, guest(found.address, tmp_path) as player:
        with pytest.raises(NoWitnessesHere):
            await player.open_table(RULES)
