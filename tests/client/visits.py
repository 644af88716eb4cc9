# SPDX-License-Identifier: Apache-2.0
"""Real servers for players of ours: in this process, with the house's bots or without, and with ways that break."""

from __future__ import annotations

import asyncio
import contextlib
import random
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import grpc

from hokm.events import AnswerTea, Ready
from hokm.signing import SigningKey
from hokm.v1 import log_service_pb2
from hokm.v1 import tables_service_pb2 as pb
from hokm_client.bots import HouseBots
from hokm_client.identity import read_operator_key
from hokm_client.player import Player
from hokm_client.question import Standing, Wish
from hokm_server.clock import SystemClock
from hokm_server.config import Settings
from hokm_server.serving import Serving, serving
from tests.audit import audit_files


@contextlib.asynccontextmanager
async def house(var: Path, port: int = 0) -> AsyncIterator[Serving]:
    """A server with its files there, and without bots; its log is audited at the end."""
    settings = Settings(var=var, port=port, bots=False, publish_ms=50)
    async with serving(settings, SystemClock(), secrets.token_bytes) as found:
        yield found
    audit_files(var)


@contextlib.asynccontextmanager
async def guest(address: str, var: Path, name: str = "") -> AsyncIterator[Player]:
    """A player with a key and a directory of its own; the same again under the same name."""
    own = var / "guests" / (name or secrets.token_hex(4))
    async with Player.connect(address, identity=own / "me.key", policy=var / "policy", state=own) as player:
        yield player


def agree(standing: Standing) -> Wish | None:
    """Tea, whenever somebody else asks, and on with the game at once."""
    tea, seat = standing.table.tea, standing.seat
    if tea is None:
        return None
    if tea.pause is not None:
        return None if seat in tea.ready else Ready()
    return None if seat in (tea.seat, *tea.yes) else AnswerTea(True)


@contextlib.asynccontextmanager
async def house_bots(address: str, var: Path, name: str = "bots") -> AsyncIterator[HouseBots]:
    """The house's bots, which answer at once."""
    key = read_operator_key(var / "keys" / "operator.key")
    async with Player.connect(
        address, identity=key, policy=var / "policy", state=var / "players" / name, patient=True, checks_log=False
    ) as player:
        bots = HouseBots(player, chance=random.Random(1))
        playing = asyncio.create_task(bots.run())
        try:
            yield bots
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)


def new_key() -> SigningKey:
    """An identity that is in no file."""
    return SigningKey(secrets.token_bytes(32))


# A way that breaks.


class Way:
    """A TCP way to a server that can be cut."""

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        self._to = (host, int(port))
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self.address = ""
        self.made = 0
        """Connections so far."""

    async def __aenter__(self) -> Way:
        self._server = await asyncio.start_server(self._pass, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        await self._server.wait_closed()

    def cut(self) -> None:
        """Break every connection that there is; new ones may be made."""
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection(*self._to)
        except OSError:
            writer.transport.abort()
            return
        self.made += 1
        self._writers |= {writer, back}
        await asyncio.gather(_copy(reader, back), _copy(there, writer))


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while octets := await reader.read(65536):
            writer.write(octets)
            await writer.drain()
    writer.transport.abort()


# A liar between.

Lie = Callable[[pb.PlayResponse], pb.PlayResponse]
"""What comes on Play, changed."""

Change = Callable[[bytes], bytes]
"""A request or an answer of another call, changed."""


class Lies(NamedTuple):
    """What a liar changes: of calls by the name of their method, such as ``GetCheckpoint``."""

    play: Lie = lambda response: response
    asked: Mapping[str, Change] = {}
    answered: Mapping[str, Change] = {}


class _Relay(grpc.GenericRpcHandler):
    """Passes every call on, but for the lies."""

    def __init__(self, channel: grpc.aio.Channel, lies: Lies) -> None:
        self._channel = channel
        self._lies = lies

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes]:
        method = handler_call_details.method
        if method.endswith("/Play"):
            return grpc.stream_stream_rpc_method_handler(self._play(method))
        if method.endswith("Proof") and ("/GetRound" in method or "/GetGame" in method):
            return grpc.unary_stream_rpc_method_handler(self._pieces(method))
        return grpc.unary_unary_rpc_method_handler(self._call(method))

    def _call(self, method: str) -> Any:
        there: Any = self._channel.unary_unary(method)
        name = method.rpartition("/")[2]
        asked, answered = self._lies.asked.get(name, bytes), self._lies.answered.get(name, bytes)

        async def call(request: bytes, context: Any) -> bytes:
            try:
                return answered(await there(asked(request), metadata=context.invocation_metadata()))
            except grpc.aio.AioRpcError as error:
                trailer = error.trailing_metadata()
                await context.abort(error.code(), error.details() or "", tuple(trailer) if trailer else ())
                raise AssertionError("abort raises") from None

        return call

    def _pieces(self, method: str) -> Any:
        """A proof, as one piece."""
        there: Any = self._channel.unary_stream(method)
        answered = self._lies.answered.get(method.rpartition("/")[2], bytes)

        async def pieces(request: bytes, context: Any) -> AsyncIterator[bytes]:
            call = there(request, metadata=context.invocation_metadata())
            whole = b"".join([log_service_pb2.GetGameProofResponse.FromString(octets).piece async for octets in call])
            yield answered(log_service_pb2.GetGameProofResponse(piece=whole).SerializeToString())

        return pieces

    def _play(self, method: str) -> Any:
        there: Any = self._channel.stream_stream(method)

        async def play(requests: AsyncIterator[bytes], context: Any) -> AsyncIterator[bytes]:
            call = there(requests, metadata=context.invocation_metadata())
            try:
                async for octets in call:
                    yield self._lies.play(pb.PlayResponse.FromString(octets)).SerializeToString()
            finally:
                call.cancel()

        return play


@contextlib.asynccontextmanager
async def liar(address: str, lies: Lies) -> AsyncIterator[str]:
    """The address of a server that says what the one at `address` says, but for its lies."""
    async with grpc.aio.insecure_channel(address) as channel:
        server = grpc.aio.server()
        server.add_generic_rpc_handlers((_Relay(channel, lies),))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        try:
            yield f"127.0.0.1:{port}"
        finally:
            await server.stop(0)
