# SPDX-License-Identifier: Apache-2.0
"""What goes out: every entry in order, and cards to their own seat when the rules release them."""

from __future__ import annotations

import asyncio

import pytest

from hokm.cards import hand_of
from hokm.entry import leaf
from hokm.errors import SeatNotYours, UnknownTable, UnknownVersion
from hokm.events import Dealt, Leave, Return, TimedOut
from hokm.hand import hand_signed_by, read_hand
from hokm.rules import Packets, TableRules
from hokm.table import Round
from hokm.v1 import tables_service_pb2 as pb
from hokm_server.auth import Viewer
from hokm_server.feed import LEAST_BYTES, MOST_BYTES, MOST_OPERATORS_BYTES, TOGETHER_BYTES, Outbox, most_bytes
from hokm_server.watching import PIECE
from tests.server.readers import WATCHER, Reader
from tests.server.room import (
    TWO_AND_BOTS,
    Room,
    committing,
    dealt,
    in_turn,
    is_over,
    playing,
    revealing,
    updates,
)

# Entries.


async def test_who_watches_gets_every_entry_in_order(room: Room) -> None:
    """From any version on, attached at any time; the stream says when the game is over."""
    table_id, _ = await room.seat_four()
    readers = [Reader(room, table_id, WATCHER)]
    while not is_over(room.table(table_id)):
        await room.step(table_id)
        if room.rng.random() < 0.1:
            readers.append(Reader(room, table_id, room.somebody(0).viewer))
        for reader in readers:
            if room.rng.random() < 0.3:
                await reader.read()
    for reader in readers:
        await reader.read()
        assert reader.entries == room.entries(table_id)
        assert reader.end == pb.STREAM_END_GAME_OVER
        assert reader.notes == []


async def test_a_stream_begins_after_the_version_that_the_reader_has(room: Room) -> None:
    """After every version that there is; not after one that there is not yet."""
    table_id, _ = await room.seat_four()
    await room.play(table_id, playing)
    last, entries = room.table(table_id).version, room.entries(table_id)
    for after in (None, *range(last + 1)):
        outbox = room.watch(table_id, WATCHER, (), after)
        sent = [each for update in await updates(outbox) for each in update.entries]
        room.tables.unwatch(outbox)
        assert sent == entries[0 if after is None else after + 1 :]
    with pytest.raises(UnknownVersion):
        room.watch(table_id, WATCHER, (), last + 1)
    for other in (bytes(16), room.octets(16), b"", table_id[1:]):
        with pytest.raises(UnknownTable):
            room.watch(other, WATCHER)


async def test_a_long_game_that_is_over_can_be_read_whole(room: Room) -> None:
    """Also after a restart, when it is not in memory."""
    table_id, _ = await room.seat_four(TableRules(target=7))
    await room.finish(table_id)
    await room.restart()
    reader = Reader(room, table_id, WATCHER)
    await reader.read()
    assert reader.entries == room.entries(table_id)
    assert len(reader.entries) > 256
    assert reader.end == pb.STREAM_END_GAME_OVER


async def test_a_slow_reader_is_cut_off_and_can_go_on(room: Room) -> None:
    """It is told, nothing comes behind the gap, and nobody else waits for it."""
    table_id, players = await room.seat_four()
    slow = Reader(room, table_id, players[0].viewer, (0,))
    quick = Reader(room, table_id, WATCHER)
    slow.attach(most=4_000)
    while not is_over(room.table(table_id)):
        await room.step(table_id)
        await quick.read()
        if room.rng.random() < 0.05:
            await slow.read()
            if slow.end == pb.STREAM_END_BEHIND:
                slow.attach(most=40_000)
    while slow.end != pb.STREAM_END_GAME_OVER:
        await slow.read()
        if slow.end == pb.STREAM_END_BEHIND:
            slow.attach()
    assert slow.entries == quick.entries == room.entries(table_id)


async def test_what_was_missed_is_fetched_as_it_is_read(room: Room) -> None:
    """A piece at a time, however small the outbox; what comes meanwhile comes with it, and then the end."""
    table_id, _ = await room.seat_four(TableRules(target=7))
    await room.play(table_id, lambda table: table.version >= 3 * PIECE)
    outbox = room.watch(table_id, WATCHER, most=1_000)
    idle = room.watch(table_id, WATCHER, most=1_000)
    entries: list[bytes] = []
    for _ in range(2):
        (update,) = pb.PlayResponse.FromString(await outbox.take() or b"").updates
        assert (update.first_version, len(update.entries)) == (len(entries), PIECE)
        entries += update.entries
    await room.finish(table_id)
    while not outbox.is_empty:
        for update in pb.PlayResponse.FromString(await outbox.take() or b"").updates:
            assert update.first_version == len(entries) or update.end == pb.STREAM_END_GAME_OVER
            entries += update.entries
    assert entries == room.entries(table_id)
    assert not outbox.subscriptions
    assert not idle._chunks
    room.tables.unwatch(idle)


async def test_what_was_missed_is_left_where_nobody_wants_it_any_more(room: Room) -> None:
    """The table is detached, or attached anew, while a piece is fetched or before that."""
    table_id, _ = await room.seat_four(TableRules(target=7))
    await room.play(table_id, lambda table: table.version >= 3 * PIECE)
    outbox = room.watch(table_id, WATCHER)
    for _ in range(2):  # the first entries come from the store, in a thread
        taking = asyncio.create_task(outbox.take())
        await asyncio.sleep(0)
        room.tables.watch(WATCHER, outbox, table_id, room.table(table_id).version - 1, ())
        (update,) = pb.PlayResponse.FromString(await taking or b"").updates
        assert (update.first_version, len(update.entries)) == (room.table(table_id).version, 1)
        assert outbox.is_empty
        room.tables.watch(WATCHER, outbox, table_id, None, ())
    outbox.subscriptions[table_id].end(pb.STREAM_END_DETACHED)
    (update,) = await updates(outbox)
    assert (update.end, len(update.entries)) == (pb.STREAM_END_DETACHED, 0)


async def test_the_newest_stream_of_a_player_takes_the_seat_over(room: Room) -> None:
    """The older one is told; those of others stay."""
    table_id, players = await room.seat_four()
    old, other = Reader(room, table_id, players[0].viewer, (0,)), Reader(room, table_id, players[1].viewer, (1,))
    spectating = Reader(room, table_id, players[0].viewer)
    new = Reader(room, table_id, players[0].viewer, (0,))
    await room.finish(table_id)
    ends = []
    for reader in (old, other, spectating, new):
        await reader.read()
        ends.append(reader.end)
    over = pb.STREAM_END_GAME_OVER
    assert ends == [pb.STREAM_END_TAKEN_OVER, over, over, over]


async def test_attaching_a_table_again_on_one_stream_goes_on_there(room: Room) -> None:
    """With the seats that were named last."""
    table_id, players = await room.seat_four()
    outbox = Outbox()
    room.tables.watch(players[0].viewer, outbox, table_id, None, ())
    await updates(outbox)
    room.tables.watch(players[0].viewer, outbox, table_id, room.table(table_id).version, (0,))
    assert len(room.live(table_id).feed.subscriptions) == 1
    await room.play(table_id, playing)
    assert [read_hand(note.note).packet for update in await updates(outbox) for note in update.hands] == [1, 2, 3]
    room.tables.unwatch(outbox)
    assert not room.live(table_id).feed.subscriptions


async def test_who_does_not_read_is_waited_for(room: Room) -> None:
    """An outbox with more in it than it should hold is not full again before it is taken."""
    outbox = Outbox(10)
    outbox.put_last(bytes(11))
    waiting = asyncio.create_task(outbox.not_full())
    await asyncio.sleep(0)
    assert not waiting.done()
    await outbox.take()
    await waiting


def test_where_many_streams_are_open_each_may_have_less_waiting() -> None:
    """All together have so much memory; an operator's program, which plays at many tables, has what it needs."""
    assert most_bytes(WATCHER, 0) == MOST_BYTES
    assert most_bytes(WATCHER, 4_000 - 1) == TOGETHER_BYTES // 4_000
    assert most_bytes(WATCHER, 1_000_000) == LEAST_BYTES
    assert most_bytes(Viewer(bytes(32), True), 1_000_000) == MOST_OPERATORS_BYTES


# Cards.


async def test_cards_are_asked_for_by_who_has_the_seat(room: Room) -> None:
    """Not by another player, a watcher, or the operator for a person; before the start too."""
    table_id = await room.open()
    players = [room.somebody(seat, kind) for seat, kind in enumerate(TWO_AND_BOTS)]
    for player in players[:3]:
        await room.join(table_id, player)
    for seats, viewer in (
        ((3,), players[0].viewer),
        ((3,), room.operator),
        ((0,), room.operator),
        ((0, 1), players[0].viewer),
        ((2,), WATCHER),
    ):
        with pytest.raises(SeatNotYours):
            room.watch(table_id, viewer, seats)
    await room.join(table_id, players[3])
    for until in (committing, revealing, dealt, playing, is_over):
        await room.play(table_id, until)
        for viewer, foreign in (
            (room.operator, (0,)),
            (players[0].viewer, (1,)),
            (players[0].viewer, (0, 2)),
            (WATCHER, (0, 1, 2, 3)),
        ):
            with pytest.raises(SeatNotYours):
                room.watch(table_id, viewer, foreign)
        room.watch(table_id, room.operator, (1, 3))


@pytest.mark.parametrize("packets", Packets)
@pytest.mark.parametrize("is_open", [False, True])
async def test_cards_are_sent_when_they_are_released(room: Room, packets: Packets, is_open: bool) -> None:
    """The hakem's first five with Dealt, everybody's own with open_first_packet; the rest when trumps are made (G6)."""
    table_id, players = await room.seat_four(TableRules(target=3, packets=packets, open_first_packet=is_open))
    readers = [Reader(room, table_id, player.viewer, (player.seat,)) for player in players]
    await room.play(table_id, dealt)
    stage = room.table(table_id).stage
    assert isinstance(stage, Round)
    ctx, hakem, leaf_of_dealt = stage.ceremony.ctx, stage.hakem, room.tables.leaf(table_id)
    for reader in readers:
        await reader.read()
        first = reader.cards(ctx)
        sees = is_open or reader.seats == (hakem,)
        assert [note.packet for note in first] == ([1] if sees else [])
        assert all((note.version, note.leaf) == (room.table(table_id).version, leaf_of_dealt) for note in first)
    await room.step(table_id)
    hands = room.live(table_id).secrets.hands.dealt
    for reader in readers:
        await reader.read()
        notes = reader.cards(ctx)
        assert [note.packet for note in notes] == [1, 2, 3]
        assert [len(note.cards) for note in notes] == list(packets.sizes)
        assert {note.seat for note in notes} == set(reader.seats)
        assert hand_of([card for note in notes for card in note.cards]) == hands[reader.seats[0]]
        for signed in reader.notes:
            assert hand_signed_by(signed.note, signed.signature, room.keys.event.public)
    await room.finish(table_id)


async def test_cards_are_sent_again_as_the_same_bytes(room: Room) -> None:
    """To who attaches again, in the same round; after a restart too."""
    table_id, players = await room.seat_four()
    reader = Reader(room, table_id, players[2].viewer, (2,))
    await room.play(table_id, lambda table: table.round == 2 and playing(table) and len(table.stage.trick) == 2)  # type: ignore[union-attr]
    await reader.read()
    stage = room.table(table_id).stage
    assert isinstance(stage, Round)
    now = [signed for signed in reader.notes if read_hand(signed.note).ctx == stage.ceremony.ctx]
    assert len(now) == 3
    for _ in range(2):
        again = Reader(room, table_id, players[2].viewer, (2,))
        await again.read()
        assert again.notes == now
        await room.restart()
    await room.finish(table_id)


async def test_a_seat_given_back_sends_its_cards_to_its_new_player(room: Room) -> None:
    """The stream that the key before had attached goes on, without them."""
    table_id = await room.open()
    former = room.somebody(0)
    await room.join(table_id, former)
    reader = Reader(room, table_id, former.viewer, (0,))
    await room.act(table_id, former, Leave())
    await room.sit(table_id)
    await room.finish(table_id)
    await reader.read()
    assert reader.entries == room.entries(table_id)
    assert reader.notes == []


async def test_a_stand_in_is_sent_the_hand_that_it_plays_and_no_other(room: Room) -> None:
    """When its player has returned the operator gets no more of that seat's cards."""
    table_id, players = await room.seat_four()
    await room.play(table_id, playing)
    seat = (in_turn(room.table(table_id)) + 2) % 4
    await room.act(table_id, players[seat], Leave())
    with pytest.raises(SeatNotYours):
        room.watch(table_id, room.operator, (seat,))
    await room.stand_in(table_id, seat)
    operator = Reader(room, table_id, room.operator, (seat,))
    mine = Reader(room, table_id, players[seat].viewer, (seat,))
    await operator.read()
    await mine.read()
    await room.act(table_id, players[seat], Return())
    await room.play(table_id, lambda table: table.round == 2 and playing(table))
    await operator.read()
    await mine.read()
    assert len(operator.notes) == 3
    assert len(mine.notes) == 6
    await room.finish(table_id)


async def test_a_note_names_the_entry_that_released_it(room: Room) -> None:
    """Dealt, or what made trumps: also where that was the house."""
    table_id, players = await room.seat_four(TableRules(target=3, away_seconds=0))
    readers = [Reader(room, table_id, player.viewer, (player.seat,)) for player in players]
    await room.play(table_id, dealt)
    await room.turn(30_000)
    entries, events = room.entries(table_id), room.events(table_id)
    for reader in readers:
        await reader.read()
        assert len(reader.notes) == 3
        for signed in reader.notes:
            note = read_hand(signed.note)
            assert note.leaf == leaf(entries[note.version])
            assert isinstance(events[note.version].content, Dealt if note.version < events[-1].version else TimedOut)
    assert isinstance(events[-1].content, TimedOut)
