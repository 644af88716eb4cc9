# SPDX-License-Identifier: Apache-2.0
"""A card that a seat has laid face down is known to it as long as it lies there, and to nobody else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hokm.events import TakeBack
from hokm.table import Round, Table, may_play
from hokm_client.keeping import Keeping
from hokm_client.question import ComeEarly
from tests.client.evening import Evening
from tests.simulation.game import SHORT


def seat_0_waits(table: Table) -> bool:
    """A trick has been led, and the turn of seat 0 has not come."""
    stage = table.stage
    return isinstance(stage, Round) and stage.trump is not None and -stage.leader & 3 > len(stage.trick) > 0


def test_a_new_run_knows_the_card_that_lies_face_down(tmp_path: Path) -> None:
    """It was kept before it was sent. Another device of the same player knows that one lies there, and no more."""
    evening = Evening(rules=replace(SHORT, coming_early=True), keeping=Keeping(tmp_path))
    evening.until(seat_0_waits)
    seat, stage = evening.seat, evening.table.stage
    assert isinstance(stage, Round)
    assert seat.early.lying is None
    card = may_play(stage, seat.cards.dealt).bit_length() - 1
    evening.send(seat.sign(ComeEarly(card), evening.house.now_ms))
    evening.feed()
    assert seat.early.lying == card
    evening.keeping.close()

    again = Evening(game=evening.game, keeping=Keeping(tmp_path))
    elsewhere = Evening(game=evening.game)
    for run in (again, elsewhere):
        run.feed()
    assert again.seat.early.lying == card
    assert elsewhere.seat.early.lying is None

    again.seat.catch_up()
    again.send(again.seat.sign(TakeBack(), again.house.now_ms))
    again.feed()
    assert again.seat.early.lying is None
    again.keeping.close()
