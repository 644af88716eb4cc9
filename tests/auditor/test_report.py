# SPDX-License-Identifier: Apache-2.0
"""The report: counts that add up, tests that pass what is fair and find what is not, and a page that needs nothing."""

from __future__ import annotations

import csv
import random
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from hokm_audit.auditing import open_ledger, outcome_of
from hokm_audit.chances import LENGTHS, of_counts, of_deals, of_shares, share_between
from hokm_audit.figures import figures_of
from hokm_audit.gathering import CARDS, HAND, SEATS, Gathered, gather
from hokm_audit.pictures import SMALL, bars, svg_of
from hokm_audit.replaying import unpack
from hokm_audit.reporting import report
from tests.auditor.published import PublishedHouse, play
from tests.auditor.runs import Runs
from tests.simulation import Game
from tests.simulation.game import SHORT


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The state of an auditor of a log with games of all kinds, its policy beside it."""
    folder = tmp_path_factory.mktemp("audit")
    house = PublishedHouse()
    for _ in range(6):
        play(house)
    for _ in range(4):
        game = Game(house, SHORT)
        game.sit()
        game.wander(0.08)
    house.publish()
    assert Runs(folder, house).run().is_signed
    (folder / "policy").write_bytes(house.policy.format())
    return folder


def gathered(folder: Path) -> Gathered:
    """What its records tell."""
    ledger = open_ledger(folder, Runs(folder, PublishedHouse()).house.policy)
    try:
        return gather(map(unpack, ledger.records()))
    finally:
        ledger.close()


def test_the_counts_add_up(folder: Path) -> None:
    """Each card once in each deal, a quarter of them in each hand."""
    counted = gathered(folder)
    assert counted.games == 10
    rounds = counted.rounds
    assert rounds > 10
    for grid in (counted.by_seat, counted.by_position, counted.by_place):
        assert [sum(column) for column in zip(*grid, strict=True)] == [rounds] * CARDS
    assert [sum(row) for row in counted.by_seat] == [HAND * rounds] * SEATS
    assert [sum(row) for row in counted.by_place] == [rounds] * CARDS
    assert sum(counted.suit_lengths.values()) == 16 * rounds
    assert sum(counted.one_length.values()) == rounds
    assert sum(counted.hakems.values()) == sum(counted.points.values()) <= rounds
    assert counted.troubles.total() > 0
    assert counted.standings.total() == counted.of_players.total()
    assert sum(count for (_, seat), count in counted.troubles.items() if seat is not None) == counted.of_players.total()


def test_the_page_needs_nothing_else(folder: Path, tmp_path: Path) -> None:
    """No address, no script; its pictures are whole, and the tables lie beside it."""
    ledger = open_ledger(folder, Runs(folder, PublishedHouse()).house.policy)
    outcome = outcome_of(ledger)
    files = report(ledger, outcome, tmp_path)
    ledger.close()
    page = files[0].read_text()
    assert not re.findall(r'(?:src|href)="(?!#|data:)', page)
    assert "<script" not in page
    assert "What these figures cannot show" in page
    pictures = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(pictures) == 12
    for picture in pictures:
        ET.fromstring(picture)
    for file in files:
        if file.suffix == ".csv":
            assert len({len(row) for row in csv.reader(file.read_text().splitlines())}) == 1


def test_the_program_writes_it(folder: Path, tmp_path: Path) -> None:
    """From what was followed before, without a network."""
    words = ["report", "--policy", str(folder / "policy"), "--state", str(folder), "--out", "out", "--picture"]
    done = subprocess.run([sys.executable, "-m", "hokm_audit", *words], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "out" / "report.html").exists()
    assert (tmp_path / "out" / "report.png").read_bytes().startswith(b"\x89PNG")


def test_a_report_of_nothing_says_so(tmp_path: Path) -> None:
    """There is nothing to draw, and nothing to divide by."""
    for figure in figures_of(Gathered()):
        assert figure.test is None
    ledger = open_ledger(tmp_path, PublishedHouse().policy)
    files = report(ledger, outcome_of(ledger), tmp_path / "out")
    ledger.close()
    assert "There is too little to test." in files[0].read_text()


def test_the_same_counts_make_the_same_picture() -> None:
    """To the last byte, and with names of its own."""
    draw = bars(["one", "two"], [3, 4], [3.5, 3.5])
    assert svg_of(draw, SMALL, "a") == svg_of(draw, SMALL, "a") != svg_of(draw, SMALL, "b")


# Chances.


def deals(count: int, rng: random.Random, weight: float = 0.0) -> list[list[int]]:
    """Cards by hand over so many deals; with a weight, the first hand gets the ace of spades more often."""
    counts = [[0] * CARDS for _ in range(SEATS)]
    for _ in range(count):
        deck = rng.sample(range(CARDS), CARDS)
        if rng.random() < weight:
            at = deck.index(12)
            deck[0], deck[at] = deck[at], deck[0]
        for place, card in enumerate(deck):
            counts[place // HAND][card] += 1
    return counts


def test_fair_deals_pass_as_often_as_they_should() -> None:
    """The p-values of fair deals lie evenly between 0 and 1, dependent as the counts are."""
    rng = random.Random(1)
    found = [test.p for _ in range(200) if (test := of_deals(deals(40, rng))) is not None]
    assert len(found) == 200
    assert 70 < sum(p < 0.5 for p in found) < 130
    assert sum(p < 0.05 for p in found) < 25


def test_a_card_that_favours_a_hand_is_found() -> None:
    """Once in ten deals is enough, over a thousand of them."""
    test = of_deals(deals(1000, random.Random(2), weight=0.2))
    assert test is not None
    assert test.p < 1e-6


def test_counts_are_compared_by_class() -> None:
    """Small classes are put together; too few counts are not tested."""
    assert of_counts([1, 2], [1.5, 1.5]) is None
    test = of_counts([30, 70, 1, 0], [50, 49, 0.7, 0.3])
    assert test is not None
    assert test.freedom == 1
    assert test.p < 0.001
    even = of_shares([50, 51], [100, 100])
    assert even is not None
    assert even.p > 0.5
    assert of_shares([1], [3]) is None
    assert sum(LENGTHS) == pytest.approx(1)


def test_an_interval_holds_its_share() -> None:
    """Wilson's, whose ends are no impossible shares."""
    low, high = share_between(50, 100)
    assert (round(low, 3), round(high, 3)) == (0.404, 0.596)
    assert share_between(0, 0) == (0.0, 1.0)
    assert share_between(0, 10)[0] >= 0
