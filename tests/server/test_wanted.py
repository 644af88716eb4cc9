# SPDX-License-Identifier: Apache-2.0
"""Who hears of seats that want somebody: each as often as it asks, and no memory of what has passed."""

from __future__ import annotations

import asyncio

from hokm.events import SeatKind
from hokm_server.wanted import Wanted

ONE, OTHER = bytes([1]) * 16, bytes([2]) * 16


def test_a_seat_that_came_and_went_is_one_word_to_who_asks_late() -> None:
    """What is kept is bounded by the seats that there are, however long nobody has asked."""
    wanted = Wanted()
    wanted.want(OTHER, 0, SeatKind.BOT)
    for _ in range(1000):
        wanted.want(ONE, 2, SeatKind.STAND_IN)
        wanted.no_more(ONE, 2)
    assert [found[:2] for found in wanted.after(0)] == [(OTHER, 0)]
    wanted.want(ONE, 2, SeatKind.STAND_IN)
    assert [found[:2] for found in wanted.after(0)] == [(OTHER, 0), (ONE, 2)]


def test_what_was_told_is_told_again_only_where_it_was_wanted_anew() -> None:
    """By the number of the last that was told; the same wish twice is one."""
    wanted = Wanted()
    wanted.want(ONE, 1, SeatKind.BOT)
    wanted.want(ONE, 3, SeatKind.BOT)
    told = wanted.after(0)[-1].number
    wanted.want(ONE, 1, SeatKind.BOT)
    assert wanted.after(told) == []
    wanted.want(ONE, 1, SeatKind.STAND_IN)
    assert [found[:3] for found in wanted.after(told)] == [(ONE, 1, SeatKind.STAND_IN)]
    assert [found.seat for found in wanted.after(0)] == [3, 1]


async def test_everybody_who_waits_hears_of_what_comes() -> None:
    """At once, and each of the same."""
    wanted = Wanted()
    waiting = [asyncio.create_task(wanted.next_after(0)) for _ in range(2)]
    await asyncio.sleep(0)
    wanted.want(ONE, 1, SeatKind.BOT)
    wanted.no_more(ONE, 1)
    await asyncio.sleep(0)
    assert not any(task.done() for task in waiting)
    wanted.want(OTHER, 3, SeatKind.BOT)
    for found in await asyncio.wait_for(asyncio.gather(*waiting), 10):
        assert [wish[:2] for wish in found] == [(OTHER, 3)]
