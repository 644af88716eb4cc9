# SPDX-License-Identifier: Apache-2.0
"""What goes wrong at a table: silence, leaving, being called away, the house being down; one of them by chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hokm.events import SeatKind
from hokm.table import Ceremony, Round, reopening, to_act

if TYPE_CHECKING:
    from tests.simulation.game import Game

DOWNTIME_MS: Final = 120_000


def misbehave(game: Game, *, to_an_end: bool) -> None:
    """Let one thing go wrong, where the table lets it; `to_an_end`: one that brings the game nearer to its end."""
    table = game.table
    if not isinstance(table.stage, Ceremony | Round):
        return
    seat = game.rng.randrange(4)
    place = table.places[seat]
    person = place.kind is SeatKind.PERSON
    persons = [other for other in range(4) if table.places[other].kind is SeatKind.PERSON]
    what = game.rng.choice(("silence", "silence", "leave", "back", "away", "down", "protest", "resign"))
    if to_an_end:
        what, seat, person = "leave", next((s for s in persons if not table.places[s].left), 0), True
        if not persons:
            game.fail()
            return
    place = table.places[seat]
    can_wait = isinstance(table.stage, Round) or not _owed_by_house(table.stage)
    if what == "silence" and can_wait:
        game.time_out()
    elif what == "leave" and person and not place.left:
        game.leave(seat)
    elif what == "back" and (place.absent or place.left) and not place.back and place.returns < 3:
        game.come_back(seat)
    elif what == "away" and isinstance(table.stage, Round) and table.tea is None:
        turn = table.places[table.stage.turn]
        if turn.kind is SeatKind.PERSON and turn.absent is None and game.rules.away_seconds:
            ((_, decision),) = to_act(table)
            if game.now_ms < decision.deadline_ms:
                game.call_away()
    elif what == "down" and table.tea is None and reopening(table, game.now_ms + DOWNTIME_MS) is not None:
        game.reopen()
    elif what == "protest" and place.protests < 3:
        game.protest(seat)
    elif what == "resign" and isinstance(table.stage, Round) and person and not place.resigned:
        game.resign(seat)


def _owed_by_house(ceremony: Ceremony) -> bool:
    """Whether silence now would be the house's own fault."""
    if ceremony.wait is not None:
        return True
    kinds = {ceremony.holders[seat].kind for seat in ceremony.missing}
    return SeatKind.STAND_IN in kinds or (ceremony.commit_set is not None and SeatKind.BOT in kinds)
