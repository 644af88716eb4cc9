# SPDX-License-Identifier: Apache-2.0
"""The tables that this process serves: open one, act at it, watch it.

    check → decide → build → sign → append in one durable transaction → evolve → answer and publish

Here is the front door: who asks, for what, at which table. What then happens at the table is the `steward`'s.
Everything runs in one event loop; only the writer has a thread of its own.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Sequence
from typing import Final

from hokm.errors import HokmError, NotAtTable, NoWitnessesHere, SeatNotFree, TooManyOpened, TooManyTables, UnknownTable
from hokm.events import Anchor, SeatKind, SignedMove, TableOpened
from hokm.rules import TableRules
from hokm.table import Table, is_free
from hokm.v1 import tables_service_pb2 as pb
from hokm.wire import write_rules
from hokm_server.access import may_throw
from hokm_server.admission import Admission
from hokm_server.auth import Viewer
from hokm_server.clock import Clock
from hokm_server.draft import Beside
from hokm_server.feed import Outbox, updates_bytes
from hokm_server.live import Answer, LiveTable, Made, Waiting
from hokm_server.past import Past
from hokm_server.private import age, is_private, join_code, new_table_id
from hokm_server.recovery import recover
from hokm_server.sealing import SealKey
from hokm_server.shares import Share
from hokm_server.signets import Signets
from hokm_server.steward import Steward
from hokm_server.store import KEYS_STREAM, Batch, Store
from hokm_server.throwing import check_throw
from hokm_server.turns import Turns
from hokm_server.wanted import Wanted
from hokm_server.watching import Watching
from hokm_server.witnesses import Witnesses
from hokm_server.writer import Writer

OPENED: Final = 32
"""Tables that one caller has opened and that are not over."""


Entropy = Callable[[int], bytes]
"""So many random bytes of the operating system's."""


class Tables:
    """All tables of this process."""

    def __init__(
        self,
        *,
        store: Store,
        writer: Writer,
        clock: Clock,
        entropy: Entropy,
        signets: Signets,
        seal_key: SealKey,
        anchor: Callable[[], Anchor],
        witnesses: Witnesses | None = None,
        most_tables: int = 10_000,
        most_of_address: int = 2_500,
    ) -> None:
        """`anchor` gives size and root of the checkpoint that a ceremony comes after. Without `witnesses` no table is
        opened that waits for them.

        At most so many tables at a time, and so many that callers of one address have opened.
        """
        self._store = store
        self._writer = writer
        self._clock = clock
        self._entropy = entropy
        self._signets = signets
        self._sealer = seal_key
        self._witnesses = witnesses
        self._most_tables = most_tables
        self._live: dict[bytes, LiveTable] = {}
        self._by_age: list[bytes] = []
        """The same tables, oldest first."""
        self._rematches: dict[bytes, bytes] = {}
        """Those of them that are the rematch of a game, by that game."""
        self._opened = Share(min(OPENED, most_of_address), most_of_address, TooManyOpened)
        self._admission = Admission(clock, self._find)
        self._past = Past(self._load)
        self._turns = Turns(1)
        self.wanted = Wanted()
        self._steward = Steward(
            writer=writer,
            clock=clock,
            seal_key=seal_key,
            anchor=anchor,
            witnesses=witnesses,
            wanted=self.wanted,
            gone=self._gone,
        )
        self._watching = Watching(self._steward, clock, 4 * most_of_address)

    # Start and stop.

    def start(self) -> None:
        """Take up every table that is not over, as the log and the sealed numbers give it.

        First what is due without a deadline is logged, then one Reopened in place of what deadlines that passed while
        the house was down would bring.
        """
        now = self._clock.now_ms()
        for table_id in self._store.running():
            live = self._load(table_id)
            self._add(live)
            live.last_sign_ms = [now] * 4
            live.reopen = True
            self._admission.one_seat.take_up(live.there)
        for table_id, seat, _ in self._store.wanted():
            self._want_bot(table_id, seat)
        for live in tuple(self._live.values()):
            self._steward.want_stand_in(live)
            self._steward.seek_witnesses(live)
            self._steward.advance(live)

    def stop(self) -> None:
        """Decide nothing more; what is being written still becomes durable."""
        self._steward.stopping = True
        if self._witnesses is not None:
            self._witnesses.stop()
        for live in self._live.values():
            self._steward.silence(live)

    def _load(self, table_id: bytes) -> LiveTable:
        live = LiveTable(table_id, self._signets.now, self._store.entries_of)
        recover(live, self._signets, self._store, self._sealer)
        return live

    def _add(self, live: LiveTable) -> None:
        self._live[live.id] = live
        insort(self._by_age, live.id, key=age)
        if live.rematch_of:
            self._rematches[live.rematch_of] = live.id

    def _gone(self, live: LiveTable) -> None:
        """A table is over, or could not be opened."""
        if self._live.pop(live.id, None) is None:
            return
        del self._by_age[bisect_left(self._by_age, age(live.id), key=age)]
        if self._rematches.get(live.rematch_of) == live.id:
            del self._rematches[live.rematch_of]
        self._admission.one_seat.over(live.id)
        if live.opener is not None:
            self._opened.give_back(live.opener)

    # What callers ask.

    def open(
        self,
        viewer: Viewer,
        rules: TableRules,
        bots: Sequence[int],
        answer: Answer,
        *,
        private: bool = False,
        rematch_of: bytes = b"",
    ) -> bytes:
        """Open a table; its id. `answer` gets the first entry once it is durable.

        Raises `NoWitnessesHere`, `TooManyTables`, `TooManyOpened`.
        """
        if rules.witnessed and self._witnesses is None:
            raise NoWitnessesHere
        if len(self._live) >= self._most_tables:
            raise TooManyTables(self._most_tables)
        self._opened.take(viewer.caller)
        now = self._clock.now_ms()
        table_id = new_table_id(now, self._entropy(10), private=private)
        live = LiveTable(table_id, self._signets.now, self._store.entries_of)
        live.opener = viewer.caller
        live.rematch_of = rematch_of
        self._add(live)
        draft = self._steward.draft(live)
        content = TableOpened(self._entropy(32), rules, write_rules(rules), self._signets.newest, rematch_of)
        draft.open(table_id, content, now)
        wanted = [(seat, int(SeatKind.BOT)) for seat in bots]
        self._steward.write(live, draft, [(answer, 0)], wanted)
        return table_id

    def call_bots(self, viewer: Viewer, table_id: bytes, seats: Sequence[int], answer: Answer) -> None:
        """Ask the house's bots to take free seats; `answer` is called once that cannot be lost.

        Raises `UnknownTable`, `NotAtTable`, `SeatNotFree`.
        """
        live = self._find(table_id)
        if not self._admission.may_call_bots(live, viewer):
            raise NotAtTable
        for seat in seats:
            if not is_free(live.there, seat):
                raise SeatNotFree(seat)

        def called(outcome: int | HokmError) -> None:
            if isinstance(outcome, HokmError):
                answer(outcome)
                return
            for seat in seats:
                self._want_bot(table_id, seat)
            answer(Made(0, b""))

        want = [(seat, int(SeatKind.BOT)) for seat in seats]
        self._writer.submit(Batch(table_id, 0, (), want=want), called)

    def _want_bot(self, table_id: bytes, seat: int) -> None:
        """Want a bot there, if the seat is still free."""
        live = self._live.get(table_id)
        if live is not None and is_free(live.there, seat):
            self.wanted.want(table_id, seat, SeatKind.BOT)

    async def reach(self, viewer: Viewer, table_id: bytes) -> None:
        """See that a table is in memory, so that whatever is asked of it next keeps nobody else waiting.

        One that is over is folded in a thread when it is the caller's turn. Raises `UnknownTable`.
        """
        if table_id in self._live or table_id in self._past:
            return
        async with self._turns.of(viewer.caller):
            if table_id in self._past:
                return
            if table_id == KEYS_STREAM or await asyncio.to_thread(self._store.last_version, table_id) < 0:
                raise UnknownTable(table_id.hex())
            await self._past.fold(table_id)

    def table(self, table_id: bytes) -> Table:
        """The table as everybody sees it. Raises `UnknownTable`."""
        return self._find(table_id).there

    def leaf(self, table_id: bytes) -> bytes:
        """The leaf of its last entry. Raises `UnknownTable`."""
        live = self._find(table_id)
        leaf = live.leaf(live.there.version)
        assert leaf is not None
        return leaf

    def first_entry(self, table_id: bytes) -> bytes:
        """The entry that opened it. Raises `UnknownTable`."""
        live = self._find(table_id)
        (entry,) = live.kept(0, 1) or live.older(table_id, 0, 1)
        return entry

    def join_code(self, viewer: Viewer, table_id: bytes) -> str:
        """What lets others sit down, for who sits there or opened the table; else empty. Raises `UnknownTable`."""
        live = self._find(table_id)
        return join_code(live.signet.secret, table_id) if self._admission.is_at_home(live, viewer) else ""

    def running(self) -> list[bytes]:
        """The ids of tables that are not over, newest first."""
        return [table_id for table_id in reversed(self._by_age) if self.is_running(table_id)]

    def is_running(self, table_id: bytes) -> bool:
        """Whether it is open and not over."""
        live = self._live.get(table_id)
        return live is not None and live.table is not None and not live.is_over

    def opened_before(self, that: bytes | None, most: int) -> list[bytes]:
        """The next tables older than that `age`, newest first; some of them may not be running."""
        end = len(self._by_age) if that is None else bisect_left(self._by_age, that, key=age)
        return self._by_age[max(0, end - most) : end][::-1]

    def opened_after(self, that: bytes | None, most: int) -> list[bytes]:
        """The next tables younger than that `age`, oldest first; some of them may not be running."""
        start = 0 if that is None else bisect_right(self._by_age, that, key=age)
        return self._by_age[start : start + most]

    def is_shown_to(self, viewer: Viewer, table_id: bytes) -> bool:
        """Whether the caller may find a running table: a private one only where it is at home."""
        return not is_private(table_id) or self._admission.is_at_home(self._live[table_id], viewer)

    def rematch_of(self, game: bytes) -> bytes | None:
        """The table at which that game is played again, if one is running."""
        table_id = self._rematches.get(game)
        return table_id if table_id is not None and self.is_running(table_id) else None

    def act(self, viewer: Viewer, table_id: bytes, signed: SignedMove, beside: Beside, answer: Answer) -> None:
        """Let a move be made; `answer` gets the entry that it made, or the reason why not.

        The same bytes again get the entry that they made the first time.
        """
        try:
            live = self._find(table_id)
            live.check_waiting(viewer)
        except HokmError as error:
            answer(error)
            return
        admitted = self._admission.admitted(live, viewer, signed, beside, answer)
        if admitted is None:
            return
        self._steward.sign_of_life(live, viewer.public_key, signed.move.seat)
        live.waiting.append(Waiting(viewer.public_key, signed, beside, admitted))
        if live.is_over:
            self._steward.refuse_waiting(live)
        else:
            self._steward.advance(live)

    def is_player(self, key: bytes) -> bool:
        """Whether a person has a seat with that key, or is about to, at any table."""
        return self._admission.one_seat.has(key)

    def check_one_seat(self, viewer: Viewer) -> None:
        """Whether the caller may sit down somewhere. Raises `SeatedElsewhere`."""
        self._admission.check_one_seat(viewer)

    def check_kept(self, viewer: Viewer, table_id: bytes, seat: int) -> None:
        """Whether a person may sit down there, by who sat there before. Raises `SeatKept`, `UnknownTable`."""
        self._admission.check_kept(viewer, self._find(table_id), seat)

    def throw(self, viewer: Viewer, table_id: bytes, seat: int, at: int, thing: pb.Thing.ValueType) -> None:
        """Let a thing land at a seat, as everybody sees and nobody can tell of whom. Raises why it cannot."""
        live = self._find(table_id)
        may_throw(live.there, viewer, seat)
        check_throw(live.there, seat, at, thing)
        live.throws.count(live.there, seat)
        live.feed.send_all(updates_bytes(pb.TableUpdate(table_id=live.id, thrown=[pb.Thrown(at=at, thing=thing)])))

    def watch(self, viewer: Viewer, outbox: Outbox, table_id: bytes, after: int | None, seats: Sequence[int]) -> None:
        """Send entries after that version, and then each as it comes, to an outbox.

        Raises `UnknownTable`, `UnknownVersion` for a version that is not there yet, `SeatNotYours` for cards of a seat
        that is not the caller's, `TooManyAttached`.
        """
        self._watching.watch(self._find(table_id), viewer, outbox, after, seats)

    def unwatch(self, outbox: Outbox) -> None:
        """The stream of this outbox is gone."""
        self._watching.unwatch(outbox)

    def _find(self, table_id: bytes) -> LiveTable:
        """The table as it is, or was at its end. Raises `UnknownTable`."""
        live = self._live.get(table_id)
        if live is None and table_id != KEYS_STREAM and self._store.last_version(table_id) >= 0:
            live = self._past.table(table_id)
        if live is None or live.table is None:
            raise UnknownTable(table_id.hex())
        return live
