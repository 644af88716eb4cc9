# SPDX-License-Identifier: Apache-2.0
"""The crash battery: a server that is killed from outside, again and again, while a game is played on it.

Two persons and two bots of the house sit at one table; when a game is over the next begins. Kills are of two kinds, in
turn: at a moment drawn by chance, and the moment after a player has sent a move whose entry it has not seen: a commit
is in flight. After each the server is started again on the same files and the same port, and the players come back
by themselves. What a player was shown with the house's signature is remembered and held against the log at the end.

    python -m tests.whole.battery 200          by the classic rules
    python -m tests.whole.battery 200 house    by the house rules, with a kill in each of their phases too
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from hokm.entry import parse_entry
from hokm.errors import Busy
from hokm.events import Act, AskTea, GameEndCause, GameEnded, Ready, SignedMove
from hokm.policy import Policy
from hokm.rules import CLASSIC, HOUSE
from hokm.table import Ceremony, Round, Table
from hokm.table.state import Extra
from hokm.verify import Verdict, verify
from hokm.wire import read_event
from hokm_client.besides import besides
from hokm_client.bot import random_legal
from hokm_client.player import Player
from hokm_client.question import Question, Standing, Wish
from hokm_client.sitting import Sitting
from hokm_client.stream import Step
from tests.audit import audit_files

T = TypeVar("T")

PHASES: Final = ("seating", "draw", "committing", "revealing", "trumps", "tricks")
HOUSE_PHASES: Final = ("ask", "tea", "middle", "early", "run")
"""Those that the house rules add: an open ask for tea, tea, an open middle, a card face down, a run that goes on."""
MOST_SECONDS_A_KILL: Final = 90.0
"""Until the moment for it comes: trumps are named by a person in some rounds only."""
LONGEST_WAIT: Final = 0.03
"""Seconds into a phase that a kill by chance may wait."""


def phase_of(table: Table) -> str:
    """What a table is doing, in the words of `PHASES`, or of `HOUSE_PHASES` where that can be said of it."""
    if table.tea is not None:
        return "tea" if table.is_pausing else "ask"
    match table.stage:
        case Round(extra=Extra(run=(_, *_))):
            return "run"
        case Round(extra=Extra(lays=lays)) if any(lays):
            return "early"
        case Round(extra=Extra(middle=int())):
            return "middle"
        case Ceremony() if table.round == 0:
            return "draw"
        case Ceremony(commit_set=None):
            return "committing"
        case Ceremony():
            return "revealing"
        case Round(trump=None):
            return "trumps"
        case Round():
            return "tricks"
        case _:
            return "seating"


class KilledServer:
    """A server and its bots, processes that can be killed and started again on the same files and port."""

    def __init__(self, var: Path, *, web: bool = False) -> None:
        self.var = var
        self.port = _free_port()
        self.web_port = _free_port() if web else None
        self._process: asyncio.subprocess.Process | None = None
        self._bots: asyncio.subprocess.Process | None = None

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [sys.executable, "-m", "hokm_server", "serve", "--var", str(self.var), "--port", str(self.port)]
        command += ["--no-bots", *(["--no-web"] if self.web_port is None else ["--web-port", str(self.web_port)])]
        with (self.var / "server.log").open("ab") as diagnostics:
            self._process = await asyncio.create_subprocess_exec(
                *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=diagnostics
            )
        assert self._process.stdout is not None
        line = await asyncio.wait_for(self._process.stdout.readline(), 30)
        assert line.startswith(b"ready on "), (self.var / "server.log").read_text()
        if self._bots is None:
            command = [sys.executable, "-m", "hokm_client", "bots", "--server", self.address, "--var", str(self.var)]
            with (self.var / "bots.log").open("ab") as diagnostics:
                self._bots = await asyncio.create_subprocess_exec(
                    *command, "--delay-ms", "0-0", stdin=asyncio.subprocess.PIPE, stderr=diagnostics
                )

    async def kill(self, *, bots_too: bool) -> None:
        """SIGKILL, from outside."""
        assert self._process is not None
        self._process.kill()
        await self._process.wait()
        if bots_too and self._bots is not None:
            self._bots.kill()
            await self._bots.wait()
            self._bots = None


class Battery:
    """Games under kills, and what was seen of them."""

    def __init__(self, var: Path, kills: int, seed: int, *, by_house_rules: bool = False) -> None:
        self.server = KilledServer(var)
        self.kills = kills
        self.phases = PHASES + HOUSE_PHASES if by_house_rules else PHASES
        self._rules = replace(HOUSE if by_house_rules else CLASSIC, target=3)
        self.chance = random.Random(seed)
        self.fell: Counter[str] = Counter()
        """Kills by phase."""
        self.in_flight = 0
        """Kills while a move was sent and its entry not seen."""
        self.games = 0
        self._shown: dict[bytes, dict[int, bytes]] = {}
        """By table and version, the entries that players were shown."""
        self._sittings: list[Sitting] = []
        self._joining = False

    async def run(self) -> None:
        """Kill as often as asked, let the last game end, and judge every game."""
        await self.server.start()
        try:
            async with contextlib.AsyncExitStack() as stack:
                players = [await stack.enter_async_context(self._player(name)) for name in ("one", "two")]
                killing = asyncio.create_task(self._kill_often())
                while not killing.done():
                    await self._play(players)
                await killing
                await self._judge(players[0])
        finally:
            await self.server.kill(bots_too=True)
        audit_files(self.server.var)

    @contextlib.asynccontextmanager
    async def _player(self, name: str) -> AsyncIterator[Player]:
        state = self.server.var / "players" / name
        policy = self.server.var / "policy"
        async with Player.connect(
            self.server.address, identity=state.with_suffix(".key"), policy=policy, state=state
        ) as player:
            yield player

    async def _play(self, players: list[Player]) -> None:
        """One game, from the opening of the table on. What is asked by a single call is asked again after a kill."""
        table_id = await _again(lambda: players[0].open_table(self._rules, (1, 3)))
        self._shown[table_id] = {}
        sittings = []
        self._joining = True
        for seat, player in zip((0, 2), players, strict=True):
            sittings.append(await _again(partial(self._sit, player, table_id, seat)))
        self._joining = False
        self._sittings = sittings
        for sitting in sittings:
            ending = await sitting.over
            assert isinstance(ending, GameEnded)
            assert ending.cause is GameEndCause.TARGET
        self.games += 1

    async def _sit(self, player: Player, table_id: bytes, seat: int) -> Sitting:
        return await player.sit(table_id, seat, choose=self._choose, besides=self._besides, watch=self._see(table_id))

    def _choose(self, question: Question) -> Act:
        return random_legal(question, self.chance)

    def _besides(self, standing: Standing) -> Wish | None:
        """Tea as soon as one may ask, and on with the game; else what bots do."""
        table, seat = standing.table, standing.seat
        if table.tea is not None and table.tea.pause is not None:
            return None if seat in table.tea.ready else Ready()
        if table.rules.tea and table.round and table.tea is None and not table.places[seat].tea_asked:
            return AskTea()
        return besides(standing, self.chance)

    def _see(self, table_id: bytes) -> Callable[[Step], None]:
        shown = self._shown[table_id]

        def see(step: Step) -> None:
            version = step.event.version
            assert shown.setdefault(version, step.entry) == step.entry, f"two entries for version {version}"

        return see

    async def _kill_often(self) -> None:
        for number in range(self.kills):
            phase = self.phases[number // 2 % len(self.phases)]
            async with asyncio.timeout(MOST_SECONDS_A_KILL):  # in this task: the moment has not passed behind it
                await self._wait_for_moment(phase, in_flight=number % 2 == 1)
            self.fell[self._phase()] += 1
            self.in_flight += self._is_in_flight()
            await self.server.kill(bots_too=number % 3 == 2)
            await self.server.start()

    async def _wait_for_moment(self, phase: str, *, in_flight: bool) -> None:
        """Wait until the table is in that phase, and a move on its way; or some time into it, drawn by chance.

        Where the phase is over after that time, the next one like it is hit at its beginning.
        """
        pause = 0.0 if in_flight else self.chance.uniform(0, LONGEST_WAIT)
        while True:
            while self._phase() != phase:
                await asyncio.sleep(0)
            await asyncio.sleep(pause)
            pause = 0.0
            if self._phase() == phase and (self._is_in_flight() or not in_flight):
                return

    def _is_in_flight(self) -> bool:
        return self._joining or any(
            sitting.seat.unanswered is not None and not sitting.over.done() for sitting in self._sittings
        )

    def _phase(self) -> str:
        running = [sitting for sitting in self._sittings if not sitting.over.done()]
        return phase_of(running[0].table) if running else "seating"

    async def _judge(self, player: Player) -> None:
        """Every game's proof is true, and its entries are those that were shown, each move once."""
        policy = Policy.parse((self.server.var / "policy").read_bytes())
        for table_id, shown in self._shown.items():
            proof = await _again(partial(player.connection.game_proof, table_id))
            report = verify(proof, policy)
            assert report.verdict in (Verdict.VERIFIED, Verdict.WITH_WARNINGS), report
            entries = await _all_entries(player, table_id)
            for version, entry in shown.items():
                assert entries[version] == entry, f"entry {version} was acknowledged and is not in the log"
            moves = [content.body for content in map(_content, entries) if isinstance(content, SignedMove)]
            assert len(moves) == len(set(moves)), "a move stands twice"


def _content(entry: bytes) -> object:
    return read_event(parse_entry(entry).body).content


async def _all_entries(player: Player, table_id: bytes) -> list[bytes]:
    entries: list[bytes] = []
    while chunk := await _again(partial(player.connection.entries, table_id, len(entries))):
        entries += chunk
        if isinstance(_content(entries[-1]), GameEnded):
            break
    return entries


async def _again(call: Callable[[], Awaitable[T]]) -> T:
    """Ask until a server answers."""
    while True:
        try:
            return await call()
        except Busy:
            await asyncio.sleep(0.05)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def battery(kills: int, seed: int = 1, *, by_house_rules: bool = False) -> Battery:
    """Run a battery of so many kills in a folder of its own and print what fell where."""
    with tempfile.TemporaryDirectory() as folder:
        found = Battery(Path(folder), kills, seed, by_house_rules=by_house_rules)
        asyncio.run(found.run())
    told = ", ".join(f"{phase} {found.fell[phase]}" for phase in found.phases)
    print(f"{kills} kills over {found.games} games ({found.in_flight} with a commit in flight): {told}")
    return found


if __name__ == "__main__":
    battery(int(sys.argv[1]) if len(sys.argv) > 1 else 8, by_house_rules="house" in sys.argv[2:])
