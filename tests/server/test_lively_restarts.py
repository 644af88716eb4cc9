# SPDX-License-Identifier: Apache-2.0
"""A server that stops in any phase of a game with every house rule on, and is started again.

Each evening leads one table through its phases; in each the server is restarted at once, while a move is on its way to
the disk, and after so long that every deadline has passed. The verifier judges each log when its test ends.
"""

from __future__ import annotations

import pytest

from hokm.events import Play
from hokm.table import Decision, Round, Table, expires_ms, stand_in_wanted, to_act
from hokm.table.state import to_answer
from hokm.v1 import tables_service_pb2 as pb
from tests.server.phases import EVENINGS, RULES
from tests.server.readers import WATCHER, Reader
from tests.server.room import Room
from tests.server.walk import Walk

DOWN_MS = 200_000
"""Longer than any deadline, and than tea."""


@pytest.mark.parametrize("evening", EVENINGS)
async def test_a_restart_in_any_phase_loses_nothing(room: Room, evening: str) -> None:
    """The table, its secrets and its deadlines are the same, every stream goes on without a gap, the game ends."""
    walk = Walk(room, await room.open(RULES))
    watcher = Reader(room, walk.table_id, WATCHER)
    for phase in EVENINGS[evening]:
        await phase.lead(walk)
        await watcher.read()
        assert phase.told(walk.table), phase.name
        await restart_unseen(walk)
        await restart_with_a_move_on_its_way(walk)
        assert phase.told(walk.table), phase.name
        watcher.attach()
        await watcher.read()
        await restart_after_long(walk)
        watcher.attach()
    await walk.until_over()
    await watcher.read()
    assert watcher.end == pb.STREAM_END_GAME_OVER
    assert watcher.entries == room.entries(walk.table_id)


async def restart_unseen(walk: Walk) -> None:
    """Nothing is different, and an alarm rings when the next deadline passes."""
    room, table_id = walk.room, walk.table_id
    before = walk.table, room.entries(table_id), room.live(table_id).secrets, room.live(table_id).releases
    wanted = room.tables.wanted.at(table_id)
    await room.restart()
    assert (walk.table, room.entries(table_id), room.live(table_id).secrets, room.live(table_id).releases) == before
    assert room.tables.wanted.at(table_id) == wanted
    if stand_in_wanted(walk.table) is None:
        assert [alarm.ms for alarm in room.clock.alarms] == [expires_ms(walk.table)]


async def restart_with_a_move_on_its_way(walk: Walk) -> None:
    """It has not happened; the move is the one that ends the round where there is one."""
    room, table = walk.room, walk.table
    if not to_act(table) or stand_in_wanted(table) is not None:
        return
    seat = to_act(table)[0][0]
    act, beside = room.decision(walk.table_id, seat)
    if last := walk.last_cards():
        act = Play(last[0])
    await room.crash_with(walk.table_id, room.holder(walk.table_id, seat), act, beside)


async def restart_after_long(walk: Walk) -> None:
    """What has run out begins anew, with its whole length; clocks stood while tea was drunk, and tea is over."""
    room, table_id, before = walk.room, walk.table_id, walk.table
    count, open_ = len(room.entries(table_id)), decisions(before)
    if any(decision.reopened for decision in open_):
        return
    await room.restart(DOWN_MS)
    after, now, kinds = walk.table, room.clock.ms, room.kinds(table_id)[count:]
    if before.tea is not None and before.tea.pause is not None:
        assert kinds[0] == "TeaEnded"
        if isinstance(before.stage, Round):
            left = [decision.deadline_ms - before.tea.pause.since_ms for decision in open_]
            assert [decision.deadline_ms - now for decision in decisions(after)] == left
    elif stand_in_wanted(before) is not None or not open_:
        assert after == before
    else:
        assert kinds == ["Reopened"]
        assert decisions(after) == [decision._replace(since_ms=now, reopened=True) for decision in open_]


def decisions(table: Table) -> list[Decision]:
    """All that are open or stand still, an ask for tea among them."""
    found = [decision for _, decision in to_act(table._replace(tea=None))]
    if table.tea is not None and to_answer(table):
        found.append(table.tea.ask)
    return found
