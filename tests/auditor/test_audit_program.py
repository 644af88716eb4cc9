# SPDX-License-Identifier: Apache-2.0
"""`hokm-audit follow` as a program, over HTTP: what it says, its status, and what it knows after a kill."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hokm_audit.auditing import open_ledger
from tests.auditor.published import PublishedHouse, play, serving

HOUSE = PublishedHouse()
for _ in range(8):
    play(HOUSE)


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """Where the log is published; the policy is in the directory."""
    (tmp_path / "policy").write_bytes(HOUSE.policy.format())
    with serving(HOUSE.fetch) as url:
        yield url


def command(url: str, *options: str) -> list[str]:
    """How it is called."""
    return [sys.executable, "-m", "hokm_audit", "follow", url, "--policy", "policy", "--state", "state", *options]


def followed(folder: Path, url: str, *options: str) -> tuple[int, str, str]:
    """Status, output and diagnostics of one run."""
    done = subprocess.run(command(url, *options), cwd=folder, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout, done.stderr


def test_a_log_is_followed_in_several_processes(tmp_path: Path, url: str) -> None:
    """And signed, where a name is given."""
    status, said, complaints = followed(tmp_path, url, "--name", "auditor.example/1", "--workers", "2")
    assert (status, complaints) == (0, "")
    assert f"read to entry {HOUSE.latest} of {HOUSE.latest}" in said
    assert "replayed without error: signed" in said
    status, said, complaints = followed(tmp_path, url, "--json")
    told = json.loads(said)
    assert (status, complaints, told["faults"], told["signed"]) == (0, "", [], False)
    assert (told["size"], told["counts"]["games"]) == (HOUSE.latest, 8)


def test_a_fault_gives_another_status(tmp_path: Path, url: str) -> None:
    """For whatever runs it every hour."""
    false = PublishedHouse()
    false.append(b"no entry")
    false.publish()
    with serving(false.fetch) as lying:
        status, said, _ = followed(tmp_path, lying, "--json")
    assert status == 1
    assert [fault["code"] for fault in json.loads(said)["faults"]] == ["NOT_AN_ENTRY"]


def test_what_cannot_be_finished_says_so(tmp_path: Path, url: str) -> None:
    """With a sentence, and as JSON."""
    status, said, complaints = followed(tmp_path, url + "/elsewhere", "--json")
    assert (status, json.loads(said)["problem"]["reason"], complaints.count("\n")) == (3, "NOT_ON_SITE", 1)
    assert followed(tmp_path, url, "--name", "two words")[0] == 2


def test_killed_in_the_middle_it_goes_on(tmp_path: Path) -> None:
    """Ten times, each time at another file that it asks for."""
    (tmp_path / "policy").write_bytes(HOUSE.policy.format())
    running: list[subprocess.Popen[bytes]] = []
    asked = 0

    def fetch(path: str) -> Any:
        nonlocal asked
        asked += 1
        if running and asked == 3 + 2 * len(running):
            running[-1].kill()
        return HOUSE.fetch(path)

    places = []
    with serving(fetch) as url:
        for _ in range(10):
            asked = 0
            with subprocess.Popen(command(url, "--workers", "1"), cwd=tmp_path, stdout=subprocess.DEVNULL) as program:
                running.append(program)
                program.wait(60)
            ledger = open_ledger(tmp_path / "state", HOUSE.policy)
            places.append(ledger.place)
            ledger.close()
        running.clear()
        status, said, complaints = followed(tmp_path, url, "--json")
    assert (status, complaints) == (0, "")
    assert json.loads(said)["counts"]["games"] == 8
    assert places == sorted(places)
