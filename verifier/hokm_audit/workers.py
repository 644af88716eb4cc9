# SPDX-License-Identifier: Apache-2.0
"""Games replayed in several processes, a bounded number at a time, and given back in their order."""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from typing import Final

from hokm_audit.errors import WorkerLost
from hokm_audit.following import Replay
from hokm_audit.replaying import Replayed, Task, replay

_AHEAD: Final = 4
"""Tasks for each process that are made before their turn."""


@contextmanager
def replaying(count: int) -> Iterator[Replay]:
    """What replays in so many processes; with one, in this."""
    if count == 1:
        yield partial(map, replay)
        return
    # Ctrl-C reaches every process of a terminal: this one answers it, and takes the others down with it.
    pool = ProcessPoolExecutor(
        count, multiprocessing.get_context("spawn"), initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN)
    )
    try:
        yield partial(_in_order, pool, count * _AHEAD)
    except BrokenProcessPool as error:
        raise WorkerLost from error
    finally:
        pool.shutdown(cancel_futures=True)


def _in_order(pool: ProcessPoolExecutor, ahead: int, tasks: Iterable[Task]) -> Iterator[Replayed]:
    running: deque[Future[Replayed]] = deque()
    for task in tasks:
        running.append(pool.submit(replay, task))
        if len(running) >= ahead:
            yield running.popleft().result()
    while running:
        yield running.popleft().result()
