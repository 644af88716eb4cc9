# SPDX-License-Identifier: Apache-2.0
"""Honest proofs verify: games with everything in them, and games that wander by chance."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hokm.checkpoint import Checkpoint
from hokm.errors import StreamUsedUp
from hokm.events import CeremonyOpened, CommitSetWitnessed, RoundRevealed, SeatKind
from hokm.note import Note
from hokm.rules import TableRules
from hokm.verify import Code, Signatures, Step, Verdict, Wishes, verify
from tests.simulation.game import BOT, FOUR_PERSONS, PERSON, TWO_AND_BOTS, Game
from tests.simulation.house import TestHouse
from tests.simulation.stories import BOTS, ONE_AND_BOTS, STORIES, story

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("made", STORIES, ids=lambda made: str(made.__name__))
def test_every_story_verifies_whole_and_by_rounds(made: object) -> None:
    """The game proof and the proof of each round; rounds tell of no more than the game does."""
    game = story(made.__name__)  # type: ignore[attr-defined]
    policy = game.house.policy
    whole = verify(game.game_proof().format(), policy, Wishes(signatures=Signatures.ALL))
    assert whole.fault is None
    assert whole.verdict in (Verdict.VERIFIED, Verdict.WITH_WARNINGS)
    assert (whole.verdict is Verdict.WITH_WARNINGS) == bool(whole.warnings)
    told = set(whole.notes)
    for number in range(1, len(game.versions(RoundRevealed)) + 1):
        report = verify(game.round_proof(number).format(), policy)
        assert report.fault is None
        assert report.verdict in (Verdict.VERIFIED, Verdict.WITH_WARNINGS)
        assert set(report.notes) <= told


def test_what_each_story_warns_of() -> None:
    """Faults of the house, deals that are not proven, numbers that are not a person's, logs that nobody saw."""

    def warned(name: str) -> set[str]:
        game = story(name)
        return {warning.code for warning in verify(game.game_proof().format(), game.house.policy).warnings}

    assert warned("plain") == warned("long") == warned("forfeited") == warned("abandoned") == set()
    assert warned("troubled") == {Code.STAND_IN_NUMBER.name}
    assert warned("bots") == {Code.NO_INDEPENDENT_CONTRIBUTION.name}
    assert warned("lost") == {Code.SERVER_FAULT.name, Code.DEAL_NOT_PROVEN.name}
    assert warned("silent_bot") == warned("revoked") == warned("unwitnessed") == {Code.SERVER_FAULT.name}
    assert warned("witnessed") == set()
    assert warned("without_quorum") == {Code.NO_QUORUM.name, Code.NOT_WITNESSED.name, Code.TIMES_NOT_WITNESSED.name}
    assert warned("silent_person") == {Code.STAND_IN_NUMBER.name}


def test_a_set_that_nobody_has_seen_is_a_warning_where_nobody_is_wanted() -> None:
    """By a policy without a quorum, once for each set; by one that knows the witnesses, the report counts them."""
    game = Game(TestHouse(seed=33, threshold=0, cosigners=0), TableRules(target=3, witnessed=True))
    game.sit()
    game.play_game()
    report = verify(game.game_proof().format(), game.house.policy)
    warned = [warning.version for warning in report.warnings if warning.code == Code.SET_NOT_WITNESSED.name]
    assert warned == game.versions(CommitSetWitnessed)
    seen = story("witnessed")
    count = len(seen.versions(CommitSetWitnessed))
    says = verify(seen.game_proof().format(), seen.house.policy).lines[Step.CEREMONY - 1].says
    assert f", {count} sets seen by witnesses;" in says


def test_an_anchor_that_too_few_have_seen_is_a_warning() -> None:
    """The house had nothing better to name; of the times it is said whether anybody bounds them."""
    game = story("plain")
    version = game.versions(CeremonyOpened)[1]

    def warned(cosigners: int) -> list[tuple[str, int | None]]:
        proof = game.game_proof()
        anchor = proof.anchors[1]
        size = Checkpoint.parse(Note.parse(anchor.checkpoint.encode()).text).size
        note = game.house.publish(size, cosigners, game.events[version].time_ms)
        anchors = (proof.anchors[0], replace(anchor, checkpoint=note), *proof.anchors[2:])
        report = verify(replace(proof, anchors=anchors).format(), game.house.policy)
        assert report.verdict in (Verdict.VERIFIED, Verdict.WITH_WARNINGS), report.fault
        return [(warning.code, warning.version) for warning in report.warnings]

    lonely = (Code.ANCHOR_WITHOUT_QUORUM.name, version)
    assert warned(1) == [lonely]
    assert warned(0) == [lonely, (Code.TIMES_NOT_WITNESSED.name, None)]


def test_what_happened_besides_play_is_listed() -> None:
    """Voids with seats, missed deadlines, stand-ins, Reopened and protests, in the order of the log."""
    game = story("troubled")
    report = verify(game.game_proof().format(), game.house.policy)
    says = [note.partition(": ")[2] for note in report.notes]
    assert [note for note in says if "voided" in note] == [
        "the ceremony was voided: no commitment came from seat 2",
        "the ceremony was voided: no number came from seat 0",
    ]
    assert "seat 0 protests: DENIED_MOVE" in says
    assert any("began anew" in note and "house's word" in note for note in says)
    assert any("AWAY" in note and "house's word" in note for note in says)
    assert sum("missed a deadline" in note for note in says) == 2
    versions = [int(note.split()[1].rstrip(":")) for note in report.notes]
    assert versions == sorted(versions)
    assert "2 voids, 2 protests, 4 missed deadlines" in report.lines[Step.VOIDS - 1].says


def test_an_impossible_deal_is_a_fault_of_the_house(monkeypatch: pytest.MonkeyPatch) -> None:
    """It shows all five numbers, so that everybody can see that they make no deck. (No numbers are known that do.)"""

    def no_deck(*numbers: object) -> None:
        raise StreamUsedUp(8160)

    game = story("no_deal")
    proof, policy = game.game_proof().format(), game.house.policy
    assert verify(proof, policy).verdict is Verdict.REJECTED
    monkeypatch.setattr("hokm.table.numbers.deal", no_deck)
    report = verify(proof, policy)
    assert [warning.code for warning in report.warnings] == [Code.SERVER_FAULT.name]


# Incomplete proofs.


def test_a_proof_without_its_end_is_incomplete() -> None:
    """Cut anywhere behind the start: what is there is true, and it says what is missing."""
    game = story("plain")
    proof = game.game_proof()
    for count in (1, 4, 6, 7, 20, 60, len(proof.entries) - 1):
        cut = replace(proof, entries=proof.entries[:count])
        report = verify(cut.format(), game.house.policy)
        assert report.verdict is Verdict.INCOMPLETE, (count, report.fault)
        assert report.fault is not None
        assert (report.fault.code, report.fault.version) == (Code.NO_CLOSING_ENTRY.name, count - 1)
        assert report.lines[Step.CHAIN - 1].outcome == "incomplete"


def test_a_head_that_is_not_reached_makes_it_incomplete() -> None:
    """The reader saw a later version than the proof has; one that it has must be the same."""
    game = story("plain")
    proof = game.round_proof(2).format()
    last = game.versions(RoundRevealed)[1]
    head = (last, game.leaves[last])
    assert verify(proof, game.house.policy, Wishes(head=head)).verdict is Verdict.VERIFIED
    later = verify(proof, game.house.policy, Wishes(head=(last + 1, game.leaves[last + 1])))
    assert later.verdict is Verdict.INCOMPLETE
    assert later.fault is not None
    assert later.fault.code == Code.HEAD_NOT_REACHED.name
    between = verify(proof, game.house.policy, Wishes(head=(20, bytes(32))))
    assert between.verdict is Verdict.WITH_WARNINGS
    assert [warning.code for warning in between.warnings] == [Code.HEAD_NOT_SHOWN.name]
    start = verify(proof, game.house.policy, Wishes(head=(2, bytes(32))))
    assert start.fault is not None
    assert (start.fault.code, start.fault.version) == (Code.OTHER_HEAD.name, 2)


# The reader's own number.


def test_my_number_is_in() -> None:
    """For each draw and deal it is said whether the reader's own number took part."""
    game = story("troubled")
    octets, policy = game.game_proof().format(), game.house.policy
    for seat, place in enumerate(game.table.places):
        report = verify(octets, policy, Wishes(mine=place.public_key))
        missing = [warning.facts["deal"] for warning in report.warnings if warning.code == Code.MINE_NOT_IN.name]
        by_stand_in = [
            warning.facts["deal"]
            for warning in report.warnings
            if warning.code == Code.STAND_IN_NUMBER.name and warning.facts["seat"] == str(seat)
        ]
        assert missing == by_stand_in
        assert len(report.mine) == len(game.versions(RoundRevealed)) + 1
    stranger = verify(octets, policy, Wishes(mine=bytes(32)))
    assert stranger.mine == ("this key holds no seat in this game",)
    assert Code.MINE_NOT_IN.name in {warning.code for warning in stranger.warnings}


# What is not proved.


def test_the_entries_that_nobody_vouches_for_are_named() -> None:
    """Those behind what the persons saw last rest on checkpoint and head."""
    game = story("plain")
    report = verify(game.game_proof().format(), game.house.policy)
    seen = max(place.signing.seen for place in game.table.places)
    assert any(f"entries {seen + 1} to {len(game.entries) - 1}" in says for says in report.not_proved)
    bots = story("bots")
    report = verify(bots.game_proof().format(), bots.house.policy)
    assert any("no person's signature" in says for says in report.not_proved)


def test_a_round_says_what_it_takes_from_the_house() -> None:
    """The score before it and the like, from round 2 on; that other rounds are right, always."""
    game = story("plain")
    first, second = (verify(game.round_proof(number).format(), game.house.policy) for number in (1, 2))
    assert not any("house's word" in says for says in first.not_proved)
    assert any("house's word" in says for says in second.not_proved)
    assert all(any("other rounds" in says for says in report.not_proved) for report in (first, second))


# Signatures.


def test_without_signatures_it_says_so() -> None:
    """Who leaves the signatures out is told."""
    game = story("plain")
    report = verify(game.game_proof().format(), game.house.policy, Wishes(signatures=Signatures.NONE))
    assert [warning.code for warning in report.warnings] == [Code.SIGNATURES_NOT_CHECKED.name]


# Games by chance.

TABLES = (FOUR_PERSONS, TWO_AND_BOTS, ONE_AND_BOTS, BOTS, (BOT, PERSON, PERSON, PERSON))


def wander(seed: int) -> None:
    """Play a game in which anything may happen, and verify it whole and by rounds."""
    rules = TableRules(target=(3, 5, 7)[seed % 3], away_seconds=(10, 0)[seed % 2], witnessed=seed % 7 == 0)
    kinds: tuple[SeatKind, ...] = TABLES[seed % len(TABLES)]
    game = Game(TestHouse(seed=seed), rules, kinds)
    game.sit()
    game.wander((0.02, 0.1, 0.3)[seed % 3])
    rounds = range(1, len(game.versions(RoundRevealed)) + 1)
    for proof in (game.game_proof(), *map(game.round_proof, rounds)):
        report = verify(proof.format(), game.house.policy)
        assert report.fault is None, (seed, proof.round, report.fault)


@pytest.mark.parametrize("first", range(1000, 1060, 10))
def test_games_that_wander_verify(first: int) -> None:
    """Silence, leaving, coming back, being called away, the house being down, in any order."""
    for seed in range(first, first + 10):
        wander(seed)


@pytest.mark.soak
@pytest.mark.parametrize("first", range(10_000, 20_000, 100))
def test_many_games_that_wander_verify(first: int) -> None:
    """The same, ten thousand times."""
    for seed in range(first, first + 100):
        wander(seed)
