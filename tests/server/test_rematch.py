# SPDX-License-Identifier: Apache-2.0
"""Rematches over real sockets: the same rules and players, a new log that names the old, seats kept for a minute."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from hokm.entry import parse_entry
from hokm.events import Join, SeatKind, TableOpened
from hokm.table import Over, Table
from hokm.v1 import rules_pb2
from hokm.v1 import tables_service_pb2 as pb
from hokm.wire import read_event
from hokm_server.admission import KEPT_MS
from tests.server.callers import SHORT, Caller, Visit, error_of, told_by, visiting
from tests.server.manual_clock import ManualClock

FORBIDDEN = grpc.StatusCode.PERMISSION_DENIED


@pytest.fixture
def clock() -> ManualClock:
    """Turned by hand."""
    return ManualClock()


@pytest.fixture
async def visit(tmp_path: Path, clock: ManualClock) -> AsyncIterator[Visit]:
    """A fresh server."""
    async with visiting(tmp_path / "var", clock) as visit:
        yield visit


def again(visit: Visit, caller: Caller, game: bytes) -> Any:
    """A call that asks for a rematch."""
    return visit.tables.OpenTable(pb.OpenTableRequest(rematch_of=game), metadata=caller.metadata)


def joining(caller: Caller) -> Join:
    """The act."""
    return Join(SeatKind.PERSON, caller.key.public, os.urandom(32))


def begin(visit: Visit, entry: bytes) -> None:
    """Turn to a new table, where nobody has moved."""
    visit.table, visit.leaves = None, []
    visit.take([entry])
    for caller in visit.callers:
        caller.moves = 0


async def reason_of(call: Any) -> tuple[grpc.StatusCode, str]:
    """Code and reason that a call is refused with."""
    code, reason, _ = told_by(await error_of(call))
    return code, reason


async def test_four_play_once_more_in_their_seats(visit: Visit) -> None:
    """All four ask at once and get one table; nobody else sits down there meanwhile, and the new game verifies."""
    game = await visit.seat_four(rules_pb2.TableRules(target=3, tea=True))
    await visit.play_game()
    answers = await asyncio.gather(*[again(visit, caller, game) for caller in visit.callers])
    assert len({(answer.table_id, answer.entry) for answer in answers}) == 1
    opened = read_event(parse_entry(answers[0].entry).body).content
    assert isinstance(opened, TableOpened)
    assert opened.rematch_of == game
    assert (opened.rules.target, opened.rules.tea) == (3, True)
    begin(visit, answers[0].entry)
    foe = await visit.enter(Caller(2))
    assert await reason_of(visit.act(foe, joining(foe))) == (FORBIDDEN, "SEAT_KEPT")
    wrong = visit.callers[0]
    wrong.seat = 1
    assert await reason_of(visit.act(wrong, joining(wrong))) == (FORBIDDEN, "SEAT_KEPT")
    wrong.seat = 0
    for caller in visit.callers:
        await visit.act(caller, joining(caller))
    table: Table = await visit.play_game()
    assert isinstance(table.stage, Over)
    assert (await again(visit, visit.callers[1], game)).table_id != answers[0].table_id


async def test_only_its_players_ask_for_one_and_only_at_the_end(visit: Visit) -> None:
    """Others, and players who are too early, are told so; so is who names no table."""
    game = await visit.seat_four()
    player, foe = visit.callers[0], await visit.enter(Caller(0))
    assert await reason_of(again(visit, player, game)) == (grpc.StatusCode.FAILED_PRECONDITION, "NOT_OVER_YET")
    await visit.play_game()
    assert await reason_of(again(visit, foe, game)) == (FORBIDDEN, "NOT_OF_THAT_GAME")
    assert await reason_of(again(visit, player, bytes(15))) == (grpc.StatusCode.INVALID_ARGUMENT, "WRONG_LENGTH")
    assert await reason_of(again(visit, player, os.urandom(16))) == (grpc.StatusCode.NOT_FOUND, "UNKNOWN_TABLE")


async def test_seats_are_kept_for_a_minute_and_then_anybodys(visit: Visit, clock: ManualClock) -> None:
    """Until then no list and no quick seat leads a stranger there."""
    game = await visit.seat_four()
    await visit.play_game()
    player, foe = visit.callers[0], await visit.enter(Caller(3))
    opened = await again(visit, player, game)
    begin(visit, opened.entry)

    async def found(caller: Caller) -> list[bytes]:
        request = pb.ListTablesRequest(with_free_seat=True)
        answer = await visit.tables.ListTables(request, metadata=caller.metadata)
        return [table.table_id for table in answer.tables]

    assert (await found(player), await found(foe)) == ([opened.table_id], [])
    clock.turn(KEPT_MS - 1)
    assert await reason_of(visit.act(foe, joining(foe))) == (FORBIDDEN, "SEAT_KEPT")
    clock.turn(1)
    quick = await visit.tables.QuickSeat(pb.QuickSeatRequest(rules=SHORT), metadata=foe.metadata)
    assert quick.table_id == opened.table_id
    await visit.act(foe, joining(foe))


async def test_a_rematch_is_kept_and_private_after_a_restart(tmp_path: Path, clock: ManualClock) -> None:
    """The same table for who asks again, the same seats, and the code for its players alone."""
    async with visiting(tmp_path / "var", clock) as visit:
        host = await visit.enter(Caller(0))
        visit.callers = [host, *[await visit.enter(Caller(seat)) for seat in (1, 2, 3)]]
        request = pb.OpenTableRequest(rules=SHORT, private=True)
        first = await visit.tables.OpenTable(request, metadata=host.metadata)
        visit.take([first.entry])
        for caller in visit.callers:
            await visit.act(caller, joining(caller), join_code=first.join_code)
        await visit.play_game()
        opened = await again(visit, host, first.table_id)
        assert opened.join_code not in ("", first.join_code)
        callers = visit.callers
    async with visiting(tmp_path / "var", clock) as visit:
        visit.callers = [await visit.enter(caller) for caller in callers]
        begin(visit, opened.entry)
        asked = await again(visit, visit.callers[2], first.table_id)
        assert (asked.table_id, asked.join_code) == (opened.table_id, opened.join_code)
        foe = await visit.enter(Caller(1))
        refused = visit.act(foe, joining(foe), join_code=opened.join_code)
        assert await reason_of(refused) == (FORBIDDEN, "SEAT_KEPT")
        for caller in visit.callers:
            await visit.act(caller, joining(caller), join_code=opened.join_code)
        await visit.play_game()
