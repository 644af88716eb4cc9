# SPDX-License-Identifier: Apache-2.0
"""What a verification found: a verdict, one line for each step, and everything that a reader has to know besides."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from hokm.cards import card_text
from hokm.errors import HokmError
from hokm.events import TimedOut
from hokm.verify.codes import Code, Step, step_of


class Verdict(StrEnum):
    """The one word. Each is worse than the one before it."""

    VERIFIED = "VERIFIED"
    WITH_WARNINGS = "VERIFIED WITH WARNINGS"
    INCOMPLETE = "INCOMPLETE"
    """What is here is true, only the end is missing."""
    UNREADABLE = "UNREADABLE"
    """This verifier cannot say: it is no proof, or one of a kind that it does not know."""
    REJECTED = "REJECTED"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found, to refuse by or to warn of."""

    step: Step
    code: str
    sentence: str
    version: int | None = None
    """Of the entry that it is about; None where it is about the whole."""
    facts: dict[str, str] = field(default_factory=dict)

    @property
    def where(self) -> str:
        """``entry 17: `` or nothing."""
        return "" if self.version is None else f"entry {self.version}: "

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON values."""
        return {
            "step": int(self.step),
            "code": self.code,
            "entry": self.version,
            "facts": self.facts,
            "sentence": self.sentence,
        }


class Refused(Exception):
    """A step refuses the proof."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.sentence)
        self.finding = finding


def found(code: Code, version: int | None = None, **facts: object) -> Finding:
    """The finding of a code with its facts."""
    texts = {name: value.hex() if isinstance(value, bytes) else str(value) for name, value in facts.items()}
    return Finding(code.step, code.name, code.sentence.format(**texts), version, texts)


def refusal(code: Code, version: int | None = None, **facts: object) -> Refused:
    """What to raise to refuse by a code."""
    return Refused(found(code, version, **facts))


def refusal_by(error: HokmError, version: int | None = None, step: Step | None = None) -> Refused:
    """What to raise to refuse by an error of the tree."""
    return Refused(Finding(step or step_of(type(error)), error.reason, str(error), version, error.facts))


def choice_text(content: TimedOut) -> str:
    """What the policy chose, in words."""
    if content.trump is not None:
        return ("spades", "hearts", "diamonds", "clubs")[content.trump]
    assert content.card is not None
    return card_text(content.card)


@dataclass(frozen=True, slots=True)
class Line:
    """What one step says."""

    step: Step
    outcome: str
    """ok, warning, incomplete, refused, or not reached."""
    says: str

    def as_json(self) -> dict[str, Any]:
        """The line as JSON values."""
        return {"step": int(self.step), "title": self.step.title, "outcome": self.outcome, "says": self.says}


@dataclass(frozen=True, slots=True)
class Report:
    """All that a verification found."""

    verdict: Verdict
    lines: tuple[Line, ...]
    """Thirteen, in order; those behind a refusal say that they were not reached."""
    fault: Finding | None = None
    """Why it is not verified: refused, unreadable or incomplete."""
    warnings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    """Voids, protests, missed deadlines and the like, in the order of the log."""
    mine: tuple[str, ...] = ()
    """Where the reader's own number is in."""
    not_proved: tuple[str, ...] = ()
    """What is not proved, or taken from the house's word."""
    subject: dict[str, Any] = field(default_factory=dict)
    """What was verified: log, table, kind, round, game id, score, versions."""

    @property
    def intact(self) -> bool:
        """All that is here is true: nothing in it was changed, left out or put in."""
        return self.verdict not in (Verdict.REJECTED, Verdict.UNREADABLE)

    @property
    def complete(self) -> bool | None:
        """It reaches its end, and the head that was expected; None where it is not intact, and nobody can say."""
        return self.verdict is not Verdict.INCOMPLETE if self.intact else None

    def as_json(self) -> dict[str, Any]:
        """The report as JSON values (SPEC 10.6)."""
        return {
            "verdict": self.verdict.value,
            "intact": self.intact,
            "complete": self.complete,
            "subject": self.subject,
            "steps": [line.as_json() for line in self.lines],
            "fault": None if self.fault is None else self.fault.as_json(),
            "warnings": [warning.as_json() for warning in self.warnings],
            "notes": list(self.notes),
            "mine": list(self.mine),
            "not_proved": list(self.not_proved),
        }
