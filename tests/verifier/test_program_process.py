# SPDX-License-Identifier: Apache-2.0
"""`hokm-verify` as a process: its help, its output at any terminal or pipe, and how it is interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("here")

PROGRAM = [sys.executable, "-m", "hokm"]


def test_help_says_what_there_is() -> None:
    """Each option, and what the program exits with."""
    shown = subprocess.run([*PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout
    for word in (
        "--policy",
        "--json",
        "--every-signature",
        "--mine",
        "--head",
        "--explain",
        "--strict",
        "show PROOF",
        "record PROOF",
    ):
        assert word in shown
    assert "exit status:" in shown


def test_help_imports_nothing_that_it_does_not_need() -> None:
    """So that it comes at once."""
    program = (
        "import sys\nfrom hokm.__main__ import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "needless = {'hokm.verify', 'hokm.errors', 'google', 'cryptography', 'nacl', 'json'}\n"
        "print(*needless & set(sys.modules), file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stderr.strip() == ""


@pytest.mark.parametrize(("language", "letter"), [("en", b"BLACK SPADE SUIT"), ("fa", b"ARABIC LETTER MEEM")])
def test_a_terminal_that_knows_few_letters(language: str, letter: bytes) -> None:
    """Letters that it does not know are named, also those of a file's name that are none at all."""
    command = [*PROGRAM, "show", "good.json", "--lang", language]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    run = subprocess.run(command, capture_output=True, env=environment, check=True)
    assert b"\\N{" + letter + b"}" in run.stdout
    named = subprocess.run([*PROGRAM, b"\xff.json", "--policy", "plain.policy"], capture_output=True, env=environment)
    assert (named.returncode, named.stderr) == (2, b"")
    assert named.stdout.startswith(b"\\udcff.json: UNREADABLE")


def test_nobody_reads_on() -> None:
    """A pipe that closes early is no error to tell of."""
    command = [*PROGRAM, *["game.json"] * 3, "--policy", "plain.policy", "--explain"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 128 + signal.SIGPIPE


def test_interrupted(folder: Path) -> None:
    """One line, no traceback."""
    fifo = folder / "fifo"
    os.mkfifo(fifo)
    command = [*PROGRAM, "fifo", "--policy", "plain.policy"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        end = os.open(fifo, os.O_WRONLY)  # returns when the program has opened it to read
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=20)
        os.close(end)
    assert errors == "hokm-verify: Interrupted.\n"
    assert running.returncode == 128 + signal.SIGINT


def test_interrupted_with_many_files() -> None:
    """Ctrl-C reaches all processes of a terminal, and one of them answers."""
    command = [*PROGRAM, *["game.json"] * 400, "--policy", "plain.policy", "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as running:
        assert running.stdout is not None
        running.stdout.readline()
        os.killpg(running.pid, signal.SIGINT)
        _, errors = running.communicate(timeout=20)
    assert errors == "hokm-verify: Interrupted.\n"
    assert running.returncode == 128 + signal.SIGINT


def test_a_proof_from_a_pipe(folder: Path) -> None:
    """`/dev/stdin` is a file like any other."""
    command = [*PROGRAM, "/dev/stdin", "--policy", "plain.policy"]
    proof = (folder / "good.json").read_bytes()
    run = subprocess.run(command, input=proof, capture_output=True, check=False)
    assert (run.returncode, run.stderr) == (0, b"")
