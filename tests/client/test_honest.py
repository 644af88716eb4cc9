# SPDX-License-Identifier: Apache-2.0
"""An honest house is believed, whatever happens at its table."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hokm.cards import PACK
from hokm.deal import Purpose
from hokm.events import RoundRevealed, SeatKind, ServerFaultCause
from hokm.rules import FirstHakem, HakemPasses, Packets, TableRules
from hokm.table import Over, Table
from hokm_client.errors import ManifestWanted
from hokm_client.fraud import Fraud, FraudKind
from tests.client.evening import Evening, in_ceremony, in_tricks
from tests.simulation import Game, TestHouse
from tests.simulation.game import FOUR_PERSONS, TWO_AND_BOTS


@pytest.mark.parametrize("ours", [(0,), (1, 3), (0, 1, 2, 3)], ids=str)
def test_seats_play_a_whole_game_in_memory(ours: tuple[int, ...]) -> None:
    """Our seats commit, reveal, hold exactly the cards they were dealt and play to the end."""
    evening = Evening(ours)
    evening.play_game()
    stage = evening.desk.stream.there.stage
    assert isinstance(stage, Over)
    assert evening.desk.stream.leaves == evening.game.leaves
    assert all(seat.notice is None and seat.unanswered is None for seat in evening.desk.seats)


@pytest.mark.parametrize(
    "rules",
    [
        TableRules(target=3, open_first_packet=True),
        TableRules(target=3, packets=Packets.FIVE_FIVE_THREE, first_hakem=FirstHakem.HIGH_CARD),
        TableRules(target=3, hakem_passes=HakemPasses.EVERY_ROUND),
    ],
)
def test_every_way_to_deal_is_followed(rules: TableRules) -> None:
    """Open first packets, 5-5-3, and the other ways to find a hakem."""
    evening = Evening((0, 2), rules=rules)
    evening.play_game()
    assert isinstance(evening.desk.stream.there.stage, Over)


@pytest.mark.parametrize("seed", range(60))
def test_no_honest_stream_is_accused(seed: int) -> None:
    """Silence, leaving, coming back, stand-ins, faults and a house that was down: all of it passes every check."""
    kinds = (FOUR_PERSONS, TWO_AND_BOTS, (SeatKind.PERSON, SeatKind.BOT, SeatKind.BOT, SeatKind.BOT))[seed % 3]
    game = Game(TestHouse(seed=seed), TableRules(target=3, witnessed=seed % 4 == 0), kinds)
    game.sit()
    game.wander(mischief=0.08)
    reading = Evening((0,), game=game)
    reading.feed()
    assert reading.desk.stream.there._replace(house=game.house.house) == game.table


def test_a_table_is_the_same_however_its_entries_come() -> None:
    """One by one, all at once, or twice: what a stream holds is the same."""
    evening = Evening(())
    evening.play_game()
    entries = evening.game.entries
    again = Evening((), game=evening.game)
    for version in range(len(entries)):
        again.desk.take(again.update(version, version + 1), again.house.now_ms)
    again.desk.take(again.update(0), again.house.now_ms)
    assert again.desk.stream.there == evening.desk.stream.there


def test_a_round_that_is_over_shows_its_deal() -> None:
    """With RoundRevealed the step carries all four hands, which the seat's own notes agree with."""
    evening = Evening((0,))
    deals = []
    evening.desk.on_step.append(lambda step: deals.append(step.deal) if step.deal else None)
    evening.play_game()
    assert len(deals) == sum(isinstance(event.content, RoundRevealed) for event in evening.game.events)
    assert all(
        sorted(card for packet in deal.packets for cards in packet for card in cards) == [*PACK] for deal in deals
    )


@pytest.mark.parametrize("reached", [in_ceremony(Purpose.DEAL, closed=True), in_tricks], ids=["ceremony", "round"])
def test_a_revoked_key_ends_a_game_under_the_new_one(reached: Callable[[Table], bool]) -> None:
    """The one entry by another key asks for the manifest that names it and is taken then; a round's deal is shown."""
    evening = Evening((0,), seed=9)
    evening.until(reached)
    deals = []
    evening.desk.on_step.append(lambda step: deals.append(step.deal))
    evening.revoke()
    with pytest.raises(ManifestWanted):
        evening.feed()
    evening.learn()
    evening.feed()
    assert evening.desk.stream.is_over
    (deal,) = deals
    assert (deal is not None) == (reached is in_tricks)
    assert deal is None or deal.hands == evening.game.hands


def test_a_new_key_that_no_manifest_names_is_a_fraud() -> None:
    """Whoever says that the key was revoked must have the root's word for it."""
    evening = Evening((0,), seed=9)
    evening.until(in_ceremony(Purpose.DEAL, closed=True))
    evening.game.event_key = evening.house.new_key()
    evening.game.fail(ServerFaultCause.KEY_REVOKED)
    evening.learn()
    with pytest.raises(Fraud) as found:
        evening.feed()
    assert found.value.kind is FraudKind.BAD_SIGNATURE
