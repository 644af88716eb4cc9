# SPDX-License-Identifier: Apache-2.0
"""Witnesses of a room: three, of whom two are the quorum, and who cosign what is published while they are there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from hokm.checkpoint import cosign
from hokm.policy import Group, Policy, Witness
from hokm.signing import SignatureType, SigningKey, VKey
from hokm_server.log import Log, Published
from hokm_server.tables import Tables
from hokm_server.witnesses import Witnesses


class RoomWitnesses:
    """Their keys, and whether they are there."""

    def __init__(self, new_key: Callable[[], SigningKey], now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self.keys = {f"{name}.example/witness": new_key() for name in ("alef", "be", "pe")}
        self.there = asyncio.Event()
        self.there.set()

    def within(self, policy: Policy) -> Policy:
        """The policy with these witnesses and their quorum."""
        witnesses = tuple(
            Witness(name.partition(".")[0], VKey(name, SignatureType.COSIGNATURE, key.public))
            for name, key in self.keys.items()
        )
        group = Group("two", 2, tuple(witness.name for witness in witnesses))
        return replace(policy, witnesses=witnesses, groups=(group,), quorum=group.name)

    def cosign(self, log: Log) -> Published:
        """Publish, and let all of them cosign it now."""
        checkpoint = log.publish().checkpoint
        for name, key in self.keys.items():
            line = cosign(checkpoint, name, key, self._now_ms() // 1000)
            log.cosign(checkpoint, VKey(name, SignatureType.COSIGNATURE, key.public), line)
        found = log.witnessed
        assert found is not None
        return found

    def of(self, log: Log) -> Witnesses:
        """What brings the commit sets in this log before them, as soon as they are there."""

        async def wait_witnessed(position: int) -> Published:
            await self.there.wait()
            found = self.cosign(log)
            assert found.checkpoint.size > position
            return found

        return Witnesses(log, wait_witnessed)

    def sought_by(self, tables: Tables) -> list[asyncio.Task[None]]:
        """What is about to find them there."""
        if tables._witnesses is None or not self.there.is_set():
            return []
        return [task for _, task in tables._witnesses._sought.values() if not task.done()]
