# SPDX-License-Identifier: Apache-2.0
"""What an auditor says when it has followed a log: in words, and as JSON for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from hokm.checkpoint import Checkpoint
from hokm.notation import write_base64
from hokm_audit.findings import Finding

MOST_TOLD = 20
"""Findings that are told in words."""


class Outcome(NamedTuple):
    """How far it came, and what was found."""

    checkpoint: Checkpoint | None
    """That was seen last and goes on from those before."""
    place: int
    """All before it is read and judged."""
    counts: Counter[str]
    findings: tuple[Finding, ...]
    is_followed: bool
    """To the latest checkpoint."""
    is_signed: bool

    @property
    def faults(self) -> tuple[Finding, ...]:
        """What stands against the log."""
        return tuple(finding for finding in self.findings if finding.code.is_fault)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """What a reader should know."""
        return tuple(finding for finding in self.findings if not finding.code.is_fault)

    def as_json(self) -> dict[str, Any]:
        """All of it as JSON values."""
        checkpoint = self.checkpoint
        return {
            "origin": None if checkpoint is None else checkpoint.origin,
            "size": None if checkpoint is None else checkpoint.size,
            "root": None if checkpoint is None else write_base64(checkpoint.root),
            "place": self.place,
            "followed": self.is_followed,
            "signed": self.is_signed,
            "counts": dict(sorted(self.counts.items())),
            "faults": [finding.as_json() for finding in self.faults],
            "warnings": [finding.as_json() for finding in self.warnings],
        }


def tally(counts: Counter[str]) -> str:
    """What there is in a log, in one line."""
    still_open = counts["tables"] - counts["over"]
    told = ("ceremonies", "draws", "deals", "voids", "rounds", "faults of the server")
    return (
        f"tables: {counts['tables']} opened = {counts['over']} over + {still_open} open; in those over: "
        + ", ".join(f"{counts[name]} {name}" for name in told)
    )


def page(outcome: Outcome) -> Iterator[str]:
    """All of it in lines of text."""
    checkpoint = outcome.checkpoint
    if checkpoint is None:
        yield "nothing was read yet"
    else:
        yield f"{checkpoint.origin}: read to entry {outcome.place} of {checkpoint.size}"
    yield tally(outcome.counts)
    for title, findings in (("faults", outcome.faults), ("warnings", outcome.warnings)):
        if findings:
            yield f"{title}: {len(findings)}"
            yield from (f" - {_line(finding)}" for finding in findings[:MOST_TOLD])
            if len(findings) > MOST_TOLD:
                yield f" - and {len(findings) - MOST_TOLD} more: --json tells all"
    if outcome.is_signed:
        yield "all rounds that are closed in this tree were replayed without error: signed"


def _line(finding: Finding) -> str:
    where = "" if finding.place is None else f"entry {finding.place}: "
    text = f"{finding.code.name}: {where}{finding.sentence}"
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
