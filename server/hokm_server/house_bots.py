# SPDX-License-Identifier: Apache-2.0
"""The house's bots: a program of its own that comes in by the front door, started beside the server and kept running.

It is given a pipe as standard input, on which nothing ever comes: the end of the pipe is its sign to end, and the
system closes the pipe however the server ends.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Sequence
from typing import Final

logger = logging.getLogger(__name__)

FIRST_PAUSE_SECONDS: Final = 1.0
MOST_PAUSE_SECONDS: Final = 30.0
STEADY_SECONDS: Final = 60.0
"""After so long a run the pauses begin anew."""
STOP_SECONDS: Final = 3.0
"""How long the program may take to end by itself."""

WRONG_USAGE: Final = 2
"""The status of a program that was called in a way it does not know: it would end so each time."""


def bots_command(address: str, var: str) -> list[str]:
    """How the bots of the house are called, for a server at this address with its files there."""
    return [sys.executable, "-m", "hokm_client", "bots", "--server", address, "--var", var]


async def keep_running(command: Sequence[str], *, first_pause_seconds: float = FIRST_PAUSE_SECONDS) -> None:
    """Run this program until the task is cancelled, and again whenever it ends, after pauses that grow."""
    pause = first_pause_seconds
    loop = asyncio.get_running_loop()
    while True:
        started = loop.time()
        status = await _run(command)
        if status == WRONG_USAGE:
            logger.warning("the bots do not know how they are called; they are not started again")
            return
        if loop.time() - started > STEADY_SECONDS:
            pause = first_pause_seconds
        logger.warning("the bots have ended with status %d; they are started again in %g s", status, pause)
        await asyncio.sleep(pause)
        pause = min(2 * pause, MOST_PAUSE_SECONDS)


async def _run(command: Sequence[str]) -> int:
    """Run the program to its end; where the task is cancelled, end it first. Its status."""
    theirs, ours = os.pipe()  # asyncio's own would be a socket
    with open(ours, "wb", buffering=0) as sign:
        try:
            program = await asyncio.create_subprocess_exec(
                *command,
                stdin=theirs,
                stdout=sys.stderr.fileno(),  # the server's own output is for whoever reads its ready line
                start_new_session=True,  # a Ctrl-C is for the server, which ends the bots when it ends
            )
        finally:
            os.close(theirs)
        try:
            return await program.wait()
        except asyncio.CancelledError:
            sign.close()
            await _end(program)
            raise


async def _end(program: asyncio.subprocess.Process) -> None:
    """Wait for a program that has been given its sign, and be harder on one that does not end."""
    for harder in (program.terminate, program.kill):
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await program.wait()
                return
        except TimeoutError:
            harder()
    await program.wait()
