# SPDX-License-Identifier: Apache-2.0
"""A person at a terminal, at a table that plays by the house rules: a slipper, a cup of tea and a story, by typing."""

from __future__ import annotations

import asyncio
import random
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from hokm.languages import Language
from hokm.v1 import tables_service_pb2 as pb
from hokm_client.bot import Decided, sensible
from hokm_client.question import Question
from hokm_client.storyteller import chapter
from hokm_client.terminal import say_customs
from hokm_client.terminal.customs import customs
from hokm_client.terminal.notices import notices
from hokm_client.terminal.things import Thing
from hokm_client.terminal.words import words
from tests.client.pane import pane
from tests.client.test_playing import house, legal, play_until, written
from tests.client.visits import agree, guest

MINE, LEFT = 0, 3
TYPED = {
    Language.EN: ("throw slipper left", "tea", "early 1", "ready"),
    Language.FA: ("پرتاب دمپایی چپ", "چای", "زود ۱", "آماده"),
}


def choose(question: Question) -> Decided:
    """Cards as bots play them."""
    return sensible(question, random.Random(question.seat))


@pytest.mark.parametrize("language", Language)
async def test_a_slipper_a_tea_and_a_story(tmp_path: Path, language: Language) -> None:
    """What is typed is done and seen by all; a slip is refused; the story is told, and the game goes on after it."""
    throws, asks, lays, ready = TYPED[language]
    landed: list[tuple[int, int]] = []
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(house(tmp_path))
        line = ("play", "--server", server.address, "--var", str(tmp_path), "--open", "--preset", "house")
        window = await stack.enter_async_context(pane(*line, "--lang", language, rows=32))
        await window.until_shown(written(language, notices(language).others_join))
        others = [await stack.enter_async_context(guest(server.address, tmp_path, f"p{seat}")) for seat in (1, 2, 3)]
        (table_id,) = [table.table_id for table in await others[0].connection.list_tables(with_free_seat=True)]
        for seat, player in enumerate(others, 1):
            sitting = await player.sit(table_id, seat, choose=choose, besides=agree)
            sitting.on_landed = lambda at, thing: landed.append((at, thing))
        trumps = written(language, words(language).prompt_trumps)
        await window.until(lambda window: legal(window) or trumps in str(window), "my turn")

        window.keys(throws + "\r")
        await window.until_shown(written(language, say_customs.lands(Thing.SLIPPER, LEFT, MINE, language)))
        async with asyncio.timeout(20):  # it is on its way to each of them
            while len(landed) < len(others):
                await asyncio.sleep(0.01)
        assert landed == [(LEFT, Thing.SLIPPER)] * 3
        await others[0].throw(table_id, 1, MINE, pb.THING_TOMATO)
        await window.until_shown(written(language, say_customs.lands(Thing.TOMATO, MINE, MINE, language)))

        await play_until(window, language, written(language, words(language).last_trick))
        await window.until(lambda window: legal(window), "my turn")
        window.keys(lays + "\r")
        early = ("TURN_HAS_COME", "NOT_LED")
        refused = [written(language, words(language).slips[reason]) for reason in early]
        await window.until(lambda window: any(sentence in str(window) for sentence in refused), "too late to be early")

        window.keys(asks + "\r")
        told = chapter(language, 0)
        await play_until(window, language, written(language, told.title))
        await window.until_shown(written(language, customs(language).tea_is_drunk))
        window.keys(ready + "\r")
        await window.until_shown(written(language, customs(language).tea_is_over))
        await play_until(window, language, written(language, words(language).last_trick))
