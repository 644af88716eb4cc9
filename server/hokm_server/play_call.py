# SPDX-License-Identifier: Apache-2.0
"""One open Play call: what its messages ask for is done in their order, and answered through its outbox."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Final

import grpc

from hokm.errors import HokmError, TooManyAttached
from hokm.v1 import tables_service_pb2 as pb
from hokm_server.asked import beside, seats_asked, signed_move
from hokm_server.auth import Viewer
from hokm_server.bell import Bell
from hokm_server.feed import Outbox, updates_bytes
from hokm_server.live import Made
from hokm_server.named_table import named_table
from hokm_server.status import Context, is_told
from hokm_server.tables import Tables
from hokm_server.watching import ATTACHED

AT_ONCE: Final = 8
"""Of what one stream asks for, before others have their turn."""


class PlayCall:
    """The two directions of one call, which go on side by side."""

    __slots__ = ("_answered", "_asked", "_outbox", "_tables", "_unanswered", "_viewer")

    def __init__(self, tables: Tables, viewer: Viewer, outbox: Outbox) -> None:
        self._tables = tables
        self._viewer = viewer
        self._asked = 0
        self._unanswered = 0
        self._answered = Bell()
        self._outbox = outbox

    async def read_from(self, context: Context) -> None:
        """Take whatever comes, until nothing more does; then, or when it is refused, close the outbox.

        Requests are read from the context, which takes less time and memory than the iterator over them.
        """
        try:
            while (request := await context.read()) is not grpc.aio.EOF:
                await self._take(request)
            while self._unanswered:
                await self._answered.wait()
        finally:
            self._outbox.close()

    async def write_to(self, context: Context) -> None:
        """Write whatever the outbox has, until it is closed."""
        while (chunk := await self._outbox.take()) is not None:
            await context.write(chunk)

    async def _take(self, request: pb.PlayRequest) -> None:
        """Everything that one message asks for, in order: attach, act, detach.

        Raises `TooManyAttached`.
        """
        if len(request.attach) > ATTACHED and not self._viewer.is_operator:
            raise TooManyAttached(ATTACHED)
        for attach in request.attach:
            await self._attach(attach)
            await self._pause()
        for act in request.acts:
            await self._act(act)
            await self._pause()
        for table_id in request.detach:
            self._detach(table_id)
            await self._pause()

    async def _pause(self) -> None:
        """Let others have their turn after every few things, and wait for who does not read the answers."""
        self._asked += 1
        if not self._asked % AT_ONCE:
            await asyncio.sleep(0)
        await self._outbox.not_full()

    async def _attach(self, attach: pb.Attach) -> None:
        after = attach.after_version if attach.HasField("after_version") else None
        try:
            table_id, seats = named_table(attach.table_id), seats_asked(attach.seats)
            await self._tables.reach(self._viewer, table_id)
            self._tables.watch(self._viewer, self._outbox, table_id, after, seats)
        except HokmError as error:
            if not is_told(error):
                raise
            self._refuse(attach.table_id, b"", error)

    def _detach(self, table_id: bytes) -> None:
        try:
            subscription = self._outbox.subscriptions.get(named_table(table_id))
        except HokmError as error:
            self._refuse(table_id, b"", error)
            return
        if subscription is not None:
            subscription.end(pb.STREAM_END_DETACHED)

    async def _act(self, act: pb.SignedAct) -> None:
        table_id, body = act.table_id, act.move
        try:
            signed, confided = signed_move(act), beside(act)
            await self._tables.reach(self._viewer, named_table(table_id))
        except HokmError as error:
            if not is_told(error):
                raise
            self._refuse(table_id, body, error)
            return

        def answer(outcome: Made | HokmError) -> None:
            self._unanswered -= 1
            self._answered.ring()
            if isinstance(outcome, HokmError):
                self._refuse(table_id, body, outcome)
            elif outcome.again or table_id not in self._outbox.subscriptions:
                update = pb.TableUpdate(table_id=table_id, first_version=outcome.version, entries=[outcome.entry])
                self._outbox.put_last(updates_bytes(update))

        self._unanswered += 1
        self._tables.act(self._viewer, table_id, signed, confided, answer)

    def _refuse(self, table_id: bytes, body: bytes, error: HokmError) -> None:
        refusal = pb.Refusal(
            move_hash=hashlib.sha256(body).digest() if body else b"",
            reason=error.reason,
            facts=error.facts,
            sentence=str(error),
        )
        self._outbox.put_last(updates_bytes(pb.TableUpdate(table_id=table_id, refusals=[refusal])))
