# SPDX-License-Identifier: Apache-2.0
"""The bots' program ends when it is told to, also while its server does not answer."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from asyncio.subprocess import Process
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.client.visits import house


def told_to(process: Process) -> None:
    """Stop, by the signal of whoever started it."""
    process.send_signal(signal.SIGTERM)


def left_alone(process: Process) -> None:
    """Whoever started it is gone, and with it the other end of the pipe."""
    assert process.stdin is not None
    process.stdin.close()


@pytest.mark.parametrize("end", [told_to, left_alone])
async def test_bots_end_though_their_server_never_answers(tmp_path: Path, end: Callable[[Process], None]) -> None:
    """The one that they were started for has gone before they came."""
    async with house(tmp_path):
        pass
    silent = socket.create_server(("127.0.0.1", 0))  # nobody ever accepts
    port = silent.getsockname()[1]
    bots = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "hokm_client", "bots", "--server", f"127.0.0.1:{port}", "--var", str(tmp_path)),
        *("--level", "INFO"),
        stdin=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        assert bots.stderr is not None
        while not (tmp_path / "players" / "bots").exists():
            await asyncio.sleep(0.05)
        end(bots)
        assert await asyncio.wait_for(bots.wait(), 20) == 0
    finally:
        if bots.returncode is None:
            bots.kill()
            await bots.wait()
        silent.close()
