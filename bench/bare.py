# SPDX-License-Identifier: Apache-2.0
"""The floor of a move: a bare stream of gRPC for each player that does nothing but the primitives of a move.

What comes over one of four streams is verified; as many bytes as an entry has are signed, hashed and made durable by
a thread that commits all that waits; then they go out over all four. No message is parsed, nothing is decided.

`python -m bench.bare FOLDER` serves this; `BareCrowd` is what keeps it busy: at each table the turn goes round.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc

from bench.crowd import Crowd
from bench.loops import new_loop
from bench.raw_store import RawStore
from hokm.signing import SigningKey, verify
from hokm_server.store import Batch
from hokm_server.writer import Writer

METHOD = "/bench.Bare/Play"
MOVE_BYTES, ENTRY_BYTES, SIGNATURE_BYTES = 114, 326, 64
"""What they have in the product, with what is around them on the wire."""
KEY = SigningKey(bytes(32))
"""The players'."""


class BareTable:
    """Four streams."""

    def __init__(self) -> None:
        self.stream = os.urandom(16)
        self.version = 0
        self.outboxes: list[BareOutbox] = []


class BareOutbox:
    """What waits to be written to one stream."""

    def __init__(self) -> None:
        self.waiting: list[bytes] = []
        self.ready = asyncio.Event()

    async def write_to(self, context: Any) -> None:
        """Until the stream ends."""
        while True:
            await self.ready.wait()
            self.ready.clear()
            chunks, self.waiting = self.waiting, []
            await context.write(b"".join(chunks))


class BareServer:
    """The handler."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._key = SigningKey(os.urandom(32))
        self._tables: dict[bytes, BareTable] = {}

    async def play(self, requests: AsyncIterator[bytes], context: Any) -> None:
        """The first message names a table and is answered with a byte, each further one is a move."""
        table = self._tables.setdefault(await anext(requests), BareTable())
        outbox = BareOutbox()
        table.outboxes.append(outbox)
        await context.write(b"-")
        writing = asyncio.create_task(outbox.write_to(context))
        try:
            async for request in requests:
                self._move(table, request)
        finally:
            writing.cancel()

    def _move(self, table: BareTable, request: bytes) -> None:
        assert verify(KEY.public, request[SIGNATURE_BYTES:], request[:SIGNATURE_BYTES])
        body = request.ljust(ENTRY_BYTES - SIGNATURE_BYTES, b"-")
        entry = body + self._key.sign(body)
        hashlib.sha256(entry).digest()

        def durable(_: object) -> None:
            for outbox in table.outboxes:
                outbox.waiting.append(entry)
                outbox.ready.set()

        batch = Batch(table.stream, table.version, [entry])
        table.version += 1
        self._writer.submit(batch, durable)


async def serve(folder: Path) -> None:
    """Until the process is ended."""
    writer = Writer(RawStore(folder / "bare.db").append, asyncio.get_running_loop())
    server = grpc.aio.server(options=(("grpc.so_reuseport", 0),))
    handler = grpc.stream_stream_rpc_method_handler(BareServer(writer).play, bytes, bytes)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bench.Bare", {"Play": handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f"ready on 127.0.0.1:{port}", flush=True)
    await server.wait_for_termination()


class BareCrowd(Crowd):
    """Four streams at each table; the next one sends when it has what the last one sent."""

    async def play(self, tables: int) -> None:
        """Begin to play."""
        for table in range(tables):
            name = table.to_bytes(4, "big")
            calls: list[Any] = [self.channel().stream_stream(METHOD)() for _ in range(4)]
            for call in calls:
                await call.write(name)
                await call.read()
            for seat, call in enumerate(calls):
                self.start(self._sit(call, seat))

    async def _sit(self, call: Any, seat: int) -> None:
        body = os.urandom(MOVE_BYTES)
        message = KEY.sign(body) + body
        turn = 0
        if seat == 0:
            await call.write(message)
        while (entries := await call.read()) is not grpc.aio.EOF:
            turn += len(entries) // ENTRY_BYTES
            if turn & 3 == seat:
                self.moves += 1
                await call.write(message)


if __name__ == "__main__":
    sys.setswitchinterval(0.0002)
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(serve(Path(sys.argv[1])))
