# SPDX-License-Identifier: Apache-2.0
"""A crowd of players that keep a server busy, over real sockets, with the bare stubs of gRPC.

    Stream   one Play stream: every move and every update of its tables goes over it
    Simple   the unary Act for moves, a Watch stream for the entries of each table
    Table    four seats that play one game after the other, each over a line of its own or all over one

All of it runs in one event loop. The next move of a table is sent when the last one is back, unless a pace is set.
"""

from __future__ import annotations

import asyncio
import gc
import os
import time
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

import grpc

from bench.games import Game
from bench.served import Served
from hokm.events import SeatKind
from hokm.sign_in import signed_challenge
from hokm.signing import SigningKey
from hokm.table import House
from hokm.v1 import sign_in_service_pb2
from hokm.v1 import tables_service_pb2 as pb
from hokm.v1.sign_in_service_pb2_grpc import SignInServiceStub
from hokm.v1.tables_service_pb2_grpc import TablesServiceStub

MOST_ACTS = 16
"""In one message of a stream: so the server has the first ones before the last ones are signed."""

OPTIONS = (("grpc.use_local_subchannel_pool", 1),)
"""Every line has a connection of its own, as the players of a server have."""


class Crowd:
    """All players, and what they have counted."""

    def __init__(self, address: str, house: House | None = None, certificate: bytes = b"") -> None:
        """`certificate` is that of the server, where it speaks TLS."""
        self._house = house
        self.moves = 0
        self.seconds_of_moves: list[float] = []
        """From sending a move to its own entry, of each move, as they came."""
        self._address = address
        self._certificate = certificate
        self._failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tasks: set[asyncio.Task[None]] = set()
        self._channels: list[grpc.aio.Channel] = []

    @property
    def house(self) -> House:
        """Whose entries are folded."""
        assert self._house is not None
        return self._house

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Let this run until the crowd goes."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None and not self._failed.done():
            self._failed.set_exception(error)

    async def wait(self, seconds: float) -> None:
        """Let them play so long. Raises what went wrong."""
        await asyncio.wait({self._failed}, timeout=seconds)
        if self._failed.done():
            self._failed.result()

    def channel(self) -> grpc.aio.Channel:
        """One more connection."""
        if self._certificate:
            credentials = grpc.ssl_channel_credentials(self._certificate)
            named = (*OPTIONS, ("grpc.ssl_target_name_override", "localhost"))
            channel = grpc.aio.secure_channel(self._address, credentials, named)
        else:
            channel = grpc.aio.insecure_channel(self._address, OPTIONS)
        self._channels.append(channel)
        return channel

    async def leave(self) -> None:
        """All go, and what fails as they do is of no interest."""
        self._failed.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(channel.close() for channel in self._channels))


class Line:
    """One connection of one key that has signed in: what `Stream` and `Simple` have in common."""

    def __init__(self, crowd: Crowd, key: SigningKey) -> None:
        self.crowd = crowd
        self.key = key
        self.tables: dict[bytes, Table] = {}
        channel = crowd.channel()
        self._sign_in: Any = SignInServiceStub(channel)
        self.stub: Any = TablesServiceStub(channel)
        self.metadata: tuple[tuple[str, str], ...] = ()

    async def sign_in(self) -> None:
        """Get a token."""
        public = self.key.public
        challenge = await self._sign_in.GetChallenge(sign_in_service_pb2.GetChallengeRequest(public_key=public))
        signature = self.key.sign(signed_challenge(challenge.origin, challenge.challenge))
        request = sign_in_service_pb2.SignInRequest(
            public_key=public, challenge=challenge.challenge, signature=signature
        )
        token = (await self._sign_in.SignIn(request)).token
        self.metadata = (("authorization", f"Bearer {token}"),)

    async def open_table(self) -> pb.OpenTableResponse:
        """A new table."""
        return await self.stub.OpenTable(pb.OpenTableRequest(), metadata=self.metadata)  # type: ignore[no-any-return]

    async def act_and_wait(self, act: pb.SignedAct) -> pb.ActResponse:
        """One move by the simple way, and its entry."""
        return await self.stub.Act(pb.ActRequest(act=act), metadata=self.metadata)  # type: ignore[no-any-return]

    def attach(self, table: Table, seats: Sequence[int]) -> None:
        """Have all entries that come, and the cards of these seats, brought to the table."""
        raise NotImplementedError

    def act(self, act: pb.SignedAct) -> None:
        """Send a move, and do not wait."""
        raise NotImplementedError


class Stream(Line):
    """One Play stream."""

    def __init__(self, crowd: Crowd, key: SigningKey) -> None:
        super().__init__(crowd, key)
        self._call: Any = None
        self._attach: list[pb.Attach] = []
        self._acts: list[pb.SignedAct] = []
        self._writing = False

    def attach(self, table: Table, seats: Sequence[int]) -> None:
        if self._call is None:
            self._call = self.stub.Play(metadata=self.metadata)
            self.crowd.start(self._read())
        self.tables[table.id] = table
        self._attach.append(pb.Attach(table_id=table.id, after_version=table.version, seats=seats))
        self._wake()

    def act(self, act: pb.SignedAct) -> None:
        self._acts.append(act)
        self._wake()

    def _wake(self) -> None:
        if not self._writing:
            self._writing = True
            self.crowd.start(self._write())

    async def _write(self) -> None:
        while self._attach or self._acts:
            request = pb.PlayRequest(attach=self._attach, acts=self._acts[:MOST_ACTS])
            self._attach.clear()
            del self._acts[:MOST_ACTS]
            await self._call.write(request)
        self._writing = False

    async def _read(self) -> None:
        while (response := await self._call.read()) is not grpc.aio.EOF:
            for update in response.updates:
                self.tables[update.table_id].take(self, update)


class Simple(Line):
    """Act and Watch."""

    def attach(self, table: Table, seats: Sequence[int]) -> None:
        self.crowd.start(self._watch(table, seats))

    async def _watch(self, table: Table, seats: Sequence[int]) -> None:
        request = pb.WatchRequest(table_id=table.id, after_version=table.version, seats=seats)
        async for response in self.stub.Watch(request, metadata=self.metadata):
            table.take(self, response.update)

    def act(self, act: pb.SignedAct) -> None:
        self.crowd.start(self._act(act))

    async def _act(self, act: pb.SignedAct) -> None:
        await self.act_and_wait(act)


class Table:
    """Four seats, each with the line that it comes by: one game after the other."""

    def __init__(self, crowd: Crowd, lines: Sequence[Line], keys: Sequence[SigningKey], kind: SeatKind) -> None:
        self._crowd = crowd
        self._lines = lines
        self._keys = keys
        self._kind = kind
        self._seats = {line: [seat for seat in range(4) if lines[seat] is line] for line in lines}
        self._sent: list[tuple[float, bytes] | None] = [None] * 4
        self._game: Game | None = None
        self._seconds_between = 0.0
        self._next_at = 0.0
        self._moves_left: int | None = None

    def pace(self, moves_per_second: float, place: float = 0.0) -> None:
        """Keep to that pace, if it is not 0; `place` is where between two moves of others this table has its own."""
        if moves_per_second:
            self._seconds_between = 1 / moves_per_second
            self._next_at = asyncio.get_running_loop().time() + place / moves_per_second

    def stop_after(self, moves: int) -> None:
        """Make so many moves, and then no more."""
        self._moves_left = moves

    @property
    def has_stopped(self) -> bool:
        """All moves that were to be made are made."""
        return self._moves_left == 0

    @property
    def game(self) -> Game:
        """The one that is played."""
        assert self._game is not None
        return self._game

    @property
    def id(self) -> bytes:
        """Of the table that is played at."""
        return self.game.table.id

    @property
    def version(self) -> int:
        """As far as it is known."""
        return self.game.table.version

    async def begin(self) -> None:
        """A new game: open, sit down, look."""
        answer = await self._lines[0].open_table()
        game = self._game = Game(self._crowd.house, self._kind, self._keys, answer.entry, os.urandom)
        for seat, line in enumerate(self._lines):
            joined = await line.act_and_wait(game.join(seat))
            game.take(joined.version, [joined.entry])
        for line, seats in self._seats.items():
            line.attach(self, seats)

    def take(self, line: Line, update: pb.TableUpdate) -> None:
        """What has come over one of the lines, and what its seats do then."""
        if update.refusals:
            raise RuntimeError(update.refusals[0].sentence)
        game = self.game
        before = game.moves
        game.take(update.first_version, update.entries)
        self._crowd.moves += game.moves - before
        game.take_hands(update.hands)
        now = time.perf_counter()
        for seat in self._seats[line]:
            sent = self._sent[seat]
            if sent is not None and any(sent[1] in entry for entry in update.entries):
                self._crowd.seconds_of_moves.append(now - sent[0])
                self._sent[seat] = None
            act = game.next_act(seat)
            if act is not None:
                self._send(line, seat, act)
        if update.end:
            assert update.end == pb.STREAM_END_GAME_OVER
            line.tables.pop(update.table_id, None)
            if line is self._lines[0]:
                self._crowd.start(self.begin())

    def _send(self, line: Line, seat: int, act: pb.SignedAct) -> None:
        if self._moves_left is not None:
            if not self._moves_left:
                return
            self._moves_left -= 1
        if not self._seconds_between:
            self._now(line, seat, act)
            return
        loop = asyncio.get_running_loop()
        missed = max(0.0, loop.time() - self._next_at) // self._seconds_between
        self._next_at += (missed + 1) * self._seconds_between  # in step, so that no two tables ever fall into one
        loop.call_at(self._next_at, self._now, line, seat, act)

    def _now(self, line: Line, seat: int, act: pb.SignedAct) -> None:
        self._sent[seat] = time.perf_counter(), act.signature
        line.act(act)


async def seat_persons(crowd: Crowd, kind: type[Line], tables: int) -> list[Table]:
    """Four persons at each table, each with a connection of its own."""
    lines = [kind(crowd, SigningKey(os.urandom(32))) for _ in range(4 * tables)]
    await asyncio.gather(*(line.sign_in() for line in lines))
    found = []
    for first in range(0, 4 * tables, 4):
        four = lines[first : first + 4]
        found.append(Table(crowd, four, [line.key for line in four], SeatKind.PERSON))
    return found


async def seat_bots(crowd: Crowd, operator: SigningKey, tables: int) -> list[Table]:
    """Four bots at each table, all of them over one stream of the operator's."""
    line = Stream(crowd, operator)
    await line.sign_in()
    return [
        Table(crowd, [line] * 4, [SigningKey(os.urandom(32)) for _ in range(4)], SeatKind.BOT) for _ in range(tables)
    ]


@dataclass(frozen=True, slots=True)
class Measured:
    """What a stretch of play came to."""

    seconds: float
    server_seconds: float
    """Processor time of the server, all its threads."""
    crowd_seconds: float
    """Processor time of the players, which are this process."""
    moves: int
    seconds_of_moves: list[float]
    """From the shortest to the longest."""

    def __add__(self, other: Measured) -> Measured:
        """Both as one."""
        return Measured(
            self.seconds + other.seconds,
            self.server_seconds + other.server_seconds,
            self.crowd_seconds + other.crowd_seconds,
            self.moves + other.moves,
            sorted(self.seconds_of_moves + other.seconds_of_moves),
        )

    @property
    def rate(self) -> float:
        """Moves in a second."""
        return self.moves / self.seconds

    @property
    def rate_of_server(self) -> float:
        """Moves in a second of the server's processor time."""
        return self.moves / self.server_seconds

    def percentile(self, share: float) -> float:
        """Milliseconds within which this share of the moves was back."""
        return 1000 * self.seconds_of_moves[int(share * (len(self.seconds_of_moves) - 1))]


async def measure(crowd: Crowd, served: Served, warm_seconds: float, seconds: float) -> Measured:
    """Look at a crowd that plays, after a while; its own garbage is not collected meanwhile."""
    gc.collect()
    gc.disable()
    try:
        await crowd.wait(warm_seconds)
        return await _measure(crowd, served, seconds)
    finally:
        gc.enable()


async def _measure(crowd: Crowd, served: Served, seconds: float) -> Measured:
    begun, server_begun, crowd_begun = time.perf_counter(), served.cpu_seconds(), time.process_time()
    moves, times = crowd.moves, len(crowd.seconds_of_moves)
    await crowd.wait(seconds)
    return Measured(
        time.perf_counter() - begun,
        served.cpu_seconds() - server_begun,
        time.process_time() - crowd_begun,
        crowd.moves - moves,
        sorted(crowd.seconds_of_moves[times:]),
    )
