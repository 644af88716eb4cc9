# SPDX-License-Identifier: Apache-2.0
"""What every test of the client leaves behind, nothing that is still open; and a game that many look at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hokm_client.keeping import Keeping
from tests.client.evening import Evening


@pytest.fixture(autouse=True)
def keepings_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every keeping that a test opened is closed when it ends."""
    opened: list[Keeping] = []
    begin = Keeping.__init__

    def remember(self: Keeping, *arguments: Any, **options: Any) -> None:
        begin(self, *arguments, **options)
        opened.append(self)

    monkeypatch.setattr(Keeping, "__init__", remember)
    yield
    for keeping in opened:
        keeping.close()


@pytest.fixture(scope="module")
def played() -> Iterator[Evening]:
    """A whole game, in which a seat of ours played; closed here, for it is older than the tests that read it."""
    evening = Evening((0,), seed=5)
    evening.play_game()
    yield evening
    evening.keeping.close()
