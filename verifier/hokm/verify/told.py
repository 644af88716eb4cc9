# SPDX-License-Identifier: Apache-2.0
"""What a walk takes down for the reader: what happened besides play, and whose numbers made each deal.

Nothing here refuses anything.
"""

from __future__ import annotations

from typing import NamedTuple

from hokm.deal import Context
from hokm.events import (
    CeremonyVoided,
    Holder,
    Protest,
    Reopened,
    Ruling,
    SeatKind,
    ServerFault,
    StandInCause,
    StoodIn,
    TimedOut,
    VoidCause,
)
from hokm.rules import Seat
from hokm.table import Place
from hokm.verify.codes import Code
from hokm.verify.report import Finding, choice_text, found


class Contribution(NamedTuple):
    """Whose numbers made a draw or a deal."""

    context: Context
    version: int
    """Of the HakemDrawn or Dealt."""
    keys: tuple[bytes, ...]
    """By seat, the key that committed and revealed."""
    own: tuple[bool, ...]
    """By seat: that is the key with which a person joined the seat."""
    by_stand_in: tuple[bool, ...]
    """By seat: a stand-in's number stands for a person's."""


class Told:
    """The list as it grows."""

    def __init__(self) -> None:
        self.warnings: list[Finding] = []
        self.notes: list[str] = []
        """In the order of the log."""
        self.contributions: list[Contribution] = []
        self.voids = 0
        self.protests = 0
        self.missed = 0
        self.stand_ins = 0

    def note(self, version: int, says: str) -> None:
        """One line for the list, about the entry of that version."""
        self.notes.append(f"entry {version}: {says}")

    def protest(self, version: int, seat: Seat, protest: Protest) -> None:
        """Whoever protests is heard, and counted."""
        self.protests += 1
        self.note(version, f"seat {seat} protests: {protest.reason.name}")

    def ruling(self, version: int, content: Ruling) -> None:
        """What everybody should hear of a ruling."""
        match content:
            case CeremonyVoided(cause, seats):
                self.voids += 1
                self.missed += len(seats)
                what = "commitment" if cause is VoidCause.NO_COMMITMENT else "number"
                self.note(version, f"the ceremony was voided: no {what} came from {_seats(seats)}")
            case TimedOut(seat):
                self.missed += 1
                self.note(version, f"seat {seat} missed a deadline, the rule for that chose {choice_text(content)}")
            case StoodIn(seat, _, cause):
                self.stand_ins += 1
                word = ", which is the house's word" if cause is StandInCause.AWAY else ""
                self.note(version, f"a stand-in took seat {seat} ({cause.name}){word}")
            case Reopened(seats):
                self.note(
                    version,
                    f"the deadlines of {_seats(seats)} began anew because the house was down, "
                    "which is the house's word",
                )
            case ServerFault(cause):
                self.warnings.append(found(Code.SERVER_FAULT, version, cause=cause.name))
            case _:
                pass

    def not_proven(self, version: int, round_: int) -> None:
        """A round was dealt, and nobody can see what the deal was."""
        self.warnings.append(found(Code.DEAL_NOT_PROVEN, version, round=round_))

    def not_witnessed(self, version: int) -> None:
        """Nobody whom the reader knows has seen a set that was to be witnessed."""
        self.warnings.append(found(Code.SET_NOT_WITNESSED, version))

    def contributed(self, ctx: bytes, version: int, holders: tuple[Holder, ...], places: tuple[Place, ...]) -> None:
        """The numbers of these holders made a draw or a deal."""
        pairs = [*zip(places, holders, strict=True)]
        persons = [place.kind is SeatKind.PERSON for place in places]
        own = tuple(
            is_ and holder.public_key == place.public_key for is_, (place, holder) in zip(persons, pairs, strict=True)
        )
        by_stand_in = tuple(
            is_ and holder.kind is SeatKind.STAND_IN for is_, (_, holder) in zip(persons, pairs, strict=True)
        )
        keys = tuple(holder.public_key for holder in holders)
        self.contributions.append(Contribution(Context.from_bytes(ctx), version, keys, own, by_stand_in))


def _seats(seats: tuple[Seat, ...]) -> str:
    return ("seat " if len(seats) == 1 else "seats ") + ", ".join(map(str, seats))
