# SPDX-License-Identifier: Apache-2.0
"""Right-to-left text for terminals that disagree about who turns it round.

No single output stands right everywhere, so there are two ways, a guess, and the player's own word:

    shaped   letters joined and put in the order seen, by us: right where the terminal does nothing (xterm), and in
             VTE once `ENTER_SHAPED` has told it to do nothing
    raw      letters as they are thought, each run between marks U+200E: right where the terminal joins letters and
             turns each run round in a line from left to right (Konsole, VTE)
    none     text untouched: for screen readers and files

Text is a piece of a line, laid out by itself; where the pieces stand is never left to the terminal. A piece has a
base direction: that of the language it is written in.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Final, Protocol, assert_never

ENTER_SHAPED: Final = "\x1b[8l"
"""Written once before shaped text: explicit direction (ECMA-48, BDSM reset). xterm ignores it."""
LEAVE_SHAPED: Final = "\x1b[8h"
"""Written at the end: the terminal's own direction again."""

LRM: Final = "\u200e"
RLM: Final = "\u200f"
ZWNJ: Final = "\u200c"
_ZWJ: Final = "\u200d"
_MARKS: Final = frozenset((LRM, RLM))
_KEPT: Final = frozenset((LRM, RLM, ZWNJ, _ZWJ))

# The bidi algorithm drops what has no width. A letter of the same direction takes its place meanwhile; Hebrew's sof
# pasuq joins nothing, as U+200C does.
_ZWNJ_MEANWHILE: Final = "\u05c3"

# Beside lam-alef, which Persian cannot do without, a ligature would only surprise: one letter, one cell.
_RESHAPER: Final = {
    "delete_harakat": True,
    "ARABIC LIGATURE ALLAH": False,
    "RIAL SIGN": False,
}


class Bidi(StrEnum):
    """How right-to-left text is written."""

    SHAPED = "shaped"
    RAW = "raw"
    NONE = "none"


def guess(environment: Mapping[str, str]) -> Bidi:
    """What will probably stand right, by the environment's values. Only a guess: the player has the last word."""

    def told(*names: str) -> bool:
        return any(environment.get(name) for name in names)

    turns_round = told("KONSOLE_VERSION", "MLTERM") or environment.get("TERM_PROGRAM") == "Apple_Terminal"
    if turns_round:
        return Bidi.RAW
    # tmux and screen swallow ENTER_SHAPED, so a VTE around them goes on turning text round.
    multiplexed = told("TMUX", "STY") or environment.get("TERM", "").startswith(("tmux", "screen"))
    if multiplexed and told("VTE_VERSION"):
        return Bidi.RAW
    return Bidi.SHAPED


# Cells.


def cells(text: str) -> int:
    """How many cells of a terminal a clean text takes: marks and joiners none, wide characters two."""
    return sum(_cells_of(character) for character in text)


@cache
def _cells_of(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def clean(text: str) -> str:
    """Text from elsewhere, such as a name, made safe to write.

    Control characters (so no escape sequence), line breaks and whatever may turn the rest of the line round are gone;
    joiners and single direction marks stay.
    """
    spaced = (" " if character.isspace() else character for character in text)
    return "".join(character for character in spaced if character in _KEPT or unicodedata.category(character)[0] != "C")


def clip(text: str, width: int) -> str:
    """The beginning of a text that fits into so many cells, an ellipsis at its end where something is missing."""
    if cells(text) <= width:
        return text
    kept = ""
    for character in text:
        if cells(kept + character) > width - 1:
            break
        kept += character
    return kept.rstrip() + "…" if width > 0 else ""


def wrap(text: str, width: int) -> list[str]:
    """A text in lines of at most so many cells, broken at spaces; a longer word is broken where it must be."""
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        whole = f"{line} {word}" if line else word
        if cells(whole) <= width:
            line = whole
            continue
        if line:
            lines.append(line)
        line = word
        while cells(line) > width:
            fits = next(end for end in range(len(line), 0, -1) if cells(line[:end]) <= width or end == 1)
            lines.append(line[:fits])
            line = line[fits:]
    return [*lines, line] if line or not lines else lines


# Directions.


def apart(text: str, rtl: bool) -> str:
    """A name or symbol of any script, to stand inside text of that base direction without disturbing it."""
    mark = RLM if rtl else LRM
    return f"{mark}{text}{mark}"


def leftward(text: str) -> str:
    """Symbols such as K♥, to be read from left to right whatever stands around them."""
    return f"{LRM}{text}{LRM}"


def has_rtl(text: str) -> bool:
    """Whether a letter in it runs from right to left."""
    return any(_is_rtl(character) for character in text)


def laid_out(text: str, rtl: bool, mode: Bidi) -> str:
    """One piece of a line, as it is to be written; `rtl` is its base direction."""
    if not has_rtl(text) and not (rtl and mode is not Bidi.NONE):
        return text if mode is Bidi.NONE else _without_marks(text)
    match mode:
        case Bidi.SHAPED:
            return _shaped(text, rtl)
        case Bidi.RAW:
            return _raw(text, rtl)
        case Bidi.NONE:
            return text
        case _:
            assert_never(mode)


def _shaped(text: str, rtl: bool) -> str:
    seen = _in_order_seen(_reshaper().reshape(text), rtl)
    return "".join(character for character in seen if _cells_of(character))


def _raw(text: str, rtl: bool) -> str:
    """The runs as they are seen from left to right, each one as it is thought: the terminal turns it round."""
    seen = _without_marks(_in_order_seen(text.replace(ZWNJ, _ZWNJ_MEANWHILE), rtl))
    written = ""
    run = waiting = ""  # the run from right to left so far, and neutral characters that may belong to it
    for character in seen:
        if _is_rtl(character):
            run += waiting + character
            waiting = ""
        elif run and unicodedata.bidirectional(character) in ("L", "EN", "AN"):
            written += _thought(run) + waiting + character
            run = waiting = ""
        elif run:
            waiting += character
        else:
            written += character
    return written + (_thought(run) if run else "") + waiting


def _thought(run: str) -> str:
    mirrored = _mirrored()
    turned = "".join(mirrored.get(character, character) for character in reversed(run))
    return leftward(turned.replace(_ZWNJ_MEANWHILE, ZWNJ))


def _without_marks(text: str) -> str:
    return "".join(character for character in text if character not in _MARKS)


@cache
def _is_rtl(character: str) -> bool:
    return unicodedata.bidirectional(character) in ("R", "AL") and character not in _MARKS


# The two libraries are loaded when the first right-to-left text comes: an English start does not wait for them.


class _Reshaper(Protocol):
    def reshape(self, text: str) -> str: ...


@cache
def _reshaper() -> _Reshaper:
    from arabic_reshaper import ArabicReshaper

    reshaper: _Reshaper = ArabicReshaper(configuration=_RESHAPER)
    return reshaper


def _in_order_seen(text: str, rtl: bool) -> str:
    # The one in bidi.algorithm mirrors brackets; the faster one in bidi does not.
    from bidi.algorithm import get_display

    return str(get_display(text, base_dir="R" if rtl else "L"))


@cache
def _mirrored() -> Mapping[str, str]:
    from bidi.mirror import MIRRORED

    mirrored: Mapping[str, str] = MIRRORED
    return mirrored
