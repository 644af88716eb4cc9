# SPDX-License-Identifier: Apache-2.0
"""What the person at the console types: heard, read, and done.

What could be an accident is asked for first. A card or trumps answer what the seat has asked; everything else that is
an act is handed to the sitting, which makes it as soon as it can.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import signal
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, assert_never

from hokm.errors import HokmError
from hokm.events import (
    Act,
    AnswerTea,
    AskTea,
    CallMiddle,
    Leave,
    NameTrump,
    PickUp,
    Play,
    Ready,
    Resign,
    Return,
    Run,
    TakeBack,
)
from hokm.languages import Language
from hokm.rules import Seat
from hokm_client.console import Console
from hokm_client.leaving import Left
from hokm_client.messages import Until
from hokm_client.question import ComeEarly, Question, Wish
from hokm_client.showing import REPLY_SECONDS, Showing
from hokm_client.sitting import Sitting
from hokm_client.terminal import say, say_customs
from hokm_client.terminal.editing import Entered, Key, Typed
from hokm_client.terminal.notices import notices
from hokm_client.terminal.slips import Slip, slip_sentence
from hokm_client.terminal.typed import Ask, Asked, Command, question, read
from hokm_client.terminal.typed_customs import Throw
from hokm_client.terminal.typed_seat import ChangeSeat
from hokm_client.terminal.view import Connection, Phase, View
from hokm_client.terminal.words import refusal_of, words


class Choice:
    """The decision that waits for the person, if one does."""

    def __init__(self, changed: Callable[[], None]) -> None:
        """`changed` is told when there is one."""
        self._changed = changed
        self._answer: asyncio.Future[Act] | None = None

    @property
    def waits(self) -> bool:
        """Something is to be decided."""
        return self._answer is not None

    async def wait(self, asked: Question) -> Act:
        """What the person decides. Cancelled when the decision is no longer open."""
        answer: asyncio.Future[Act] = asyncio.get_running_loop().create_future()
        self._answer = answer
        self._changed()
        try:
            return await answer
        finally:
            if self._answer is answer:
                self._answer = None

    def make(self, act: Act) -> bool:
        """Decide so; False where nothing waits for it any more."""
        if self._answer is None or self._answer.done():
            return False
        self._answer.set_result(act)
        return True


class Answering:
    """The person at one console, in one seat."""

    def __init__(
        self,
        sitting: Sitting,
        choice: Choice,
        console: Console,
        showing: Showing,
        language: Language,
        *,
        look: Callable[[], View],
        redraw: Callable[[], None],
        tell_story: Callable[[], bool],
        throw: Callable[[Throw], Coroutine[Any, Any, None]],
        start: Callable[[Coroutine[Any, Any, None]], None],
        waits: bool,
    ) -> None:
        """`look` gives the table as it is, `redraw` shows all of it once more, `start` lets something be done.

        `tell_story` tells the last chapter, and whether there is one; `throw` throws a thing.
        `waits`: the game does not go on while this program is closed.
        """
        self._sitting = sitting
        self._choice = choice
        self._console = console
        self._showing = showing
        self._language = language
        self._words = words(language)
        self._notices = notices(language)
        self._look = look
        self._redraw = redraw
        self._tell_story = tell_story
        self._throw = throw
        self._start = start
        self._waits = waits
        self._asked: Asked | None = None
        self.left: Left | None = None
        """How the person has left, once that is so."""
        self.leaving: Left | None = None
        """How, while the seat is being given up."""
        self.wants: Seat | None = None
        """The seat that is wanted in its place."""

    @property
    def is_here(self) -> bool:
        """The person has not gone: at most another game is wanted after this one."""
        return self.left in (None, Left.REMATCH)

    @property
    def is_asked(self) -> bool:
        """The person is asked whether that was meant."""
        return self._asked is not None

    def hear(self, what: Typed) -> None:
        """A line or a key."""
        self._showing.stop_resting()
        match what:
            case Entered(text):
                self._entered(text)
            case Key.INTERRUPT | Key.END:
                if self._asked is Command.QUIT or self._look().phase in (Phase.SEATING, Phase.GAME_OVER):
                    self._quit()
                else:
                    self._ask(Command.QUIT)
            case Key.GONE:
                self._quit()
            case Key.REDRAW:
                self._redraw()
            case Key.TOUCHED:
                pass
            case _:
                assert_never(what)

    def act(self, act: Wish, done: str = "") -> None:
        """Let an act be made, and say what became of it."""

        def made(future: asyncio.Future[int]) -> None:
            error = None if future.cancelled() else future.exception()
            if isinstance(error, HokmError):
                self._showing.reply(refusal_of(self._language, error))
            elif done and not future.cancelled():
                self._showing.say(done)

        self._sitting.act(act).add_done_callback(made)

    def _entered(self, text: str) -> None:
        view = self._look()
        asked, self._asked = self._asked, None
        self._showing.end(Until.TYPED)
        meant = read(text, view, asked)
        match meant:
            case Play() | NameTrump() | CallMiddle() | Run():
                self._decide(meant)
            case Leave():
                self._start(self._leave())
            case ChangeSeat(seat):
                self.wants = seat
                self._start(self._leave(Left.OTHER_SEAT))
            case Resign():
                self.act(meant, self._notices.resigned)
            case Return() | PickUp() | ComeEarly() | TakeBack() | AskTea() | AnswerTea() | Ready():
                self.act(meant)
            case Throw():
                self._start(self._throw_it(meant))
            case Ask(wanted):
                self._ask(wanted)
            case Slip():
                self._showing.reply(slip_sentence(meant, self._language))
            case Command():
                self._command(meant, view)
            case _:
                assert_never(meant)

    def _command(self, command: Command, view: View) -> None:
        match command:
            case Command.HELP:
                self._console.tell([*self._words.help, *say_customs.explained(view.rules, self._language)])
            case Command.RULES:
                title = say_customs.rules(view.rules, self._language)
                self._console.tell(say_customs.explained(view.rules, self._language), title)
            case Command.STORY:
                if not self._tell_story():
                    self._showing.reply(slip_sentence(Slip("NO_STORY"), self._language))
            case Command.QUIT:
                self._quit()
            case Command.REMATCH:
                self.left = Left.REMATCH
            case Command.LAST:
                self._showing.say(say.last_trick(view, self._language), REPLY_SECONDS)
            case Command.SCORE:
                score, tricks = say.score_line(view, self._language), say.tricks_line(view, self._language)
                self._showing.say(f"{score}. {tricks}.", REPLY_SECONDS)
            case Command.AGAIN:
                self._redraw()
            case Command.CANCELLED:
                self._showing.reply(self._words.cancelled)
            case _:
                assert_never(command)

    def _ask(self, wanted: Asked) -> None:
        """Ask whether that was meant."""
        self._asked = wanted
        waits = wanted is Command.QUIT and self._waits
        self._showing.reply(self._notices.quit_waiting if waits else question(wanted, self._language), math.inf)

    def _decide(self, act: Act) -> None:
        """Answer what the seat has asked."""
        if self._choice.make(act):
            self._showing.end(Until.PLAYED)
        elif self._choice.waits or self._sitting.seat.unanswered is not None:
            self._showing.reply(self._notices.already_sent)
        else:
            self._showing.reply(slip_sentence(Slip("NOT_YOUR_TURN"), self._language))

    async def _throw_it(self, what: Throw) -> None:
        """Throw a thing: that it landed is told to all alike."""
        try:
            await self._throw(what)
        except HokmError as error:
            self._showing.reply(refusal_of(self._language, error))

    async def _leave(self, how: Left = Left.LEFT_TABLE) -> None:
        self.leaving = how
        try:
            await self._sitting.leave()
        except HokmError as error:
            self.leaving = None
            self._showing.reply(refusal_of(self._language, error))
        else:
            self.left = how

    def _quit(self) -> None:
        """Close the program. A game that has not begun is left to others."""
        view = self._look()
        is_seated = view.phase is Phase.SEATING and not self._sitting.over.done()
        if is_seated and view.connection is Connection.UP and self.left is None:
            self._start(self._leave())
        else:
            self.left = Left.QUIT if self.is_here else self.left


@contextlib.contextmanager
def signals_heard(hear: Callable[[Typed], None]) -> Iterator[None]:
    """What comes as a signal is heard like a key, until the context ends."""
    loop = asyncio.get_running_loop()
    heard = {
        signal.SIGINT: Key.INTERRUPT,
        signal.SIGTERM: Key.GONE,
        signal.SIGHUP: Key.GONE,
        signal.SIGWINCH: Key.REDRAW,
        signal.SIGCONT: Key.REDRAW,
    }
    for number, key in heard.items():
        loop.add_signal_handler(number, hear, key)
    try:
        yield
    finally:
        for number in heard:
            loop.remove_signal_handler(number)
