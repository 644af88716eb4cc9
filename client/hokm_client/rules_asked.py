# SPDX-License-Identifier: Apache-2.0
"""The rules of a new table as a command line gives them: a preset, and what is to be different from it."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # to say what there is needs no extra
    from hokm.rules import TableRules

SWITCHES: Final = {
    "partners_middle": "H1: the hakem may turn up the partner's third card in place of naming trumps",
    "coming_early": "H2: a card may be laid face down before its turn",
    "runs": "H3: ace, king and queen, or the top trumps, may be led at once",
    "tea": "H4: each player may ask for a pause once, and a story is told",
    "throwing": "H5: tomatoes, slippers and roses may be thrown",
    "silent": "H6: neither throwing nor talk",
    "open_first_packet": "all see their own first five cards before trumps are named",
    "rated": "the game counts for ratings",
}
"""The rules that are on or off, by their field in `TableRules`."""


def add_rules(parser: argparse.ArgumentParser) -> None:
    """Let a command take them."""
    rules = parser.add_argument_group("rules of a new table", "A preset, and what is to be different from it.")
    rules.add_argument("--preset", default="classic", help="classic, which is meant without it, house or traditional")
    rules.add_argument("--target", type=int, help="points that win the game: 7, 5 or 3")
    rules.add_argument("--turn-seconds", type=int, metavar="S", help="seconds for every decision (30)")
    for rule, meaning in SWITCHES.items():
        switch = rule.replace("_", "-")
        rules.add_argument(f"--{switch}", action=argparse.BooleanOptionalAction, default=None, help=meaning)


def rules_of(asked: argparse.Namespace) -> TableRules:
    """Those that were asked for. Raises `NotAPreset`, and what a `TableRules` is refused for."""
    from hokm.rules import preset

    rules = preset(asked.preset)
    changes: dict[str, Any] = {rule: on for rule in SWITCHES if (on := getattr(asked, rule)) is not None}
    if asked.target is not None:
        changes["target"] = asked.target
    if asked.turn_seconds is not None:
        changes["turn_seconds"] = asked.turn_seconds
        changes["away_seconds"] = min(rules.away_seconds, (asked.turn_seconds - 1) // 2)
    return replace(rules, **changes)
