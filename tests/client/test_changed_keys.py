# SPDX-License-Identifier: Apache-2.0
"""The keys of a real server change while people play: they play on, and notice nothing but what they must."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable
from pathlib import Path

import pytest

from hokm.events import GameEnded, NameTrump, Play, RoundRevealed, ServerFault, ServerFaultCause
from hokm.rules import TableRules
from hokm.verify import Verdict
from hokm_client.bot import lowest_of
from hokm_client.question import Question
from hokm_client.stream import Step
from hokm_server import rotation
from hokm_server.key_files import KeyFiles, Role
from hokm_server.public_keys import read_public
from tests.client.visits import guest, house, house_bots

ORIGIN = "localhost/hokm"
LONG, SHORT = (TableRules(target=target, away_seconds=0) for target in (5, 3))


def choose(question: Question) -> NameTrump | Play:
    """What comes first."""
    return NameTrump(0) if question.names_trumps else Play(lowest_of(question.legal))


def rotate(files: KeyFiles) -> None:
    """All keys that can be changed, and the root once more."""
    for roles in ({Role.EVENT, Role.LOG, Role.ROOT}, {Role.ROOT}):
        rotation.rotate(files, files, ORIGIN, roles, 0, entropy=secrets.token_bytes)


def revoke(files: KeyFiles) -> None:
    """The event key, under a new root."""
    key = read_public(files, ORIGIN).newest.event_key
    rotation.rotate(files, files, ORIGIN, {Role.ROOT}, 0, entropy=secrets.token_bytes)
    rotation.revoke(files, files, ORIGIN, key, 0, entropy=secrets.token_bytes)


@pytest.mark.parametrize("change", [rotate, revoke])
async def test_a_player_plays_on_whose_policy_is_that_of_the_beginning(
    tmp_path: Path, change: Callable[[KeyFiles], None]
) -> None:
    """A game goes on under its key, or ends by its revocation; and the next one is under the new key."""
    far, changed = asyncio.Event(), asyncio.Event()

    async def choose_then(question: Question) -> NameTrump | Play:
        """Nothing more until the keys have changed: else the game may be over before."""
        if far.is_set():
            await changed.wait()
        return choose(question)

    def watch(step: Step) -> None:
        if isinstance(step.event.content, RoundRevealed):
            far.set()

    async with contextlib.AsyncExitStack() as stack:
        async with house(tmp_path) as found:
            await stack.enter_async_context(house_bots(found.address, tmp_path))
            player = await stack.enter_async_context(guest(found.address, tmp_path))
            table_id = await player.open_table(LONG, (1, 2, 3))
            sitting = await player.sit(table_id, 0, choose=choose_then, watch=watch)
            await far.wait()
            assert not sitting.over.done()
        change(KeyFiles(tmp_path / "keys"))
        changed.set()
        async with house(tmp_path, found.port):
            ending = await sitting.over
            if change is revoke:
                assert isinstance(ending, ServerFault)
                assert ending.cause is ServerFaultCause.KEY_REVOKED
            else:
                assert isinstance(ending, GameEnded)
            other = await player.open_table(SHORT, (1, 2, 3))
            again = await player.sit(other, 0, choose=choose)
            assert isinstance(await again.over, GameEnded)
            assert again.table.house.event_key != sitting.table.house.event_key
            for over in (table_id, other):
                report = await player.verify(over)
                assert report.verdict is Verdict.WITH_WARNINGS, report
