# SPDX-License-Identifier: Apache-2.0
"""One table on the play stream: what comes goes to the desk, then to the sittings; what they sign goes out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from hokm.errors import Busy, HokmError, SeatNotYours
from hokm.events import Act, SignedMove, StoodIn
from hokm.v1 import tables_service_pb2 as pb
from hokm_client.closing import CheckPublished, Closings
from hokm_client.desk import Desk
from hokm_client.errors import ManifestWanted, StrangeAnswer, TakenOver
from hokm_client.fraud import Fraud
from hokm_client.play_stream import Attached, PlayStream
from hokm_client.question import Question
from hokm_client.seat import Seat
from hokm_client.sitting import Besides, Choose, Sitting, fail, heard, nothing_landed
from hokm_client.stream import Step, Stream

logger = logging.getLogger(__name__)

ANSWER_SECONDS: Final = 5.0
"""After a fraud the answer to the last move is waited for so long, for the protest comes after it."""
MOST_ENDS: Final = 3
"""So often the server may end the updates of a table at which nothing happens."""


class Tableside:
    """One table on the play stream: the desk, and the sittings at it."""

    def __init__(
        self,
        desk: Desk,
        stream: PlayStream,
        now_ms: Callable[[], int],
        *,
        save: Callable[[Fraud, Stream], None],
        forget: Callable[[Tableside], None],
        learn: Callable[[Stream], Awaitable[None]],
        check: CheckPublished | None,
    ) -> None:
        """`save` keeps the evidence of a fraud and says where; `forget` is told when nothing more comes.

        `learn` lets a stream know of all key manifests that there are now. `check`, where it is given, looks for what
        closes a round or the game in the published log.
        """
        self._stream = stream
        self._now_ms = now_ms
        self._save = save
        self._forget = forget
        self._learn_manifests = learn
        self._learning: asyncio.Future[None] | None = None
        self._giving_up: asyncio.TimerHandle | None = None
        self._nameless = False
        self._ends = 0
        """How often the server has ended the table's updates since the last entry."""
        self._closings = Closings(check, self._promise_broken)
        self.desk = desk
        self.sittings: list[Sitting] = []
        self.on_landed: Callable[[int, int], None] = nothing_landed
        """For whoever only watches: told at which seat what lands (H5)."""
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.ready.add_done_callback(heard)
        desk.on_step.append(self._stepped)
        desk.on_refusal = self._refused

    # On the stream.

    def attach(self) -> None:
        """Let updates come; once more, to ask for other seats or from another version."""
        self._stream.attach(
            self.desk.stream.id,
            Attached(self._attachment, self.desk.unanswered, self.take, self.desk.lost, self.failed),
        )

    def _attachment(self) -> pb.Attach:
        """After the last checked version; from the deal on where cards of a seat are missing."""
        desk = self.desk
        held = [] if self._nameless else [seat for seat in desk.seats if seat.holds or seat.is_players]
        attach = pb.Attach(table_id=desk.stream.id, seats=sorted({seat.number for seat in held}))
        after = desk.version
        if after is not None:
            if any(seat.lacks_cards for seat in held):
                after = min(after, desk.stream.dealt_at - 1)
            attach.after_version = after
        return attach

    def take(self, update: pb.TableUpdate) -> None:
        """Something came for this table."""
        desk = self.desk
        if desk.fraud is not None:
            desk.take(update, self._now_ms())
            self._protest(desk.fraud)
            return
        before = desk.version
        try:
            desk.take(update, self._now_ms())
        except Fraud as fraud:
            self.caught(fraud)
            return
        except ManifestWanted:
            self._learning = asyncio.ensure_future(self._learn())
            return
        except HokmError as error:
            self.failed(error)
            return
        if desk.is_ready and not self.ready.done():
            self.ready.set_result(None)
        if desk.version != before:
            self._ends = 0
        if desk.version != before and self._nameless:
            self._nameless = False
            self.attach()
        if desk.version != before or update.hands:
            for sitting in tuple(self.sittings):
                sitting.pump()
        for landed in update.thrown:
            for told in (self.on_landed, *(sitting.on_landed for sitting in self.sittings)):
                told(landed.at, landed.thing)
        if update.end:
            self._ended(update.end)

    def failed(self, error: Exception) -> None:
        """Nothing will come any more."""
        self.stop()
        fail(self.ready, error)
        for sitting in tuple(self.sittings):
            sitting.stop(error)
        self._forget(self)

    def stop(self) -> None:
        """Wait for nothing any more."""
        self._closings.stop()
        if self._learning is not None:
            self._learning.cancel()
        if self._giving_up is not None:
            self._giving_up.cancel()

    def send(self, act: pb.SignedAct) -> None:
        """Let a move go out."""
        self._stream.send(act)

    # Sittings.

    def sit(
        self,
        seat: Seat,
        choose: Choose | None,
        delay: Callable[[Question], float] | None,
        stays: bool,
        besides: Besides | None = None,
    ) -> Sitting:
        """One more seat that this program plays here."""
        sitting = Sitting(
            self.desk,
            seat,
            choose,
            self._now_ms,
            send=self.send,
            caught=self.caught,
            stopped=self.remove,
            closed=self._closings.over,
            delay=delay,
            stays=stays,
            besides=besides,
        )
        self.sittings.append(sitting)
        self.desk.sit(seat)
        if seat.unanswered is not None:
            self.send(seat.unanswered.act)
        return sitting

    def remove(self, sitting: Sitting) -> None:
        """One less."""
        if sitting in self.sittings:
            self.sittings.remove(sitting)
            self.desk.rise(sitting.seat)

    def caught(self, fraud: Fraud) -> None:
        """The server was caught at this table: the evidence is saved."""
        self._save(fraud, self.desk.stream)
        self.renounce(fraud)

    def renounce(self, fraud: Fraud) -> None:
        """The server was caught, wherever it was: protests go out, and nothing else any more.

        Each does as soon as the last move of its seat is answered, or never: after that it is over here.
        """
        self.desk.fraud = fraud
        for sitting in self.sittings:
            sitting.seat.fraud = fraud
        self._protest(fraud)

    def _protest(self, fraud: Fraud) -> None:
        for sitting in tuple(self.sittings):
            protest = sitting.seat.protest()
            if protest is not None:
                try:
                    self.send(sitting.seat.sign(protest, self._now_ms()))
                except HokmError as error:
                    logger.warning("the protest of seat %d was not signed: %s", sitting.number, error)
        if not any(sitting.seat.owes_protest for sitting in self.sittings):
            self.failed(fraud)
        elif self._giving_up is None:
            self._giving_up = asyncio.get_running_loop().call_later(ANSWER_SECONDS, self.failed, fraud)

    async def _learn(self) -> None:
        """Fetch the manifests that an entry asks for, and let the entry come again."""
        try:
            await self._learn_manifests(self.desk.stream)
        except Fraud as fraud:
            self.caught(fraud)
        except HokmError as error:
            self.failed(error)
        else:
            self.attach()

    def _promise_broken(self, fraud: Fraud) -> None:
        if self.desk.fraud is None:  # else it was the log that was caught, and every table has been told
            self.caught(fraud)

    def _stepped(self, step: Step) -> None:
        self._closings.see(step)
        content = step.event.content
        signed = content.join if isinstance(content, StoodIn) else content
        if isinstance(signed, SignedMove):
            for sitting in self.sittings:
                if sitting.number == signed.move.seat:
                    sitting.acted(step.event.version, signed.move.act)

    def _refused(self, seat: Seat | None, act: Act | None, error: HokmError) -> None:
        if seat is None:
            if isinstance(error, SeatNotYours) and not self._nameless:
                self._nameless = True  # whose it is, the entries will tell
                self.attach()
            elif isinstance(error, Busy):
                self._stream.attach_later(self.desk.stream.id)
            else:
                self.failed(error)
            return
        for sitting in tuple(self.sittings):
            if sitting.seat is seat and act is not None:
                sitting.refused(act, error)

    def _ended(self, end: pb.StreamEnd.ValueType) -> None:
        """The server says that it sends nothing more: that the game is over is for the entries to say."""
        stream = self._stream
        if end == pb.STREAM_END_TAKEN_OVER:
            stream.ended(self.desk.stream.id)
            number = self.sittings[0].number if self.sittings else 0
            self.failed(TakenOver(number))
        elif self.desk.stream.is_over:
            stream.ended(self.desk.stream.id)
            self._closings.over.add_done_callback(lambda _: self._forget(self))
        elif self._learning is None or self._learning.done():  # else it is attached again as soon as that is learned
            self._ends += 1
            if self._ends > MOST_ENDS:
                self.failed(StrangeAnswer("it ends the stream of a game that goes on"))
            else:
                self.attach()
