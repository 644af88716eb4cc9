# SPDX-License-Identifier: Apache-2.0
"""A server that is killed at any moment comes back with nothing acknowledged lost: the battery, short and long."""

from __future__ import annotations

import pytest

from tests.whole.battery import Battery, battery


def assert_all_phases(found: Battery, in_flight: int) -> None:
    """The kills fell in every phase, and so many at least with a commit in flight."""
    assert all(found.fell[phase] for phase in found.phases), found.fell
    assert found.in_flight >= in_flight


@pytest.mark.timeout(120)
def test_twelve_kills_lose_nothing() -> None:
    """Two kills in each phase: no acknowledged entry is lost, none is doubled, every game ends and is verified."""
    assert_all_phases(battery(12), in_flight=6)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_two_hundred_kills_lose_nothing() -> None:
    """The same two hundred times."""
    assert_all_phases(battery(200, seed=2), in_flight=100)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_kills_in_the_phases_of_the_house_rules_lose_nothing() -> None:
    """With tea, an open ask, an open middle, a card face down and a run, too."""
    assert_all_phases(battery(110, seed=3, by_house_rules=True), in_flight=40)
