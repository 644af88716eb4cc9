# SPDX-License-Identifier: Apache-2.0
"""A log that does not only grow is caught."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hokm.checkpoint import sign_checkpoint
from hokm.events import (
    Dealt,
    NameTrump,
    Play,
)
from hokm.table import Over
from hokm.wire import write_event
from hokm_client.fraud import Fraud, FraudKind
from hokm_client.trust import Heads
from tests.client.caught import caught, content_of, entry_of, reader_before, with_entry
from tests.client.evening import Evening
from tests.simulation import TestHouse

# The log.


def test_two_heads_are_found() -> None:
    """Two roots for one size, signed by the log, are proof; so is a log that got shorter, or forgot."""
    house = TestHouse()
    heads = Heads(house.policy, house.origin, None)
    note = house.publish().encode()
    heads.take(note, ())
    other = replace(house.checkpoint(), root=bytes(32))
    forked = sign_checkpoint(other, house.log_key).format()
    with pytest.raises(Fraud) as found:
        heads.take(forked, ())
    assert (found.value.kind, found.value.proves) == (FraudKind.TWO_HEADS, True)
    assert found.value.exhibits == {"checkpoint": forked, "other": note}


def test_a_log_that_got_shorter_is_found() -> None:
    """A checkpoint older than one that was seen is not taken."""
    house = TestHouse()
    heads = Heads(house.policy, house.origin, house.publish().encode())
    with pytest.raises(Fraud) as found:
        heads.take(house.publish(size=1).encode(), ())
    assert found.value.kind is FraudKind.BAD_CHECKPOINT


def test_a_log_that_forgot_is_found() -> None:
    """A greater tree that does not begin with the one that was seen is not taken; one that does is."""
    house, liar = TestHouse(), TestHouse()
    heads = Heads(house.policy, house.origin, None)
    heads.take(house.publish().encode(), ())
    old = len(house.leaves)
    house.append(b"one more")
    liar.leaves.pop()
    for entry in (b"another past", b"and another"):
        liar.nodes = {}
        liar.leaves.clear()
        for _ in range(old + 1):
            liar.append(entry)
    with pytest.raises(Fraud) as found:
        heads.take(liar.publish().encode(), liar.consistency(old, len(liar.leaves)))
    assert found.value.kind is FraudKind.TWO_HEADS
    assert heads.take(house.publish().encode(), house.consistency(old, len(house.leaves))).size == old + 1


def test_a_checkpoint_by_another_key() -> None:
    """Only the log of the policy is read."""
    house = TestHouse()
    heads = Heads(house.policy, house.origin, None)
    with pytest.raises(Fraud) as found:
        heads.take(sign_checkpoint(house.checkpoint(), house.event_key).format(), ())
    assert found.value.kind is FraudKind.BAD_CHECKPOINT


def test_the_game_ends_and_nothing_follows(played: Evening) -> None:
    """After the end no entry is taken, whatever it says."""
    assert isinstance(played.table.stage, Over)
    reader = reader_before(played, len(played.game.entries))
    version = len(played.game.entries)
    event = played.game.events[-1]._replace(version=version, previous=played.game.leaves[-1], content=Dealt())
    entry = played.house.sign_event(write_event(event), played.game.event_key)
    assert caught(reader, with_entry(reader, entry, version)).kind is FraudKind.FORGED_RULING


def test_an_unasked_naming_of_trumps(played: Evening) -> None:
    """The hakem alone names trumps, once."""
    version = entry_of(played, Play)
    reader = reader_before(played, version)
    signed = content_of(played, version)
    key = played.game.keys[played.game.signers[signed.signature]]
    again = played.game.sign(signed.move._replace(act=NameTrump(0)), key)
    assert caught(reader, with_entry(reader, played.forged(version, again), version)).kind is FraudKind.FORGED_MOVE
