# SPDX-License-Identifier: Apache-2.0
"""The cards that were laid face down in a round, from the entries further on that open them (H2).

A lay is opened by the EarlyTurned of its seat, if it was not taken back before, else by the RoundRevealed that closes
the round (or a ServerFault that carries the numbers in its place), which opens the others in the order in which they
were laid. An opening that does not fit its commitment is not told here: where it stands it is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hokm.cards import Card
from hokm.deal import early_commitment
from hokm.events import EarlyTurned, Event, LayEarly, RoundRevealed, ServerFault, SignedMove, TakeBack, UnturnedLay
from hokm.rules import Seat
from hokm.table.hands import LaidCard
from hokm.table.state import Lay, Round, Table

Opened = dict[int, tuple[Card, bytes]]
"""By the version of the LayEarly, card and salt."""


def opens(ctx: bytes, lay: Lay, card: Card, salt: bytes) -> bool:
    """Whether card and salt are what that lay was bound to."""
    return early_commitment(ctx, lay.trick, lay.seat, card, salt) == lay.commitment


def are_all_unturned(round_: Round, unturned: Sequence[UnturnedLay]) -> bool:
    """Whether these open every lay of the round that did not turn over, in the order laid, and nothing else."""
    return [(lay.seat, lay.trick) for lay in round_.unturned] == [(lay.seat, lay.trick) for lay in unturned]


def unopened_lay(round_: Round, unturned: Sequence[UnturnedLay]) -> UnturnedLay | None:
    """The first of these, which `are_all_unturned`, that does not open its lay; None where each does."""
    for lay, opening in zip(round_.unturned, unturned, strict=True):
        if not opens(round_.ceremony.ctx, lay, opening.card, opening.salt):
            return opening
    return None


def openings(events: Iterable[Event]) -> Opened:
    """What is opened of the lays of one round; `events` are those after its Dealt."""
    opened: Opened = {}
    down: dict[Seat, int] = {}
    back: list[int] = []
    for event in events:
        match event.content:
            case SignedMove(move) if isinstance(move.act, LayEarly):
                down[move.seat] = event.version
            case SignedMove(move) if isinstance(move.act, TakeBack) and move.seat in down:
                back.append(down.pop(move.seat))
            case EarlyTurned(seat, card, salt) if seat in down:
                opened[down.pop(seat)] = card, salt
            case RoundRevealed(unturned=unturned) | ServerFault(unturned=unturned):
                unopened = sorted((*back, *down.values()))
                opened |= {version: (lay.card, lay.salt) for version, lay in zip(unopened, unturned, strict=False)}
                break
    return opened


def laid_card(table: Table, seat: Seat, act: LayEarly, opened: Opened) -> LaidCard | None:
    """What the lay of the entry after that table is, with the salts of those before it in the round."""
    version, stage = table.version + 1, table.stage
    if version not in opened or not isinstance(stage, Round):
        return None
    card, salt = opened[version]
    if not opens(stage.ceremony.ctx, Lay(version, seat, stage.trick_number, act.commitment), card, salt):
        return None
    return LaidCard(card, salt, frozenset(salt for other, (_, salt) in opened.items() if other < version))
