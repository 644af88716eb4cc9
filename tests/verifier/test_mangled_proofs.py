# SPDX-License-Identifier: Apache-2.0
"""Proofs with something knocked out of place, by nobody in particular: never verified, never a crash.

A few of each kind in the ordinary run; all of them, every byte and every pair, in `make soak`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest

from hokm import signing
from hokm.events import CeremonyOpened, GameStarted, RoundRevealed
from hokm.proof import Proof
from hokm.verify import Code, Report, Signatures, Verdict, Wishes, verify
from tests.simulation.game import Game
from tests.simulation.house import TestHouse
from tests.simulation.stories import story

GOOD = (Verdict.VERIFIED, Verdict.WITH_WARNINGS)
EVERY = Wishes(signatures=Signatures.ALL)


def judged(proof: Proof | bytes, name: str = "plain", wishes: Wishes = EVERY) -> Report:
    octets = proof if isinstance(proof, bytes) else proof.format()
    return verify(octets, story(name).house.policy, wishes)


def some(everything: Iterable[int], count: int, seed: int = 1) -> list[int]:
    """So many of them, always the same."""
    return random.Random(seed).sample(list(everything), count)


# Bytes of entries.


def flips(entry: bytes) -> Iterator[bytes]:
    """The entry with each of its bytes changed, one at a time."""
    for place in range(len(entry)):
        for bit in (1, 0x80):
            yield entry[:place] + bytes([entry[place] ^ bit]) + entry[place + 1 :]


def check_flips(proof: Proof, version: int, only: int | None = None) -> None:
    at = version - proof.first_version
    for count, mangled in enumerate(flips(proof.entries[at])):
        if only is not None and count % only:
            continue
        report = judged(replace(proof, entries=(*proof.entries[:at], mangled, *proof.entries[at + 1 :])))
        assert report.verdict not in GOOD, (version, count)
        assert report.verdict is not Verdict.INCOMPLETE, (version, count)


def test_a_byte_of_an_entry_is_changed() -> None:
    """In the head, in a move, in its signature, in the house's."""
    proof = story("plain").round_proof(2)
    for version in some(range(proof.first_version, proof.first_version + len(proof.entries)), 8):
        check_flips(proof, version, only=23)


@pytest.mark.soak
@pytest.mark.parametrize("number", [1, 2])
def test_every_byte_of_every_entry_is_changed(number: int) -> None:
    """Each byte, two ways."""
    proof = story("plain").round_proof(number)
    for version in range(proof.first_version, proof.first_version + len(proof.entries)):
        check_flips(proof, version)


def test_a_byte_of_the_opening_is_changed() -> None:
    """The entries from TableOpened to GameStarted stand under the same chain."""
    proof = story("plain").round_proof(2)
    assert len(proof.opening) == 6
    for at, entry in enumerate(proof.opening):
        tried = list(flips(entry))[::29]
        assert len(tried) > 10
        for mangled in tried:
            opening = (*proof.opening[:at], mangled, *proof.opening[at + 1 :])
            assert judged(replace(proof, opening=opening)).verdict not in GOOD


def test_without_every_signature_the_chain_fixes_the_rest() -> None:
    """A changed entry is found also where only players' signatures and two of the house's are checked."""
    proof = story("plain").round_proof(2)
    for version in some(range(proof.first_version + 1, proof.first_version + len(proof.entries)), 12):
        at = version - proof.first_version
        for mangled in some(range(2 * len(proof.entries[at])), 4, version):
            entry = list(flips(proof.entries[at]))[mangled]
            changed = replace(proof, entries=(*proof.entries[:at], entry, *proof.entries[at + 1 :]))
            assert judged(changed, wishes=Wishes()).verdict not in GOOD


# Whole entries.


def check_places(proof: Proof, places: Iterable[int]) -> None:
    entries = proof.entries
    for at in places:
        dropped = (*entries[:at], *entries[at + 1 :])
        doubled = (*entries[: at + 1], *entries[at:])
        last = at == len(entries) - 1
        report = judged(replace(proof, entries=dropped))
        assert report.verdict is (Verdict.INCOMPLETE if last else Verdict.REJECTED), (at, report.fault)
        assert judged(replace(proof, entries=doubled)).verdict is Verdict.REJECTED, at
        if not last:
            swapped = (*entries[:at], entries[at + 1], entries[at], *entries[at + 2 :])
            assert judged(replace(proof, entries=swapped)).verdict is Verdict.REJECTED, at


def test_entries_are_dropped_doubled_and_swapped() -> None:
    """A gap inside is a refusal; only a missing end is incomplete."""
    proof = story("plain").round_proof(2)
    check_places(proof, [0, 1, 2, len(proof.entries) - 2, len(proof.entries) - 1, *some(range(3, 40), 5)])


@pytest.mark.soak
@pytest.mark.parametrize("name", ["plain", "troubled", "forfeited", "abandoned", "witnessed"])
def test_every_entry_is_dropped_doubled_and_swapped(name: str) -> None:
    """Of whole games with everything in them."""
    game = story(name)
    proof = game.game_proof()
    for at in range(len(proof.entries)):
        dropped = (*proof.entries[:at], *proof.entries[at + 1 :])
        report = judged(replace(proof, entries=dropped), name)
        assert report.verdict not in GOOD
        doubled = (*proof.entries[: at + 1], *proof.entries[at:])
        assert judged(replace(proof, entries=doubled), name).verdict not in GOOD


def test_entries_of_another_round_or_game_stand_in() -> None:
    """An entry of the same kind from elsewhere is no better than none."""
    game = story("plain")
    first, second = game.round_proof(1), game.round_proof(2)
    other = story("without_quorum").round_proof(2)
    for at in some(range(1, len(second.entries)), 10):
        for strange in (first.entries[at], other.entries[min(at, len(other.entries) - 1)]):
            assert strange != second.entries[at]
            mangled = (*second.entries[:at], strange, *second.entries[at + 1 :])
            assert judged(replace(second, entries=mangled)).verdict is Verdict.REJECTED


def test_a_round_is_shown_as_another_one() -> None:
    """The number in the file is held against the contexts; the opening against the table."""
    game = story("plain")
    second, third = game.round_proof(2), game.round_proof(3)
    assert judged(replace(second, round=3)).verdict is Verdict.REJECTED
    assert judged(replace(third, round=2)).verdict is Verdict.REJECTED
    assert judged(replace(second, table=bytes(16))).verdict is Verdict.REJECTED
    strange = story("without_quorum").round_proof(2)
    assert judged(replace(second, opening=strange.opening)).verdict is Verdict.REJECTED
    assert judged(replace(strange, checkpoint=second.checkpoint)).verdict is Verdict.REJECTED


# The file.


def test_parts_of_the_file_are_dropped_doubled_and_exchanged() -> None:
    """Every list of the file, item by item, and the same part of another proof."""
    whole = json.loads(story("plain").round_proof(1).format())
    other = json.loads(story("long").round_proof(1).format())
    exchanged, items = [], {}
    for key, value in whole.items():
        if value != other[key] and key != "entries":
            exchanged.append(key)
            report = judged(json.dumps(whole | {key: other[key]}).encode())
            assert report.verdict not in GOOD, key
        if isinstance(value, list) and key != "entries":
            items[key] = len(value)
            for at in range(len(value)):
                for mangled in (value[:at] + value[at + 1 :], value[: at + 1] + value[at:]):
                    assert judged(json.dumps(whole | {key: mangled}).encode()).verdict not in GOOD, (key, at)
    assert exchanged == ["table", "manifests", "inclusion", "anchors", "checkpoint"]
    assert items == {"manifests": 1, "inclusion": 2, "anchors": 2}


def test_a_character_of_the_file_is_changed() -> None:
    """Whatever it is: a verdict, and a good one only if the file still says the same, or less of what it need not.

    A cosignature more or less than the quorum wants may go; of a name of a key that is not known nothing depends.
    """
    octets = story("plain").round_proof(1).format()
    proof = Proof.parse(octets)
    for at in some(range(len(octets)), 400):
        for letter in (b"A", b"0", b" ", b'"', b"\x00"):
            mangled = octets[:at] + letter + octets[at + 1 :]
            report = judged(mangled, wishes=Wishes())
            if report.verdict in GOOD:
                there = Proof.parse(mangled)
                assert replace(there, checkpoint="", anchors=()) == replace(proof, checkpoint="", anchors=())


def test_signatures_that_are_there_too_often_are_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same line a hundred times under every anchor, and the same anchor a hundred times: no more to verify."""
    count = 0

    def counting(public_key: bytes, message: bytes, signature: bytes) -> bool:
        nonlocal count
        count += 1
        return signing.verify(public_key, message, signature)

    for user in ("hokm.note.verify", "hokm.checkpoint.verify"):
        monkeypatch.setattr(user, counting)
    proof = story("plain").game_proof()
    assert judged(proof).verdict is Verdict.VERIFIED
    once, count = count, 0
    fat = tuple(replace(anchor, checkpoint=with_doubled_lines(anchor.checkpoint)) for anchor in proof.anchors)
    report = judged(replace(proof, anchors=fat * 100))
    assert report.fault is not None
    assert report.fault.code == Code.ANCHOR_OF_NOTHING.name
    assert count == once


def with_doubled_lines(note: str) -> str:
    """The same signed note with each of its signature lines 25 times."""
    text, _, lines = note.rpartition("\n\n")
    return f"{text}\n\n{lines * 25}"


# Less than everything, more than nothing.


def test_nothing_verifies_by_being_short() -> None:
    """The shortest files that can be read are incomplete or refused."""
    proof = story("plain").game_proof()
    empty = replace(proof, inclusion=(), anchors=(), manifests=())
    for count in range(1, 9):
        short = replace(empty, entries=proof.entries[:count])
        assert judged(short).verdict is Verdict.REJECTED
    cut = replace(proof, entries=proof.entries[:1])
    assert judged(cut).verdict is Verdict.INCOMPLETE


def test_rounds_of_a_game_that_is_not_over_verify() -> None:
    """A round can be proved while the game goes on: nothing in the proof of round 1 depends on round 2."""
    game = Game(TestHouse(seed=77))
    game.sit()
    game.play_round()
    assert game.versions(RoundRevealed)
    assert len(game.versions(CeremonyOpened)) == 3
    assert game.versions(GameStarted) == [5]
    assert verify(game.round_proof(1).format(), game.house.policy).verdict is Verdict.VERIFIED
