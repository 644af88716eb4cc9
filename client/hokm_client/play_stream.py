# SPDX-License-Identifier: Apache-2.0
"""Moves out and updates in, for all tables and seats of the program, on one stream that heals itself.

When it breaks it is opened again after a growing pause; every table is attached after the last version that was
checked, and every unanswered move is sent again, the same bytes. What has gathered while one message was on its way
goes out with the next.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from hokm.errors import HokmError, NotSignedIn
from hokm.v1 import tables_service_pb2 as pb
from hokm_client import errors
from hokm_client.connection import Connection, PlayCall
from hokm_client.pauses import may_mend

logger = logging.getLogger(__name__)

MOST_REQUEST_BYTES: Final = 32_768
"""After so many bytes another message is begun: a server may refuse to read one of 64 KiB."""
MOST_ATTACHED: Final = 256
"""Tables in one message: a server ends the stream of who attaches more at once."""
BUSY_SECONDS: Final = 1.0
"""Before a table is attached again that the server was too busy for."""


class Attached(NamedTuple):
    """What one table hands to the stream."""

    attachment: Callable[[], pb.Attach]
    """From where on updates are wanted now, and the cards of which seats."""
    unanswered: Callable[[], Sequence[pb.SignedAct]]
    """The moves that are to be sent again."""
    take: Callable[[pb.TableUpdate], None]
    """Told what comes."""
    lost: Callable[[], None]
    """Told that the way broke."""
    failed: Callable[[Exception], None]
    """Told why nothing will come any more."""


class PlayStream:
    """Moves out, updates in, for any number of tables on one stream that opens itself again."""

    def __init__(self, connection: Connection, before_sending: Callable[[], None]) -> None:
        self._connection = connection
        self._before_sending = before_sending
        self._tables: dict[bytes, Attached] = {}
        self._attach: set[bytes] = set()
        self._detach: set[bytes] = set()
        self._acts: list[pb.SignedAct] = []
        self._something = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._pauses = connection.pauses()
        self.is_open = False
        """There is a way to the server."""

    def attach(self, table_id: bytes, table: Attached) -> None:
        """Let updates of that table come; once more, to ask for other seats or from another version."""
        self._tables[table_id] = table
        self._detach.discard(table_id)  # it would be done after the attach
        self._attach.add(table_id)
        self._something.set()
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run(), name="hokm play stream")

    def attach_later(self, table_id: bytes) -> None:
        """Attach a table again after a while, if updates of it are still wanted then."""
        asyncio.get_running_loop().call_later(BUSY_SECONDS, self._attach_again, table_id)

    def _attach_again(self, table_id: bytes) -> None:
        if table_id in self._tables:
            self._attach.add(table_id)
            self._something.set()

    def detach(self, table_id: bytes) -> None:
        """Nothing more is wanted of that table."""
        if self._tables.pop(table_id, None) is not None:
            self._attach.discard(table_id)
            self._detach.add(table_id)
            self._something.set()

    def ended(self, table_id: bytes) -> None:
        """The server sends nothing more of that table."""
        self._tables.pop(table_id, None)
        self._attach.discard(table_id)

    def send(self, act: pb.SignedAct) -> None:
        """Let a move go out with the next message. Where the stream is broken it goes when that is open again."""
        if self.is_open:
            self._acts.append(act)
            self._something.set()

    async def close(self) -> None:
        """Open no stream any more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    async def _run(self) -> None:
        pauses = self._pauses
        while True:
            if not self._tables:
                self._something.clear()
                await self._something.wait()
                continue
            try:
                await self._converse()
            except HokmError as error:
                if not may_mend(error):
                    self._fail(error)
                    continue
                logger.info("the stream to %s broke: %s", self._connection.address, error)
                if isinstance(error, NotSignedIn):
                    self._connection.forget_token()
            except Exception as error:
                self._fail(errors.ClientBroken(type(error).__name__))
                raise
            await pauses.wait()

    def _fail(self, error: HokmError) -> None:
        for table in tuple(self._tables.values()):
            table.failed(error)
        self._tables.clear()

    async def _converse(self) -> None:
        """Open a stream and use it until it breaks."""
        call = await self._connection.play()
        try:
            await call.connected()
        except BaseException:
            call.cancel()
            raise
        self._attach, self._detach = set(self._tables), set()
        self._acts = [act for table in self._tables.values() for act in table.unanswered()]
        self._something.set()
        self.is_open = True
        reading = asyncio.ensure_future(self._read(call))
        writing = asyncio.ensure_future(self._write(call))
        try:
            await asyncio.wait((reading, writing), return_when=asyncio.FIRST_COMPLETED)
            if writing.done():
                writing.result()  # what must be kept could not be, or the call is over and the reader says why
            await reading
        finally:
            self.is_open = False
            call.cancel()
            for task in (reading, writing):
                task.cancel()
            await asyncio.gather(reading, writing, return_exceptions=True)
            for table in tuple(self._tables.values()):
                table.lost()

    async def _read(self, call: PlayCall) -> None:
        while (response := await call.read()) is not None:
            self._pauses.reset()
            for update in response.updates:
                table = self._tables.get(update.table_id)
                if table is not None:
                    table.take(update)

    async def _write(self, call: PlayCall) -> None:
        while True:
            await self._something.wait()
            self._something.clear()
            attach = [self._tables[table_id].attachment() for table_id in self._attach if table_id in self._tables]
            detach, acts = list(self._detach), self._acts
            self._attach, self._detach, self._acts = set(), set(), []
            self._before_sending()
            for request in _requests(attach, detach, acts):
                if not await call.write(request):
                    return


def _requests(
    attach: Sequence[pb.Attach], detach: Sequence[bytes], acts: Sequence[pb.SignedAct]
) -> Iterator[pb.PlayRequest]:
    """All of it, in order, in messages that a server reads."""
    request, size = pb.PlayRequest(detach=detach), 20 * len(detach)
    for name, part in (*(("attach", part) for part in attach), *(("acts", part) for part in acts)):
        if size > MOST_REQUEST_BYTES or len(request.attach) == MOST_ATTACHED:
            yield request
            request, size = pb.PlayRequest(), 0
        getattr(request, name).append(part)
        size += part.ByteSize() + 4
    yield request
