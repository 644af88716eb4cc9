# SPDX-License-Identifier: Apache-2.0
"""The program `hokm`: what a player, and whoever runs the bots of a house, types at a shell.

Answers go to the standard output, diagnostics to the standard error. It ends with 0 when it did what it was asked, 1
when that failed, 2 when it was called in a way that cannot be; each failure is one sentence.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hokm_client.rules_asked import SWITCHES, add_rules, option, rules_of

if TYPE_CHECKING:  # every command imports only what it needs
    from asyncio import AbstractEventLoop

    from hokm.errors import HokmError
    from hokm_client.console import Manner
    from hokm_client.player import Player

FAILED = 1
WRONG_USAGE = 2

SERVER = "127.0.0.1:7465"
_EXTRA_PACKAGES = {"grpc", "google", "arabic_reshaper", "bidi"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; the status to end with."""
    asked = _parser().parse_args(arguments)
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what gRPC would write there is said in our words
    from hokm.errors import HokmError, system_words

    try:
        status: int = asked.run(asked)
        return status
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _EXTRA_PACKAGES:
            raise
        return _say(f"The package {package} is not installed: hokm[client], the extra for players, brings it.", FAILED)
    except HokmError as error:
        return _say_in_words(error, asked)
    except OSError as error:
        if error.filename is None:
            raise
        return _say(f"{error.filename}: {system_words(error)}", FAILED)
    except KeyboardInterrupt:
        return FAILED


# The command line.


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="hokm", description="Plays Hokm, and checks all that it is told.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    local = commands.add_parser("local", help="a server on this machine, its bots, and your seat at a table")
    local.add_argument(
        "--players",
        choices=("me", "bots"),
        help="me: you and three bots, as it is at a terminal; bots: four bots, and their game is verified",
    )
    local.add_argument("--var", type=Path, default=Path("var"), metavar="DIR", help="where all files are kept (var)")
    local.add_argument(
        "--pace-ms", type=_span, default=(0.7, 1.2), metavar="LEAST-MOST", help="how long a bot takes (700-1200)"
    )
    add_rules(local)
    _add_manner(local)
    local.set_defaults(run=_local)

    play = commands.add_parser("play", help="sit down at a table and play")
    _add_connection(play)
    play.add_argument("--table", type=_table_id, metavar="ID", help="this table; else where you sit, or a free seat")
    play.add_argument("--seat", type=int, choices=range(4), metavar="N", help="this seat, 0 to 3; else a free one")
    play.add_argument("--open", action="store_true", help="open a new table")
    play.add_argument("--rematch", type=_table_id, metavar="ID", help="once more with the players of this game")
    play.add_argument("--quick", action="store_true", help="any table with these rules and a free seat, else a new one")
    play.add_argument("--bots", type=_seats, default=(), metavar="SEATS", help="its seats for the house's bots: 1,2,3")
    play.add_argument("--private", action="store_true", help="the new table is in no list, and has a join code")
    play.add_argument("--code", default="", metavar="LETTERS", help="the join code of a private table")
    add_rules(play)
    _add_manner(play)
    play.set_defaults(run=_play)

    opened = commands.add_parser("open", help="open a table and print its id, and the join code of a private one")
    _add_connection(opened)
    add_rules(opened)
    opened.add_argument("--bots", type=_seats, default=(), metavar="SEATS", help="seats for the house's bots: 1,2,3")
    opened.add_argument("--private", action="store_true", help="it is in no list, and has a join code")
    opened.set_defaults(run=_open)

    listed = commands.add_parser("list", help="list the tables that are not over")
    _add_connection(listed)
    listed.add_argument("--free", action="store_true", help="only tables with a free seat")
    listed.add_argument("--target", type=int, metavar="POINTS", help="only tables of games to 7, 5 or 3")
    for rule in SWITCHES:
        listed.add_argument(
            option(rule), action=argparse.BooleanOptionalAction, default=None, help="only tables like that"
        )
    listed.set_defaults(run=_list)

    proof = commands.add_parser("proof", help="fetch the proof of a round or of a game; hokm-verify reads it")
    _add_connection(proof)
    proof.add_argument("table", type=_table_id, help="the table's id, 32 hex digits")
    proof.add_argument("--round", type=_round, metavar="N", help="this round alone, from 1 on")
    proof.add_argument("--out", type=Path, metavar="FILE", help="where to put it (standard output)")
    proof.set_defaults(run=_proof)

    replay = commands.add_parser("replay", help="see a game again, card by card, all hands open")
    replay.add_argument("file", type=Path, metavar="FILE", help="a proof, or a record as hokm-verify record writes it")
    _add_identity(replay)
    _add_manner(replay)
    replay.set_defaults(run=_replay)

    games = commands.add_parser("games", help="your own games, as far as their proofs are kept here")
    _add_identity(games)
    _add_manner(games)
    games.set_defaults(run=_games)

    key = commands.add_parser("key", help="print your public key, for hokm-verify --mine")
    _add_identity(key)
    key.set_defaults(run=_key)

    token = commands.add_parser("token", help="sign in and print a token, for other programs")
    _add_connection(token)
    token.set_defaults(run=_token)

    bots = commands.add_parser("bots", help="play the seats that want a bot or a stand-in, for a house")
    bots.add_argument("--server", default=SERVER, metavar="HOST:PORT", help=f"the server ({SERVER})")
    bots.add_argument("--var", type=Path, default=Path("var"), metavar="DIR", help="the house's files (var)")
    bots.add_argument("--strategy", default="sensible", choices=("sensible", "random"), help="how they decide")
    bots.add_argument(
        "--delay-ms", type=_span, metavar="LEAST-MOST", help="pause before an answer where a person plays (400-1200)"
    )
    bots.add_argument("--level", default="WARNING", choices=("DEBUG", "INFO", "WARNING", "ERROR"), help="diagnostics")
    bots.set_defaults(run=_bots)
    return parser


def _add_connection(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--server", default=SERVER, metavar="HOST:PORT", help=f"the server ({SERVER})")
    parser.add_argument("--policy", type=Path, metavar="FILE", help="whom to trust (VAR/policy)")
    _add_identity(parser)
    parser.add_argument("--tls", type=Path, metavar="FILE", help="certificates to trust, in PEM; turns TLS on")


def _add_identity(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--var", type=Path, default=Path("var"), metavar="DIR", help="a house's files here (var)")
    who = parser.add_mutually_exclusive_group()
    who.add_argument("--as", dest="name", type=_name, default="me", metavar="NAME", help="which player you are (me)")
    who.add_argument("--identity", type=Path, metavar="FILE", help="your key (VAR/players/NAME.key), made if missing")


def _add_manner(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--lang", choices=("en", "fa"), help="English or Persian (what LANG says)")
    parser.add_argument(
        "--bidi",
        choices=("shaped", "raw", "none"),
        help="where Persian does not stand right: shaped for terminals that leave it alone (xterm), raw for those that "
        "turn it round themselves (Konsole), none for screen readers",
    )
    parser.add_argument("--plain", action="store_true", help="sentences in place of a picture, as in a pipe")


def _name(text: str) -> str:
    if not re.fullmatch("[0-9A-Za-z_-]{1,40}", text):
        raise argparse.ArgumentTypeError("a name is letters, digits, - and _")
    return text


def _seats(text: str) -> tuple[int, ...]:
    words = set(text.split(",")) if text else set()
    if not words <= {"0", "1", "2", "3"}:
        raise argparse.ArgumentTypeError("seats are 0 to 3, with commas between")
    return tuple(sorted(map(int, words)))


def _table_id(text: str) -> bytes:
    if not re.fullmatch("[0-9a-fA-F]{32}", text):
        raise argparse.ArgumentTypeError("a table's id is 32 hex digits")
    return bytes.fromhex(text)


def _round(text: str) -> int:
    if not re.fullmatch("[0-9]{1,10}", text) or not 1 <= int(text) < 2**32:
        raise argparse.ArgumentTypeError("rounds are counted from 1")
    return int(text)


def _span(text: str) -> tuple[float, float]:
    numbers = re.fullmatch("([0-9]{1,5})(?:-([0-9]{1,5}))?", text)
    least, most = (int(numbers[1]), int(numbers[2] or numbers[1])) if numbers else (1, 0)
    if not least <= most <= 60_000:
        raise argparse.ArgumentTypeError("milliseconds, such as 500 or 400-1200")
    return least / 1000, most / 1000


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
            _say("There is no such table: hokm play --open opens one.", 0)
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
