# SPDX-License-Identifier: Apache-2.0
"""The server's own check finds whatever is not what the entries make, and says where; and nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hokm.table import Round
from hokm_server import house_keys
from hokm_server.check import Found, check, quick_check
from hokm_server.key_files import KeyFiles
from hokm_server.log import Log
from hokm_server.public_keys import read_public
from hokm_server.store import Store
from tests.server.callers import visiting
from tests.server.stores import raw

ORIGIN = "localhost/hokm"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a house with games that are over and one that is in its first round."""
    var = tmp_path_factory.mktemp("house") / "var"

    async def visit() -> None:
        async with visiting(var) as visit:
            while visit.found.log.integrate() < 300:
                await visit.seat_four()
                await visit.play_game()
            await visit.seat_four()
            await visit.play(lambda table: isinstance(table.stage, Round))

    asyncio.run(visit())
    return var


@pytest.fixture
def var(house: Path, tmp_path: Path) -> Path:
    """A copy of those files."""
    return Path(shutil.copytree(house, tmp_path / "var"))


def checked(var: Path) -> Found:
    """What the check finds there."""
    with contextlib.closing(Store(var / "log.db", ORIGIN)) as store:
        return check(store, var / "head", read_public(KeyFiles(var / "keys"), ORIGIN))


def change(var: Path, statement: str, trigger: str = "") -> None:
    """Do this to the database with a trigger out of the way, which is put back afterwards."""
    with raw(var / "log.db") as connection:
        sql = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (trigger,)).fetchone()
        if sql:
            connection.execute(f"DROP TRIGGER {trigger}")
        connection.execute(statement)
        if sql:
            connection.execute(sql[0])


def test_an_honest_house_differs_in_nothing(var: Path) -> None:
    """And what it counts is what there is."""
    found = checked(var)
    assert found.faults == []
    assert found.tables > 1
    assert (found.running, found.sealed) == (1, 5)
    assert str(found).endswith(": nothing differs")
    change(var, "DELETE FROM checkpoints WHERE size = (SELECT max(size) FROM checkpoints)", "checkpoints_undeleted")
    assert checked(var).faults == [f"the head file {var / 'head'} holds no checkpoint of this database"]


OTHER = f"x'{7:032x}'"
LAST = "(SELECT max(position) FROM entries)"
OVER = "(SELECT stream FROM streams WHERE NOT running LIMIT 1)"
RUNNING = "(SELECT stream FROM streams WHERE running)"


@pytest.mark.parametrize(
    ("statement", "trigger", "said"),
    [
        ("UPDATE entries SET entry = zeroblob(90) WHERE position = 9", "entries_unchanged", "cannot be read"),
        ("UPDATE entries SET entry = zeroblob(90) WHERE position = 9", "entries_unchanged", "not that of the entries"),
        (
            "UPDATE entries SET entry = (SELECT entry FROM entries WHERE position = 8) WHERE position = 9",
            "entries_unchanged",
            "does not follow the one before it",
        ),
        (
            f"UPDATE entries SET stream = {OTHER}, version = 0 WHERE position = 1",
            "entries_unchanged",
            "says that it is of",
        ),
        (f"DELETE FROM entries WHERE position = {LAST}", "entries_undeleted", "of more entries than there are"),
        (
            "UPDATE checkpoints SET note = (SELECT note FROM checkpoints LIMIT 1) WHERE size > 1",
            "checkpoints_unchanged",
            "is not that of the entries",
        ),
        ("UPDATE checkpoints SET note = x'41' WHERE size = 1", "checkpoints_unchanged", "size 1 does not count"),
        ("UPDATE nodes SET hash = zeroblob(32)", "", "the node 0 of level 8 is not that of the entries"),
        ("DELETE FROM nodes", "", "0 nodes are kept"),
        ("INSERT INTO nodes VALUES (8, 999, zeroblob(32))", "", "nodes are kept, and the entries have"),
        ("UPDATE streams SET running = 1", "", "is over by its entries, running in the list"),
        ("UPDATE streams SET running = 0", "", "is running by its entries, over in the list"),
        ("DELETE FROM streams WHERE running", "", "not there in the list"),
        (f"INSERT INTO streams VALUES ({OTHER}, 1)", "", "is not there by its entries, running"),
        (f"INSERT INTO wanted SELECT {OVER}, 1, 2", "", "somebody is wanted at seat 1 of table"),
        (f"INSERT INTO sealed SELECT {OVER}, zeroblob(41), 1, 0, x'00'", "", "is sealed and was due to go"),
        (f"INSERT INTO sealed SELECT {RUNNING}, zeroblob(41), 1, 0, x'00'", "", "is sealed and was due to go"),
        ("DELETE FROM sealed WHERE seat = 2", "", "a sealed secret of seat 2 of table"),
    ],
)
def test_whatever_differs_is_told(var: Path, statement: str, trigger: str, said: str) -> None:
    """By what it is and where."""
    change(var, statement, trigger)
    found = checked(var)
    assert any(said in fault for fault in found.faults), found.faults
    assert str(found).endswith(" things differ")


@pytest.mark.parametrize(
    ("statement", "trigger", "said"),
    [
        (f"INSERT INTO sealed SELECT {OVER}, zeroblob(41), 1, 0, x'00'", "", "sealed and were due to go"),
        (f"INSERT INTO wanted SELECT {OVER}, 1, 2", "", "somebody is wanted"),
    ],
)
def test_a_start_sees_some_of_it(var: Path, statement: str, trigger: str, said: str) -> None:
    """What games that are over have left; the last entries against the tree."""
    change(var, statement, trigger)
    with contextlib.closing(Store(var / "log.db", ORIGIN)) as store:
        log = Log(store, var / "head", ORIGIN, house_keys.load(var / "keys", ORIGIN).log)
        (fault,) = quick_check(store, log)
    assert said in fault


def test_the_program_says_it(var: Path) -> None:
    """With the status 0 where nothing differs, and 1 where something does."""
    command = [sys.executable, "-m", "hokm_server", "check", "--var", str(var)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, ""), run.stderr
    assert run.stdout.endswith("nothing differs\n")
    change(var, "UPDATE streams SET running = 1")
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stdout.endswith(" things differ\n")
