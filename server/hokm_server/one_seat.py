# SPDX-License-Identifier: Apache-2.0
"""One seat for each person on this whole server.

A person's key has a seat from its Join to its Leave or the end of that table, and again from its Return; and as soon as
it asks for one, so that of two it asks for at once, at two tables, it gets one at most. Bots and stand-ins are the
operator's programs and play at many tables.

It is a rule of this server and none of the game: nothing of it is in the log, and no verifier asks for it. What is kept
here follows from the tables that are not over.
"""

from __future__ import annotations

from hokm.errors import SeatedElsewhere
from hokm.events import SeatKind
from hokm.table import Table, seated


class OneSeat:
    """By key, the table where its person sits, or has asked to."""

    __slots__ = ("_asking", "_keys", "_tables")

    def __init__(self) -> None:
        self._tables: dict[bytes, bytes] = {}
        self._keys: dict[bytes, set[bytes]] = {}
        """The same by table."""
        self._asking: dict[bytes, int] = {}
        """By key, what it has asked of its table and is not answered."""

    def has(self, key: bytes) -> bool:
        """Whether that key has a seat, or has asked for one."""
        return key in self._tables

    def check(self, key: bytes, table_id: bytes = b"") -> None:
        """Whether a person may have a seat at that table, or anywhere. Raises `SeatedElsewhere`."""
        there = self._tables.get(key, table_id)
        if there != table_id:
            raise SeatedElsewhere(there.hex())

    def ask(self, key: bytes, table_id: bytes) -> None:
        """A person asks for a seat there. Raises `SeatedElsewhere`."""
        self.check(key, table_id)
        self._has(key, table_id)
        self._asking[key] = self._asking.get(key, 0) + 1

    def answered(self, key: bytes, table: Table) -> None:
        """What a person asked for is answered, and the table is this now."""
        self._asking[key] -= 1
        if not self._asking[key]:
            del self._asking[key]
        self.look(key, table)

    def look(self, key: bytes, table: Table) -> None:
        """See whether a person still sits there."""
        if key in self._asking or self._tables.get(key) != table.id or key in sitting(table):
            return
        del self._tables[key]
        self._keys[table.id].discard(key)

    def take_up(self, table: Table) -> None:
        """A table is served again, with all who sit there."""
        for key in sitting(table):
            self._has(key, table.id)

    def over(self, table_id: bytes) -> None:
        """Nobody sits there any more."""
        for key in self._keys.pop(table_id, ()):
            del self._tables[key]

    def _has(self, key: bytes, table_id: bytes) -> None:
        self._tables[key] = table_id
        self._keys.setdefault(table_id, set()).add(key)


def sitting(table: Table) -> list[bytes]:
    """The keys of the persons who have a seat there: who has left has none until it returns."""
    return [place.public_key for place in seated(table) if place.kind is SeatKind.PERSON and not place.left]
