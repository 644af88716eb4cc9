# SPDX-License-Identifier: Apache-2.0
"""What a bot does besides playing in turn, where the house rules let it: by chance, now and then, as people would.

Whether it does something never depends on cards, so that nobody learns anything from it: an early card lies there no
sooner where it is the only one that could be played. It throws things, too: else a lone person among bots would be
known by every slipper.
"""

from __future__ import annotations

from random import Random
from typing import Final, NamedTuple

from hokm.cards import cards_of
from hokm.events import AnswerTea, AskTea, PickUp, TakeBack
from hokm.rules import TRICKS_TO_WIN, Seat, partner_of
from hokm.table import Round, may_play
from hokm.v1 import tables_service_pb2 as pb
from hokm_client.question import ComeEarly, Standing, Wish

THINGS: Final = tuple(thing for thing in pb.Thing.values() if thing != pb.THING_UNSPECIFIED)

# How likely each is after one entry; a round has some sixty, and each of four seats is asked.
COMES_EARLY: Final = 1 / 25
TAKES_BACK: Final = 1 / 5
PICKS_UP: Final = 1 / 5
ASKS_FOR_TEA: Final = 1 / 600
ANSWERS: Final = 1 / 2
SAYS_NO: Final = 1 / 8
"""Of those who answer."""
THROWS: Final = 1 / 60


class Throw(NamedTuple):
    """A thing, and at whom."""

    at: Seat
    thing: pb.Thing.ValueType


def besides(standing: Standing, chance: Random) -> Wish | None:
    """An act out of turn, if chance wants one and the table lets it be."""
    rules = standing.table.rules
    wishes: list[Wish | None] = []
    if rules.tea:
        wishes.append(_tea(standing, chance))
    if rules.partners_middle:
        wishes.append(_pick_up(standing, chance))
    if rules.coming_early:
        wishes.append(_early(standing, chance))
    return next((wish for wish in wishes if wish is not None), None)


def throw(standing: Standing, chance: Random) -> Throw | None:
    """A thing at anybody else, if chance wants it."""
    if not standing.table.rules.throwing or not standing.table.places or chance.random() >= THROWS:
        return None
    if standing.table.places[standing.seat].stand_in is not None:
        return None  # a stand-in does not
    return Throw(standing.seat + chance.randrange(1, 4) & 3, chance.choice(THINGS))


def _tea(standing: Standing, chance: Random) -> Wish | None:
    table, seat = standing.table, standing.seat
    if table.places[seat].stand_in is not None:
        return None
    tea = table.tea
    if tea is None:
        wants = not table.places[seat].tea_asked and chance.random() < ASKS_FOR_TEA
        return AskTea() if wants else None
    if tea.pause is not None or tea.seat == seat or seat in tea.yes or table.time_ms >= tea.ask.deadline_ms:
        return None
    return AnswerTea(chance.random() >= SAYS_NO) if chance.random() < ANSWERS else None


def _pick_up(standing: Standing, chance: Random) -> Wish | None:
    stage = standing.table.stage
    if not isinstance(stage, Round) or stage.extra is None or stage.extra.middle is None:
        return None
    return PickUp() if partner_of(stage.hakem) == standing.seat and chance.random() < PICKS_UP else None


def _early(standing: Standing, chance: Random) -> Wish | None:
    """A low card of those that may be played, or the one that lies there back again."""
    table, seat, stage = standing.table, standing.seat, standing.table.stage
    if not isinstance(stage, Round) or stage.extra is None or table.is_pausing or not standing.dealt:
        return None
    if stage.extra.lays[seat] is not None:
        return TakeBack() if chance.random() < TAKES_BACK else None
    waits = seat - stage.leader & 3 > len(stage.trick) > 0
    may = stage.trick_number >= stage.extra.again[seat] and stage.extra.laid[seat] == 0
    if not waits or not may or max(stage.tricks) >= TRICKS_TO_WIN or chance.random() >= COMES_EARLY:
        return None
    assert stage.trump is not None
    cards = cards_of(may_play(stage, standing.dealt))
    return ComeEarly(min(cards, key=lambda card: (card // 13 == stage.trump, card % 13)))
