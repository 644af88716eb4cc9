# SPDX-License-Identifier: Apache-2.0
"""Right-to-left text: cells, and both ways of writing against a model of what each terminal does with them."""

from __future__ import annotations

import subprocess
import sys
import unicodedata

import pytest
from bidi.algorithm import get_display
from hypothesis import given
from hypothesis import strategies as st

from hokm.languages import Language
from hokm_client.terminal import screen
from hokm_client.terminal.bidi import (
    LRM,
    RLM,
    ZWNJ,
    Bidi,
    apart,
    cells,
    clean,
    clip,
    guess,
    has_rtl,
    laid_out,
    leftward,
    wrap,
)
from tests.client.terminal.screens import VIEWS

MIXED = [
    "نوبت شماست: می‌خواهید؟ (۱۲)",
    f"سلام {apart('Ali', True)} ۵ و ۶",
    f"شما {leftward('K♥')}، راست {leftward('۱۰♥')}.",
    "حاکم‌کت شد! سه امتیاز.",
    "«KH» نه برگ است و نه فرمان.",
]


def seen_by_a_terminal_that_turns_round(line: str) -> str:
    """Konsole and VTE: the bidi algorithm on the line, its base from left to right. Vowel marks are left out."""
    seen = str(get_display(line.replace(ZWNJ, ""), base_dir="L"))
    return "".join(character for character in seen if cells(character))


def unshaped(line: str) -> str:
    """A line that has been shaped, with its letters as they are typed (a lam-alef in the order seen)."""
    letters = (unicodedata.normalize("NFKC", character) for character in line)
    return "".join("".join(reversed(letter)) if has_rtl(letter) else letter for letter in letters)


@pytest.mark.parametrize("text", MIXED)
def test_both_ways_are_seen_alike(text: str) -> None:
    """What a terminal that turns round makes of raw is what shaped is as it stands."""
    assert seen_by_a_terminal_that_turns_round(laid_out(text, True, Bidi.RAW)) == unshaped(
        laid_out(text, True, Bidi.SHAPED)
    )


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("language", Language)
def test_both_ways_are_seen_alike_on_whole_screens(name: str, language: Language) -> None:
    """The same for screens, but for the gaps (a lam-alef is one cell shaped, two raw) and the prompt."""
    shaped = screen.draw(VIEWS[name], language, 80, bidi=Bidi.SHAPED, colour=False)
    raw = screen.draw(VIEWS[name], language, 80, bidi=Bidi.RAW, colour=False)
    assert len(shaped) == len(raw)
    for one, other in zip(shaped[:-1], raw[:-1], strict=True):
        assert unshaped(one).split() == seen_by_a_terminal_that_turns_round(other).split()


def test_shaped_text_is_joined_and_in_the_order_seen() -> None:
    """Lam-alef is one letter, U+200C has parted the letters beside it and is gone."""
    assert laid_out("سلام", True, Bidi.SHAPED) == "\ufee1\ufefc\ufeb3"
    assert laid_out(f"می{ZWNJ}رود", True, Bidi.SHAPED) == "\ufea9\ufeed\ufead\ufbfd\ufee3"


def test_raw_text_keeps_its_letters_between_marks() -> None:
    """U+200E around each run, U+200C inside."""
    assert laid_out(f"می{ZWNJ}رود", True, Bidi.RAW) == f"{LRM}می{ZWNJ}رود{LRM}"
    assert laid_out("دور ۳", True, Bidi.RAW) == f"۳ {LRM}دور{LRM}"


@pytest.mark.parametrize("text", MIXED)
def test_none_leaves_text_alone(text: str) -> None:
    """For screen readers."""
    assert laid_out(text, True, Bidi.NONE) == text


def test_cells() -> None:
    """Joiners, marks and combining characters have no width, wide characters two."""
    assert cells("حاکم‌کت") == 7 - 1
    assert cells(f"{LRM}K♥{RLM}") == 2
    assert cells("بُ") == 1
    assert cells("王a") == 3
    assert cells("") == 0


@given(st.text(), st.integers(2, 30))
def test_wrapped_and_clipped_text_fits(text: str, width: int) -> None:
    """No line is too wide, and no word is lost."""
    text = clean(text)
    lines = wrap(text, width)
    assert all(cells(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert cells(clip(text, width)) <= width


@given(st.text())
def test_clean_text_holds_nothing_that_a_terminal_obeys(text: str) -> None:
    """No control character, no line break, nothing that turns the rest of a line round."""
    for character in clean(text):
        assert character in (LRM, RLM, ZWNJ, "\u200d") or unicodedata.category(character)[0] != "C"
        assert not character.isspace() or character == " "


@pytest.mark.parametrize(
    ("environment", "mode"),
    [
        ({}, Bidi.SHAPED),
        ({"TERM": "xterm-256color", "XTERM_VERSION": "XTerm(379)"}, Bidi.SHAPED),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7006"}, Bidi.SHAPED),
        ({"TERM": "xterm-256color", "KONSOLE_VERSION": "221203"}, Bidi.RAW),
        ({"TERM": "tmux-256color", "TMUX": "/tmp/tmux-0/default,1,0", "VTE_VERSION": "7006"}, Bidi.RAW),
        ({"TERM": "tmux-256color", "TMUX": "/tmp/tmux-0/default,1,0"}, Bidi.SHAPED),
        ({"TERM": "mlterm", "MLTERM": "3.9"}, Bidi.RAW),
        ({"TERM_PROGRAM": "Apple_Terminal"}, Bidi.RAW),
    ],
)
def test_the_guess(environment: dict[str, str], mode: Bidi) -> None:
    """Terminals that are known to turn text round get it raw."""
    assert guess(environment) is mode


def test_an_english_start_loads_no_bidi_library() -> None:
    """They are loaded with the first right-to-left letter."""
    program = """
import sys
from hokm_client.terminal import screen
from hokm_client.terminal.view import View
from hokm.languages import Language
screen.draw(View(0), Language.EN, 80)
print(*sorted({"arabic_reshaper", "bidi", "hokm_client.terminal.persian", "grpc"} & set(sys.modules)))
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []
