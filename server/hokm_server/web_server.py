# SPDX-License-Identifier: Apache-2.0
"""The HTTP server beside that of gRPC, in the same process and event loop."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Final

import uvicorn
from starlette.applications import Starlette

from hokm.errors import TooManyCalls
from hokm_server.errors import AddressUnusable
from hokm_server.server import address_of, why_not
from hokm_server.shares import Share
from hokm_server.web_connection import QUIET_SECONDS, Connection

GRACE_SECONDS: Final = 1
"""How long answers may go on when the server ends."""
KEEP_ALIVE_SECONDS: Final = 15
MOST_CONNECTIONS: Final = 1000
"""Of all addresses: each takes a descriptor, of which the games need some."""


@contextlib.asynccontextmanager
async def answering(
    site: Starlette,
    host: str,
    port: int,
    certificate: Path | None = None,
    key: Path | None = None,
    *,
    most_of_address: int = MOST_CONNECTIONS,
    quiet_seconds: float = QUIET_SECONDS,
) -> AsyncIterator[int]:
    """Answer at this address until the context ends, over TLS with a certificate and its key; the port.

    Port 0 lets the system choose one; one address has so many connections. Raises `AddressUnusable`.
    """
    share = Share(most_of_address, most_of_address, TooManyCalls, MOST_CONNECTIONS)
    server = uvicorn.Server(
        uvicorn.Config(
            site,
            http=partial(Connection, share=share, quiet_seconds=quiet_seconds),  # type: ignore[arg-type]
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="error",  # what strangers do wrong is not told
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=GRACE_SECONDS,
            ssl_certfile=certificate,
            ssl_keyfile=key,
        )
    )
    config = server.config
    config.load()
    server.lifespan = config.lifespan_class(config)
    with _listening(host, port) as listening:
        await server.startup([listening])
        ticking = asyncio.create_task(server.main_loop())  # `serve` would take the signals, which are the loop's
        try:
            yield listening.getsockname()[1]
        finally:
            ticking.cancel()
            await server.shutdown([listening])


def _listening(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except (OSError, OverflowError) as error:
        raise AddressUnusable(address_of(host, port), why_not(host, port)) from error
