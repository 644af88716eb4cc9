# SPDX-License-Identifier: Apache-2.0
"""The house's bots and stand-ins: one program that comes in by the front door and plays every seat that wants it.

It signs in with an operator's key, is told which seats want somebody, and gives each a key of its own. All seats share
one connection, one stream, one keeping; a table's entries are checked once for all of its seats. A bot sees what its
seat sees, and nothing tells it whose cards the others hold.

Keys, numbers and unanswered moves are on the disk before anything is sent, so after a crash of this program or of the
server every seat is taken up where it was.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

from hokm.errors import Conflict, HokmError, Rule, Unknown
from hokm.events import Act, GameEnded, SeatKind
from hokm.rules import Seat
from hokm.signing import SEED_BYTES, SigningKey
from hokm.table import seated
from hokm_client.besides import Throw, besides, throw
from hokm_client.bot import Strategy, random_legal, sensible
from hokm_client.keeping import KeptKey
from hokm_client.pauses import may_mend
from hokm_client.player import Player
from hokm_client.question import Question, Standing, Wish
from hokm_client.sitting import Sitting

logger = logging.getLogger(__name__)

STATE: Final = Path("players", "bots")
"""Where their files are, below the house's directory."""

SECONDS: Final = (0.4, 1.2)
"""Between these a bot answers where a person plays: by chance, and never by its cards."""


def thinking(chance: Random, least: float, most: float) -> Callable[[Question], float]:
    """The pause before each answer: drawn anew from chance alone, and none at a table where no person plays."""

    def seconds(question: Question) -> float:
        if not any(place.kind is SeatKind.PERSON for place in seated(question.table)):
            return 0.0
        return chance.uniform(least, most)

    return seconds


class HouseBots:
    """All bots and stand-ins of a house."""

    def __init__(
        self,
        player: Player,
        *,
        strategy: Strategy = sensible,
        chance: Random,
        delay: Callable[[Question], float] | None = None,
    ) -> None:
        """`player` is signed in with an operator's key; `delay` gives the seconds before an answer, none where None."""
        self._player = player
        self._strategy = strategy
        self._chance = chance
        self._delay = delay
        self._seats: dict[tuple[bytes, Seat], asyncio.Task[None]] = {}
        self._throws: set[asyncio.Future[None]] = set()

    async def run(self) -> None:
        """Play until cancelled. Raises what no further try can mend: `NotAnOperator`, `KeepingFailed`."""
        try:
            for kept in self._player.keeping.seat_keys():
                self._take(kept, SeatKind.BOT)
            await self._watch_wanted()
        finally:
            tasks = (*self._seats.values(), *self._throws)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _watch_wanted(self) -> None:
        pauses = self._player.connection.pauses()
        while True:
            try:
                async for wanted in self._player.connection.wanted():
                    pauses.reset()
                    if (wanted.table_id, wanted.seat) not in self._seats:
                        seed = self._player.connection.machine.entropy(SEED_BYTES)
                        self._take(KeptKey(wanted.table_id, wanted.seat, seed), SeatKind(wanted.kind))
            except HokmError as error:
                if not may_mend(error):
                    raise
                logger.info("not told of seats that want a bot: %s", error)
            await pauses.wait()

    def _take(self, kept: KeptKey, kind: SeatKind) -> None:
        place = (kept.table_id, kept.seat)
        previous = self._seats.get(place)
        task = asyncio.get_running_loop().create_task(self._play(kept, previous))
        self._seats[place] = task
        task.add_done_callback(lambda done: self._done(place, done))
        logger.info("seat %d of table %s: %s", kept.seat, kept.table_id.hex(), kind.name)

    def _done(self, place: tuple[bytes, Seat], done: asyncio.Task[None]) -> None:
        if self._seats.get(place) is done:
            del self._seats[place]
        if not done.cancelled() and (error := done.exception()) is not None:
            logger.error("seat %d of table %s is not played any more", place[1], place[0].hex(), exc_info=error)

    async def _play(self, kept: KeptKey, previous: asyncio.Task[None] | None) -> None:
        """Play one seat with one key to its end."""
        if previous is not None:
            await asyncio.wait((previous,))
        player = self._player
        player.keeping.put_key(kept)
        pauses = player.connection.pauses()
        while True:
            try:
                sitting = await player.sit(
                    kept.table_id,
                    kept.seat,
                    choose=self._choose,
                    kind=SeatKind.BOT,
                    key=SigningKey(kept.seed),
                    delay=self._delay,
                    besides=partial(self._besides, kept.table_id),
                )
                await sitting.over
            except (Rule, Conflict, Unknown) as error:  # the seat is somebody else's, or its player is back
                table, why = kept.table_id.hex(), error.reason
                logger.info("seat %d of table %s is not wanted any more: %s", kept.seat, table, why)
                player.keeping.drop_key(kept)
                return
            except HokmError as error:
                if not may_mend(error):
                    raise
                await pauses.wait()
            else:
                self._clear(kept, sitting)
                return

    def _clear(self, kept: KeptKey, sitting: Sitting) -> None:
        """A game is over: with the last of its seats what was kept for it goes."""
        keeping = self._player.keeping
        keeping.drop_key(kept)
        others = [place for place in self._seats if place[0] == kept.table_id and place[1] != kept.seat]
        if not others and isinstance(sitting.over.result(), GameEnded):
            keeping.forget(kept.table_id, sitting.table.game_id)
        keeping.flush()

    def _besides(self, table_id: bytes, standing: Standing) -> Wish | None:
        thrown = throw(standing, self._chance)
        if thrown is not None:
            task = asyncio.ensure_future(self._throw(table_id, standing.seat, thrown))
            self._throws.add(task)
            task.add_done_callback(self._throws.discard)
        return besides(standing, self._chance)

    async def _throw(self, table_id: bytes, seat: Seat, thrown: Throw) -> None:
        with contextlib.suppress(HokmError):  # then it has not landed, and nobody needs to know of it
            await self._player.throw(table_id, seat, thrown.at, thrown.thing)

    def _choose(self, question: Question) -> Act:
        try:
            return self._strategy(question, self._chance)
        except Exception:
            logger.exception("the strategy failed, and any legal card is played")
            return random_legal(question, self._chance)
