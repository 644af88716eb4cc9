# SPDX-License-Identifier: Apache-2.0
"""Seats that want a bot or a stand-in, and how the operator's programs hear of them.

What is wanted now is all that is kept: whoever asks gets what has come to be wanted since it was told last, and waits
where there is nothing. So who does not ask costs nothing, however often seats come and go meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from hokm.events import SeatKind


class WantedSeat(NamedTuple):
    """A seat that wants somebody."""

    table_id: bytes
    seat: int
    kind: SeatKind
    """BOT before the start, STAND_IN after it."""
    number: int
    """Counts from 1 on whatever has come to be wanted."""


NOBODY: Final[Mapping[int, SeatKind]] = MappingProxyType({})


class Wanted:
    """What is wanted now, in the order in which it came to be wanted."""

    def __init__(self) -> None:
        self._seats: dict[tuple[bytes, int], WantedSeat] = {}
        self._tables: dict[bytes, dict[int, SeatKind]] = {}
        """The same by table and seat, for a table asks with every move."""
        self._number = 0
        self._more = asyncio.Event()
        """Set, and another put in its place, when there is more."""

    def want(self, table_id: bytes, seat: int, kind: SeatKind) -> None:
        """Somebody is wanted there, from now on if not already."""
        if self.kind(table_id, seat) is kind:
            return
        self.no_more(table_id, seat)
        self._number += 1
        self._seats[table_id, seat] = WantedSeat(table_id, seat, kind, self._number)
        self._tables.setdefault(table_id, {})[seat] = kind
        self._more.set()
        self._more = asyncio.Event()

    def kind(self, table_id: bytes, seat: int) -> SeatKind | None:
        """Who is wanted there."""
        return self.at(table_id).get(seat)

    def at(self, table_id: bytes) -> Mapping[int, SeatKind]:
        """Who is wanted at a table, by seat."""
        return self._tables.get(table_id, NOBODY)

    def no_more(self, table_id: bytes, seat: int) -> None:
        """Nobody is wanted there any more."""
        if self._seats.pop((table_id, seat), None) is None:
            return
        del self._tables[table_id][seat]
        if not self._tables[table_id]:
            del self._tables[table_id]

    def after(self, number: int) -> list[WantedSeat]:
        """What is wanted now and came to be so after that number, oldest first."""
        found = []
        for wanted in reversed(self._seats.values()):
            if wanted.number <= number:
                break
            found.append(wanted)
        return found[::-1]

    async def next_after(self, number: int) -> list[WantedSeat]:
        """The same, once there is something."""
        while not (found := self.after(number)):
            await self._more.wait()
        return found
