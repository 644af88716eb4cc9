# SPDX-License-Identifier: Apache-2.0
"""Two games that differ only in cards hidden from one viewer, played side by side; what the viewer is sent is compared.

Both rooms have one seed, so all that is drawn is the same; a pack of its own takes the place of what the numbers deal.
A card face down may be another one in each game: its commitment is made here from the salt alone, so that bytes can be
compared as they are. The games are over where one must show a card that the other does not.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import pytest

from hokm.cards import PACK, Card, cards_of
from hokm.errors import HokmError
from hokm.events import Act, SeatKind
from hokm.rules import TableRules
from hokm.table import Round, Table, may_play
from hokm.table.state import Extra
from hokm.v1 import tables_service_pb2 as pb
from hokm_server import draft
from tests.server.lively import Lively
from tests.server.onlooker import Onlooker
from tests.server.readers import WATCHER
from tests.server.room import PERSONS, Room, revealing
from tests.server.walk import extra


class Viewpoint(NamedTuple):
    """Who looks, and whose cards it is shown."""

    seats: tuple[int, ...]
    is_operator: bool = False

    @property
    def hidden(self) -> tuple[int, ...]:
        """The seats whose cards it must not learn."""
        return tuple(seat for seat in range(4) if seat not in self.seats)


VIEWPOINTS: Final = {
    "watcher": Viewpoint(()),
    "operator": Viewpoint((1, 3), is_operator=True),
    **{f"seat {seat}": Viewpoint((seat,)) for seat in range(4)},
}

Packs: TypeAlias = Sequence[Sequence[Card]]
"""One for each game."""


class Twins:
    """The two games, and what was done in both."""

    def __init__(self, rooms: Sequence[Room], table_id: bytes, seed: int) -> None:
        """Each room has a table of that id, at which the last Reveal before the deal is wanted."""
        self.rooms = rooms
        self.table_id = table_id
        self.chance = random.Random(seed)
        self.done: Counter[str] = Counter()
        """What was done, or refused for which reason."""
        self._players = [Lively(room, table_id) for room in rooms]
        self._onlookers: list[list[Onlooker]] = []
        """By viewer, one in each game."""
        self._packs: Packs = ()
        self._which = 0
        """Whose pack is dealt."""

    def look(self, view: Viewpoint) -> None:
        """From now on compare what this viewer is sent, too."""
        self._onlookers.append([])
        for room in self.rooms:
            viewer = room.holder(self.table_id, view.seats[0]).viewer if view.seats else WATCHER
            self._onlookers[-1].append(Onlooker(room, self.table_id, viewer, view.seats))

    async def deal(self, packs: Packs, monkeypatch: pytest.MonkeyPatch) -> None:
        """The last Reveal comes, and each game has its pack."""
        self._packs = packs
        monkeypatch.setattr(draft, "deal", lambda commit_set, numbers: self._packs[self._which])
        await self._in_turn(lambda room: room.decide(self.table_id, 3))
        await self.same()

    # What is compared.

    async def same(self) -> None:
        """What has come on the streams, and what the lists show."""
        await self._same(Onlooker.stream)
        await self._same(Onlooker.lists)

    async def same_to_who_comes_late(self) -> None:
        """What the streams bring from any version on."""
        await self._same(Onlooker.from_any_version)
        self.done["came late"] += 1

    async def same_log(self) -> None:
        """What the log answers."""
        await self._same(Onlooker.log)
        self.done["log"] += 1

    async def _same(self, of: Callable[[Onlooker], Awaitable[object]]) -> None:
        for pair in self._onlookers:
            one, other = [await of(onlooker) for onlooker in pair]
            assert one == other

    def _same_outcome(self, act: str, outcomes: Sequence[HokmError | None]) -> HokmError | None:
        """Taken in both games, or refused with the same words: the refusal."""
        one, other = outcomes
        assert _told(one) == _told(other)
        self.done[act if one is None else one.reason] += 1
        return one

    # The table, as everybody sees it, and what only the test knows.

    @property
    def table(self) -> Table:
        """Of either game."""
        return self.rooms[0].table(self.table_id)

    @property
    def hakem(self) -> int:
        """Whose deal it is."""
        hakem = self.table.hakem
        assert hakem is not None
        return hakem

    @property
    def stage(self) -> Round:
        """Its round."""
        stage = self.table.stage
        assert isinstance(stage, Round)
        return stage

    @property
    def extra(self) -> Extra:
        """What the house rules add to it."""
        return extra(self.table)

    def hands(self, seat: int) -> list[int]:
        """That seat's cards that are left, in each game."""
        dealt = [room.live(self.table_id).secrets.hands.dealt[seat] for room in self.rooms]
        return [hand & ~self.stage.played for hand in dealt if hand is not None]

    def legal(self, seat: int) -> list[list[Card]]:
        """Those of them that it could play to the trick on the table."""
        return [list(cards_of(may_play(self.stage, hand))) for hand in self.hands(seat)]

    def held_by_others(self, seat: int) -> list[Card]:
        """Cards that the seat has in neither game."""
        one, other = self.hands(seat)
        return [card for card in PACK if not (one | other) >> card & 1]

    # What is done in both games.

    async def both(self, seat: int, act: Act) -> HokmError | None:
        """That seat does it: why it was refused, or None."""
        outcomes = [await _outcome(players._act(seat, act)) for players in self._players]
        return self._same_outcome(type(act).__name__, outcomes)

    async def lay(self, seat: int, cards: tuple[Card, Card]) -> HokmError | None:
        """That seat lays a card face down, in each game its own: why it was refused, or None."""
        outcomes = [
            await _outcome(players.lay(players.room.holder(self.table_id, seat), card))
            for players, card in zip(self._players, cards, strict=True)
        ]
        return self._same_outcome("laid" if cards[0] == cards[1] else "laid another", outcomes)

    async def throw(self, seat: int, at: int) -> HokmError | None:
        """That seat throws a slipper: why it was refused, or None."""
        outcomes: list[HokmError | None] = []
        for room in self.rooms:
            try:
                room.tables.throw(room.holder(self.table_id, seat).viewer, self.table_id, seat, at, pb.THING_SLIPPER)
                outcomes.append(None)
            except HokmError as error:
                outcomes.append(error)
        return self._same_outcome("thrown", outcomes)

    async def wait(self, ms: int) -> None:
        """Let time pass."""
        await self._in_turn(lambda room: room.turn(ms))

    async def restart(self) -> None:
        """Both servers stop and start."""
        await self._in_turn(lambda room: room.restart())
        for pair in self._onlookers:
            for onlooker in pair:
                onlooker.come_back()
        self.done["restart"] += 1

    async def _in_turn(self, does: Callable[[Room], Awaitable[object]]) -> None:
        for which, room in enumerate(self.rooms):
            self._which = which
            await does(room)


async def _outcome(doing: Awaitable[object]) -> HokmError | None:
    try:
        await doing
    except HokmError as error:
        return error
    return None


def _told(error: HokmError | None) -> tuple[str, object, str] | None:
    """All that goes out of a refusal."""
    return None if error is None else (error.reason, error.facts, str(error))


def blind(ctx: bytes, trick: int, seat: int, card: Card, salt: bytes) -> bytes:
    """In place of `early_commitment`: the same for all cards of one salt."""
    return salt[::-1]


@asynccontextmanager
async def twins(
    folder: Path, monkeypatch: pytest.MonkeyPatch, seed: int, rules: TableRules, kinds: Sequence[SeatKind] = PERSONS
) -> AsyncIterator[Twins]:
    """Two games before the last Reveal of their first deal; the verifier would believe neither."""
    for place in ("hokm.table.decide_round", "hokm.table.early", "hokm_server.recovery", "tests.server.lively"):
        monkeypatch.setattr(f"{place}.early_commitment", blind)
    rooms, tables = [], []
    for name in ("one", "other"):
        (folder / name).mkdir(parents=True)
        rooms.append(room := Room(folder / name, seed))
        table_id, _ = await room.seat_four(rules, kinds)
        await room.play(table_id, lambda table: table.round == 1 and revealing(table))
        for seat in (0, 1, 2):
            await room.decide(table_id, seat)
        tables.append(table_id)
    assert tables[0] == tables[1]
    try:
        yield Twins(rooms, tables[0], seed)
    finally:
        for room in rooms:
            await room.stop()
