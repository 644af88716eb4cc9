# SPDX-License-Identifier: Apache-2.0
"""A server that stops at any entry or fails to write one: what was answered is there, the rest has not happened."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from hokm.deal import HOUSE_SEAT
from hokm.errors import LogNotWritable, StreamUsedUp
from hokm.events import (
    CeremonyVoided,
    Commit,
    Leave,
    Reopened,
    SeatKind,
    ServerFault,
    ServerFaultCause,
    TimedOut,
)
from hokm.rules import TableRules
from hokm.table import Ceremony, Round, expires_ms, stand_in_wanted, to_act
from hokm.verify import Code
from hokm_server import draft
from hokm_server.draft import NOTHING_BESIDE
from hokm_server.house_keys import EventKey
from hokm_server.live import Made
from tests.server.room import (
    TWO_AND_BOTS,
    Room,
    committing,
    dealt,
    in_turn,
    is_over,
    playing,
    revealing,
)

PATIENT = TableRules(target=3, away_seconds=0)
TURN = 30_000


async def play_with(room: Room, table_id: bytes, between: Callable[[bytes], Awaitable[None]]) -> None:
    """Honest steps to the end; up to the second deal, something is done between any two of them."""
    while not (room.table(table_id).round == 2 and playing(room.table(table_id))):
        await room.step(table_id)
        await between(table_id)
    await room.finish(table_id)
    await between(table_id)


async def restart_unseen(room: Room, table_id: bytes) -> None:
    """Stop and start at once: nothing is different."""
    before = room.table(table_id), room.entries(table_id)
    secrets = None if is_over(before[0]) else room.live(table_id).secrets
    wanted = [room.tables.wanted.kind(table_id, seat) for seat in range(4)]
    await room.restart()
    assert (room.table(table_id), room.entries(table_id)) == before
    if secrets is not None:
        assert room.live(table_id).secrets == secrets
    assert [room.tables.wanted.kind(table_id, seat) for seat in range(4)] == wanted


async def test_a_restart_between_any_two_moves_of_a_game_is_not_seen(room: Room) -> None:
    """The hands, the numbers in confidence, the entries and what is wanted are the same."""
    table_id, players = await room.seat_four(PATIENT, TWO_AND_BOTS)
    await restart_unseen(room, table_id)
    await room.play(table_id, dealt)
    await room.act(table_id, players[2], Leave())
    await restart_unseen(room, table_id)
    await play_with(room, table_id, lambda table_id: restart_unseen(room, table_id))


async def test_a_restart_while_players_sit_down_is_not_seen(room: Room) -> None:
    """Seats given back too."""
    table_id = await room.open(PATIENT, bots=[3])
    for seat in (0, 1, 2):
        player = room.somebody(seat)
        await room.join(table_id, player)
        await restart_unseen(room, table_id)
        await room.act(table_id, player, Leave())
        await restart_unseen(room, table_id)
        await room.join(table_id, player)
    assert room.tables.wanted.kind(table_id, 3) is SeatKind.BOT


async def reopened_once(room: Room, table_id: bytes) -> None:
    """Down until every open decision has run out: they begin anew, once, with their whole length."""
    table = room.table(table_id)
    if is_over(table):
        return
    open_ = dict(to_act(table))
    if any(decision.reopened for decision in open_.values()):
        await room.restart()
        assert room.table(table_id) == table
        return
    await room.restart(down_ms=4 * TURN)
    after = room.table(table_id)
    if stand_in_wanted(table) is not None:
        assert after == table
        return
    assert room.last(table_id) == Reopened(tuple(open_))
    assert after.version == table.version + 1
    anew = dict(to_act(after))
    assert anew == {seat: decision._replace(since_ms=room.clock.ms, reopened=True) for seat, decision in open_.items()}
    await room.restart()
    assert room.table(table_id) == after


async def test_deadlines_that_passed_while_the_house_was_down_begin_anew(room: Room) -> None:
    """Between any two moves of a game, nobody pays for it: no deadline is missed, no ceremony void."""
    table_id, players = await room.seat_four(PATIENT, TWO_AND_BOTS)
    await reopened_once(room, table_id)
    await room.play(table_id, playing)
    await room.act(table_id, players[0], Leave())
    await reopened_once(room, table_id)
    await play_with(room, table_id, lambda table_id: reopened_once(room, table_id))
    kinds = set(room.kinds(table_id))
    assert "Reopened" in kinds
    assert not kinds & {"TimedOut", "CeremonyVoided", "ServerFault"}
    assert all(place.missed == 0 for place in room.table(table_id).places)


async def test_a_decision_begins_anew_once(room: Room) -> None:
    """Where the house is down again until its deadline, the house acts: each decision of its own."""
    table_id, _ = await room.seat_four(PATIENT)
    await room.play(table_id, playing)
    await room.restart(TURN)
    await room.restart(TURN)
    assert room.kinds(table_id)[-2:] == ["Reopened", "TimedOut"]
    await room.restart(TURN)
    assert room.kinds(table_id)[-1] == "Reopened"
    await room.finish(table_id)


async def test_a_deadline_that_has_not_passed_stays_where_it_is(room: Room) -> None:
    """The time that is left is right to the millisecond, and the house acts at it."""
    table_id, _ = await room.seat_four(PATIENT)
    await room.play(table_id, playing)
    expires = expires_ms(room.table(table_id))
    assert expires is not None
    await room.restart(TURN - 1)
    assert expires_ms(room.table(table_id)) == expires
    assert isinstance(room.table(table_id).stage, Round)
    await room.turn(1)
    assert isinstance(room.last(table_id), TimedOut)
    assert room.table(table_id).time_ms == expires


async def test_a_deadline_that_passes_after_the_start_is_no_deadline_that_passed_while_down(room: Room) -> None:
    """Only what had run out at the start begins anew."""
    table_id, _ = await room.seat_four(PATIENT)
    await room.play(table_id, committing)
    await room.restart(TURN - 1)
    await room.turn(1)
    assert isinstance(room.last(table_id), CeremonyVoided)


async def test_a_reopened_that_could_not_be_written_is_not_forgotten(room: Room, expected_errors: list[str]) -> None:
    """It comes when the disk has room again, before any deadline counts."""
    expected_errors += ["were not written"]
    table_id, _ = await room.seat_four(PATIENT)
    await room.play(table_id, playing)
    room.disk_full = True
    await room.restart(TURN)
    await room.turn(5_000)
    room.disk_full = False
    await room.turn(5_000)
    assert room.kinds(table_id)[-1] == "Reopened"
    await room.finish(table_id)


async def test_a_deadline_that_passed_while_a_stand_in_was_waited_for_begins_anew_after_it(room: Room) -> None:
    """The house was down meanwhile."""
    table_id, _ = await room.seat_four(PATIENT)
    await room.play(table_id, dealt)
    seat = in_turn(room.table(table_id))
    await room.turn(TURN)
    await room.turn(TURN // 2)
    await room.play(table_id, lambda table: stand_in_wanted(table) is not None)
    await room.restart(TURN)
    assert room.tables.wanted.kind(table_id, seat) is SeatKind.STAND_IN
    await room.stand_in(table_id, seat)
    assert room.kinds(table_id)[-2:] == ["StoodIn", "Reopened"]
    await room.finish(table_id)


async def test_a_table_that_nobody_started_is_abandoned_by_a_start_after_its_hour(room: Room) -> None:
    """That hour is no decision of anybody."""
    table_id = await room.open()
    await room.restart(3_600_000)
    assert room.kinds(table_id) == ["TableOpened", "GameEnded"]


# What was not durable has not happened.


async def crash_at_each_step(room: Room, table_id: bytes) -> None:
    """The next move is lost on its way to the disk; the same bytes do it after the start."""
    table = room.table(table_id)
    if is_over(table) or stand_in_wanted(table) is not None:
        return
    seat = to_act(table)[0][0]
    player, (act, beside) = room.holder(table_id, seat), room.decision(table_id, seat)
    signed = await room.crash_with(table_id, player, act, beside)
    made = await room.send(table_id, player, signed, beside)
    player.moves += 1
    assert (made.version, made.again) == (table.version + 1, False)


async def test_a_move_lost_on_its_way_to_the_disk_has_not_happened(room: Room) -> None:
    """At every step of a game: nothing of it is there, and the same bytes do it again."""
    table_id, _ = await room.seat_four(PATIENT, TWO_AND_BOTS)
    while not is_over(room.table(table_id)):
        await crash_at_each_step(room, table_id)


async def test_a_disk_that_is_full_refuses_moves_and_stops_nothing(room: Room, expected_errors: list[str]) -> None:
    """Who asked is told so; when there is room the same bytes are taken, at every kind of step."""
    expected_errors += ["were not written"]
    table_id, _ = await room.seat_four(PATIENT)
    for until in (committing, revealing, dealt, playing):
        await room.play(table_id, until)
        before = room.table(table_id), room.entries(table_id), room.store.sealed(table_id)
        room.disk_full = True
        rng, moves = room.rng.getstate(), {key: player.moves for key, player in room.by_key.items()}
        with pytest.raises(LogNotWritable):
            await room.step(table_id)
        assert moves == {key: player.moves for key, player in room.by_key.items()}
        assert (room.table(table_id), room.entries(table_id), room.store.sealed(table_id)) == before
        room.disk_full = False
        room.rng.setstate(rng)
        await room.step(table_id)
    room.disk_full = True
    with pytest.raises(LogNotWritable):
        await room.open()
    room.disk_full = False
    await room.finish(table_id)


async def test_a_deadline_on_a_full_disk_counts_when_there_is_room(room: Room, expected_errors: list[str]) -> None:
    """The table is looked at again every second, and no more often."""
    expected_errors += ["were not written"]
    table_id, _ = await room.seat_four(PATIENT)
    await room.play(table_id, playing)
    room.disk_full = True
    await room.turn(TURN + 10_500)
    assert room.kinds(table_id)[-1] != "TimedOut"
    room.disk_full = False
    await room.turn(1_000)
    assert room.kinds(table_id)[-1] == "TimedOut"
    await room.finish(table_id)


async def test_moves_that_waited_for_a_failed_write_are_taken_afterwards(
    room: Room, expected_errors: list[str]
) -> None:
    """Nothing hangs."""
    expected_errors += ["were not written"]
    table_id, players = await room.seat_four(PATIENT)
    stage = room.table(table_id).stage
    assert isinstance(stage, Ceremony)
    answers: list[object] = []
    room.disk_full = True
    for player in players:
        signed = room.signed(table_id, player, Commit(room.commitment(player, stage.ctx)))
        room.tables.act(player.viewer, table_id, signed, NOTHING_BESIDE, answers.append)
    await room.settle()
    assert [type(answer) for answer in answers] == [LogNotWritable]
    room.disk_full = False
    await room.turn(1_000)
    assert [type(answer) for answer in answers] == [LogNotWritable, Made, Made, Made]
    for player in players[1:]:
        player.moves += 1
    await room.finish(table_id)


# What the house alone keeps.


async def lose_box(room: Room, table_id: bytes, spoil: bool, seat: int = 0) -> None:
    """A sealed number is gone, or does not open, when the server starts."""
    await room.stop()
    connection = sqlite3.connect(room.folder / "hokm.sqlite")
    change = "UPDATE sealed SET box = zeroblob(length(box))" if spoil else "DELETE FROM sealed"
    with connection:
        connection.execute(change + " WHERE stream = ? AND seat = ?", (table_id, seat))
    connection.close()
    room.clock.alarms.clear()
    room.start()


@pytest.mark.parametrize("spoil", [False, True])
async def test_a_lost_number_is_the_houses_fault(room: Room, expected_errors: list[str], spoil: bool) -> None:
    """In a ceremony it shows the others; the players learn nothing they should not, and the game is over."""
    expected_errors += ["sealed number of table"]
    table_id, _ = await room.seat_four(PATIENT)
    await room.play(table_id, revealing)
    for seat in (0, 2):
        await room.decide(table_id, seat)
    await lose_box(room, table_id, spoil)
    await room.settle()
    content = room.last(table_id)
    assert isinstance(content, ServerFault)
    assert content.cause is ServerFaultCause.SEALED_LOST
    assert [seat for seat, _ in content.received] == [2]
    assert room.store.sealed(table_id) == {}


async def test_numbers_lost_in_a_round_end_the_game(room: Room, expected_errors: list[str]) -> None:
    """Whoever attaches a seat before that is written gets no cards and no error."""
    expected_errors += ["sealed number of table"]
    table_id, players = await room.seat_four(PATIENT)
    await room.play(table_id, playing)
    await lose_box(room, table_id, False)
    room.watch(table_id, players[1].viewer, [1])
    await room.settle()
    assert room.last(table_id) == ServerFault(ServerFaultCause.SEALED_LOST)
    assert room.store.sealed(table_id) == {}


@pytest.mark.parametrize("spoil", [False, True])
async def test_the_number_of_the_house_follows_from_its_secret(room: Room, spoil: bool) -> None:
    """So the loss of its box is not seen, in a ceremony and in a round."""
    for until in (revealing, playing):
        table_id, _ = await room.seat_four(PATIENT)
        await room.play(table_id, until)
        secrets = room.live(table_id).secrets
        await lose_box(room, table_id, spoil, HOUSE_SEAT)
        await room.settle()
        assert room.live(table_id).secrets == secrets
        await room.finish(table_id)


async def test_the_number_of_the_house_is_sealed_all_the_same(room: Room) -> None:
    """A house whose secret was changed while a game ran still has it."""
    table_id, _ = await room.seat_four(PATIENT)
    await room.play(table_id, revealing)
    event = room.keys.event
    room.keys = replace(room.keys, event_keys={event.public: EventKey(event, room.octets())})
    await room.restart()
    await room.finish(table_id)


async def test_a_key_that_is_not_there_loses_every_number(room: Room, expected_errors: list[str]) -> None:
    """A server that starts without the key that sealed them says so in each log, where a player has given one."""
    expected_errors += ["sealed number of table"]
    tables = []
    for until in (revealing, dealt):
        table_id, _ = await room.seat_four(PATIENT)
        await room.play(table_id, until)
        tables.append(table_id)
    await room.decide(tables[0], 0)
    room.keys = replace(room.keys, seal=room.octets())
    await room.restart()
    for table_id in tables:
        content = room.last(table_id)
        assert isinstance(content, ServerFault)
        assert content.cause is ServerFaultCause.SEALED_LOST


async def test_numbers_that_give_no_deal_are_the_houses_fault(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shuffle may meet the end of its stream, once in longer than anybody will play."""
    table_id, _ = await room.seat_four(PATIENT)
    await room.play(table_id, lambda table: table.round == 1 and revealing(table))

    def used_up(commit_set: bytes, numbers: object) -> list[int]:
        raise StreamUsedUp(8160)

    monkeypatch.setattr(draft, "deal", used_up)
    with pytest.raises(AssertionError):
        await room.play(table_id, dealt)
    content = room.last(table_id)
    assert isinstance(content, ServerFault)
    assert content.cause is ServerFaultCause.NO_DEAL
    assert len(content.received) == 4
    room.opened.remove(table_id)  # these numbers do make a pack, and so the verifier does not believe it
    report = await room.judge(table_id)
    assert report.fault is not None
    assert report.fault.code == Code.FAULT_DIFFERS.name
