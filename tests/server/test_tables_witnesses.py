# SPDX-License-Identifier: Apache-2.0
"""Tables that wait for witnesses: the server brings the set before them, and fails the game where they do not come."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hokm.errors import NotOpenYet
from hokm.events import CommitSetWitnessed, GameEnded, Leave, Reopened, Reveal, ServerFault, ServerFaultCause
from hokm.rules import TableRules
from hokm.table import Ceremony
from hokm.verify import Verdict
from hokm_server import witnesses as witnesses_module
from hokm_server.draft import Beside
from tests.server.room import TWO_AND_BOTS, Room, committing, revealing
from tests.server.room_witnesses import RoomWitnesses
from tests.simulation.stories import waiting

RULES = TableRules(target=3, witnessed=True)
TURN = 30_000


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    """A room with witnesses, who are not there yet; the verifier judges its logs at the end."""
    room = Room(tmp_path, witnessed=True)
    witnesses(room).there.clear()
    try:
        yield room
        await room.audit()
    finally:
        await room.stop()


def witnesses(room: Room) -> RoomWitnesses:
    """Those of the room."""
    assert room.witnesses is not None
    return room.witnesses


async def wait(room: Room) -> bytes:
    """A table whose set, in the draw, waits."""
    table_id, _ = await room.seat_four(RULES)
    await room.play(table_id, waiting)
    return table_id


async def test_a_whole_game_is_played_with_witnesses(room: Room) -> None:
    """Each set is seen by a quorum before a number is shown, and there is nothing to warn of."""
    witnesses(room).there.set()
    room.publish()
    table_id, _ = await room.seat_four(RULES, TWO_AND_BOTS)
    await room.finish(table_id)
    kinds = room.kinds(table_id)
    assert all(kinds[at + 1] == "CommitSetWitnessed" for at, kind in enumerate(kinds) if kind == "CommitSetClosed")
    report = await room.judge(table_id)
    assert report.verdict is Verdict.VERIFIED, report.warnings


async def test_no_number_is_taken_before(room: Room) -> None:
    """A Reveal that comes too early is refused, and its number with it."""
    table_id = await wait(room)
    stage = room.table(table_id).stage
    assert isinstance(stage, Ceremony)
    assert stage.commit_set is not None
    player = room.holder(table_id, 0)
    with pytest.raises(NotOpenYet):
        await room.act(table_id, player, Reveal(stage.ctx, stage.commit_set), Beside(player.numbers[stage.ctx]))
    await room.seen()
    await room.decide(table_id, 0)


async def test_without_witnesses_it_is_a_fault_of_the_house(room: Room) -> None:
    """At the end of the wait, and nobody seeks any more."""
    table_id = await wait(room)
    await room.turn(TURN - 1)
    assert waiting(room.table(table_id))
    await room.turn(1)
    fault = room.last(table_id)
    assert isinstance(fault, ServerFault)
    assert (fault.cause, fault.seats, fault.received) == (ServerFaultCause.NO_WITNESS, (), ())
    assert len(fault.house_number) == 32
    assert room.tables._witnesses is not None
    assert room.tables._witnesses._sought == {}


async def test_who_is_last_to_leave_ends_the_game_and_the_wait(room: Room) -> None:
    """Nobody waits for witnesses of a game that nobody plays."""
    table_id = await wait(room)
    for seat in range(4):
        await room.act(table_id, room.holder(table_id, seat), Leave())
    assert isinstance(room.last(table_id), GameEnded)
    assert room.tables._witnesses is not None
    assert room.tables._witnesses._sought == {}


async def test_what_could_not_be_written_is_written_later(room: Room, expected_errors: list[str]) -> None:
    """The disk is full when the witnesses come."""
    expected_errors += ["were not written"]
    table_id = await wait(room)
    room.disk_full = True
    await room.seen()
    assert waiting(room.table(table_id))
    room.disk_full = False
    await room.turn(1000)
    assert isinstance(room.last(table_id), CommitSetWitnessed)


@pytest.mark.parametrize("down_ms", [0, TURN - 1])
async def test_a_wait_outlasts_a_restart(room: Room, down_ms: int) -> None:
    """It goes on where it was, and witnesses are sought again."""
    table_id = await wait(room)
    await room.restart(down_ms)
    assert waiting(room.table(table_id))
    await room.seen()
    assert room.kinds(table_id)[-2:] == ["CommitSetClosed", "CommitSetWitnessed"]


async def test_a_wait_that_ran_out_while_the_house_was_down_begins_anew_once(room: Room) -> None:
    """By a Reopened that names nobody; the second time it is the fault of the house."""
    table_id = await wait(room)
    await room.restart(TURN)
    assert room.last(table_id) == Reopened(())
    assert waiting(room.table(table_id))
    await room.restart(TURN - 1)
    assert room.last(table_id) == Reopened(())
    await room.restart(1)
    fault = room.last(table_id)
    assert isinstance(fault, ServerFault)
    assert fault.cause is ServerFaultCause.NO_WITNESS


async def test_a_table_that_began_anew_goes_on(room: Room) -> None:
    """To the end, with the verifier's blessing."""
    table_id = await wait(room)
    await room.crash(3 * TURN)
    await room.finish(table_id)


async def test_many_tables_wait_at_once(room: Room) -> None:
    """Each goes on with the witnesses of its own set."""
    tables = [await wait(room) for _ in range(3)]
    witnesses(room).there.set()
    for table_id in tables:
        await room.play(table_id, lambda table: revealing(table) and not waiting(table))
        shown = room.last(table_id)
        assert isinstance(shown, CommitSetWitnessed)
        assert shown.index == room.store.position(table_id, room.table(table_id).version - 1)
    for table_id in tables:
        await room.play(table_id, committing)


async def test_cosignatures_that_fit_into_no_entry_are_none(
    room: Room, monkeypatch: pytest.MonkeyPatch, expected_errors: list[str]
) -> None:
    """The table waits to the end, and the operator is told why."""
    expected_errors += ["do not fit into an entry"]
    monkeypatch.setattr(witnesses_module, "MOST_NOTE_BYTES", 400)
    table_id = await wait(room)
    await room.seen()
    assert waiting(room.table(table_id))
    await room.turn(TURN)
    assert isinstance(room.last(table_id), ServerFault)
