# SPDX-License-Identifier: Apache-2.0
"""Whether what closes a round or a game at one table is published, looked for beside everything else.

One entry at a time, and always the newest: it names all those before it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from hokm.errors import HokmError
from hokm.events import RoundRevealed
from hokm.table import Over
from hokm_client.fraud import Fraud
from hokm_client.stream import Step

logger = logging.getLogger(__name__)

CheckPublished = Callable[[bytes, int, bytes], Awaitable[None]]
"""Waits until the entry of that table and version is in the published log: see `PublishedLog.check_published`."""


class Closings:
    """The closing entries of one table."""

    def __init__(self, check: CheckPublished | None, caught: Callable[[Fraud], None]) -> None:
        """`caught` is told of a fraud. Without `check` nothing is looked for."""
        self._check = check
        self._caught = caught
        self._newest: Step | None = None
        self._looking: asyncio.Task[None] | None = None
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """The game is over, and its last entry is published, or nobody answered for as long as that may take."""

    def see(self, step: Step) -> None:
        """One more entry, which may be a closing one."""
        is_last = isinstance(step.after.stage, Over)
        if self._check is None:
            if is_last:
                self.over.set_result(None)
        elif is_last or isinstance(step.event.content, RoundRevealed):
            self._newest = step
            if self._looking is None:
                self._looking = asyncio.get_running_loop().create_task(self._look(self._check))

    def stop(self) -> None:
        """Look for nothing more."""
        if self._looking is not None:
            self._looking.cancel()

    async def _look(self, check: CheckPublished) -> None:
        while self._newest is not None:
            step, self._newest = self._newest, None
            version = step.event.version
            try:
                await check(step.after.id, version, step.entry)
            except Fraud as fraud:
                self._caught(fraud)
                return
            except HokmError as error:
                logger.warning("whether entry %d is in the published log is not known: %s", version, error)
            finally:
                if isinstance(step.after.stage, Over):
                    self.over.set_result(None)
        self._looking = None
