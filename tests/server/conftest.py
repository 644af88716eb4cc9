# SPDX-License-Identifier: Apache-2.0
"""Every log that a test of the tables makes is audited when the test ends."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.server.room import Room


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    """A room whose logs the verifier judges at the end."""
    room = Room(tmp_path)
    try:
        yield room
        await room.audit()
    finally:
        await room.stop()
