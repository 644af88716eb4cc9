# SPDX-License-Identifier: Apache-2.0
"""The lobby: where callers look for a table by its rules, or ask for any one that has them and a free seat.

Who asks for a quick seat while a table of these very rules is being opened waits for that one: callers who come at once
meet at one table. A seat is nobody's before its Join stands, so whoever is too late asks again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import NamedTuple

from hokm.errors import HokmError, NotOfThatGame, NotOverYet, SeatKept
from hokm.events import SeatKind
from hokm.rules import SEATS, TableRules
from hokm.table import Over, Seating
from hokm.v1 import tables_service_pb2 as pb
from hokm_server.auth import Viewer
from hokm_server.live import Answer, Made
from hokm_server.private import is_private
from hokm_server.tables import Tables


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

    def find(
        self, viewer: Viewer, having: pb.RulesWanted, rules: TableRules | None, *, with_free_seat: bool
    ) -> Iterator[bytes]:
        """The tables that the caller may find, newest first: `having` these values, of exactly these `rules`."""
        for table_id in self._tables.shown_to(viewer):
            found = self._tables.table(table_id).rules
            if rules not in (None, found) or (with_free_seat and not self._free(viewer, table_id)):
                continue
            if all(getattr(found, field.name) == value for field, value in having.ListFields()):
                yield table_id

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

        Raises `RuleNotBuilt`, `TooManyTables`, `TooManyOpened`, and why a new one could not be written.
        """
        opening = self._opening.get(rules)
        if opening is None:
            for table_id in reversed(self._tables.running()):
                is_like_that = not is_private(table_id) and self._tables.table(table_id).rules == rules
                if is_like_that and self._free(viewer, table_id):
                    return table_id
            opening = self._open(rules, lambda answer: self._tables.open(viewer, rules, (), answer))
        return await _opened(opening)

    async def rematch(self, viewer: Viewer, game: bytes) -> bytes:
        """The rematch of a game that is over: the one that is there, else a new one with its rules and bots.

        Raises `UnknownTable`, `NotOverYet`, `NotOfThatGame`, and what opening a table is refused for.
        """
        before = self._tables.table(game)
        if not isinstance(before.stage, Over):
            raise NotOverYet(game.hex(), before.round)
        if all(place.public_key != viewer.public_key for place in before.places):
            raise NotOfThatGame
        opening = self._opening.get(game)
        if opening is None:
            for table_id in self._tables.running():
                if self._tables.rematch_of(table_id) == game:
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
