# SPDX-License-Identifier: Apache-2.0
"""A log, and an auditor that has not read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.auditor.published import PublishedHouse, play
from tests.auditor.runs import Runs


@pytest.fixture
def house() -> PublishedHouse:
    """With one game that is over."""
    house = PublishedHouse()
    play(house)
    return house


@pytest.fixture
def runs(tmp_path: Path, house: PublishedHouse) -> Runs:
    """An auditor that knows nothing yet."""
    return Runs(tmp_path, house)
