# SPDX-License-Identifier: Apache-2.0
"""A player is asked until there is an answer: again where the rules refuse it, and again after tea."""

from __future__ import annotations

import asyncio
import contextlib
import random
from pathlib import Path

import pytest

from hokm.cards import FULL, cards_of
from hokm.errors import CardNotHeld, HokmError, MustFollowSuit
from hokm.events import Act, AskTea, GameEnded, NameTrump, Play, Run, TimedOut
from hokm.rules import TableRules
from hokm_client.bot import Decided, random_legal
from hokm_client.question import Question
from hokm_client.stream import Step
from tests.client.visits import agree, guest, house, house_bots

LIVELY = TableRules(target=3, partners_middle=True, runs=True)


def illegal(question: Question) -> dict[str, Act]:
    """Acts that cannot be made now, by the reason."""
    if question.names_trumps:
        return {"WRONG_PHASE": Play(0), "OUT_OF_RANGE": NameTrump(4)}
    foreign = (FULL & ~question.dealt).bit_length() - 1
    acts: dict[str, Act] = {"OUT_OF_RANGE": Play(99), "WRONG_PHASE": NameTrump(0), "CARD_NOT_HELD": Play(foreign)}
    if question.round.trick:
        acts["NOT_ON_LEAD"] = Run((12, 11, 10))
    elif question.hand.bit_count() > 1:
        acts["NOT_A_RUN"] = Run(tuple(cards_of(question.hand))[:2])  # the lower one first
    return acts


class Clumsy:
    """Decides everything wrongly that can be, each time as often as not, and then by chance."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.wrong: dict[int, list[tuple[str, Act]]] = {}
        self.meant: list[str] = []

    def choose(self, question: Question) -> Act:
        """A wrong act where one is left for this decision."""
        left = self.wrong.setdefault(question.decision.opened, [*illegal(question).items()])
        if not left:
            return random_legal(question, self.chance)
        reason, act = left.pop()
        self.meant.append(reason)
        return act


@pytest.mark.parametrize("at_once", [True, False])
async def test_whoever_decides_wrongly_is_told_and_asked_again(tmp_path: Path, at_once: bool) -> None:
    """As often as it takes, whether the answer comes at once or later; the game goes on to its end."""
    clumsy, refused = Clumsy(3), []

    async def think(question: Question) -> Act:
        await asyncio.sleep(0)
        return clumsy.choose(question)

    async with house(tmp_path) as found, house_bots(found.address, tmp_path), guest(found.address, tmp_path) as player:
        table_id = await player.open_table(LIVELY, (1, 2, 3))
        sitting = await player.sit(table_id, 0, choose=clumsy.choose if at_once else think)
        sitting.on_refusal = lambda error: refused.append(error.reason)
        assert isinstance(await sitting.over, GameEnded)
    assert refused == clumsy.meant
    assert len(set(refused)) >= 3  # a seat that never leads is refused no run


@pytest.mark.parametrize("wrong", [CardNotHeld, MustFollowSuit])
async def test_the_same_wrong_card_at_once_ends_the_sitting(tmp_path: Path, wrong: type[HokmError]) -> None:
    """A program that has nothing else to say would say it for ever: it is told why."""

    def choose(question: Question) -> Decided:
        if question.names_trumps:
            return NameTrump(0)
        cards = question.hand & ~question.legal if wrong is MustFollowSuit else FULL & ~question.dealt
        return Play(cards.bit_length() - 1) if cards else random_legal(question, random.Random(1))

    async with house(tmp_path) as found, house_bots(found.address, tmp_path), guest(found.address, tmp_path) as player:
        table_id = await player.open_table(LIVELY, (1, 2, 3))
        sitting = await player.sit(table_id, 0, choose=choose)
        with pytest.raises(wrong):
            await sitting.over


@pytest.mark.parametrize("hesitates", [True, False])
async def test_a_question_that_tea_has_interrupted_is_asked_again(tmp_path: Path, hesitates: bool) -> None:
    """The decision is the same, and so is the player: whoever was thinking, or about to think, is not forgotten."""
    chance, deadlines = random.Random(1), list[Step]()

    def asks_for_tea(question: Question) -> bool:
        """When it is to lead the second trick or a later one: so it begins at once."""
        asks = not question.table.places[0].tea_asked and bool(question.round.history) and not question.round.trick
        if asks:
            sitting.act(AskTea())
        return asks

    def by_chance(question: Question) -> Decided:
        return random_legal(question, chance)

    async def think(question: Question) -> Decided:
        if asks_for_tea(question):
            await asyncio.Event().wait()
        return by_chance(question)

    def hesitate(question: Question) -> float:
        return 3600 if asks_for_tea(question) else 0

    def watch(step: Step) -> None:
        if isinstance(step.event.content, TimedOut):
            deadlines.append(step)

    async with house(tmp_path) as found, contextlib.AsyncExitStack() as guests:
        players = [await guests.enter_async_context(guest(found.address, tmp_path)) for _ in range(4)]
        table_id = await players[0].open_table(TableRules(target=3, tea=True))
        choose, delay = (by_chance, hesitate) if hesitates else (think, None)
        sitting = await players[0].sit(table_id, 0, choose=choose, delay=delay, watch=watch, besides=agree)
        for seat in (1, 2, 3):
            await players[seat].sit(table_id, seat, choose=by_chance, besides=agree)
        assert isinstance(await sitting.over, GameEnded)
        assert sitting.table.places[0].tea_asked
        assert deadlines == []
