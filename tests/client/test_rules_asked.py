# SPDX-License-Identifier: Apache-2.0
"""The rules of a new table as they are typed: a preset, and what is different from it."""

from __future__ import annotations

import argparse
from dataclasses import fields, replace

import pytest

from hokm.errors import HokmError
from hokm.rules import HOUSE, TRADITIONAL, FirstHakem, HakemPasses, Packets, TableRules
from hokm_client.rules_asked import add_rules, option, rules_of


def asked(words: list[str]) -> TableRules:
    """The rules that these words ask for."""
    parser = argparse.ArgumentParser()
    add_rules(parser)
    return rules_of(parser.parse_args(words))


@pytest.mark.parametrize(
    ("words", "rules"),
    [
        ([], TableRules()),
        (["--preset", "house"], HOUSE),
        (["--preset", "house", "--no-throwing", "--target", "3"], replace(HOUSE, throwing=False, target=3)),
        (["--tea", "--runs", "--turn-seconds", "10"], TableRules(tea=True, runs=True, turn_seconds=10, away_seconds=4)),
        (["--turn-seconds", "60", "--away-seconds", "0"], TableRules(turn_seconds=60, away_seconds=0)),
        (["--preset", "traditional", "--first-hakem", "first-ace"], TableRules(silent=True)),
        (["--first-hakem", "high-card"], TableRules(first_hakem=FirstHakem.HIGH_CARD)),
        (["--packets", "5-5-3"], TableRules(packets=Packets.FIVE_FIVE_THREE)),
        (["--hakem-passes", "every-round"], TableRules(hakem_passes=HakemPasses.EVERY_ROUND)),
        (["--preset", "traditional", "--no-silent", "--throwing"], replace(TRADITIONAL, silent=False, throwing=True)),
    ],
    ids=str,
)
def test_rules_are_a_preset_and_what_is_different(words: list[str], rules: TableRules) -> None:
    """Each switch by itself, on or off."""
    assert asked(words) == rules


def test_rules_that_cannot_stand_together_are_refused() -> None:
    """And so is a preset that is not there."""
    for words in (["--preset", "house", "--silent"], ["--preset", "wild"]):
        with pytest.raises(HokmError) as refused:
            asked(words)
        assert refused.value.reason in ("THROWING_WHILE_SILENT", "NOT_A_PRESET")


def test_every_rule_that_there_is_can_be_asked_for() -> None:
    """None is left out."""
    parser = argparse.ArgumentParser()
    add_rules(parser)
    told = parser.format_help()
    assert [rule.name for rule in fields(TableRules) if option(rule.name) not in told] == []
