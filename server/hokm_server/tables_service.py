# SPDX-License-Identifier: Apache-2.0
"""TablesService on the wire: words in, words out, no rules.

`Play` and `Watch` answer with bytes that were serialized once for everybody who watches (see `feed`), so their handlers
are registered with a serializer that leaves bytes as they are.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import grpc

from hokm.errors import HokmError, NotAnOperator, OutOfRange
from hokm.v1 import tables_service_pb2 as pb
from hokm_server.asked import age_told, beside, rules_asked, seats_asked, signed_move
from hokm_server.auth import Viewer
from hokm_server.feed import Outbox, most_bytes
from hokm_server.live import Answer, Made
from hokm_server.lobby import Lobby, Wish
from hokm_server.named_table import named_table
from hokm_server.play_call import PlayCall
from hokm_server.private import age
from hokm_server.status import Context
from hokm_server.summary import summary
from hokm_server.tables import Tables

ViewerOf = Callable[[Context], Viewer]
"""Who calls. Raises a NotSignedIn."""

SERVICE: Final = "hokm.v1.TablesService"
PAGE: Final = 50
MOST_PAGE: Final = 100


class TablesService:
    """The service over the tables of this process."""

    def __init__(self, tables: Tables, viewer_of: ViewerOf) -> None:
        self._tables = tables
        self._lobby = Lobby(tables)
        self._viewer_of = viewer_of
        self._streams = 0

    def add_to(self, server: grpc.aio.Server) -> None:
        """Let a server answer with this service."""
        one, stream = grpc.unary_unary_rpc_method_handler, grpc.unary_stream_rpc_method_handler
        handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
            "OpenTable": one(self.open_table, pb.OpenTableRequest.FromString, _bytes_of),
            "ListTables": one(self.list_tables, pb.ListTablesRequest.FromString, _bytes_of),
            "QuickSeat": one(self.quick_seat, pb.QuickSeatRequest.FromString, _bytes_of),
            "GetTable": one(self.get_table, pb.GetTableRequest.FromString, _bytes_of),
            "CallBots": one(self.call_bots, pb.CallBotsRequest.FromString, _bytes_of),
            "Act": one(self.act, pb.ActRequest.FromString, _bytes_of),
            "Watch": stream(self.watch, pb.WatchRequest.FromString, bytes),
            "Play": grpc.stream_stream_rpc_method_handler(self.play, pb.PlayRequest.FromString, bytes),
            "Throw": one(self.throw, pb.ThrowRequest.FromString, _bytes_of),
            "WatchWanted": stream(self.watch_wanted, pb.WatchWantedRequest.FromString, _bytes_of),
        }
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))

    async def open_table(self, request: pb.OpenTableRequest, context: Context) -> pb.OpenTableResponse:
        """Open a table with fixed rules."""
        viewer = self._viewer_of(context)
        if request.rematch_of:
            return self._opened(viewer, await self._lobby.rematch(viewer, named_table(request.rematch_of)))
        answer, made = _awaited()
        rules, bots = rules_asked(request.rules), seats_asked(request.bot_seats)
        table_id = self._tables.open(viewer, rules, bots, answer, private=request.private)
        await made
        return self._opened(viewer, table_id)

    def _opened(self, viewer: Viewer, table_id: bytes) -> pb.OpenTableResponse:
        """A table, its first entry, and for those at home there its join code."""
        code = self._tables.join_code(viewer, table_id)
        return pb.OpenTableResponse(table_id=table_id, entry=self._tables.first_entry(table_id), join_code=code)

    async def list_tables(self, request: pb.ListTablesRequest, context: Context) -> pb.ListTablesResponse:
        """List tables, newest first. The page token is the hex id of the last table of the page before.

        Raises `OutOfRange` for a page of more than `MOST_PAGE`.
        """
        viewer = self._viewer_of(context)
        if request.page_size > MOST_PAGE:
            raise OutOfRange("page_size", request.page_size, 0, MOST_PAGE)
        page = request.page_size or PAGE
        rules = rules_asked(request.rules) if request.HasField("rules") else None
        wanted = Wish(request.having, rules, request.with_free_seat)
        found = await self._lobby.find(viewer, wanted, age_told(request.page_token), page + 1)
        token = age(found[page - 1]).hex() if len(found) > page else ""
        running = filter(self._tables.is_running, found[:page])
        return pb.ListTablesResponse(tables=[self._summary(viewer, i) for i in running], next_page_token=token)

    async def quick_seat(self, request: pb.QuickSeatRequest, context: Context) -> pb.QuickSeatResponse:
        """A table with these rules and a free seat."""
        viewer = self._viewer_of(context)
        return pb.QuickSeatResponse(table_id=await self._lobby.quick_seat(viewer, rules_asked(request.rules)))

    async def get_table(self, request: pb.GetTableRequest, context: Context) -> pb.GetTableResponse:
        """One table as everybody sees it."""
        viewer, table_id = self._viewer_of(context), named_table(request.table_id)
        await self._tables.reach(viewer, table_id)
        return pb.GetTableResponse(table=self._summary(viewer, table_id))

    def _summary(self, viewer: Viewer, table_id: bytes) -> pb.TableSummary:
        """A table as everybody sees it, and for those at home there its join code."""
        made = summary(self._tables.table(table_id), self._tables.leaf(table_id))
        made.join_code = self._tables.join_code(viewer, table_id)
        return made

    async def call_bots(self, request: pb.CallBotsRequest, context: Context) -> pb.CallBotsResponse:
        """Ask the house's bots to take free seats."""
        viewer, table_id, seats = self._viewer_of(context), named_table(request.table_id), seats_asked(request.seats)
        await self._tables.reach(viewer, table_id)
        answer, called = _awaited()
        self._tables.call_bots(viewer, table_id, seats, answer)
        await called
        return pb.CallBotsResponse()

    async def act(self, request: pb.ActRequest, context: Context) -> pb.ActResponse:
        """One move, and the entry that it made."""
        viewer = self._viewer_of(context)
        table_id, signed = named_table(request.act.table_id), signed_move(request.act)
        await self._tables.reach(viewer, table_id)
        answer, made = _awaited()
        self._tables.act(viewer, table_id, signed, beside(request.act), answer)
        entry = await made
        return pb.ActResponse(version=entry.version, entry=entry.entry)

    async def throw(self, request: pb.ThrowRequest, context: Context) -> pb.ThrowResponse:
        """A thing lands at a seat."""
        viewer, table_id = self._viewer_of(context), named_table(request.table_id)
        (seat,) = seats_asked([request.seat])
        await self._tables.reach(viewer, table_id)
        self._tables.throw(viewer, table_id, seat, request.at, request.thing)
        return pb.ThrowResponse()

    async def watch(self, request: pb.WatchRequest, context: Context) -> AsyncIterator[bytes]:
        """All entries of a table after a version, then each as it comes."""
        viewer, table_id, seats = self._viewer_of(context), named_table(request.table_id), seats_asked(request.seats)
        await self._tables.reach(viewer, table_id)
        after = request.after_version if request.HasField("after_version") else None
        with self._outbox(viewer) as outbox:
            self._tables.watch(viewer, outbox, table_id, after, seats)
            while outbox.subscriptions or not outbox.is_empty:
                chunk = await outbox.take()
                assert chunk is not None
                yield chunk

    async def play(self, _: object, context: Context) -> None:
        """Moves in, updates out, for any number of tables and seats on one stream.

        Raises `TooManyAttached` where one message attaches more than anybody may.
        """
        viewer = self._viewer_of(context)
        with self._outbox(viewer) as outbox:
            stream = PlayCall(self._tables, viewer, outbox)
            reading = asyncio.create_task(stream.read_from(context))
            try:
                await stream.write_to(context)
                await reading
            finally:
                reading.cancel()
                await asyncio.gather(reading, return_exceptions=True)

    @contextmanager
    def _outbox(self, viewer: Viewer) -> Iterator[Outbox]:
        """What goes out on one stream of this caller, as long as it is open."""
        outbox = Outbox(most_bytes(viewer, self._streams))
        self._streams += 1
        try:
            yield outbox
        finally:
            self._streams -= 1
            self._tables.unwatch(outbox)

    async def watch_wanted(
        self, request: pb.WatchWantedRequest, context: Context
    ) -> AsyncIterator[pb.WatchWantedResponse]:
        """For the operator's programs: seats that want a bot or a stand-in, now and as they come.

        Raises `NotAnOperator`.
        """
        if not self._viewer_of(context).is_operator:
            raise NotAnOperator
        told = 0
        while True:
            for table_id, seat, kind, number in await self._tables.wanted.next_after(told):
                if self._tables.wanted.kind(table_id, seat) is kind:
                    yield pb.WatchWantedResponse(table_id=table_id, seat=seat, kind=int(kind))  # type: ignore[arg-type]
                told = number


def _awaited() -> tuple[Answer, asyncio.Future[Made]]:
    """An answer that can be awaited: the caller's error is raised there."""
    future: asyncio.Future[Made] = asyncio.get_running_loop().create_future()

    def answer(outcome: Made | HokmError) -> None:
        if future.done():
            return
        if isinstance(outcome, HokmError):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)

    return answer, future


def _bytes_of(message: object) -> bytes:
    return message.SerializeToString()  # type: ignore[attr-defined, no-any-return]
