# SPDX-License-Identifier: Apache-2.0
"""Every phase that a table can be in where every house rule is on, in the order of a few evenings.

Each is told by what everybody sees of the table, and has a way that leads into it from the phase before.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final, NamedTuple

from hokm.cards import SUIT_MASKS
from hokm.events import AnswerTea, CallMiddle, Leave, NameTrump, Ready, Run, StandInCause, TakeBack
from hokm.rules import right_of
from hokm.table import Between, Ceremony, Hands, Round, Seating, Table
from tests.server.lively import LIVELY
from tests.server.room import committing, dealt, playing, revealing
from tests.server.walk import Walk, extra

RULES: Final = replace(LIVELY, target=5, throwing=True, away_seconds=0)
"""No round ends the game that is the first."""
TURN_MS: Final = 1000 * RULES.turn_seconds


class Phase(NamedTuple):
    """What a table can be in."""

    name: str
    lead: Callable[[Walk], Awaitable[None]]
    told: Callable[[Table], bool]


# Seats and ceremonies.


async def seating(walk: Walk) -> None:
    """One seat is free."""
    await walk.sit(3)


async def draw(walk: Walk) -> None:
    """One has committed."""
    await walk.until(lambda table: isinstance(table.stage, Ceremony))
    await walk.room.step(walk.table_id)


async def commits(walk: Walk) -> None:
    """One has committed."""
    await walk.until(in_round_1)
    await walk.room.step(walk.table_id)


async def reveals(walk: Walk) -> None:
    """One has revealed."""
    await walk.until(revealing)
    await walk.room.step(walk.table_id)


async def void(walk: Walk) -> None:
    """One has not committed in time."""
    await walk.until(in_round_1)
    for seat in (0, 2, 3):
        await walk.room.decide(walk.table_id, seat)
    await walk.room.turn(TURN_MS)


async def held(walk: Walk) -> None:
    """A stand-in holds the seat for this ceremony, and is to commit."""
    await walk.room.stand_in(walk.table_id, 1)


async def held_reveals(walk: Walk) -> None:
    """It is to reveal."""
    await walk.until(revealing)


async def held_no_more(walk: Walk) -> None:
    """The player has control again."""
    await walk.until(dealt)


def in_round_1(table: Table) -> bool:
    """Numbers are wanted for the first deal."""
    return table.round == 1


def is_held(table: Table) -> bool:
    """Seat 1 alone is to be held or is, and not absent."""
    return [place.held for place in table.places] == [False, True, False, False] and table.places[1].absent is None


# Trumps and tricks.


async def trumps(walk: Walk) -> None:
    """The hakem is to name them."""
    await walk.until(dealt)


async def tricks(walk: Walk) -> None:
    """In the middle of the second trick."""
    await walk.until(playing)
    for _ in range(6):
        await walk.play_small()


async def last_card(walk: Walk) -> None:
    """A card is to be played that may end the round."""
    await walk.until(lambda table: bool(walk.last_cards()))


async def middle(walk: Walk) -> None:
    """The hakem has called it."""
    await walk.until(dealt)
    await walk.do(walk.stage.hakem, CallMiddle())


async def face_down(walk: Walk) -> None:
    """The last of the first trick comes early."""
    await walk.until(lambda table: isinstance(table.stage, Round) and len(table.stage.trick) == 1)
    await walk.lay(walk.stage.leader + 3 & 3)


async def taken_back(walk: Walk) -> None:
    """It does not."""
    await walk.play_small()
    await walk.do(walk.stage.leader + 3 & 3, TakeBack())


# Runs.


async def run(walk: Walk) -> None:
    """Two cards of it lie open while the first leads."""
    await walk.until_dealt(lambda hands, hakem: cut_run(hands, hakem) is not None)
    found = cut_run(walk.hands, walk.stage.hakem)
    assert found is not None
    suit, trump = found
    await walk.do(walk.stage.hakem, NameTrump(trump))
    await walk.do(walk.stage.leader, Run((13 * suit + 12, 13 * suit + 11, 13 * suit + 10)))


async def tea_in_a_run(walk: Walk) -> None:
    """Its first card has taken the trick, its second waits."""
    await walk.ask_tea(0, yes=3)
    for _ in range(3):
        await walk.play_small()


async def interrupted(walk: Walk) -> None:
    """Its second card is cut, and the third goes back."""
    if walk.table.is_pausing:
        await walk.end_tea()
    await walk.play(next(card for card in walk.legal(walk.stage.turn) if card // 13 == walk.stage.trump))
    for _ in range(2):
        await walk.play_small()


def cut_run(hands: Hands, hakem: int) -> tuple[int, int] | None:
    """Suit of a run of the hakem's, and trumps, such that the next seat cuts its second card and nobody its first."""
    for suit in range(4):
        holder, cutter, *others = [(hands.dealt[hakem + step & 3] or 0) >> 13 * suit & 0x1FFF for step in range(4)]
        trump = 0 if suit else 1
        follow = cutter.bit_count() == 1 and all(hand.bit_count() > 1 for hand in others)
        if holder >> 10 == 7 and follow and (hands.dealt[right_of(hakem)] or 0) & SUIT_MASKS[trump]:
            return suit, trump
    return None


# Tea.


async def ask_in_ceremony(walk: Walk) -> None:
    """One has said yes."""
    await walk.until(in_round_1)
    await walk.ask_tea(0, yes=1)


async def ask(walk: Walk) -> None:
    """Two have said yes, and a trick is on the table; to the ask before somebody has said no."""
    await walk.do(3, AnswerTea(False))
    await walk.until(lambda table: isinstance(table.stage, Round) and len(table.stage.trick) == 1)
    await walk.ask_tea(1, yes=2)


async def granted(walk: Walk) -> None:
    """It is waited for the end of the trick."""
    await walk.do(1 ^ 3, AnswerTea(True))
    await walk.play_small()


async def tea(walk: Walk) -> None:
    """One is ready."""
    while not walk.table.is_pausing:
        await walk.play_small()
    await walk.do(2, Ready())


async def tea_between_rounds(walk: Walk) -> None:
    """Granted in the last trick."""
    await last_card(walk)
    await walk.ask_tea(2, yes=3)
    await walk.play(walk.last_cards()[0])


async def round_end(walk: Walk) -> None:
    """One has left between two rounds, at tea; a stand-in is waited for."""
    await tea_between_rounds(walk)
    await walk.do(3, Leave())


async def ask_and_leave(walk: Walk) -> None:
    """One has asked and another has left; a stand-in is waited for."""
    await walk.until(lambda table: isinstance(table.stage, Round) and len(table.stage.trick) == 1)
    await walk.ask_tea(1)
    await walk.do(3, Leave())


def asked(table: Table) -> bool:
    """The others may still say no."""
    return table.tea is not None and table.tea.pause is None and not table.tea.is_granted(table.time_ms)


def is_granted(table: Table) -> bool:
    """They may not, and the game goes on for now."""
    return table.tea is not None and table.tea.pause is None and table.tea.is_granted(table.time_ms)


# Both partners.


async def partners_missing(walk: Walk) -> None:
    """Both have left in the ceremony, which is over."""
    await walk.until(in_round_1)
    for seat in (1, 3):
        await walk.do(seat, Leave())
    await walk.until(lambda table: isinstance(table.stage, Round))


async def stood_in(walk: Walk) -> None:
    """One more of them has a stand-in."""
    await walk.room.step(walk.table_id)


def missing(table: Table) -> list[int]:
    """Seats whose players have left and that have no stand-in."""
    return [seat for seat, place in enumerate(table.places) if place.wants_stand_in is StandInCause.LEFT]


# Evenings.

EVENINGS: Final = {
    "of ceremonies": (
        Phase("seating", seating, lambda table: isinstance(table.stage, Seating)),
        Phase("draw", draw, lambda table: committing(table) and table.round == 0),
        Phase("committing", commits, lambda table: committing(table) and table.round == 1),
        Phase("revealing", reveals, lambda table: revealing(table) and table.round == 1),
        Phase("trumps", trumps, dealt),
        Phase("tricks", tricks, playing),
        Phase("last card of a round", last_card, playing),
    ),
    "of face-down cards": (
        Phase("open middle", middle, lambda table: extra(table).middle is not None),
        Phase("face-down card", face_down, lambda table: any(extra(table).lays)),
        Phase("taken back", taken_back, lambda table: not any(extra(table).lays) and extra(table).unturned != ()),
    ),
    "of runs": (
        Phase("run", run, lambda table: len(extra(table).run) == 2),
        Phase("tea in a run", tea_in_a_run, lambda table: table.is_pausing and len(extra(table).run) == 2),
        Phase("interrupted run", interrupted, lambda table: not extra(table).run and extra(table).seen != 0),
    ),
    "of tea": (
        Phase("ask in a ceremony", ask_in_ceremony, lambda table: asked(table) and committing(table)),
        Phase("open ask for tea", ask, lambda table: asked(table) and playing(table)),
        Phase("tea granted", granted, is_granted),
        Phase("tea drunk", tea, lambda table: table.is_pausing and playing(table)),
        Phase("tea between rounds", tea_between_rounds, lambda t: t.is_pausing and isinstance(t.stage, Between)),
    ),
    "of a round's end": (
        Phase("round end", round_end, lambda table: isinstance(table.stage, Between) and missing(table) == [3]),
    ),
    "of a leaver": (
        Phase("ask while a stand-in is waited for", ask_and_leave, lambda t: asked(t) and missing(t) == [3]),
    ),
    "of a held seat": (
        Phase("void ceremony", void, lambda table: isinstance(table.stage, Between) and is_held(table)),
        Phase("held seat commits", held, lambda table: committing(table) and is_held(table)),
        Phase("held seat reveals", held_reveals, lambda table: revealing(table) and is_held(table)),
        Phase("held no more", held_no_more, lambda t: dealt(t) and not t.places[1].held and not t.places[1].stand_in),
    ),
    "of absence": (
        Phase("both partners missing", partners_missing, lambda table: missing(table) == [1, 3]),
        Phase("one stood in for", stood_in, lambda table: missing(table) == [3]),
        Phase("both stood in for", stood_in, lambda t: not missing(t) and all(t.places[s].stand_in for s in (1, 3))),
    ),
}
"""By name, the phases of one table in their order."""
