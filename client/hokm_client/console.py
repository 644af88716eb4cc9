# SPDX-License-Identifier: Apache-2.0
"""Where the player sits: a terminal with a picture that is drawn over itself, or plain lines, and what is typed there.

Both have the same five methods. The picture edits the line that is being typed itself, so that a redraw keeps it; it
writes only the lines that have changed, in one go, and leaves the terminal as it found it. Plain lines are for screen
readers, pipes and terminals that can do nothing: what has happened is told, a sentence to a line, and nothing is ever
written over.
"""

from __future__ import annotations

import codecs
import contextlib
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TextIO

from hokm.languages import Language
from hokm_client.glass import Glass, reading
from hokm_client.terminal import say, screen
from hokm_client.terminal.bidi import Bidi
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

    @property
    def is_shaped(self) -> bool:
        """Right-to-left text is written in the order seen."""
        return self.language.rtl and self.bidi is Bidi.SHAPED


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
        with reading(self._came):
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


class PictureConsole:
    """The whole screen."""

    def __init__(self, manner: Manner) -> None:
        self._manner = manner
        self._line = Line()
        self._page: Page | None = None
        self._next_page: Page | None = None
        self._glass = Glass(shaped=manner.is_shaped)
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
        with self._glass.opened(self._came, self._left):
            yield

    def happened(self, view: View) -> None:
        """Nothing: what is to be seen now comes by `show`."""

    def show(self, view: View) -> None:
        """Draw what is new of it."""
        width, height = self._glass.size
        manner = self._manner
        self._last = view, width
        if self._page is None:
            picture = screen.draw(view, manner.language, width, height, bidi=manner.bidi, colour=manner.colour)
        else:
            picture, self._next_page = draw_page(
                self._page, view, manner.language, width, height, bidi=manner.bidi, colour=manner.colour
            )
        self._glass.draw(picture, screen.prompt_line(view.typed, manner.language, width, manner.bidi)[1])

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
        self._glass.clear()
        self.show(view)

    def _left(self) -> list[str]:
        """What stays on the shell's screen: all of the last picture but what is asked, and what is typed."""
        if self._last is None:
            return []
        view, width = self._last
        manner = self._manner
        return screen.draw(view, manner.language, width, bidi=manner.bidi, colour=manner.colour)[:-2]

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
