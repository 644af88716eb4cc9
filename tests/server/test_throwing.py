# SPDX-License-Identifier: Apache-2.0
"""Throwing things (H5): all see what lands, and nothing anywhere tells who threw it."""

from __future__ import annotations

import logging
from itertools import permutations

import pytest

from hokm.errors import (
    GameIsOver,
    NotAtYourself,
    OutOfRange,
    RuleOff,
    SeatNotYours,
    SeatStoodIn,
    TooManyThrows,
    WrongPhase,
)
from hokm.events import Leave, SeatKind
from hokm.rules import TableRules
from hokm.table import Round, Table
from hokm.v1 import tables_service_pb2 as pb
from hokm_server.auth import Viewer
from hokm_server.throwing import MOST_THROWS
from tests.server.room import Room, Seated

THROWING = TableRules(target=3, throwing=True)
ROSE, TOMATO = pb.THING_ROSE, pb.THING_TOMATO


async def seated(room: Room) -> tuple[bytes, list[Seated]]:
    """A table at which things may be thrown, in its first trick."""
    table_id, players = await room.seat_four(THROWING)
    await room.play(table_id, in_tricks)
    return table_id, players


def in_tricks(table: Table) -> bool:
    """Cards are played."""
    return isinstance(table.stage, Round) and table.stage.trump is not None


async def landed(room: Room, table_id: bytes, thrower: Seated, at: int) -> list[bytes]:
    """What every kind of viewer's stream is sent for one throw: each player's, and a stranger's."""
    viewers = [*(room.holder(table_id, seat).viewer for seat in range(4)), Viewer(room.octets(), False)]
    outboxes = [room.watch(table_id, viewer, after=room.table(table_id).version) for viewer in viewers]
    room.tables.throw(thrower.viewer, table_id, thrower.seat, at, ROSE)
    chunks = [await outbox.take() for outbox in outboxes]
    for outbox in outboxes:
        room.tables.unwatch(outbox)
    return [chunk for chunk in chunks if chunk is not None]


async def test_all_see_the_same_bytes_whoever_threw(room: Room) -> None:
    """For each thrower and each viewer: only what landed, and where."""
    table_id, players = await seated(room)
    for thrower, at in permutations(range(4), 2):
        expected = pb.PlayResponse(
            updates=[pb.TableUpdate(table_id=table_id, thrown=[pb.Thrown(at=at, thing=ROSE)])]
        ).SerializeToString()
        assert set(await landed(room, table_id, players[thrower], at)) == {expected}


async def test_nothing_is_left_of_a_throw(room: Room, caplog: pytest.LogCaptureFixture) -> None:
    """No row of any kind, no version, no line, no sign of life: the same whoever threw, and as if nobody had."""
    table_id, players = await seated(room)
    caplog.set_level(logging.DEBUG)
    live = room.live(table_id)
    before = (room.table(table_id), room.entries(table_id), room.store.size, room.store.sealed(table_id))
    signs, written = list(live.last_sign_ms), [batch for batch in room.appended if batch.entries]
    room.clock.ms += 5
    for player in players:
        for _ in range(MOST_THROWS):
            room.tables.throw(player.viewer, table_id, player.seat, player.seat ^ 1, TOMATO)
        with pytest.raises(TooManyThrows):
            room.tables.throw(player.viewer, table_id, player.seat, player.seat ^ 1, TOMATO)
    await room.settle()
    after = (room.table(table_id), room.entries(table_id), room.store.size, room.store.sealed(table_id))
    assert after == before
    assert live.last_sign_ms == signs
    assert [batch for batch in room.appended if any(batch[2:])] == written
    assert [record.message for record in caplog.records if record.name.startswith("hokm")] == []


async def test_three_throws_in_a_trick(room: Room) -> None:
    """The next trick has three more, and so has a server that starts again."""
    table_id, players = await seated(room)

    def thrown_by(player: Seated) -> int:
        for count in range(10):
            try:
                room.tables.throw(player.viewer, table_id, player.seat, player.seat ^ 2, ROSE)
            except TooManyThrows:
                return count
        return 10

    assert [thrown_by(player) for player in players] == [MOST_THROWS] * 4
    assert thrown_by(players[0]) == 0
    await room.play(table_id, lambda table: isinstance(table.stage, Round) and len(table.stage.history) == 1)
    assert thrown_by(players[0]) == MOST_THROWS
    await room.restart()
    assert thrown_by(players[0]) == MOST_THROWS


async def test_what_cannot_be_thrown(room: Room) -> None:
    """Each refusal has its reason, and nothing lands."""
    table_id, players = await seated(room)
    quiet, silent = await room.seat_four()
    waiting = await room.open(THROWING)
    stranger = Viewer(room.octets(), False)
    outbox = room.watch(table_id, stranger, after=room.table(table_id).version)
    one = players[1]
    for error, table, viewer, seat, at, thing in (
        (NotAtYourself, table_id, one.viewer, 1, 1, ROSE),
        (SeatNotYours, table_id, one.viewer, 2, 1, ROSE),
        (SeatNotYours, table_id, stranger, 1, 2, ROSE),
        (SeatNotYours, table_id, room.operator, 1, 2, ROSE),
        (OutOfRange, table_id, one.viewer, 1, 4, ROSE),
        (OutOfRange, table_id, one.viewer, 1, 2, pb.THING_UNSPECIFIED),
        (OutOfRange, table_id, one.viewer, 1, 2, 99),
        (RuleOff, quiet, silent[0].viewer, 0, 1, ROSE),
        (SeatNotYours, waiting, one.viewer, 0, 1, ROSE),
    ):
        with pytest.raises(error):
            room.tables.throw(viewer, table, seat, at, thing)  # type: ignore[arg-type]
    assert outbox.is_empty


async def test_neither_a_stand_in_nor_whom_it_stands_in_for_throws(room: Room) -> None:
    """Nor anybody before the start, nor after the end."""
    table_id, players = await seated(room)
    await room.act(table_id, players[1], Leave())
    await room.stand_in(table_id, 1)
    for viewer, error in ((players[1].viewer, SeatStoodIn), (room.operator, SeatNotYours)):
        with pytest.raises(error):
            room.tables.throw(viewer, table_id, 1, 2, ROSE)
    other = await room.open(THROWING)
    early = room.somebody(0)
    await room.join(other, early)
    with pytest.raises(WrongPhase):
        room.tables.throw(early.viewer, other, 0, 1, ROSE)
    await room.finish(table_id)
    with pytest.raises(GameIsOver):
        room.tables.throw(players[0].viewer, table_id, 0, 1, ROSE)


async def test_a_bot_throws_by_its_operator(room: Room) -> None:
    """As a person does."""
    table_id, players = await room.seat_four(THROWING, (SeatKind.BOT, *[SeatKind.PERSON] * 3))
    await room.play(table_id, in_tricks)
    outbox = room.watch(table_id, players[1].viewer, after=room.table(table_id).version)
    room.tables.throw(room.operator, table_id, 0, 1, TOMATO)
    assert not outbox.is_empty
