# SPDX-License-Identifier: Apache-2.0
"""What can be typed after `hokm` at a shell: its commands, their options, and how each word is read."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hokm_client.rules_asked import SWITCHES, add_rules, option

SERVER: Final = "127.0.0.1:7465"
"""Where a server of this machine answers, if nothing else is said."""


def read(arguments: Sequence[str] | None) -> argparse.Namespace:
    """What was typed: the name of the command in `command`, beside what it takes. Ends the program where it is wrong.

    None are the words that this program was called with.
    """
    return _parser().parse_args(arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="hokm", description="Plays Hokm, and checks all that it is told.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")

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

    opened = commands.add_parser("open", help="open a table and print its id, and the join code of a private one")
    _add_connection(opened)
    add_rules(opened)
    opened.add_argument("--bots", type=_seats, default=(), metavar="SEATS", help="seats for the house's bots: 1,2,3")
    opened.add_argument("--private", action="store_true", help="it is in no list, and has a join code")

    listed = commands.add_parser("list", help="list the tables that are not over")
    _add_connection(listed)
    listed.add_argument("--free", action="store_true", help="only tables with a free seat")
    listed.add_argument("--target", type=int, metavar="POINTS", help="only tables of games to 7, 5 or 3")
    for rule in SWITCHES:
        listed.add_argument(
            option(rule), action=argparse.BooleanOptionalAction, default=None, help="only tables like that"
        )

    proof = commands.add_parser("proof", help="fetch the proof of a round or of a game; hokm-verify reads it")
    _add_connection(proof)
    proof.add_argument("table", type=_table_id, help="the table's id, 32 hex digits")
    proof.add_argument("--round", type=_round, metavar="N", help="this round alone, from 1 on")
    proof.add_argument("--out", type=Path, metavar="FILE", help="where to put it (standard output)")

    replay = commands.add_parser("replay", help="see a game again, card by card, all hands open")
    replay.add_argument("file", type=Path, metavar="FILE", help="a proof, or a record as hokm-verify record writes it")
    _add_identity(replay)
    _add_manner(replay)

    games = commands.add_parser("games", help="your own games, as far as their proofs are kept here")
    _add_identity(games)
    _add_manner(games)

    key = commands.add_parser("key", help="print your public key, for hokm-verify --mine")
    _add_identity(key)

    token = commands.add_parser("token", help="sign in and print a token, for other programs")
    _add_connection(token)

    bots = commands.add_parser("bots", help="play the seats that want a bot or a stand-in, for a house")
    bots.add_argument("--server", default=SERVER, metavar="HOST:PORT", help=f"the server ({SERVER})")
    bots.add_argument("--var", type=Path, default=Path("var"), metavar="DIR", help="the house's files (var)")
    bots.add_argument("--strategy", default="sensible", choices=("sensible", "random"), help="how they decide")
    bots.add_argument(
        "--delay-ms", type=_span, metavar="LEAST-MOST", help="pause before an answer where a person plays (400-1200)"
    )
    bots.add_argument("--level", default="WARNING", choices=("DEBUG", "INFO", "WARNING", "ERROR"), help="diagnostics")
    return parser


def _add_connection(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--server", default=SERVER, metavar="HOST:PORT", help=f"the server ({SERVER})")
    parser.add_argument("--policy", type=Path, metavar="FILE", help="whom to trust (VAR/policy)")
    _add_identity(parser, ", made if missing")
    parser.add_argument("--tls", type=Path, metavar="FILE", help="certificates to trust, in PEM; turns TLS on")


def _add_identity(parser: argparse.ArgumentParser, or_else: str = "") -> None:
    parser.add_argument("--var", type=Path, default=Path("var"), metavar="DIR", help="a house's files here (var)")
    who = parser.add_mutually_exclusive_group()
    who.add_argument("--as", dest="name", type=_name, default="me", metavar="NAME", help="which player you are (me)")
    who.add_argument("--identity", type=Path, metavar="FILE", help=f"your key (VAR/players/NAME.key){or_else}")


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
