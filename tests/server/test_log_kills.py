# SPDX-License-Identifier: Apache-2.0
"""A log that is killed between two steps goes on from what is on the disk, and never signs two trees of one size."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hokm import merkle
from hokm.note import Note
from hokm_server.log import Log
from tests.server.dying_log import KEY, POLICY, STEPS, write
from tests.server.stores import ORIGIN, entry, opened


@pytest.mark.parametrize("step", STEPS)
def test_a_log_that_is_killed_goes_on(tmp_path: Path, step: str) -> None:
    """SIGKILL, as the third checkpoint is made: every entry that was sequenced is there, once and in its place."""
    run = subprocess.run([sys.executable, "-m", "tests.server.dying_log", str(tmp_path), step], check=False)
    assert run.returncode == -9
    signed = [line.split() for line in (tmp_path / "signed").read_text().splitlines()]
    with opened(tmp_path / "log.db") as store:
        log = Log(store, tmp_path / "head", ORIGIN, KEY, policy=POLICY)
        found = log.published.checkpoint.size
        assert found in (int(signed[-1][0]), store.size - 300, store.size)
        write(log, store)
        last = log.published.checkpoint
        assert last.size == store.size
        assert store.entries_between(0, store.size) == [entry(1, version) for version in range(store.size)]
        assert last.root == merkle.root([merkle.leaf_hash(one) for one in store.entries_between(0, store.size)])
        assert log.witnessed == log.published
        assert POLICY.endorse(Note.parse(log.published.note)).quorum_met
        for size, root in [(int(size), bytes.fromhex(root)) for size, root in signed]:
            _, proof = log.consistency(size)
            assert merkle.check_consistency(size, root, last.size, last.root, proof)
            assert log.root(size) == root
