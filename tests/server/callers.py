# SPDX-License-Identifier: Apache-2.0
"""Four players who come to a real server by its front door, with the compiled stubs alone; and what they are told."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from hokm.cards import hand_of
from hokm.deal import commitment
from hokm.entry import event_key_id, leaf, parse_entry, sign_move
from hokm.events import Act, Commit, Join, Move, NameTrump, Play, Reveal, SeatKind
from hokm.hand import read_hand
from hokm.sign_in import signed_challenge
from hokm.signing import SigningKey
from hokm.table import Ceremony, House, Over, Round, Table, evolve, may_play, opened
from hokm.v1 import log_service_pb2, log_service_pb2_grpc, rules_pb2, sign_in_service_pb2, tables_service_pb2
from hokm.v1.sign_in_service_pb2_grpc import SignInServiceStub
from hokm.v1.tables_service_pb2_grpc import TablesServiceStub
from hokm.wire import read_event, write_move
from hokm_server.clock import Clock, SystemClock
from hokm_server.config import Settings
from hokm_server.serving import Serving, serving
from tests.audit import audit_files

SHORT = rules_pb2.TableRules(target=3)


def told_by(error: grpc.aio.AioRpcError) -> tuple[grpc.StatusCode, str, dict[str, str]]:
    """Code, reason and facts of a call that failed."""
    status = Status()
    status.ParseFromString(dict(error.trailing_metadata() or ())["grpc-status-details-bin"])
    info = ErrorInfo()
    assert status.details[0].Unpack(info)
    assert info.domain == "hokm"
    return error.code(), info.reason, dict(info.metadata)


@dataclass(eq=False)
class Caller:
    """A key that is signed in, in a seat."""

    seat: int
    key: SigningKey = field(default_factory=lambda: SigningKey(os.urandom(32)))
    token: str = ""
    moves: int = 0
    hand: int = 0
    numbers: dict[bytes, bytes] = field(default_factory=dict)

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """What its calls bring."""
        return (("authorization", f"Bearer {self.token}"),)


class Visit:
    """A server that runs in this process, a channel to it, and the stubs of its services."""

    def __init__(self, found: Serving | None, channel: grpc.aio.Channel) -> None:
        """`found` may be left out where nothing is folded."""
        self._found = found
        self.channel = channel
        self.sign_in: Any = SignInServiceStub(channel)
        self.tables: Any = TablesServiceStub(channel)
        self.log: Any = log_service_pb2_grpc.LogServiceStub(channel)
        self.callers: list[Caller] = []
        self.table: Table | None = None
        self.leaves: list[bytes] = []

    @property
    def found(self) -> Serving:
        """The server."""
        assert self._found is not None
        return self._found

    async def enter(self, caller: Caller) -> Caller:
        """Sign in."""
        asked = sign_in_service_pb2.GetChallengeRequest(public_key=caller.key.public)
        challenge = await self.sign_in.GetChallenge(asked)
        signature = caller.key.sign(signed_challenge(challenge.origin, challenge.challenge))
        answer = await self.sign_in.SignIn(
            sign_in_service_pb2.SignInRequest(
                public_key=caller.key.public, challenge=challenge.challenge, signature=signature
            )
        )
        caller.token = answer.token
        return caller

    async def seat_four(self, rules: rules_pb2.TableRules = SHORT) -> bytes:
        """Open a table and sit down at it, each with a key of its own."""
        self.callers = [await self.enter(Caller(seat)) for seat in range(4)]
        self.table, self.leaves = None, []
        asked = tables_service_pb2.OpenTableRequest(rules=rules)
        answer = await self.tables.OpenTable(asked, metadata=self.callers[0].metadata)
        self.take([answer.entry])
        for caller in self.callers:
            await self.act(caller, Join(SeatKind.PERSON, caller.key.public, os.urandom(32)))
        return bytes(answer.table_id)

    async def act(self, caller: Caller, act: Act, number: bytes = b"", join_code: str = "") -> None:
        """A move by the simple way, and what came of it."""
        table = await self._up_to_date()
        move = Move(
            game_id=bytes(32) if isinstance(act, Join) else table.game_id,
            round=table.round,
            attempt=table.attempt,
            seat=caller.seat,
            number=caller.moves,
            seen_version=table.version,
            seen_hash=self.leaves[table.version],
            protest=None,
            act=act,
        )
        body = write_move(move)
        signed = tables_service_pb2.SignedAct(table_id=table.id, move=body, signature=sign_move(body, caller.key))
        if number:
            signed.number = number
        if join_code:
            signed.join_code = join_code
        await self.tables.Act(tables_service_pb2.ActRequest(act=signed), metadata=caller.metadata)
        caller.moves += 1
        await self._up_to_date()

    async def play(self, until: Callable[[Table], bool]) -> Table:
        """Honest moves until the table is there."""
        while not until(table := await self._up_to_date()):
            match table.stage:
                case Ceremony(commit_set=None) as ceremony:
                    caller = self.callers[ceremony.missing[0]]
                    number = caller.numbers.setdefault(ceremony.ctx, os.urandom(32))
                    made = commitment(ceremony.ctx, caller.seat, caller.key.public, number)
                    await self.act(caller, Commit(made))
                case Ceremony(commit_set=bytes(commit_set)) as ceremony:
                    caller = self.callers[ceremony.missing[0]]
                    await self.act(caller, Reveal(ceremony.ctx, commit_set), caller.numbers[ceremony.ctx])
                case Round(trump=None) as round_:
                    await self.act(self.callers[round_.turn], NameTrump(0))
                case Round() as round_:
                    caller = self.callers[round_.turn]
                    legal = may_play(round_, await self._hand(caller, table))
                    await self.act(caller, Play((legal & -legal).bit_length() - 1))
                case stage:
                    raise AssertionError(stage)
        return table

    async def play_game(self) -> Table:
        """To the end."""
        return await self.play(lambda table: isinstance(table.stage, Over))

    async def _hand(self, caller: Caller, table: Table) -> int:
        """The thirteen cards of this deal, from the signed notes."""
        assert isinstance(table.stage, Round)
        asked = tables_service_pb2.WatchRequest(table_id=table.id, seats=[caller.seat])
        stream = self.tables.Watch(asked, metadata=caller.metadata)
        cards: list[int] = []
        async for answer in stream:
            for signed in answer.update.hands:
                note = read_hand(signed.note)
                if note.ctx == table.stage.ceremony.ctx:
                    cards += note.cards
            if len(cards) == 13:
                break
        stream.cancel()
        return hand_of(tuple(cards))

    async def _up_to_date(self) -> Table:
        """The table with all that is in the log."""
        assert self.table is not None
        while True:
            asked = log_service_pb2.GetEntriesRequest(table_id=self.table.id, first_version=self.table.version + 1)
            entries = list((await self.log.GetEntries(asked)).entries)
            if not entries:
                return self.table
            self.take(entries)

    def take(self, entries: list[bytes]) -> None:
        """Fold entries, each link of the chain looked at."""
        for entry in entries:
            parts = parse_entry(entry)
            event = read_event(parts.body)
            house = House(self.found.keys.origin, self.found.keys.event.public)
            assert parts.key_id == event_key_id(house.origin, house.event_key)
            assert event.previous == (self.leaves[-1] if self.leaves else bytes(32))
            self.table = opened(house, event) if self.table is None else evolve(self.table, event)
            self.leaves.append(leaf(entry))


def served(settings: Settings, clock: Clock | None = None) -> AbstractAsyncContextManager[Serving]:
    """A server in this process, by the time and the chance of the system where the test has none of its own."""
    return serving(settings, clock or SystemClock(), os.urandom)


@asynccontextmanager
async def visiting(var: Path, clock: Clock | None = None, **settings: int) -> AsyncIterator[Visit]:
    """A server with its files there, and a channel to it; its log is audited at the end."""
    asked = Settings(var=var, port=0, bots=False, publish_ms=50, **settings)  # type: ignore[arg-type]
    async with served(asked, clock) as found, grpc.aio.insecure_channel(found.address) as channel:
        yield Visit(found, channel)
    audit_files(var)


@asynccontextmanager
async def stranger(visit: Visit, host: str = "127.0.0.1") -> AsyncIterator[Visit]:
    """Another connection to the same server; from another address of this machine, such as 127.0.0.2."""

    async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while octets := await reader.read(1 << 16):
            writer.write(octets)
            await writer.drain()
        writer.close()

    ends: list[asyncio.StreamWriter] = []

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back, forth = await asyncio.open_connection(visit.found.host, visit.found.port, local_addr=(host, 0))
        ends.extend((writer, forth))
        await asyncio.gather(pipe(reader, forth), pipe(back, writer), return_exceptions=True)

    server = await asyncio.start_server(relay, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield Visit(visit.found, channel)
        await channel.close()
        for end in ends:
            end.close()  # gRPC may keep a connection for the next channel, and the relay would wait for it


async def error_of(call: Any) -> grpc.aio.AioRpcError:
    """What a call, or a stream before its first answer, fails with."""
    try:
        if hasattr(call, "__aiter__"):
            async for _ in call:
                break
        else:
            await call
    except grpc.aio.AioRpcError as error:
        return error
    raise AssertionError("something came")
