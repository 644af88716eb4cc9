# SPDX-License-Identifier: Apache-2.0
"""How a person comes to a table: where one sits already one comes back, and opens no other."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from hokm.errors import SeatedElsewhere
from hokm.events import GameStarted
from hokm.rules import TableRules
from hokm_client.entering import Wish, _table, seated_at
from hokm_client.stream import Step
from tests.client.visits import guest, house, house_bots

SHORT = TableRules(target=3)


async def test_whoever_sits_somewhere_comes_back_there_until_they_leave(tmp_path: Path) -> None:
    """A new table is refused before it is opened; a game that one has left is nobody's way back."""
    begun = asyncio.Event()

    def watch(step: Step) -> None:
        if isinstance(step.event.content, GameStarted):
            begun.set()

    async with (
        house(tmp_path) as found,
        house_bots(found.address, tmp_path),
        guest(found.address, tmp_path) as one,
        guest(found.address, tmp_path) as two,
    ):
        table_id = await one.open_table(SHORT, (1, 3))
        sitting = await one.sit(table_id, 0, watch=watch)
        await two.sit(table_id, 2)
        await begun.wait()
        assert await seated_at(one) == await _table(one, Wish(quick=SHORT)) == table_id
        with pytest.raises(SeatedElsewhere):
            await _table(one, Wish(opens=SHORT))
        assert len(await two.connection.list_tables()) == 1
        await sitting.leave()
        assert await seated_at(one) is None
        assert await seated_at(two) == table_id
        assert await _table(one, Wish(quick=SHORT)) != table_id
