# SPDX-License-Identifier: Apache-2.0
"""Bots play whole games by any mix of rules, and every proof is true."""

from __future__ import annotations

import pytest

from tests.whole.many_games import USES, many_games


def test_a_few_games_by_any_rules_finish() -> None:
    """And every proof of them is verified."""
    assert many_games(6).finished == 6


@pytest.mark.soak
def test_a_thousand_games_use_every_rule_a_hundred_times() -> None:
    """Nothing of the house rules is so rare that it was hardly tried."""
    found = many_games(1000)
    assert found.finished == 1000
    assert {name: found.used[name] for name in (*USES, "thrown") if found.used[name] < 100} == {}
