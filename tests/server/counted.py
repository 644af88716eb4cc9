# SPDX-License-Identifier: Apache-2.0
"""How much the server does in one go, while others wait for the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any


class Counted:
    """How often something is done before whoever else wants to do something has its turn."""

    def __init__(self, does: Callable[..., Any]) -> None:
        self._does = does
        self._ticking = asyncio.create_task(self._tick())
        self._since = 0
        self.most = 0

    async def _tick(self) -> None:
        while True:
            self._since = 0
            await asyncio.sleep(0)

    def __call__(self, *args: Any) -> Any:
        """Do it, and count."""
        self._since += 1
        self.most = max(self.most, self._since)
        return self._does(*args)

    def stop(self) -> int:
        """Count no more; the most."""
        self._ticking.cancel()
        return self.most
