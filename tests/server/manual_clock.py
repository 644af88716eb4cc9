# SPDX-License-Identifier: Apache-2.0
"""A clock that a test turns by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class ManualAlarm:
    """A call that comes when the clock is turned to its time."""

    clock: ManualClock
    ms: int
    call: Callable[[], object]

    def cancel(self) -> None:
        """It shall not come."""
        if self in self.clock.alarms:
            self.clock.alarms.remove(self)


@dataclass(slots=True)
class ManualClock:
    """Stands still until it is turned."""

    ms: int = 1_800_000_000_000
    alarms: list[ManualAlarm] = field(default_factory=list)

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        return self.ms

    def call_at(self, ms: int, call: Callable[[], object]) -> ManualAlarm:
        """Call when the clock is turned to this time; with the next turn where it has passed."""
        alarm = ManualAlarm(self, ms, call)
        self.alarms.append(alarm)
        return alarm

    def turn(self, ms: int) -> None:
        """So many milliseconds pass, and each alarm rings at its time."""
        end = self.ms + ms
        while due := [alarm for alarm in self.alarms if alarm.ms <= end]:
            alarm = min(due, key=lambda alarm: alarm.ms)
            self.ms = max(self.ms, alarm.ms)
            alarm.cancel()
            alarm.call()
        self.ms = end
