# SPDX-License-Identifier: Apache-2.0
"""Turns: heavy work is done for so many callers at once, and those who wait are let in one after the other.

First one of each address, then one of each caller there, each with what it asked for first: whoever asks for much waits
for itself.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeAlias

from hokm_server.shares import Caller

Turn: TypeAlias = "asyncio.Future[None]"


class Turns:
    """Who may work now, and who waits."""

    __slots__ = ("_free", "_waiting")

    def __init__(self, at_once: int) -> None:
        self._free = at_once
        self._waiting: dict[str, dict[bytes | str, deque[Turn]]] = {}
        """By address and caller; whose turn is next stands first in each."""

    @asynccontextmanager
    async def of(self, caller: Caller) -> AsyncIterator[None]:
        """Wait for a turn of this caller, and have it until the context ends."""
        if self._free:
            self._free -= 1
        else:
            await self._wait(caller)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, caller: Caller) -> None:
        turn: Turn = asyncio.get_running_loop().create_future()
        callers = self._waiting.setdefault(caller.address, {})
        callers.setdefault(caller.holder, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it came at the same moment
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Give a turn that is over to whoever is next."""
        while self._waiting:
            turn = self._next()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1

    def _next(self) -> Turn:
        """Take the next one out, and put its caller and its address behind the others."""
        address = next(iter(self._waiting))
        callers = self._waiting.pop(address)
        holder = next(iter(callers))
        line = callers.pop(holder)
        turn = line.popleft()
        if line:
            callers[holder] = line
        if callers:
            self._waiting[address] = callers
        return turn
