# SPDX-License-Identifier: Apache-2.0
"""A site that lies about an honest log accuses nobody: the run is not finished, and the next one signs.

(A checkpoint that it leaves out is told of the log all the same: whoever publishes one publishes all of it.)
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hokm.checkpoint import cosign
from hokm.errors import HokmError
from hokm.notation import write_base64
from hokm.note import Note
from hokm_audit.errors import LedgerMissing, NotOnSite
from tests.auditor.published import PublishedHouse, play
from tests.auditor.runs import Runs

Lie = Callable[[bytes], bytes]


def house() -> PublishedHouse:
    """Games from before and after a change of keys, and one that goes on."""
    house = PublishedHouse()
    play(house)
    house.rotate()
    play(house)
    return house


HOUSE = house()


def none(octets: bytes) -> bytes:
    """No such file."""
    raise NotOnSite("anything")


def forged_line(octets: bytes) -> bytes:
    """A line under the note in the name of a witness who did not sign it."""
    note = Note.parse(octets)
    name, key = HOUSE.witnesses[0]
    other = HOUSE.checkpoint(1)
    return Note(note.text, (*note.signatures[:1], cosign(other, name, key, 5))).format()


def without_roots(octets: bytes) -> bytes:
    """The keys without the later root keys."""
    return json.dumps(json.loads(octets) | {"roots": []}).encode()


def other_roots(octets: bytes) -> bytes:
    """The keys with those of somebody else."""
    return json.dumps(json.loads(octets) | {"roots": [write_base64(bytes(31) + b"x")]}).encode()


LIES: dict[str, Lie] = {
    "none": none,
    "empty": lambda _: b"",
    "garbage": lambda _: b"\xff\x00 garbage",
    "other size": lambda _: HOUSE.notes[min(HOUSE.notes)],
    "forged line": forged_line,
    "cut": lambda octets: octets[:-1],
    "changed": lambda octets: octets[:-3] + bytes([octets[-3] ^ 1]) + octets[-2:],
    "no roots": without_roots,
    "other roots": other_roots,
}
OF_NOTES = ("empty", "garbage", "other size", "forged line", "cut", "changed")
OF_FILES = ("none", "empty", "garbage", "cut", "changed")


@pytest.mark.parametrize(
    ("path", "lie"),
    [
        *(("checkpoint/", lie) for lie in OF_NOTES),
        *(("tile/0/", lie) for lie in OF_FILES),
        *(("tile/entries/", lie) for lie in OF_FILES),
        *(("keys", lie) for lie in ("none", "empty", "garbage", "cut", "no roots", "other roots")),
    ],
)
def test_a_lie_of_the_site_is_none_of_the_house(tmp_path: Path, path: str, lie: str) -> None:
    """Nothing is found and nothing is signed by it."""
    runs = Runs(tmp_path, HOUSE)

    def fetch(asked: str) -> bytes:
        octets = HOUSE.fetch(asked)
        return LIES[lie](octets) if asked.startswith(path) else octets

    with pytest.raises(HokmError):
        runs.run(fetch)
    assert not (tmp_path / "checkpoint").exists()
    honest = runs.run()
    assert [finding.sentence for finding in honest.faults] == []
    assert honest.is_signed


def test_a_player_whom_the_site_calls_a_root_key_is_no_fault(tmp_path: Path) -> None:
    """The key counts only through its hash."""
    game = play(HOUSE)

    def fetch(asked: str) -> bytes:
        octets = HOUSE.fetch(asked)
        if asked != "keys":
            return octets
        told = json.loads(octets)
        told["roots"] += [write_base64(place.public_key) for place in game.table.places]
        return json.dumps(told).encode()

    assert Runs(tmp_path, HOUSE).run(fetch).is_signed


# What is cosigned.


def test_a_cosignature_has_the_time_at_which_the_checkpoint_was_asked_for(tmp_path: Path) -> None:
    """However long it takes to read the log: an entry that comes meanwhile is not said to be missing."""
    slow = PublishedHouse()
    play(slow)
    runs = Runs(tmp_path, slow)
    began_ms = slow.now_ms

    def fetch(path: str) -> bytes:
        slow.wait(60_000)
        return slow.fetch(path)

    assert runs.run(fetch).is_signed
    assert f"time {began_ms // 1000}\n" in (tmp_path / "statement").read_text()


@pytest.mark.parametrize("forget", [Path.unlink, lambda path: path.write_bytes(b"")])
def test_an_auditor_that_has_forgotten_signs_no_other_history(tmp_path: Path, forget: Callable[[Path], object]) -> None:
    """Its key is of no more use."""
    runs = Runs(tmp_path, HOUSE)
    runs.run()
    signed = (tmp_path / "checkpoint").read_bytes()
    for file in tmp_path.glob("ledger*"):
        file.unlink() if file.name != "ledger" else forget(file)
    fork = PublishedHouse()
    fork.rng.seed(99)
    play(fork)
    for _ in range(2):
        with pytest.raises(LedgerMissing):
            runs.run(fork.fetch)
    assert (tmp_path / "checkpoint").read_bytes() == signed
