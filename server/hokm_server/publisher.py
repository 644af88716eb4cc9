# SPDX-License-Identifier: Apache-2.0
"""The publisher: publishes the log about every second while entries come, and at once when somebody waits for it.

Who waits for witnesses too is told when a checkpoint has the quorum; to ask them is not done here.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging

from hokm.errors import HokmError
from hokm_server.log import Log, Published

logger = logging.getLogger(__name__)


class Publisher:
    """Publishes from a task of the event loop; the work itself is done in a thread beside it."""

    def __init__(self, log: Log, *, seconds: float = 1.0) -> None:
        """Publish `log` every so many seconds, once `run` runs."""
        self._log = log
        self._seconds = seconds
        self._soon = asyncio.Event()
        self._next = asyncio.Event()
        self._cosigned = asyncio.Event()

    def publish_soon(self) -> None:
        """Do not wait for the second to end."""
        self._soon.set()

    async def wait_published(self, position: int) -> Published:
        """A checkpoint that covers this position of the log, published for it if need be."""
        while self._log.published.checkpoint.size <= position:
            turn = self._next
            self.publish_soon()
            await turn.wait()
        return self._log.published

    async def wait_after(self, before: Published) -> Published:
        """The next checkpoint, in its time."""
        while self._log.published.checkpoint.size <= before.checkpoint.size:
            await self._next.wait()
        return self._log.published

    async def wait_witnessed(self, position: int) -> Published:
        """A checkpoint that covers this position and has the policy's quorum, where the policy wants one."""
        published = await self.wait_published(position)
        if not self._log.wants_witnesses:
            return published
        while (found := self._log.witnessed) is None or found.checkpoint.size <= position:
            await self._cosigned.wait()
        return found

    def cosignature_came(self) -> None:
        """Let those look again who wait for the quorum."""
        turn, self._cosigned = self._cosigned, asyncio.Event()
        turn.set()

    async def run(self) -> None:
        """Publish until the task is cancelled, and once more then."""
        try:
            while True:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(self._seconds):
                        await self._soon.wait()
                self._soon.clear()
                if not await self._publish():
                    await asyncio.sleep(self._seconds)
        finally:
            await self._publish()

    async def _publish(self) -> bool:
        before = self._log.published
        try:
            after = await asyncio.to_thread(self._log.publish)
        except HokmError as error:
            logger.error("The log was not published: %s", error)
            return False
        if after.checkpoint != before.checkpoint:
            turn, self._next = self._next, asyncio.Event()
            turn.set()
        return True
