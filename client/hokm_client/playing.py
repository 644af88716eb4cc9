# SPDX-License-Identifier: Apache-2.0
"""A game as a person plays it: what comes is shown, what is typed becomes an act, every round's proof is checked.

The seat decides and checks by itself what a program can (see `player`); this asks the person for the rest. A card is
shown as played only when its entry has come. A trick that is over stays on the screen for a moment, and so does a
round: that changes only what is seen, never what is sent, and any key ends it.

A seat that is stood in for because this program was away comes back by itself when the program does. Where its player
let two deadlines pass, the player must say that somebody is there.

What a game came to stays to be seen until the player closes the program or wants a rematch.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import shlex
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from hokm.errors import HokmError, SeatNotFree
from hokm.events import (
    Event,
    GameStarted,
    HakemDrawn,
    Return,
    RoundRevealed,
    StandInCause,
    TeaBegan,
    TeaEnded,
    TimedOut,
)
from hokm.rules import Seat
from hokm.table import Over, Round, Seating, Table
from hokm.v1 import tables_service_pb2 as pb
from hokm_client.answering import Answering, Choice, signals_heard
from hokm_client.checking import check_proof, proof_path
from hokm_client.commands import command, program
from hokm_client.console import Console, Manner, console, write_lines
from hokm_client.errors import SeatGone
from hokm_client.leaving import Left, closed, game_over, left_table, why
from hokm_client.messages import Until
from hokm_client.player import Player
from hokm_client.showing import Showing
from hokm_client.sitting import Sitting
from hokm_client.storyteller import chapter
from hokm_client.stream import Step
from hokm_client.terminal import say, say_customs
from hokm_client.terminal.editing import Typed
from hokm_client.terminal.notices import notices
from hokm_client.terminal.seen import Seen, seeing, turned_up, view_of
from hokm_client.terminal.things import Thing
from hokm_client.terminal.typed_customs import Throw
from hokm_client.terminal.view import Connection, Deal, Phase, View
from hokm_client.terminal.words import card_name, number, refusal_of, suit_name, verdict
from hokm_client.unfinished import forget, remember

NEWS_SECONDS: Final = 20.0
"""How long what is said at the beginning stands."""
LANDED_SECONDS: Final = 6.0
"""How long it stands that something landed."""

_PROGRAM_WAS_AWAY: Final = (StandInCause.AWAY, StandInCause.NO_SIGN)


class Setting(NamedTuple):
    """What belongs to a game on this machine."""

    state: Path
    """The player's directory: what must survive a crash, and evidence."""
    proofs: Path
    """The folder in which proofs are kept."""
    policy: Path
    """The file by which the verifier is to trust."""
    way_back: str
    """The command by which the player comes back."""
    who: Sequence[str] = ()
    """The words that say which player calls a program, and where the files are."""
    rematch: str = ""
    """The command for another game with the same players; none where nobody is to be asked."""
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


async def play_at(
    player: Player, table_id: bytes, seat: Seat | None, manner: Manner, setting: Setting, join_code: str = ""
) -> Left:
    """Play one game at the console that fits: how it was left. `join_code`: what a private table asks for.

    Raises what the table refuses the player for before it has sat down. What becomes of the game after that is told.
    """
    playing = _Playing(player, table_id, manner, setting, console(manner))
    left = await playing.run(seat, join_code)
    write_lines(manner, playing.afterwards(left))
    return left


async def play_on(player: Player, table_id: bytes, left: Left, play: Callable[[bytes, Seat], Awaitable[Left]]) -> Left:
    """Play each rematch that is wanted after a game at that table, which was left so: how the last one was left."""
    while left is Left.REMATCH:
        table_id, seat = await player.rematch(table_id)
        left = await play(table_id, seat)
    return left


class _Playing:
    """One person, one game."""

    def __init__(self, player: Player, table_id: bytes, manner: Manner, setting: Setting, where: Console) -> None:
        self._player = player
        self._now_ms = player.connection.machine.now_ms
        self._table_id = table_id
        self._language = manner.language
        self._setting = setting
        self._console = where
        self._notices = notices(manner.language)
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._early: list[tuple[Event, Table]] = []
        self._seen = Seen(0, player.key.public)
        self._behind_ms = 0
        self._showing = Showing(where, manner.language, self._wake.set)
        self._choice = Choice(self._wake.set)
        self._tasks: set[asyncio.Task[None]] = set()
        self._warnings: frozenset[str] = frozenset()
        self._called_back = False
        self._sitting: Sitting | None = None
        self._answering: Answering | None = None

    async def run(self, seat: Seat | None, join_code: str) -> Left:
        """From sitting down to the end; before the start in one seat after the other, as the player wants."""
        left = await self._sit_down(seat, join_code, self._step)
        while left is Left.OTHER_SEAT:
            assert self._answering is not None
            self._sitting = None
            try:
                left = await self._sit_down(self._answering.wants, join_code)
            except SeatNotFree:  # somebody was faster
                left = await self._sit_down(None, join_code)
        return left

    async def _sit_down(self, seat: Seat | None, join_code: str, watch: Callable[[Step], None] | None = None) -> Left:
        """From sitting down in one seat to leaving it."""
        sitting = await self._player.sit(
            self._table_id, seat, choose=self._choice.wait, watch=watch, stays=False, join_code=join_code
        )
        self._seen = replace(self._seen, me=sitting.number)
        for event, table in self._early:
            self._seen = seeing(self._seen, event, table)
        self._early.clear()
        self._sitting = sitting
        sitting.on_landed = self._landed
        sitting.on_refusal = lambda error: self._showing.say(refusal_of(self._language, error))
        answering = self._answering = self._answers(sitting)
        with self._console.opened(self._hear), signals_heard(self._hear):
            if watch is None:
                self._console.again(self._view())  # it is all seen from elsewhere now
            else:
                self._greet(sitting.table)
            while not sitting.over.done() and answering.is_here:
                self._come_back(sitting, answering)
                await self._look()
            return await self._end(sitting, answering)

    def _greet(self, table: Table) -> None:
        """Say what is to be said at the beginning."""
        self._console.happened(self._view())
        remember(self._setting.state, self._table_id)
        for sentence in (*self._setting.news, *say_customs.announced(table.rules, self._language)):
            self._showing.say(sentence, NEWS_SECONDS, Until.NOTHING)
        if table.is_pausing:
            self._tell_story()
        if isinstance(table.stage, Seating):
            for sentence in self._setting.invitation:
                self._showing.say(sentence, math.inf)

    def _answers(self, sitting: Sitting) -> Answering:
        return Answering(
            sitting,
            self._choice,
            self._console,
            self._showing,
            self._language,
            look=self._view,
            redraw=lambda: self._console.again(self._shown()),
            tell_story=self._tell_story,
            throw=self._throw,
            start=self._start,
            waits=self._setting.waits,
        )

    def _hear(self, what: Typed) -> None:
        assert self._answering is not None
        self._wake.set()
        self._answering.hear(what)

    async def _look(self) -> None:
        """Show the table, and wait until something else is to be seen."""
        self._show()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), self._seconds_to_change())
        self._wake.clear()

    async def _end(self, sitting: Sitting, answering: Answering) -> Left:
        """Tell how it ended, and wait for the proofs to be judged."""
        self._showing.stop_resting()
        error = sitting.over.exception() if sitting.over.done() else None
        left = answering.left
        if answering.leaving is not None and isinstance(error, SeatGone):
            left = answering.leaving  # its entry was seen before its answer
        elif answering.is_here and error is None:
            left = await self._after_game(answering)
        elif answering.is_here and error is not None:
            left = Left.FAILED
            for sentence in why(error, self._setting.evidence, self._language):
                self._showing.warn(sentence)
        is_checked = not self._tasks
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if left is Left.LEFT_TABLE or (left in (Left.GAME_OVER, Left.REMATCH) and is_checked):
            forget(self._setting.state)
        self._showing.end(Until.TYPED)
        self._show()
        assert left is not None
        return left

    async def _after_game(self, answering: Answering) -> Left:
        """Until the player has seen enough of it: whether there is to be another one."""
        self._check(None)
        while self._tasks and answering.is_here:
            await self._look()
        if answering.left is None:
            self._showing.say(self._notices.rematch, math.inf, Until.TYPED)
        while answering.left is None:
            await self._look()
        return Left.REMATCH if answering.left is Left.REMATCH else Left.GAME_OVER

    def afterwards(self, left: Left) -> list[str]:
        """What is left to be said when the console is closed."""
        match left:
            case Left.GAME_OVER | Left.REMATCH:
                rematch = self._setting.rematch if left is Left.GAME_OVER else ""
                verify, replay = self._verifying(), self._replaying()
                return game_over(self._warnings, verify, self._language, replay=replay, rematch=rematch)
            case Left.LEFT_TABLE:
                return left_table(self._language)
            case Left.QUIT if not isinstance(self._table.stage, Seating | Over):
                return closed(self._setting.way_back, self._language, waits=self._setting.waits)
            case _:
                return []

    def _verifying(self) -> str:
        """The command that verifies all proofs of this game."""
        files = f"{shlex.quote(str(self._setting.proofs))}/{self._table_id.hex()}-*.json"
        rest = shlex.join(["--policy", str(self._setting.policy), "--mine", self._player.key.public.hex()])
        return f"{shlex.quote(program('hokm-verify'))} {files} {rest}"

    def _replaying(self) -> str:
        """The command that shows this game again."""
        path = proof_path(self._setting.proofs, self._table_id, None)
        return command("hokm", "replay", str(path), *self._setting.who)

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
            case TeaBegan():
                self._tell_story()
            case TeaEnded():
                self._console.close_page()
            case TimedOut(seat=seat, trump=trump, card=card) if seat == self._seen.me:
                self._timed_out(trump, card)
        before = step.before.stage if step.before is not None else None
        after = step.after.stage
        if isinstance(before, Round) and isinstance(after, Round) and len(after.history) > len(before.history):
            self._showing.rest_trick(self._seen, len(before.history))
        self._console.happened(self._view())
        self._wake.set()

    def _timed_out(self, trump: int | None, card: int | None) -> None:
        if card is not None:
            self._showing.say(self._notices.timed_out_card.format(card=card_name(self._language, card)))
        elif trump is not None:
            self._showing.say(self._notices.timed_out_trump.format(suit=suit_name(self._language, trump)))

    def _tell_story(self) -> bool:
        """Tell the chapter of the last tea; False where there has been none."""
        if not self._seen.teas:
            return False
        told = chapter(self._language, self._seen.teas - 1)
        self._console.tell(told.paragraphs, told.title)
        return True

    def _landed(self, at: Seat, what: int) -> None:
        """Something was thrown, and nobody is told by whom."""
        if what in set(Thing):
            self._showing.say(say_customs.lands(Thing(what), at, self._seen.me, self._language), LANDED_SECONDS)

    async def _throw(self, what: Throw) -> None:
        await self._player.throw(self._table_id, self._seen.me, what.at, pb.Thing.ValueType(what.thing))

    def _come_back(self, sitting: Sitting, answering: Answering) -> None:
        """Return where only this program was away."""
        place = sitting.seat.place
        if place is None or place.absent is None:
            self._called_back = False
        elif place.absent in _PROGRAM_WAS_AWAY and not self._called_back and sitting.seat.returns():
            self._called_back = True
            answering.act(Return())

    # Proofs.

    def _check(self, which: int | None) -> None:
        """Let the proof of that round, or of the game, be checked by a program of its own."""
        self._start(self._checked(which))

    async def _checked(self, which: int | None) -> None:
        try:
            checked = await check_proof(self._player, self._table_id, which, self._setting.proofs, self._setting.policy)
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

    # What is shown.

    def _view(self) -> View:
        """The table as it is."""
        assert self._sitting is not None
        seat = self._sitting.seat
        view = view_of(self._seen, seat.cards.dealt, self._now_ms() + self._behind_ms, seat.early.lying)
        connection = Connection.UP if self._player.stream.is_open or view.phase is Phase.GAME_OVER else Connection.LOST
        deal = view.deal if seat.fraud is None else Deal.WRONG
        asked = self._answering is not None and self._answering.is_asked
        return replace(view, connection=connection, deal=deal, asked=asked)

    def _shown(self) -> View:
        return self._showing.shown(self._view(), self._seen)

    def _show(self) -> None:
        self._console.show(self._shown())

    def _seconds_to_change(self) -> float:
        """Until another second is shown, or something else."""
        second = 1 - (self._now_ms() + self._behind_ms - self._table.time_ms) % 1000 / 1000
        return max(0.01, min(second, self._showing.seconds_to_change()))
