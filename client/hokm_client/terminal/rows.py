# SPDX-License-Identifier: Apache-2.0
"""Lines of a screen, put together from pieces whose cells are counted and whose places are fixed.

A piece is laid out by itself, in the direction of its language; a row then says at which column it stands. So what
is on the right stays on the right whatever is written beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hokm_client.terminal.bidi import LRM, Bidi, cells, clip, has_rtl, laid_out, wrap


class Style(StrEnum):
    """How a piece looks, as the parameters of an SGR sequence. Nothing is told by a style alone."""

    PLAIN = ""
    BOLD = "1"
    FAINT = "2"
    TURN = "1;7"
    WARNING = "1;31"
    # Cards: white where they may be played, grey where not. The four colours are in the extended palette, which
    # themes leave alone.
    SPADES = "1;38;5;16;48;5;255"
    HEARTS = "1;38;5;160;48;5;255"
    DIAMONDS = "1;38;5;26;48;5;255"
    CLUBS = "1;38;5;28;48;5;255"
    SPADES_OFF = "38;5;16;48;5;248"
    HEARTS_OFF = "38;5;88;48;5;248"
    DIAMONDS_OFF = "38;5;18;48;5;248"
    CLUBS_OFF = "38;5;22;48;5;248"


CARD_ON: Final = (Style.SPADES, Style.HEARTS, Style.DIAMONDS, Style.CLUBS)
CARD_OFF: Final = (Style.SPADES_OFF, Style.HEARTS_OFF, Style.DIAMONDS_OFF, Style.CLUBS_OFF)


@dataclass(frozen=True, slots=True)
class Piece:
    """Text as it is written, and how many cells it takes."""

    written: str
    cells: int
    style: Style = Style.PLAIN


@dataclass(frozen=True, slots=True)
class Ink:
    """How to write: whether in colour, right-to-left text how, and the language's base direction."""

    colour: bool
    bidi: Bidi
    rtl: bool

    def piece(self, text: str, width: int, style: Style = Style.PLAIN) -> Piece:
        """A text in the language's direction, clipped to so many cells."""
        return self._laid(clip(text, width), self.rtl, style)

    def symbols(self, text: str, style: Style = Style.PLAIN) -> Piece:
        """Cards and lines: from left to right in every language."""
        return self._laid(text, False, style)

    def paragraph(self, text: str, width: int, style: Style = Style.PLAIN) -> list[Piece]:
        """A sentence, in as many lines as it needs. A command, in which nothing runs to the left, stays as it is."""
        rtl = self.rtl and has_rtl(text)
        return [self._laid(line, rtl, style) for line in wrap(text, width)]

    def _laid(self, text: str, rtl: bool, style: Style) -> Piece:
        written = laid_out(text, rtl, self.bidi)
        return Piece(written, cells(written), style)

    def row(self, placed: Iterable[tuple[int, Piece]]) -> str:
        """One line: each piece at its column, none over another, nothing behind the last."""
        parts = sorted((entry for entry in placed if entry[1].cells), key=lambda entry: entry[0])
        # A terminal that turns runs round must see an end of each, or it would join them over the gaps.
        fence = LRM if self.bidi is Bidi.RAW and any(has_rtl(piece.written) for _, piece in parts) else ""
        line = ""
        at = 0
        for column, piece in parts:
            assert column >= at, "one piece lies over another"
            text = piece.written
            if self.colour and piece.style:
                text = f"\x1b[{piece.style.value}m{text}\x1b[0m"
            line += " " * (column - at) + fence + text + fence
            at = column + piece.cells
        return line

    def start(self, piece: Piece, width: int) -> tuple[int, Piece]:
        """A piece at the side where the language begins."""
        return (width - piece.cells if self.rtl else 0, piece)

    def end(self, piece: Piece, width: int) -> tuple[int, Piece]:
        """A piece at the other side."""
        return (0 if self.rtl else width - piece.cells, piece)

    def flow(self, pieces: Iterable[Piece], column: int, width: int) -> list[tuple[int, Piece]]:
        """Pieces side by side in the direction of reading, the first `column` cells from where the language begins."""
        placed = []
        for piece in pieces:
            placed.append((width - column - piece.cells if self.rtl else column, piece))
            column += piece.cells
        return placed


def centred(piece: Piece, centre: int) -> tuple[int, Piece]:
    """A piece around a column."""
    return (centre - piece.cells // 2, piece)
