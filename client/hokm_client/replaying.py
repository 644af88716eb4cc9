# SPDX-License-Identifier: Apache-2.0
"""A game seen again at the console: the picture of one moment, and keys that go to others; or sentences.

Where there is no picture, what is typed goes from moment to moment, a line each; where nobody types, all is told.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Final

from hokm.errors import HokmError
from hokm.languages import Language
from hokm.proof import MOST_GAME_BYTES
from hokm.record import FORMAT, GameRecord, record
from hokm.verify.report import Refused
from hokm_client.answering import signals_heard
from hokm_client.console import Manner, write_lines
from hokm_client.errors import NothingDealt, NotReplayable
from hokm_client.glass import Glass
from hokm_client.terminal.editing import Key, Typed, keys
from hokm_client.terminal.replay_screen import draw, picture
from hokm_client.terminal.replay_told import told
from hokm_client.terminal.replay_words import QUIT, TYPED, replay_words
from hokm_client.terminal.replayed import Go, Replay, replayed
from hokm_client.terminal.rows import Ink
from hokm_client.terminal.screen import MOST_WIDTH
from hokm_client.terminal.spelling import plain

_LEFT: Final = b"\x1b[D"
_RIGHT: Final = b"\x1b[C"
_KEYS: Final = {
    b"\r": Go.FORWARD,
    b"\n": Go.FORWARD,
    b"\x7f": Go.BACK,
    b"\x08": Go.BACK,
    b"\x1b[5~": Go.ROUND_BEFORE,
    b"\x1b[6~": Go.NEXT_ROUND,
}
"""Enter, Backspace, Page Up and Page Down. The arrows go with the direction of reading."""
_CLOSES: Final = (b"\x03", b"\x04", b"\x1b")


def read_replay(path: Path, key: bytes | None) -> Replay:
    """The game in that file, a record or a proof, as whoever has that key sees it.

    What it shows need not be true: that is the verifier's to say. Raises `NotReplayable`, `NothingDealt`, `OSError`.
    """
    with path.open("rb") as file:
        octets = file.read(MOST_GAME_BYTES + 1)
    try:
        made = GameRecord.parse(octets) if f'"{FORMAT}"'.encode() in octets else record(octets)
    except HokmError as error:
        raise NotReplayable(str(path), str(error)) from None
    except Refused as refused:
        raise NotReplayable(str(path), refused.finding.sentence) from None
    seen = replayed(made, key)
    if seen is None:
        raise NothingDealt(str(path))
    return seen


def show(seen: Replay, manner: Manner) -> None:
    """Let it be seen in that manner, until whoever looks on has had enough."""
    if not manner.plain:
        asyncio.run(_Picture(seen, manner).run())
    elif sys.stdin.isatty():
        _by_lines(seen, manner)
    else:
        _all_of(seen, manner)


# Lines.


def _by_lines(seen: Replay, manner: Manner) -> None:
    how = replay_words(manner.language).typed
    write_lines(manner, [*told(seen, manner.language), how])
    for line in sys.stdin:
        word = plain(line)
        if word in QUIT:
            return
        if word in TYPED:
            seen = seen.gone(TYPED[word])
        if not write_lines(manner, [*told(seen, manner.language)] if word in TYPED else [how]):
            return


def _all_of(seen: Replay, manner: Manner) -> None:
    while write_lines(manner, [*told(seen, manner.language)]) and (after := seen.gone(Go.FORWARD)) != seen:
        seen = after


# The picture.


class _Picture:
    """One person, looking on."""

    def __init__(self, seen: Replay, manner: Manner) -> None:
        self._seen = seen
        self._manner = manner
        self._glass = Glass(shaped=manner.is_shaped)
        self._rest = b""
        self._over = asyncio.Event()

    async def run(self) -> None:
        """From the first moment until a key closes it."""
        with self._glass.opened(self._came, self._left), signals_heard(self._signalled):
            self._show()
            await self._over.wait()

    def _came(self, octets: bytes) -> None:
        if not octets:
            self._over.set()
        pressed, self._rest = keys(self._rest + octets)
        for key in pressed:
            self._pressed(key)
        self._show()

    def _pressed(self, key: bytes) -> None:
        back, forward = (_RIGHT, _LEFT) if self._manner.language is Language.FA else (_LEFT, _RIGHT)
        word = key.decode("utf-8", "replace").lower()
        where = {back: Go.BACK, forward: Go.FORWARD}.get(key) or _KEYS.get(key) or TYPED.get(word)
        if key in _CLOSES or word in QUIT:
            self._over.set()
        elif where is not None:
            self._seen = self._seen.gone(where)

    def _signalled(self, what: Typed) -> None:
        if what is Key.REDRAW:
            self._glass.clear()
            self._show()
        else:
            self._over.set()

    def _show(self) -> None:
        manner = self._manner
        width, height = self._glass.size
        lines = draw(self._seen, manner.language, width, height, bidi=manner.bidi, colour=manner.colour)
        self._glass.draw(lines)

    def _left(self) -> list[str]:
        """What stays on the shell's screen: the picture without its keys."""
        manner = self._manner
        ink = Ink(manner.colour, manner.bidi, manner.language.rtl)
        return picture(self._seen, manner.language, min(self._glass.size[0], MOST_WIDTH), ink)
