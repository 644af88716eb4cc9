# SPDX-License-Identifier: Apache-2.0
"""A server that runs until a signal ends it, and begins anew at the same address where another signal says so.

    SIGINT, SIGTERM   stop; whoever asks twice does not want to wait
    SIGUSR1           take up keys and policy as they are in their files now

To take up keys is to stop and to start: every part is built of the new ones, games are taken up from the log as after
any stop, and players and bots come back by themselves. Keys that no server could start with are not taken up.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import shutil
import signal
import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from hokm.errors import HokmError
from hokm_server import diagnostics
from hokm_server.clock import SystemClock
from hokm_server.config import Settings
from hokm_server.house_files import keys_of
from hokm_server.invitation import invitation
from hokm_server.serving import Serving, serving

logger = logging.getLogger(__name__)


async def serve_until_stopped(settings: Settings, *, until_input_ends: bool = False) -> Exception | None:
    """Serve until a signal comes; None then, or why the log can no longer be written.

    `until_input_ends`: also until the pipe that is the standard input is closed, as the system does for a program that
    ends, however it ends.
    """
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(diagnostics.of_loop)
    stop: asyncio.Future[None] = loop.create_future()
    with _told(settings, stop) as anew:
        ends: set[asyncio.Future[Any]] = {stop}
        if until_input_ends:
            ends.add(loop.create_task(_input_ended()))
        try:
            while True:
                anew.clear()
                async with serving(settings, SystemClock(), os.urandom) as found:
                    _say_ready(settings, found)
                    gc.freeze()  # what a start makes is never garbage
                    gc.set_threshold(10_000, 20, 20)  # and a table's values make none that only the collector finds
                    cause = await _any(found.failed, *ends, begin=anew)
                if cause is not None or any(end.done() for end in ends):
                    return cause
                settings = replace(settings, port=found.port, web_port=found.web_port)
        finally:
            for end in ends:
                end.cancel()


async def _any(failed: asyncio.Future[Exception], *ends: asyncio.Future[Any], begin: asyncio.Event) -> Exception | None:
    """Wait until a server is to end or to begin anew; why it cannot go on, if it cannot."""
    beginning: asyncio.Future[Any] = asyncio.ensure_future(begin.wait())
    waited: set[asyncio.Future[Any]] = {failed, beginning, *ends}
    await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
    beginning.cancel()
    return failed.result() if failed.done() else None


@contextlib.contextmanager
def _told(settings: Settings, stop: asyncio.Future[None]) -> Iterator[asyncio.Event]:
    """Have signals set `stop`, and the event that a server begins anew by."""
    loop, anew = asyncio.get_running_loop(), asyncio.Event()
    stopping = (signal.SIGINT, signal.SIGTERM)

    def end() -> None:
        for number in stopping:
            loop.remove_signal_handler(number)
        stop.set_result(None)

    def take_up() -> None:
        try:
            keys_of(settings, SystemClock(), os.urandom)
        except HokmError as error:
            logger.error("the keys are not taken up: %s", error)
        else:
            anew.set()

    for number in stopping:
        loop.add_signal_handler(number, end)
    loop.add_signal_handler(signal.SIGUSR1, take_up)
    try:
        yield anew
    finally:
        loop.remove_signal_handler(signal.SIGUSR1)


def _say_ready(settings: Settings, found: Serving) -> None:
    machine, program = socket.gethostname(), _players_program()
    said = invitation(
        settings, found.port, found.keys.origin, web_port=found.web_port, machine=machine, program=program
    )
    print(said, flush=True)


async def _input_ended() -> None:
    """Wait until the pipe that is the standard input is closed at its other end."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while await reader.read(1024):
        pass


def _players_program() -> str:
    """How the player's program is called here: by its name where that is found, else where it was installed."""
    return "hokm" if shutil.which("hokm") else str(Path(sys.executable).with_name("hokm"))
