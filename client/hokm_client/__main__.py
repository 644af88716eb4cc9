# SPDX-License-Identifier: Apache-2.0
"""The program `hokm`: what a player, and whoever runs the bots of a house, types at a shell.

Answers go to the standard output, diagnostics to the standard error. It ends with 0 when it did what it was asked, 1
when that failed, 2 when it was called in a way that cannot be; each failure is one sentence.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hokm_client import command_line
from hokm_client.rules_asked import SWITCHES, rules_of

if TYPE_CHECKING:  # every command imports only what it needs
    from asyncio import AbstractEventLoop

    from hokm.errors import HokmError
    from hokm_client.console import Manner
    from hokm_client.player import Player

FAILED = 1
WRONG_USAGE = 2

_EXTRA_PACKAGES = {"grpc", "google", "arabic_reshaper", "bidi"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; the status to end with."""
    asked = command_line.read(arguments)
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what gRPC would write there is said in our words
    from hokm.errors import HokmError, system_words
    from hokm.unread import nobody_reads_on

    try:
        status = _COMMANDS[asked.command](asked)
        sys.stdout.flush()
        return status
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _EXTRA_PACKAGES:
            raise
        return _say(f"The package {package} is not installed: hokm[client], the extra for players, brings it.", FAILED)
    except HokmError as error:
        return _say_in_words(error, asked)
    except BrokenPipeError:
        return nobody_reads_on()
    except OSError as error:
        if error.filename is None:
            raise
        return _say(f"{error.filename}: {system_words(error)}", FAILED)
    except KeyboardInterrupt:
        return FAILED


# What the commands do.


def _local(asked: argparse.Namespace) -> int:
    import asyncio

    from hokm_client import local

    if asked.players is None and not _at_terminal():
        print("There is no terminal to play at, so four bots play; with --players me it goes by lines.", flush=True)
        asked.players = "bots"
    if asked.players == "bots":
        return asyncio.run(local.bots_play(asked.var, rules_of(asked)))
    from hokm_client.leaving import Left

    left = asyncio.run(local.person_plays(asked.var, rules_of(asked), _manner(asked), asked.pace_ms))
    return FAILED if left is Left.FAILED else 0


def _play(asked: argparse.Namespace) -> int:
    import asyncio

    from hokm_client.entering import Door, Wish, play
    from hokm_client.leaving import Left

    door = Door(
        asked.server,
        identity=_identity(asked),
        policy=asked.policy or asked.var / "policy",
        var=asked.var,
        tls=asked.tls,
    )
    rules = rules_of(asked) if asked.open else None
    quick = rules_of(asked) if asked.quick else None
    wish = Wish(asked.table, asked.seat, rules, quick, asked.bots, asked.rematch, asked.private, asked.code)
    left = asyncio.run(play(door, wish, _manner(asked)))
    return FAILED if left is Left.FAILED else 0


def _manner(asked: argparse.Namespace) -> Manner:
    """How the player wants to be spoken to: what the command line says, else the environment."""
    from hokm.languages import Language
    from hokm_client.console import Manner
    from hokm_client.terminal.bidi import Bidi, guess

    told = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "")
    language = Language(asked.lang or ("fa" if told.startswith("fa") else "en"))
    plain = asked.plain or not _at_terminal() or os.environ.get("TERM", "dumb") == "dumb"
    bidi = Bidi(asked.bidi) if asked.bidi else Bidi.NONE if plain else guess(os.environ)
    return Manner(language, bidi, plain, colour=not os.environ.get("NO_COLOR"))


def _identity(asked: argparse.Namespace) -> Path:
    path: Path = asked.identity or asked.var / "players" / f"{asked.name}.key"
    return path


def _at_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _open(asked: argparse.Namespace) -> int:
    async def open_table(player: Player) -> None:
        table_id = await player.open_table(rules_of(asked), asked.bots, private=asked.private)
        print(table_id.hex(), *filter(None, [await player.join_code(table_id)]))

    return _with_player(asked, open_table)


def _list(asked: argparse.Namespace) -> int:
    from hokm.v1 import tables_service_pb2 as pb

    async def list_tables(player: Player) -> None:
        asks = {rule: wanted for rule in ("target", *SWITCHES) if (wanted := getattr(asked, rule)) is not None}
        tables = await player.connection.list_tables(with_free_seat=asked.free, having=pb.RulesWanted(**asks))
        if not tables:
            _say("No table to list: hokm play --open opens one.", 0)
        for table in tables:
            phase = pb.TablePhase.Name(table.phase).removeprefix("TABLE_PHASE_").lower()
            free = [str(seat) for seat, taken in enumerate(table.seats) if not taken.public_key]
            seats = f"free {','.join(free)}" if free else "full"
            score = "-".join(map(str, table.score))
            print(f"{table.table_id.hex()}  {phase:9}  round {table.round}  score {score}  {seats}")

    return _with_player(asked, list_tables)


def _proof(asked: argparse.Namespace) -> int:
    async def fetch(player: Player) -> None:
        proof = await player.proof(asked.table, asked.round)
        if asked.out is None:
            sys.stdout.buffer.write(proof)
        else:
            asked.out.write_bytes(proof)

    return _with_player(asked, fetch)


def _replay(asked: argparse.Namespace) -> int:
    from hokm_client.identity import read_identity
    from hokm_client.replaying import read_replay, show

    identity = _identity(asked)
    key = read_identity(identity).public if identity.exists() else None
    show(read_replay(asked.file, key), _manner(asked))
    return 0


def _games(asked: argparse.Namespace) -> int:
    from hokm_client.commands import who
    from hokm_client.console import write_lines
    from hokm_client.games import games, told
    from hokm_client.identity import read_identity
    from hokm_client.terminal.bidi import leftward
    from hokm_client.terminal.notices import notices

    manner, folder = _manner(asked), asked.var / "proofs"
    played = [*games(folder, read_identity(_identity(asked)).public)]
    for game in played:
        write_lines(manner, [*told(game, who(asked.var, _identity(asked)), manner.language)])
    if not played:
        write_lines(manner, [notices(manner.language).no_games.format(folder=leftward(str(folder)))])
    return 0


def _key(asked: argparse.Namespace) -> int:
    from hokm_client.identity import read_identity

    print(read_identity(_identity(asked)).public.hex())
    return 0


def _token(asked: argparse.Namespace) -> int:
    async def sign_in(player: Player) -> None:
        token, _ = await player.connection.token()
        print(token)

    return _with_player(asked, sign_in)


def _with_player(asked: argparse.Namespace, act: Callable[[Player], Coroutine[Any, Any, None]]) -> int:
    """Sign in and do one thing."""
    import asyncio

    from hokm_client.player import Player

    async def run() -> None:
        async with Player.connect(
            asked.server,
            identity=_identity(asked),
            policy=asked.policy or asked.var / "policy",
            certificates=asked.tls.read_bytes() if asked.tls else None,
        ) as player:
            await act(player)

    asyncio.run(run())
    return 0


# bots


def _bots(asked: argparse.Namespace) -> int:
    import asyncio

    from hokm_client import connection  # noqa: F401 - a missing extra is said before anything begins
    from hokm_client.stopping import until_stopped

    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        # Connecting is part of it: a server that never answers must not keep this program from ending.
        runner.run(until_stopped(_house_bots(asked)))
    return 0


async def _house_bots(asked: argparse.Namespace) -> None:
    import logging
    from random import SystemRandom

    from hokm_client import diagnostics
    from hokm_client.bot import STRATEGIES
    from hokm_client.bots import SECONDS, STATE, HouseBots, thinking
    from hokm_client.identity import read_operator_key
    from hokm_client.player import Player

    diagnostics.write_to(logging.StreamHandler(sys.stderr), asked.level)
    async with Player.connect(
        asked.server,
        identity=read_operator_key(asked.var / "keys" / "operator.key"),
        policy=asked.var / "policy",
        state=asked.var / STATE,
        patient=True,
        checks_log=False,
    ) as player:
        chance = SystemRandom()
        delay = thinking(chance, *(asked.delay_ms or SECONDS))
        await HouseBots(player, strategy=STRATEGIES[asked.strategy], chance=chance, delay=delay).run()


def _loop_factory() -> Callable[[], AbstractEventLoop] | None:
    """That of uvloop where it is installed."""
    try:
        import uvloop
    except ImportError:
        return None
    factory: Callable[[], AbstractEventLoop] = uvloop.new_event_loop
    return factory


_COMMANDS = {
    "local": _local,
    "play": _play,
    "open": _open,
    "list": _list,
    "proof": _proof,
    "replay": _replay,
    "games": _games,
    "key": _key,
    "token": _token,
    "bots": _bots,
}


def _say_in_words(error: HokmError, asked: argparse.Namespace) -> int:
    """Say an error in the language of whoever plays; other commands speak English."""
    if not hasattr(asked, "lang"):
        return _say(str(error), FAILED)
    from hokm_client.console import write_lines
    from hokm_client.terminal.words import refusal_of

    manner = _manner(asked)
    write_lines(manner, [refusal_of(manner.language, error)], sys.stderr)
    return FAILED


def _say(sentence: str, status: int) -> int:
    print(sentence, file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
