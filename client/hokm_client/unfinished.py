# SPDX-License-Identifier: Apache-2.0
"""The game that a player left open: its table is remembered in a file, and what became of it is told the next time.

A server lists games that go on. One that came to its end while this program was closed is asked for by its id: its
proof is fetched and judged like that of a game which was played to the end here.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from hokm.errors import HokmError
from hokm.languages import Language
from hokm.rules import side_of
from hokm.v1 import tables_service_pb2 as pb
from hokm_client.checking import check_proof
from hokm_client.player import Player
from hokm_client.terminal.notices import notices
from hokm_client.terminal.words import number, refusal_of, verdict, words

FILE_NAME = "table"


def remember(state: Path, table_id: bytes) -> None:
    """That table is being played at."""
    (state / FILE_NAME).write_text(table_id.hex() + "\n")


def forget(state: Path) -> None:
    """The game is over here, or was left for good."""
    (state / FILE_NAME).unlink(missing_ok=True)


def remembered(state: Path) -> bytes | None:
    """The table that was being played at when this program ended."""
    with contextlib.suppress(OSError, ValueError):
        table_id = bytes.fromhex((state / FILE_NAME).read_text())
        return table_id if len(table_id) == 16 else None
    return None


async def news(player: Player, state: Path, proofs: Path, policy: Path, language: Language) -> tuple[str, ...]:
    """What became of the remembered game where it has ended since, and its proof's verdict; then it is forgotten."""
    table_id = remembered(state)
    if table_id is None:
        return ()
    said = notices(language)
    try:
        table = await player.connection.table(table_id)
        if table.phase != pb.TABLE_PHASE_OVER:
            return ()
        checked = await check_proof(player, table_id, None, proofs, policy)
    except HokmError as error:
        return (said.not_checked.format(why=refusal_of(language, error)),)
    forget(state)
    ended = f"{said.ended_meanwhile} {_result(table, player.key.public, language)}"
    return ended, said.game_checked.format(verdict=verdict(language, checked.verdict))


def _result(table: pb.TableSummary, key: bytes, language: Language) -> str:
    """Who has won, as seen from the seat of that key."""
    catalogue = words(language)
    side = side_of(next((seat for seat, taken in enumerate(table.seats) if taken.public_key == key), 0))
    if not table.HasField("winner"):
        return catalogue.game_undecided
    sentence = catalogue.game_won if table.winner == side else catalogue.game_lost
    return sentence.format(ours=number(language, table.score[side]), theirs=number(language, table.score[1 - side]))
