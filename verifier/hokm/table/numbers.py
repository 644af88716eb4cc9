# SPDX-License-Identifier: Apache-2.0
"""What the five numbers of a ceremony show, once they are known."""

from __future__ import annotations

from hokm.deal import Purpose, deal, draw
from hokm.errors import StreamUsedUp
from hokm.table.state import Ceremony


def makes_a_deck(ceremony: Ceremony, numbers: tuple[bytes, ...]) -> bool:
    """Whether these five, the house's last, make a deck: only where they do not may the house say so (NO_DEAL)."""
    assert ceremony.commit_set is not None
    shuffled = draw if ceremony.purpose is Purpose.DRAW else deal
    try:
        shuffled(ceremony.commit_set, numbers)
    except StreamUsedUp:
        return False
    return True
