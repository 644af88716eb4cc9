# SPDX-License-Identifier: Apache-2.0
"""Witnesses for tests: what a log asks of one, and programs that are started and killed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx

from hokm.checkpoint import Checkpoint, sign_checkpoint, verify_cosignatures
from hokm.note import Note, NoteSignature
from hokm.policy import Policy
from hokm.signing import SignatureType, VKey
from hokm.witness import AddCheckpoint
from hokm_server.__main__ import main
from tests.simulation import TestHouse

NAME = "witness.example/one"


def log_of(size: int, seed: int = 1) -> TestHouse:
    """A log with so many entries, the same from the same seed."""
    house = TestHouse(seed=seed)
    while len(house.leaves) < size:
        house.append(house.octets())
    return house


def log_key(house: TestHouse) -> VKey:
    """By which a witness knows it."""
    return VKey(house.origin, SignatureType.ED25519, house.log_key.public)


def asked(house: TestHouse, old: int, new: int) -> AddCheckpoint:
    """What the log asks of a witness that has cosigned size `old`."""
    note = Note.parse(house.publish(new, cosigners=0).encode())
    return AddCheckpoint(old, house.consistency(old, new), note)


def lie(house: TestHouse, size: int) -> AddCheckpoint:
    """The log's signature under another tree of a size that was cosigned."""
    return AddCheckpoint(size, (), sign_checkpoint(Checkpoint(house.origin, size, b"x" * 32), house.log_key))


def cosigned_at(request: AddCheckpoint, line: str, witness: VKey) -> int:
    """The time of a cosignature, which must be good and of that witness."""
    note = Note(request.note.text, (NoteSignature.parse(line.removesuffix("\n")),))
    (cosignature,) = verify_cosignatures(note, [witness])
    return cosignature.time


class Program:
    """`hokm-witness`, running."""

    def __init__(self, popen: subprocess.Popen[str], url: str, vkey: VKey) -> None:
        self.popen = popen
        self.url = url
        self.vkey = vkey

    def ask(self, request: AddCheckpoint) -> httpx.Response:
        """Send a request, and wait for the answer."""
        return httpx.post(self.url + "/add-checkpoint", content=request.format(), trust_env=False)


def command(var: Path, *options: str) -> list[str]:
    """How it is called."""
    files = ["--key", str(var / "key"), "--memory", str(var / "memory")]
    return [sys.executable, "-m", "hokm_audit.witness", "--name", NAME, "--port", "0", *files, *options]


@contextmanager
def running(var: Path, log: VKey) -> Iterator[Program]:
    """A witness of that log which answers; killed at the end if it still runs."""
    words = command(var, "--log", log.format())
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as popen:
        try:
            assert popen.stdout is not None
            ready, policy = popen.stdout.readline().split(), popen.stdout.readline().split()
            assert ready[:2] == ["ready", "on"], popen.communicate()[1]
            assert policy[:4] == ["for", "a", "policy:", "witness"]
            yield Program(popen, ready[2], VKey.parse(policy[5]))
        finally:
            if popen.poll() is None:
                popen.kill()


@contextmanager
def witnessed_house(folder: Path) -> Iterator[tuple[Path, list[Program]]]:
    """The files of a house whose policy wants two of three witnesses, and these, running."""
    var = folder / "house"
    assert main(["keys", "create", "--var", str(var)]) == 0
    log = Policy.parse((var / "policy").read_bytes()).logs[0].vkey
    with ExitStack() as stack:
        names = ("one", "two", "three")
        programs = [stack.enter_context(running(folder / name, log)) for name in names]
        lines = [
            f"witness {name} {program.vkey.format()} {program.url}"
            for name, program in zip(names, programs, strict=True)
        ]
        added = [word for line in (*lines, "group most 2 one two three") for word in ("--add", line)]
        assert main(["keys", "policy", "--var", str(var), *added, "--quorum", "most"]) == 0
        yield var, programs
