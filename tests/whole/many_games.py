# SPDX-License-Identifier: Apache-2.0
"""Many games of the house's bots, by rules that chance has switched on and off, over a real socket.

    python -m tests.whole.many_games 1000

Every game must finish and every proof of it must be true; printed is how often each rule was used. What was thrown is
counted as it lands, in memory, for it is nowhere else.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

from hokm.events import Event, GameEnded, ServerFault, SignedMove
from hokm.rules import FirstHakem, HakemPasses, Packets, TableRules
from hokm_client.player import Player
from hokm_client.stream import Step
from tests.client.visits import guest, house, house_bots

AT_ONCE = 8
USES = ("MiddleTurned", "PickUp", "LayEarly", "TakeBack", "EarlyTurned", "Run", "AskTea", "AnswerTea", "TeaBegan")
"""What is in the log of the house rules; things that were thrown are not."""


def any_rules(chance: random.Random) -> TableRules:
    """Rules of which each switch is as likely on as off."""
    throwing = chance.random() < 0.5
    return TableRules(
        first_hakem=chance.choice([*FirstHakem]),
        packets=chance.choice([*Packets]),
        open_first_packet=chance.random() < 0.5,
        hakem_passes=chance.choice([*HakemPasses]),
        target=chance.choice((3, 3, 3, 5, 7)),
        partners_middle=chance.random() < 0.5,
        coming_early=chance.random() < 0.5,
        runs=chance.random() < 0.5,
        tea=chance.random() < 0.5,
        throwing=throwing,
        silent=not throwing and chance.random() < 0.5,
    )


class ManyGames:
    """So many games, some at once."""

    def __init__(self, games: int, seed: int = 1) -> None:
        self.games = games
        self.chance = random.Random(seed)
        self.used: Counter[str] = Counter()
        self.finished = 0

    async def run(self, var: Path) -> None:
        """Play them all; the log is audited as the house closes."""
        async with (
            house(var) as serving,
            house_bots(serving.address, var),
            guest(serving.address, var) as player,
        ):
            for first in range(0, self.games, AT_ONCE):
                count = min(AT_ONCE, self.games - first)
                await asyncio.gather(*(self._play(player) for _ in range(count)))

    async def _play(self, player: Player) -> None:
        over: asyncio.Future[GameEnded | ServerFault] = asyncio.get_running_loop().create_future()

        def see(step: Step) -> None:
            content = self._count(step.event)
            if isinstance(content, GameEnded | ServerFault) and not over.done():
                over.set_result(content)

        rules = any_rules(self.chance)
        table_id = await player.open_table(rules, (0, 1, 2, 3))
        side = await player.watch(table_id, see)
        side.on_landed = self._land
        ending = await over
        assert isinstance(ending, GameEnded), ending
        self.finished += 1

    def _count(self, event: Event) -> object:
        content = event.content.move.act if isinstance(event.content, SignedMove) else event.content
        self.used[type(content).__name__] += 1
        return content

    def _land(self, at: int, thing: int) -> None:
        """Count what lands, as a stranger who watches sees it."""
        self.used["thrown"] += 1

    def told(self) -> str:
        """How often each rule was used."""
        uses = ", ".join(f"{name} {self.used[name]}" for name in (*USES, "thrown"))
        return f"{self.finished} games finished, every proof verified: {uses}"


def many_games(games: int, seed: int = 1) -> ManyGames:
    """Play so many games in a folder of their own and print what was used."""
    with tempfile.TemporaryDirectory() as folder:
        found = ManyGames(games, seed)
        asyncio.run(found.run(Path(folder)))
    print(found.told())
    return found


if __name__ == "__main__":
    many_games(int(sys.argv[1]) if len(sys.argv) > 1 else 8)
