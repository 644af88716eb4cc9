# SPDX-License-Identifier: Apache-2.0
"""Sitting down, where several want one seat at once or somebody clicks twice: one entry, and the same answer again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from hokm.errors import HokmError, NumberNotNext, SeatNotFree
from hokm.events import Join, Leave, SignedMove
from hokm.v1 import rules_pb2
from hokm.v1 import tables_service_pb2 as pb
from hokm_server.live import Made
from tests.server.callers import Caller, visiting
from tests.server.room import PERSON, Room, Seated

RIVALS = 6
CLICKS = 5


async def sent(room: Room, table_id: bytes, moves: Sequence[tuple[Seated, SignedMove]]) -> list[Made | HokmError]:
    """What is answered to moves that come in one instant."""
    answers: list[asyncio.Future[Made | HokmError]] = []
    for player, signed in moves:
        answers.append(asyncio.get_running_loop().create_future())
        room.sending(table_id, player, signed)(answers[-1].set_result)
    return [await asyncio.wait_for(answer, 10) for answer in answers]


def joining(room: Room, table_id: bytes, player: Seated) -> tuple[Seated, SignedMove]:
    """A Join, and whose it is."""
    return player, room.signed(table_id, player, Join(PERSON, player.key.public, room.octets()))


async def test_of_those_who_want_the_last_seat_one_gets_it(room: Room) -> None:
    """The game begins with that one; the others are told that the seat is taken, however often they ask."""
    table_id = await room.open()
    for seat in range(3):
        await room.join(table_id, room.somebody(seat))
    moves = [joining(room, table_id, room.somebody(3)) for _ in range(RIVALS)]
    first, *others = await sent(room, table_id, moves)
    assert isinstance(first, Made)
    assert [type(other) for other in others] == [SeatNotFree] * (RIVALS - 1)
    assert room.kinds(table_id) == ["TableOpened", *["Join"] * 4, "GameStarted", "CeremonyOpened"]
    again = await sent(room, table_id, moves)
    assert [type(answer) for answer in again] == [Made, *[SeatNotFree] * (RIVALS - 1)]
    assert room.table(table_id).places[3].public_key == moves[0][0].key.public


async def test_who_clicks_twice_sits_once(room: Room) -> None:
    """The same bytes at once and later are answered alike; another seat of the same number is refused."""
    table_id, player = await room.open(), room.somebody(1)
    click = joining(room, table_id, player)
    elsewhere = room.signed(table_id, player, Join(PERSON, player.key.public, room.octets()), seat=2)
    *answers, refused = await sent(room, table_id, [*[click] * CLICKS, (player, elsewhere)])
    answers += await sent(room, table_id, [click])
    assert {(answer.version, answer.entry) for answer in answers if isinstance(answer, Made)} == {
        (1, room.entries(table_id)[1])
    }
    assert len(answers) == CLICKS + 1
    assert isinstance(refused, NumberNotNext)
    player.moves += 1
    leaving = player, room.signed(table_id, player, Leave())
    assert len({answer.version for answer in await sent(room, table_id, [leaving] * CLICKS)}) == 1  # type: ignore[union-attr]
    assert room.kinds(table_id) == ["TableOpened", "Join", "Leave"]


async def test_who_asks_for_two_quick_seats_at_once_is_led_to_one_table(tmp_path: Path) -> None:
    """No second one is opened, for however many who ask however often."""
    async with visiting(tmp_path / "var") as visit:
        callers = [await visit.enter(Caller(0)) for _ in range(3)]
        request = pb.QuickSeatRequest(rules=rules_pb2.TableRules(target=3))
        asked = [visit.tables.QuickSeat(request, metadata=caller.metadata) for caller in callers for _ in range(CLICKS)]
        assert len({answer.table_id for answer in await asyncio.gather(*asked)}) == 1
        listed = await visit.tables.ListTables(pb.ListTablesRequest(), metadata=callers[0].metadata)
        assert len(listed.tables) == 1
