# SPDX-License-Identifier: Apache-2.0
"""A game with witnesses from end to end: programs that anyone can run, a server that asks them, players that check."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import pytest

from hokm.errors import NoWitnessesHere
from hokm.events import CommitSetClosed, CommitSetWitnessed, GameEnded
from hokm.policy import Policy
from hokm.rules import TableRules
from hokm.verify import Verdict
from hokm_client.bot import random_legal
from hokm_client.stream import Step
from hokm_server.__main__ import main
from tests.auditor.witnesses import running
from tests.client.visits import guest, house, house_bots

RULES = TableRules(target=3, witnessed=True)


async def test_a_game_that_waits_for_witnesses(tmp_path: Path) -> None:
    """Two witnesses see every commit set before a number is shown, and the verifier has nothing to warn of."""
    var = tmp_path / "house"
    assert main(["keys", "create", "--var", str(var)]) == 0
    log = Policy.parse((var / "policy").read_bytes()).logs[0].vkey
    with contextlib.ExitStack() as programs:
        lines = []
        for name in ("one", "two"):
            witness = programs.enter_context(running(tmp_path / name, log))
            lines += ["--add", f"witness {name} {witness.vkey.format()} {witness.url}"]
        quorum = ["--add", "group both all one two", "--quorum", "both"]
        assert main(["keys", "policy", "--var", str(var), *lines, *quorum]) == 0
        steps: list[Step] = []
        chance = random.Random(1)
        async with house(var) as found, house_bots(found.address, var), guest(found.address, var) as player:
            await found.publisher.wait_witnessed(0)  # else the draw may come after a checkpoint that nobody has seen
            table_id = await player.open_table(RULES, (1, 2, 3))
            sitting = await player.sit(
                table_id, 0, choose=lambda question: random_legal(question, chance), watch=steps.append
            )
            assert isinstance(await sitting.over, GameEnded)
            report = await player.verify(table_id)
    kinds = [type(step.event.content) for step in steps]
    assert kinds.count(CommitSetWitnessed) == kinds.count(CommitSetClosed) > 3
    assert report.verdict is Verdict.VERIFIED, (report.fault, report.warnings)


async def test_a_house_without_a_quorum_opens_no_such_table(tmp_path: Path) -> None:
    """It says so at once."""
    async with house(tmp_path) as found, guest(found.address, tmp_path) as player:
        with pytest.raises(NoWitnessesHere):
            await player.open_table(RULES)
