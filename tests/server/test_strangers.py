# SPDX-License-Identifier: Apache-2.0
"""Strangers and the tables of others, over real sockets: they take no more than their share, and spoil none."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from hokm.events import Join, Leave, SeatKind
from hokm.v1 import log_service_pb2
from hokm.v1 import tables_service_pb2 as pb
from hokm_server.live import MOVES_BEFORE_START, MOVES_OF_ADDRESS
from hokm_server.tables import OPENED
from tests.server.callers import SHORT, Caller, Visit, error_of, stranger, told_by, visiting
from tests.server.manual_clock import ManualClock

USED_UP, FORBIDDEN = grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.PERMISSION_DENIED
MOST_TABLES = 4 * (OPENED + 4)


@pytest.fixture
def clock() -> ManualClock:
    """Turned by hand."""
    return ManualClock()


@pytest.fixture
async def visit(tmp_path: Path, clock: ManualClock) -> AsyncIterator[Visit]:
    """A server of whose tables one address may have opened four more than one caller."""
    async with visiting(tmp_path / "var", clock, most_tables=MOST_TABLES) as visit:
        yield visit


def opening(visit: Visit, caller: Caller) -> Any:
    """A call that opens a table."""
    return visit.tables.OpenTable(pb.OpenTableRequest(rules=SHORT), metadata=caller.metadata)


def sitting_down(caller: Caller) -> Join:
    """The act."""
    return Join(SeatKind.PERSON, caller.key.public, os.urandom(32))


async def test_whoever_opens_many_tables_leaves_room_for_others(visit: Visit, clock: ManualClock) -> None:
    """A key is refused at its share, new keys at that of their address; what is over counts no more."""
    first, second, third = [await visit.enter(Caller(0)) for _ in range(3)]
    for _ in range(OPENED):
        await opening(visit, first)
    assert told_by(await error_of(opening(visit, first))) == (USED_UP, "TOO_MANY_OPENED", {"most": str(OPENED)})
    for _ in range(4):
        await opening(visit, second)
    of_address = {"most": str(MOST_TABLES // 4)}
    assert told_by(await error_of(opening(visit, third))) == (USED_UP, "TOO_MANY_OPENED", of_address)
    async with stranger(visit, "127.0.0.2") as elsewhere:
        await opening(elsewhere, await elsewhere.enter(Caller(0)))
    operator = await visit.enter(Caller(0, visit.found.keys.operator))
    for _ in range(OPENED + 1):
        await opening(visit, operator)
    clock.turn(3_600_000)
    while visit.found.tables.running():
        await visit.log.GetCheckpoint(log_service_pb2.GetCheckpointRequest())
    await opening(visit, await visit.enter(third))


async def test_a_stranger_who_comes_and_goes_does_not_end_anothers_table(visit: Visit) -> None:
    """Neither with one key nor with many: there are moves left for the players, who then play to the end."""
    async with stranger(visit, "127.0.0.2") as home:
        home.callers = [await home.enter(Caller(seat)) for seat in range(4)]
        answer = await opening(home, home.callers[0])
        home.take([answer.entry])
        visit.take([answer.entry])
        await home.act(home.callers[0], sitting_down(home.callers[0]))
        for _ in range(MOVES_OF_ADDRESS // MOVES_BEFORE_START):
            foe = await visit.enter(Caller(1))
            for _ in range(MOVES_BEFORE_START):
                await visit.act(foe, sitting_down(foe))
                await visit.act(foe, Leave())
            await is_refused(visit, foe, MOVES_BEFORE_START)
        await is_refused(visit, await visit.enter(Caller(1)), MOVES_OF_ADDRESS)
        for player in home.callers[1:]:
            await home.act(player, sitting_down(player))
        await home.play_game()


async def is_refused(visit: Visit, caller: Caller, most: int) -> None:
    """The caller may not sit down again."""
    code, reason, facts = told_by(await error_of(visit.act(caller, sitting_down(caller))))
    assert (code, reason, facts) == (FORBIDDEN, "SAT_DOWN_TOO_OFTEN", {"most": str(most)})


async def test_a_seat_can_always_be_given_back(visit: Visit) -> None:
    """Whoever has used up its moves is not kept there, and somebody else takes the seat."""
    first, second = [await visit.enter(Caller(0)) for _ in range(2)]
    visit.take([(await opening(visit, first)).entry])
    for _ in range(MOVES_BEFORE_START):
        await visit.act(first, sitting_down(first))
        await visit.act(first, Leave())
    await visit.act(second, sitting_down(second))


async def test_bots_are_called_by_who_sits_there_or_opened_the_table(visit: Visit) -> None:
    """A stranger fills nobody's seats."""
    host, guest, foe = [await visit.enter(Caller(seat)) for seat in range(3)]
    answer = await opening(visit, host)
    visit.take([answer.entry])

    def calling(caller: Caller, seat: int) -> Any:
        asked = pb.CallBotsRequest(table_id=answer.table_id, seats=[seat])
        return visit.tables.CallBots(asked, metadata=caller.metadata)

    assert told_by(await error_of(calling(foe, 2))) == (FORBIDDEN, "NOT_AT_TABLE", {})
    await visit.act(guest, sitting_down(guest))
    assert told_by(await error_of(calling(foe, 2))) == (FORBIDDEN, "NOT_AT_TABLE", {})
    await calling(host, 2)
    await calling(guest, 3)
    assert [seat[:2] for seat in visit.found.tables.wanted.after(0)] == [(answer.table_id, 2), (answer.table_id, 3)]
