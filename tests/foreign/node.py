# SPDX-License-Identifier: Apache-2.0
"""The Node client of client/examples, run as anybody would run it."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest

from tests.foreign.conftest import House

CLIENT: Final = Path(__file__).parents[2] / "client/examples/node"
NODE: Final = shutil.which("node")

needs_node: Final = [
    pytest.mark.skipif(NODE is None, reason="node is not here"),
    pytest.mark.skipif(
        not (CLIENT / "node_modules").exists(),
        reason="the npm packages are not here: npm ci --ignore-scripts in client/examples/node brings them",
    ),
]


def node(*words: str | Path, timeout: float = 100) -> subprocess.CompletedProcess[str]:
    """How `node` ended in the client's folder, and what it said."""
    assert NODE is not None
    command = [NODE, *map(str, words)]
    return subprocess.run(command, cwd=CLIENT, capture_output=True, text=True, timeout=timeout, check=False)


def run(*words: str | Path) -> str:
    """What a program says that ends well."""
    done = node(*words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class Playing:
    """A client that plays, and what it has said so far."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self._said = ""

    async def until(self, words: str) -> bool:
        """Whether it says that at last, before it says nothing more."""
        assert self.process.stdout is not None
        while line := (await self.process.stdout.readline()).decode():
            self._said += line
            if words in line:
                return True
        return False

    async def rest(self, status: int = 0) -> str:
        """All that it says, to its end, and everything before."""
        assert not await self.until("\0")
        assert await self.process.wait() == status, self._said
        return self._said

    @property
    def seat(self) -> int:
        return int(self._found(r"seat (\d) key"))

    @property
    def key(self) -> str:
        return self._found(r"key (\w{64})")

    @property
    def head(self) -> str:
        """The last entry that it saw, as hokm-verify wants it."""
        return self._found(r"head (\d+:\w{64})")

    def _found(self, pattern: str) -> str:
        match = re.search(pattern, self._said)
        assert match, self._said
        return match[1]


@contextlib.asynccontextmanager
async def playing(house: House, out: Path, *options: str, at: str | None = None) -> AsyncIterator[Playing]:
    """A client that plays with bots at the house, by way of the address `at` where there is one."""
    assert NODE is not None
    where = ["--server", at or house.address, "--policy", str(house.policy), "--out", str(out), "--bots"]
    process = await asyncio.create_subprocess_exec(
        *(NODE, "play.mjs", *where, *options),
        cwd=CLIENT,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        yield Playing(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()
