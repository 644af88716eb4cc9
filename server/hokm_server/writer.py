# SPDX-License-Identifier: Apache-2.0
"""The one writer: a thread that makes durable, in one transaction, all that came while it made the last one durable.

There is no timer and no batch size to tune: an idle server commits each batch at once, a busy one commits many
together. A batch comes with a function to call. All that comes in one turn of the event loop is handed to the thread
together, and one call into the loop for each commit brings all answers back. No batch has a task or a future.

What a failed commit does to its batches is told to each of them as `LogNotWritable`, and nothing of them is there.
After a full disk, a lock or a read-only file the writer goes on, for the next commit may succeed. After
anything else it stops and refuses all that comes: what is on the disk is unknown until a start has read it.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from typing import TypeAlias

from hokm.errors import HokmError, LogNotWritable, TooManyWaiting
from hokm_server.errors import DatabaseFull, DatabaseLocked, DatabaseReadOnly
from hokm_server.store import Batch, Outcome

logger = logging.getLogger(__name__)

Done: TypeAlias = "Callable[[int | HokmError], None]"
"""What is called, in the event loop, with the position of a batch's first entry or the error that it met."""

_Waiting: TypeAlias = "list[tuple[Batch, Done]]"

_PASSING = (DatabaseFull, DatabaseLocked, DatabaseReadOnly)


class Writer:
    """Takes batches from one event loop and answers there. In a busy server, beside a busy loop:

    `sys.setswitchinterval(0.0002)` lets it have the interpreter sooner than after 5 ms.
    """

    def __init__(
        self,
        append: Callable[[Sequence[Batch]], list[Outcome]],
        loop: asyncio.AbstractEventLoop,
        *,
        most_waiting: int = 10_000,
        stopped: Callable[[Exception], None] | None = None,
    ) -> None:
        """Begin to write with `append`.

        `stopped` is called in the loop with the cause when the writer can write no more.
        """
        self._append = append
        self._loop = loop
        self._most_waiting = most_waiting
        self._tell_stopped = stopped
        self._arrived: _Waiting = []
        """In this turn of the loop, and known to the loop alone."""
        self._waiting: _Waiting = []
        """For the next transaction."""
        self._changed = threading.Condition(threading.Lock())
        self._closing = False
        self._cause: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def submit(self, batch: Batch, done: Done) -> None:
        """Have a batch made durable; `done` is called later, in the order of submission.

        Raises `TooManyWaiting`, and `LogNotWritable` after the writer has stopped or was closed.
        """
        if self._closing or self._cause is not None:
            raise LogNotWritable(_reason(self._cause))
        if len(self._arrived) + len(self._waiting) >= self._most_waiting:
            raise TooManyWaiting(self._most_waiting)
        if not self._arrived:
            self._loop.call_soon(self._hand_over)
        self._arrived.append((batch, done))

    async def close(self) -> None:
        """Take nothing more, make durable what was taken, answer it, and end the thread."""
        self._hand_over()
        with self._changed:
            self._closing = True
            self._changed.notify()
        await asyncio.to_thread(self._thread.join)  # whose end comes into the loop after its last answers

    def _hand_over(self) -> None:
        """Give the thread all that has come in this turn of the loop, so that it is woken once for it."""
        arrived, self._arrived = self._arrived, []
        with self._changed:
            if self._cause is None:
                self._waiting += arrived
                self._changed.notify()
                return
        _answer(arrived, [LogNotWritable(_reason(self._cause))] * len(arrived))

    def _run(self) -> None:
        while (waiting := self._next()) is not None:
            answers: Sequence[int | HokmError]
            try:
                answers = self._append([batch for batch, _ in waiting])
            except _PASSING as error:
                logger.error("%d batches were not written: %s", len(waiting), error)
                answers = [LogNotWritable(error.reason)] * len(waiting)
            except Exception as error:
                waiting += self._stop(error)
                answers = [LogNotWritable(_reason(error))] * len(waiting)
            self._loop.call_soon_threadsafe(_answer, waiting, answers)

    def _next(self) -> _Waiting | None:
        """All that waits, as soon as something does; None when nothing more can come."""
        with self._changed:
            while not self._waiting:
                if self._closing or self._cause is not None:
                    return None
                self._changed.wait()
            waiting, self._waiting = self._waiting, []
            return waiting

    def _stop(self, error: Exception) -> _Waiting:
        """Refuse from now on, and give back what was not looked at yet."""
        # An error of the tree says all there is to say; of a bug the trace is wanted.
        logger.critical("The log is not written any more: %s", error, exc_info=not isinstance(error, HokmError))
        with self._changed:
            self._cause = error
            rest, self._waiting = self._waiting, []
        if self._tell_stopped is not None:
            self._loop.call_soon_threadsafe(self._tell_stopped, error)
        return rest


def _answer(waiting: _Waiting, answers: Sequence[int | HokmError]) -> None:
    for (_, done), answer in zip(waiting, answers, strict=True):
        try:
            done(answer)
        except Exception:
            logger.exception("What was to follow an append failed")


def _reason(cause: Exception | None) -> str:
    match cause:
        case None:
            return "CLOSED"
        case HokmError():
            return cause.reason
        case _:
            return "BUG"
