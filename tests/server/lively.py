# SPDX-License-Identifier: Apache-2.0
"""Players who use the house rules H1 to H4 by chance, at the tables of a room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Final

from hokm.cards import Card, cards_of
from hokm.deal import early_commitment
from hokm.errors import HokmError
from hokm.events import Act, AnswerTea, AskTea, CallMiddle, LayEarly, PickUp, Ready, Run, TakeBack
from hokm.rules import TableRules, partner_of, runs_of
from hokm.table import Round, may_play, stand_in_wanted
from hokm_server.draft import NOTHING_BESIDE, Beside
from hokm_server.live import Made
from tests.server.room import Room, Seated

LIVELY: Final = TableRules(target=3, partners_middle=True, coming_early=True, runs=True, tea=True)


class Lively:
    """Who plays at one table."""

    def __init__(self, room: Room, table_id: bytes) -> None:
        self.room = room
        self.table_id = table_id
        self.used: Counter[str] = Counter()

    async def step(self) -> None:
        """Now and then something besides; else what is to be decided."""
        table = self.room.table(self.table_id)
        await self.room.turn(self.room.rng.randrange(200, 1500))
        table = self.room.table(self.table_id)
        if stand_in_wanted(table) is not None:
            await self.room.step(self.table_id)
        elif table.is_pausing:
            await self.drink()
        elif self.room.rng.random() < 0.5 or not await self.something_else():
            await self._decide()

    async def _decide(self) -> None:
        if self.room.rng.random() < 0.5 and await self._call_middle() is not None:
            return
        await self.room.step(self.table_id)

    async def drink(self) -> None:
        """At tea: somebody is ready, or time passes."""
        tea = self.room.table(self.table_id).tea
        assert tea is not None
        seat = self.room.rng.randrange(4)
        if seat in tea.ready or self.room.table(self.table_id).places[seat].stand_in is not None:
            await self.room.turn(60_000)
        else:
            await self._act(seat, Ready())

    async def something_else(self) -> bool:
        """Try one of the things that may be done besides; False where the table does not let it."""
        tries: list[Callable[[], Awaitable[object]]] = [
            self._call_middle,
            self._tea,
            self._take_back,
            self._take_back,
            self._pick_up,
            self._lay,
            self._lay,
            self._run,
        ]
        try:
            return await self.room.rng.choice(tries)() is not None
        except HokmError:
            return False

    async def _act(self, seat: int, act: Act, beside: Beside | None = None) -> Made:
        player = self.room.holder(self.table_id, seat)
        made = await self.room.act(self.table_id, player, act, beside or NOTHING_BESIDE)
        self.used[type(act).__name__] += 1
        return made

    async def _tea(self) -> Made:
        seat = self.room.rng.randrange(4)
        if self.room.table(self.table_id).tea is None:
            return await self._act(seat, AskTea())
        return await self._act(seat, AnswerTea(self.room.rng.random() < 0.8))

    async def _call_middle(self) -> Made | None:
        stage = self.room.table(self.table_id).stage
        if not isinstance(stage, Round) or stage.trump is not None:
            return None
        return await self._act(stage.hakem, CallMiddle())

    async def _pick_up(self) -> Made | None:
        stage = self.room.table(self.table_id).stage
        return await self._act(partner_of(stage.hakem), PickUp()) if isinstance(stage, Round) else None

    async def _take_back(self) -> Made | None:
        stage = self.room.table(self.table_id).stage
        if not isinstance(stage, Round) or stage.extra is None:
            return None
        laid = [lay.seat for lay in stage.extra.lays if lay is not None]
        return await self._act(self.room.rng.choice(laid), TakeBack()) if laid else None

    async def _lay(self) -> Made | None:
        stage = self.room.table(self.table_id).stage
        if not isinstance(stage, Round) or not stage.trick:
            return None
        seat = self.room.rng.randrange(4)
        hand = self.room.live(self.table_id).secrets.hands.dealt[seat]
        assert hand is not None
        legal = list(cards_of(may_play(stage, hand)))
        return await self.lay(self.room.holder(self.table_id, seat), self.room.rng.choice(legal)) if legal else None

    async def lay(self, player: Seated, card: Card) -> Made:
        """A card face down."""
        stage, salt = self.room.table(self.table_id).stage, self.room.octets()
        assert isinstance(stage, Round)
        made = early_commitment(stage.ceremony.ctx, stage.trick_number, player.seat, card, salt)
        is_middle = stage.extra is not None and stage.extra.middle == card
        return await self._act(player.seat, LayEarly(made, is_middle), Beside(early=(card, salt)))

    async def _run(self) -> Made | None:
        stage = self.room.table(self.table_id).stage
        if not isinstance(stage, Round) or stage.trump is None or stage.trick or stage.decision is None:
            return None
        hand = self.room.live(self.table_id).secrets.hands.dealt[stage.turn]
        assert hand is not None
        runs = runs_of(hand & ~stage.played, stage.trump, stage.played)
        return await self._act(stage.turn, Run(self.room.rng.choice(runs))) if runs else None
