# SPDX-License-Identifier: Apache-2.0
"""A connection to a witness: no address has all of them, and none is held for nothing.

A log whose witnesses cannot be reached keeps games waiting. So who only opens connections, or sends a request byte by
byte, does not keep a log out: one connection too many of an address is closed at once, and one on which nothing new was
asked for some seconds is closed too.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from ipaddress import IPv6Network
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS: Final = 1000
MOST_OF_ADDRESS: Final = 100
"""A log needs one."""
QUIET_SECONDS: Final = 10.0
"""From one request to the next at least, the request and its answer included."""


class Connection(H11Protocol):
    """HTTP/1.1 on one connection."""

    def __init__(self, *, held: Counter[str], quiet_seconds: float = QUIET_SECONDS, **given: Any) -> None:
        """`held` counts the connections of each address; the rest is the server's."""
        super().__init__(**given)
        self._held = held
        self._quiet_seconds = quiet_seconds
        self._address: str | None = None
        self._answered: object = None
        """The request that was the last one when it was looked at."""
        self._look_later: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, or end at once."""
        super().connection_made(transport)
        address = address_of(transport.get_extra_info("peername")[0])
        if self._held[address] >= MOST_OF_ADDRESS or self._held.total() >= MOST_CONNECTIONS:
            transport.abort()
            return
        self._address = address
        self._held[address] += 1
        self._look_later = self.loop.call_later(self._quiet_seconds, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """Give back what it held."""
        super().connection_lost(exc)
        if self._look_later is not None:
            self._look_later.cancel()
        if self._address is not None:
            self._held[self._address] -= 1
            if not self._held[self._address]:
                del self._held[self._address]

    def _look(self) -> None:
        """End where nothing was asked since."""
        if self.cycle is self._answered:
            self.transport.abort()
        else:
            self._answered = self.cycle
            self._look_later = self.loop.call_later(self._quiet_seconds, self._look)


def address_of(host: str) -> str:
    """Whose connection it is: an IPv4 address, or the first 64 bits of an IPv6 one, of which each has all the rest."""
    return str(IPv6Network((host.partition("%")[0], 64), strict=False)) if ":" in host else host
