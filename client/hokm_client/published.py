# SPDX-License-Identifier: Apache-2.0
"""The published log as one player sees it: it only grows, and what the house has signed is in it when it must be.

Every checkpoint is held against the last one that was seen, in this run or an earlier one. A signed entry is a promise:
whatever a server answers instead of the proof that the entry is in the log, after `PROMISE_SECONDS` it has broken it.
Only a server that is away or busy has its time begin anew, for then there is nothing to be told.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

from hokm.entry import leaf
from hokm.errors import HokmError, NotPublished
from hokm.policy import Policy
from hokm_client.connection import Connection
from hokm_client.errors import KeepingFailed
from hokm_client.fraud import Fraud, FraudKind
from hokm_client.keeping import Keeping
from hokm_client.pauses import may_mend
from hokm_client.trust import Heads

T = TypeVar("T")

PROMISE_SECONDS: Final = 10.0
"""A signed entry is in the published log so soon."""


class PublishedLog:
    """The log of one server."""

    def __init__(
        self, connection: Connection, policy: Policy, keeping: Keeping, caught: Callable[[Fraud], None]
    ) -> None:
        """`caught` is told of the fraud that the log itself is, once; see `fraud`."""
        self._caught = caught
        self._connection = connection
        self._policy = policy
        self._keeping = keeping
        self._known: Heads | None = None
        self._checking = asyncio.Lock()
        self.fraud: Fraud | None = None
        """Two heads, or one that cannot be: whatever this log says is not believed any more."""

    @property
    def _heads(self) -> Heads:
        if self._known is None:
            origin = self._connection.origin
            self._known = Heads(self._policy, origin, self._keeping.checkpoint(origin))
        return self._known

    async def check(self) -> int:
        """Fetch the latest checkpoint and hold it against the last one that was seen; its size.

        Raises `Fraud`, `KeepingFailed`, and why there is no answer.
        """
        return await self._believed(self._check)

    async def hold(self, note: bytes) -> None:
        """Hold the checkpoint of a proof against the last one that was seen: both must be of one tree.

        One that the log has not signed is left to whoever judges the proof. Raises as `check` does.
        """
        await self._believed(lambda: self._hold(note))

    async def _believed(self, check: Callable[[], Awaitable[T]]) -> T:
        """One after the other: an older answer that comes late is no older checkpoint. After a fraud none."""
        async with self._checking:
            if self.fraud is None:
                try:
                    return await check()
                except Fraud as fraud:
                    self.fraud = fraud
                    self._caught(fraud)
            raise self.fraud

    async def check_published(self, table_id: bytes, version: int, entry: bytes) -> None:
        """Wait until an entry is in the published log, which the house promised by signing it.

        Raises `Fraud` where it is not there after `PROMISE_SECONDS`, `KeepingFailed`, and why there has been no answer
        for as long.
        """
        time = asyncio.get_running_loop().time
        since, pauses, was_away = time(), self._connection.pauses(), False
        while True:
            away: HokmError | None = None
            try:
                if await self._holds(table_id, version, entry):
                    return
            except (Fraud, KeepingFailed):
                raise
            except HokmError as error:
                away = error if _is_away(error) else None
            if was_away != (away is not None):
                since, was_away = time(), away is not None
            elif time() - since >= PROMISE_SECONDS:
                if away is not None:
                    raise away
                what = f"entry {version} (leaf {leaf(entry).hex()}) is signed and not in the log"
                exhibits = {"entry": entry}
                if self._heads.last is not None:
                    exhibits["checkpoint"] = self._heads.last.note
                raise Fraud(FraudKind.BROKEN_PROMISE, version, what, exhibits=exhibits)
            await pauses.wait()

    async def _check(self) -> int:
        return await self._take(await self._connection.checkpoint())

    async def _hold(self, note: bytes) -> None:
        heads = self._heads
        try:
            size = heads.read(note).checkpoint.size
        except Fraud:
            return
        if heads.last is None or size >= heads.last.checkpoint.size:
            await self._take(note)
        else:
            heads.take_older(note, await self._consistency(size, heads.last.checkpoint.size) if size else ())

    async def _take(self, note: bytes) -> int:
        heads = self._heads
        checkpoint = heads.read(note).checkpoint
        old = heads.needs_proof(checkpoint)
        proof: Sequence[bytes] = ()
        if old is not None and old < checkpoint.size:
            proof = await self._consistency(old, checkpoint.size)
        heads.take(note, proof)
        self._keeping.put_checkpoint(heads.origin, note)
        self._keeping.flush()
        return checkpoint.size

    async def _consistency(self, old: int, new: int) -> Sequence[bytes]:
        """The proof; none where a server that does answer has none."""
        try:
            return await self._connection.consistency(old, new)
        except HokmError as error:
            if _is_away(error):
                raise
            return ()

    async def _holds(self, table_id: bytes, version: int, entry: bytes) -> bool:
        """Whether the latest checkpoint's tree is shown to hold the entry."""
        size = await self.check()
        index, hashes = await self._connection.inclusion(table_id, version, size)
        return self._heads.holds(entry, index, hashes)


def _is_away(error: HokmError) -> bool:
    """Whether a server says nothing at all, rather than that what it was asked for is not there."""
    return may_mend(error) and not isinstance(error, NotPublished)
