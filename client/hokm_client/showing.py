# SPDX-License-Identifier: Apache-2.0
"""What is to be seen at a moment: the table as it is, or for a moment as it just was, and the sentences beside it.

A trick that is over stays for a moment before the next one, and so does a round. Whoever types something sees things as
they are.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Final, NamedTuple

from hokm.languages import Language
from hokm.table import Round
from hokm_client.console import Console
from hokm_client.messages import Messages, Until
from hokm_client.terminal import say, say_customs
from hokm_client.terminal.notices import notices
from hokm_client.terminal.seen import Seen, resting, view_of
from hokm_client.terminal.view import Phase, View

TRICK_SECONDS: Final = 1.2
"""How long a trick that is over stays to be seen."""
ROUND_SECONDS: Final = 3.5
"""The same for a round."""
REPLY_SECONDS: Final = 8.0
NOTICE_SECONDS: Final = 15.0
"""How long a sentence stands."""


class _Rest(NamedTuple):
    """What stays to be seen for a moment."""

    until: float
    seen: Seen
    trick: int | None
    """This trick of the round, from 0; None for all that was seen."""


class Showing:
    """What one console shows of one game."""

    def __init__(self, console: Console, language: Language, changed: Callable[[], None]) -> None:
        """`changed` is told when something else is to be seen."""
        self._console = console
        self._language = language
        self._changed = changed
        self._clock = asyncio.get_running_loop().time
        self._messages = Messages()
        self._rest: _Rest | None = None
        self._before: View | None = None

    # What is said.

    def say(self, sentence: str, seconds: float = NOTICE_SECONDS, until: Until = Until.PLAYED) -> None:
        """Something has happened."""
        self._messages.add(sentence, self._clock(), seconds, until)
        self._console.note(sentence)
        self._changed()

    def warn(self, sentence: str) -> None:
        """Something that must not be overlooked: it stays to the end."""
        self.say(sentence, math.inf, Until.NOTHING)

    def reply(self, sentence: str, seconds: float = REPLY_SECONDS) -> None:
        """An answer to what was typed, until something else is."""
        self.say(sentence, seconds, Until.TYPED)

    def end(self, what: Until) -> None:
        """That has happened: what was said until then is old."""
        self._messages.end(what)

    # What rests.

    def rest_trick(self, seen: Seen, trick: int) -> None:
        """That trick of the round, from 0, has just ended. Lines stay anyway."""
        if not self._console.is_plain:
            self._rest = _Rest(self._clock() + TRICK_SECONDS, seen, trick)

    def rest_round(self, seen: Seen) -> None:
        """A round has just ended; a sentence tells how for longer than the picture stays."""
        if not self._console.is_plain:
            until = self._clock() + ROUND_SECONDS
            self._rest = _Rest(until, seen, None)
            told = " ".join(say.turn(view_of(seen, 0, 0), self._language))
            self._messages.add(told, until, NOTICE_SECONDS, Until.PLAYED)

    def stop_resting(self) -> None:
        """Somebody wants to see how things are."""
        self._rest = None

    # What is seen.

    def shown(self, view: View, seen: Seen) -> View:
        """The table as it is to be seen now; `view` is how it is."""
        now, rest = self._clock(), self._rest
        if rest is not None and now >= rest.until:
            rest = self._rest = None
        if rest is not None:
            view = _rested(view, seen, rest)
        before, self._before = self._before, view
        if before is not None and before.phase is not Phase.SEATING:
            self._tell_of_seats(before, view)
            self._tell_of_customs(before, view)
        messages = self._messages.at(now)
        if view.seats[view.me].absent and view.phase is not Phase.GAME_OVER:
            messages += (notices(self._language).type_back,)
        return replace(view, messages=messages, typed=self._console.typed)

    def seconds_to_change(self) -> float:
        """How long what is seen stays right if nothing comes; infinite where it does."""
        now = self._clock()
        until = math.inf if self._rest is None else self._rest.until
        return max(0.0, min(self._messages.next_change(now), until) - now)

    def _tell_of_seats(self, before: View, view: View) -> None:
        """Say who has gone or come back, once the game has begun."""
        mine = view.seats[view.me]
        if mine.absent and not before.seats[view.me].absent:
            self._console.note(notices(self._language).type_back)
        if self._console.is_plain:
            return  # it tells the rest by itself
        seats = list(view.seats)
        seats[view.me] = replace(mine, absent=mine.absent and before.seats[view.me].absent)
        after = replace(before, seats=(seats[0], seats[1], seats[2], seats[3]))
        for sentence in say.happenings(before, after, self._language):
            self.say(sentence)

    def _tell_of_customs(self, before: View, view: View) -> None:
        """Say what a picture alone would not tell of tea, of the middle and of runs."""
        if not self._console.is_plain:
            for sentence in say_customs.notices(before, view, self._language):
                self.say(sentence)


def _rested(view: View, seen: Seen, rest: _Rest) -> View:
    if rest.trick is None:
        return replace(view_of(rest.seen, 0, 0), connection=view.connection, tea=view.tea)
    stage = seen.table.stage if seen.table is not None else None
    return resting(view, stage, rest.trick) if isinstance(stage, Round) else view
