# SPDX-License-Identifier: Apache-2.0
"""The auditor: rounds per second, over a log of games that bots played in memory, stopped ten times on the way.

The floor is what the signatures of these games alone take by as many processes. `--rounds 10000` is the log of the
acceptance; `--state DIR` keeps what the auditor knows, and the policy; the README's picture is what `hokm-audit report
--picture` makes of that. `--quick` sees that it works, with figures of no meaning.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from bench.bench_verify import _one_signature, _signatures_in
from bench.report import Row, tell
from hokm.events import RoundRevealed
from hokm.rules import TableRules
from hokm.verify import Signatures
from hokm_audit.auditing import Auditor
from hokm_audit.following import STRETCH, Replay
from hokm_audit.replaying import Replayed, Task
from hokm_audit.sites import Site
from hokm_audit.telling import Outcome, tally
from hokm_audit.workers import replaying
from tests.auditor.published import PublishedHouse
from tests.simulation.game import BOT, FOUR_PERSONS, PERSON, TWO_AND_BOTS, Game

STOPS = 10

KINDS = (FOUR_PERSONS, TWO_AND_BOTS, (PERSON, BOT, BOT, BOT))
TROUBLED = 0.15
"""Of the games: those in which players are silent, leave and come back, and the house is down."""


class Stopped(Exception):
    """As if it had been killed."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the log, follow it, and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="only see that it works; the figures mean nothing")
    parser.add_argument("--rounds", type=int, default=500, help="how many there are to be (%(default)s)")
    parser.add_argument("--state", type=Path, help="where the auditor keeps what it knows")
    asked = parser.parse_args(arguments)
    house, sample = make(20 if asked.quick else asked.rounds)
    workers = os.cpu_count() or 1
    began, used = time.perf_counter(), _processor_seconds()
    with tempfile.TemporaryDirectory() as folder, replaying(workers) as replay:
        outcome, stops = follow(house, asked.state or Path(folder), replay)
    taken, used = time.perf_counter() - began, _processor_seconds() - used
    assert outcome.is_signed, outcome.faults
    if asked.state:
        (asked.state / "policy").write_bytes(house.policy.format())
    rounds = outcome.counts["rounds"]
    proofs = [game.game_proof().format() for game in sample]
    of_sample = sum(len(game.versions(RoundRevealed)) for game in sample)
    floor = of_sample / (_signatures_in(proofs, house.policy, Signatures.PLAYERS) * _one_signature(3))
    tell(
        f"Audit, {workers} processes",
        [
            Row("rounds followed", rounds / taken, "rounds/s", workers * floor, "signatures alone, as many processes"),
            Row("by a second of processor", rounds / used, "rounds/s", floor, "signatures alone"),
            Row("memory of the one that reads", _megabytes(), "MB"),
        ],
        f"{len(house.entries)} entries; stopped {stops} times within a stretch, of which all was done again",
        "the log itself is in the memory of the one that reads",
        tally(outcome.counts),
    )


def _processor_seconds() -> float:
    """Of this program and of those that it has waited for."""
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def make(rounds: int) -> tuple[PublishedHouse, list[Game]]:
    """A log with at least so many rounds, and some of its games."""
    house, rng = PublishedHouse(), random.Random(1)
    sample: list[Game] = []
    played = 0
    while played < rounds:
        game = Game(house, TableRules(), rng.choice(KINDS))
        game.sit()
        if rng.random() < TROUBLED:
            game.wander(0.02, most_rounds=20)
        else:
            game.play_game()
        played += len(game.versions(RoundRevealed))
        if len(sample) < 3:
            sample.append(game)
    house.publish()
    return house, sample


def follow(house: PublishedHouse, folder: Path, replay: Replay) -> tuple[Outcome, int]:
    """Follow the log to its end, and stop ten times on the way; how often it was."""
    auditor = Auditor(folder, house.policy, "auditor.example/bench", os.urandom, lambda: house.now_ms)
    size = len(house.entries)
    stops = 0
    here = 0

    def progress(place: int, _: int) -> None:
        nonlocal here
        here = place

    def stopping(tasks: Iterable[Task]) -> Iterator[Replayed]:
        for replayed in replay(tasks):
            if stops < STOPS and here >= stops * (size - STRETCH) // STOPS:
                raise Stopped
            yield replayed

    while True:
        try:
            return auditor.audit(Site(house.fetch), stopping, progress), stops
        except Stopped:
            stops += 1


if __name__ == "__main__":
    main()
