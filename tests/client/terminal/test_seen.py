# SPDX-License-Identifier: Apache-2.0
"""Whole games as each seat sees them: pictures that follow from what is public and from the seat's own cards."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hokm.cards import Hand, hand_of
from hokm.events import Dealt, RoundRevealed, SeatKind, ServerFaultCause
from hokm.languages import Language
from hokm.table import Between, Over, Round, Seating, Table, opened, to_act
from hokm.table.evolve import evolve
from hokm_client.terminal.screen import draw
from hokm_client.terminal.seen import Seen, resting, seeing, view_of
from hokm_client.terminal.view import Connection, Deal, Ending, Phase, Sitter, View
from tests.simulation import Game, TestHouse

SEEDS = range(6)


def replayed(game: Game, me: int) -> Iterator[tuple[Table, Seen]]:
    """The table and what the seat has seen, after each entry."""
    seen, table = Seen(me, game.players[me].key.public), None
    for event in game.events:
        table = opened(game.house.house, event) if table is None else evolve(table, event)
        seen = seeing(seen, event, table)
        yield table, seen


def dealt_hands(game: Game) -> Iterator[tuple[Table, Seen, Hand]]:
    """The same for seat 1, with thirteen cards that the seat may have had: those that it played, and others."""
    own: dict[int, Hand] = {}
    tables = [table for table, _ in replayed(game, 1)]
    for table in tables:
        if isinstance(table.stage, Round):
            played = [trick.cards[1 - trick.leader & 3] for trick in table.stage.history]
            on_table = [card for turn, card in enumerate(table.stage.trick) if table.stage.leader + turn & 3 == 1]
            own[table.round] = hand_of(played + on_table)
    for table, seen in replayed(game, 1):
        yield table, seen, own.get(table.round, 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_moment_of_a_game_can_be_shown(seed: int) -> None:
    """Whoever misbehaves: a picture for every entry and seat, in both languages, that says what the table says."""
    game = Game(TestHouse(seed=seed), kinds=(SeatKind.PERSON, SeatKind.BOT, SeatKind.PERSON, SeatKind.BOT))
    game.sit()
    game.wander(most_rounds=2)
    for me in (0, 3):
        for table, seen in replayed(game, me):
            view = view_of(seen, 0, table.time_ms)
            assert set(view.awaited) == {seat for seat, _ in to_act(table)}
            assert (view.seconds_left is None) == (not view.awaited)
            assert view.score == table.score
            for language in Language:
                assert draw(view, language, 80)


def test_cards_that_are_played_leave_the_hand() -> None:
    """The hand is what was dealt without what was played; what may be played is of the hand, and only on my turn."""
    game = Game(TestHouse(seed=3))
    game.sit()
    game.play_game()
    turns = 0
    for table, seen, dealt in dealt_hands(game):
        view = view_of(seen, dealt, table.time_ms)
        assert view.legal & ~view.hand == 0
        if isinstance(table.stage, Round):
            assert view.hand == dealt & ~table.stage.played
            assert view.trump == table.stage.trump
            is_mine = view.phase is Phase.TRICKS and view.turn == 1
            assert bool(view.legal) == (is_mine and bool(view.hand))
            turns += is_mine
        else:
            assert view.hand == 0
    assert turns > 20


def test_a_round_that_is_over_is_shown_until_the_next_begins() -> None:
    """Its last trick, its winner and points; then the ceremony; the game's end in the same way."""
    game = Game(TestHouse(seed=4))
    game.sit()
    game.play_game()
    overs = 0
    for event, (table, seen) in zip(game.events, replayed(game, 0), strict=True):
        view = view_of(seen, 0, table.time_ms)
        match event.content:
            case RoundRevealed() as result:
                overs += 1
                assert isinstance(table.stage, Between)
                assert view.phase is Phase.ROUND_OVER
                assert (view.winner, view.points, view.tricks) == (result.winner, result.points, result.tricks)
                assert view.trick == view.last
                assert view.trick is not None
                assert len(view.trick.cards) == 4
                assert view.deal is Deal.PROVED
            case Dealt():
                assert view.phase is Phase.TRUMPS
                assert view.deal is Deal.BOUND
        if isinstance(table.stage, Over):
            assert (view.phase, view.ending) == (Phase.GAME_OVER, Ending.TARGET)
        elif isinstance(table.stage, Seating):
            assert view.phase is Phase.SEATING
    assert overs >= 1


def test_a_trick_can_rest() -> None:
    """The picture is the same but for the trick on the table."""
    game = Game(TestHouse(seed=5))
    game.sit()
    game.until(lambda table: isinstance(table.stage, Round) and len(table.stage.history) == 2)
    *_, (table, seen) = replayed(game, 2)
    assert isinstance(table.stage, Round)
    view = view_of(seen, 0, table.time_ms)
    rested = resting(view, table.stage, 1)
    assert view.trick is None
    assert rested.trick is not None
    assert rested.trick.cards == table.stage.history[1].cards
    assert rested.last == view.last


def test_who_holds_a_seat_is_said() -> None:
    """Persons, bots, stand-ins; a deal in whose ceremony a stand-in sat is not called checked."""
    game = Game(TestHouse(seed=6), kinds=(SeatKind.PERSON, SeatKind.BOT, SeatKind.PERSON, SeatKind.BOT))
    *_, (_, seen) = replayed(game, 0)
    assert {seated.sitter for seated in view_of(seen, 0, 0).seats} == {Sitter.FREE}
    game.sit()
    game.until(lambda table: isinstance(table.stage, Round))
    game.leave(0)
    game.settle()
    *_, (table, seen) = replayed(game, 0)
    view = view_of(seen, 0, table.time_ms)
    assert [seated.sitter for seated in view.seats] == [Sitter.STAND_IN, Sitter.BOT, Sitter.PERSON, Sitter.BOT]
    assert view.seats[0].absent
    assert view.deal is Deal.BOUND
    game.until(lambda table: isinstance(table.stage, Round) and table.round == 2)
    *_, (table, seen) = replayed(game, 0)
    assert view_of(seen, 0, table.time_ms).deal is Deal.UNCHECKED


def test_a_fault_of_the_house_ends_the_game() -> None:
    """Without a winner."""
    game = Game(TestHouse(seed=7))
    game.sit()
    game.until(lambda table: isinstance(table.stage, Round))
    game.fail(ServerFaultCause.SEALED_LOST)
    *_, (table, seen) = replayed(game, 1)
    view = view_of(seen, 0, table.time_ms)
    assert (view.phase, view.ending, view.winner) == (Phase.GAME_OVER, Ending.FAULT, None)


def test_nothing_is_known_before_the_first_entry() -> None:
    """An empty table, to which the way is being made."""
    assert view_of(Seen(2, bytes(32)), 0, 0) == View(2, connection=Connection.CONNECTING)
