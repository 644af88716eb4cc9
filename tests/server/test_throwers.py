# SPDX-License-Identifier: Apache-2.0
"""Who threw a thing (H5) is told by nothing: evenings that differ in the throwers alone are the same to the last byte.

What a program could look at is collected: every file of the server, every byte on every stream in the order in which
it was sent, every diagnostic line, and which seats want a stand-in. Where all of that is equal, whoever guesses has
chance to go by.
"""

from __future__ import annotations

import contextlib
import logging
import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hokm.rules import TableRules
from hokm.table import Round, Table
from hokm.v1 import tables_service_pb2 as pb
from hokm_server.auth import Viewer
from hokm_server.feed import Outbox
from hokm_server.tables import Tables
from hokm_server.throwing import MOST_THROWS
from tests.server.room import BOT, PERSON, Room, is_over, updates

RULES = TableRules(target=3, throwing=True)
KINDS = (PERSON, BOT, PERSON, PERSON)
THINGS = [thing for thing in pb.Thing.values() if thing]
NOT_YET_AWAY_MS, AWAY_AT_LAST_MS = 9_000, 2_000

Choose = Callable[[], int]
"""Which of the three others throws at a seat, 0 to 2 from its right on."""


class Observed(NamedTuple):
    """All that is left of an evening, or was sent on it."""

    files: Mapping[str, bytes]
    sent: list[tuple[int, bytes]]
    """Each chunk with whose it was: of the viewers, by the order in which they came."""
    lines: list[str]
    wanted: list[object]
    """Which seats want a stand-in when time has passed since a throw."""


async def evening(folder: Path, caplog: pytest.LogCaptureFixture, choose: Choose | None) -> Observed:
    """A whole game of one seed with up to three throws in a trick, or none where nobody chooses who throws.

    Two of its players have no stream, so that they may count as away.
    """
    folder.mkdir()
    room, chance = Room(folder, 7), random.Random(8)
    table_id, players = await room.seat_four(RULES, KINDS)
    mine, others = players[0].viewer, Viewer(bytes(32), False)
    streams = [room.watch(table_id, *seen) for seen in ((room.operator, (1,)), (mine, (0,)), (mine,), (others,))]
    for stream in streams:
        await updates(stream)
    wanted: list[object] = []
    trick, left = None, 0
    caplog.clear()
    with caplog.at_level(logging.DEBUG), overheard(streams) as sent:
        while not is_over(table := room.table(table_id)):
            if trick != (trick := trick_of(table)):
                left = MOST_THROWS
            if left and trick is not None and chance.random() < 0.6:
                left -= 1
                at, thing = chance.randrange(4), chance.choice(THINGS)
                await room.turn(NOT_YET_AWAY_MS)
                if choose is not None:
                    thrower = players[(at + 1 + choose()) % 4]
                    room.tables.throw(thrower.viewer, table_id, thrower.seat, at, thing)
                await room.turn(AWAY_AT_LAST_MS)
                wanted.append(dict(room.tables.wanted.at(table_id)))
            await room.step(table_id)
        await room.audit()
    lines = [f"{record.name} {record.getMessage()}" for record in caplog.records]
    await room.stop()
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return Observed(files, sent, lines, wanted)


def by_chance(seed: int) -> Choose:
    """Anybody throws."""
    chance = random.Random(seed)
    return lambda: chance.randrange(3)


def trick_of(table: Table) -> tuple[int, int] | None:
    """Round and trick; none where no cards are played."""
    return (table.round, table.stage.trick_number) if isinstance(table.stage, Round) else None


@contextlib.contextmanager
def overheard(streams: list[Outbox]) -> Iterator[list[tuple[int, bytes]]]:
    """What is put into these outboxes from now on, in the order in which it is."""
    sent: list[tuple[int, bytes]] = []
    place = {id(stream): number for number, stream in enumerate(streams)}
    put = Outbox.put_last

    def heard(stream: Outbox, chunk: bytes) -> None:
        sent.append((place[id(stream)], chunk))
        put(stream, chunk)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Outbox, "put_last", heard)
        yield sent


def lands(chunk: bytes) -> bool:
    """Something that was thrown is in it."""
    return any(update.thrown for update in pb.PlayResponse.FromString(chunk).updates)


async def test_evenings_that_differ_in_the_throwers_are_the_same(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Byte for byte: files, streams, their order, lines, absences. And as if nobody had thrown, but for what lands."""
    chosen = [by_chance(seed) for seed in range(3)]
    quiet = await evening(tmp_path / "quiet", caplog, None)
    first, *others = [await evening(tmp_path / str(number), caplog, choose) for number, choose in enumerate(chosen)]
    assert sum(lands(chunk) for _, chunk in first.sent) > 100
    assert sum(map(bool, first.wanted)) > 5
    assert sum(map(len, first.files.values())) > 10_000
    for other in others:
        assert other == first
    assert first._replace(sent=[each for each in first.sent if not lands(each[1])]) == quiet


def a_line(tables: Tables, viewer: Viewer, table_id: bytes, seat: int) -> None:
    """A diagnostic."""
    logging.getLogger("hokm_server").debug("seat %d throws", seat)


def a_sign_of_life(tables: Tables, viewer: Viewer, table_id: bytes, seat: int) -> None:
    """Who throws does not count as away."""
    tables._live[table_id].last_sign_ms[seat] = tables._clock.now_ms()


def a_word_to_the_thrower(tables: Tables, viewer: Viewer, table_id: bytes, seat: int) -> None:
    """On its own streams."""
    for subscription in tables._live[table_id].feed.subscriptions:
        if subscription.viewer == viewer:
            subscription.send(b"")


def another_order(tables: Tables, viewer: Viewer, table_id: bytes, seat: int) -> None:
    """Whoever threw last is sent everything last."""
    feed = tables._live[table_id].feed
    for subscription in tuple(feed.subscriptions):
        if subscription.viewer == viewer:
            del feed.subscriptions[subscription]
            feed.subscriptions[subscription] = None


@pytest.mark.parametrize("leak", [a_line, a_sign_of_life, a_word_to_the_thrower, another_order])
async def test_whatever_told_the_thrower_would_be_seen(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, leak: Callable[..., None]
) -> None:
    """The test above can fail."""
    throw = Tables.throw

    def leaking(tables: Tables, viewer: Viewer, table_id: bytes, seat: int, *rest: Any) -> None:
        throw(tables, viewer, table_id, seat, *rest)
        leak(tables, viewer, table_id, seat)

    monkeypatch.setattr(Tables, "throw", leaking)
    one, other = [await evening(tmp_path / str(seed), caplog, by_chance(seed)) for seed in range(2)]
    assert one != other
