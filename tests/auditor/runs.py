# SPDX-License-Identifier: Apache-2.0
"""An auditor of a log in memory, run again and again over the same files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from hokm.tiles import Fetch
from hokm_audit.auditing import Auditor
from hokm_audit.findings import Code
from hokm_audit.replaying import Replayed, Task, replay
from hokm_audit.sites import Site
from hokm_audit.telling import Outcome
from tests.auditor.published import PublishedHouse

NAME = "auditor.example/one"


class Runs:
    """An auditor of one house, run again and again."""

    def __init__(self, folder: Path, house: PublishedHouse) -> None:
        self.folder = folder
        self.house = house
        self.replayed: list[tuple[bytes, int | None]] = []

    def run(self, fetch: Fetch | None = None, limit: int | None = None) -> Outcome:
        """Follow to the end; or until, in one stretch, so many games are replayed and one more."""
        auditor = Auditor(self.folder, self.house.policy, NAME, os.urandom, lambda: self.house.now_ms)

        def replaying(tasks: Iterable[Task]) -> Iterator[Replayed]:
            for place, done in enumerate(map(replay, tasks)):
                self.replayed.append((done.table, done.round))
                if place == limit:
                    raise KeyboardInterrupt
                yield done

        return auditor.audit(Site(fetch or self.house.fetch), replaying, lambda place, size: None)


def codes(outcome: Outcome) -> list[Code]:
    """Of the faults and then the warnings."""
    return [finding.code for finding in (*outcome.faults, *outcome.warnings)]
