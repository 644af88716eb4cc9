# SPDX-License-Identifier: Apache-2.0
"""What a player has seen of its tables itself: no proof may tell another history.

Of each table the head after every round and the newest one are held, an entry's version and its leaf; of many tables
the last ones.
"""

from __future__ import annotations

from typing import Final

from hokm.events import RoundRevealed
from hokm_client.stream import Step

MOST_TABLES: Final = 64

Head = tuple[int, bytes]
"""A version, and the leaf of the entry."""


class Witnessed:
    """The heads of the tables that a player follows."""

    def __init__(self) -> None:
        self._tables: dict[bytes, dict[int | None, Head]] = {}

    def see(self, step: Step) -> None:
        """One more entry, checked."""
        heads = self._tables.setdefault(step.after.id, {})
        heads[None] = head = (step.event.version, step.leaf)
        if isinstance(step.event.content, RoundRevealed):
            heads[step.after.round] = head
        if len(self._tables) > MOST_TABLES:
            del self._tables[next(iter(self._tables))]

    def head(self, table_id: bytes, number: int | None) -> Head | None:
        """What the proof of that round, or of the game, must hold; None where its end was not seen."""
        return self._tables.get(table_id, {}).get(number)
