# SPDX-License-Identifier: Apache-2.0
"""A battery of accidents: whatever happens to a file, what it is taken for is what was signed, or it is refused.

Two thousand in the ordinary run, a hundred thousand in `make soak`, which prints what they were refused for.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

import pytest

from hokm.complaint import Verdict as Complaint
from hokm.complaint import judge
from hokm.errors import HokmError
from hokm.evidence import Evidence
from hokm.keys import check_manifests
from hokm.merkle import grow, leaf_hash, reading, root
from hokm.note import Note
from hokm.policy import Policy
from hokm.proof import Proof
from hokm.tiles import Tile, TiledTree, format_bundle
from hokm.tlog_proof import TlogProof, tlog_proof
from hokm.verify import Signatures, Verdict, Wishes, verify
from tests.simulation.stories import story
from tests.verifier.mangling import mangle, mangle_json

GAME: Final = story("plain")
HOUSE: Final = GAME.house
EVERY: Final = Wishes(signatures=Signatures.ALL)

Accident = Callable[[random.Random], str]
"""Mangles something and has it judged: why it was refused, or "taken" where what counts of it is as it was."""


# Proofs.


def judged_proof(octets: bytes, mangled: bytes, policy: Policy | None = None) -> str:
    report = verify(mangled, policy or HOUSE.policy, EVERY)
    if report.fault is not None and report.verdict is not Verdict.INCOMPLETE:
        return report.fault.code
    true, taken = Proof.parse(octets), Proof.parse(mangled)
    assert taken.entries == true.entries[: len(taken.entries)]
    assert set(taken.manifests) <= set(true.manifests)
    assert {anchor.version: Note.parse(anchor.checkpoint.encode()).text for anchor in taken.anchors}.items() <= {
        anchor.version: Note.parse(anchor.checkpoint.encode()).text for anchor in true.anchors
    }.items()
    assert Note.parse(taken.checkpoint.encode()).text == Note.parse(true.checkpoint.encode()).text
    same = (taken.kind, taken.origin, taken.table, taken.round, taken.opening, taken.first_version)
    assert same == (true.kind, true.origin, true.table, true.round, true.opening, true.first_version)
    if report.verdict is Verdict.INCOMPLETE:
        return "INCOMPLETE"
    assert taken.entries == true.entries
    assert set(taken.inclusion) == set(true.inclusion)
    return "taken"


@cache
def proof_of(number: int | None) -> bytes:
    return (GAME.game_proof() if number is None else GAME.round_proof(number)).format()


def a_game_proof(rng: random.Random) -> str:
    octets = proof_of(None)
    return judged_proof(octets, rng.choice((mangle, mangle_json))(octets, rng))


def a_round_proof(rng: random.Random) -> str:
    octets = proof_of(rng.choice((1, 2)))
    return judged_proof(octets, rng.choice((mangle, mangle_json))(octets, rng))


def a_policy(rng: random.Random) -> str:
    """Other readers trust others; who still takes the proof trusts the same keys."""
    octets = HOUSE.policy.format()
    if rng.randrange(2):
        lines = octets.splitlines(keepends=True)
        rng.shuffle(lines)
        octets = b"".join(lines[rng.randrange(2) :]).replace(b"several 2 ", rng.choice((b"several 1 ", b"several 3 ")))
    else:
        octets = mangle(octets, rng)
    try:
        policy = Policy.parse(octets)
    except HokmError as error:
        return error.reason
    code = judged_proof(proof_of(1), proof_of(1), policy)
    if code == "taken":
        assert HOUSE.policy.logs[0].vkey in [log.vkey for log in policy.logs]
        assert policy.root_key(HOUSE.origin) == HOUSE.policy.root_key(HOUSE.origin)
    return code


# What proofs are made of.


def a_checkpoint(rng: random.Random) -> str:
    octets = HOUSE.publish().encode()
    try:
        endorsed = HOUSE.policy.endorse(Note.parse(mangle(octets, rng)))
    except HokmError as error:
        return error.reason
    true = HOUSE.policy.endorse(Note.parse(octets))
    assert endorsed.checkpoint == true.checkpoint
    assert set(endorsed.cosignatures) <= set(true.cosignatures)
    return "taken"


def a_manifest(rng: random.Random) -> str:
    game = story("revoked")
    entries = [entry for entry, _ in game.house.manifests]
    roots = [key.public for key in game.house.root_keys]
    place = rng.randrange(len(entries))
    mangled = [*entries[:place], mangle(entries[place], rng), *entries[place + 1 :]]
    root_key = game.house.policy.root_key(game.house.origin)
    try:
        found = check_manifests(mangled, root_key, roots)
    except HokmError as error:
        return error.reason
    assert found == check_manifests(entries, root_key, roots)
    return "taken"


ENTRIES: Final = [b"entry %d" % number for number in range(600)]
READ: Final = reading(grow(0, map(leaf_hash, ENTRIES), reading({})))
ROOT: Final = root([leaf_hash(entry) for entry in ENTRIES])


def file_of(path: str) -> bytes:
    tile = Tile.parse(path)
    places = range(256 * tile.index, 256 * tile.index + tile.width)
    if tile.level is None:
        return format_bundle(ENTRIES[place] for place in places)
    return b"".join(READ(8 * tile.level, place) for place in places)


def a_tile(rng: random.Random) -> str:
    """One of the files of a log; whoever reads all of it finds what was there, or nothing."""
    names = ["tile/0/000", "tile/0/001", "tile/0/002.p/88", "tile/1/000.p/2"]
    names += [name.replace("tile/0", "tile/entries") for name in names[:3]]
    lying = rng.choice(names)
    wrong = mangle(file_of(lying), rng)
    tree = TiledTree(len(ENTRIES), ROOT, lambda path: wrong if path == lying else file_of(path))
    try:
        entries = [entry for index in range(3) for entry in tree.bundle(index)]
        hashes = [tree.read(0, place) for place in range(len(ENTRIES))]
    except HokmError as error:
        return error.reason
    assert entries == ENTRIES
    assert hashes == [leaf_hash(entry) for entry in ENTRIES]
    return "taken"


def a_tlog_proof(rng: random.Random) -> str:
    true = tlog_proof(proof_of(1))
    entry = GAME.round_proof(1).entries[-1]
    try:
        proof = TlogProof.parse(mangle(true.format(), rng))
        endorsed = proof.verify(entry, HOUSE.policy)
    except HokmError as error:
        return error.reason
    assert endorsed.checkpoint == true.verify(entry, HOUSE.policy).checkpoint
    assert (proof.index, proof.hashes) == (true.index, true.hashes)
    return "taken"


def evidence(rng: random.Random) -> str:
    """Of an honest game: nothing that happens to it proves anything against its house."""
    whole = Evidence(
        *("FORGED_RULING", True, "", HOUSE.origin, GAME.id, 0, 0),
        manifests=tuple(entry for entry, _ in HOUSE.manifests),
        roots=(),
        entries=tuple(GAME.entries),
        exhibits={"entry": GAME.entries[-1], "other": GAME.entries[-2]},
    ).format()
    try:
        judgement = judge(Evidence.parse(rng.choice((mangle, mangle_json))(whole, rng)), HOUSE.policy)
    except HokmError as error:
        return error.reason
    assert judgement.verdict is not Complaint.PROVED, judgement
    return judgement.verdict


ACCIDENTS: Final[Mapping[Accident, int]] = {
    a_game_proof: 5,
    a_round_proof: 5,
    a_policy: 2,
    a_checkpoint: 2,
    a_manifest: 2,
    a_tile: 2,
    a_tlog_proof: 1,
    evidence: 1,
}
"""Each with how many of twenty are of it."""


def happen(accident: Accident, count: int, seed: int) -> Counter[str]:
    """So many accidents; what became of them."""
    rng = random.Random(seed)
    return Counter(accident(rng) for _ in range(count))


def by_name(accident: Accident) -> str:
    return accident.__name__


@pytest.mark.parametrize("accident", ACCIDENTS, ids=by_name)
def test_two_thousand_accidents(accident: Accident) -> None:
    """None of them is taken for something that nobody signed; most are refused, for several reasons."""
    found = happen(accident, 100 * ACCIDENTS[accident], seed=1)
    assert found.total() > found["taken"]
    assert len(found) >= 2


@pytest.mark.soak
@pytest.mark.parametrize("accident", ACCIDENTS, ids=by_name)
def test_a_hundred_thousand_accidents(accident: Accident, capsys: pytest.CaptureFixture[str]) -> None:
    """The same for longer, with other chances; each kind of fault has its own code."""
    found = happen(accident, 5000 * ACCIDENTS[accident], seed=2)
    with capsys.disabled():
        print(f"\n{by_name(accident)}: " + ", ".join(f"{code} {count}" for code, count in found.most_common()))
    assert found.total() > found["taken"]
