# SPDX-License-Identifier: Apache-2.0
"""How a person comes to a table: one that is named, one where the player sits, one with room, or a new one."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from hokm.errors import SeatedElsewhere, SeatNotFree
from hokm.languages import Language
from hokm.rules import Seat, TableRules
from hokm.v1 import tables_service_pb2 as pb
from hokm_client import diagnostics
from hokm_client.command_line import SERVER
from hokm_client.commands import command, who
from hokm_client.console import Manner
from hokm_client.errors import NoFreeSeat, NoTable
from hokm_client.leaving import Left
from hokm_client.player import Player
from hokm_client.playing import Setting, play_at, play_on
from hokm_client.terminal.bidi import leftward
from hokm_client.terminal.notices import notices
from hokm_client.terminal.words import listed
from hokm_client.unfinished import news

QUICK_TRIES: Final = 8
"""How often others may be faster at a quick seat before that is told."""

_THIS_MACHINE: Final = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class Door:
    """The way in: a server, and whom the player is and trusts there."""

    server: str
    identity: Path
    policy: Path
    var: Path
    """Proofs go into a folder of it."""
    tls: Path | None = None
    """Certificates to trust, in PEM; without one nothing is encrypted."""

    @property
    def state(self) -> Path:
        """What must survive a crash is kept beside the identity."""
        return self.identity.with_suffix("")


@dataclass(frozen=True, slots=True)
class Wish:
    """What the player wants to play. With nothing set: a game that goes on, else a free seat."""

    table_id: bytes | None = None
    seat: Seat | None = None
    opens: TableRules | None = None
    """The rules of a new table."""
    quick: TableRules | None = None
    """The rules of any table that has a free seat, or else of a new one."""
    bots: Sequence[Seat] = ()
    """Its seats for the house's bots."""
    rematch_of: bytes | None = None
    """A game that is over and was played by this player."""
    private: bool = False
    """The new table is in no list."""
    join_code: str = ""
    """Of a private table that somebody else has opened."""


async def play(door: Door, wish: Wish, manner: Manner) -> Left:
    """Sit down and play: how the game was left. Raises `NoTable`, and why there is no way in."""
    write_diagnostics(door.state)
    async with Player.connect(
        door.server,
        identity=door.identity,
        policy=door.policy,
        state=door.state,
        certificates=None if door.tls is None else door.tls.read_bytes(),
    ) as player:
        told = await news(player, door.state, door.var / "proofs", door.policy, manner.language)
        if wish.rematch_of is not None:
            table_id, seat = await player.rematch(wish.rematch_of)
            wish = replace(wish, table_id=table_id, seat=seat)
        table_id, left = await _first_game(player, door, wish, manner, told)

        def play(table_id: bytes, seat: Seat) -> Awaitable[Left]:
            return _play_at(player, table_id, door, Wish(seat=seat), manner)

        return await play_on(player, table_id, left, play)


async def _first_game(
    player: Player, door: Door, wish: Wish, manner: Manner, told: Sequence[str]
) -> tuple[bytes, Left]:
    """A game at the table that was wished for: which that is, and how the game was left."""
    tries = QUICK_TRIES if wish.quick else 1
    while True:
        tries -= 1
        table_id = await _table(player, wish)
        try:
            return table_id, await _play_at(player, table_id, door, wish, manner, told)
        except (SeatNotFree, NoFreeSeat):  # somebody was faster
            if not tries:
                raise


async def _play_at(
    player: Player, table_id: bytes, door: Door, wish: Wish, manner: Manner, told: Sequence[str] = ()
) -> Left:
    join_code = wish.join_code or await player.join_code(table_id)
    setting = Setting(
        state=door.state,
        proofs=door.var / "proofs",
        policy=door.policy,
        invitation=_invitation(door, table_id, join_code, manner.language),
        way_back=_command(door, "--table", table_id.hex()),
        who=who(door.var, door.identity),
        rematch=_command(door, "--rematch", table_id.hex()),
        news=told,
    )
    return await play_at(player, table_id, wish.seat, manner, setting, join_code)


def write_diagnostics(state: Path) -> None:
    """Let diagnostics go to a file: the screen is for the game."""
    state.mkdir(parents=True, exist_ok=True, mode=0o700)
    diagnostics.write_to(logging.FileHandler(state / "client.log"), "WARNING")


async def seated_at(player: Player) -> bytes | None:
    """The table at which this player sits, and whose game is not over: not one that the player has left."""
    for table in await player.connection.list_tables():
        sits = any(seat.public_key == player.key.public and not seat.left for seat in table.seats)
        if sits and table.phase != pb.TABLE_PHASE_OVER:
            return table.table_id
    return None


async def _table(player: Player, wish: Wish) -> bytes:
    if wish.table_id is not None:
        return wish.table_id
    table_id = await seated_at(player)
    if wish.opens is not None:
        if table_id is not None:
            raise SeatedElsewhere(table_id.hex())
        return await player.open_table(wish.opens, wish.bots, private=wish.private)
    if table_id is not None:
        return table_id
    if wish.quick is not None:
        return await player.quick_seat(wish.quick)
    for table in await player.connection.list_tables(with_free_seat=True):
        if wish.seat is None or not table.seats[wish.seat].public_key:
            return table.table_id
    raise NoTable


def _invitation(door: Door, table_id: bytes, join_code: str, language: Language) -> list[str]:
    """How others sit down at that table, here and on another machine."""
    friend = replace(door, identity=door.identity.with_name("friend.key"))
    where = ["--table", table_id.hex(), *(("--code", join_code) if join_code else ())]
    sentences = [notices(language).others_join, _command(friend, *where)]
    if door.server.rpartition(":")[0] not in _THIS_MACHINE:
        files = [leftward(str(path)) for path in (door.policy, door.tls) if path is not None]
        sentences.append(notices(language).others_elsewhere.format(files=listed(language, files)))
    return sentences


def _command(door: Door, *where: str) -> str:
    """What is typed to sit down there."""
    words = ["play", *where]
    if door.server != SERVER:
        words += ["--server", door.server]
    if door.policy != door.var / "policy":
        words += ["--policy", str(door.policy)]
    words += who(door.var, door.identity)
    if door.tls is not None:
        words += ["--tls", str(door.tls)]
    return command("hokm", *words)
