# SPDX-License-Identifier: Apache-2.0
"""Who watches a table: first what each has missed, piece by piece as it reads, then whatever comes, to all at once.

A piece is fetched when the reader has taken what was there before, so a reader costs no more than it reads: one that
does not read holds one piece. Entries that are not in memory any more are read from the store in a thread, and callers
take turns, so many who have missed much keep no move waiting.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Final

from hokm.errors import TooManyAttached, UnknownVersion
from hokm.v1 import tables_service_pb2 as pb
from hokm_server.access import may_see
from hokm_server.auth import Viewer
from hokm_server.clock import Clock
from hokm_server.feed import Outbox, Subscription, updates_bytes
from hokm_server.live import LiveTable
from hokm_server.shares import Share, take_all
from hokm_server.steward import Steward
from hokm_server.turns import Turns

PIECE: Final = 128
"""Entries in one update of what a watcher has missed."""
READERS: Final = 2
"""Pieces that are made at a time."""
ATTACHED: Final = 256
"""Tables that one caller has attached, on all its streams; and in one message."""


class Watching:
    """All who watch the tables of this process. All calls come from one event loop."""

    def __init__(self, steward: Steward, clock: Clock, most_of_address: int) -> None:
        """The callers of one address have at most so many tables attached."""
        self._steward = steward
        self._clock = clock
        self._watched, self._played = (
            Share(min(ATTACHED, most_of_address), most_of_address, TooManyAttached) for _ in range(2)
        )
        """Tables that are attached by who has no seat there, and by who has one."""
        self._turns = Turns(READERS)

    def watch(
        self, live: LiveTable, viewer: Viewer, outbox: Outbox, after: int | None, seats: Sequence[int]
    ) -> Subscription:
        """Send entries after that version, and then each as it comes, to an outbox.

        Raises `UnknownVersion` for a version that is not there yet, `SeatNotYours` for cards of a seat that is not the
        caller's, `TooManyAttached`.
        """
        table = live.there
        if after is not None and after > table.version:
            raise UnknownVersion(after, table.version)
        for seat in seats:
            may_see(table, viewer, seat)
        old = outbox.subscriptions.get(live.id)
        if old is not None:
            old.drop()
        feed, is_seated = live.feed, live.is_seated(viewer)
        shares = (self._played, feed.seated) if is_seated else (self._watched, feed.watchers)
        take_all(shares, viewer.caller)
        subscription = Subscription(outbox, live.id, tuple(seats), viewer, partial(self._left, live, shares))
        live.watched_by(subscription)
        self._steward.want_stand_in(live)
        first = 0 if after is None else after + 1
        if first <= table.version:
            subscription.lacks = first
            outbox.fetch(subscription, partial(self._bring, live))
        elif live.is_over:
            subscription.end(pb.STREAM_END_GAME_OVER)
        return subscription

    def unwatch(self, outbox: Outbox) -> None:
        """The stream of this outbox is gone."""
        for subscription in tuple(outbox.subscriptions.values()):
            subscription.drop()

    def _left(self, live: LiveTable, shares: Sequence[Share], subscription: Subscription) -> None:
        for share in shares:
            share.give_back(subscription.viewer.caller)
        live.left_by(subscription, self._clock.now_ms())
        if not live.is_over:
            self._steward.set_alarm(live)

    async def _bring(self, live: LiveTable, subscription: Subscription) -> None:
        """Send the next piece of what a subscription lacks, and after the last one of a game that it is over."""
        first = subscription.lacks
        assert first is not None
        async with self._turns.of(subscription.viewer.caller):
            entries = live.kept(first, PIECE) or await asyncio.to_thread(live.older, live.id, first, PIECE)
        if not subscription.is_open:
            return
        last = first + len(entries) - 1
        hands = live.hands_for(first - 1, last)
        update = pb.TableUpdate(table_id=live.id, first_version=first, entries=entries, hands=hands(subscription))
        subscription.outbox.put_last(updates_bytes(update))
        subscription.lacks = last + 1 if last < live.there.version else None
        if live.is_over and subscription.lacks is None:
            subscription.end(pb.STREAM_END_GAME_OVER)
