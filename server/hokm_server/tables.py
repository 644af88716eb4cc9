# SPDX-License-Identifier: Apache-2.0
"""The tables that this process serves: open one, act at it, watch it.

    check → decide → build → sign → append in one durable transaction → evolve → answer and publish

Whatever comes for a table goes through `_advance`: rulings that are due, then what a deadline has brought, then the
moves that wait, all into one draft, which goes to the writer. Nothing of it is answered or published before it is
durable. Everything here runs in one event loop; only the writer has a thread of its own.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Final

from hokm.errors import (
    Conflict,
    HokmError,
    Rule,
    RuleNotBuilt,
    SeatNotFree,
    StandInNotDue,
    TableBusy,
    TooManyTables,
    UnknownTable,
    UnknownVersion,
)
from hokm.events import (
    Anchor,
    Join,
    SeatKind,
    ServerFault,
    ServerFaultCause,
    SignedMove,
    StoodIn,
    TableOpened,
)
from hokm.rules import TableRules
from hokm.table import (
    Over,
    Seating,
    Table,
    due,
    expires_ms,
    overdue,
    reopening,
    stand_in_wanted,
)
from hokm.v1 import tables_service_pb2 as pb
from hokm.wire import write_rules
from hokm_server.access import may_act, may_see
from hokm_server.auth import Viewer
from hokm_server.clock import Clock
from hokm_server.draft import Draft, Signet
from hokm_server.feed import Outbox, Subscription, updates_bytes
from hokm_server.live import Answer, LiveTable, Made, Waiting
from hokm_server.recovery import recover
from hokm_server.sealing import SealKey
from hokm_server.store import Batch, SealName, Store
from hokm_server.wanted import Wanted
from hokm_server.writer import Writer

logger = logging.getLogger(__name__)

MOST_WAITING: Final = 64
"""Moves that may wait for one table."""
BACKLOG: Final = 256
"""Entries in one update of what a watcher has missed."""
NOT_BUILT: Final = ("witnessed", "partners_middle", "coming_early", "runs", "tea", "throwing", "silent")
"""Switches of the table rules that this server cannot play by yet."""


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
        signet: Signet,
        seal_key: SealKey,
        manifest_leaf: bytes,
        anchor: Callable[[], Anchor],
        most_tables: int = 10_000,
    ) -> None:
        """`anchor` gives size and root of the latest published checkpoint."""
        self._store = store
        self._writer = writer
        self._clock = clock
        self._entropy = entropy
        self._signet = signet
        self._sealer = seal_key
        self._manifest_leaf = manifest_leaf
        self._anchor = anchor
        self._most_tables = most_tables
        self._live: dict[bytes, LiveTable] = {}
        self._stopping = False
        self.wanted = Wanted()

    # Start and stop.

    def start(self) -> None:
        """Take up every table that is not over, as the log and the sealed numbers give it.

        First what is due without a deadline is logged, then one Reopened in place of what deadlines that passed while
        the house was down would bring.
        """
        now = self._clock.now_ms()
        for stream, seat, kind in self._store.wanted():
            self.wanted.want(stream, seat, SeatKind(kind))
        for table_id in self._store.running():
            live = self._load(table_id)
            self._live[table_id] = live
            live.gone_since_ms = [now] * 4
            live.reopen = True
            self._want_stand_in(live)
            self._advance(live)

    def stop(self) -> None:
        """Decide nothing more; what is being written still becomes durable."""
        self._stopping = True
        for live in self._live.values():
            self._silence(live)

    def _load(self, table_id: bytes) -> LiveTable:
        live = LiveTable(table_id, self._store.entries_of)
        recover(live, self._signet, self._store, self._sealer)
        return live

    # What callers ask.

    def open(self, rules: TableRules, bots: Sequence[int], answer: Answer) -> bytes:
        """Open a table; its id. `answer` gets the first entry once it is durable.

        Raises `RuleNotBuilt`, `TooManyTables`.
        """
        for switch in NOT_BUILT:
            if getattr(rules, switch):
                raise RuleNotBuilt(switch)
        if len(self._live) >= self._most_tables:
            raise TooManyTables(self._most_tables)
        now = self._clock.now_ms()
        table_id = (now.to_bytes(6, "big") + self._entropy(10))[:16]
        live = LiveTable(table_id, self._store.entries_of)
        self._live[table_id] = live
        draft = self._draft(live)
        content = TableOpened(self._entropy(32), rules, write_rules(rules), self._manifest_leaf, b"")
        draft.open(table_id, content, now)
        wanted = [(seat, int(SeatKind.BOT)) for seat in bots]
        self._write(live, draft, [(answer, 0)], wanted)
        return table_id

    def call_bots(self, table_id: bytes, seats: Sequence[int], answer: Answer) -> None:
        """Ask the house's bots to take free seats; `answer` is called once that cannot be lost.

        Raises `UnknownTable`, `SeatNotFree`.
        """
        stage = self.table(table_id).stage
        for seat in seats:
            if not isinstance(stage, Seating) or stage.places[seat] is not None:
                raise SeatNotFree(seat)

        def called(outcome: int | HokmError) -> None:
            if isinstance(outcome, HokmError):
                answer(outcome)
                return
            for seat in seats:
                self.wanted.want(table_id, seat, SeatKind.BOT)
            answer(Made(0, b""))

        want = [(seat, int(SeatKind.BOT)) for seat in seats]
        self._writer.submit(Batch(table_id, 0, (), want=want), called)

    def table(self, table_id: bytes) -> Table:
        """The table as everybody sees it. Raises `UnknownTable`."""
        return self._find(table_id).there

    def leaf(self, table_id: bytes) -> bytes:
        """The leaf of its last entry. Raises `UnknownTable`."""
        live = self._find(table_id)
        leaf = live.leaf(live.there.version)
        assert leaf is not None
        return leaf

    def running(self) -> list[bytes]:
        """The ids of tables that are not over, newest first."""
        return sorted(
            (i for i, live in self._live.items() if live.table is not None and not live.is_over), reverse=True
        )

    def act(self, viewer: Viewer, table_id: bytes, signed: SignedMove, number: bytes, answer: Answer) -> None:
        """Let a move be made; `answer` gets the entry that it made, or the reason why not.

        The same bytes again get the entry that they made the first time.
        """
        try:
            live = self._find(table_id)
            may_act(live.there, viewer, signed.move)
            if len(live.waiting) >= MOST_WAITING:
                raise TableBusy(MOST_WAITING)
        except HokmError as error:
            answer(error)
            return
        self._sign_of_life(live, viewer, signed.move.seat)
        live.waiting.append(Waiting(signed, number, answer))
        if live.is_over:
            self._refuse_waiting(live)
        else:
            self._advance(live)

    def watch(self, viewer: Viewer, outbox: Outbox, table_id: bytes, after: int | None, seats: Sequence[int]) -> None:
        """Send entries after that version, and then each as it comes, to an outbox.

        Raises `UnknownTable`, `UnknownVersion` for a version that is not there yet, `SeatNotYours` for cards of a seat
        that is not the caller's.
        """
        live = self._find(table_id)
        table = live.there
        if after is not None and after > table.version:
            raise UnknownVersion(after, table.version)
        for seat in seats:
            may_see(table, viewer, seat)
        old = outbox.subscriptions.get(table_id)
        if old is not None:
            old.outbox.subscriptions.pop(table_id)
            live.left_by(old, self._clock.now_ms())
        subscription = Subscription(
            outbox, table_id, tuple(seats), viewer.public_key, lambda gone: self._unwatched(live, gone)
        )
        live.watched_by(subscription)
        self._want_stand_in(live)
        self._send_backlog(live, subscription, -1 if after is None else after)

    def unwatch(self, outbox: Outbox) -> None:
        """The stream of this outbox is gone."""
        for subscription in tuple(outbox.subscriptions.values()):
            del outbox.subscriptions[subscription.table_id]
            self._unwatched(self._live.get(subscription.table_id), subscription)

    def _unwatched(self, live: LiveTable | None, subscription: Subscription) -> None:
        if live is None:
            return
        live.left_by(subscription, self._clock.now_ms())
        if not live.is_over:
            self._set_alarm(live)

    def _send_backlog(self, live: LiveTable, subscription: Subscription, after: int) -> None:
        first, last = after + 1, live.there.version
        while first <= last:
            entries = live.entries(first, BACKLOG)
            upto = first + len(entries) - 1
            hands = live.hands_for(self._signet.key, first - 1, upto)
            notes = [note for seat in subscription.seats for note in hands(seat)]
            update = pb.TableUpdate(table_id=live.id, first_version=first, entries=entries, hands=notes)
            subscription.send(updates_bytes(update))
            first = upto + 1
        if live.is_over:
            subscription.end(pb.STREAM_END_GAME_OVER)

    def _find(self, table_id: bytes) -> LiveTable:
        """The table in memory; one that is over is read from the store for this once."""
        live = self._live.get(table_id)
        if live is None and len(table_id) == 16 and any(table_id) and self._store.last_version(table_id) >= 0:
            live = self._load(table_id)
        if live is None or live.table is None:
            raise UnknownTable(table_id.hex())
        return live

    # One step of one table.

    def _draft(self, live: LiveTable) -> Draft:
        return Draft(self._signet, live.table, live.secrets, live.leaf)

    def _advance(self, live: LiveTable) -> None:
        """Log what is due, what a deadline has brought, and the moves that wait, as far as it goes."""
        if live.writing or live.table is None or self._stopping:
            return
        now = self._clock.now_ms()
        draft = self._draft(live)
        answers: list[tuple[Answer, int]] = []
        held = []
        self._rulings(live, draft, now)
        while live.waiting:
            waiting = live.waiting.popleft()
            if self._take(live, draft, waiting, now, answers):
                self._rulings(live, draft, now)
            else:
                held.append(waiting)
        live.waiting.extend(held)
        if draft.entries:
            self._write(live, draft, answers)
        else:
            self._set_alarm(live)

    def _rulings(self, live: LiveTable, draft: Draft, now: int) -> None:
        """Add rulings until a move, a stand-in or the time is next."""
        while True:
            table = draft.table
            assert table is not None
            if live.sealed_lost and not isinstance(table.stage, Over):
                draft.fault(ServerFault(ServerFaultCause.SEALED_LOST), now)
                return
            time_ms = max(now, table.time_ms)
            kind = due(table)
            if kind is None and live.reopen:
                live.reopen = False
                if seats := reopening(table, time_ms):
                    draft.reopen(seats, now)
                    continue
            kind = kind or overdue(table, time_ms)
            if kind is None or kind is StoodIn:
                return
            draft.ruling(kind, now, self._anchor())

    def _take(
        self, live: LiveTable, draft: Draft, waiting: Waiting, now: int, answers: list[tuple[Answer, int]]
    ) -> bool:
        """Take one move into the draft, or refuse it; False where it has to wait for a stand-in first."""
        table = draft.table
        assert table is not None
        signed, number, answer = waiting
        is_stand_in = isinstance(signed.move.act, Join) and not isinstance(table.stage, Seating)
        if due(table) is StoodIn and not is_stand_in:
            return False
        time_ms = max(now, table.time_ms)
        try:
            if is_stand_in:
                if self.wanted.kind(live.id, signed.move.seat) is not SeatKind.STAND_IN:
                    raise StandInNotDue(signed.move.seat)
                draft.stand_in(signed, time_ms)
            else:
                draft.move(signed, number, time_ms)
        except (Rule, Conflict) as error:
            self._refuse(live, draft, waiting, error, answers)
        except HokmError as error:
            answer(error)
        else:
            answers.append((answer, len(draft.entries) - 1))
        return True

    def _refuse(
        self, live: LiveTable, draft: Draft, waiting: Waiting, error: HokmError, answers: list[tuple[Answer, int]]
    ) -> None:
        """Answer with the reason, or with the entry where the very same move was logged before."""
        body = waiting.signed.body
        for place, entry in enumerate(draft.entries):
            if body in entry:
                answers.append((waiting.answer, place))
                return
        waiting.answer(live.made_by(body) or error)

    # Writing, and what follows.

    def _write(
        self,
        live: LiveTable,
        draft: Draft,
        answers: list[tuple[Answer, int]],
        want: Sequence[tuple[int, int]] = (),
    ) -> None:
        if not draft.entries:
            self._set_alarm(live)
            return
        assert draft.table is not None
        live.writing = True
        self._silence(live)
        unwant = self._taken_seats(live, draft)
        batch = Batch(
            live.id,
            draft.first_version,
            draft.entries,
            seal=self._boxes(live, draft),
            unseal_all=[live.secrets.ctx] if live.secrets.ctx and draft.secrets.ctx != live.secrets.ctx else (),
            want=want,
            unwant=unwant,
            closes=isinstance(draft.table.stage, Over),
        )
        try:
            self._writer.submit(batch, lambda outcome: self._written(live, draft, answers, want, outcome))
        except HokmError as error:
            self._written(live, draft, answers, want, error)

    def _boxes(self, live: LiveTable, draft: Draft) -> list[tuple[SealName, bytes]]:
        return [
            (SealName(ctx, seat), self._sealer.seal(live.id, SealName(ctx, seat), number))
            for ctx, seat, number in draft.sealed
            if ctx == draft.secrets.ctx
        ]

    def _taken_seats(self, live: LiveTable, draft: Draft) -> list[int]:
        """Seats that wanted a bot and have somebody now."""
        assert draft.table is not None
        stage = draft.table.stage
        taken = [seat for seat in range(4) if not isinstance(stage, Seating) or stage.places[seat] is not None]
        return [seat for seat in taken if self.wanted.kind(live.id, seat) is SeatKind.BOT]

    def _written(
        self,
        live: LiveTable,
        draft: Draft,
        answers: list[tuple[Answer, int]],
        want: Sequence[tuple[int, int]],
        outcome: int | HokmError,
    ) -> None:
        """A draft is durable, or is not and is dropped."""
        live.writing = False
        if isinstance(outcome, HokmError):
            logger.error("entries of table %s were not written: %s", live.id.hex(), outcome.reason)
            for answer, _ in answers:
                answer(outcome)
            if live.table is None:
                del self._live[live.id]
            else:
                self._set_alarm(live, retry=True)
            return
        first = draft.first_version
        live.take(draft)
        hands = live.hands_for(self._signet.key, first - 1, live.there.version)
        live.feed.publish(live.id, first, draft.entries, hands)
        for answer, place in answers:
            answer(Made(first + place, draft.entries[place]))
        for seat in self._taken_seats(live, draft):
            self.wanted.no_more(live.id, seat)
        for seat, kind in want:
            self.wanted.want(live.id, seat, SeatKind(kind))
        self._want_stand_in(live)
        if live.is_over:
            self._close(live)
        elif live.waiting:
            self._advance(live)
        else:
            self._set_alarm(live)

    def _want_stand_in(self, live: LiveTable) -> None:
        """Want a stand-in where one is due or a person is away, and nowhere else at this table."""
        due_here = stand_in_wanted(live.there)
        seat = due_here[0] if due_here is not None else live.away_seat(self._clock.now_ms())
        for other in range(4):
            if other != seat and self.wanted.kind(live.id, other) is SeatKind.STAND_IN:
                self.wanted.no_more(live.id, other)
        if seat is not None:
            self.wanted.want(live.id, seat, SeatKind.STAND_IN)

    def _close(self, live: LiveTable) -> None:
        self._silence(live)
        for seat in range(4):
            self.wanted.no_more(live.id, seat)
        self._refuse_waiting(live)
        for subscription in tuple(live.feed.subscriptions):
            subscription.end(pb.STREAM_END_GAME_OVER)
        self._live.pop(live.id, None)

    def _refuse_waiting(self, live: LiveTable) -> None:
        """Answer what still waits at a table that is over."""
        draft = self._draft(live)
        answers: list[tuple[Answer, int]] = []
        while live.waiting:
            self._take(live, draft, live.waiting.popleft(), self._clock.now_ms(), answers)

    # Deadlines.

    def _set_alarm(self, live: LiveTable, *, retry: bool = False) -> None:
        """Look at this table again when its next deadline has passed, or when a person counts as away."""
        if live.writing or live.table is None or live.is_over or self._stopping:
            return
        away = live.away_ms()
        if away is not None and away <= self._clock.now_ms():
            away = None  # and so a stand-in is wanted already
        times = [expires_ms(live.there), away]
        if retry:
            times.append(self._clock.now_ms() + RETRY_MS)
        at = min((time for time in times if time is not None), default=None)
        self._silence(live)
        if at is not None:
            live.alarm = self._clock.call_at(at, lambda: self._alarm(live))

    def _alarm(self, live: LiveTable) -> None:
        live.alarm = None
        self._want_stand_in(live)
        self._advance(live)

    def _sign_of_life(self, live: LiveTable, viewer: Viewer, seat: int) -> None:
        """A move has come from a player who has no stream open."""
        places = live.there.places
        if places and places[seat].public_key == viewer.public_key and live.gone_since_ms[seat] is not None:
            live.gone_since_ms[seat] = self._clock.now_ms()
            self._want_stand_in(live)

    def _silence(self, live: LiveTable) -> None:
        if live.alarm is not None:
            live.alarm.cancel()
            live.alarm = None


RETRY_MS: Final = 1000
"""How long after a failed write a table is looked at again."""
