# SPDX-License-Identifier: Apache-2.0
"""Tables that wait for witnesses: their commit sets are published and cosigned, and the tables go on.

There is one task for each table that waits. It ends when what it seeks is found, or when nobody waits for it any more:
the time of the house is over, or the game is.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from hokm.errors import HokmError
from hokm.events import CommitSetWitnessed
from hokm.table import Ceremony
from hokm.wire import MOST_EVENT_BYTES
from hokm_server.live import LiveTable
from hokm_server.log import Log, Published

logger = logging.getLogger(__name__)

MOST_NOTE_BYTES: Final = MOST_EVENT_BYTES - 2560
"""Of a checkpoint with its cosignatures: besides it an entry has the proof that the set is there, and its own head."""


class Witnesses:
    """What brings commit sets before the witnesses of the policy. All calls come from one event loop."""

    def __init__(self, log: Log, wait_witnessed: Callable[[int], Awaitable[Published]]) -> None:
        """`wait_witnessed` waits for a checkpoint that covers a position of the log and has the policy's quorum."""
        self._log = log
        self._wait_witnessed = wait_witnessed
        self._sought: dict[bytes, tuple[int, asyncio.Task[None]]] = {}
        """By table, the version of its CommitSetClosed, and the task."""

    def look(self, live: LiveTable, found: Callable[[LiveTable], object]) -> None:
        """Seek witnesses for a table that waits, and for none that does not; `found` is told when they are there."""
        stage = live.there.stage
        closed = stage.closed if isinstance(stage, Ceremony) and stage.wait is not None else None
        sought = self._sought.get(live.id)
        if sought is not None and sought[0] != closed:
            self._leave_off(live.id)
        if closed is None:
            live.witnessed = None
        elif live.id not in self._sought:
            self._sought[live.id] = closed, asyncio.create_task(self._seek(live, closed, found))

    def stop(self) -> None:
        """Seek nothing any more."""
        for table_id in tuple(self._sought):
            self._leave_off(table_id)

    def _leave_off(self, table_id: bytes) -> None:
        _, task = self._sought.pop(table_id)
        task.cancel()

    async def _seek(self, live: LiveTable, closed: int, found: Callable[[LiveTable], object]) -> None:
        try:
            position = await asyncio.to_thread(self._log.position, live.id, closed)
            published = await self._wait_witnessed(position)
            size = published.checkpoint.size
            inclusion = await asyncio.to_thread(self._log.inclusion, live.id, closed, size)
        except HokmError as error:
            logger.error("The commit set of table %s cannot be shown to witnesses: %s", live.id.hex(), error)
            return
        if len(published.note) > MOST_NOTE_BYTES:
            logger.error("The cosignatures for table %s do not fit into an entry", live.id.hex())
            return
        live.witnessed = CommitSetWitnessed(published.note.decode(), inclusion.index, tuple(inclusion.hashes))
        found(live)
