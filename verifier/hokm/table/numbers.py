# SPDX-License-Identifier: Apache-2.0
"""What the numbers of a ceremony show, once they are known.

For whoever holds an entry that carries them against the ceremony before it. Numbers come by seat, the house's last,
and None where there is none.
"""

from __future__ import annotations

from collections.abc import Sequence

from hokm.deal import HOUSE_SEAT, Purpose, commitment, deal, draw
from hokm.errors import StreamUsedUp
from hokm.events import CeremonyVoided, ServerFault
from hokm.rules import Seat
from hokm.table.state import Ceremony, Table


def shown_numbers(content: CeremonyVoided | ServerFault) -> tuple[bytes | None, ...]:
    """The numbers of a ceremony that ended without a deal."""
    come = dict(content.numbers if isinstance(content, CeremonyVoided) else content.received)
    return (*(come.get(seat) for seat in range(4)), content.house_number or None)


def are_all_that_came(ceremony: Ceremony, numbers: Sequence[bytes | None]) -> bool:
    """Whether there is a number of every seat that has revealed and of the house, and no other."""
    return [number is not None for number in numbers] == [*ceremony.revealed, True]


def unopened(table: Table, ceremony: Ceremony, numbers: Sequence[bytes | None]) -> Seat | None:
    """The first seat whose number does not open its commitment; None where each that is there does."""
    keys = (*(holder.public_key for holder in ceremony.holders), table.house.event_key)
    made = (*ceremony.commitments, ceremony.house_commitment)
    for seat, number in enumerate(numbers):
        if number is not None and commitment(ceremony.ctx, seat, keys[seat], number) != made[seat]:
            return seat
    return None


def whose(seat: Seat) -> str:
    """Whose number that is, in words."""
    return "the house" if seat == HOUSE_SEAT else f"seat {seat}"


def makes_a_deck(ceremony: Ceremony, numbers: Sequence[bytes | None]) -> bool:
    """Whether they are five and make a deck: only where they do not may the house say so (NO_DEAL)."""
    five = [number for number in numbers if number is not None]
    if len(five) < len(numbers):
        return False
    assert ceremony.commit_set is not None
    shuffled = draw if ceremony.purpose is Purpose.DRAW else deal
    try:
        shuffled(ceremony.commit_set, five)
    except StreamUsedUp:
        return False
    return True
