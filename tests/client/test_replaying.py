# SPDX-License-Identifier: Apache-2.0
"""A game seen again at a terminal and in a pipe."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hokm.languages import Language
from hokm.record import record
from hokm_client.__main__ import main
from hokm_client.terminal.bidi import Bidi, laid_out
from hokm_client.terminal.replay_told import told
from hokm_client.terminal.replay_words import replay_words
from hokm_client.terminal.replayed import Go, replayed
from tests.client.pane import Pane, pane
from tests.simulation.stories import story

RIGHT, LEFT, PAGE_DOWN = "\x1b[C", "\x1b[D", "\x1b[6~"


@pytest.fixture
def proof(tmp_path: Path) -> Path:
    """A game by all house rules."""
    path = tmp_path / "game.json"
    path.write_bytes(story("lively").game_proof().format())
    return path


def replay(*arguments: str) -> subprocess.CompletedProcess[str]:
    """``hokm replay`` with nobody who types."""
    words = (sys.executable, "-m", "hokm_client", "replay", *arguments)
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


async def test_a_round_is_stepped_through_at_a_terminal(proof: Path) -> None:
    """Cards come and go with the keys, rounds too; the screen is given back with the last picture."""
    async with pane("replay", str(proof), "--lang", "en", rows=24) as window:
        await window.until_shown("Trumps not named yet")
        window.keys(RIGHT)
        await window.until_shown("as trumps, after")
        window.keys(" ")
        await window.until_shown("Trick 1")
        await window.until_shown(" leads the ")
        window.keys(LEFT)
        await window.until_shown("as trumps, after")
        window.keys(PAGE_DOWN)
        await window.until_shown("Round 2. Seat ")
        window.keys("b")
        await window.until_shown("The score is even ")
        window.resize(24, 44)
        await window.until(_is_narrow, "the picture for 44 columns")
        window.keys("q")
        assert await window.ended() == 0
        assert "The score is even " in str(window)
        assert "q quit" not in str(window)


def _is_narrow(window: Pane) -> bool:
    return "─" * 44 in window.lines


async def test_the_arrows_go_with_the_direction_of_reading(proof: Path) -> None:
    """In Persian a card on is to the left."""
    names = laid_out("حکم کرد", rtl=True, mode=Bidi.SHAPED)
    async with pane("replay", str(proof), "--lang", "fa", rows=24) as window:
        await window.until_shown(laid_out("حکم هنوز معلوم نیست", rtl=True, mode=Bidi.SHAPED))
        window.keys(LEFT)
        await window.until_shown(names)
        window.keys(RIGHT)
        await window.until(lambda pane: names not in str(pane), "the moment before")
        window.keys("\x03")
        assert await window.ended() == 0


async def test_lines_go_from_moment_to_moment(proof: Path) -> None:
    """Where there is a terminal and no picture."""
    async with pane("replay", str(proof), "--lang", "en", "--plain") as window:
        await window.until_shown(replay_words(Language.EN).typed)
        window.keys("\r")
        await window.until_shown("as trumps, after")
        window.keys("next round\r")
        await window.until_shown("Round 2. Seat ")
        window.keys("quit\r")
        assert await window.ended() == 0


@pytest.mark.parametrize("language", Language)
def test_all_is_told_where_nobody_types(proof: Path, tmp_path: Path, language: Language) -> None:
    """Every moment of a proof, and the same of its record."""
    made = record(proof.read_bytes())
    (tmp_path / "record.json").write_bytes(made.format())
    lines: list[str] = []
    seen = replayed(made)
    while seen is not None:
        lines += told(seen, language)
        after = seen.gone(Go.FORWARD)
        seen = None if after == seen else after
    for path in (proof, tmp_path / "record.json"):
        assert replay(str(path), "--lang", language).stdout.splitlines() == lines


def test_what_cannot_be_seen_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No file, no proof, no record, no round in it, a folder."""
    (tmp_path / "text.json").write_bytes(b"all is well\n")
    (tmp_path / "record.json").write_bytes(b'{"format": "hokm-record/1"}\n')
    (tmp_path / "never.json").write_bytes(story("never_started").game_proof().format())
    for name in ("missing.json", "text.json", "record.json", "never.json", "."):
        assert main(["replay", str(tmp_path / name), "--lang", "en", "--var", str(tmp_path)]) == 1
        shown, errors = capsys.readouterr()
        assert shown == ""
        assert len(errors.splitlines()) == 1
        assert str(tmp_path / name) in errors
