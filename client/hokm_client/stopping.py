# SPDX-License-Identifier: Apache-2.0
"""Work that goes on until this program is told to stop: by SIGTERM, by SIGINT, or by the end of its standard input.

The last counts where a pipe was given as standard input: whoever started this program holds its other end, and the
system closes that however they end.
"""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import sys
from collections.abc import Coroutine
from typing import Any


async def until_stopped(work: Coroutine[Any, Any, None]) -> None:
    """Do the work until it is done, or let go of it once this program is to stop. Raises what the work raises."""
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    stops: set[asyncio.Task[Any]] = {loop.create_task(stop.wait())}
    if _is_pipe(sys.stdin):
        stops.add(loop.create_task(_end_of(sys.stdin)))
    working = loop.create_task(work)
    await asyncio.wait({working, *stops}, return_when=asyncio.FIRST_COMPLETED)
    for task in stops:
        task.cancel()
    if working.done():
        working.result()
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)


def _is_pipe(stream: Any) -> bool:
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError, AttributeError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)  # some event loops give a child a socket


async def _end_of(stream: Any) -> None:
    """Wait until a pipe is closed at its other end."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), stream)
    while await reader.read(1024):
        pass
