# SPDX-License-Identifier: Apache-2.0
"""One line as it is typed at a terminal that edits nothing itself: bytes in, what they mean out.

    Enter                   the line is entered
    Backspace, ^W, ^U, Esc  one character, one word, all of it goes
    ^C                      an interrupt
    ^D on an empty line     the end
    ^L                      everything is to be drawn anew

Text is UTF-8 and may come in pieces. Arrows and all other keys that send sequences are passed over.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

LONGEST: Final = 200
"""Characters of a line; more are passed over."""


class Key(StrEnum):
    """A key that is no text."""

    INTERRUPT = "interrupt"
    END = "end"
    REDRAW = "redraw"
    GONE = "gone"
    """Nothing will come any more: the terminal, or the pipe, has ended."""
    TOUCHED = "touched"
    """The line may have changed: nothing was entered."""


@dataclass(frozen=True, slots=True)
class Entered:
    """A line, without its end."""

    text: str


Typed: TypeAlias = Entered | Key


@dataclass(frozen=True, slots=True)
class Line:
    """What stands unfinished."""

    text: str = ""
    rest: bytes = b""
    """The beginning of a character or of a sequence whose end has not come."""


def typed(line: Line, octets: bytes) -> tuple[Line, tuple[Typed, ...]]:
    """The line after these bytes, and what was entered by them."""
    text = line.text
    pressed, rest = keys(line.rest + octets)
    entered: list[Typed] = []
    for taken in pressed:
        match taken:
            case b"\r" | b"\n":
                entered.append(Entered(text))
                text = ""
            case b"\x03":
                entered.append(Key.INTERRUPT)
            case b"\x04":
                entered += [] if text else [Key.END]
            case b"\x0c":
                entered.append(Key.REDRAW)
            case b"\x08" | b"\x7f":
                text = _without_last(text)
            case b"\x15" | b"\x1b":
                text = ""
            case b"\x17":
                text = text.rstrip().rpartition(" ")[0] + " " if " " in text.rstrip() else ""
            case _ if taken[0] >= 0x20:
                text = (text + taken.decode("utf-8", "replace"))[:LONGEST]
            case _:
                pass
    return Line(text, rest), tuple(entered)


def keys(octets: bytes) -> tuple[list[bytes], bytes]:
    """What each key sent, a character or a sequence, and the beginning of one whose end has not come."""
    pressed = []
    while octets and (length := _length(octets)) is not None:
        pressed.append(octets[:length])
        octets = octets[length:]
    return pressed, octets


def _length(octets: bytes) -> int | None:
    """How many bytes the first key sent; None where its end has not come."""
    first = octets[0]
    if first == 0x1B:
        return _length_of_sequence(octets)
    wanted = 4 if first >= 0xF0 else 3 if first >= 0xE0 else 2 if first >= 0xC0 else 1
    for at in range(1, wanted):
        if at == len(octets):
            return None
        if octets[at] & 0xC0 != 0x80:
            return at  # not UTF-8
    return wanted


def _length_of_sequence(octets: bytes) -> int | None:
    """ESC alone is the key Esc: what a key sends comes in one piece."""
    if len(octets) == 1 or octets[1] == 0x1B:
        return 1
    if octets[1] == 0x4F:  # SS3 and one more
        return min(3, len(octets))
    if octets[1] != 0x5B:  # Alt and a key
        return 2
    for at in range(2, len(octets)):
        if 0x40 <= octets[at] <= 0x7E:
            return at + 1
    return None


def _without_last(text: str) -> str:
    """The text without its last letter, and the marks on that."""
    while text and unicodedata.category(text[-1]) in ("Mn", "Me", "Cf"):
        text = text[:-1]
    return text[:-1]
