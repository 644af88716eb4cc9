# SPDX-License-Identifier: Apache-2.0
"""Time and chance come to the client from one place, and a test may put its own there."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import hokm_client
from hokm.entry import parse_entry
from hokm.events import ProtestReason, SignedMove
from hokm.rules import TableRules
from hokm.signing import SigningKey
from hokm.wire import read_event
from hokm_client.bot import random_legal
from hokm_client.machine import THIS_MACHINE, Machine
from hokm_client.player import Player
from tests.client.visits import house, house_bots

PACKAGE = Path(hokm_client.__file__).parent
MAY_ASK = {PACKAGE / "machine.py", PACKAGE / "__main__.py"}


@pytest.mark.parametrize("path", sorted({*PACKAGE.rglob("*.py")} - MAY_ASK), ids=lambda path: path.stem)
def test_nobody_else_asks_the_machine(path: Path) -> None:
    """No other module can read a clock or draw a byte: it has not imported what does that."""
    assert not {*_sources(ast.parse(path.read_text()))}


def _sources(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names if alias.name in {"time", "secrets", "random", "datetime"})
            case ast.ImportFrom(module="random", names=names):
                yield from (alias.name for alias in names if alias.name != "Random")  # the type
            case ast.ImportFrom(module="time" | "secrets" | "datetime" as module):
                yield module
            case ast.Attribute(value=ast.Name(id="os"), attr="urandom"):
                yield "os.urandom"


async def test_a_player_lives_by_the_machine_that_it_is_given(tmp_path: Path) -> None:
    """Its identity is of that chance; by its slow clock the house's is ahead, which its moves protest."""
    mine = random.Random(7)
    slow = Machine(lambda: THIS_MACHINE.now_ms() - 40_000, mine.randbytes)
    async with (
        house(tmp_path) as found,
        house_bots(found.address, tmp_path),
        Player.connect(found.address, identity=tmp_path / "me.key", policy=tmp_path / "policy", machine=slow) as player,
    ):
        assert player.key.public == SigningKey(random.Random(7).randbytes(32)).public
        table_id = await player.open_table(TableRules(target=3), (1, 2, 3))
        sitting = await player.sit(table_id, 0, choose=lambda question: random_legal(question, mine))
        await sitting.over
        entries = await player.connection.entries(table_id, 0)
    contents = [read_event(parse_entry(entry).body).content for entry in entries]
    protests = {signed.move.protest for signed in contents if isinstance(signed, SignedMove)} - {None}
    assert {protest.reason for protest in protests if protest} == {ProtestReason.CLOCK}
