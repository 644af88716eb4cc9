# SPDX-License-Identifier: Apache-2.0
"""Seats that want a bot or a stand-in, and the operator's programs that wait to hear of them."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from hokm.events import SeatKind


class WantedSeat(NamedTuple):
    """A seat that wants somebody."""

    table_id: bytes
    seat: int
    kind: SeatKind
    """BOT before the start, STAND_IN after it."""


class Wanted:
    """What is wanted now, in the order in which it came to be wanted."""

    def __init__(self) -> None:
        self._seats: dict[tuple[bytes, int], SeatKind] = {}
        self._listeners: set[asyncio.Queue[WantedSeat]] = set()

    def want(self, table_id: bytes, seat: int, kind: SeatKind) -> None:
        """Somebody is wanted there; every listener hears of it once."""
        if self._seats.get((table_id, seat)) is kind:
            return
        self._seats[table_id, seat] = kind
        for listener in self._listeners:
            listener.put_nowait(WantedSeat(table_id, seat, kind))

    def kind(self, table_id: bytes, seat: int) -> SeatKind | None:
        """Who is wanted there."""
        return self._seats.get((table_id, seat))

    def no_more(self, table_id: bytes, seat: int) -> None:
        """Nobody is wanted there any more."""
        self._seats.pop((table_id, seat), None)

    def listen(self) -> asyncio.Queue[WantedSeat]:
        """A queue with all that is wanted now, and then whatever comes. It is bounded by the seats that there are."""
        queue: asyncio.Queue[WantedSeat] = asyncio.Queue()
        for (table_id, seat), kind in self._seats.items():
            queue.put_nowait(WantedSeat(table_id, seat, kind))
        self._listeners.add(queue)
        return queue

    def leave(self, queue: asyncio.Queue[WantedSeat]) -> None:
        """This listener has gone."""
        self._listeners.discard(queue)
