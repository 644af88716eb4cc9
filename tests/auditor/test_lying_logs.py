# SPDX-License-Identifier: Apache-2.0
"""A log that lies is found out by whoever follows it, and nothing of it is signed any more."""

from __future__ import annotations

import json

import pytest

from hokm.events import Anchor, CeremonyOpened
from hokm.notation import write_base64
from hokm_audit.errors import RootMissing
from hokm_audit.findings import Code
from hokm_audit.telling import page
from tests.auditor.published import PublishedHouse, play
from tests.auditor.runs import Runs, codes
from tests.simulation import Game
from tests.simulation.game import SHORT, TWO_AND_BOTS


def test_a_fork_is_found_and_kept(runs: Runs, house: PublishedHouse) -> None:
    """Both checkpoints are signed by the log: they prove it to anybody. Nothing is signed any more."""
    runs.run()
    fork = PublishedHouse()
    fork.rng.seed(99)
    play(fork)
    play(fork)
    outcome = runs.run(fork.fetch)
    assert codes(outcome) == [Code.FORKED]
    assert (outcome.is_followed, outcome.is_signed) == (False, False)
    (finding,) = outcome.faults
    assert finding.facts["checkpoint"].encode() == fork.fetch("checkpoint")
    play(house)
    later = runs.run()
    assert (codes(later), later.is_signed) == ([Code.FORKED], False)
    assert "FORKED" in "\n".join(page(later))


def test_two_checkpoints_of_one_size_are_a_fork(runs: Runs, house: PublishedHouse) -> None:
    """With equal sizes and other roots."""
    runs.run()
    fork = PublishedHouse()
    while len(fork.leaves) < house.latest:
        fork.append(b"x")
    fork.publish()
    assert codes(runs.run(fork.fetch)) == [Code.FORKED]


def test_a_head_that_was_rolled_back_is_found(runs: Runs, house: PublishedHouse) -> None:
    """An honest site may be stale: it is a warning, and the run has failed."""
    early = house.fetch("checkpoint")
    size = house.latest
    play(house)
    runs.run()
    outcome = runs.run(lambda path: early if path == "checkpoint" else house.fetch(path))
    assert codes(outcome) == [Code.ROLLED_BACK]
    assert not outcome.is_followed
    assert int(outcome.warnings[0].facts["size"]) == size
    again = runs.run()
    assert (again.is_followed, again.is_signed) == (True, True)


def false_log(house: PublishedHouse, runs: Runs) -> list[Code]:
    """What is found in the log as it is now."""
    house.publish()
    outcome = runs.run()
    assert not outcome.is_signed
    return [finding.code for finding in outcome.faults]


def test_what_is_no_entry_is_found(runs: Runs, house: PublishedHouse) -> None:
    """With its place."""
    place = house.append(b"no entry at all")
    assert false_log(house, runs) == [Code.NOT_AN_ENTRY]
    assert runs.run().faults[0].place == place


def test_a_second_entry_of_one_version_is_found(runs: Runs, house: PublishedHouse) -> None:
    """In a game that goes on and in one that is over; and what stands behind an end, and behind a gap."""
    over = house.entries[5]
    game = Game(house, SHORT, TWO_AND_BOTS)
    game.sit()
    house.append(game.entries[2])
    house.append(over)
    assert false_log(house, runs) == [Code.PLACE_TAKEN, Code.PLACE_TAKEN]


def test_a_dropped_entry_leaves_a_gap(runs: Runs, house: PublishedHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes behind it belongs nowhere."""
    game = Game(house, SHORT, TWO_AND_BOTS)
    game.join(0, game.players[0])
    with monkeypatch.context() as patched:
        patched.setattr(house, "append", lambda entry: len(house.leaves))
        game.join(1, game.players[1])
    game.join(2, game.players[2])
    assert false_log(house, runs) == [Code.VERSION_GAP]


def test_a_game_that_breaks_the_rules_is_refused(runs: Runs, house: PublishedHouse) -> None:
    """By the code of the verifier."""
    game = Game(house, SHORT, TWO_AND_BOTS)
    game.sit()
    game.play_ceremony()
    key, game.event_key = game.event_key, house.new_key()
    game.fail()
    game.event_key = key
    assert false_log(house, runs) == [Code.REFUSED]
    assert runs.run().faults[0].facts["table"] == game.id.hex()


def test_what_an_honest_house_never_writes_is_a_fault(
    runs: Runs, house: PublishedHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An anchor that the log does not show, or that lies in its future; it is no excuse to stop."""
    game = play(house)
    opening = next(event.content for event in game.events if isinstance(event.content, CeremonyOpened))
    del house.notes[opening.anchor.size]
    with monkeypatch.context() as patched:
        patched.setattr("tests.simulation.game.Anchor", lambda size, root: Anchor(10**9, root))
        play(house)
    play(house)
    assert false_log(house, runs) == [Code.UNPROVABLE] * 2
    assert runs.run().counts["games"] == 2


def test_a_number_that_was_used_before_is_found(
    runs: Runs, house: PublishedHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No proof of one game can show it."""
    game = play(house)
    runs.run()
    numbers = iter([number for (_, seat), number in game.numbers.items() if seat < 4][:4])
    again = Game(house, SHORT, TWO_AND_BOTS)
    again.sit()
    with monkeypatch.context() as patched:
        patched.setattr(house, "octets", lambda: next(numbers))
        again.until(lambda table: again.ceremony.commit_set is not None)
    again.play_game()
    assert false_log(house, runs) == [Code.REUSED] * 4


def test_times_that_cannot_be_are_told(runs: Runs, house: PublishedHouse) -> None:
    """An entry that came late into the log, and one from the future."""
    slow = Game(house, SHORT, TWO_AND_BOTS)
    house.wait(30_000)
    Game(house, SHORT, TWO_AND_BOTS)
    house.now_ms -= 20_000
    slow.join(0, slow.players[0])
    house.wait(200_000)
    Game(house, SHORT, TWO_AND_BOTS)
    house.publish()
    house.now_ms -= 100_000
    outcome = runs.run()
    assert [finding.code for finding in outcome.warnings] == [Code.LATE, Code.IN_FUTURE]
    assert outcome.is_signed


def test_a_manifest_of_a_stranger_is_found(runs: Runs, house: PublishedHouse) -> None:
    """Signed by a root that nobody named. Where the site does not have the one that was named, it may be that one's."""
    house.write_manifest(root=house.new_key())
    house.manifests.pop()
    house.publish()
    with pytest.raises(RootMissing):
        runs.run()
    roots = json.dumps(json.loads(house.keys()) | {"roots": [write_base64(house.root_keys[-1].public)]}).encode()
    outcome = runs.run(lambda path: roots if path == "keys" else house.fetch(path))
    assert (codes(outcome), outcome.is_signed) == ([Code.MANIFEST_REFUSED], False)
