# SPDX-License-Identifier: Apache-2.0
"""The whole screen of a terminal: taken, drawn over line by line, and given back as it was found.

Only lines that have changed are written, in one go. What is typed comes as bytes, unseen by the terminal.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import termios
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from hokm_client.terminal.bidi import ENTER_SHAPED, LEAVE_SHAPED

_ENTER: Final = "\x1b[?1049h\x1b[?7l\x1b[2J"
"""The other screen, no new line at the right edge, empty."""
_LEAVE: Final = "\x1b[?7h\x1b[?25h\x1b[?1049l"
_BEGIN: Final = "\x1b[?2026h\x1b[?25l"
"""What follows is to be seen at once, where the terminal can do that; without a cursor that runs about."""
_END: Final = "\x1b[?2026l"
_RAW: Final = termios.ICANON | termios.ECHO | termios.ISIG | termios.IEXTEN

Came = Callable[[bytes], None]
"""Told of whatever is typed, and of an empty piece when nothing will come any more."""


@contextlib.contextmanager
def reading(came: Came) -> Iterator[None]:
    """Let whatever is typed come, and an empty piece at the end of it."""
    loop = asyncio.get_running_loop()
    source = sys.stdin.fileno()

    def read() -> None:
        try:
            octets = os.read(source, 4096)
        except OSError:  # the terminal is gone
            octets = b""
        if not octets:
            loop.remove_reader(source)
        came(octets)

    try:
        loop.add_reader(source, read)
    except PermissionError:  # a file: all of it is there
        while octets := os.read(source, 4096):
            came(octets)
        came(b"")
    try:
        yield
    finally:
        with contextlib.suppress(PermissionError):
            loop.remove_reader(source)


class Glass:
    """The screen. `shaped` says that right-to-left text is written in the order seen, so that nobody turns it again."""

    def __init__(self, *, shaped: bool) -> None:
        self._shaped = shaped
        self._shown: list[str] = []
        self._came: Came = _nobody

    @contextlib.contextmanager
    def opened(self, came: Came, left: Callable[[], Sequence[str]]) -> Iterator[None]:
        """Take the screen, and give it back with the lines of `left` above the prompt of the shell."""
        self._came = came
        source = sys.stdin.fileno()
        found = termios.tcgetattr(source)
        raw = termios.tcgetattr(source)
        raw[0] &= ~(termios.IXON | termios.ICRNL | termios.INLCR)
        raw[3] &= ~_RAW
        raw[6][termios.VMIN], raw[6][termios.VTIME] = 1, 0
        termios.tcsetattr(source, termios.TCSADRAIN, raw)
        self._write(_ENTER + (ENTER_SHAPED if self._shaped else ""))
        try:
            with reading(came):
                yield
        finally:
            lines = "".join(f"{line}\r\n" for line in left())
            self._write(_LEAVE + lines + (LEAVE_SHAPED if self._shaped else ""))
            with contextlib.suppress(termios.error):  # the terminal is gone
                termios.tcsetattr(source, termios.TCSADRAIN, found)

    @property
    def size(self) -> tuple[int, int]:
        """Its width and height in cells; the usual ones where the terminal does not know."""
        size = os.get_terminal_size(sys.stdout.fileno())
        return size.columns or 80, size.lines or 24

    def draw(self, lines: list[str], column: int | None = None) -> None:
        """Let these lines be seen, and the cursor at that column, from 1, of the last one; nowhere where none is."""
        changed = [
            f"\x1b[{row};1H\x1b[2K{line}"
            for row, line in enumerate(lines, start=1)
            if row > len(self._shown) or line != self._shown[row - 1]
        ]
        if len(lines) < len(self._shown):
            changed.append(f"\x1b[{len(lines) + 1};1H\x1b[J")
        self._shown = lines
        if changed:
            cursor = "" if column is None else f"\x1b[{len(lines)};{column}H\x1b[?25h"
            self._write(f"{_BEGIN}{''.join(changed)}{cursor}{_END}")

    def clear(self) -> None:
        """Draw all of the next lines, whatever is there."""
        self._shown = []
        self._write("\x1b[2J")

    def _write(self, text: str) -> None:
        """Write all of it, though a signal such as a change of size may cut a write short."""
        rest = memoryview(text.encode())
        try:
            while rest:
                rest = rest[os.write(sys.stdout.fileno(), rest) :]
        except OSError:  # the terminal is gone
            self._came(b"")


def _nobody(octets: bytes) -> None:
    """Not open."""
