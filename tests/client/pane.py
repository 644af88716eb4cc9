# SPDX-License-Identifier: Apache-2.0
"""A real pseudo-terminal with a program in it: keys go in, and what a person would see comes out as lines.

It understands what our picture writes and no more: places, erasing, the second screen. Anything else is an error, so
that nothing is written that was not meant.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

SECONDS = 30.0
"""Whatever does not come in so long does not come."""

_SEQUENCE = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])")


class Pane:
    """One terminal and the program in it."""

    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self.lines = [""] * rows
        self.left: list[str] = []
        """What is written on the first screen."""
        self.raw = ""
        """All that was ever written."""
        self.status: int | None = None
        self._on_second = False
        self._row = 0
        self._told = True
        """The program has drawn anew since the size changed: what it wrote before was for the old size."""
        self._rest = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._changed = asyncio.Event()
        self._ours, self._theirs = pty.openpty()
        self.resize(rows, columns)
        self.modes = termios.tcgetattr(self._theirs)

    def resize(self, rows: int, columns: int) -> None:
        """Give the window another size; the program is told by the system."""
        self.rows, self.columns = rows, columns
        self.lines = (self.lines + [""] * rows)[:rows]
        self._told = False
        fcntl.ioctl(self._theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    async def run(self, *arguments: str) -> None:
        """Start ``hokm`` with these arguments in it."""
        asyncio.get_running_loop().add_reader(self._ours, self._read)
        environment = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8", "LC_ALL": ""}
        self._program = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "hokm_client", *arguments),
            stdin=self._theirs,
            stdout=self._theirs,
            stderr=self._theirs,
            env={name: value for name, value in environment.items() if name not in ("TMUX", "VTE_VERSION")},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        self._waiting = asyncio.ensure_future(self._wait())

    def keys(self, text: str) -> None:
        """Type; ``\\r`` is Enter."""
        os.write(self._ours, text.encode())

    def kill(self, signal: int) -> None:
        """Send the program a signal."""
        self._program.send_signal(signal)

    async def until(self, seen: Callable[[Pane], Any], what: str = "") -> Any:
        """Wait until something is seen; what it was. Fails with the picture where it does not come."""
        try:
            async with asyncio.timeout(SECONDS):
                while not (found := seen(self)):
                    self._changed.clear()
                    await self._changed.wait()
                return found
        except TimeoutError:
            raise AssertionError(f"never seen: {what or seen}\n{self}") from None

    async def until_shown(self, text: str) -> None:
        """Wait until that text is on the screen."""
        await self.until(lambda pane: text in str(pane), text)

    async def ended(self) -> int:
        """The status with which the program ends."""
        await self.until(lambda pane: pane.status is not None, "the end of the program")
        assert self.status is not None
        return self.status

    def __str__(self) -> str:
        return "\n".join(self.lines if self._on_second else self.left)

    async def close(self) -> None:
        """Close the window."""
        if self.status is None:
            with contextlib.suppress(ProcessLookupError):
                self._program.kill()
            await self._waiting
        asyncio.get_running_loop().remove_reader(self._ours)
        os.close(self._ours)
        os.close(self._theirs)

    async def _wait(self) -> None:
        self.status = await self._program.wait()
        self._changed.set()

    # What comes.

    def _read(self) -> None:
        text = self._decoder.decode(os.read(self._ours, 65536))
        self.raw += text
        text, self._rest = self._rest + text, ""
        while text:
            if text[0] != "\x1b":
                cut = text.find("\x1b")
                self._put(text[: None if cut < 0 else cut])
                text = "" if cut < 0 else text[cut:]
                continue
            found = _SEQUENCE.match(text)
            if found is None:
                self._rest = text
                break
            self._obey(found[1], found[2])
            text = text[found.end() :]
        self._changed.set()

    def _put(self, text: str) -> None:
        if not self._on_second:
            *whole, rest = ((self.left.pop() if self.left else "") + text).split("\n")
            self.left += [line.rstrip("\r") for line in whole] + [rest]
            return
        assert "\n" not in text, f"a new line in a picture: {text!r}"
        self.lines[self._row] += text

    def _obey(self, parameters: str, final: str) -> None:
        match parameters, final:
            case "?1049", "h":
                self._on_second, self.lines = True, [""] * self.rows
            case "?1049", "l":
                self._on_second = False
            case "2", "J":
                self.lines, self._told = [""] * self.rows, True
            case "", "J":
                self.lines[self._row :] = [""] * (self.rows - self._row)
            case "2", "K":
                self.lines[self._row] = ""
            case place, "H":
                row, _ = place.split(";")
                self._row = min(int(row), self.rows) - 1
                assert int(row) <= self.rows or not self._told, "below the terminal"
            case (("?7" | "?25" | "?2026" | "8"), ("h" | "l")):
                pass
            case _, "m":
                pass
            case _:
                raise AssertionError(f"not meant to be written: {parameters}{final}")


@contextlib.asynccontextmanager
async def pane(*arguments: str, rows: int = 26, columns: int = 80) -> AsyncIterator[Pane]:
    """A terminal in which ``hokm`` runs with these arguments."""
    window = Pane(rows, columns)
    await window.run(*arguments)
    try:
        yield window
    finally:
        await window.close()


def piped(arguments: Sequence[str]) -> subprocess.Popen[str]:
    """``hokm`` with these arguments, and pipes in place of a terminal."""
    return subprocess.Popen(
        (sys.executable, "-m", "hokm_client", *arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
