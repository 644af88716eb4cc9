# SPDX-License-Identifier: Apache-2.0
"""A log followed: all of it read and replayed once, however often it is stopped, and what is false in it found."""

from __future__ import annotations

import itertools
from base64 import b64decode
from pathlib import Path

import pytest

from hokm.checkpoint import verify_cosignatures
from hokm.note import Note, verify_note
from hokm.signing import SignatureType, SigningKey, VKey
from hokm_audit import following
from hokm_audit.auditing import open_ledger
from hokm_audit.errors import LedgerOfAnother, LedgerUnusable, NoQuorum, NotOnSite, SiteFailed
from hokm_audit.replaying import unpack
from tests.auditor.published import PublishedHouse, play
from tests.auditor.runs import NAME, Runs, codes
from tests.simulation import Game
from tests.simulation.game import SHORT, TWO_AND_BOTS

# What is true.


def test_a_log_is_followed_as_it_grows(runs: Runs, house: PublishedHouse) -> None:
    """Each game is replayed once; the next run begins where the last one ended."""
    first = runs.run()
    assert (first.is_followed, first.is_signed, codes(first)) == (True, True, [])
    assert first.place == house.latest
    assert first.counts["over"] == first.counts["games"] == 1
    house.rotate()
    games = [play(house) for _ in range(3)]
    asked: list[str] = []

    def fetch(path: str) -> bytes:
        asked.append(path)
        return house.fetch(path)

    second = runs.run(fetch)
    assert (second.is_signed, codes(second)) == (True, [])
    assert second.counts["games"] == 4
    assert runs.replayed[1:] == [(game.id, None) for game in games]
    start = first.place // 256
    assert start == 0 or f"tile/entries/{0:03}" not in asked
    assert runs.run().place == second.place
    assert len(runs.replayed) == 4


def test_what_is_signed_is_the_checkpoint_and_a_statement(runs: Runs, house: PublishedHouse) -> None:
    """By the auditor's own key, under its own name."""
    runs.run()
    key = SigningKey(b64decode((runs.folder / "key").read_text().split()[2]))
    note = Note.parse((runs.folder / "checkpoint").read_bytes())
    assert note.text == house.checkpoint(house.latest).format()
    (cosignature,) = verify_cosignatures(note, [VKey(NAME, SignatureType.COSIGNATURE, key.public)])
    assert cosignature.time == house.now_ms // 1000
    statement = Note.parse((runs.folder / "statement").read_bytes())
    verify_note(statement, [VKey(NAME, SignatureType.ED25519, key.public)])
    assert statement.text.startswith(f"hokm/v1/audit\n{house.origin}\n{house.latest}\n")
    assert "replayed without error" in statement.text


def test_rounds_of_a_game_that_goes_on_are_replayed_too(runs: Runs, house: PublishedHouse) -> None:
    """Each once; and the game when it is over."""
    game = Game(house, SHORT, TWO_AND_BOTS)
    game.sit()
    game.play_ceremony()
    game.play_ceremony()
    game.play_round()
    house.publish()
    outcome = runs.run()
    assert (outcome.is_signed, codes(outcome)) == (True, [])
    assert runs.replayed[1:] == [(game.id, 1)]
    assert runs.run().is_signed
    assert len(runs.replayed) == 2
    game.play_game()
    house.publish()
    assert runs.run().counts["games"] == 2
    assert runs.replayed[2:] == [(game.id, None)]


@pytest.mark.parametrize("seed", range(3))
def test_games_in_which_much_goes_wrong_are_followed(tmp_path: Path, seed: int) -> None:
    """Silence, voids, stand-ins, a house that was down, a revoked key: nothing of it stands against the log."""
    house = PublishedHouse(seed=seed)
    games = [Game(house, SHORT) for _ in range(3)]
    for game in games:
        game.sit()
        game.wander(0.05)
    last = Game(house, SHORT)
    last.sit()
    last.play_ceremony()
    last.revoke()
    house.publish()
    runs = Runs(tmp_path, house)
    outcome = runs.run()
    assert [finding.sentence for finding in outcome.faults] == []
    assert outcome.is_signed
    assert outcome.counts["games"] == 4


def test_records_of_games_are_kept(runs: Runs, house: PublishedHouse) -> None:
    """For the report."""
    runs.run()
    ledger = open_ledger(runs.folder, house.policy)
    (packed,) = ledger.records()
    ledger.close()
    record, troubles = unpack(packed)
    assert record["ending"] == "TARGET"
    assert troubles == []


# Stopped.


def test_stopped_at_any_game_it_goes_on(tmp_path: Path, house: PublishedHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was not kept is done again, and the end is the same."""
    monkeypatch.setattr(following, "STRETCH", 256)
    for _ in range(3):
        play(house)
    whole = Runs(tmp_path / "whole", house).run()
    runs = Runs(tmp_path / "stopped", house)
    for limit in itertools.count():
        try:
            outcome = runs.run(limit=limit)
        except KeyboardInterrupt:
            continue
        break
    assert limit > 1
    assert outcome == whole


def test_a_site_that_fails_is_asked_again_later(runs: Runs, house: PublishedHouse) -> None:
    """What was reached is kept."""

    def fetch(path: str) -> bytes:
        if path.startswith("tile/entries"):
            raise SiteFailed(path, "it is down")
        return house.fetch(path)

    with pytest.raises(SiteFailed):
        runs.run(fetch)
    assert runs.run().is_signed


def test_without_the_quorum_nothing_is_believed(runs: Runs, house: PublishedHouse) -> None:
    """Witnesses may be late: the next run may find them."""
    house.append(house.entries[0])
    house.publish(cosigners=1)
    with pytest.raises(NoQuorum):
        runs.run()


def test_partial_tiles_that_are_gone_are_cut_out_of_full_ones(runs: Runs, house: PublishedHouse) -> None:
    """A log may have grown since its checkpoint was read."""
    size, note = house.latest, house.fetch("checkpoint")
    for _ in range(2):
        play(house)

    def fetch(path: str) -> bytes:
        return note if path == "checkpoint" else house.fetch(path)

    def without_partial(path: str) -> bytes:
        if path.startswith(("tile/0/000.p/", "tile/entries/000.p/")):
            raise NotOnSite(path)
        return fetch(path)

    assert runs.run(without_partial).place == size


# The ledger.


def test_a_ledger_is_of_one_log(runs: Runs, tmp_path: Path) -> None:
    """And of no other program."""
    runs.run()
    with pytest.raises(LedgerOfAnother):
        Runs(tmp_path, PublishedHouse(origin="example.org/other")).run()
    (tmp_path / "ledger").write_bytes(b"something else" * 100)
    with pytest.raises(LedgerUnusable):
        runs.run()
