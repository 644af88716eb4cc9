# SPDX-License-Identifier: Apache-2.0
"""A player's own games, from the proofs that are kept as files: when each was played, by what rules, how it ended.

The proofs are read as they are, without judging them again: `hokm-verify` does that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from hokm.events import GameEnded
from hokm.languages import Language
from hokm.proof import MOST_GAME_BYTES
from hokm.rules import PRESETS, BySide, Seat, Side, TableRules, side_of
from hokm.table import Over
from hokm.verify.report import Refused
from hokm.verify.retrace import Retraced, retrace
from hokm_client.commands import command
from hokm_client.machine import on_the_wall
from hokm_client.terminal.bidi import leftward
from hokm_client.terminal.notices import notices
from hokm_client.terminal.words import digits, number, words

_NAME: Final = re.compile(r"([0-9a-f]{32})-(game|[1-9][0-9]{0,9})\.json")


@dataclass(frozen=True, slots=True)
class Played:
    """One game of a player, as far as its proofs are there."""

    table_id: str
    time_ms: int
    """Of the last entry that is there."""
    rules: TableRules
    seat: Seat
    """The player's."""
    is_over: bool
    winner: Side | None
    score: BySide
    proofs: tuple[Path, ...]
    """By round, the whole game's last."""
    told_by: Path
    """The last of them that can be read."""


def games(folder: Path, key: bytes) -> Iterator[Played]:
    """The games whose proofs are in that folder and in which that key held a seat, the oldest first."""
    files: dict[str, list[tuple[int, Path]]] = {}
    for path in folder.iterdir() if folder.is_dir() else ():
        if named := _NAME.fullmatch(path.name):
            place = 10**10 if named[2] == "game" else int(named[2])
            files.setdefault(named[1], []).append((place, path))
    found = (_played(table_id, [path for _, path in sorted(paths)], key) for table_id, paths in files.items())
    yield from sorted((game for game in found if game is not None), key=lambda game: game.time_ms)


def _played(table_id: str, paths: list[Path], key: bytes) -> Played | None:
    """What the last of these proofs that can be read tells; None where that key sat elsewhere."""
    tells, traced = next(((path, found) for path in reversed(paths) if (found := _traced(path))), (None, None))
    if tells is None or traced is None:
        return None
    table = traced.end
    seat = next((seat for seat, place in enumerate(table.places) if place.public_key == key), None)
    if seat is None:
        return None
    ending = table.stage.ending if isinstance(table.stage, Over) else None
    return Played(
        table_id=table_id,
        time_ms=table.time_ms,
        rules=table.rules,
        seat=seat,
        is_over=ending is not None,
        winner=ending.winner if isinstance(ending, GameEnded) else None,
        score=table.score,
        proofs=tuple(paths),
        told_by=tells,
    )


def _traced(path: Path) -> Retraced | None:
    with path.open("rb") as file:
        octets = file.read(MOST_GAME_BYTES + 1)
    try:
        return retrace(octets)
    except Refused:
        return None


def told(game: Played, who: Sequence[str], language: Language) -> Iterator[str]:
    """When it was and by what rules, how it ended, and the command that shows it again to that player."""
    said, catalogue = notices(language), words(language)
    own, other = side_of(game.seat), 1 - side_of(game.seat)
    when = on_the_wall(game.time_ms)
    if not game.is_over:
        result = f"{catalogue.score}."
    elif game.winner is None:
        result = catalogue.game_undecided
    else:
        result = catalogue.game_won if game.winner == own else catalogue.game_lost
    score = result.format(ours=number(language, game.score[own]), theirs=number(language, game.score[other]))
    target = number(language, game.rules.target)
    rules = said.rules.get(_preset(game.rules), said.rules["other"])
    when = leftward(digits(language, when)) if language.rtl else when
    yield said.played.format(when=when, rules=rules, target=target, result=score)
    yield f"  {command('hokm', 'replay', str(game.told_by), *who)}"


def _preset(rules: TableRules) -> str:
    """The preset whose house rules these are, whatever the target and the seconds; empty for none."""
    plain = replace(rules, target=7, turn_seconds=30, away_seconds=10)
    return next((name for name, preset in PRESETS.items() if preset == plain), "")
