# SPDX-License-Identifier: Apache-2.0
"""Tables over real sockets: bytes that are no moves, one stream with everything on it, and what lists show."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from hokm.deal import commitment
from hokm.entry import leaf, sign_move
from hokm.events import Act, Commit, Join, Leave, Move, NameTrump, Play, SeatKind
from hokm.table import Ceremony
from hokm.v1 import rules_pb2
from hokm.v1 import tables_service_pb2 as pb
from hokm.wire import MOST_MOVE_BYTES, write_move
from hokm_server.bell import Bell
from hokm_server.feed import Outbox
from tests.server.callers import SHORT, Caller, Visit, error_of, told_by, visiting
from tests.server.manual_clock import ManualClock

INVALID = grpc.StatusCode.INVALID_ARGUMENT


@pytest.fixture
async def visit(tmp_path: Path) -> AsyncIterator[Visit]:
    """A fresh server."""
    async with visiting(tmp_path / "var") as visit:
        yield visit


async def refused(call: Any) -> tuple[grpc.StatusCode, str]:
    """Code and reason that a call is refused with."""
    code, reason, _ = told_by(await error_of(call))
    return code, reason


def signed(visit: Visit, table_id: bytes, caller: Caller, act: Act, **head: Any) -> pb.SignedAct:
    """A move by hand."""
    table = visit.found.tables.table(table_id)
    fields: dict[str, Any] = {
        "game_id": bytes(32) if isinstance(act, Join) else table.game_id,
        "round": table.round,
        "attempt": table.attempt,
        "seat": caller.seat,
        "number": caller.moves,
        "seen_version": table.version,
        "seen_hash": visit.found.tables.leaf(table_id),
        "protest": None,
        "act": act,
    }
    body = write_move(Move(**{**fields, **head}))
    return pb.SignedAct(table_id=table_id, move=body, signature=sign_move(body, caller.key))


def commit(visit: Visit, table_id: bytes, caller: Caller) -> Commit:
    """To a number that is kept."""
    stage = visit.found.tables.table(table_id).stage
    assert isinstance(stage, Ceremony)
    number = caller.numbers.setdefault(stage.ctx, os.urandom(32))
    return Commit(commitment(stage.ctx, caller.seat, caller.key.public, number))


# Bytes that are no moves.


async def test_what_is_no_move_is_malformed_and_changes_nothing(visit: Visit) -> None:
    """Not protobuf, not in its one spelling, too long, with a signature of another length; the game goes on."""
    table_id = await visit.seat_four()
    caller = visit.callers[0]
    good = signed(visit, table_id, caller, commit(visit, table_id, caller))
    body = good.move
    bodies = {
        "empty": b"",
        "no protobuf": b"\xff" * 40,
        "cut": body[:-1],
        "with an unknown field": body + b"\xfa\x7f\x00",
        "with a field twice": body + body,
        "in another order": body[34:] + body[:34],
        "too long": body + bytes(MOST_MOVE_BYTES),
    }
    acts = [
        pb.SignedAct(table_id=table_id, move=move, signature=sign_move(move, caller.key)) for move in bodies.values()
    ]
    acts += [pb.SignedAct(table_id=table_id, move=body, signature=good.signature[:length]) for length in (0, 63)]
    before = visit.found.tables.table(table_id)
    for act in acts:
        code, reason = await refused(visit.tables.Act(pb.ActRequest(act=act), metadata=caller.metadata))
        assert code is INVALID, reason
    bad = pb.SignedAct(table_id=table_id, move=body, signature=bytes(64))
    assert await refused(visit.tables.Act(pb.ActRequest(act=bad), metadata=caller.metadata)) == (
        INVALID,
        "BAD_SIGNATURE",
    )
    assert visit.found.tables.table(table_id) == before
    await visit.play_game()


async def test_seats_and_pages_out_of_range_are_said_so(visit: Visit) -> None:
    """In every request that names them."""
    table_id = await visit.seat_four()
    metadata = visit.callers[0].metadata
    for call in (
        visit.tables.OpenTable(pb.OpenTableRequest(rules=SHORT, bot_seats=[4]), metadata=metadata),
        visit.tables.CallBots(pb.CallBotsRequest(table_id=table_id, seats=[9]), metadata=metadata),
        visit.tables.Watch(pb.WatchRequest(table_id=table_id, seats=[4]), metadata=metadata),
        visit.tables.ListTables(pb.ListTablesRequest(page_size=101), metadata=metadata),
        visit.tables.OpenTable(pb.OpenTableRequest(rules=rules_pb2.TableRules(turn_seconds=3601)), metadata=metadata),
    ):
        assert await refused(call) == (INVALID, "OUT_OF_RANGE")
    not_a_target = pb.OpenTableRequest(rules=rules_pb2.TableRules(target=4))
    assert await refused(visit.tables.OpenTable(not_a_target, metadata=metadata)) == (INVALID, "NOT_A_TARGET")
    unknown = pb.OpenTableRequest(rules=rules_pb2.TableRules(packets=3))  # type: ignore[arg-type]
    assert await refused(visit.tables.OpenTable(unknown, metadata=metadata)) == (INVALID, "OUT_OF_RANGE")
    policy = pb.OpenTableRequest(rules=rules_pb2.TableRules(timeout_policy="timeout-2"))
    assert await refused(visit.tables.OpenTable(policy, metadata=metadata)) == (INVALID, "NOT_UNDERSTOOD")


async def test_each_kind_of_refusal_has_its_code(visit: Visit) -> None:
    """Rule, conflict, another's seat, the operator's own."""
    table_id = await visit.seat_four()
    one, other = visit.callers[0], visit.callers[1]
    rule = signed(visit, table_id, one, Play(3))
    conflict = signed(visit, table_id, one, commit(visit, table_id, one), number=7)
    foreign = signed(visit, table_id, other, Leave())
    free = await visit.tables.OpenTable(pb.OpenTableRequest(rules=SHORT), metadata=one.metadata)
    bot = Caller(2)
    as_bot = signed(visit, free.table_id, bot, Join(SeatKind.BOT, bot.key.public, bytes(32)))
    denied = grpc.StatusCode.PERMISSION_DENIED
    for act, expected in (
        (rule, (grpc.StatusCode.FAILED_PRECONDITION, "WRONG_PHASE")),
        (conflict, (grpc.StatusCode.ABORTED, "NUMBER_NOT_NEXT")),
        (foreign, (denied, "SEAT_NOT_YOURS")),
        (as_bot, (denied, "NOT_AN_OPERATOR")),
    ):
        assert await refused(visit.tables.Act(pb.ActRequest(act=act), metadata=one.metadata)) == expected


# One stream.


class PlayStream:
    """A Play call, and what has come on it."""

    def __init__(self, visit: Visit, caller: Caller) -> None:
        self.call = visit.tables.Play(metadata=caller.metadata)
        self.entries: list[bytes] = []
        self.refusals: list[pb.Refusal] = []
        self.ends: list[int] = []
        self.again: list[tuple[int, bytes]] = []

    async def ask(self, **request: Any) -> None:
        """Send one message."""
        await self.call.write(pb.PlayRequest(**request))

    async def until(self, come: Any) -> None:
        """Read until something has come."""
        async with asyncio.timeout(30):
            while not come():
                answer = await self.call.read()
                assert answer is not grpc.aio.EOF
                for update in answer.updates:
                    if update.entries and update.first_version == len(self.entries):
                        self.entries += update.entries
                    elif update.entries:
                        self.again.append((update.first_version, update.entries[0]))
                    self.refusals += update.refusals
                    if update.end:
                        self.ends.append(update.end)


async def test_a_game_comes_whole_on_every_stream(visit: Visit) -> None:
    """In the order of the table; the last word is that the game is over."""
    table_id = await visit.seat_four()
    streams = [PlayStream(visit, caller) for caller in visit.callers]
    for stream in streams:
        await stream.ask(attach=[pb.Attach(table_id=table_id)])
        await stream.until(lambda stream=stream: len(stream.entries) == 7)
    await visit.play_game()
    for stream in streams:
        await stream.until(lambda stream=stream: bool(stream.ends))
        assert stream.ends == [pb.STREAM_END_GAME_OVER]
        assert [leaf(entry) for entry in stream.entries] == visit.leaves
        stream.call.cancel()


async def test_a_refusal_comes_on_the_stream_that_asked_and_names_the_move(visit: Visit) -> None:
    """By the hash of its bytes; the stream goes on, also after what is no move at all."""
    table_id = await visit.seat_four()
    caller, other = visit.callers[0], visit.callers[1]
    asking, listening = PlayStream(visit, caller), PlayStream(visit, other)
    for stream in (asking, listening):
        await stream.ask(attach=[pb.Attach(table_id=table_id)])
        await stream.until(lambda stream=stream: len(stream.entries) == 7)
    wrong = [
        signed(visit, table_id, caller, NameTrump(1)),
        pb.SignedAct(table_id=table_id, move=b"nothing", signature=bytes(64)),
        pb.SignedAct(table_id=os.urandom(16), move=signed(visit, table_id, caller, Leave()).move, signature=bytes(64)),
    ]
    await asking.ask(acts=wrong)
    await asking.until(lambda: len(asking.refusals) == 3)
    assert [refusal.move_hash for refusal in asking.refusals] == [hashlib.sha256(act.move).digest() for act in wrong]
    assert [refusal.reason for refusal in asking.refusals] == ["WRONG_PHASE", "NOT_CANONICAL", "UNKNOWN_TABLE"]
    good = signed(visit, table_id, caller, commit(visit, table_id, caller))
    await asking.ask(acts=[good])
    for stream in (asking, listening):
        await stream.until(lambda stream=stream: len(stream.entries) == 8)
    assert listening.refusals == []
    asking.call.cancel()
    listening.call.cancel()


async def test_the_same_bytes_on_a_stream_get_the_same_entry(visit: Visit) -> None:
    """Twice in one message, again later, and on a stream that has attached nothing."""
    table_id = await visit.seat_four()
    caller = visit.callers[0]
    stream, bare = PlayStream(visit, caller), PlayStream(visit, caller)
    await stream.ask(attach=[pb.Attach(table_id=table_id, seats=[0])])
    good = signed(visit, table_id, caller, commit(visit, table_id, caller))
    await stream.ask(acts=[good, good])
    await stream.until(lambda: len(stream.entries) == 8)
    await stream.ask(acts=[good])
    await stream.until(lambda: stream.again)
    assert stream.again[-1] == (7, stream.entries[7])
    await bare.ask(acts=[good])
    await bare.until(lambda: bare.again)
    assert bare.again == [(7, stream.entries[7])]
    assert not stream.refusals
    assert not bare.refusals
    stream.call.cancel()
    bare.call.cancel()


async def test_what_cannot_be_attached_is_refused_on_the_stream(visit: Visit) -> None:
    """A table that there is not, a version that is not there yet, a seat of somebody else; the rest is attached."""
    table_id = await visit.seat_four()
    stream = PlayStream(visit, visit.callers[0])
    await stream.ask(
        attach=[
            pb.Attach(table_id=os.urandom(16)),
            pb.Attach(table_id=table_id, after_version=99),
            pb.Attach(table_id=table_id, seats=[1]),
            pb.Attach(table_id=table_id, seats=[7]),
            pb.Attach(table_id=table_id, seats=[0]),
        ]
    )
    await stream.until(lambda: len(stream.entries) == 7)
    reasons = [refusal.reason for refusal in stream.refusals]
    assert reasons == ["UNKNOWN_TABLE", "UNKNOWN_VERSION", "SEAT_NOT_YOURS", "OUT_OF_RANGE"]
    await stream.ask(detach=[table_id])
    await stream.until(lambda: stream.ends)
    assert stream.ends == [pb.STREAM_END_DETACHED]
    stream.call.cancel()


async def test_a_stream_that_is_closed_ends(visit: Visit) -> None:
    """Everything that was asked for on it is answered first."""
    table_id = await visit.seat_four()
    caller = visit.callers[0]
    stream = PlayStream(visit, caller)
    await stream.ask(acts=[signed(visit, table_id, caller, commit(visit, table_id, caller))])
    await stream.call.done_writing()
    await stream.until(lambda: stream.again)
    assert await stream.call.read() is grpc.aio.EOF


class Waited(Bell):
    """A bell that tells when somebody waits for it, and what waited in the outbox then."""

    def __init__(self, outbox: Outbox) -> None:
        super().__init__()
        self.begun = asyncio.Event()
        self.most_bytes = 0
        self._outbox = outbox

    async def wait(self) -> None:
        """Tell, and wait."""
        self.begun.set()
        self.most_bytes = max(self.most_bytes, self._outbox._bytes)
        await super().wait()


async def test_who_asks_and_does_not_read_does_not_fill_the_server(visit: Visit) -> None:
    """It is listened to no more until it reads, and then gets every answer; everybody else is served meanwhile."""
    table_id = await visit.seat_four()
    stream = PlayStream(visit, visit.callers[0])
    nonsense = pb.PlayRequest(acts=[pb.SignedAct(table_id=table_id, move=bytes(500), signature=bytes(64))] * 50)
    messages = 1000  # gRPC itself holds some 4 MB of answers, which are half of them
    await stream.ask(attach=[pb.Attach(table_id=table_id)])
    await stream.until(lambda: stream.entries)
    (subscription,) = visit.found.tables._live[table_id].feed.subscriptions
    outbox = subscription.outbox
    outbox.most_bytes = 1 << 16
    taken = outbox._taken = Waited(outbox)

    async def flood() -> None:
        for _ in range(messages):
            await stream.call.write(nonsense)

    flooding = asyncio.create_task(flood())
    await taken.begun.wait()
    await visit.play_game()
    assert taken.most_bytes < 2 * outbox.most_bytes
    await stream.until(lambda: len(stream.refusals) == 50 * messages)
    await flooding
    stream.call.cancel()


# Lists.


async def test_tables_are_listed_newest_first_in_pages(tmp_path: Path) -> None:
    """Each once; those with a free seat alone where asked; what is over is not listed and can be looked at."""
    clock = ManualClock()
    async with visiting(tmp_path / "var", clock) as visit:
        await list_in_pages(visit, clock)


async def list_in_pages(visit: Visit, clock: ManualClock) -> None:
    caller = await visit.enter(Caller(0))
    ids = []
    for _ in range(5):
        answer = await visit.tables.OpenTable(pb.OpenTableRequest(rules=SHORT), metadata=caller.metadata)
        ids.append(answer.table_id)
        clock.turn(1)
    full = await visit.seat_four()
    listed, token = [], ""
    while True:
        asked = pb.ListTablesRequest(page_size=2, page_token=token)
        page = await visit.tables.ListTables(asked, metadata=caller.metadata)
        listed += [table.table_id for table in page.tables]
        token = page.next_page_token
        if not token:
            break
    assert listed == [full, *reversed(ids)]
    asked = pb.ListTablesRequest(with_free_seat=True)
    page = await visit.tables.ListTables(asked, metadata=caller.metadata)
    assert [table.table_id for table in page.tables] == list(reversed(ids))
    await visit.play_game()
    page = await visit.tables.ListTables(pb.ListTablesRequest(), metadata=caller.metadata)
    assert full not in [table.table_id for table in page.tables]
    found = await visit.tables.GetTable(pb.GetTableRequest(table_id=full), metadata=caller.metadata)
    assert found.table.phase == pb.TABLE_PHASE_OVER


async def test_a_table_abandoned_before_its_start_can_be_looked_at(visit: Visit) -> None:
    """Nobody sits there."""
    operator, bot = await visit.enter(Caller(0, visit.found.keys.operator)), Caller(0)
    answer = await visit.tables.OpenTable(pb.OpenTableRequest(rules=SHORT), metadata=operator.metadata)
    for turn in range(64):
        act: Act = Leave() if turn % 2 else Join(SeatKind.BOT, bot.key.public, bytes(32))
        move = signed(visit, answer.table_id, bot, act)
        await visit.tables.Act(pb.ActRequest(act=move), metadata=operator.metadata)
        bot.moves += 1
    found = await visit.tables.GetTable(pb.GetTableRequest(table_id=answer.table_id), metadata=operator.metadata)
    assert found.table.phase == pb.TABLE_PHASE_OVER
    assert not any(seat.public_key for seat in found.table.seats)


async def test_rules_that_are_left_out_are_those_of_the_game(visit: Visit) -> None:
    """A short turn takes a shorter time to be away, too."""
    caller = await visit.enter(Caller(0))
    for asked, turn, away in ((None, 30, 10), (8, 8, 3), (1, 1, 0)):
        rules = rules_pb2.TableRules() if asked is None else rules_pb2.TableRules(turn_seconds=asked)
        answer = await visit.tables.OpenTable(pb.OpenTableRequest(rules=rules), metadata=caller.metadata)
        made = visit.found.tables.table(answer.table_id).rules
        assert (made.turn_seconds, made.away_seconds, made.target) == (turn, away, 7)
