# SPDX-License-Identifier: Apache-2.0
"""How a game is left, and what there is to say of that: pure, sentences in the player's language."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from pathlib import Path
from typing import Final

from hokm.errors import HokmError
from hokm.languages import Language
from hokm_client.errors import SeatGone, TakenOver
from hokm_client.fraud import Fraud
from hokm_client.terminal.bidi import leftward
from hokm_client.terminal.notices import notices
from hokm_client.terminal.words import refusal_of

_NOT_WITNESSED: Final = frozenset(("NO_QUORUM", "NOT_WITNESSED", "TIMES_NOT_WITNESSED"))
"""Warnings that are there as long as no witness is."""


class Left(StrEnum):
    """How a game was left."""

    GAME_OVER = "game over"
    REMATCH = "rematch"
    """The game is over, and the player wants another one with the same players."""
    LEFT_TABLE = "left table"
    OTHER_SEAT = "other seat"
    """The game has not begun, and another seat at the table is wanted."""
    QUIT = "quit"
    """The program was closed, and the game goes on."""
    FAILED = "failed"


def why(error: BaseException, evidence: Path, language: Language) -> list[str]:
    """Why the game goes on without this program; the evidence of a fraud is in that folder.

    Raises `error` where it is none that a game can end with.
    """
    said = notices(language)
    match error:
        case Fraud():
            caught = said.caught.format(what=f"{error.what} ({error.kind}).")
            return [caught, said.evidence.format(folder=leftward(str(evidence)))]
        case TakenOver():
            return [said.taken_over]
        case SeatGone():
            return [said.seat_gone]
        case HokmError():
            return [refusal_of(language, error)]
        case _:
            raise error


def game_over(
    warnings: Collection[str], verify: str, language: Language, *, replay: str = "", rematch: str = ""
) -> list[str]:
    """What to know of a game whose proofs gave these warnings: `verify` is the command that judges them again.

    `replay` is the command that shows the game again, `rematch` that for another game with the same players.
    """
    said = notices(language)
    sentences = [said.not_witnessed] if _NOT_WITNESSED.intersection(warnings) else []
    if others := _NOT_WITNESSED.union(warnings) - _NOT_WITNESSED:
        sentences.append(said.warnings.format(codes=", ".join(sorted(others))))
    commands = ((said.proofs_kept, verify), (said.see_again, replay), (said.once_more, rematch))
    return [*sentences, *(line for what, typed in commands if typed for line in (what, f"  {typed}"))]


def left_table(language: Language) -> list[str]:
    """The seat is somebody else's."""
    return [notices(language).left]


def closed(way_back: str, language: Language, *, waits: bool) -> list[str]:
    """The program was closed, and the game waits for it or goes on: `way_back` is the command that comes back."""
    said = notices(language)
    return [said.game_waits if waits else said.come_back, f"  {way_back}"]
