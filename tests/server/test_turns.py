# SPDX-License-Identifier: Apache-2.0
"""Turns: in which order those who wait are let in, and that no turn is lost."""

from __future__ import annotations

import asyncio

import pytest

from hokm_server.shares import Caller
from hokm_server.turns import Turns

GREEDY = Caller("greedy", "here")
NEIGHBOUR = Caller("neighbour", "here")
OTHER = Caller("other", "there")


class Work:
    """What waits for its turn, and the order in which it was done."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self.done: list[str] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def _do(self, caller: Caller, name: str) -> None:
        async with self._turns.of(caller):
            await asyncio.sleep(0)
            self.done.append(name)

    async def ask(self, caller: Caller, *names: str) -> None:
        """Wait for turns, in this order."""
        self.tasks += [asyncio.create_task(self._do(caller, name)) for name in names]
        await asyncio.sleep(0)


async def test_each_address_then_each_caller_has_its_turn() -> None:
    """Whoever asks for much waits for itself."""
    turns = Turns(1)
    work = Work(turns)
    async with turns.of(OTHER):
        await work.ask(GREEDY, "g1", "g2", "g3", "g4", "g5")
        await work.ask(NEIGHBOUR, "n1", "n2")
        await work.ask(OTHER, "o1", "o2")
    await asyncio.gather(*work.tasks)
    assert work.done == ["g1", "o1", "n1", "o2", "g2", "n2", "g3", "g4", "g5"]


async def test_so_many_work_at_once() -> None:
    """And no more, however many wait."""
    turns, working, most = Turns(3), 0, 0

    async def do() -> None:
        nonlocal working, most
        async with turns.of(GREEDY):
            working += 1
            most = max(most, working)
            await asyncio.sleep(0)
            working -= 1

    await asyncio.gather(*(do() for _ in range(10)))
    assert most == 3
    assert turns._free == 3
    assert not turns._waiting


async def test_who_goes_away_loses_nobodys_turn() -> None:
    """While it waits, as its turn comes, or while it works."""
    for goes in range(3):
        turns = Turns(1)
        work = Work(turns)
        await work.ask(GREEDY, "1", "2", "3")
        work.tasks[goes].cancel()
        await asyncio.gather(*work.tasks, return_exceptions=True)
        assert work.done == [name for number, name in enumerate("123") if number != goes]
        assert turns._free == 1
    turns = Turns(1)
    async with turns.of(OTHER):
        waiting = asyncio.create_task(Work(turns)._do(GREEDY, "late"))
        await asyncio.sleep(0)
    waiting.cancel()  # its turn has come, and it has not seen it yet
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert turns._free == 1
