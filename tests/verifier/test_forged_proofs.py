# SPDX-License-Identifier: Apache-2.0
"""Forged proofs: for every code one story in which only that one thing is wrong. The cases stand by steps in the files
`forged_….py`; what a case is, in `forging`."""

from __future__ import annotations

import pytest

from hokm.verify import Code, Step
from tests.verifier import (
    forged_ceremonies,
    forged_chain,
    forged_checkpoint,
    forged_format,
    forged_house,
    forged_house_rules,
    forged_inclusion,
    forged_moves,
    forged_players,
    forged_results,
    forged_round_before,
    forged_times,
    forged_voids,
    forged_witnesses,
)
from tests.verifier.forging import CASES, Known, refused
from tests.verifier.test_spec import is_warning

FILES = (
    forged_ceremonies,
    forged_chain,
    forged_checkpoint,
    forged_format,
    forged_house,
    forged_house_rules,
    forged_inclusion,
    forged_moves,
    forged_players,
    forged_results,
    forged_round_before,
    forged_times,
    forged_voids,
    forged_witnesses,
)
"""Whose cases are those below."""


@pytest.mark.parametrize("known", CASES, ids=[f"{known.step:02}-{known.code}-{known.name}" for known in CASES])
def test_a_forgery_is_refused_by_the_step_that_it_offends(known: Known) -> None:
    """Step, code and entry are those that the forger got wrong."""
    refused(known.make(), known.step, known.code)


@pytest.mark.parametrize("step", [step for step in Step if step is not Step.INDEPENDENCE])
def test_every_step_that_can_refuse_has_a_forgery(step: Step) -> None:
    """The thirteenth only warns."""
    assert any(known.step is step for known in CASES)


def test_every_code_that_refuses_has_a_forgery() -> None:
    """What is not tried here is what makes a proof incomplete, and what warns."""
    incomplete = {Code.NO_CLOSING_ENTRY, Code.HEAD_NOT_REACHED}
    refusing = {code.name for code in Code if not is_warning(code) and code not in incomplete}
    assert refusing - {known.code for known in CASES} == set()
