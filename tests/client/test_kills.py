# SPDX-License-Identifier: Apache-2.0
"""Programs that are killed without a word: the server, the bots, both; every game goes on where it was."""

from __future__ import annotations

import asyncio
import contextlib
import random
import signal
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hokm.entry import leaf
from hokm.events import CeremonyVoided, GameEnded, TimedOut
from hokm.rules import TableRules
from hokm_client.bot import random_legal
from hokm_client.stream import Step
from tests.audit import audit_files
from tests.client.visits import guest

PATIENT = TableRules(target=3, away_seconds=0)


class Program:
    """A program in a process of its own, which can be killed and started again."""

    def __init__(self, *arguments: str) -> None:
        self._command = [sys.executable, "-m", *arguments]
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start it; what it prints first has come when this returns, where it prints anything."""
        self._process = await asyncio.create_subprocess_exec(
            *self._command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )

    async def ready(self) -> None:
        """Wait for its first line."""
        assert self._process is not None
        assert self._process.stdout is not None
        assert await self._process.stdout.readline()

    async def kill(self) -> None:
        """SIGKILL: it is not asked."""
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(signal.SIGKILL)
            await self._process.wait()

    async def stop(self) -> int:
        """Close its standard input, which asks bots to end; its status."""
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.close()
        return await self._process.wait()


@contextlib.asynccontextmanager
async def running(program: Program) -> AsyncIterator[Program]:
    """The program runs until the context ends."""
    await program.start()
    try:
        yield program
    finally:
        await program.kill()


def free_port() -> int:
    """A port at which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def server_at(port: int, var: Path) -> Program:
    return Program(
        "hokm_server", "serve", "--var", str(var), "--port", str(port), "--publish-ms", "50", "--no-bots", "--no-web"
    )


def bots_at(port: int, var: Path) -> Program:
    return Program("hokm_client", "bots", "--server", f"127.0.0.1:{port}", "--var", str(var), "--delay-ms", "0")


@pytest.mark.parametrize("victim", ["server", "bots", "both"])
async def test_a_game_survives_kills(tmp_path: Path, victim: str) -> None:
    """Killed three times in the middle of a game and started again: no entry is lost, none is there twice."""
    port = free_port()
    server, bots = server_at(port, tmp_path), bots_at(port, tmp_path)
    chance = random.Random(victim)
    seen: list[Step] = []
    hits: asyncio.Queue[None] = asyncio.Queue()
    # At a Commit, at a Reveal, among the cards: wherever these versions fall.
    moments = set(chance.sample(range(8, 26), 2)) | {chance.randrange(30, 60)}

    def watch(step: Step) -> None:
        seen.append(step)
        if step.event.version in moments:
            hits.put_nowait(None)

    async with running(server):
        await server.ready()
        async with running(bots), guest(f"127.0.0.1:{port}", tmp_path, "ali") as player:
            table_id = await player.open_table(PATIENT, (1, 2, 3))
            sitting = await player.sit(table_id, 0, choose=lambda question: random_legal(question, chance), watch=watch)
            for _ in moments:
                await hits.get()
                if victim in ("server", "both"):
                    await server.kill()
                if victim in ("bots", "both"):
                    await bots.kill()
                    await bots.start()
                if victim in ("server", "both"):
                    await server.start()
                    await server.ready()
            ending = await sitting.over
            assert isinstance(ending, GameEnded)
            entries = await player.connection.entries(table_id, 0)
            await player.check_published(table_id, len(entries) - 1, entries[-1])
    audit_files(tmp_path)
    assert not any(isinstance(step.event.content, TimedOut | CeremonyVoided) for step in seen), "a seat slept"
    assert [step.event.version for step in seen] == [*range(len(entries))]
    assert [step.leaf for step in seen] == [leaf(entry) for entry in entries]


async def test_bots_end_when_their_pipe_does(tmp_path: Path) -> None:
    """However the server ends, its bots end too, in good order."""
    port = free_port()
    server, bots = server_at(port, tmp_path), bots_at(port, tmp_path)
    async with running(server):
        await server.ready()
        async with running(bots):
            assert await bots.stop() == 0
