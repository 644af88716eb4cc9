# SPDX-License-Identifier: Apache-2.0
"""One seat for each person, wherever else it asks for one; what is the operator's sits at many tables."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

import grpc
import pytest

from hokm.errors import HokmError, LogNotWritable, NotAbsent, SeatedElsewhere, SeatNotFree
from hokm.events import Join, Leave, Return, SeatKind
from hokm.table import Over
from hokm.v1 import rules_pb2
from hokm.v1 import tables_service_pb2 as pb
from hokm_server.live import Made
from tests.server.callers import SHORT, Caller, error_of, told_by, visiting
from tests.server.room import BOT, PERSON, TWO_AND_BOTS, Room, Seated, committing, playing

HOUR_MS = 3_600_000


def elsewhere(player: Seated, seat: int = 0) -> Seated:
    """The same key, as it comes to another table."""
    return Seated(seat, player.kind, player.key, player.viewer)


async def at_once(room: Room, player: Seated, tables: Sequence[bytes]) -> list[Made | HokmError]:
    """What one key is answered that asks for a seat at each of these tables in one instant."""
    asked: list[asyncio.Future[Made | HokmError]] = []
    for table_id in tables:
        future: asyncio.Future[Made | HokmError] = asyncio.get_running_loop().create_future()
        asked.append(future)
        signed = room.signed(table_id, elsewhere(player), Join(PERSON, player.key.public, room.octets()))
        room.sending(table_id, player, signed)(future.set_result)
    return [await asyncio.wait_for(future, 10) for future in asked]


async def is_refused(room: Room, player: Seated, there: bytes) -> bytes:
    """The key gets no seat at a new table, and is told where it has one; that table's id."""
    other = await room.open()
    with pytest.raises(SeatedElsewhere) as refused:
        await room.join(other, elsewhere(player))
    assert refused.value.facts == {"table": there.hex()}
    assert room.kinds(other) == ["TableOpened"]
    return other


async def is_free(room: Room, player: Seated) -> None:
    """The key gets a seat at a new table; it gives it back."""
    other, again = await room.open(), elsewhere(player)
    await room.join(other, again)
    await room.act(other, again, Leave())


async def test_of_two_seats_asked_for_at_once_one_is_had(room: Room) -> None:
    """Whichever is asked first, of however many; before any of it is on the disk."""
    tables, player = [await room.open() for _ in range(4)], room.somebody(0)
    first, *others = await at_once(room, player, tables)
    assert isinstance(first, Made)
    assert [type(other) for other in others] == [SeatedElsewhere] * 3
    assert [room.kinds(table_id)[1:] for table_id in tables] == [["Join"], [], [], []]


async def test_a_seat_is_given_up_by_leaving(room: Room) -> None:
    """Before the start; the same bytes are answered as they were, wherever their player sits by now."""
    first, player = await room.open(), room.somebody(0)
    joined = room.signed(first, player, Join(PERSON, player.key.public, room.octets()))
    made = await room.send(first, player, joined)
    player.moves += 1
    await is_refused(room, player, first)
    left = room.signed(first, player, Leave())
    gone = await room.send(first, player, left)
    second, again = await room.open(), elsewhere(player)
    await room.join(second, again)
    assert (await room.send(first, player, joined)).entry == made.entry
    assert (await room.send(first, player, left)).entry == gone.entry
    await is_refused(room, player, second)
    with pytest.raises(SeatedElsewhere):
        await room.join(first, elsewhere(player, 2))


async def test_who_has_left_a_game_sits_elsewhere_or_comes_back(room: Room) -> None:
    """Not both; who is only stood in for has a seat all the same."""
    table_id, players = await room.seat_four()
    await room.play(table_id, playing)
    await room.act(table_id, players[1], Leave())
    await room.stand_in(table_id, 1)
    second, again = await room.open(), elsewhere(players[1])
    await room.join(second, again)
    with pytest.raises(SeatedElsewhere):
        await room.act(table_id, players[1], Return())
    assert "Return" not in room.kinds(table_id)
    await room.act(second, again, Leave())
    await room.act(table_id, players[1], Return())
    await is_refused(room, players[1], table_id)
    with pytest.raises(NotAbsent):
        await room.act(table_id, players[2], Return())
    await is_refused(room, players[2], table_id)
    await room.finish(table_id)
    for player in players:
        await is_free(room, player)


async def test_a_return_and_a_seat_elsewhere_at_once(room: Room) -> None:
    """Whichever is asked first."""
    table_id, players = await room.seat_four()
    await room.act(table_id, players[0], Leave())
    other = await room.open()
    outcomes: list[object] = []
    back = room.signed(table_id, players[0], Return())
    join = room.signed(other, elsewhere(players[0]), Join(PERSON, players[0].key.public, room.octets()))
    room.sending(table_id, players[0], back)(outcomes.append)
    room.sending(other, players[0], join)(outcomes.append)
    await room.settle()
    refused, made = outcomes
    assert isinstance(refused, SeatedElsewhere)
    assert isinstance(made, Made)
    assert room.kinds(other) == ["TableOpened"]


async def test_what_was_refused_keeps_no_seat(room: Room, expected_errors: list[str]) -> None:
    """A seat that was taken, a game that is full, a disk that is."""
    table_id, (first, *_) = await room.seat_four()
    other = await room.open()
    await room.join(other, room.somebody(0))
    player = room.somebody(0)
    for there in (other, table_id):
        with pytest.raises(SeatNotFree):
            await room.join(there, player)
    player.seat = 1
    expected_errors += ["batches were not written", "entries of table"]
    room.disk_full = True
    with pytest.raises(LogNotWritable):
        await room.join(other, player)
    room.disk_full = False
    await is_free(room, player)
    await is_refused(room, first, table_id)


async def test_the_end_of_a_table_frees_all_who_sat_there(room: Room) -> None:
    """Abandoned before its start, by its last player, and by the house's fault."""
    waiting, early = await room.open(), room.somebody(0)
    await room.join(waiting, early)
    await room.turn(HOUR_MS)
    await is_free(room, early)
    table_id, players = await room.seat_four()
    for player in players:
        await room.act(table_id, player, Leave())
    assert isinstance(room.table(table_id).stage, Over)
    for player in players:
        await is_free(room, player)


async def test_a_fault_of_the_house_frees_its_players(room: Room, expected_errors: list[str]) -> None:
    """The table is over with it."""
    expected_errors.append("a sealed number of table")
    table_id, players = await room.seat_four()
    await room.play(table_id, lambda table: not committing(table))
    await room.step(table_id)
    name = next(name for name in room.store.sealed(table_id) if name.seat < 4)
    await room.stop()
    room.start_without(table_id, name)
    await room.settle()
    assert room.kinds(table_id)[-1] == "ServerFault"
    for player in players:
        await is_free(room, player)


async def test_a_server_that_starts_again_knows_who_sits_where(room: Room) -> None:
    """Those who wait, those who play, and of those who have left that they have."""
    waiting, early = await room.open(), room.somebody(3)
    await room.join(waiting, early)
    table_id, players = await room.seat_four()
    await room.act(table_id, players[2], Leave())
    await room.restart()
    await is_refused(room, early, waiting)
    for player in (players[0], players[1], players[3]):
        await is_refused(room, player, table_id)
    await is_free(room, players[2])


async def test_bots_and_stand_ins_sit_at_many_tables(room: Room) -> None:
    """They are all the operator's."""
    for _ in range(2):
        table_id, players = await room.seat_four(kinds=TWO_AND_BOTS)
        await room.act(table_id, players[0], Leave())
        await room.play(table_id, playing)
        assert room.table(table_id).places[0].stand_in is not None
    third, bot = await room.open(), room.somebody(0, BOT)
    await room.join(third, bot)


async def test_a_second_seat_is_refused_by_every_way(tmp_path: Path) -> None:
    """At an open table, a private one, by a quick seat and in a rematch; each says where the first one is."""
    async with visiting(tmp_path / "var") as visit:
        game = await visit.seat_four()
        await visit.play_game()
        player = visit.callers[0]
        held = await visit.tables.OpenTable(pb.OpenTableRequest(rules=SHORT), metadata=player.metadata)

        async def sit(opened: pb.OpenTableResponse) -> None:
            visit.table, visit.leaves, player.moves = None, [], 0
            visit.take([opened.entry])
            join = Join(SeatKind.PERSON, player.key.public, os.urandom(32))
            await visit.act(player, join, join_code=opened.join_code)

        await sit(held)
        expected = (grpc.StatusCode.PERMISSION_DENIED, "SEATED_ELSEWHERE", {"table": held.table_id.hex()})
        guest = await visit.enter(Caller(1))
        for request in (
            pb.OpenTableRequest(rules=SHORT),
            pb.OpenTableRequest(rules=SHORT, private=True),
            pb.OpenTableRequest(rematch_of=game),
        ):
            opened = await visit.tables.OpenTable(request, metadata=player.metadata)
            assert told_by(await error_of(sit(opened))) == expected
        for rules in (SHORT, rules_pb2.TableRules(target=5)):
            quick = visit.tables.QuickSeat(pb.QuickSeatRequest(rules=rules), metadata=player.metadata)
            assert told_by(await error_of(quick)) == expected
        tables = (await visit.tables.ListTables(pb.ListTablesRequest(), metadata=guest.metadata)).tables
        assert [any(seat.public_key for seat in table.seats) for table in tables] == [False, False, True]
