# SPDX-License-Identifier: Apache-2.0
"""What goes out to those who watch: one bounded outbox for each stream, any number of tables on it.

An update is serialized once, whoever gets it: a `PlayResponse` and a `WatchResponse` with one update in it are the same
bytes, and protobuf reads messages laid end to end as one message, so an outbox is a list of such bytes and a write
is their join. An outbox that is full drops its table and says so (`STREAM_END_BEHIND`): a slow reader attaches again
after the last version that it has, and keeps nobody waiting. What a reader lacks from before is fetched as it reads.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from hokm.errors import TooManyAttached
from hokm.v1 import tables_service_pb2 as pb
from hokm_server.auth import Viewer
from hokm_server.bell import Bell
from hokm_server.shares import Share

MOST_BYTES: Final = 1 << 18
"""What a stream may have waiting."""
LEAST_BYTES: Final = 1 << 14
"""What it may at least, however many there are."""
TOGETHER_BYTES: Final = 1 << 28
"""What is divided among them: where there are many, who does not read is told so sooner."""
MOST_OPERATORS_BYTES: Final = 1 << 20
"""The same for an operator's program, which plays at many tables."""


def most_bytes(viewer: Viewer, streams: int) -> int:
    """What one more stream of this caller may have waiting, where there are so many."""
    if viewer.is_operator:
        return MOST_OPERATORS_BYTES
    return max(LEAST_BYTES, min(MOST_BYTES, TOGETHER_BYTES // (streams + 1)))


def updates_bytes(update: pb.TableUpdate) -> bytes:
    """One update as a whole PlayResponse, or WatchResponse, on the wire."""
    return pb.PlayResponse(updates=[update]).SerializeToString()


class Outbox:
    """What waits to be written to one stream."""

    __slots__ = ("_bytes", "_chunks", "_closed", "_come", "_lacking", "_taken", "most_bytes", "subscriptions")

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._chunks: list[bytes] = []
        self._bytes = 0
        self._come = Bell()
        """There is something to take, or never will be."""
        self._taken = Bell()
        self._closed = False
        self._lacking: dict[bytes, tuple[Subscription, Bring]] = {}
        """By table id, who lacks entries; whose turn is next stands first."""
        self.most_bytes = most_bytes
        self.subscriptions: dict[bytes, Subscription] = {}
        """By table id."""

    def put(self, chunk: bytes) -> bool:
        """Let this be written next; False, and nothing is kept, where the outbox is full or closed."""
        if self._closed or self._bytes + len(chunk) > self.most_bytes:
            return False
        self.put_last(chunk)
        return True

    def put_last(self, chunk: bytes) -> None:
        """Let this be written even if the outbox is full: the word that nothing more comes of a table."""
        self._chunks.append(chunk)
        self._bytes += len(chunk)
        self._come.ring()

    def fetch(self, subscription: Subscription, bring: Bring) -> None:
        """Have what a subscription lacks brought as it is read; `bring` puts the next piece here, if there is one."""
        self._lacking[subscription.table_id] = subscription, bring
        self._come.ring()

    @property
    def is_empty(self) -> bool:
        """Nothing waits."""
        return not self._chunks and not self._lacking

    async def take(self) -> bytes | None:
        """All that waits, as one message, as soon as there is something; None once the outbox is closed and empty.

        With it comes one piece at most of what was missed. One may wait at a time.
        """
        while True:
            if self._lacking:
                await self._bring()
            if self._chunks:
                break
            if self._lacking:
                continue
            if self._closed:
                return None
            await self._come.wait()
        taken = self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)
        self._chunks = []
        self._bytes = 0
        self._taken.ring()
        return taken

    async def _bring(self) -> None:
        """Fetch a piece for the subscription whose turn it is."""
        table_id = next(iter(self._lacking))
        subscription, bring = self._lacking.pop(table_id)
        if subscription.is_open:
            await bring(subscription)
            if subscription.lacks is not None:
                self._lacking.setdefault(table_id, (subscription, bring))

    async def not_full(self) -> None:
        """Wait while much of what the outbox may hold waits to be taken: whoever does not read is not listened to."""
        while self._bytes > self.most_bytes // 4:
            await self._taken.wait()

    def close(self) -> None:
        """Nothing more is put; what waits can still be taken."""
        self._closed = True
        self._come.ring()


class Subscription:
    """One table on one stream."""

    __slots__ = ("lacks", "on_end", "outbox", "seats", "table_id", "viewer")

    def __init__(
        self,
        outbox: Outbox,
        table_id: bytes,
        seats: tuple[int, ...],
        viewer: Viewer,
        on_end: Callable[[Subscription], None],
    ) -> None:
        """`on_end` is told when nothing more goes to it."""
        self.outbox = outbox
        self.table_id = table_id
        self.seats = seats
        """Those whose cards are sent too, as long as they are the viewer's."""
        self.viewer = viewer
        self.on_end = on_end
        self.lacks: int | None = None
        """The first entry that is there and that it has not been sent; None where it has them all."""
        outbox.subscriptions[table_id] = self

    def send(self, chunk: bytes) -> None:
        """Send an update; where the outbox is full the subscription ends, and nothing comes behind a gap."""
        if self.is_open and not self.outbox.put(chunk):
            self.end(pb.STREAM_END_BEHIND)

    @property
    def is_open(self) -> bool:
        """It has not ended."""
        return self.outbox.subscriptions.get(self.table_id) is self

    def end(self, why: pb.StreamEnd.ValueType) -> None:
        """Nothing more of this table comes on this stream, for that reason."""
        if self.is_open:
            self.drop()
            self.outbox.put_last(updates_bytes(pb.TableUpdate(table_id=self.table_id, end=why)))

    def drop(self) -> None:
        """End an open subscription without a word."""
        del self.outbox.subscriptions[self.table_id]
        self.on_end(self)


Bring = Callable[[Subscription], Awaitable[None]]
"""What puts the next piece of what a subscription lacks into its outbox."""


WATCHERS: Final = 8
"""Streams of one caller that have one table."""
WATCHERS_OF_ADDRESS: Final = 256
"""Those of all callers of one address that have no seat there: each costs the server a write for every move."""


class Feed:
    """The subscriptions of one table."""

    __slots__ = ("players", "seated", "subscriptions", "watchers")

    def __init__(self) -> None:
        self.subscriptions: dict[Subscription, None] = {}
        """In the order in which they came."""
        self.players: dict[Subscription, None] = {}
        """Those of them that have seats."""
        self.watchers = Share(WATCHERS, WATCHERS_OF_ADDRESS, TooManyAttached)
        self.seated = Share(WATCHERS, 4 * WATCHERS, TooManyAttached)
        """The same of those who have a seat here: nobody who watches takes it from them."""

    def add(self, subscription: Subscription) -> None:
        """One more who is sent what comes."""
        self.subscriptions[subscription] = None
        if subscription.seats:
            self.players[subscription] = None

    def remove(self, subscription: Subscription) -> None:
        """One less."""
        self.subscriptions.pop(subscription, None)
        self.players.pop(subscription, None)

    def publish(self, table_id: bytes, first_version: int, entries: Sequence[bytes], hands: HandsFor | None) -> None:
        """Send entries to everybody, and to each whatever cards of its own seats they released, if any did.

        Who lacks older entries is brought these with them.
        """
        plain: bytes | None = None
        for subscription in tuple(self.subscriptions):
            if subscription.lacks is not None:
                continue
            if hands is not None and subscription.seats and (notes := hands(subscription)):
                update = pb.TableUpdate(table_id=table_id, first_version=first_version, entries=entries, hands=notes)
                subscription.send(updates_bytes(update))
                continue
            if plain is None:
                plain = updates_bytes(pb.TableUpdate(table_id=table_id, first_version=first_version, entries=entries))
            subscription.send(plain)

    def send_all(self, chunk: bytes) -> None:
        """Send everybody the same update."""
        for subscription in tuple(self.subscriptions):
            subscription.send(chunk)


HandsFor = Callable[[Subscription], Sequence[pb.SignedHandNote]]
"""The cards of the viewer's seats that the entries at hand released."""
