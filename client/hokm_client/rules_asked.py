# SPDX-License-Identifier: Apache-2.0
"""The rules of a new table as a command line gives them: a preset, and what is to be different from it."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any, Final, TypeAlias

from hokm.rules import FirstHakem, HakemPasses, Packets, TableRules, preset

Way: TypeAlias = FirstHakem | Packets | HakemPasses

WAYS: Final[dict[str, tuple[type[Way], str]]] = {
    "first_hakem": (FirstHakem, "G3: which card makes the first hakem (first-ace)"),
    "packets": (Packets, "G4: in what packets the cards are dealt (5-4-4)"),
    "hakem_passes": (HakemPasses, "G13: when the seat on the right becomes hakem (when-losing)"),
}
"""The rules that are one of two ways, by their field in `TableRules`."""

SWITCHES: Final = {
    "partners_middle": "H1: the hakem may turn up the partner's third card in place of naming trumps",
    "coming_early": "H2: a card may be laid face down before its turn",
    "runs": "H3: ace, king and queen, or the top trumps, may be led at once",
    "tea": "H4: each player may ask for a pause once, and a story is told",
    "throwing": "H5: tomatoes, slippers and roses may be thrown",
    "silent": "H6: neither throwing nor talk",
    "open_first_packet": "all see their own first five cards before trumps are named",
    "rated": "the game counts for ratings",
    "witnessed": "no number is shown before witnesses outside the house have seen the commitments in its log",
}
"""The rules that are on or off, by their field in `TableRules`."""


def add_rules(parser: argparse.ArgumentParser) -> None:
    """Let a command take them."""
    rules = parser.add_argument_group("rules of a new table", "A preset, and what is to be different from it.")
    rules.add_argument("--preset", default="classic", help="classic, which is meant without it, house or traditional")
    rules.add_argument("--target", type=int, help="points that win the game: 7, 5 or 3")
    rules.add_argument("--turn-seconds", type=int, metavar="S", help="seconds for every decision (30)")
    away = "seconds without a sign of life until a stand-in plays (10); 0: none does"
    rules.add_argument("--away-seconds", type=int, metavar="S", help=away)
    for rule, (ways, meaning) in WAYS.items():
        rules.add_argument(option(rule), choices=[spelled(way) for way in ways], help=meaning)
    for rule, meaning in SWITCHES.items():
        rules.add_argument(option(rule), action=argparse.BooleanOptionalAction, default=None, help=meaning)


def rules_of(asked: argparse.Namespace) -> TableRules:
    """Those that were asked for. Raises `NotAPreset`, and what a `TableRules` is refused for."""
    rules = preset(asked.preset)
    options = ("target", "turn_seconds", "away_seconds", *WAYS, *SWITCHES)
    changes: dict[str, Any] = {rule: given for rule in options if (given := getattr(asked, rule)) is not None}
    for rule, (ways, _) in WAYS.items():
        if rule in changes:
            changes[rule] = next(way for way in ways if spelled(way) == changes[rule])
    if "turn_seconds" in changes:
        changes.setdefault("away_seconds", min(rules.away_seconds, (asked.turn_seconds - 1) // 2))
    return replace(rules, **changes)


def option(rule: str) -> str:
    """The option that is typed for a rule."""
    return "--" + rule.replace("_", "-")


def spelled(way: Way) -> str:
    """The word that is typed for one way, such as ``high-card`` or ``5-5-3``."""
    if isinstance(way, Packets):
        return "-".join(map(str, way.sizes))
    return way.name.lower().replace("_", "-")
