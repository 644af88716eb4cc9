# SPDX-License-Identifier: Apache-2.0
"""Sentences that stand on a screen for a while: each with the time from which, and the time until which, it is shown.

Times are seconds on any clock that does not jump; they come in as arguments.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import NamedTuple


class Until(StrEnum):
    """What ends a sentence before its time."""

    TYPED = "typed"
    """It answers what was typed, and goes when something else is."""
    PLAYED = "played"
    """It tells what has happened, and goes when the player plays on."""
    NOTHING = "nothing"


class _Message(NamedTuple):
    text: str
    since: float
    end: float
    until: Until


class Messages:
    """What is to be read at the moment."""

    __slots__ = ("_messages",)

    def __init__(self) -> None:
        self._messages: list[_Message] = []

    def add(self, text: str, since: float, seconds: float = math.inf, until: Until = Until.NOTHING) -> None:
        """Show a sentence for so long."""
        self._messages.append(_Message(text, since, since + seconds, until))

    def end(self, what: Until) -> None:
        """That has happened: what stood until then goes."""
        self._messages = [message for message in self._messages if message.until is not what]

    def at(self, now: float) -> tuple[str, ...]:
        """What is shown at that time, the newest last."""
        self._messages = [message for message in self._messages if now < message.end]
        return tuple(message.text for message in self._messages if message.since <= now)

    def next_change(self, now: float) -> float:
        """The next time at which something else is shown, if nothing is added; infinite where there is none."""
        times = (time for message in self._messages for time in (message.since, message.end) if time > now)
        return min(times, default=math.inf)
