# SPDX-License-Identifier: Apache-2.0
"""One table that a test leads where it wants to have it, act by act, and with the cards that it wants.

For these its four players have agreed on their numbers, which nobody can forbid them, and know the house's.
"""

from __future__ import annotations

from collections.abc import Callable

from hokm.cards import Card, cards_of
from hokm.deal import HOUSE_SEAT, commit_set, commitment, deal
from hokm.events import Act, AnswerTea, AskTea, Play, Ready
from hokm.rules import trick_winner
from hokm.table import Ceremony, Hands, Round, Seating, Table, hands_in, may_play, stand_in_wanted
from hokm.table.state import Extra
from tests.server.lively import Lively
from tests.server.room import Room, committing, is_over


class Walk:
    """A table and its four players."""

    def __init__(self, room: Room, table_id: bytes) -> None:
        self.room = room
        self.table_id = table_id
        self._players = Lively(room, table_id)

    # What everybody sees.

    @property
    def table(self) -> Table:
        """As it is now."""
        return self.room.table(self.table_id)

    @property
    def stage(self) -> Round:
        """Its round."""
        stage = self.table.stage
        assert isinstance(stage, Round)
        return stage

    # What only the test knows.

    @property
    def hands(self) -> Hands:
        """The cards as dealt."""
        return self.room.live(self.table_id).secrets.hands

    def legal(self, seat: int) -> list[Card]:
        """What that seat could play to the trick on the table."""
        hand = self.hands.dealt[seat]
        assert hand is not None
        return list(cards_of(may_play(self.stage, hand)))

    def last_cards(self) -> list[Card]:
        """The cards with which the seat in turn ends the round."""
        stage = self.table.stage
        if not isinstance(stage, Round) or len(stage.trick) < 3:
            return []
        trump = stage.trump
        assert trump is not None
        winners = {card: trick_winner((*stage.trick, card), stage.leader, trump) for card in self.legal(stage.turn)}
        return [card for card, winner in winners.items() if stage.tricks[winner & 1] == 6]

    # Acts.

    async def do(self, seat: int, act: Act) -> None:
        """That seat does it."""
        await self._players._act(seat, act)

    async def lay(self, seat: int) -> None:
        """That seat lays a card face down."""
        await self._players.lay(self.room.holder(self.table_id, seat), self.legal(seat)[0])

    async def play(self, card: Card) -> None:
        """The seat in turn plays it."""
        await self.do(self.stage.turn, Play(card))

    async def play_small(self) -> None:
        """The seat in turn plays its lowest card, a trump if it has nothing else."""
        trump = self.stage.trump
        await self.play(min(self.legal(self.stage.turn), key=lambda card: (card // 13 == trump, card % 13)))

    async def ask_tea(self, seat: int, yes: int = 0) -> None:
        """That seat asks, and so many of the others say yes."""
        await self.do(seat, AskTea())
        for other in (1, 2, 3)[:yes]:
            await self.do(seat ^ other, AnswerTea(True))

    async def end_tea(self) -> None:
        """Everybody is ready who is not yet and is there."""
        tea = self.table.tea
        assert tea is not None
        for seat, place in enumerate(self.table.places):
            if seat not in tea.ready and place.absent is None:
                await self.do(seat, Ready())

    # Stretches.

    async def sit(self, seats: int) -> None:
        """The first so many seats are taken."""
        stage = self.table.stage
        assert isinstance(stage, Seating)
        for seat in range(seats):
            if stage.places[seat] is None:
                await self.room.join(self.table_id, self.room.somebody(seat))

    async def until(self, reached: Callable[[Table], bool]) -> None:
        """Honest steps until the table is so; nobody drinks tea for long."""
        if isinstance(self.table.stage, Seating):
            await self.sit(4)
        while not reached(self.table):
            if self.table.is_pausing and stand_in_wanted(self.table) is None:
                await self.end_tea()
            else:
                await self.room.step(self.table_id)

    async def until_over(self) -> None:
        """To the end of the game."""
        await self.until(is_over)

    async def until_dealt(self, wanted: Callable[[Hands, int], bool]) -> None:
        """From before the first deal to trumps, with cards that are wanted for that hakem."""
        await self.until(lambda table: table.round == 1 and committing(table))
        room, table = self.room, self.table
        ceremony, hakem = table.stage, table.hakem
        assert isinstance(ceremony, Ceremony)
        assert hakem is not None
        ctx = ceremony.ctx
        keys = [*(holder.public_key for holder in ceremony.holders), table.house.event_key]
        of_house = room.live(self.table_id).secrets.numbers[HOUSE_SEAT]
        assert of_house is not None
        numbers = [*(room.octets() for _ in range(4)), of_house]
        while True:
            numbers[3] = room.octets()
            committed = [commitment(ctx, seat, keys[seat], numbers[seat]) for seat in range(5)]
            pack = deal(commit_set(ctx, committed), numbers)
            if wanted(hands_in(pack, hakem, table.rules.packets), hakem):
                break
        for seat in range(4):
            room.holder(self.table_id, seat).numbers[ctx] = numbers[seat]
        await self.until(lambda table: isinstance(table.stage, Round))


def extra(table: Table) -> Extra:
    """What the house rules add to the round at a table."""
    assert isinstance(table.stage, Round)
    assert table.stage.extra is not None
    return table.stage.extra
