# SPDX-License-Identifier: Apache-2.0
"""Proof files made on demand: they wait for the log to be published, not for ever, and take the work in turns."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import pytest

from hokm.errors import NotPublished
from hokm.proof import Proof, ProofKind
from hokm.signing import SigningKey
from hokm.table import Over
from hokm_server.log import Log
from hokm_server.proofs import Proofs
from hokm_server.publisher import Publisher
from hokm_server.store import Batch, Store
from tests.simulation.game import Game
from tests.simulation.house import TestHouse


class Place(NamedTuple):
    """A log with one finished game in it that is not published yet."""

    game: Game
    log: Log
    publisher: Publisher
    proofs: Proofs


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    """The game is of the simulated house: only its anchors are not of this log, and there are none before the draw."""
    game = Game(TestHouse(cosigners=0, threshold=0))
    while not isinstance(game.table.stage, Over):
        game.time_out()
    store = Store(tmp_path / "log.db", game.house.origin)
    log = Log(store, tmp_path / "head", game.house.origin, SigningKey(b"l" * 32))
    log.append([Batch(game.id, 0, game.entries)])
    publisher = Publisher(log, seconds=0.01)
    yield Place(game, log, publisher, Proofs(store, log, publisher, seconds=0.2))
    store.close()


async def test_a_proof_has_the_log_published(place: Place) -> None:
    """Whoever asks first brings the checkpoint about."""
    running = asyncio.create_task(place.publisher.run())
    try:
        proof = Proof.parse(await place.proofs.game(place.game.id))
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
    assert (proof.kind, proof.entries) == (ProofKind.GAME, tuple(place.game.entries))
    assert [item.version for item in proof.inclusion] == [len(place.game.entries) - 1]
    assert proof.checkpoint.encode() == place.log.published.note


async def test_a_log_that_is_not_published_is_not_waited_for_for_ever(place: Place) -> None:
    """The caller is told to ask again."""
    with pytest.raises(NotPublished):
        await place.proofs.game(place.game.id)


async def test_many_who_ask_at_once_are_all_answered(place: Place) -> None:
    """Each with the same bytes."""
    place.log.publish()
    files = await asyncio.gather(*(place.proofs.game(place.game.id) for _ in range(9)))
    assert len(set(files)) == 1
