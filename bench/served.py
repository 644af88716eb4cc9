# SPDX-License-Identifier: Apache-2.0
"""A program that is measured: started in a process of its own, its processor time and memory read while it runs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hokm.table import House
from hokm_server import house_keys
from hokm_server.config import Settings
from hokm_server.house_keys import HouseKeys

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class Served:
    """A program that answers at an address."""

    def __init__(self, pid: int, address: str) -> None:
        self.pid = pid
        self._statm = Path(f"/proc/{pid}/statm")
        self._clock = ~pid << 3 | 2  # what clock_getcpuclockid gives on Linux, which Python does not have
        self.address = address

    def cpu_seconds(self) -> float:
        """Processor time of all its threads so far."""
        return time.clock_gettime(self._clock)

    def resident_bytes(self) -> int:
        """Memory that it has now."""
        return int(self._statm.read_text().split()[1]) * PAGE_BYTES


@contextmanager
def running(command: list[str]) -> Iterator[Served]:
    """A Python program that prints `ready on HOST:PORT` first, until the context ends."""
    with subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        try:
            line = program.stdout.readline().decode().split()
            assert line[:2] == ["ready", "on"], line
            yield Served(program.pid, line[2])
        finally:
            program.terminate()
            program.wait(20)


@contextmanager
def server(var: Path, *arguments: str) -> Iterator[Served]:
    """The product, with its files there, plain or as the arguments say."""
    with running(["-m", "hokm_server", "serve", "--var", str(var), "--port", "0", "--no-bots", *arguments]) as served:
        yield served


def keys_of(var: Path) -> HouseKeys:
    """The keys of the server whose files these are."""
    settings = Settings(var=var)
    return house_keys.load(settings.keys, settings.origin)


def house_of(keys: HouseKeys) -> House:
    """Whose tables they are, for who folds their entries."""
    return House(keys.origin, keys.event.public)
