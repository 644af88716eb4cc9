# SPDX-License-Identifier: Apache-2.0
"""At a table that waits for witnesses a seat shows no number before they have seen the set, by its own policy."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hokm.checkpoint import sign_checkpoint
from hokm.deal import Purpose
from hokm.events import CommitSetWitnessed, ProtestReason, Reveal
from hokm.rules import TableRules
from hokm.table import Over
from hokm.wire import read_move
from hokm_client.errors import SigningStopped
from hokm_client.fraud import FraudKind
from hokm_client.terminal.seen import Seen, view_of
from hokm_client.terminal.view import Step
from tests.client.caught import caught, judge_evidence
from tests.client.evening import Evening, in_ceremony
from tests.simulation.game import Game, witnessed
from tests.simulation.house import TestHouse
from tests.simulation.stories import waiting

RULES = TableRules(target=3, witnessed=True)


@pytest.fixture
def evening() -> Evening:
    """Two seats of ours, in the draw, at a table whose commit set waits."""
    evening = Evening((0, 2), rules=RULES)
    evening.until(waiting)
    return evening


def test_a_whole_game_is_played_with_witnesses(evening: Evening) -> None:
    """Every number of ours is shown behind a CommitSetWitnessed, and the house is believed to the end."""
    evening.play_game()
    assert isinstance(evening.desk.stream.there.stage, Over)
    assert evening.desk.stream.leaves == evening.game.leaves
    seen = evening.game.versions(CommitSetWitnessed)
    moves = [read_move(act.move) for act in evening.acts]
    reveals = [move.seen_version for move in moves if isinstance(move.act, Reveal)]
    assert len(reveals) == 2 * len(seen)
    assert all(any(reveals[2 * place] >= version for version in seen) for place in range(len(seen)))


def test_nobody_reveals_while_witnesses_are_waited_for(evening: Evening) -> None:
    """The step is not open; it is as soon as they are there."""
    assert [seat.automatic() for seat in evening.desk.seats] == [None, None]
    evening.game.witness()
    evening.feed()
    assert all(isinstance(seat.automatic(), Reveal) for seat in evening.desk.seats)


def test_a_player_is_told_that_witnesses_are_waited_for(evening: Evening) -> None:
    """With how much time the house has left."""
    seen = Seen(0, evening.seat.key.public, table=evening.desk.stream.there)
    view = view_of(seen, 0, evening.game.table.time_ms + 10_000)
    assert (view.step, view.awaited, view.seconds_left) == (Step.WITNESS, (), 20)


def stranger(game: Game, right: CommitSetWitnessed) -> CommitSetWitnessed:
    """The right checkpoint, signed by another log of that name."""
    note = sign_checkpoint(game.house.checkpoint(), TestHouse(seed=99).log_key)
    return right._replace(checkpoint=note.format().decode())


def lonely(game: Game, right: CommitSetWitnessed) -> CommitSetWitnessed:
    """The checkpoint that one witness has seen, where two are wanted."""
    return right._replace(checkpoint=game.house.publish(cosigners=1))


@pytest.mark.parametrize(
    "shown",
    [
        lambda game, right: right._replace(index=right.index - 1),
        lambda game, right: right._replace(inclusion=right.inclusion[:-1]),
        lambda game, right: right._replace(checkpoint="seen\n"),
        lambda game, right: witnessed(game.house, game.places[0]),
        lambda game, right: right._replace(checkpoint=game.house.publish(right.index), inclusion=()),
    ],
    ids=["another place", "a hash less", "no checkpoint", "another entry", "an older checkpoint"],
)
def test_an_entry_that_shows_nothing_is_proof(
    evening: Evening, shown: Callable[[Game, CommitSetWitnessed], CommitSetWitnessed]
) -> None:
    """The house has signed it, and whoever has it sees that the set is not in that tree."""
    assert found(evening, shown)


@pytest.mark.parametrize("shown", [stranger, lonely])
def test_what_the_own_policy_does_not_take_is_no_proof(
    evening: Evening, shown: Callable[[Game, CommitSetWitnessed], CommitSetWitnessed]
) -> None:
    """Another log key, or too few witnesses: whoever trusts others may take it, and this player signs nothing more."""
    assert not found(evening, shown)


def found(evening: Evening, shown: Callable[[Game, CommitSetWitnessed], CommitSetWitnessed]) -> bool:
    """The desk catches what the house shows in place of what is right; whether it proves that."""
    game = evening.game
    right = witnessed(game.house, game.places[game.ceremony.closed or 0])
    game.log(shown(game, right))
    fraud = caught(evening, evening.update(len(game.entries) - 1))
    assert fraud.kind is FraudKind.NOT_WITNESSED
    judge_evidence(evening, fraud)
    ceremony = game.ceremony
    assert ceremony.commit_set is not None
    with pytest.raises(SigningStopped):
        evening.seat.sign(Reveal(ceremony.ctx, ceremony.commit_set), evening.house.now_ms)
    assert fraud.kind.protest is ProtestReason.BAD_SET
    assert evening.seat.protest() is not None
    return fraud.proves


def test_witnesses_where_nobody_waits_are_a_forged_ruling() -> None:
    """At a table without the option, the ruling may not stand."""
    evening = Evening((0,))
    evening.until(in_ceremony(Purpose.DEAL, closed=True))
    evening.game.log(witnessed(evening.house, 0))
    fraud = caught(evening, evening.update(len(evening.game.entries) - 1))
    assert (fraud.kind, fraud.proves) == (FraudKind.FORGED_RULING, True)
