# SPDX-License-Identifier: Apache-2.0
"""Whole games at the tables: every option, persons and bots, each log judged by the verifier at its end."""

from __future__ import annotations

import itertools

import pytest

from hokm.errors import NoWitnessesHere, SeatNotFree, TooManyTables, UnknownTable
from hokm.events import GameEndCause, GameEnded, HakemDrawn, Join, Leave, SeatKind
from hokm.rules import FirstHakem, HakemPasses, Packets, TableRules
from hokm.table import Over, Seating
from hokm_server.draft import NOTHING_BESIDE
from tests.server.room import BOT, BOTS, PERSON, PERSONS, SHORT, TWO_AND_BOTS, Room, is_over

OPTIONS = [
    TableRules(first_hakem=first, packets=packets, open_first_packet=is_open, hakem_passes=passes, target=3)
    for first, packets, is_open, passes in itertools.product(FirstHakem, Packets, (False, True), HakemPasses)
]


@pytest.mark.parametrize("rules", OPTIONS, ids=lambda rules: f"{rules.first_hakem.name}-{rules.packets.name}")
async def test_a_game_by_any_options_is_proved(room: Room, rules: TableRules) -> None:
    """Four persons play to the target; the fixture has the verifier judge each round and the game."""
    table_id, _ = await room.seat_four(rules)
    table = await room.finish(table_id)
    assert isinstance(table.stage, Over)
    assert isinstance(table.stage.ending, GameEnded)
    assert table.stage.ending.cause is GameEndCause.TARGET
    assert table.stage.ending.winner is not None
    assert table.score[table.stage.ending.winner] >= 3


@pytest.mark.parametrize("target", [3, 5, 7])
async def test_a_game_goes_to_its_target(room: Room, target: int) -> None:
    """Not a point less."""
    table_id, _ = await room.seat_four(TableRules(target=target))
    score = (await room.finish(table_id)).score
    assert max(score) >= target > min(score)


@pytest.mark.parametrize(
    "kinds", [PERSONS, TWO_AND_BOTS, BOTS, (PERSON, BOT, BOT, BOT)], ids=["persons", "two", "bots", "one"]
)
async def test_persons_and_bots_play_together(room: Room, kinds: tuple[SeatKind, ...]) -> None:
    """In every ceremony the bots' commitments come first."""
    table_id, _ = await room.seat_four(kinds=kinds)
    await room.finish(table_id)
    assert "HakemDrawn" in room.kinds(table_id)


async def test_many_tables_at_once_keep_apart(room: Room) -> None:
    """Moves of several games, in any order."""
    tables = [(await room.seat_four())[0] for _ in range(4)]
    running = set(tables)
    while running:
        table_id = room.rng.choice(sorted(running))
        await room.step(table_id)
        running = {each for each in running if not is_over(room.table(each))}
    assert room.tables.running() == []


async def test_the_hakem_drawn_opens_the_first_round(room: Room) -> None:
    """And leads its first trick."""
    table_id, _ = await room.seat_four()
    await room.play(table_id, lambda table: table.round == 1)
    drawn = next(event.content for event in room.events(table_id) if isinstance(event.content, HakemDrawn))
    assert room.table(table_id).hakem == drawn.hakem


# Opening and sitting down.


async def test_no_table_waits_for_witnesses_where_there_are_none(room: Room) -> None:
    """No table opens with a promise that cannot be kept."""
    with pytest.raises(NoWitnessesHere):
        await room.open(TableRules(witnessed=True))
    assert room.tables.running() == []


async def test_a_server_holds_so_many_tables(room: Room) -> None:
    """One more is refused until one is over."""
    room.tables._most_tables = 2
    first, _ = await room.open(), await room.open()
    with pytest.raises(TooManyTables):
        await room.open()
    await room.turn(3_600_000)
    assert is_over(room.table(first))
    await room.open()


async def test_a_seat_given_back_can_be_taken_again(room: Room) -> None:
    """By the same key, in another seat too, whose numbers go on; the game is that of those who sit there at last."""
    table_id = await room.open()
    player = room.somebody(0)
    await room.join(table_id, player)
    await room.act(table_id, player, Leave())
    player.seat = 1
    await room.join(table_id, player)
    assert player.moves == 3
    for seat in (0, 2, 3):
        await room.join(table_id, room.somebody(seat))
    await room.finish(table_id)


async def test_a_table_that_has_not_started_is_abandoned_after_an_hour(room: Room) -> None:
    """And not a millisecond before."""
    table_id = await room.open()
    await room.join(table_id, room.somebody(2))
    await room.turn(3_599_999)
    assert isinstance(room.table(table_id).stage, Seating)
    await room.turn(1)
    assert room.last(table_id) == GameEnded(GameEndCause.ABANDONED, None)


async def test_a_table_that_has_not_started_is_abandoned_after_64_moves(room: Room) -> None:
    """Sitting down and getting up does not go on for ever, not even for an operator's bots."""
    table_id = await room.open()
    player = room.somebody(0, BOT)
    for _ in range(32):
        await room.join(table_id, player)
        await room.act(table_id, player, Leave())
    assert room.last(table_id) == GameEnded(GameEndCause.ABANDONED, None)


async def test_the_fourth_seat_taken_with_the_64th_move_starts_the_game(room: Room) -> None:
    """What is due first comes first."""
    table_id = await room.open()
    player = room.somebody(0, BOT)
    for _ in range(30):
        await room.join(table_id, player)
        await room.act(table_id, player, Leave())
    for seat in range(4):
        await room.join(table_id, room.somebody(seat))
    assert room.kinds(table_id)[-2:] == ["GameStarted", "CeremonyOpened"]


async def test_the_time_of_an_entry_never_falls(room: Room) -> None:
    """Also where the machine's clock is set back."""
    table_id, _ = await room.seat_four()
    await room.play(table_id, lambda table: table.round == 1)
    room.clock.ms -= 60_000
    await room.finish(table_id)
    times = [event.time_ms for event in room.events(table_id)]
    assert times == sorted(times)


# Bots that are called.


async def test_bots_asked_for_at_the_opening_are_wanted(room: Room) -> None:
    """Until they sit there; the operator's programs hear of each once."""
    table_id = await room.open(bots=[1, 3])
    wanted = room.tables.wanted.after(0)
    assert [seat[:2] for seat in wanted] == [(table_id, 1), (table_id, 3)]
    for seat, kind in enumerate(TWO_AND_BOTS):
        await room.join(table_id, room.somebody(seat, kind))
    assert room.tables.wanted.kind(table_id, 1) is None
    assert room.store.wanted() == []
    assert room.tables.wanted.after(wanted[-1].number) == []


async def test_bots_called_are_wanted_across_a_restart(room: Room) -> None:
    """What was answered is kept."""
    table_id = await room.open()
    await room.ask(lambda answer: room.tables.call_bots(room.operator, table_id, [0, 2], answer))
    await room.restart()
    assert [seat[:3] for seat in room.tables.wanted.after(0)] == [(table_id, 0, BOT), (table_id, 2, BOT)]


async def test_no_bot_is_called_to_a_taken_seat(room: Room) -> None:
    """Nor to a table that there is not."""
    table_id = await room.open()
    await room.join(table_id, room.somebody(0))
    with pytest.raises(SeatNotFree):
        await room.ask(lambda answer: room.tables.call_bots(room.operator, table_id, [1, 0], answer))
    with pytest.raises(UnknownTable):
        await room.ask(lambda answer: room.tables.call_bots(room.operator, bytes(16), [0], answer))


async def test_a_bot_called_while_its_seat_is_taken_is_not_wanted(room: Room) -> None:
    """Not even after a restart."""
    table_id = await room.open()
    player = room.somebody(0)
    signed = room.signed(table_id, player, Join(PERSON, player.key.public, room.octets()))
    room.tables.act(player.viewer, table_id, signed, NOTHING_BESIDE, lambda made: None)
    await room.ask(lambda answer: room.tables.call_bots(room.operator, table_id, [0], answer))
    assert room.tables.wanted.kind(table_id, 0) is None
    await room.restart()
    assert room.tables.wanted.kind(table_id, 0) is None


async def test_nobody_is_wanted_at_a_table_that_is_over(room: Room) -> None:
    """Not after a restart either."""
    await room.open(SHORT, bots=[0, 1])
    await room.turn(3_600_000)
    assert room.store.wanted() == []
    await room.restart()
    assert room.tables.wanted.after(0) == []
