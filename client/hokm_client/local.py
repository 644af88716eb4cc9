# SPDX-License-Identifier: Apache-2.0
"""A whole evening on one machine: a server, its bots and, at a terminal, you. This is what `make run` runs.

Without a terminal, or where it is asked for, four bots play a game; then every round's proof and the game's are
verified by `hokm-verify` in a process of its own, and its verdict is the exit status.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Coroutine, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from hokm.cards import Suit
from hokm.events import GameEnded, NameTrump, RoundRevealed, SignedMove, TimedOut
from hokm.rules import Seat, TableRules, side_name
from hokm.table import Over, Round
from hokm_client.checking import proof_path
from hokm_client.commands import command, who
from hokm_client.console import Manner
from hokm_client.entering import seated_at, write_diagnostics
from hokm_client.errors import ServerNotReady, ServerStopped
from hokm_client.leaving import Left
from hokm_client.player import Player
from hokm_client.playing import Setting, play_at, play_on
from hokm_client.stream import Step
from hokm_client.unfinished import news

READY_SECONDS: Final = 30.0
STOP_SECONDS: Final = 10.0
ALL_SEATS: Final = (0, 1, 2, 3)
MINE: Final = 0
BOTS: Final = (1, 2, 3)

T = TypeVar("T")


class LocalServer(NamedTuple):
    """A server that was started here."""

    address: str
    diagnostics: Path
    ended: asyncio.Task[int]
    """Done as soon as it has ended, whyever it did."""

    async def while_it_runs(self, work: Coroutine[Any, Any, T]) -> T:
        """What the work gives. Raises `ServerStopped` where the server ends before the work does."""
        working = asyncio.create_task(work)
        try:
            await asyncio.wait({working, self.ended}, return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                return working.result()
            raise ServerStopped(str(self.diagnostics))
        finally:
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)


@contextlib.asynccontextmanager
async def local_server(var: Path, *options: str) -> AsyncIterator[LocalServer]:
    """A server of this machine that runs until the context ends; its files are in `var`.

    Its diagnostics go to ``server.log`` there. Raises `ServerNotReady` with what it said where it does not start.
    """
    var.mkdir(parents=True, exist_ok=True)
    program = [sys.executable, "-m", "hokm_server", "serve", "--var", str(var), "--port", "0", "--until-input-ends"]
    with (var / "server.log").open("ab") as diagnostics:
        begun = diagnostics.tell()
        server = await asyncio.create_subprocess_exec(
            *program,
            *options,
            stdin=asyncio.subprocess.PIPE,  # its end, when this program ends however it ends, is that of the server
            stdout=asyncio.subprocess.PIPE,
            stderr=diagnostics,
            start_new_session=True,  # a Ctrl-C is for the game
        )
    try:
        address = await _ready(server, var / "server.log", begun)
        yield LocalServer(address, var / "server.log", asyncio.create_task(server.wait()))
    finally:
        await _stop(server)


@contextlib.asynccontextmanager
async def local_bots(var: Path, address: str, pace: tuple[float, float]) -> AsyncIterator[None]:
    """Bots that take between so many seconds for an answer; their diagnostics go to ``bots.log``."""
    pace_ms = "-".join(str(round(1000 * seconds)) for seconds in pace)
    program = [sys.executable, "-m", "hokm_client", "bots", "--server", address, "--var", str(var)]
    with (var / "bots.log").open("ab") as diagnostics:
        bots = await asyncio.create_subprocess_exec(
            *program,
            *("--delay-ms", pace_ms),
            stdin=asyncio.subprocess.PIPE,
            stderr=diagnostics,
            start_new_session=True,
        )
    try:
        yield
    finally:
        await _stop(bots)


async def _stop(program: asyncio.subprocess.Process) -> None:
    if program.returncode is None:
        program.terminate()
        try:
            await asyncio.wait_for(program.wait(), STOP_SECONDS)
        except TimeoutError:
            program.kill()
            await program.wait()


async def _ready(server: asyncio.subprocess.Process, diagnostics: Path, begun: int) -> str:
    """The address in the line that a server prints when it answers."""
    assert server.stdout is not None
    line = b""
    with contextlib.suppress(TimeoutError):
        line = await asyncio.wait_for(server.stdout.readline(), READY_SECONDS)
    words = line.decode().split()
    if words[:2] == ["ready", "on"]:
        return words[2]
    said = diagnostics.read_bytes()[begun:].decode(errors="replace").strip()
    raise ServerNotReady(said.splitlines()[-1] if said else "it said nothing")


async def person_plays(var: Path, rules: TableRules, manner: Manner, pace: tuple[float, float]) -> Left:
    """Let somebody at a terminal play with three bots: the game that was left here last, else one by these rules."""
    me = var / "players" / "me"
    write_diagnostics(me)
    async with (
        local_server(var, "--no-bots") as server,
        local_bots(var, server.address, pace),
        Player.connect(server.address, identity=me.with_suffix(".key"), policy=var / "policy", state=me) as player,
    ):
        told = await news(player, me, var / "proofs", var / "policy", manner.language)
        table_id = await seated_at(player) or await player.open_table(rules, BOTS)
        words = who(var, me.with_suffix(".key"))
        way_back = command("hokm", "local", *words)
        setting = Setting(me, var / "proofs", var / "policy", way_back=way_back, who=words, waits=True)

        async def play(table_id: bytes, seat: Seat, news: Sequence[str] = ()) -> Left:
            return await play_at(player, table_id, seat, manner, setting._replace(news=news))

        async def evening() -> Left:
            return await play_on(player, table_id, await play(table_id, MINE, told), play)

        return await server.while_it_runs(evening())


async def bots_play(var: Path, rules: TableRules) -> int:
    """Let four bots play a game by these rules and verify it; the status of the verifier."""
    watcher = var / "players" / "watcher"
    async with local_server(var) as server:
        print(f"A server on {server.address}; four bots play a game to {rules.target}.", flush=True)
        async with Player.connect(
            server.address, identity=watcher.with_suffix(".key"), policy=var / "policy", state=watcher
        ) as player:
            table_id = await player.open_table(rules, ALL_SEATS)
            game = await server.while_it_runs(_watched(player, table_id))
            paths = await fetch_proofs(player, table_id, game.rounds, var / "proofs")
    print(f"Game over after {game.rounds} rounds, {game.ending}.\n", flush=True)
    return await verify(paths, var / "policy")


class _Game:
    """What is told of a game that is watched."""

    def __init__(self) -> None:
        self.rounds = 0
        self.ending = ""
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._trump = ""

    def see(self, step: Step) -> None:
        """Tell of a round that is over."""
        content = step.event.content
        match content:
            case SignedMove() if isinstance(content.move.act, NameTrump):
                self._trump = Suit(content.move.act.suit).symbol
            case TimedOut(trump=int() as trump):
                self._trump = Suit(trump).symbol
            case RoundRevealed(winner=winner, tricks=(even, odd), score=score):
                self.rounds += 1
                assert step.before is not None
                assert isinstance(step.before.stage, Round)
                who = "nobody" if winner is None else f"the {side_name(winner)} seats"
                hakem, trumps = step.before.stage.hakem, self._trump or "not named"
                print(
                    f"Round {self.rounds}: hakem in seat {hakem}, trumps {trumps}, "
                    f"tricks {even}-{odd} to {who}, score {score[0]}-{score[1]}",
                    flush=True,
                )
        if isinstance(step.after.stage, Over) and not self.over.done():
            ending = step.after.stage.ending
            if isinstance(ending, GameEnded) and ending.winner is not None:
                self.ending = f"won by the {side_name(ending.winner)} seats"
            else:
                self.ending = f"won by nobody: {ending.cause.name.lower().replace('_', ' ')}"
            self.over.set_result(None)


async def _watched(player: Player, table_id: bytes) -> _Game:
    game = _Game()
    await player.watch(table_id, game.see)
    await game.over
    return game


async def fetch_proofs(player: Player, table_id: bytes, rounds: int, folder: Path) -> list[Path]:
    """The proofs of every round and of the game, as files; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number in range(1, rounds + 1):
        paths.append(proof_path(folder, table_id, number))
        paths[-1].write_bytes(await player.proof(table_id, number))
    paths.append(proof_path(folder, table_id, None))
    paths[-1].write_bytes(await player.proof(table_id))
    return paths


async def verify(paths: Sequence[Path], policy: Path) -> int:
    """Run `hokm-verify` on these proofs in a process of its own, which tells its verdicts in short; its status."""
    files = [*map(str, paths), "--policy", str(policy)]
    verifier = await asyncio.create_subprocess_exec(sys.executable, "-m", "hokm", *files, "--short")
    status = await verifier.wait()
    whole = command("hokm-verify", str(paths[-1]), "--policy", str(policy))
    print(f"\nThe whole report on the game: {whole}", flush=True)
    return status
