# SPDX-License-Identifier: Apache-2.0
"""No diagnostic line of a client holds a card, whatever goes wrong."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from hokm.cards import card_text
from hokm.errors import CardNotHeld
from hokm.events import Play
from hokm.rules import TableRules
from hokm_client import diagnostics
from hokm_client.bot import Decided, random_legal
from hokm_client.bots import HouseBots
from hokm_client.identity import read_operator_key
from hokm_client.player import Player
from hokm_client.question import Question
from tests.client.visits import house


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[logging.Handler]:
    """What writes every record into the file ``log``, beside the writers of pytest."""
    root, writer = logging.getLogger(), logging.FileHandler(tmp_path / "log")
    level = root.level
    root.addHandler(writer)
    root.setLevel("DEBUG")
    yield writer
    root.removeHandler(writer)
    root.setLevel(level)
    writer.close()


class Broken(Exception):
    """Made with what must not be told."""


async def test_of_an_exception_only_type_and_frames_are_written(
    tmp_path: Path, writer: logging.Handler, expected_errors: list[str]
) -> None:
    """Its own words may name a card; so may those of what caused it."""
    expected_errors.append("it failed")
    diagnostics.write_to(writer, "DEBUG")
    ace, king = "♠A", "♥K"
    try:
        try:
            raise CardNotHeld(ace)
        except CardNotHeld as error:
            raise Broken(king) from error
    except Broken:
        logging.getLogger("somewhere").exception("it failed")
    text = (tmp_path / "log").read_text()
    assert ace not in text
    assert king not in text
    assert text.index("CardNotHeld") < text.index("then") < text.index("Broken\n")
    assert "test_diagnostics.py" in text


async def test_what_nobody_waits_for_is_written_without_its_words(
    tmp_path: Path, writer: logging.Handler, expected_errors: list[str]
) -> None:
    """The event loop would show the exception itself."""
    expected_errors.append("nobody waited for")
    diagnostics.write_to(writer, "DEBUG")
    asyncio.get_running_loop().call_exception_handler({"message": "♠A", "exception": CardNotHeld("♠A")})
    text = (tmp_path / "log").read_text()
    assert "CardNotHeld" in text
    assert "♠A" not in text


async def test_the_bots_of_a_house_tell_no_card(
    tmp_path: Path, writer: logging.Handler, expected_errors: list[str]
) -> None:
    """A strategy that plays cards it does not hold, or fails with one on its lips: neither names it in a line."""
    expected_errors.append("the strategy failed")
    not_held: list[str] = []
    given_up = asyncio.Event()

    def watch(record: logging.LogRecord) -> bool:
        if "not wanted" in record.getMessage():
            given_up.set()
        return True

    writer.addFilter(watch)

    def strategy(question: Question, chance: random.Random) -> Decided:
        if question.names_trumps:
            return random_legal(question, chance)
        card = next(card for card in range(52) if not question.dealt >> card & 1)
        not_held.append(card_text(card))
        if len(not_held) == 1:
            raise Broken(not_held[0])
        return Play(card)

    async with contextlib.AsyncExitStack() as stack:
        found = await stack.enter_async_context(house(tmp_path))
        key, policy = read_operator_key(tmp_path / "keys" / "operator.key"), tmp_path / "policy"
        player = await stack.enter_async_context(Player.connect(found.address, identity=key, policy=policy))
        diagnostics.write_to(writer, "DEBUG")
        bots = HouseBots(player, strategy=strategy, chance=random.Random(1))
        playing = asyncio.create_task(bots.run())
        await player.open_table(TableRules(target=3), (0, 1, 2, 3))
        await given_up.wait()
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
    text = (tmp_path / "log").read_text()
    assert "the strategy failed" in text
    assert "CARD_NOT_HELD" in text
    assert not any(card in text for card in not_held), not_held
