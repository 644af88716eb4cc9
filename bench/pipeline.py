# SPDX-License-Identifier: Apache-2.0
"""The way of a move without a network: `Tables.act` in this process, with a writer and a durable store.

Games are played once to have their signed moves, with a clock that stands and whatever is drawn from a seed. Then the
same moves are brought again to a house that draws the same: its entries come out byte for byte, so they are good
there, and nothing but the house is at work. Each table gets its next move when the last one is durable.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from bench.games import Game
from hokm.entry import event_key_id
from hokm.errors import HokmError
from hokm.events import Anchor, SeatKind, SignedMove
from hokm.merkle import EMPTY_ROOT
from hokm.rules import TableRules
from hokm.signing import SigningKey
from hokm.table import House
from hokm.v1 import tables_service_pb2 as pb
from hokm.wire import read_move
from hokm_server.auth import Viewer
from hokm_server.clock import SystemClock
from hokm_server.draft import Beside
from hokm_server.feed import Outbox
from hokm_server.live import Made
from hokm_server.log import Log
from hokm_server.sealing import SealKey
from hokm_server.signets import Signet, Signets
from hokm_server.store import Store
from hokm_server.tables import Tables
from hokm_server.writer import Writer

ORIGIN = "example.org/bench"
NOW_MS = 1_800_000_000_000


class StandingClock(SystemClock):
    """Always the same time; alarms never ring within a measurement."""

    def now_ms(self) -> int:
        return NOW_MS


class SomeHouse:
    """A server without a network, the same from the same seed."""

    def __init__(self, folder: Path) -> None:
        rng = random.Random(1)
        key, log_key = SigningKey(rng.randbytes(32)), SigningKey(rng.randbytes(32))
        self.house = House(ORIGIN, key.public)
        self.operator = Viewer(rng.randbytes(32), True)
        self.rng = rng
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """All moves are made, or one was refused."""
        folder.mkdir()
        self.store = Store(folder / "log.db", ORIGIN)
        self._log = Log(self.store, folder / "head", ORIGIN, log_key)
        self._writer = Writer(self._log.append, asyncio.get_running_loop())
        signet = Signet(self.house, key, event_key_id(ORIGIN, key.public), rng.randbytes(32))
        self.tables = Tables(
            store=self.store,
            writer=self._writer,
            clock=StandingClock(),
            entropy=rng.randbytes,
            signets=Signets(bytes(32), {bytes(32): self.house}, {bytes(32): signet}),
            seal_key=SealKey(bytes(32), entropy=rng.randbytes),
            anchor=lambda: Anchor(0, EMPTY_ROOT),
        )

    async def close(self) -> None:
        """Stop and close."""
        self.tables.stop()
        await self._writer.close()
        self.store.close()

    def act(self, act: pb.SignedAct, answered: Callable[[], None]) -> None:
        """What the service does with one act of a stream."""

        def answer(outcome: Made | HokmError) -> None:
            if not isinstance(outcome, HokmError):
                answered()
            elif not self.over.done():
                self.over.set_exception(outcome)

        signed = SignedMove(read_move(act.move), act.move, act.signature)
        self.tables.act(self.operator, act.table_id, signed, Beside(act.number), answer)

    async def open(self) -> tuple[bytes, bytes]:
        """A table's id and its first entry."""
        opened: asyncio.Future[Made | HokmError] = asyncio.get_running_loop().create_future()
        table_id = self.tables.open(self.operator, TableRules(), (), opened.set_result)
        made = await opened
        assert isinstance(made, Made)
        return table_id, made.entry


Script = list[bytes]
"""The acts of one table in order, serialized. The first four sit down."""


async def record(folder: Path, tables: int, moves: int) -> list[Script]:
    """So many moves, or up to the end of its game, at each of so many tables."""
    house = SomeHouse(folder)
    rng = random.Random(2)
    outbox = Outbox(1 << 30)
    games: dict[bytes, Game] = {}
    scripts: dict[bytes, Script] = {}

    def act(table_id: bytes, act: pb.SignedAct) -> None:
        scripts[table_id].append(act.SerializeToString())
        house.act(act, lambda: None)

    for _ in range(tables):
        table_id, entry = await house.open()
        keys = [SigningKey(rng.randbytes(32)) for _ in range(4)]
        game = games[table_id] = Game(house.house, SeatKind.BOT, keys, entry, rng.randbytes)
        scripts[table_id] = []
        for seat in range(4):
            act(table_id, game.join(seat))
            await _settled(house, table_id)
            game.take(1, house.store.entries_of(table_id, 1, 100))
        house.tables.watch(house.operator, outbox, table_id, game.table.version, range(4))
    playing = set(games)
    while playing:
        for table_id in tuple(playing):
            game = games[table_id]
            for seat in range(4):
                found = game.next_act(seat)
                if found is not None:
                    act(table_id, found)
            if len(scripts[table_id]) >= moves or game.is_over:
                playing.remove(table_id)
        if not playing:
            break
        chunk = await asyncio.wait_for(outbox.take(), 10)
        assert chunk is not None
        for update in pb.PlayResponse.FromString(chunk).updates:
            games[update.table_id].take(update.first_version, update.entries)
            games[update.table_id].take_hands(update.hands)
    await house.close()
    return list(scripts.values())


async def _settled(house: SomeHouse, table_id: bytes) -> None:
    """Wait until what was brought to a table is durable, and whatever follows from it."""
    version = house.tables.table(table_id).version
    while house.tables.table(table_id).version == version:
        await asyncio.sleep(0)
        if house.over.done():
            house.over.result()


class Replayed:
    """How a replay went."""

    def __init__(self, moves: int, seconds: float, cpu_seconds: float, durability: str) -> None:
        self.moves = moves
        self.seconds = seconds
        self.cpu_seconds = cpu_seconds
        """Of the whole process, the writer's thread with it."""
        self.durability = durability
        """The modes that SQLite said it was in."""

    def __add__(self, other: Replayed) -> Replayed:
        """Both as one."""
        moves, seconds = self.moves + other.moves, self.seconds + other.seconds
        return Replayed(moves, seconds, self.cpu_seconds + other.cpu_seconds, self.durability)

    @property
    def rate(self) -> float:
        """Moves in a second."""
        return self.moves / self.seconds

    @property
    def rate_of_processor(self) -> float:
        """Moves in a second of processor time."""
        return self.moves / self.cpu_seconds


async def replay(folder: Path, scripts: list[Script]) -> Replayed:
    """Bring the same moves again, at all tables at once, and see how long it takes."""
    house = SomeHouse(folder)
    loop = asyncio.get_running_loop()
    outbox = Outbox(1 << 30)
    for script in scripts:
        table_id, _ = await house.open()
        for joined in script[:4]:
            house.act(pb.SignedAct.FromString(joined), lambda: None)
            await _settled(house, table_id)
        house.tables.watch(house.operator, outbox, table_id, house.tables.table(table_id).version, range(4))
    ready = [iter(script[4:]) for script in scripts]
    playing = len(ready)

    def bring() -> None:
        """The next move of every table whose last one is durable."""
        nonlocal playing
        some, ready[:] = ready[:], []
        for script in some:
            octets = next(script, None)
            if octets is not None:
                house.act(pb.SignedAct.FromString(octets), partial(again, script))
                continue
            playing -= 1
            if not playing:
                house.over.set_result(None)

    def again(script: Iterator[bytes]) -> None:
        if not ready:
            loop.call_soon(bring)
        ready.append(script)

    async def read() -> None:
        while await outbox.take() is not None:
            pass

    reading = asyncio.create_task(read())
    begun, cpu = time.perf_counter(), time.process_time()
    bring()
    await house.over
    seconds, cpu_seconds = time.perf_counter() - begun, time.process_time() - cpu
    reading.cancel()
    durability = house.store.durability()
    await house.close()
    return Replayed(sum(len(script) - 4 for script in scripts), seconds, cpu_seconds, durability)
