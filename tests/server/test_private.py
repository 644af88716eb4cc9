# SPDX-License-Identifier: Apache-2.0
"""Private tables over real sockets: found by nobody, sat down at with the code, the same after a restart."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from hokm.errors import WrongJoinCode
from hokm.events import Join, Leave, SeatKind
from hokm.v1 import log_service_pb2
from hokm.v1 import tables_service_pb2 as pb
from hokm_server.private import LETTERS, age, check_code, is_private, join_code, new_table_id
from tests.server.callers import SHORT, Caller, Visit, error_of, told_by, visiting

FORBIDDEN = grpc.StatusCode.PERMISSION_DENIED
NOW = 1_800_000_000_000
SECRET = bytes(range(32))


@pytest.fixture
async def visit(tmp_path: Path) -> AsyncIterator[Visit]:
    """A fresh server."""
    async with visiting(tmp_path / "var") as visit:
        yield visit


# The id and the code.


def test_the_id_tells_what_is_private_and_how_old_it_is() -> None:
    """Younger tables come later, whether they are private or not."""
    salts = [os.urandom(10) for _ in range(4)]
    ids = [new_table_id(NOW + n, salt, private=n % 2 == 1) for n, salt in enumerate(salts)]
    assert [is_private(table_id) for table_id in ids] == [False, True, False, True]
    assert sorted(ids, key=age) == ids
    assert {len(table_id) for table_id in ids} == {16}


def test_the_code_follows_from_the_id_and_the_secret() -> None:
    """Eight letters; another table or another house has another one; an open table has none."""
    table_id, other = (new_table_id(NOW, bytes([n] * 10), private=True) for n in (1, 2))
    code = join_code(SECRET, table_id)
    assert len(code) == 8
    assert set(code) <= set(LETTERS)
    assert len({code, join_code(SECRET, other), join_code(bytes(32), table_id)}) == 3
    assert join_code(SECRET, new_table_id(NOW, bytes(10), private=False)) == ""
    check_code(SECRET, table_id, code.lower())
    for wrong in ("", code[:-1], code + "A", join_code(SECRET, other), "رمز"):
        with pytest.raises(WrongJoinCode):
            check_code(SECRET, table_id, wrong)


# At the table.


async def opened(visit: Visit, caller: Caller, private: bool = True) -> Any:
    """A new table."""
    return await visit.tables.OpenTable(pb.OpenTableRequest(rules=SHORT, private=private), metadata=caller.metadata)


async def listed(visit: Visit, caller: Caller) -> list[tuple[bytes, str]]:
    """The tables that the caller finds, and their codes."""
    answer = await visit.tables.ListTables(pb.ListTablesRequest(), metadata=caller.metadata)
    return [(table.table_id, table.join_code) for table in answer.tables]


async def shown(visit: Visit, caller: Caller, table_id: bytes) -> str:
    """The code that the caller is told."""
    answer = await visit.tables.GetTable(pb.GetTableRequest(table_id=table_id), metadata=caller.metadata)
    return str(answer.table.join_code)


def joining(caller: Caller) -> Join:
    """The act."""
    return Join(SeatKind.PERSON, caller.key.public, os.urandom(32))


async def test_four_friends_play_and_nobody_else_finds_them(visit: Visit) -> None:
    """Without the code there is no seat, and only who sits there or opened the table is told of it."""
    visit.callers = [await visit.enter(Caller(seat)) for seat in range(4)]
    host, guest, *others = visit.callers
    stranger = await visit.enter(Caller(3))
    answer = await opened(visit, host)
    table_id, code = answer.table_id, answer.join_code
    visit.take([answer.entry])
    assert await listed(visit, host) == [(table_id, code)]
    assert await listed(visit, guest) == []
    await visit.act(host, joining(host), join_code=code)
    for wrong in ("", "ABCDEFGH"):
        error = await error_of(visit.act(guest, joining(guest), join_code=wrong))
        assert told_by(error) == (FORBIDDEN, "WRONG_JOIN_CODE", {})
    await visit.act(guest, joining(guest), join_code=code)
    assert await listed(visit, guest) == [(table_id, code)]
    assert await shown(visit, stranger, table_id) == ""
    await visit.act(guest, Leave())
    assert await shown(visit, guest, table_id) == ""
    for caller in (guest, *others):
        await visit.act(caller, joining(caller), join_code=code)
    await visit.play_game()
    assert await listed(visit, host) == []
    answer = await visit.log.GetEntries(log_service_pb2.GetEntriesRequest(table_id=table_id, limit=1000))
    assert code.encode() not in b"".join(answer.entries)


async def test_an_open_table_has_no_code(visit: Visit) -> None:
    """And takes a Join that brings one."""
    host = await visit.enter(Caller(0))
    answer = await opened(visit, host, private=False)
    assert answer.join_code == ""
    visit.take([answer.entry])
    await visit.act(host, joining(host), join_code="ABCDEFGH")
    assert await listed(visit, await visit.enter(Caller(1))) == [(answer.table_id, "")]


async def test_a_private_table_stays_private_when_the_server_starts_again(tmp_path: Path) -> None:
    """With the same code; who sits there finds it."""
    async with visiting(tmp_path / "var") as visit:
        visit.callers = [await visit.enter(Caller(seat)) for seat in range(4)]
        answer = await opened(visit, visit.callers[0])
        code = answer.join_code
        visit.take([answer.entry])
        await visit.act(visit.callers[0], joining(visit.callers[0]), join_code=code)
        before = visit
    async with visiting(tmp_path / "var") as visit:
        visit.callers = [await visit.enter(caller) for caller in before.callers]
        visit.table, visit.leaves = before.table, before.leaves
        host, *others = visit.callers
        assert await listed(visit, others[0]) == []
        assert await listed(visit, host) == [(answer.table_id, code)]
        error = await error_of(visit.act(others[0], joining(others[0])))
        assert told_by(error) == (FORBIDDEN, "WRONG_JOIN_CODE", {})
        for caller in others:
            await visit.act(caller, joining(caller), join_code=code)
        await visit.play_game()
