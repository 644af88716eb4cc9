# SPDX-License-Identifier: Apache-2.0
"""The lobby: where callers look for a table by its rules, or ask for any one that has them and a free seat.

Who asks for a quick seat while a table of these very rules is being opened waits for that one: callers who come at once
meet at one table. A seat is nobody's before its Join stands, so whoever is too late asks again.

There may be thousands of tables, so callers look through them by turns, a few at a time, and moves go on between.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, NamedTuple

from hokm.errors import HokmError, NotOfThatGame, NotOverYet, SeatKept
from hokm.events import SeatKind
from hokm.rules import SEATS, TableRules
from hokm.table import Over, Seating
from hokm.v1 import tables_service_pb2 as pb
from hokm_server.auth import Viewer
from hokm_server.live import Answer, Made
from hokm_server.private import age, is_private
from hokm_server.tables import Tables
from hokm_server.turns import Turns

AT_ONCE: Final = 64
"""Tables that are looked at before others have their turn."""


class Wish(NamedTuple):
    """Which tables are looked for."""

    having: pb.RulesWanted
    """With these values in their rules."""
    rules: TableRules | None
    """With exactly these rules, if any are named."""
    with_free_seat: bool


class _Opening(NamedTuple):
    """A table that is on its way to the disk."""

    table_id: bytes
    written: asyncio.Future[Made | HokmError]


class Lobby:
    """Looks for tables of this process. All calls come from one event loop."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._opening: dict[TableRules | bytes, _Opening] = {}
        """By the rules of a quick seat, or the game before a rematch."""
        self._turns = Turns(1)

    async def find(self, viewer: Viewer, wanted: Wish, before: bytes | None, most: int) -> list[bytes]:
        """So many tables that the caller may find, newest first, older than that `age`."""
        found: list[bytes] = []
        async with self._turns.of(viewer.caller):
            while some := self._tables.opened_before(before, AT_ONCE):
                for table_id in some:
                    if self._is_wanted(viewer, wanted, table_id):
                        found.append(table_id)
                        if len(found) == most:
                            return found
                before = age(some[-1])
                await asyncio.sleep(0)
        return found

    def _is_wanted(self, viewer: Viewer, wanted: Wish, table_id: bytes) -> bool:
        if not self._tables.is_running(table_id) or not self._tables.is_shown_to(viewer, table_id):
            return False
        rules = self._tables.table(table_id).rules
        if wanted.rules not in (None, rules) or (wanted.with_free_seat and not self._free(viewer, table_id)):
            return False
        return all(getattr(rules, field.name) == value for field, value in wanted.having.ListFields())

    def _free(self, viewer: Viewer, table_id: bytes) -> list[int]:
        """The seats that nobody has, no bot is about to take, and are kept for nobody else."""
        stage = self._tables.table(table_id).stage
        wanted = self._tables.wanted.at(table_id)
        if not isinstance(stage, Seating):
            return []
        free = [seat for seat in SEATS if stage.places[seat] is None and seat not in wanted]
        return [seat for seat in free if not self._is_kept(viewer, table_id, seat)]

    def _is_kept(self, viewer: Viewer, table_id: bytes, seat: int) -> bool:
        try:
            self._tables.check_kept(viewer, table_id, seat)
        except SeatKept:
            return True
        return False

    async def quick_seat(self, viewer: Viewer, rules: TableRules) -> bytes:
        """The oldest open table with exactly these rules and a free seat, else a new one.

        Raises `SeatedElsewhere`, `NoWitnessesHere`, `TooManyTables`, `TooManyOpened`, and why a new one could not be
        written.
        """
        self._tables.check_one_seat(viewer)
        async with self._turns.of(viewer.caller):
            if rules not in self._opening and (table_id := await self._oldest(viewer, rules)) is not None:
                return table_id
            opening = self._opening.get(rules)
            if opening is None:
                opening = self._open(rules, lambda answer: self._tables.open(viewer, rules, (), answer))
        return await _opened(opening)

    async def _oldest(self, viewer: Viewer, rules: TableRules) -> bytes | None:
        after = None
        while some := self._tables.opened_after(after, AT_ONCE):
            for table_id in some:
                if is_private(table_id) or not self._tables.is_running(table_id):
                    continue
                if self._tables.table(table_id).rules == rules and self._free(viewer, table_id):
                    return table_id
            after = age(some[-1])
            await asyncio.sleep(0)
        return None

    async def rematch(self, viewer: Viewer, game: bytes) -> bytes:
        """The rematch of a game that is over: the one that is there, else a new one with its rules and bots.

        Raises `UnknownTable`, `NotOverYet`, `NotOfThatGame`, and what opening a table is refused for.
        """
        await self._tables.reach(viewer, game)
        before = self._tables.table(game)
        if not isinstance(before.stage, Over):
            raise NotOverYet(game.hex(), before.round)
        if all(place.public_key != viewer.public_key for place in before.places):
            raise NotOfThatGame
        opening = self._opening.get(game)
        if opening is None:
            table_id = self._tables.rematch_of(game)
            if table_id is not None:
                return table_id
            bots = [seat for seat in SEATS if before.places[seat].kind is SeatKind.BOT]
            private = is_private(game)
            opening = self._open(
                game,
                lambda answer: self._tables.open(viewer, before.rules, bots, answer, private=private, rematch_of=game),
            )
        return await _opened(opening)

    def _open(self, key: TableRules | bytes, opened: Callable[[Answer], bytes]) -> _Opening:
        written: asyncio.Future[Made | HokmError] = asyncio.get_running_loop().create_future()

        def answer(outcome: Made | HokmError) -> None:
            self._opening.pop(key, None)
            written.set_result(outcome)

        opening = _Opening(opened(answer), written)
        if not written.done():
            self._opening[key] = opening
        return opening


async def _opened(opening: _Opening) -> bytes:
    """The table's id once it is on the disk. Raises why it could not be written."""
    outcome = await asyncio.shield(opening.written)
    if isinstance(outcome, HokmError):
        raise outcome
    return opening.table_id
