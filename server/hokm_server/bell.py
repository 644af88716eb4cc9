# SPDX-License-Identifier: Apache-2.0
"""A bell: what one coroutine waits for until somebody rings.

An `asyncio.Event` keeps a queue of waiters, and remembers. Each stream waits in three places, there may be ten thousand
streams, and whoever waits here looks at what it waits for itself: so a bell is nothing but who waits, if anybody does.
"""

from __future__ import annotations

import asyncio


class Bell:
    """Heard by the one that waits; when nobody does, ringing is for nothing."""

    __slots__ = ("_waiter",)

    def __init__(self) -> None:
        self._waiter: asyncio.Future[None] | None = None

    async def wait(self) -> None:
        """Until the next ring."""
        assert self._waiter is None or self._waiter.done(), "one waits at a time"
        self._waiter = asyncio.get_running_loop().create_future()
        await self._waiter

    def ring(self) -> None:
        """Let who waits go on, in the next turn of the loop."""
        if self._waiter is not None:
            if not self._waiter.done():  # it may have been cancelled
                self._waiter.set_result(None)
            self._waiter = None
