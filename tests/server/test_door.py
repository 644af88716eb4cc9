# SPDX-License-Identifier: Apache-2.0
"""The door over real sockets: who holds many calls open keeps nobody else out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from hokm.v1 import log_service_pb2
from hokm.v1 import tables_service_pb2 as pb
from hokm_server.door import CALLS
from hokm_server.feed import WATCHERS
from tests.server.callers import SHORT, Caller, Visit, error_of, stranger, told_by, visiting


@pytest.fixture
async def visit(tmp_path: Path) -> AsyncIterator[Visit]:
    """A server of which one address holds what two callers may."""
    async with visiting(tmp_path / "var", most_calls=8 * CALLS, address_percent=25) as visit:
        yield visit


Opens = Callable[[], Any]


@asynccontextmanager
async def held(opens: Opens, count: int) -> AsyncIterator[list[Any]]:
    """So many calls that never end by themselves, each let in."""
    calls = [opens() for _ in range(count)]
    assert grpc.aio.EOF not in await asyncio.gather(*(call.read() for call in calls))
    yield calls
    for call in calls:
        call.cancel()


def looking(visit: Visit) -> Opens:
    """A call without a token that never ends."""
    stub = health_pb2_grpc.HealthStub(visit.channel)
    return lambda: stub.Watch(health_pb2.HealthCheckRequest())


async def tables(visit: Visit) -> list[bytes]:
    """As many as one caller has to watch to hold all its calls."""
    operator = await visit.enter(Caller(0, visit.found.keys.operator))
    asked = pb.OpenTableRequest(rules=SHORT)
    opened = [await visit.tables.OpenTable(asked, metadata=operator.metadata) for _ in range(CALLS // WATCHERS + 1)]
    return [answer.table_id for answer in opened]


def watching(visit: Visit, caller: Caller, tables: list[bytes]) -> Opens:
    """A call of a key that never ends."""
    watched = (table_id for table_id in tables for _ in range(WATCHERS))
    return lambda: visit.tables.Watch(pb.WatchRequest(table_id=next(watched)), metadata=caller.metadata)


async def is_refused(opens: Opens, most: int) -> None:
    """One more is refused, with how many there are."""
    code, reason, facts = told_by(await error_of(opens()))
    assert (code, reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_CALLS")
    assert facts == {"most": str(most)}


async def is_let_in(visit: Visit) -> None:
    """A call that anybody may make is answered."""
    await visit.log.GetCheckpoint(log_service_pb2.GetCheckpointRequest())


async def test_a_connection_that_holds_its_calls_keeps_nobody_out(visit: Visit) -> None:
    """Without a token: the next one is refused, another connection is let in, and what is given back is there."""
    async with held(looking(visit), CALLS) as calls, stranger(visit) as other:
        await is_refused(looking(visit), CALLS)
        await is_let_in(other)
        calls[0].cancel()
        while (await asyncio.gather(is_let_in(visit), return_exceptions=True))[0] is not None:
            await asyncio.sleep(0)


async def test_each_key_on_a_connection_has_a_share(visit: Visit) -> None:
    """A proxy brings many: who has signed in is counted by key, and who has not finds the connection free."""
    opened = await tables(visit)
    first, second = [watching(visit, await visit.enter(Caller(0)), opened) for _ in range(2)]
    async with held(first, CALLS), held(second, 1):
        await is_refused(first, CALLS)
        await is_let_in(visit)


async def test_an_address_that_holds_its_calls_keeps_nobody_out(visit: Visit) -> None:
    """A new key of it is refused; who comes from elsewhere is let in, and who has yet to sign in."""
    opened = await tables(visit)
    first, second, third = [watching(visit, await visit.enter(Caller(0)), opened) for _ in range(3)]
    async with (
        held(first, CALLS),
        held(second, CALLS),
        stranger(visit) as other,
        stranger(visit, "127.0.0.2") as elsewhere,
    ):
        await is_refused(third, 2 * CALLS)
        await is_let_in(other)
        await is_let_in(elsewhere)
        await is_refused(watching(visit, await visit.enter(Caller(0)), opened), 2 * CALLS)


async def test_whoever_watches_keeps_no_player_out(visit: Visit) -> None:
    """Of the same address, which holds all that it may: they play their game to the end, and sign in anew."""
    opened = await tables(visit)
    await visit.seat_four()
    guests = [watching(visit, await visit.enter(Caller(0)), opened) for _ in range(3)]
    async with held(guests[0], CALLS), held(guests[1], CALLS):
        await is_refused(guests[2], 2 * CALLS)
        for caller in visit.callers:
            await visit.enter(caller)
        await visit.play_game()


async def test_an_operators_program_holds_what_it_needs(visit: Visit) -> None:
    """More than anybody else, and at nobody's expense."""
    operator = await visit.enter(Caller(0, visit.found.keys.operator))
    async with held(watching(visit, operator, 3 * await tables(visit)), 2 * CALLS + 1):
        await is_let_in(visit)
