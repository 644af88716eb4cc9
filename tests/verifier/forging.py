# SPDX-License-Identifier: Apache-2.0
"""How a forged proof is made and told: the list of all cases, and the words in which a case says what it forges.

The forger has all keys, the house's and the players', and chains and signs everything anew, so nothing but the step
that is meant can refuse it. Each case says the step, the code and the entry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from hokm.policy import Policy
from hokm.proof import Proof
from hokm.table import Table
from hokm.verify import Code, Report, Step, Verdict, Wishes, verify
from hokm.verify.retrace import retrace
from tests.simulation.forge import Draft, Forgery
from tests.simulation.stories import story

AS_EVER = Wishes()


@dataclass
class Forged:
    """What a case hands in: a proof, whom the reader trusts, and what else the reader wants."""

    proof: Proof
    policy: Policy
    version: int | None
    """The entry that is to be refused."""
    wishes: Wishes = AS_EVER
    field: str | None = None
    """The field that the report must name."""

    def verify(self) -> Report:
        return verify(self.proof.format(), self.policy, self.wishes)


Case = Callable[[], Forged]


class Known(NamedTuple):
    """A case, and what refuses it."""

    step: Step
    code: str
    name: str
    make: Case


CASES: list[Known] = []


def forged(step: int, code: Code | str) -> Callable[[Case], Case]:
    """Take a case, named by its function."""

    def take(case: Case) -> Case:
        forged_each(step, code, {case.__name__: case})
        return case

    return take


def forged_each(step: int, code: Code | str, cases: Mapping[str, Case]) -> None:
    """Take several cases by name."""
    reason = code.name if isinstance(code, Code) else code
    CASES.extend(Known(Step(step), reason, name, case) for name, case in cases.items())


def within(name: str, change: Callable[[Forgery], Draft | int | None]) -> Forged:
    """The game proof of a story that was changed; the change says which entry is wrong."""
    game = story(name)
    forgery = Forgery(game)
    wrong = change(forgery)
    version = forgery.drafts.index(wrong) if isinstance(wrong, Draft) else wrong
    return Forged(forgery.game_proof(), game.house.policy, version)


def beside(
    name: str, change: Callable[[Proof], Proof], version: int | None = None, round_: int | None = None
) -> Forged:
    """The true proof of a story with something in the file changed."""
    game = story(name)
    proof = game.game_proof() if round_ is None else game.round_proof(round_)
    return Forged(change(proof), game.house.policy, version)


def flipped(octets: bytes) -> bytes:
    return octets[:-1] + bytes([octets[-1] ^ 1])


def tables(name: str) -> list[Table]:
    """The table before each entry of a story, by version."""
    traced = retrace(story(name).game_proof().format())
    return [traced.steps[0][0], *(before for before, _, _ in traced.steps)]


def changed(name: str, kind: type, nth: int = 0, **fields: object) -> Forged:
    """A story with fields of one entry changed."""

    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(kind, nth)
        draft.edit(**fields)
        return draft

    return within(name, change)


def refused(case: Forged, step: Step, code: str) -> None:
    report = case.verify()
    assert report.fault is not None, report.verdict
    found = (report.fault.step, report.fault.code, report.fault.version)
    assert found == (step, code, case.version), report.fault
    assert case.field in (None, report.fault.facts.get("field"))
    assert report.verdict is (Verdict.UNREADABLE if step is Step.FORMAT else Verdict.REJECTED)
    outcomes = [line.outcome for line in report.lines]
    assert outcomes[step - 1] == "refused"
    assert set(outcomes[step:]) <= {"not reached"}
    assert "not reached" not in outcomes[: step - 1]
