# SPDX-License-Identifier: Apache-2.0
"""Whole games by the `house` preset over real sockets: players who use every rule, and bots who do so by chance.

Every log is audited when its server stops.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from hokm.cards import cards_of
from hokm.events import AnswerTea, AskTea, CallMiddle, EarlyTurned, Event, MiddleTurned, Ready, Run, SignedMove
from hokm.rules import HOUSE
from hokm.table import Round, may_play
from hokm.v1 import tables_service_pb2 as pb
from hokm_client.bot import Decided, sensible
from hokm_client.player import Player
from hokm_client.question import ComeEarly, Question, Standing, Wish
from hokm_client.sitting import Sitting
from hokm_client.stream import Step
from tests.client.visits import agree, guest, house, house_bots

RULES = replace(HOUSE, target=3)


class Eager:
    """A person who does whatever the rules let be done."""

    def __init__(self, player: Player, asks: bool) -> None:
        self.player = player
        self.asks = asks
        self.chance = random.Random(1)
        self.landed: list[tuple[int, int]] = []
        self.thrown: list[tuple[int, int]] = []

    def choose(self, question: Question) -> Decided:
        """The middle each time, runs where there are any."""
        if question.names_trumps:
            return CallMiddle()
        return sensible(question, self.chance)

    def besides(self, standing: Standing) -> Wish | None:
        """Early whenever it may be, tea once, ready at once."""
        table, seat, stage = standing.table, standing.seat, standing.table.stage
        if table.tea is not None:
            return agree(standing)
        if self.asks and not table.places[seat].tea_asked and table.round >= 1:
            return AskTea()
        if isinstance(stage, Round) and stage.extra is not None and standing.dealt and stage.extra.lays[seat] is None:
            waits = seat - stage.leader & 3 > len(stage.trick) > 0
            if waits and stage.trick_number >= stage.extra.again[seat]:
                return ComeEarly(next(cards_of(may_play(stage, standing.dealt))))
        return None

    async def throw(self, table_id: bytes, seat: int) -> None:
        """One thing at each of the others."""
        for thing, at in enumerate((seat + 1 & 3, seat + 2 & 3, seat + 3 & 3), pb.THING_TOMATO):
            await self.player.throw(table_id, seat, at, thing)  # type: ignore[arg-type]
            self.thrown.append((at, thing))


async def test_four_players_use_every_rule(tmp_path: Path) -> None:
    """The game ends, and each of them has been told of everything that landed, as often as it landed."""
    kinds: Counter[str] = Counter()

    def count(step: Step) -> None:
        event: Event = step.event
        act = event.content.move.act if isinstance(event.content, SignedMove) else event.content
        kinds[type(act).__name__] += 1

    async with AsyncExitStack() as stack:
        found = await stack.enter_async_context(house(tmp_path))
        eager = [
            Eager(await stack.enter_async_context(guest(found.address, tmp_path, f"p{seat}")), seat == 2)
            for seat in range(4)
        ]
        table_id = await eager[0].player.open_table(RULES)
        sittings: list[Sitting] = []
        for seat, person in enumerate(eager):
            sitting = await person.player.sit(
                table_id,
                seat,
                choose=person.choose,
                besides=person.besides,
                watch=count if not seat else None,
            )
            sitting.on_landed = lambda at, thing, person=person: person.landed.append((at, thing))  # type: ignore[misc]
            sittings.append(sitting)
        for seat, person in enumerate(eager):
            await person.throw(table_id, seat)
        await asyncio.wait_for(asyncio.gather(*(sitting.over for sitting in sittings)), 120)
    thrown = sorted(each for person in eager for each in person.thrown)
    assert [sorted(person.landed) for person in eager] == [thrown] * 4
    for kind in (MiddleTurned, EarlyTurned, AskTea, AnswerTea, Ready):
        assert kinds[kind.__name__], kind
    assert kinds["TeaBegan"] == kinds["TeaEnded"] == 1


async def test_bots_play_by_the_house_rules(tmp_path: Path) -> None:
    """To the end, by chance with all that the preset allows; who watches sees things land."""
    kinds: Counter[str] = Counter()
    async with AsyncExitStack() as stack:
        found = await stack.enter_async_context(house(tmp_path))
        await stack.enter_async_context(house_bots(found.address, tmp_path))
        player = await stack.enter_async_context(guest(found.address, tmp_path))
        tables = [await player.open_table(RULES, (0, 1, 2, 3)) for _ in range(3)]
        for table_id in tables:
            over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

            def see(step: Step, over: asyncio.Future[None] = over) -> None:
                content = step.event.content
                act = content.move.act if isinstance(content, SignedMove) else content
                kinds[type(act).__name__] += 1
                if type(act).__name__ in ("GameEnded", "ServerFault") and not over.done():
                    over.set_result(None)

            await player.watch(table_id, see)
            await asyncio.wait_for(over, 120)
    assert kinds["ServerFault"] == 0
    assert kinds["GameEnded"] == len(tables)
    assert kinds["MiddleTurned"] + kinds[Run.__name__] + kinds["EarlyTurned"] > 0
