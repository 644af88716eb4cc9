# SPDX-License-Identifier: Apache-2.0
"""A stream that asks for much at once, over a real socket: it gets all of it, and nobody waits for that."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

from hokm.events import Leave, Move
from hokm.v1 import tables_service_pb2 as pb
from hokm.wire import write_move
from hokm_server.errors import DatabaseFailed
from hokm_server.live import LiveTable
from hokm_server.play_call import AT_ONCE
from hokm_server.watching import ATTACHED
from tests.server.callers import SHORT, Caller, Visit, error_of, told_by, visiting
from tests.server.counted import Counted

MOVE = write_move(Move(bytes(32), 0, 0, 0, 0, 0, bytes(32), None, Leave()))
USED_UP = grpc.StatusCode.RESOURCE_EXHAUSTED


@pytest.fixture
async def visit(tmp_path: Path) -> AsyncIterator[Visit]:
    """A fresh server."""
    async with visiting(tmp_path / "var") as visit:
        yield visit


async def read(call: Any, until: Callable[[list[pb.TableUpdate]], bool]) -> list[pb.TableUpdate]:
    """Everything up to there."""
    updates: list[pb.TableUpdate] = []
    while not until(updates):
        updates += (await call.read()).updates
    return updates


def refusals(updates: list[pb.TableUpdate]) -> list[pb.Refusal]:
    """All of them."""
    return [refusal for update in updates for refusal in update.refusals]


async def test_many_moves_in_one_message_let_others_have_their_turn(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is answered."""
    table_id = await visit.seat_four()
    act = pb.SignedAct(table_id=table_id, move=MOVE, signature=bytes(64))
    counted = Counted(visit.found.tables.act)
    monkeypatch.setattr(visit.found.tables, "act", counted)
    call = visit.tables.Play(metadata=visit.callers[0].metadata)
    await call.write(pb.PlayRequest(acts=[act] * 300))
    await read(call, lambda updates: len(refusals(updates)) == 300)
    assert counted.stop() <= AT_ONCE
    call.cancel()


async def test_many_attaches_in_one_message_let_others_have_their_turn(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one table, each anew: the last one is that which stands."""
    table_id = await visit.seat_four()
    counted = Counted(visit.found.tables.watch)
    monkeypatch.setattr(visit.found.tables, "watch", counted)
    call = visit.tables.Play(metadata=visit.callers[0].metadata)
    attach = [pb.Attach(table_id=table_id, after_version=version % 7) for version in range(ATTACHED)]
    await call.write(pb.PlayRequest(attach=attach, detach=[table_id]))
    await read(call, lambda updates: any(update.end for update in updates))
    assert counted.stop() <= AT_ONCE
    call.cancel()


async def test_a_message_attaches_no_more_than_a_caller_may(visit: Visit) -> None:
    """The stream ends with that; an operator's program may attach more."""
    table_id = await visit.seat_four()
    operator = await visit.enter(Caller(0, visit.found.keys.operator))
    request = pb.PlayRequest(attach=[pb.Attach(table_id=table_id)] * (ATTACHED + 1), detach=[table_id])
    call = visit.tables.Play(metadata=visit.callers[0].metadata)
    await call.write(request)
    assert told_by(await error_of(call)) == (USED_UP, "TOO_MANY_ATTACHED", {"most": str(ATTACHED)})
    call = visit.tables.Play(metadata=operator.metadata)
    await call.write(request)
    await read(call, lambda updates: any(update.end for update in updates))
    call.cancel()


async def test_one_caller_attaches_so_many_tables(visit: Visit) -> None:
    """On all its streams: one more is refused on the stream, until another one is detached."""
    operator = await visit.enter(Caller(0, visit.found.keys.operator))
    asked = pb.OpenTableRequest(rules=SHORT)
    tables = [(await visit.tables.OpenTable(asked, metadata=operator.metadata)).table_id for _ in range(ATTACHED + 1)]
    caller = await visit.enter(Caller(0))
    first, second = [visit.tables.Play(metadata=caller.metadata) for _ in range(2)]
    await first.write(pb.PlayRequest(attach=[pb.Attach(table_id=table_id) for table_id in tables[:-1]]))
    await read(first, lambda updates: len(updates) == ATTACHED)
    await second.write(pb.PlayRequest(attach=[pb.Attach(table_id=tables[-1])]))
    (update,) = await read(second, bool)
    assert [refusal.reason for refusal in update.refusals] == ["TOO_MANY_ATTACHED"]
    await first.write(pb.PlayRequest(detach=[tables[0]]))
    await read(first, bool)
    await second.write(pb.PlayRequest(attach=[pb.Attach(table_id=tables[-1])]))
    (update,) = await read(second, bool)
    assert len(update.entries) == 1
    for call in (first, second):
        call.cancel()


async def test_a_game_that_is_over_is_folded_beside_the_event_loop(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is asked of it, by whichever call."""
    table_id = await visit.seat_four()
    await visit.play_game()
    past, threads = visit.found.tables._past, []
    load = past._load

    def watched(table_id: bytes) -> LiveTable:
        threads.append(threading.current_thread())
        return load(table_id)

    monkeypatch.setattr(past, "_load", watched)
    metadata = visit.callers[0].metadata
    act = pb.SignedAct(table_id=table_id, move=MOVE, signature=bytes(64))
    playing = visit.tables.Play(metadata=metadata)
    for asking in (
        lambda: visit.tables.GetTable(pb.GetTableRequest(table_id=table_id), metadata=metadata),
        lambda: visit.tables.Watch(pb.WatchRequest(table_id=table_id), metadata=metadata).read(),
        lambda: error_of(visit.tables.Act(pb.ActRequest(act=act), metadata=metadata)),
        lambda: error_of(visit.tables.CallBots(pb.CallBotsRequest(table_id=table_id, seats=[0]), metadata=metadata)),
        lambda: error_of(visit.tables.Throw(pb.ThrowRequest(table_id=table_id), metadata=metadata)),
        lambda: playing.write(pb.PlayRequest(attach=[pb.Attach(table_id=table_id)])),
        lambda: playing.write(pb.PlayRequest(acts=[act])),
    ):
        past._folded.clear()
        before = len(threads)
        await asking()
        while len(threads) == before or table_id not in past:
            await asyncio.sleep(0)
    assert threading.main_thread() not in threads
    playing.cancel()


async def test_what_fails_on_the_servers_side_ends_the_stream_without_its_words(
    visit: Visit, monkeypatch: pytest.MonkeyPatch, expected_errors: list[str]
) -> None:
    """They name paths of its machine: no refusal carries them."""
    expected_errors.append("Play failed")

    def fail(table_id: bytes) -> int:
        raise DatabaseFailed("/secret/path", "the disk is broken")

    monkeypatch.setattr(visit.found.tables._store, "last_version", fail)
    caller = await visit.enter(Caller(0))
    for asked in (
        pb.PlayRequest(attach=[pb.Attach(table_id=bytes([1]) * 16)]),
        pb.PlayRequest(acts=[pb.SignedAct(table_id=bytes([1]) * 16, move=MOVE, signature=bytes(64))]),
    ):
        call = visit.tables.Play(metadata=caller.metadata)
        await call.write(asked)
        error = await error_of(call)
        assert error.code() is grpc.StatusCode.UNAVAILABLE
        assert "secret" not in repr(error)
