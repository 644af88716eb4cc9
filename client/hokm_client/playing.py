# SPDX-License-Identifier: Apache-2.0
"""A game as a person plays it: what comes is shown, what is typed becomes an act, every round's proof is checked.

The seat decides and checks by itself what a program can (see `player`); this asks the person for the rest. A card is
shown as played only when its entry has come. A trick that is over stays on the screen for a moment, and so does a
round: that changes only what is seen, never what is sent, and any key ends it.

A seat that is stood in for because this program was away comes back by itself when the program does. Where its player
let two deadlines pass, the player must say that somebody is there.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import shlex
import signal
from collections.abc import Coroutine, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, NamedTuple, assert_never

from hokm.errors import HokmError
from hokm.events import (
    Act,
    Event,
    GameStarted,
    HakemDrawn,
    Leave,
    NameTrump,
    Play,
    Resign,
    Return,
    RoundRevealed,
    StandInCause,
    TimedOut,
)
from hokm.rules import Seat
from hokm.table import Round, Seating, Table
from hokm_client.checking import check_proof
from hokm_client.commands import program
from hokm_client.console import Console, Manner, console, write_lines
from hokm_client.errors import SeatGone, TakenOver
from hokm_client.fraud import Fraud
from hokm_client.messages import Until
from hokm_client.player import Player
from hokm_client.showing import REPLY_SECONDS, Showing
from hokm_client.sitting import Sitting
from hokm_client.stream import Step
from hokm_client.terminal import say
from hokm_client.terminal.bidi import leftward
from hokm_client.terminal.editing import Entered, Key, Typed
from hokm_client.terminal.notices import notices
from hokm_client.terminal.seen import Seen, seeing, turned_up, view_of
from hokm_client.terminal.typed import Ask, Asked, Command, Slip, question, read, slip_sentence
from hokm_client.terminal.view import Connection, Deal, Phase, View
from hokm_client.terminal.words import card_name, number, refusal_of, suit_name, verdict, words
from hokm_client.unfinished import forget, remember
from hokm_client.view import View as Decision

NEWS_SECONDS: Final = 20.0
"""How long what is said at the beginning stands."""
END_SECONDS: Final = 1.5
"""How long the end of a game is seen at least, however fast it is checked."""

_PROGRAM_WAS_AWAY: Final = (StandInCause.AWAY, StandInCause.NO_SIGN)

_NOT_WITNESSED: Final = frozenset(("NO_QUORUM", "NOT_WITNESSED", "TIMES_NOT_WITNESSED"))
"""Warnings that are there as long as no witness is."""


class Left(StrEnum):
    """How a game was left."""

    GAME_OVER = "game over"
    LEFT_TABLE = "left table"
    QUIT = "quit"
    """The program was closed, and the game goes on."""
    FAILED = "failed"


class Place(NamedTuple):
    """What belongs to a game on this machine."""

    state: Path
    """The player's directory: what must survive a crash, and evidence."""
    proofs: Path
    """The folder in which proofs are kept."""
    policy: Path
    """The file by which the verifier is to trust."""
    way_back: str
    """The command by which the player comes back."""
    invitation: Sequence[str] = ()
    """How others sit down, in sentences; none where nobody is to."""
    news: Sequence[str] = ()
    """What is to be said at the beginning."""
    waits: bool = False
    """The server stops with this program, so that the game waits."""

    @property
    def evidence(self) -> Path:
        """The folder in which the evidence of a fraud is kept."""
        return self.state / "evidence"


async def play_at(player: Player, table_id: bytes, seat: Seat | None, manner: Manner, place: Place) -> Left:
    """Play one game at the console that fits: how it was left.

    Raises what the table refuses the player for before it has sat down. What becomes of the game after that is told.
    """
    playing = _Playing(player, table_id, manner, place, console(manner))
    left = await playing.run(seat)
    write_lines(manner, playing.afterwards(left))
    return left


class _Playing:
    """One person, one game."""

    def __init__(self, player: Player, table_id: bytes, manner: Manner, place: Place, where: Console) -> None:
        self._player = player
        self._now_ms = player.connection.machine.now_ms
        self._table_id = table_id
        self._language = manner.language
        self._place = place
        self._console = where
        self._words = words(manner.language)
        self._notices = notices(manner.language)
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._early: list[tuple[Event, Table]] = []
        self._seen = Seen(0, player.key.public)
        self._behind_ms = 0
        self._showing = Showing(where, manner.language, self._wake.set)
        self._asked: Asked | None = None
        self._answer: asyncio.Future[Act] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._warnings: frozenset[str] = frozenset()
        self._left: Left | None = None
        self._is_leaving = False
        self._called_back = False
        self._sitting: Sitting | None = None

    async def run(self, seat: Seat | None) -> Left:
        """From sitting down to the end."""
        sitting = await self._player.sit(self._table_id, seat, choose=self._choose, watch=self._step, stays=False)
        self._seen = replace(self._seen, me=sitting.number)
        for event, table in self._early:
            self._seen = seeing(self._seen, event, table)
        self._early.clear()
        self._sitting = sitting
        sitting.on_refusal = lambda error: self._showing.say(refusal_of(self._language, error))
        with self._console.opened(self._hear), self._signals():
            self._console.happened(self._view(sitting))
            remember(self._place.state, self._table_id)
            for sentence in self._place.news:
                self._showing.say(sentence, NEWS_SECONDS, Until.NOTHING)
            if isinstance(sitting.table.stage, Seating):
                for sentence in self._place.invitation:
                    self._showing.say(sentence, math.inf)
            while not sitting.over.done() and self._left is None:
                self._come_back(sitting)
                await self._look(sitting)
            await self._end(sitting)
        return self._left or Left.GAME_OVER

    async def _look(self, sitting: Sitting) -> None:
        """Show the table, and wait until something else is to be seen."""
        self._show(sitting)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), self._seconds_to_change())
        self._wake.clear()

    async def _end(self, sitting: Sitting) -> None:
        """Tell how it ended, and wait for the proofs to be judged."""
        self._showing.stop_resting()
        error = sitting.over.exception() if sitting.over.done() else None
        if self._is_leaving and isinstance(error, SeatGone):
            self._left = Left.LEFT_TABLE  # its entry was seen before its answer
        if self._left is None and error is None:
            self._check(None)
            await self._last_look(sitting)
        elif self._left is None and error is not None:
            self._left = Left.FAILED
            for sentence in self._why(error):
                self._showing.warn(sentence)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._left is None or self._left is Left.LEFT_TABLE:
            forget(self._place.state)
        self._showing.end(Until.TYPED)
        self._show(sitting)

    async def _last_look(self, sitting: Sitting) -> None:
        until = self._loop.time() + END_SECONDS
        while self._left is None and (self._tasks or self._loop.time() < until):
            await self._look(sitting)

    def _why(self, error: BaseException) -> list[str]:
        """Why the game goes on without this program."""
        match error:
            case Fraud():
                evidence = self._notices.evidence.format(folder=leftward(str(self._place.evidence)))
                return [self._notices.caught.format(what=f"{error.what} ({error.kind})."), evidence]
            case TakenOver():
                return [self._notices.taken_over]
            case SeatGone():
                return [self._notices.seat_gone]
            case HokmError():
                return [refusal_of(self._language, error)]
            case _:
                raise error

    def afterwards(self, left: Left) -> list[str]:
        """What is left to be said when the console is closed."""
        if left is Left.GAME_OVER:
            return [*self._warned(), self._notices.proofs_kept, f"  {self._verifying()}"]
        if left is Left.LEFT_TABLE:
            return [self._notices.left]
        if left is Left.QUIT and not isinstance(self._table.stage, Seating):
            sentence = self._notices.game_waits if self._place.waits else self._notices.come_back
            return [sentence, f"  {self._place.way_back}"]
        return []

    def _verifying(self) -> str:
        """The command that verifies all proofs of this game."""
        files = f"{shlex.quote(str(self._place.proofs))}/{self._table_id.hex()}-*.json"
        rest = shlex.join(["--policy", str(self._place.policy), "--mine", self._player.key.public.hex()])
        return f"{shlex.quote(program('hokm-verify'))} {files} {rest}"

    def _warned(self) -> list[str]:
        """What the verifier warned of, in any of the proofs."""
        sentences = [self._notices.not_witnessed] if self._warnings & _NOT_WITNESSED else []
        if others := self._warnings - _NOT_WITNESSED:
            sentences.append(self._notices.warnings.format(codes=", ".join(sorted(others))))
        return sentences

    @property
    def _table(self) -> Table:
        assert self._seen.table is not None
        return self._seen.table

    # What comes.

    def _step(self, step: Step) -> None:
        """One more entry, checked."""
        if self._sitting is None:
            self._early.append((step.event, step.after))
            return
        self._behind_ms = max(self._behind_ms, step.event.time_ms - self._now_ms())
        self._seen = seeing(self._seen, step.event, step.after)
        match step.event.content:
            case GameStarted():
                self._showing.end(Until.PLAYED)
            case HakemDrawn() as drawn:
                assert step.before is not None
                turned = turned_up(step.before, drawn)
                self._showing.say(say.drawn(turned, drawn.hakem, self._seen.me, self._language))
            case RoundRevealed():
                self._showing.rest_round(self._seen)
                self._check(self._table.round)
            case TimedOut(seat=seat, trump=trump, card=card) if seat == self._seen.me:
                self._timed_out(trump, card)
        before = step.before.stage if step.before is not None else None
        after = step.after.stage
        if isinstance(before, Round) and isinstance(after, Round) and len(after.history) > len(before.history):
            self._showing.rest_trick(self._seen, len(before.history))
        self._console.happened(self._view(self._sitting))
        self._wake.set()

    def _timed_out(self, trump: int | None, card: int | None) -> None:
        if card is not None:
            self._showing.say(self._notices.timed_out_card.format(card=card_name(self._language, card)))
        elif trump is not None:
            self._showing.say(self._notices.timed_out_trump.format(suit=suit_name(self._language, trump)))

    def _come_back(self, sitting: Sitting) -> None:
        """Return where only this program was away."""
        place = sitting.seat.place
        if place is None or place.absent is None:
            self._called_back = False
        elif place.absent in _PROGRAM_WAS_AWAY and not self._called_back and sitting.seat.returns():
            self._called_back = True
            self._act(sitting, Return())

    async def _choose(self, decision: Decision) -> Act:
        """What the person decides. Cancelled when the decision is no longer open."""
        answer: asyncio.Future[Act] = self._loop.create_future()
        self._answer = answer
        self._wake.set()
        try:
            return await answer
        finally:
            if self._answer is answer:
                self._answer = None

    # Proofs.

    def _check(self, which: int | None) -> None:
        """Let the proof of that round, or of the game, be checked by a program of its own."""
        self._start(self._checked(which))

    async def _checked(self, which: int | None) -> None:
        try:
            checked = await check_proof(self._player, self._table_id, which, self._place.proofs, self._place.policy)
        except HokmError as error:
            self._showing.say(self._notices.not_checked.format(why=refusal_of(self._language, error)))
            return
        self._warnings |= checked.warnings
        word = verdict(self._language, checked.verdict)
        if which is None:
            self._showing.warn(self._notices.game_checked.format(verdict=word))
        else:
            number_ = number(self._language, which)
            self._showing.say(self._notices.round_checked.format(round=number_, verdict=word))
        if checked.fault:
            self._showing.warn(f"{checked.fault} ({checked.path})")

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._wake.set()
        if not task.cancelled():
            task.result()

    # What is typed.

    def _hear(self, what: Typed) -> None:
        sitting = self._sitting
        assert sitting is not None
        self._wake.set()
        self._showing.stop_resting()
        match what:
            case Entered(text):
                self._entered(sitting, text)
            case Key.INTERRUPT | Key.END:
                if self._asked is Command.QUIT or self._view(sitting).phase in (Phase.SEATING, Phase.GAME_OVER):
                    self._quit(sitting)
                else:
                    self._ask(Command.QUIT)
            case Key.GONE:
                self._quit(sitting)
            case Key.REDRAW:
                self._console.again(self._shown(sitting))
            case Key.TOUCHED:
                pass
            case _:
                assert_never(what)

    def _entered(self, sitting: Sitting, text: str) -> None:
        view = self._view(sitting)
        asked, self._asked = self._asked, None
        self._showing.end(Until.TYPED)
        meant = read(text, view, asked)
        match meant:
            case Play() | NameTrump():
                self._decide(sitting, meant)
            case Leave():
                self._start(self._leave(sitting))
            case Resign():
                self._act(sitting, meant, self._notices.resigned)
            case Return():
                self._act(sitting, meant)
            case Ask(wanted):
                self._ask(wanted)
            case Slip():
                self._showing.reply(slip_sentence(meant, self._language))
            case Command():
                self._command(sitting, meant, view)
            case _:
                assert_never(meant)

    def _command(self, sitting: Sitting, command: Command, view: View) -> None:
        match command:
            case Command.HELP:
                self._console.tell(self._words.help)
            case Command.QUIT:
                self._quit(sitting)
            case Command.LAST:
                self._showing.say(say.last_trick(view, self._language), REPLY_SECONDS)
            case Command.SCORE:
                score, tricks = say.score_line(view, self._language), say.tricks_line(view, self._language)
                self._showing.say(f"{score}. {tricks}.", REPLY_SECONDS)
            case Command.AGAIN:
                self._console.again(self._shown(sitting))
            case Command.CANCELLED:
                self._showing.reply(self._words.cancelled)
            case _:
                assert_never(command)

    def _decide(self, sitting: Sitting, act: Act) -> None:
        """Answer what the seat has asked."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(act)
            self._showing.end(Until.PLAYED)
        elif self._answer is not None or sitting.seat.unanswered is not None:
            self._showing.reply(self._notices.already_sent)
        else:
            self._showing.reply(slip_sentence(Slip("NOT_YOUR_TURN"), self._language))

    def _act(self, sitting: Sitting, act: Act, done: str = "") -> None:
        """Let an act be made, and say what became of it."""

        def made(future: asyncio.Future[int]) -> None:
            error = None if future.cancelled() else future.exception()
            if isinstance(error, HokmError):
                self._showing.reply(refusal_of(self._language, error))
            elif done and not future.cancelled():
                self._showing.say(done)

        sitting.act(act).add_done_callback(made)

    async def _leave(self, sitting: Sitting) -> None:
        self._is_leaving = True
        try:
            await sitting.leave()
        except HokmError as error:
            self._is_leaving = False
            self._showing.reply(refusal_of(self._language, error))
        else:
            self._left = Left.LEFT_TABLE

    def _quit(self, sitting: Sitting) -> None:
        """Close the program. A game that has not begun is left to others."""
        is_seated = isinstance(self._table.stage, Seating) and not sitting.over.done()
        if is_seated and self._player.stream.is_open and self._left is None:
            self._start(self._leave(sitting))
        else:
            self._left = self._left or Left.QUIT

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        """What comes as a signal is heard like a key."""
        heard = {
            signal.SIGINT: Key.INTERRUPT,
            signal.SIGTERM: Key.GONE,
            signal.SIGHUP: Key.GONE,
            signal.SIGWINCH: Key.REDRAW,
            signal.SIGCONT: Key.REDRAW,
        }
        for number_, key in heard.items():
            self._loop.add_signal_handler(number_, self._hear, key)
        try:
            yield
        finally:
            for number_ in heard:
                self._loop.remove_signal_handler(number_)

    # What is shown.

    def _ask(self, wanted: Asked) -> None:
        self._asked = wanted
        waits = wanted is Command.QUIT and self._place.waits
        self._showing.reply(self._notices.quit_waiting if waits else question(wanted, self._language), math.inf)

    def _view(self, sitting: Sitting) -> View:
        """The table as it is."""
        view = view_of(self._seen, sitting.seat.cards.dealt, self._now_ms() + self._behind_ms)
        connection = Connection.UP if self._player.stream.is_open or view.phase is Phase.GAME_OVER else Connection.LOST
        deal = view.deal if sitting.seat.fraud is None else Deal.WRONG
        return replace(view, connection=connection, deal=deal, asked=self._asked is not None)

    def _shown(self, sitting: Sitting) -> View:
        return self._showing.shown(self._view(sitting), self._seen)

    def _show(self, sitting: Sitting) -> None:
        self._console.show(self._shown(sitting))

    def _seconds_to_change(self) -> float:
        """Until another second is shown, or something else."""
        second = 1 - (self._now_ms() + self._behind_ms - self._table.time_ms) % 1000 / 1000
        return max(0.01, min(second, self._showing.seconds_to_change()))
