# SPDX-License-Identifier: Apache-2.0
"""Nobody keeps a log from its witness by opening connections and asking nothing."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest
import uvicorn
from starlette.applications import Starlette
from uvicorn.server import ServerState

from hokm_audit import witness_connection
from hokm_audit.witness_connection import Connection, address_of

REQUEST = b"GET / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n"


@asynccontextmanager
async def listening(held: Counter[str], quiet_seconds: float) -> AsyncIterator[int]:
    """A site of nothing, over such connections: its port."""
    config = uvicorn.Config(Starlette(), lifespan="off", log_config=None, access_log=False)
    config.load()
    given = {"config": config, "server_state": ServerState(), "app_state": {}}
    connection = partial(Connection, held=held, quiet_seconds=quiet_seconds, **given)
    async with asyncio.timeout(20):
        server = await asyncio.get_running_loop().create_server(connection, "127.0.0.1", 0)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()


async def answered(port: int, octets: bytes, host: str = "127.0.0.1") -> bytes:
    """What came on a connection until the other end closed it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(host, 0))
    try:
        writer.write(octets)
        return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


async def test_one_address_does_not_have_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """One too many is closed at once; others are answered, and that one when it has let go."""
    monkeypatch.setattr(witness_connection, "MOST_OF_ADDRESS", 2)
    held: Counter[str] = Counter()
    async with listening(held, 20) as port:
        ends = [(await asyncio.open_connection("127.0.0.1", port))[1] for _ in range(2)]
        assert await answered(port, REQUEST) == b""
        assert await answered(port, REQUEST, "127.0.0.2")
        for end in ends:
            end.close()
        while held:
            await asyncio.sleep(0)
        assert await answered(port, REQUEST)


async def test_many_addresses_together_have_no_more_than_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """A descriptor is left for the memory."""
    monkeypatch.setattr(witness_connection, "MOST_CONNECTIONS", 2)
    async with listening(Counter({"192.0.2.1": 1, "2001:db8::/64": 1}), 20) as port:
        assert await answered(port, REQUEST) == b""


def test_whose_connection_it_is() -> None:
    """Who has one IPv6 address has many."""
    assert address_of("192.0.2.1") == "192.0.2.1"
    assert address_of("2001:db8::1") == address_of("2001:db8::ffff:0:0:2%eth0") != address_of("2001:db8:0:1::1")


@pytest.mark.parametrize(
    "octets", [b"", b"POST /add-check", b"POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 9\r\n\r\n"]
)
async def test_one_on_which_nothing_is_asked_is_closed(octets: bytes) -> None:
    """In the middle of a request, too."""
    held: Counter[str] = Counter()
    async with listening(held, 0.05) as port:
        await answered(port, octets)
        while held:
            await asyncio.sleep(0)
