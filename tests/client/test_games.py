# SPDX-License-Identifier: Apache-2.0
"""A player's own games, from the proofs in a folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hokm.languages import Language
from hokm.record import record
from hokm_client.games import games, told
from tests.simulation.stories import story


def keep(folder: Path, name: str, *, rounds: tuple[int, ...] = (), whole: bool = True) -> str:
    """Put proofs of a story into the folder, as they are kept; the table's id."""
    game = story(name)
    folder.mkdir(exist_ok=True)
    table_id = game.table.id.hex()
    for number in rounds:
        (folder / f"{table_id}-{number}.json").write_bytes(game.round_proof(number).format())
    if whole:
        (folder / f"{table_id}-game.json").write_bytes(game.game_proof().format())
    return table_id


def key(name: str, seat: int) -> bytes:
    """Of who sat there."""
    return story(name).table.places[seat].public_key


def test_games_are_those_of_a_key(tmp_path: Path) -> None:
    """With all proofs that are there, and the result of the whole game; nobody else's."""
    table_id = keep(tmp_path, "lively", rounds=(1, 2))
    (game,) = games(tmp_path, key("lively", 1))
    made = record(story("lively").game_proof().format())
    assert (game.table_id, game.seat, game.is_over, game.winner) == (table_id, 1, True, made.winner)
    assert game.score == made.rounds[-1].score
    assert [path.name for path in game.proofs] == [f"{table_id}-{which}.json" for which in (1, 2, "game")]
    assert [*games(tmp_path, bytes(32))] == []


def test_what_is_no_proof_is_passed_over(tmp_path: Path) -> None:
    """Another file, and a proof that was cut: the one before it tells what it can."""
    table_id = keep(tmp_path, "lively", rounds=(1,), whole=False)
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / f"{table_id}-2.json").write_bytes(b"{")
    (game,) = games(tmp_path, key("lively", 0))
    assert not game.is_over
    assert game.told_by.name == f"{table_id}-1.json"
    assert [*games(tmp_path / "missing", key("lively", 0))] == []


@pytest.mark.parametrize("name", ["lively", "troubled", "abandoned", "resigned"])
@pytest.mark.parametrize("language", Language)
def test_a_game_is_told(tmp_path: Path, name: str, language: Language) -> None:
    """One sentence and the command that shows it."""
    keep(tmp_path, name)
    (game,) = games(tmp_path, key(name, 0))
    sentence, command = told(game, ["--as", "friend"], language)
    assert "{" not in sentence
    assert sentence.endswith(".")
    assert command.endswith(f"{game.told_by} --as friend")
    if language is Language.EN:
        assert ("You and your partner win" in sentence) == (game.winner == 0)


def test_the_program_lists_them(tmp_path: Path) -> None:
    """Who has none is told where they would be; who has no key, that it is missing."""
    words = (sys.executable, "-m", "hokm_client", "games", "--lang", "en", "--var", str(tmp_path))
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "me.key" in ended.stderr
    path = tmp_path / "players" / "me.key"
    path.parent.mkdir()
    path.write_bytes(bytes(32))
    path.chmod(0o600)
    ended = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "No proof of a game of yours is kept in" in ended.stdout
