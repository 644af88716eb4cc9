# SPDX-License-Identifier: Apache-2.0
"""One seat as a program plays it: what is decided, what is asked of the player, and what becomes of each act.

The `Seat` knows what it may sign; a sitting asks for it. Nothing here waits for time to pass: something is done when
something has come.
"""

from __future__ import annotations

import asyncio
import inspect
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Final

from hokm.errors import Busy, Conflict, HokmError, Malformed, Rule
from hokm.events import (
    Act,
    GameEnded,
    Join,
    LayEarly,
    Leave,
    Return,
    ServerFault,
)
from hokm.rules import Seat as SeatNumber
from hokm.table import Over, Table
from hokm.v1 import tables_service_pb2 as pb
from hokm_client.desk import Desk
from hokm_client.errors import SeatGone
from hokm_client.fraud import Fraud
from hokm_client.question import ComeEarly, Question, Standing, Wish
from hokm_client.seat import BESIDES, Seat

Choose = Callable[[Question], "Act | Awaitable[Act]"]
"""What a player decides: `NameTrump` or `CallMiddle` where the question is of trumps, else `Play` or `Run`.

It is asked again where the rules refuse that. The same act once more, given at once, would be given for ever: then the
sitting ends with the refusal.
"""

Besides = Callable[[Standing], "Wish | None"]
"""What a player does besides, out of turn; asked once after each entry, and None where it does nothing."""

BUSY_PAUSE: Final = 0.2
"""Seconds before a move is sent again that the server was too busy for."""


class Sitting:
    """One seat that this program plays."""

    def __init__(
        self,
        desk: Desk,
        seat: Seat,
        choose: Choose | None,
        now_ms: Callable[[], int],
        *,
        send: Callable[[pb.SignedAct], None],
        caught: Callable[[Fraud], None],
        stopped: Callable[[Sitting], None],
        closed: asyncio.Future[None],
        delay: Callable[[Question], float] | None = None,
        stays: bool = True,
        besides: Besides | None = None,
    ) -> None:
        """`send` lets a move go out, `caught` is told of a fraud, `stopped` that the seat is played no more.

        A game that is over ends when `closed` is done. `delay` gives the seconds before an answer; `stays`: a seat
        that is absent comes back by itself.
        """
        self._desk = desk
        self._send = send
        self._caught = caught
        self._stopped = stopped
        self._closed = closed
        self._choose = choose
        self._now_ms = now_ms
        self._delay = delay
        self._stays = stays
        self._besides = besides
        self._offered = -1
        self._wants: deque[tuple[Wish, asyncio.Future[int]]] = deque()
        self._has_held = False
        self._asked = -1
        self._answer: tuple[int, Act] | None = None
        self._refused: tuple[int, Act, HokmError] | None = None
        """The answer that was refused last, like `_answer` with the version that opened its decision, and why."""
        self._asking: asyncio.Task[None] | asyncio.TimerHandle | None = None
        self.seat = seat
        self.on_refusal: Callable[[HokmError], None] = _unheard
        """Told why what `choose` gave was refused; it is asked again where the decision is still open."""
        self.on_landed: Callable[[SeatNumber, int], None] = nothing_landed
        """Told of each thing (a `pb.Thing`) that is thrown, and at whom (H5)."""
        self.over: asyncio.Future[GameEnded | ServerFault] = asyncio.get_running_loop().create_future()
        """How the game ended, once its last entry is published: nobody can make it another game any more.

        Raises what ended the sitting before that: `Fraud`, `TakenOver`, `SeatGone`.
        """
        self.over.add_done_callback(heard)

    # What a program asks for.

    @property
    def number(self) -> SeatNumber:
        """The seat."""
        return self.seat.number

    @property
    def table(self) -> Table:
        """The table as everybody sees it."""
        return self._desk.stream.there

    def act(self, act: Wish) -> asyncio.Future[int]:
        """Let an act be made as soon as it can; the version of its entry. Raises what it is refused for.

        It is signed anew as long as something else came first.
        """
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        future.add_done_callback(heard)
        if self.over.done():
            future.set_exception(SeatGone(self.number))
        else:
            self._wants.append((act, future))
            self.pump()
        return future

    async def leave(self) -> None:
        """Give the seat back, or let a stand-in have it, and stop playing."""
        await self.act(Leave())
        self.stop(SeatGone(self.number))

    def stop(self, error: Exception) -> None:
        """Play this seat no more."""
        self._stop_asking()
        while self._wants:
            fail(self._wants.popleft()[1], error)
        fail(self.over, error)
        self._stopped(self)

    # What comes.

    def pump(self) -> None:
        """Do what is next for this seat, if anything is."""
        seat = self.seat
        if self.over.done() or not self._desk.is_ready:
            return
        stage = self.table.stage
        if isinstance(stage, Over):
            self._stop_asking()
            self._drop_wants()
            self._closed.add_done_callback(lambda _: self._end(stage.ending))
            return
        if seat.holds:
            self._has_held = True
        elif self._has_held and not seat.is_players and seat.unanswered is None:
            self.stop(SeatGone(seat.number))  # a stand-in, and the player is back
            return
        decision = seat.decision
        if self._asking is not None and (decision is None or decision.opened != self._asked):
            self._stop_asking()
        if seat.unanswered is not None:
            return
        act = self._next_act()
        if act is not None:
            self._sign(act)

    def acted(self, version: int, act: Act) -> None:
        """An act of this seat has its entry."""
        if not self._wants:
            return
        if _is_made(self._wants[0][0], act):
            future = self._wants.popleft()[1]
            if not future.done():
                future.set_result(version)

    def refused(self, act: Act, error: HokmError) -> None:
        """A move of this seat was refused."""
        if isinstance(error, Busy):
            asyncio.get_running_loop().call_later(BUSY_PAUSE, self._send_again)
            return
        if isinstance(error, Conflict):
            self.pump()
            return
        if self._wants and _is_made(self._wants[0][0], act):
            fail(self._wants.popleft()[1], error)
        elif isinstance(act, BESIDES):
            pass  # somebody else came first, or it would not do
        elif not isinstance(error, Rule):
            self.stop(error)
            return
        else:
            self._asked = -1
            self.on_refusal(error)
        self._answer = None
        self.pump()

    def _next_act(self) -> Wish | None:
        seat = self.seat
        act = seat.automatic()
        if act is not None:
            return act
        if self._wants:
            return self._wants[0][0]
        if self._stays and seat.returns():
            return Return()
        wish = self._wish_besides()
        if wish is not None:
            return wish
        question = seat.asks()
        if question is None:
            return None
        opened = question.decision.opened
        if self._answer is not None and self._answer[0] == opened:
            return self._answer[1]
        if self._asked != opened:
            self._ask(question)
            if self._answer is not None and self._answer[0] == opened:
                return self._answer[1]
        return None

    def _wish_besides(self) -> Wish | None:
        """Ask once after each entry."""
        if self._besides is None or self._offered == self.table.version:
            return None
        standing = self.seat.standing()
        if standing is None:
            return None
        self._offered = standing.table.version
        return self._besides(standing)

    def _sign(self, act: Wish) -> None:
        try:
            signed = self.seat.sign(act, self._now_ms())
        except Fraud as fraud:
            self._caught(fraud)
        except HokmError as error:
            if self._wants and self._wants[0][0] is act:
                fail(self._wants.popleft()[1], error)
                self.pump()
            elif isinstance(act, (*BESIDES, ComeEarly)):
                self.pump()
            elif self._answer is not None and self._answer[1] is act and isinstance(error, Rule | Malformed):
                self._ask_again(error)
            else:
                self.stop(error)
        else:
            self._send(signed)

    def _send_again(self) -> None:
        if self.seat.unanswered is not None and not self.over.done():
            self._send(self.seat.unanswered.act)

    # Asking the player.

    def _ask(self, question: Question) -> None:
        if self._choose is None:
            return
        self._asked = question.decision.opened
        if self._delay is not None and (seconds := self._delay(question)) > 0:
            self._asking = asyncio.get_running_loop().call_later(seconds, self._ask_late)
            return
        self._answer_with(question)

    def _ask_late(self) -> None:
        self._asking = None
        question = self.seat.asks()
        if question is not None and question.decision.opened == self._asked:
            self._answer_with(question)
            self.pump()

    def _answer_with(self, question: Question) -> None:
        assert self._choose is not None
        try:
            chosen = self._choose(question)
        except Exception as error:
            self.stop(error)
            return
        if inspect.isawaitable(chosen):
            self._asking = asyncio.ensure_future(self._wait_for(question.decision.opened, chosen))
        else:
            self._answer_at_once(question.decision.opened, chosen)

    def _answer_at_once(self, opened: int, act: Act) -> None:
        if self._refused is not None and self._refused[:2] == (opened, act):
            self.stop(self._refused[2])
        else:
            self._answer = (opened, act)

    async def _wait_for(self, opened: int, chosen: Awaitable[Act]) -> None:
        try:
            act = await chosen
        except asyncio.CancelledError:
            raise
        except Exception as error:
            self.stop(error)
            return
        self._asking = None
        self._answer = (opened, act)
        self.pump()

    def _ask_again(self, error: HokmError) -> None:
        """The rules refuse the answer, and nothing was sent."""
        assert self._answer is not None
        self._refused = (*self._answer, error)
        self._answer, self._asked = None, -1
        self.on_refusal(error)
        asyncio.get_running_loop().call_soon(self.pump)

    def _stop_asking(self) -> None:
        """The answer is not waited for; where the same decision is open again after tea, it is asked once more."""
        if self._asking is not None:
            self._asking.cancel()
            self._asking, self._asked = None, -1

    def _end(self, ending: GameEnded | ServerFault) -> None:
        if not self.over.done():
            self.over.set_result(ending)

    def _drop_wants(self) -> None:
        while self._wants:
            fail(self._wants.popleft()[1], SeatGone(self.number))


def _is_made(wanted: Wish, act: Act) -> bool:
    """The act is what was wanted. (Of two Joins of one key the other one was signed by a run before this one.)"""
    if isinstance(wanted, Join) and isinstance(act, Join):
        return wanted.public_key == act.public_key
    return wanted == act or (isinstance(wanted, ComeEarly) and isinstance(act, LayEarly))


def fail(future: asyncio.Future[Any], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)


def heard(future: asyncio.Future[Any]) -> None:
    """An error that nobody waits for is no noise."""
    if not future.cancelled():
        future.exception()


def nothing_landed(at: SeatNumber, thing: int) -> None:
    """Nobody looks."""


def _unheard(error: HokmError) -> None:
    """Nobody wants to know."""
