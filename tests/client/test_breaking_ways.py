# SPDX-License-Identifier: Apache-2.0
"""Ways to a real server that break at every entry of a game by the `house` preset, those of one side and the other."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

from hokm.events import GameEndCause, GameEnded
from hokm.table import Table
from hokm_client.sitting import Sitting
from hokm_client.stream import Step
from tests.client.test_house_rules import RULES, Eager
from tests.client.visits import Way, guest, house


class Seen:
    """What one player was told; its way breaks at every other entry."""

    def __init__(self, seat: int, way: Way) -> None:
        self._seat = seat
        self.way = way
        self.versions: list[int] = []
        self.entries: list[bytes] = []
        self.tables: list[Table] = []

    def __call__(self, step: Step) -> None:
        """One more entry."""
        self.versions.append(step.event.version)
        self.entries.append(step.entry)
        self.tables.append(step.after)
        if step.event.version % 2 == self._seat % 2:
            self.way.cut()


async def test_a_lively_game_goes_on_while_ways_break(tmp_path: Path) -> None:
    """Each player is told every entry once, has the table that all have, and plays on with the cards it was dealt."""
    async with AsyncExitStack() as stack:
        found = await stack.enter_async_context(house(tmp_path))
        sittings: list[Sitting] = []
        seen: list[Seen] = []
        table_id = b""
        for seat in range(4):
            way = await stack.enter_async_context(Way(found.address))
            person = Eager(await stack.enter_async_context(guest(way.address, tmp_path, f"p{seat}")), seat == 2)
            table_id = table_id or await person.player.open_table(RULES)
            seen.append(Seen(seat, way))
            sittings.append(
                await person.player.sit(table_id, seat, choose=person.choose, besides=person.besides, watch=seen[-1])
            )
        endings = await asyncio.wait_for(asyncio.gather(*(sitting.over for sitting in sittings)), 100)
    for ending in endings:
        assert isinstance(ending, GameEnded)
        assert ending.cause is GameEndCause.TARGET
    for one in seen:
        assert one.versions == list(range(len(seen[0].versions)))
        assert one.way.made > len(one.versions) / 4  # of entries that come together one breaks it
        assert (one.entries, one.tables) == (seen[0].entries, seen[0].tables)
