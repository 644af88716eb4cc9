# SPDX-License-Identifier: Apache-2.0
"""Looking for a table over real sockets: lists by rules, and quick seats of many who come at once."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from hokm.events import Join, SeatKind
from hokm.v1 import log_service_pb2, rules_pb2
from hokm.v1 import tables_service_pb2 as pb
from hokm_server import lobby
from hokm_server.tables import OPENED
from tests.server.callers import SHORT, Caller, Visit, error_of, told_by, visiting
from tests.server.counted import Counted

LIVELY = rules_pb2.TableRules(target=5, tea=True, runs=True)
CLASSIC = rules_pb2.TableRules()


@pytest.fixture
async def visit(tmp_path: Path) -> AsyncIterator[Visit]:
    """A fresh server."""
    async with visiting(tmp_path / "var") as visit:
        yield visit


async def opened(visit: Visit, caller: Caller, rules: rules_pb2.TableRules, **asked: Any) -> bytes:
    """A new table's id."""
    request = pb.OpenTableRequest(rules=rules, **asked)
    return bytes((await visit.tables.OpenTable(request, metadata=caller.metadata)).table_id)


async def found(visit: Visit, caller: Caller, **asked: Any) -> list[bytes]:
    """The tables that a list has, a page for each."""
    ids: list[bytes] = []
    page = ""
    while True:
        request = pb.ListTablesRequest(page_size=1, page_token=page, **asked)
        answer = await visit.tables.ListTables(request, metadata=caller.metadata)
        ids += [table.table_id for table in answer.tables]
        page = answer.next_page_token
        if not page:
            return ids


def quick(visit: Visit, caller: Caller, rules: rules_pb2.TableRules = SHORT) -> Any:
    """A call that asks for a seat."""
    return visit.tables.QuickSeat(pb.QuickSeatRequest(rules=rules), metadata=caller.metadata)


async def sit(visit: Visit, caller: Caller, table_id: bytes) -> bool:
    """Take the first free seat, trying again as long as there is one: whether that went well."""
    for _ in range(64):
        answer = await visit.tables.GetTable(pb.GetTableRequest(table_id=table_id), metadata=caller.metadata)
        free = [seat for seat, taken in enumerate(answer.table.seats) if not taken.public_key]
        if not free or answer.table.phase != pb.TABLE_PHASE_SEATING:
            return False
        one = Visit(visit.found, visit.channel)
        asked = log_service_pb2.GetEntriesRequest(table_id=table_id)
        one.take(list((await visit.log.GetEntries(asked)).entries))
        caller.seat = free[0]
        with contextlib.suppress(grpc.aio.AioRpcError):
            await one.act(caller, Join(SeatKind.PERSON, caller.key.public, os.urandom(32)))
            return True
    raise AssertionError("the seats are never taken")


# Lists.


async def test_looking_through_many_tables_lets_others_have_their_turn(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For a list that finds none, and for a quick seat that has to be at a new table."""
    caller = await visit.enter(Caller(0))
    for _ in range(20):
        await opened(visit, caller, CLASSIC)
    monkeypatch.setattr(lobby, "AT_ONCE", 4)
    counted = Counted(visit.found.tables.is_running)
    monkeypatch.setattr(visit.found.tables, "is_running", counted)
    assert await found(visit, caller, rules=LIVELY) == []
    await quick(visit, caller, LIVELY)
    assert counted.stop() == 4
    assert len(await found(visit, caller)) == 21


async def test_a_page_that_nobody_was_told_of_is_not_understood(visit: Visit) -> None:
    """A token is what an answer brought."""
    caller = await visit.enter(Caller(0))
    request = pb.ListTablesRequest(page_token="the next, please")
    refusal = told_by(await error_of(visit.tables.ListTables(request, metadata=caller.metadata)))
    assert refusal[:2] == (grpc.StatusCode.INVALID_ARGUMENT, "NOT_UNDERSTOOD")


async def test_a_list_shows_the_tables_of_the_rules_that_are_looked_for(visit: Visit) -> None:
    """By single values, false ones too, and by all of them; newest first, page by page."""
    host = await visit.enter(Caller(0))
    short, lively, classic = [await opened(visit, host, rules) for rules in (SHORT, LIVELY, CLASSIC)]
    assert await found(visit, host) == [classic, lively, short]
    for having, ids in (
        (pb.RulesWanted(), [classic, lively, short]),
        (pb.RulesWanted(target=3), [short]),
        (pb.RulesWanted(tea=True), [lively]),
        (pb.RulesWanted(tea=False), [classic, short]),
        (pb.RulesWanted(tea=False, target=7, rated=False), [classic]),
        (pb.RulesWanted(silent=True), []),
    ):
        assert await found(visit, host, having=having) == ids
    assert await found(visit, host, rules=CLASSIC) == [classic]
    assert await found(visit, host, rules=rules_pb2.TableRules(target=7, turn_seconds=30)) == [classic]
    assert await found(visit, host, rules=rules_pb2.TableRules(turn_seconds=31)) == []
    code, reason, _ = told_by(
        await error_of(
            visit.tables.ListTables(pb.ListTablesRequest(rules=rules_pb2.TableRules(target=4)), metadata=host.metadata)
        )
    )
    assert (code, reason) == (grpc.StatusCode.INVALID_ARGUMENT, "NOT_A_TARGET")


async def test_a_seat_that_a_bot_is_about_to_take_is_not_free(visit: Visit) -> None:
    """Neither in a list nor for who wants a quick one."""
    host = await visit.enter(Caller(0))
    full = await opened(visit, host, SHORT, bot_seats=[0, 1, 2, 3])
    one_left = await opened(visit, host, SHORT, bot_seats=[0, 1, 2])
    assert await found(visit, host, with_free_seat=True) == [one_left]
    assert set(await found(visit, host)) == {one_left, full}
    assert (await quick(visit, host)).table_id == one_left


def test_every_rule_that_can_be_looked_for_is_a_rule() -> None:
    """The two messages name and type them alike."""
    rules = rules_pb2.TableRules.DESCRIPTOR.fields_by_name
    for field in pb.RulesWanted.DESCRIPTOR.fields:
        assert rules[field.name].type == field.type


# Quick seats.


async def test_a_quick_seat_is_at_the_oldest_table_of_these_rules(visit: Visit) -> None:
    """Not at a private one, not at one of other rules; where there is none a table is opened."""
    host, guest = [await visit.enter(Caller(seat)) for seat in range(2)]
    await opened(visit, host, SHORT, private=True)
    await opened(visit, host, LIVELY)
    first = (await quick(visit, guest)).table_id
    assert first == (await found(visit, guest))[0]
    await opened(visit, host, SHORT)
    assert (await quick(visit, host)).table_id == first
    assert (await quick(visit, guest, rules_pb2.TableRules(target=3, turn_seconds=30))).table_id == first


async def test_all_who_come_at_once_meet_at_one_table(visit: Visit) -> None:
    """Before the first entry of it is written, too."""
    callers = [await visit.enter(Caller(seat)) for seat in range(8)]
    answers = await asyncio.gather(*[quick(visit, caller) for caller in callers])
    assert len({answer.table_id for answer in answers}) == 1
    assert len(await found(visit, callers[0])) == 1


async def test_twelve_who_want_quick_seats_fill_three_tables(visit: Visit) -> None:
    """Whoever is too late asks again."""

    async def seated(caller: Caller) -> bytes:
        while True:
            table_id = bytes((await quick(visit, caller)).table_id)
            if await sit(visit, caller, table_id):
                return table_id

    callers = [await visit.enter(Caller(0)) for _ in range(12)]
    tables = await asyncio.gather(*map(seated, callers))
    assert sorted(tables.count(table_id) for table_id in set(tables)) == [4, 4, 4]
    assert {(table_id, caller.seat) for table_id, caller in zip(tables, callers, strict=True)} == {
        (table_id, seat) for table_id in set(tables) for seat in range(4)
    }


async def test_what_cannot_be_opened_is_refused_to_who_asks_alone(visit: Visit) -> None:
    """A caller whose share is used up finds tables of others all the same."""
    host, guest = [await visit.enter(Caller(seat)) for seat in range(2)]
    for _ in range(OPENED):
        await opened(visit, host, LIVELY)
    code, reason, _ = told_by(await error_of(quick(visit, host)))
    assert (code, reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_OPENED")
    table_id = (await quick(visit, guest)).table_id
    assert (await quick(visit, host)).table_id == table_id
    code, reason, _ = told_by(await error_of(quick(visit, guest, rules_pb2.TableRules(witnessed=True))))
    assert (code, reason) == (grpc.StatusCode.FAILED_PRECONDITION, "NO_WITNESSES_HERE")


async def test_a_quick_seat_is_at_the_same_table_after_a_restart(tmp_path: Path) -> None:
    """Tables that wait for players are still there."""
    async with visiting(tmp_path / "var") as visit:
        host = await visit.enter(Caller(0))
        table_id = (await quick(visit, host)).table_id
    async with visiting(tmp_path / "var") as visit:
        assert (await quick(visit, await visit.enter(host))).table_id == table_id
