# SPDX-License-Identifier: Apache-2.0
"""After a game a person at a terminal reads what it came to, and plays another one or goes: by typing."""

from __future__ import annotations

from pathlib import Path

from hokm.languages import Language
from hokm_client import unfinished
from hokm_client.checking import proof_path
from hokm_client.terminal.notices import notices
from hokm_client.terminal.words import words
from tests.client.pane import Pane, pane
from tests.client.test_playing import house, legal, new_table, written

ME = Path("players", "me")
TYPED = {Language.EN: ("resign", "yes", "rematch", "quit"), Language.FA: ("تسلیم", "بله", "بازی دوباره", "خروج")}


async def give_up(window: Pane, language: Language) -> None:
    """Lose the game at once: the partner is a bot."""
    resign, yes, _, _ = TYPED[language]
    trumps = written(language, words(language).prompt_trumps)
    await window.until(lambda window: legal(window) or trumps in str(window), "my turn")
    window.keys(f"{resign}\r{yes}\r")
    await window.until_shown(written(language, words(language).prompt_over))


async def play_twice(window: Pane, state: Path, language: Language) -> tuple[bytes, bytes]:
    """Lose a game and its rematch, and go: the ids of the two tables."""
    _, _, rematch, leave = TYPED[language]
    tables = []
    for answer in (rematch, leave):
        await give_up(window, language)
        table_id = unfinished.remembered(state)
        assert table_id is not None
        tables.append(table_id)
        checked = notices(language).game_checked.partition("{verdict}")[0].strip()
        await window.until_shown(written(language, checked))
        window.keys(answer + "\r")
    assert await window.ended() == 0
    first, second = tables
    return first, second


async def test_a_rematch_is_played_by_typing(tmp_path: Path) -> None:
    """At another table; on leaving, the commands for seeing each game again and for one more are told."""
    async with house(tmp_path) as server, pane(*new_table(server, "--lang", "fa"), columns=200) as window:
        first, second = await play_twice(window, tmp_path / ME, Language.FA)
    assert first != second
    left = "\n".join(window.left)
    for table_id in (first, second):
        proof = proof_path(tmp_path / "proofs", table_id, None)
        assert proof.exists()
        assert f"hokm replay {proof} --var {tmp_path}" in left
    assert f"hokm play --rematch {first.hex()}" not in left
    assert f"hokm play --rematch {second.hex()}" in left
    assert unfinished.remembered(tmp_path / ME) is None


async def test_a_rematch_with_the_bots_of_this_machine(tmp_path: Path) -> None:
    """Its server goes on from one game to the next. Before its end a game has no rematch."""
    line = ("local", "--var", str(tmp_path), "--lang", "en", "--pace-ms", "0-0")
    async with pane(*line, columns=200) as window:
        await window.until_shown("?")
        window.keys("rematch\r")
        await window.until_shown(words(Language.EN).slips["GAME_GOES_ON"])
        first, second = await play_twice(window, tmp_path / ME, Language.EN)
    assert first != second
