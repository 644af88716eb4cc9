# SPDX-License-Identifier: Apache-2.0
"""Streams that break at every entry of a game with every house rule on: nothing is missed, and nothing comes twice.

The network of every seat, and of a watcher, is gone before each step and there again after it; and of what a step
brought, each may have seen any part when it broke.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hokm.cards import hand_of
from hokm.entry import parse_entry
from hokm.events import Leave, Return
from hokm.hand import read_hand
from hokm.rules import HOUSE
from hokm.table import Round, Table, evolve, opened
from hokm.v1 import tables_service_pb2 as pb
from hokm.wire import read_event
from hokm_server.auth import Viewer
from tests.server.lively import Lively
from tests.server.readers import WATCHER, Reader
from tests.server.room import Room, dealt, is_over, playing

RULES = replace(HOUSE, target=3, away_seconds=0)
MOST_GAMES = 8
"""As a rule far fewer are needed until everything has happened."""
WANTED = ("MiddleTurned", "PickUp", "LayEarly", "TakeBack", "EarlyTurned", "Run", "TeaBegan", "StoodIn", "Return")


class Follower:
    """Somebody who folds what comes on a stream that breaks."""

    def __init__(self, room: Room, table_id: bytes, viewer: Viewer, seats: tuple[int, ...] = ()) -> None:
        self.room = room
        self.table_id = table_id
        self.seats = seats
        self._reader = Reader(room, table_id, viewer, seats)
        self._tables: list[Table] = []
        """By version, as folded."""

    async def read(self, entries: list[bytes]) -> None:
        """Take what has come; the entries are then these, and table and cards those of the server."""
        await self._reader.read()
        table = self.room.table(self.table_id)
        for entry in self._reader.entries[len(self._tables) :]:
            event = read_event(parse_entry(entry).body)
            first = not self._tables
            self._tables.append(
                opened(self.room.table(self.table_id).house, event) if first else evolve(self._tables[-1], event)
            )
        table = self.room.table(self.table_id)
        assert self._tables[-1] == table
        assert self._reader.entries == entries
        assert (self._reader.end == pb.STREAM_END_GAME_OVER) == is_over(table)
        for seat in self.seats:
            assert self._hand(table) == released(self.room, table, seat)

    def _hand(self, table: Table) -> int:
        if not isinstance(table.stage, Round):
            return 0
        notes = self._reader.cards(table.stage.ceremony.ctx)
        cards = [card for note in notes for card in note.cards]
        assert len(cards) == len(set(cards)), "a note came twice"
        return hand_of(cards)

    def lose(self) -> None:
        """The network is gone."""
        self.room.tables.unwatch(self._reader.outbox)

    def come_back(self, seen: int | None = None) -> None:
        """It is there again; what came after that version was never seen. A new stream takes a player's old over."""
        if not self.seats:
            self.lose()
        if seen is not None:
            reader = self._reader
            reader.notes = [note for note in reader.notes if read_hand(note.note).version <= seen]
            del reader.entries[seen + 1 :], self._tables[seen + 1 :]
        self._reader.attach()


def released(room: Room, table: Table, seat: int) -> int:
    """The cards that a seat has been sent of this deal."""
    if dealt(table):
        assert isinstance(table.stage, Round)
        five = room.live(table.id).secrets.hands.five
        return (five or 0) if seat == table.stage.hakem else 0
    return (room.live(table.id).secrets.hands.dealt[seat] or 0) if isinstance(table.stage, Round) else 0


async def test_streams_that_break_at_every_entry_bring_everything_once(room: Room) -> None:
    """To each seat and to who watches, through a leave and a return, and through restarts."""
    kinds: Counter[str] = Counter()
    for _ in range(MOST_GAMES):
        table_id = await play_breaking(room)
        kinds += Counter(room.kinds(table_id))
        if all(kinds[what] for what in WANTED):
            return
    assert [what for what in WANTED if not kinds[what]] == []


async def play_breaking(room: Room) -> bytes:
    """A whole game."""
    table_id, players = await room.seat_four(RULES)
    followers = [Follower(room, table_id, player.viewer, (player.seat,)) for player in players]
    followers.append(Follower(room, table_id, WATCHER))
    for follower in followers:
        await follower.read(room.entries(table_id))
    lively = Lively(room, table_id)
    while not is_over(before := room.table(table_id)):
        for follower in followers:
            follower.lose()
        if playing(before) and before.places[3].absent is None and before.round == 1:
            await room.act(table_id, players[3], Leave())
        elif before.round == 2 and before.places[3].left:
            await room.act(table_id, players[3], Return())
        elif room.rng.random() < 0.02:
            await room.restart()
        else:
            await lively.step()
        entries = room.entries(table_id)
        for follower in followers:
            follower.come_back()
            await follower.read(entries)
            for seen in range(before.version, len(entries) - 1):
                follower.come_back(seen)
                await follower.read(entries)
    return table_id
