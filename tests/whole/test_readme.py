# SPDX-License-Identifier: Apache-2.0
"""What the README says to type works: its program plays a game, its commands run, its make targets are there."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from hokm_client.checking import proof_path
from tests.whole.battery import KilledServer

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
BIN = Path(sys.executable).parent
MOST_SECONDS = 90


def blocks(language: str) -> list[str]:
    """The fenced blocks of that language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_every_picture_is_there() -> None:
    """And none is large."""
    pictures = re.findall(r"!\[[^]]*\]\(([^)]*)\)", README)
    assert pictures
    assert all(0 < (ROOT / path).stat().st_size < 150_000 for path in pictures)


def commands() -> list[list[str]]:
    """Every command of the shell blocks, as words."""
    return [shlex.split(line, comments=True) for block in blocks("sh") for line in block.splitlines() if line]


MAKES = [words[1:] for words in commands() if words[0] == "make"]
PROGRAMS = [words for words in commands() if words[0] != "make"]


@pytest.mark.parametrize("words", MAKES, ids=" ".join)
def test_every_make_command_is_there(words: list[str]) -> None:
    """make knows each target with these variables."""
    made = subprocess.run(["make", "-n", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr


@pytest.mark.timeout(360)
def test_the_program_plays_a_game_and_the_commands_run_on_it(tmp_path: Path) -> None:
    """The SDK's example plays to the end at a real server; then each program of the README runs on what it left."""
    asyncio.run(_play_and_try(tmp_path))


async def _play_and_try(folder: Path) -> None:
    var = folder / "var"
    var.mkdir()
    server = KilledServer(var, web=True)
    await server.start()
    try:
        address = server.address
        (program,) = blocks("python")
        (folder / "play.py").write_text(program.replace("127.0.0.1:7465", address))
        played = await _run(sys.executable, "play.py", folder=folder)
        assert "GameEnded(cause=<GameEndCause.TARGET" in played
        table_id = await _last_table(var)
        for number in (1, None):
            asked = [] if number is None else ["--round", str(number)]
            out = proof_path(var / "proofs", bytes.fromhex(table_id), number)
            out.parent.mkdir(exist_ok=True)
            await _run("hokm", "proof", table_id, *asked, "--out", str(out), "--server", address, folder=folder)
        private, code = (await _run("hokm", "open", "--private", "--server", address, folder=folder)).split()
        for words in PROGRAMS:
            told = {"TABLE": private if "--code" in words else table_id, "7466": str(server.web_port), "CODE": code}
            await _try([_with(told, word) for word in words], address, folder)
    finally:
        await server.kill(bots_too=True)


def _with(told: dict[str, str], word: str) -> str:
    """A word of a command, with what is there in place of what the README calls it."""
    for name, value in told.items():
        word = word.replace(name, value)
    return word


async def _try(words: list[str], address: str, folder: Path) -> None:
    match words[:2]:
        case ["hokm-server", "serve"] | ["hokm-witness", _]:
            told = await _run(*words[: 1 + (words[1] == "serve")], "--help", folder=folder)
            assert all(option in told for option in words if option.startswith("--"))
        case ["hokm-verify", *_] | ["hokm", "replay"]:
            paths = sorted(str(path) for path in (folder / "var" / "proofs").glob("*.json"))
            given = [path for word in words for path in (paths if "*" in word else [word])]
            assert await _run(*given, folder=folder)
        case ["hokm", "token"]:
            assert len(await _run(*words, "--server", address, folder=folder)) > 40
        case ["hokm", "play"] if "--tls" in words:
            told = await _run("hokm", "play", "--help", folder=folder)
            assert all(option in told for option in words if option.startswith("--"))
        case ["hokm", "play"] if "--rematch" in words:  # of the game that the SDK's example has played
            me = ("--identity", str(Path("var", "me.key")))
            assert "Hokm. A game to 3." in await _run(*words, *me, "--server", address, "--lang", "en", folder=folder)
        case ["hokm", "play"]:  # whose input has ended at once: the seat is taken, and given back
            assert "free seat" in await _run(*words, "--server", address, "--lang", "en", folder=folder)
        case ["hokm", "open"]:
            opened, *code = (await _run(*words, "--server", address, folder=folder)).split()
            assert (len(bytes.fromhex(opened)), len(code)) == (16, "--private" in words)
        case ["hokm", "list"]:
            assert "free" in await _run(*words, "--server", address, folder=folder)
        case [".", path]:
            assert (ROOT / "Makefile").read_text().count(f"?= {Path(path).parents[1]}\n") == 1
        case _:
            assert await _run(*words, folder=folder)


async def _last_table(var: Path) -> str:
    """The id of the table that was opened last, from the log itself."""
    with contextlib.closing(sqlite3.connect(f"file:{var / 'log.db'}?mode=ro", uri=True)) as database:
        (table_id,) = database.execute("SELECT stream FROM streams ORDER BY stream DESC LIMIT 1").fetchone()
    return bytes(table_id).hex()


async def _run(*words: str, folder: Path) -> str:
    """What a program prints; it ends with 0."""
    program = str(BIN / words[0]) if (BIN / words[0]).exists() else words[0]
    process = await asyncio.create_subprocess_exec(
        *(program, *words[1:]),
        cwd=folder,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        said, failed = await asyncio.wait_for(process.communicate(), MOST_SECONDS)
    finally:
        if process.returncode is None:
            process.kill()
    assert process.returncode == 0, (words, failed.decode())
    return said.decode()
