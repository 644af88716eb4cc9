# SPDX-License-Identifier: Apache-2.0
"""The lobby: where callers look for a table by its rules, or ask for any one that has them and a free seat.

Who asks for a quick seat while a table of these very rules is being opened waits for that one: callers who come at once
meet at one table. A seat is nobody's before its Join stands, so whoever is too late asks again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import NamedTuple

from hokm.errors import HokmError
from hokm.rules import SEATS, TableRules
from hokm.table import Seating
from hokm.v1 import tables_service_pb2 as pb
from hokm_server.auth import Viewer
from hokm_server.live import Made
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
        self._opening: dict[TableRules, _Opening] = {}

    def find(
        self, viewer: Viewer, having: pb.RulesWanted, rules: TableRules | None, *, with_free_seat: bool
    ) -> Iterator[bytes]:
        """The tables that the caller may find, newest first: `having` these values, of exactly these `rules`."""
        for table_id in self._tables.shown_to(viewer):
            found = self._tables.table(table_id).rules
            if rules not in (None, found) or (with_free_seat and not self._free(table_id)):
                continue
            if all(getattr(found, field.name) == value for field, value in having.ListFields()):
                yield table_id

    def _free(self, table_id: bytes) -> list[int]:
        """The seats that nobody has and no bot is about to take."""
        stage = self._tables.table(table_id).stage
        wanted = self._tables.wanted.at(table_id)
        if not isinstance(stage, Seating):
            return []
        return [seat for seat in SEATS if stage.places[seat] is None and seat not in wanted]

    async def quick_seat(self, viewer: Viewer, rules: TableRules) -> bytes:
        """The oldest open table with exactly these rules and a free seat, else a new one.

        Raises `RuleNotBuilt`, `TooManyTables`, `TooManyOpened`, and why a new one could not be written.
        """
        opening = self._opening.get(rules)
        if opening is None:
            for table_id in reversed(self._tables.running()):
                if not is_private(table_id) and self._tables.table(table_id).rules == rules and self._free(table_id):
                    return table_id
            opening = self._open(viewer, rules)
        outcome = await asyncio.shield(opening.written)
        if isinstance(outcome, HokmError):
            raise outcome
        return opening.table_id

    def _open(self, viewer: Viewer, rules: TableRules) -> _Opening:
        written: asyncio.Future[Made | HokmError] = asyncio.get_running_loop().create_future()

        def answer(outcome: Made | HokmError) -> None:
            self._opening.pop(rules, None)
            written.set_result(outcome)

        opening = _Opening(self._tables.open(viewer, rules, (), answer), written)
        if not written.done():
            self._opening[rules] = opening
        return opening
