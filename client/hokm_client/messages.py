# SPDX-License-Identifier: Apache-2.0
"""Sentences that stand on a screen for a while: each with the time from which, and the time until which, it is shown.

Times are seconds on any clock that does not jump; they come in as arguments.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class _Message(NamedTuple):
    text: str
    since: float
    until: float
    answers: bool


class Messages:
    """What is to be read at the moment."""

    __slots__ = ("_messages",)

    def __init__(self) -> None:
        self._messages: list[_Message] = []

    def add(self, text: str, since: float, seconds: float = math.inf, *, answers: bool = False) -> None:
        """Show a sentence for so long. `answers`: it answers what was typed, and goes when something else is."""
        self._messages.append(_Message(text, since, since + seconds, answers))

    def answered(self) -> None:
        """Something else was typed."""
        self._messages = [message for message in self._messages if not message.answers]

    def at(self, now: float) -> tuple[str, ...]:
        """What is shown at that time, the newest last."""
        self._messages = [message for message in self._messages if now < message.until]
        return tuple(message.text for message in self._messages if message.since <= now)

    def next_change(self, now: float) -> float:
        """The next time at which something else is shown, if nothing is added; infinite where there is none."""
        times = (time for message in self._messages for time in (message.since, message.until) if time > now)
        return min(times, default=math.inf)
