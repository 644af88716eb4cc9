# SPDX-License-Identifier: Apache-2.0
"""A directory with proof files, as `hokm-verify` meets them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hokm.events import GameEnded
from tests.simulation.forge import Forgery
from tests.simulation.stories import story


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Proofs of every verdict, and their policies."""
    folder = tmp_path_factory.mktemp("proofs")
    plain, troubled = story("plain"), story("troubled")
    for name in ("plain", "troubled"):
        (folder / f"{name}.policy").write_bytes(story(name).house.policy.format())
    proof = plain.round_proof(2)
    (folder / "good.json").write_bytes(proof.format())
    (folder / "game.json").write_bytes(plain.game_proof().format())
    (folder / "cut.json").write_bytes(replace(proof, entries=proof.entries[:-9]).format())
    (folder / "text.json").write_bytes(b"all is well\n")
    (folder / "warned.json").write_bytes(troubled.round_proof(1).format())
    forgery = Forgery(plain)
    forgery.draft(GameEnded).edit(winner=1)
    (folder / "forged.json").write_bytes(forgery.game_proof().format())
    return folder


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the working directory."""
    monkeypatch.chdir(folder)
