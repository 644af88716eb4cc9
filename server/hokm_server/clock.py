# SPDX-License-Identifier: Apache-2.0
"""The clock, handed to whatever needs the time: nothing else of the server asks the system for it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class Alarm(Protocol):
    """A call that is to come."""

    def cancel(self) -> None:
        """It shall not come."""
        ...


class Clock(Protocol):
    """What says how late it is, and calls. The tests have one that they turn by hand."""

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        ...

    def call_at(self, ms: int, call: Callable[[], object]) -> Alarm:
        """Call at this time, at once where it has passed; in the event loop and never before `call_at` returns.

        Where the machine's clock is set back meanwhile, the call comes too early by as much: look at the time then.
        """
        ...


class SystemClock:
    """The clock of the machine."""

    __slots__ = ()

    def now_ms(self) -> int:
        """Milliseconds since 1970; steps back where the machine's clock is set back."""
        return time.time_ns() // 1_000_000

    def call_at(self, ms: int, call: Callable[[], object]) -> asyncio.TimerHandle:
        """Call at this time, from the running event loop."""
        return asyncio.get_running_loop().call_later(max(0, ms - self.now_ms()) / 1000, call)
