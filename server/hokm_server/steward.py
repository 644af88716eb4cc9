# SPDX-License-Identifier: Apache-2.0
"""The steward: moves one table forward, a draft at a time.

Rulings that are due, then what a deadline has brought or witnesses have, then the moves that wait go into one draft,
and the draft to the writer. What of it became durable is answered and published; what did not has not happened. An
alarm looks at the table again when the next deadline has passed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from hokm.errors import HokmError, SeatNotFree, StandInNotDue
from hokm.events import Anchor, Join, SeatKind, StoodIn
from hokm.table import Over, Seating, due, expires_ms, is_free, may_witness, overdue, reopening, stand_in_wanted
from hokm.v1 import tables_service_pb2 as pb
from hokm_server.clock import Clock
from hokm_server.draft import Draft
from hokm_server.live import Answer, LiveTable, Made, Waiting
from hokm_server.sealing import SealKey
from hokm_server.store import Batch, SealName
from hokm_server.wanted import Wanted
from hokm_server.witnesses import Witnesses
from hokm_server.writer import Writer

logger = logging.getLogger(__name__)

Answers: TypeAlias = "list[tuple[Answer, int | HokmError]]"
"""Who is answered once a draft is durable: with which of its entries, or with why not."""

RETRY_MS: Final = 1000
"""How long after a failed write a table is looked at again."""


class Steward:
    """What moves tables forward. All calls come from one event loop."""

    def __init__(
        self,
        *,
        writer: Writer,
        clock: Clock,
        seal_key: SealKey,
        anchor: Callable[[], Anchor],
        witnesses: Witnesses | None,
        wanted: Wanted,
        gone: Callable[[LiveTable], object],
    ) -> None:
        """`anchor` gives size and root of the checkpoint that a ceremony comes after; `gone` hears of a table that is
        over."""
        self._writer = writer
        self._clock = clock
        self._sealer = seal_key
        self._anchor = anchor
        self._witnesses = witnesses
        self._gone = gone
        self.wanted = wanted
        self.stopping = False
        """Nothing more is decided."""

    def draft(self, live: LiveTable) -> Draft:
        """A draft that starts from what is durable."""
        return Draft(live.signet, live.table, live.secrets, live.leaf, reopens=live.reopen)

    def advance(self, live: LiveTable) -> None:
        """Log what is due, what a deadline has brought, and the moves that wait, as far as it goes."""
        if live.writing or live.table is None or self.stopping:
            return
        now = self._clock.now_ms()
        draft = self.draft(live)
        answers: Answers = []
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
            self.write(live, draft, answers)
        else:
            live.reopen = draft.reopens
            self.set_alarm(live)

    def _rulings(self, live: LiveTable, draft: Draft, now: int) -> None:
        """Add rulings until a move, a stand-in or the time is next."""
        while True:
            table = draft.table
            assert table is not None
            if (cause := live.owed_fault) is not None and not isinstance(table.stage, Over):
                draft.fault(cause, now)
                return
            time_ms = max(now, table.time_ms)
            # What time alone has brought meanwhile begins anew first; the minutes of a tea never do.
            begins_anew = draft.reopens and not table.is_pausing
            kind = due(table, table.time_ms if begins_anew else time_ms)
            if kind is None and draft.reopens:
                draft.reopens = False
                if (anew := reopening(table, time_ms)) is not None:
                    draft.word(anew, now)
                continue
            kind = kind or overdue(table, time_ms)
            if kind is None and live.witnessed is not None and may_witness(table, time_ms):
                draft.word(live.witnessed, now)
                continue
            if kind is None or kind is StoodIn:
                return
            draft.ruling(kind, now, self._anchor())

    def _take(self, live: LiveTable, draft: Draft, waiting: Waiting, now: int, answers: Answers) -> bool:
        """Take one move into the draft, or refuse it; False where it has to wait for a stand-in first."""
        table = draft.table
        assert table is not None
        _, signed, beside, answer = waiting
        act = signed.move.act
        late = act if isinstance(act, Join) and not isinstance(table.stage, Seating) else None
        if late is None and stand_in_wanted(table) is not None:
            return self._answer_again(live, draft, waiting, answers)
        time_ms = max(now, table.time_ms)
        try:
            if late is not None:
                if late.kind is SeatKind.PERSON:
                    raise SeatNotFree(signed.move.seat)
                if self.wanted.kind(live.id, signed.move.seat) is not SeatKind.STAND_IN:
                    raise StandInNotDue(signed.move.seat)
                draft.stand_in(signed, time_ms)
            else:
                draft.move(signed, beside, time_ms)
        except HokmError as error:
            if not self._answer_again(live, draft, waiting, answers):
                _refuse(answer, error, draft, answers)
        else:
            answers.append((answer, len(draft.entries) - 1))
        return True

    def _answer_again(self, live: LiveTable, draft: Draft, waiting: Waiting, answers: Answers) -> bool:
        """Answer with the entry of these very bytes, where they were logged before."""
        body = waiting.signed.body
        if body in draft.moves:
            answers.append((waiting.answer, draft.moves.index(body)))
            return True
        made = live.made_by(body)
        if made is not None:
            waiting.answer(made)
        return made is not None

    # Writing, and what follows.

    def write(
        self,
        live: LiveTable,
        draft: Draft,
        answers: Answers,
        want: Sequence[tuple[int, int]] = (),
    ) -> None:
        """Send a draft to the writer: what becomes of it is told to each of `answers`, and published.

        `want`: seats, each with its kind, that want somebody once the draft is durable. Until then nothing more is
        decided at this table. Nothing is raised: an append that fails is told to those who wait for it.
        """
        if not draft.entries:
            self.set_alarm(live)
            return
        assert draft.table is not None
        live.writing = True
        unwant = self._taken_seats(live, draft)
        batch = Batch(
            live.id,
            draft.first_version,
            draft.entries,
            seal=self._boxes(live, draft),
            unseal=draft.unsealed,
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
            (name, self._sealer.seal(live.id, name, secret))
            for name, secret in draft.sealed
            if name.ctx == draft.secrets.ctx
        ]

    def _taken_seats(self, live: LiveTable, draft: Draft) -> list[int]:
        """Seats that wanted a bot and have somebody now."""
        wanted = self.wanted.at(live.id)
        if not wanted:
            return []
        assert draft.table is not None
        return [seat for seat, kind in wanted.items() if kind is SeatKind.BOT and not is_free(draft.table, seat)]

    def _written(
        self,
        live: LiveTable,
        draft: Draft,
        answers: Answers,
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
                self._gone(live)
            else:
                self.set_alarm(live, retry=True)
            return
        first = draft.first_version
        live.take(draft)
        hands = live.hands_for(first - 1, live.there.version) if draft.releases else None
        live.feed.publish(live.id, first, draft.entries, hands)
        for answer, found in answers:
            answer(found if isinstance(found, HokmError) else Made(first + found, draft.entries[found]))
        for seat in self._taken_seats(live, draft):
            self.wanted.no_more(live.id, seat)
        for seat, kind in want:
            self.wanted.want(live.id, seat, SeatKind(kind))
        self.want_stand_in(live)
        self.seek_witnesses(live)
        if live.is_over:
            self._close(live)
        elif live.waiting or live.witnessed is not None:
            self.advance(live)
        else:
            self.set_alarm(live)

    def want_stand_in(self, live: LiveTable) -> None:
        """Want a stand-in where one is due or a person is away, and nowhere else at this table."""
        due_here = stand_in_wanted(live.there)
        seat = due_here[0] if due_here is not None else live.away_seat(self._clock.now_ms())
        wanted = self.wanted.at(live.id)
        for other in [other for other, kind in wanted.items() if kind is SeatKind.STAND_IN and other != seat]:
            self.wanted.no_more(live.id, other)
        if seat is not None:
            self.wanted.want(live.id, seat, SeatKind.STAND_IN)

    def seek_witnesses(self, live: LiveTable) -> None:
        """Have witnesses sought for a table that waits for them; when they are there it goes on."""
        if self._witnesses is not None and not self.stopping:
            self._witnesses.look(live, self.advance)

    def _close(self, live: LiveTable) -> None:
        self.silence(live)
        for seat in range(4):
            self.wanted.no_more(live.id, seat)
        self.refuse_waiting(live)
        for subscription in tuple(live.feed.subscriptions):
            if subscription.lacks is None:  # else the last piece that it is brought says so
                subscription.end(pb.STREAM_END_GAME_OVER)
        self._gone(live)

    def refuse_waiting(self, live: LiveTable) -> None:
        """Answer what still waits at a table that is over."""
        draft = self.draft(live)
        answers: Answers = []
        while live.waiting:
            self._take(live, draft, live.waiting.popleft(), self._clock.now_ms(), answers)

    # Deadlines.

    def set_alarm(self, live: LiveTable, *, retry: bool = False) -> None:
        """Look at this table again when its next deadline has passed, or when a person counts as away.

        An alarm that rings sooner stays, so that a move needs none of its own: when it rings, nothing is found and the
        next one is set.
        """
        if live.writing or live.table is None or live.is_over or self.stopping:
            return
        now = self._clock.now_ms()
        at = now + RETRY_MS if retry else _next_ms(live, now)
        if at is None or (live.alarm is not None and live.alarm_ms <= at):
            return
        self.silence(live)
        live.alarm_ms = at
        live.alarm = self._clock.call_at(at, lambda: self._alarm(live))

    def _alarm(self, live: LiveTable) -> None:
        live.alarm = None
        if not live.writing:  # else what follows the writing looks at the time
            self.want_stand_in(live)
            self.advance(live)

    def sign_of_life(self, live: LiveTable, public_key: bytes, seat: int) -> None:
        """A move has come from a player, who may have no stream open."""
        if live.sign_of_life(public_key, seat, self._clock.now_ms()) and self.wanted.at(live.id):
            self.want_stand_in(live)

    def silence(self, live: LiveTable) -> None:
        """Let no alarm ring at this table any more, until one is set again."""
        if live.alarm is not None:
            live.alarm.cancel()
            live.alarm = None


def _next_ms(live: LiveTable, now: int) -> int | None:
    """When something changes at this table though nobody moves."""
    if stand_in_wanted(live.there) is not None:
        return None  # until somebody comes: a deadline that passes meanwhile is acted upon then
    expires, away = expires_ms(live.there), live.away_ms()
    if away is None or away <= now:  # where it has passed it has been looked at
        return expires
    return away if expires is None else min(expires, away)


def _refuse(answer: Answer, error: HokmError, draft: Draft, answers: Answers) -> None:
    """Say no: at once, or, where it was the draft that spoke against it, once that is durable."""
    if draft.entries:
        answers.append((answer, error))
    else:
        answer(error)
