# SPDX-License-Identifier: Apache-2.0
"""What a program has of the machine that it runs on: time and chance. Whoever needs them is handed them.

Beside the program's own root, which brings its bots their chance, this is the only module that asks for either.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from datetime import datetime
from typing import Final, NamedTuple


class Machine(NamedTuple):
    """Time and chance, of this machine or of a test's making."""

    now_ms: Callable[[], int]
    """Milliseconds since 1970."""
    entropy: Callable[[int], bytes]
    """So many bytes that nobody can guess."""


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


THIS_MACHINE: Final = Machine(_now_ms, secrets.token_bytes)


def on_the_wall(time_ms: int) -> str:
    """A time as a clock here shows it, in the zone of this machine: ``2026-11-30 21:04``."""
    return datetime.fromtimestamp(time_ms / 1000).strftime("%Y-%m-%d %H:%M")
