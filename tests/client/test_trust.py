# SPDX-License-Identifier: Apache-2.0
"""The key manifests that a server tells a player: an unbroken chain from the root of the policy, or nothing counts."""

from __future__ import annotations

import pytest

from hokm.entry import leaf
from hokm.errors import BadManifest, UnknownLog
from hokm_client.fraud import Fraud, FraudKind
from hokm_client.trust import Heads, Manifests
from tests.simulation.house import TestHouse


def entries(house: TestHouse) -> list[bytes]:
    """The stream "keys"."""
    return [entry for entry, _ in house.manifests]


def roots(house: TestHouse) -> list[bytes]:
    """All root keys after the first, also the one that has not signed yet."""
    return [key.public for key in house.root_keys[1:]]


@pytest.fixture
def house() -> TestHouse:
    """One that has changed its event key twice, each time under a new root."""
    house = TestHouse()
    house.rotate()
    house.rotate(revoke=True)
    return house


def test_a_root_that_was_handed_over_is_followed(house: TestHouse) -> None:
    """From the root of the policy on; each table has the key of its own manifest."""
    manifests = Manifests(house.policy, house.origin)
    manifests.learn(entries(house), [*reversed(roots(house)), bytes(32)])
    assert set(manifests.roots) == set(roots(house))
    found = [manifests.of(leaf(entry)) for entry in entries(house)]
    assert len({keys.manifest.event_key for keys in found if keys is not None}) == 3
    newest = found[-1]
    assert newest is not None
    assert newest.manifest.event_key == house.event_key.public
    assert newest.manifest.event_key not in newest.other_keys
    assert newest.other_keys.issuperset(roots(house))


def test_without_the_later_roots_nothing_counts(house: TestHouse) -> None:
    """Nor with others, nor with one of the two."""
    manifests = Manifests(house.policy, house.origin)
    for told in ([], [bytes(32)], roots(house)[1:], roots(TestHouse(seed=7))):
        with pytest.raises(BadManifest):
            manifests.learn(entries(house), told)
    assert manifests.of(leaf(entries(house)[0])) is None


def test_manifests_that_were_seen_must_stay(house: TestHouse) -> None:
    """More may come; another stream is a fraud."""
    manifests = Manifests(house.policy, house.origin)
    manifests.learn(entries(house)[:2], roots(house))
    manifests.learn(entries(house), roots(house))
    with pytest.raises(Fraud) as caught:
        manifests.learn(entries(house)[1:], roots(house))
    assert caught.value.kind is FraudKind.TWO_ENTRIES


def test_a_log_that_the_policy_does_not_name_has_no_manifests(house: TestHouse) -> None:
    """Whoever signs for it."""
    with pytest.raises(UnknownLog):
        Manifests(house.policy, "other.example/log")


def test_a_policy_that_is_older_than_the_log_key_says_so(house: TestHouse) -> None:
    """It is told from the policy, so nothing but a new policy helps."""
    heads = Heads(house.policy, house.origin, None)
    house.log_key = house.new_key()
    with pytest.raises(Fraud, match="new policy") as caught:
        heads.read(house.publish().encode())
    assert not caught.value.proves
    assert Heads(house.policy, house.origin, None).read(house.publish().encode()).quorum_met
