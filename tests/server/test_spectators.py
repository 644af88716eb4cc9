# SPDX-License-Identifier: Apache-2.0
"""Whoever only watches: may come and go, does nothing at the table, and takes no player's place.

That such a viewer is sent the public entries and no card is seen in `test_tables_feeds` and `test_tables_secrets`, and
that calls are kept for players in `test_door`.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hokm.errors import GameIsOver, NotYourSeat, SeatNotFree, TooManyAttached
from hokm.events import (
    Act,
    AnswerTea,
    AskTea,
    CallMiddle,
    Commit,
    Join,
    LayEarly,
    Leave,
    NameTrump,
    PickUp,
    Play,
    ProtestOnly,
    Ready,
    Resign,
    Return,
    Reveal,
    Run,
    SeatKind,
    TakeBack,
)
from hokm.table import Table
from hokm_server.auth import Viewer
from hokm_server.feed import WATCHERS, WATCHERS_OF_ADDRESS
from tests.server.lively import LIVELY
from tests.server.room import Room, committing, dealt, is_over, playing, revealing, updates

ADDRESS = "one address for all"
PHASES: tuple[Callable[[Table], bool], ...] = (committing, revealing, dealt, playing, is_over)


def every_act(room: Room, key: bytes) -> list[Act]:
    """One of each kind."""
    octets = room.octets()
    return [
        *(Join(kind, key, octets) for kind in (SeatKind.PERSON, SeatKind.BOT)),
        *(Leave(), Return(), Resign(), ProtestOnly(), Commit(octets), Reveal(bytes(32) + b"\1" + bytes(8), octets)),
        *(NameTrump(1), CallMiddle(), Play(5), Run((12, 11, 10)), PickUp(), LayEarly(octets, False), TakeBack()),
        *(AskTea(), AnswerTea(True), Ready()),
    ]


async def test_whoever_watches_does_nothing_at_the_table(room: Room) -> None:
    """In no phase, by no act, in no seat: each is refused, and nobody sees anything of it."""
    table_id, _ = await room.seat_four(LIVELY)
    spectator = room.somebody(0)
    assert {type(act) for act in every_act(room, b"")} == set(Act.__args__)
    for phase in PHASES:
        await room.play(table_id, phase)
        outbox = room.watch(table_id, spectator.viewer, after=room.table(table_id).version)
        before = room.table(table_id), room.entries(table_id)
        for act in every_act(room, spectator.key.public):
            for seat in range(4):
                with pytest.raises((NotYourSeat, SeatNotFree, GameIsOver)):
                    await room.send(table_id, spectator, room.signed(table_id, spectator, act, seat=seat, number=0))
        assert (room.table(table_id), room.entries(table_id)) == before
        assert not any(update.entries or update.refusals for update in await updates(outbox))
        room.tables.unwatch(outbox)


async def test_however_many_watch_players_come_in(room: Room) -> None:
    """From the same address, with their cards or without, at the table where no more may watch."""
    table_id, players = await room.seat_four()
    watchers = [Viewer(room.octets(), False, ADDRESS) for _ in range(WATCHERS_OF_ADDRESS // WATCHERS + 1)]
    last = watchers.pop()
    outboxes = [room.watch(table_id, viewer) for viewer in watchers for _ in range(WATCHERS)]
    with pytest.raises(TooManyAttached):
        room.watch(table_id, last)
    at_home = [Viewer(player.key.public, False, ADDRESS) for player in players]
    for seat, viewer in enumerate(at_home):
        room.watch(table_id, viewer)
        room.watch(table_id, viewer, (seat,))
    assert all(outbox.subscriptions for outbox in outboxes)
    mine = [room.watch(table_id, at_home[0]) for _ in range(WATCHERS - 2)]
    with pytest.raises(TooManyAttached):
        room.watch(table_id, at_home[0])
    room.tables.unwatch(mine[0])
    room.watch(table_id, at_home[0])
    room.tables.unwatch(outboxes[0])
    room.watch(table_id, last)
