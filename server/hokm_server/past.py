# SPDX-License-Identifier: Apache-2.0
"""Tables that are over: the last that were asked for stay in memory, folded.

To fold a game from the store takes some milliseconds, and the table of a game that is over never changes again. So
nothing here can grow stale, and nothing is lost with what is let go.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from hokm_server.live import LiveTable

MOST_FOLDED: Final = 64
"""Tables, of some 100 kB each."""


class Past:
    """The tables that are over."""

    __slots__ = ("_folded", "_load")

    def __init__(self, load: Callable[[bytes], LiveTable]) -> None:
        """`load` folds a table from the store."""
        self._load = load
        self._folded: dict[bytes, LiveTable] = {}
        """The one asked for last stands last."""

    def __contains__(self, table_id: bytes) -> bool:
        """It is in memory."""
        return table_id in self._folded

    async def fold(self, table_id: bytes) -> None:
        """Bring a table into memory beside the event loop."""
        self._keep(table_id, await asyncio.to_thread(self._load, table_id))

    def table(self, table_id: bytes) -> LiveTable:
        """A table whose entries are in the store, as they leave it."""
        live = self._folded.pop(table_id, None) or self._load(table_id)
        self._keep(table_id, live)
        return live

    def _keep(self, table_id: bytes, live: LiveTable) -> None:
        if live.is_over:
            self._folded[table_id] = live
        if len(self._folded) > MOST_FOLDED:
            del self._folded[next(iter(self._folded))]
