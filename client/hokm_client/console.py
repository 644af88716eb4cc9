# SPDX-License-Identifier: Apache-2.0
"""Where the player sits: a terminal with a picture that is drawn over itself, or plain lines, and what is typed there.

Both have the same five methods. The picture edits the line that is being typed itself, so that a redraw keeps it; it
writes only the lines that have changed, in one go, and leaves the terminal as it found it. Plain lines are for screen
readers, pipes and terminals that can do nothing: what has happened is told, a sentence to a line, and nothing is ever
written over.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import os
import shutil
import sys
import termios
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol, TextIO

from hokm.languages import Language
from hokm_client.terminal import say, screen
from hokm_client.terminal.bidi import ENTER_SHAPED, LEAVE_SHAPED, Bidi
from hokm_client.terminal.editing import Entered, Key, Line, Typed, typed
from hokm_client.terminal.page import Page, draw_page
from hokm_client.terminal.rows import Ink
from hokm_client.terminal.view import Phase, View

Hear = Callable[[Typed], None]
"""Told of every line and key that is entered."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How the player wants to be spoken to."""

    language: Language = Language.EN
    bidi: Bidi = Bidi.SHAPED
    plain: bool = False
    """Lines, and no picture. A picture needs a terminal at both ends."""
    colour: bool = True


class Console(Protocol):
    """Where a player sees and types."""

    is_plain: bool
    """It is made of lines that stay, and tells by itself what is new."""

    @property
    def typed(self) -> str:
        """What stands unfinished."""

    def opened(self, hear: Hear) -> contextlib.AbstractContextManager[None]:
        """See and be heard, until the context ends."""

    def happened(self, view: View) -> None:
        """An entry has come: the table is this now."""

    def show(self, view: View) -> None:
        """This is to be seen now."""

    def note(self, sentence: str) -> None:
        """This is among the messages of what is shown from now on."""

    def tell(self, sentences: Sequence[str], title: str = "") -> None:
        """Something to read: the answer to a question of the player's, a story."""

    def close_page(self) -> None:
        """Back to the table, whatever is being read."""

    def again(self, view: View) -> None:
        """Everything once more."""


def console(manner: Manner) -> Console:
    """The one that was asked for."""
    return PlainConsole(manner) if manner.plain else PictureConsole(manner)


def write_lines(manner: Manner, sentences: Sequence[str], to: TextIO | None = None) -> bool:
    """Write sentences, one to a line, to the standard output if nothing else is said; False where nobody reads them.

    In a terminal they are broken between words and begin where the language does. What is indented is a command, and
    left as it is.
    """
    ink = Ink(False, manner.bidi, manner.language.rtl)
    stream = sys.stdout if to is None else to
    in_lines = stream.isatty() and not manner.plain
    width = shutil.get_terminal_size().columns if in_lines else sys.maxsize
    try:
        for sentence in sentences:
            if sentence.startswith("  "):
                print(ink.symbols(sentence).written, file=stream, flush=True)
                continue
            for piece in ink.paragraph(sentence, width):
                print(ink.row([ink.start(piece, width) if in_lines else (0, piece)]), file=stream, flush=True)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def _reading(came: Callable[[bytes], None]) -> Iterator[None]:
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


# Lines.


class PlainConsole:
    """Sentences, one to a line, and whole lines typed."""

    def __init__(self, manner: Manner) -> None:
        self._manner = manner
        self._before: View | None = None
        self._asked: tuple[object, ...] = ()
        self._rest = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._hear: Hear = _nobody
        self.is_plain = True
        self.typed = ""

    @contextlib.contextmanager
    def opened(self, hear: Hear) -> Iterator[None]:
        """See and be heard, until the context ends."""
        self._hear = hear
        with _reading(self._came):
            yield

    def happened(self, view: View) -> None:
        """Tell what is new. Messages have been told by `note`."""
        view = replace(view, messages=())
        before, self._before = self._before, view
        language = self._manner.language
        if before is None:
            self.again(view)
            return
        sentences = say.happenings(before, view, language)
        if view.hand & ~before.hand:
            sentences += say.hand(view, language)
        self.tell(sentences + self._asks(view))

    def show(self, view: View) -> None:
        """The same: what does not change is not told again."""
        self.happened(view)

    def note(self, sentence: str) -> None:
        """Write it."""
        self.tell((sentence,))

    def tell(self, sentences: Sequence[str], title: str = "") -> None:
        """Write them."""
        if not write_lines(self._manner, [*([title] if title else []), *sentences]):
            self._hear(Key.GONE)

    def close_page(self) -> None:
        """Nothing: what is written stays."""

    def again(self, view: View) -> None:
        """Everything from the start."""
        self._before = view = replace(view, messages=())
        self._asks(view)
        self.tell(screen.tell(view, self._manner.language))

    def _asks(self, view: View) -> list[str]:
        """What can be done, once for each decision: as soon as the cards for it are there."""
        ready = view.legal or (view.phase is Phase.TRUMPS and view.my_turn and view.hand)
        trick = () if view.trick is None else view.trick.cards
        asked = (view.round, view.phase, view.tricks, trick) if ready else ()
        if asked == self._asked or not asked:
            return []
        self._asked = asked
        return [*say.choices(view, self._manner.language), say.prompt(view, self._manner.language)]

    def _came(self, octets: bytes) -> None:
        *lines, self._rest = (self._rest + self._decoder.decode(octets, not octets)).split("\n")
        if not octets and self._rest:
            lines.append(self._rest)
            self._rest = ""
        for line in lines:
            self._hear(Entered(line.rstrip("\r")))
        if not octets:
            self._hear(Key.GONE)


# The picture.

_ENTER: Final = "\x1b[?1049h\x1b[?7l\x1b[2J"
"""The other screen, no new line at the right edge, empty."""
_LEAVE: Final = "\x1b[?7h\x1b[?25h\x1b[?1049l"
_BEGIN: Final = "\x1b[?2026h\x1b[?25l"
"""What follows is to be seen at once, where the terminal can do that; without a cursor that runs about."""
_END: Final = "\x1b[?25h\x1b[?2026l"
_RAW: Final = termios.ICANON | termios.ECHO | termios.ISIG | termios.IEXTEN


class PictureConsole:
    """The whole screen."""

    def __init__(self, manner: Manner) -> None:
        self._manner = manner
        self._line = Line()
        self._page: Page | None = None
        self._next_page: Page | None = None
        self._shown: list[str] = []
        self._last: tuple[View, int] | None = None
        self._hear: Hear = _nobody
        self.is_plain = False

    @property
    def typed(self) -> str:
        """What stands unfinished."""
        return self._line.text

    @contextlib.contextmanager
    def opened(self, hear: Hear) -> Iterator[None]:
        """Take the screen, and give it back with the last picture left above the prompt of the shell."""
        self._hear = hear
        source = sys.stdin.fileno()
        found = termios.tcgetattr(source)
        raw = termios.tcgetattr(source)
        raw[0] &= ~(termios.IXON | termios.ICRNL | termios.INLCR)
        raw[3] &= ~_RAW
        raw[6][termios.VMIN], raw[6][termios.VTIME] = 1, 0
        shaped = self._manner.language.rtl and self._manner.bidi is Bidi.SHAPED
        termios.tcsetattr(source, termios.TCSADRAIN, raw)
        self._write(_ENTER + (ENTER_SHAPED if shaped else ""))
        try:
            with _reading(self._came):
                yield
        finally:
            left = "".join(f"{line}\r\n" for line in self._left())
            self._write(_LEAVE + left + (LEAVE_SHAPED if shaped else ""))
            with contextlib.suppress(termios.error):  # the terminal is gone
                termios.tcsetattr(source, termios.TCSADRAIN, found)

    def happened(self, view: View) -> None:
        """Nothing: what is to be seen now comes by `show`."""

    def show(self, view: View) -> None:
        """Draw what is new of it."""
        size = os.get_terminal_size(sys.stdout.fileno())
        width, height = size.columns or 80, size.lines or 24  # a terminal that does not know has none
        manner = self._manner
        self._last = view, width
        if self._page is None:
            picture = screen.draw(view, manner.language, width, height, bidi=manner.bidi, colour=manner.colour)
        else:
            picture, self._next_page = draw_page(
                self._page, view, manner.language, width, height, bidi=manner.bidi, colour=manner.colour
            )
        self._draw(picture, screen.prompt_line(view.typed, manner.language, width, manner.bidi)[1])

    def note(self, sentence: str) -> None:
        """Nothing: it is in the next picture."""

    def tell(self, sentences: Sequence[str], title: str = "") -> None:
        """Show them in place of the table, until something is entered."""
        self._page, self._next_page = Page(tuple(sentences), title), None

    def close_page(self) -> None:
        """Show the table."""
        self._page = None

    def again(self, view: View) -> None:
        """Draw all of it, whatever is there."""
        self._shown = []
        self._write("\x1b[2J")
        self.show(view)

    def _left(self) -> list[str]:
        """What stays on the shell's screen: all of the last picture but what is asked, and what is typed."""
        if self._last is None:
            return []
        view, width = self._last
        manner = self._manner
        return screen.draw(view, manner.language, width, bidi=manner.bidi, colour=manner.colour)[:-2]

    def _draw(self, lines: list[str], column: int) -> None:
        changed = [
            f"\x1b[{row};1H\x1b[2K{line}"
            for row, line in enumerate(lines, start=1)
            if row > len(self._shown) or line != self._shown[row - 1]
        ]
        if len(lines) < len(self._shown):
            changed.append(f"\x1b[{len(lines) + 1};1H\x1b[J")
        self._shown = lines
        if changed:
            self._write(f"{_BEGIN}{''.join(changed)}\x1b[{len(lines)};{column}H{_END}")

    def _write(self, text: str) -> None:
        """Write all of it, though a signal such as a change of size may cut a write short."""
        rest = memoryview(text.encode())
        try:
            while rest:
                rest = rest[os.write(sys.stdout.fileno(), rest) :]
        except OSError:  # the terminal is gone
            self._hear(Key.GONE)

    def _came(self, octets: bytes) -> None:
        if not octets:
            self._hear(Key.GONE)
            return
        self._line, entered = typed(self._line, octets)
        for what in entered:
            if isinstance(what, Entered) and self._page is not None:
                self._page = None if what.text else self._next_page
                if not what.text:
                    continue
            self._hear(what)
        self._hear(Key.TOUCHED)


def _nobody(what: Typed) -> None:
    """Not open."""
