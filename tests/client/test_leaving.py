# SPDX-License-Identifier: Apache-2.0
"""What there is to say when a game is left, in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from hokm.errors import TableBusy
from hokm.languages import Language
from hokm_client.errors import SeatGone, TakenOver
from hokm_client.fraud import Fraud, FraudKind
from hokm_client.leaving import closed, game_over, left_table, why
from hokm_client.terminal.notices import notices

EVIDENCE = Path("me/evidence")


@pytest.mark.parametrize("language", Language)
def test_why_a_game_goes_on_without_the_program(language: Language) -> None:
    """A fraud names its kind and where the evidence is; whatever else the server refuses is its sentence."""
    said = notices(language)
    caught = why(Fraud(FraudKind.TWO_ENTRIES, 7, "two"), EVIDENCE, language)
    assert "TWO_ENTRIES" in caught[0]
    assert "me/evidence" in caught[1]
    assert why(TakenOver(0), EVIDENCE, language) == [said.taken_over]
    assert why(SeatGone(0), EVIDENCE, language) == [said.seat_gone]
    assert len(why(TableBusy(3), EVIDENCE, language)) == 1
    with pytest.raises(ZeroDivisionError):
        why(ZeroDivisionError(), EVIDENCE, language)


@pytest.mark.parametrize("language", Language)
def test_the_warnings_of_all_proofs_are_told_once(language: Language) -> None:
    """That nobody witnesses the log is one sentence of its own; other warnings go by their codes."""
    said = notices(language)
    assert game_over((), "verify", language) == [said.proofs_kept, "  verify"]
    commands = game_over((), "verify", language, replay="hokm replay", rematch="hokm play --rematch")
    assert commands[2:] == [said.see_again, "  hokm replay", said.once_more, "  hokm play --rematch"]
    told = game_over(("NO_QUORUM", "NOT_WITNESSED", "VOIDED", "ABSENT"), "verify", language)
    assert told == [said.not_witnessed, said.warnings.format(codes="ABSENT, VOIDED"), said.proofs_kept, "  verify"]


@pytest.mark.parametrize("language", Language)
def test_the_way_back_is_told(language: Language) -> None:
    """Where the game goes on or waits; not where the seat was given up."""
    said = notices(language)
    assert closed("hokm play", language, waits=False) == [said.come_back, "  hokm play"]
    assert closed("hokm local", language, waits=True) == [said.game_waits, "  hokm local"]
    assert left_table(language) == [said.left]
