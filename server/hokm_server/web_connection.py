# SPDX-License-Identifier: Apache-2.0
"""A connection of the web: nobody holds many of them, nor one for nothing.

There are so many connections, and an address has a share of them; one more is closed at once. A connection on which
nothing new is asked for a long time is closed too, whether its other end sends a request byte by byte, takes an answer
as slowly, or is gone.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

from hokm.errors import TooManyCalls
from hokm_server.shares import Caller, Share, address_of_peer

QUIET_SECONDS: Final = 120.0
"""From one request to the next at least, an answer of whatever size included."""


class Connection(H11Protocol):
    """HTTP/1.1 on one connection."""

    def __init__(self, *, share: Share, quiet_seconds: float, **given: Any) -> None:
        """`share` is that of all connections; the rest is the server's."""
        super().__init__(**given)
        self._share = share
        self._quiet_seconds = quiet_seconds
        self._caller: Caller | None = None
        self._answered: object = None
        """The request that was the last one when it was looked at."""
        self._look_later: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, or end at once."""
        super().connection_made(transport)
        host, port = transport.get_extra_info("peername")[:2]
        caller = caller_at(host, port)
        try:
            self._share.take(caller)
        except TooManyCalls:
            transport.abort()
            return
        self._caller = caller
        self._look_later = self.loop.call_later(self._quiet_seconds, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """Give back what it held."""
        super().connection_lost(exc)
        if self._caller is not None:
            self._share.give_back(self._caller)
        if self._look_later is not None:
            self._look_later.cancel()

    def _look(self) -> None:
        """End where nothing was asked since."""
        if self.cycle is self._answered:
            self.transport.abort()
        else:
            self._answered = self.cycle
            self._look_later = self.loop.call_later(self._quiet_seconds, self._look)


def caller_at(host: str, port: int) -> Caller:
    """Who is at the other end of a connection."""
    peer = f"ipv6:[{host}]:{port}" if ":" in host else f"ipv4:{host}:{port}"
    return Caller(peer, address_of_peer(peer))
