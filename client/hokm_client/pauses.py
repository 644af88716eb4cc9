# SPDX-License-Identifier: Apache-2.0
"""How long to wait before what failed is tried again, and whether trying again may help at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from hokm.errors import Busy, HokmError, NotSignedIn
from hokm_client.errors import KeepingFailed, ServerBroken

FIRST_PAUSE: Final = 0.05
LONGEST_PAUSE: Final = 5.0
"""Seconds: each pause is twice the one before."""


class Pauses:
    """How long to wait before the same is tried again: longer each time, a third of it by chance."""

    __slots__ = ("_entropy", "_seconds")

    def __init__(self, entropy: Callable[[int], bytes]) -> None:
        self._entropy = entropy
        self._seconds = FIRST_PAUSE

    def reset(self) -> None:
        """It went well: the next pause is short again."""
        self._seconds = FIRST_PAUSE

    async def wait(self) -> None:
        """One pause."""
        await asyncio.sleep(self._seconds * (1 - self._entropy(1)[0] / 768))
        self._seconds = min(2 * self._seconds, LONGEST_PAUSE)


def may_mend(error: HokmError) -> bool:
    """Whether the same may succeed later: the server is away, busy, or has forgotten who calls."""
    if isinstance(error, KeepingFailed):
        return False
    return isinstance(error, Busy | NotSignedIn | ServerBroken)
