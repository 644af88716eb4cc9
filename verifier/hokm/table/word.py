# SPDX-License-Identifier: Apache-2.0
"""The house's own word: rulings that nothing in the log bears out, and their bounds.

    StoodIn, cause AWAY   somebody shows no sign of life
    Reopened              the house was down while a deadline passed
    CommitSetWitnessed    witnesses have seen the set: the checkpoint in it is for whoever knows the witnesses
    ServerFault           the house has failed

The server keeps within them, and whoever reads an entry holds it against them. Each stands only where nothing else is
`due`, but a fault, which may stand everywhere.
"""

from __future__ import annotations

from hokm.events import Reopened, SeatKind, ServerFault, ServerFaultCause
from hokm.rules import Seat
from hokm.table.due import due, reopening, wait_may_begin_anew
from hokm.table.numbers import shown_numbers
from hokm.table.ruling import fault
from hokm.table.state import Ceremony, Over, Round, Table


def may_call_away(table: Table, seat: Seat, time_ms: int) -> bool:
    """Whether the house may say at that time that the person in that seat shows no sign of life (cause AWAY)."""
    stage, away_ms = table.stage, 1000 * table.rules.away_seconds
    if not away_ms or table.is_pausing or not isinstance(stage, Round) or stage.decision is None or stage.turn != seat:
        return False
    place = table.places[seat]
    if place.kind is not SeatKind.PERSON or place.absent is not None:
        return False
    return stage.decision.since_ms + away_ms <= time_ms < stage.decision.deadline_ms


def may_reopen(table: Table, content: Reopened, time_ms: int) -> bool:
    """Whether the house may let these decisions begin anew at that time: what has run out, and only once."""
    most = reopening(table, time_ms)
    if most is None or not set(content.seats) <= set(most.seats):
        return False
    return bool(content.seats) or wait_may_begin_anew(table, time_ms)


def may_witness(table: Table, time_ms: int) -> bool:
    """Whether the house may show at that time that witnesses have seen the commit set."""
    wait = table.stage.wait if isinstance(table.stage, Ceremony) else None
    return wait is not None and time_ms < wait.deadline_ms and due(table, time_ms) is None


def may_fault(table: Table, content: ServerFault) -> bool:
    """Whether the house may say that it failed where no missing step bears it out.

    What is sealed can be lost in a ceremony and in a round; a deal can be impossible after four Reveals; a key can be
    revoked at any time. That the numbers shown open their commitments, and make no deck, is for whoever checks numbers.
    """
    stage = table.stage
    match content.cause:
        case ServerFaultCause.KEY_REVOKED:
            is_possible = not isinstance(stage, Over)
            if isinstance(stage, Round):
                content = content._replace(numbers=(), unturned=())  # they close the round, where they are not lost
        case ServerFaultCause.SEALED_LOST:
            is_possible = isinstance(stage, Ceremony | Round)
        case ServerFaultCause.NO_DEAL:
            is_possible = isinstance(stage, Ceremony) and all(stage.revealed) and None not in shown_numbers(content)
        case _:
            return False
    return is_possible and content == fault(table, content.cause, shown_numbers(content))
