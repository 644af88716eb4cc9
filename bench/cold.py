# SPDX-License-Identifier: Apache-2.0
"""A cold start: Python from its beginning to its end, or to its word that it answers.

Modules were compiled before, as an installer does it: nothing is measured that is done only once.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from typing import NamedTuple

ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""For programs whose compiled modules are to be kept."""


class Cold(NamedTuple):
    """Milliseconds of one start: the medians of several."""

    wall: float
    cpu: float


def cold(*arguments: str, takes: int) -> Cold:
    """Start Python with these arguments and wait for its end."""
    _once(arguments)
    times = [_once(arguments) for _ in range(takes)]
    return Cold(*(1000 * statistics.median(column) for column in zip(*times, strict=True)))


def _once(arguments: tuple[str, ...]) -> tuple[float, float]:
    begun = time.perf_counter()
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    _, status, used = os.wait4(process.pid, 0)
    taken = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return taken, used.ru_utime + used.ru_stime


def megabytes(statement: str, *arguments: str) -> float:
    """The most memory that Python had while it ran this, by its own count: that of wait4 begins with its parent's."""
    ask = "print([line.split()[1] for line in open('/proc/self/status') if 'VmHWM' in line][0])"
    command = [sys.executable, "-c", f"import sys\n{statement}\n{ask}", *arguments]
    said = subprocess.run(command, check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout
    return int(said.split()[-1]) / 1024
