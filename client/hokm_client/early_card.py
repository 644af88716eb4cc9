# SPDX-License-Identifier: Apache-2.0
"""The cards that one seat lays face down (H2): the log is given what binds to each, and the house what opens it.

The salt is drawn anew each time, and it is in `Keeping` with the card before the act goes out, as numbers are: so a
program that was started again still knows what lies before it.
"""

from __future__ import annotations

from collections.abc import Callable

from hokm.cards import Card
from hokm.deal import SALT_BYTES, early_commitment
from hokm.errors import WrongPhase
from hokm.events import LayEarly
from hokm.rules import Seat
from hokm.table import LaidCard, Round, phase
from hokm_client.keeping import Keeping
from hokm_client.stream import Stream


class EarlyCard:
    """The face-down card of one seat, in whichever trick."""

    __slots__ = ("_entropy", "_keeping", "_seat", "_stream")

    def __init__(self, stream: Stream, seat: Seat, keeping: Keeping, entropy: Callable[[int], bytes]) -> None:
        self._stream = stream
        self._seat = seat
        self._keeping = keeping
        self._entropy = entropy

    @property
    def lying(self) -> Card | None:
        """The card that lies there now; None where none does, or where another device has laid it."""
        table = self._stream.table
        stage = None if table is None else table.stage
        if not isinstance(stage, Round) or stage.extra is None:
            return None
        lay = stage.extra.lays[self._seat]
        kept = None if lay is None else self._keeping.early(stage.ceremony.ctx, lay.commitment)
        return None if kept is None else kept.card

    def lay(self, card: Card) -> tuple[LayEarly, LaidCard]:
        """The act that lays it, bound to it and to the trick at hand, and what opens that. Raises `WrongPhase`."""
        stage = self._round()
        laid = LaidCard(card, self._entropy(SALT_BYTES))
        commitment = early_commitment(stage.ceremony.ctx, stage.trick_number, self._seat, laid.card, laid.salt)
        return LayEarly(commitment, stage.extra is not None and stage.extra.middle == card), laid

    def keep(self, act: LayEarly, laid: LaidCard) -> None:
        """The act is about to be signed."""
        self._keeping.put_early(self._round().ceremony.ctx, act.commitment, laid)

    def _round(self) -> Round:
        table = self._stream.there
        if not isinstance(table.stage, Round):
            raise WrongPhase(phase(table))
        return table.stage
