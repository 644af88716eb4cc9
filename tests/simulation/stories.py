# SPDX-License-Identifier: Apache-2.0
"""Games that tests come back to, each with one thing or another in it; of one name always the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

from hokm.events import AnswerTea, AskTea, ProtestReason, Ready, ServerFaultCause, StandInCause
from hokm.rules import FirstHakem, HakemPasses, Packets, TableRules
from hokm.table import Between, Ceremony, Round, Table, to_act
from tests.simulation.game import BOT, PERSON, SHORT, TWO_AND_BOTS, Game
from tests.simulation.house import TestHouse
from tests.simulation.lively import LivelyGame

ONE_AND_BOTS: Final = (PERSON, BOT, BOT, BOT)
BOTS: Final = (BOT, BOT, BOT, BOT)


def in_round(number: int) -> Callable[[Table], bool]:
    """The table is in that round, trumps named."""
    return lambda table: isinstance(table.stage, Round) and table.round == number and table.stage.trump is not None


def at_step(number: int, *, closed: bool) -> Callable[[Table], bool]:
    """The ceremony of that round is open, its set closed or not yet."""

    def reached(table: Table) -> bool:
        stage = table.stage
        return isinstance(stage, Ceremony) and table.round == number and (stage.commit_set is not None) == closed

    return reached


def plain() -> Game:
    """Four persons, nothing happens."""
    game = Game(TestHouse(seed=11))
    game.sit()
    game.play_game()
    return game


def long() -> Game:
    """To 7, hakem passes every round, packets of 5-5-3, the hakem by the highest card, two persons and two bots."""
    rules = TableRules(
        first_hakem=FirstHakem.HIGH_CARD,
        packets=Packets.FIVE_FIVE_THREE,
        hakem_passes=HakemPasses.EVERY_ROUND,
        open_first_packet=True,
    )
    game = Game(TestHouse(seed=12), rules, TWO_AND_BOTS)
    game.sit()
    game.play_game()
    return game


def troubled() -> Game:
    """All that can go wrong and still be played to the end: see the lines below."""
    game = Game(TestHouse(seed=13), TableRules(target=3), TWO_AND_BOTS)
    game.sit()
    # The draw: seat 2 is there and does not commit, so a stand-in commits for it in the next attempt.
    game.until(lambda table: {seat for seat, _ in to_act(table)} == {0, 2})
    game.protest(2)
    game.commit(0)
    game.time_out()
    game.until(in_round(1))
    # Round 1: seat 0 lets two deadlines pass and is stood in for, comes back, and protests.
    for _ in range(2):
        game.until(lambda table: isinstance(table.stage, Round) and table.stage.turn == 0)
        game.time_out()
    game.settle()
    game.step()
    game.come_back(0)
    game.protest(0, ProtestReason.DENIED_MOVE)
    game.until(at_step(2, closed=True))
    # Round 2: the house is down in the ceremony, then seat 0 does not reveal.
    game.reopen()
    reveal_all_but(game, 0)
    game.time_out()
    game.until(in_round(2))
    # Seat 2 is called away, and leaves; seat 0 goes on.
    game.until(lambda table: isinstance(table.stage, Round) and table.stage.turn == 2)
    game.call_away()
    game.leave(2)
    game.step()
    game.come_back(2)
    game.play_game()
    return game


def reveal_all_but(game: Game, *silent: int) -> None:
    """Every seat that is to reveal does, but these."""
    for seat, _ in to_act(game.table):
        if seat not in silent:
            game.reveal(seat)


def forfeited() -> Game:
    """The even side does not reveal in two ceremonies and has lost."""
    game = Game(TestHouse(seed=14))
    game.sit()
    for silent in (0, 2):
        game.until(lambda table: isinstance(table.stage, Ceremony) and table.stage.commit_set is not None)
        reveal_all_but(game, silent)
        game.time_out()
    game.settle()
    return game


def resigned() -> Game:
    """The odd side gives up in round 2."""
    game = Game(TestHouse(seed=15))
    game.sit()
    game.until(in_round(2))
    game.resign(1)
    game.step()
    game.resign(3)
    game.settle()
    return game


def abandoned() -> Game:
    """Both persons leave, the second in the ceremony of round 2."""
    game = Game(TestHouse(seed=16), SHORT, TWO_AND_BOTS)
    game.sit()
    game.until(in_round(1))
    game.leave(0)
    game.until(at_step(2, closed=False))
    game.leave(2)
    game.settle()
    return game


def bots() -> Game:
    """Four bots."""
    game = Game(TestHouse(seed=17), SHORT, BOTS)
    game.sit()
    game.play_game()
    return game


def never_started() -> Game:
    """Nobody but one player comes, who leaves, comes again, and then nothing happens for an hour."""
    game = Game(TestHouse(seed=18))
    game.join(0, game.players[0])
    game.leave(0)
    game.join(1, game.players[0])
    game.time_out()
    return game


def lost() -> Game:
    """The house loses the numbers of round 2 after the deal."""
    game = Game(TestHouse(seed=19))
    game.sit()
    game.until(in_round(2))
    game.step()
    game.fail()
    return game


def silent_bot() -> Game:
    """A bot of the house does not reveal: a fault of the house."""
    game = Game(TestHouse(seed=20), SHORT, TWO_AND_BOTS)
    game.sit()
    game.until(at_step(1, closed=True))
    reveal_all_but(game, 1)
    game.time_out()
    return game


def no_deal() -> Game:
    """The house says that four numbers make no deal. They do: it lies, unless a test has the deck fail."""
    game = Game(TestHouse(seed=21))
    game.sit()
    game.until(at_step(1, closed=True))
    for seat in range(3):
        game.reveal(seat)
    game.reveal(3)
    assert game.is_due
    game.fail(ServerFaultCause.NO_DEAL)
    return game


def without_quorum() -> Game:
    """A log that no witness sees, for a policy that wants none."""
    game = Game(TestHouse(seed=22, threshold=0, cosigners=0))
    game.sit()
    game.play_game()
    return game


def silent_person() -> Game:
    """A person joins and never signs anything: seat 3 is absent from the draw on, for the whole game."""
    game = Game(TestHouse(seed=23))
    game.sit()
    for seat in range(3):
        game.commit(seat)
    game.time_out()
    game.settle()
    assert game.table.places[3].absent is StandInCause.NO_SIGN
    game.play_game()
    return game


def revoked() -> Game:
    """The event key is revoked in round 2; the new one ends the game and shows the numbers."""
    game = Game(TestHouse(seed=24))
    game.sit()
    game.until(in_round(2))
    game.step()
    game.revoke()
    return game


def lively() -> Game:
    """All of the house rules H1 to H4, by four persons: see `lively` for what they do."""
    game = LivelyGame(TestHouse(seed=25))
    game.sit()
    game.play_game()
    return game


def tea_between() -> Game:
    """The deal of round 1 is voided once; in its last trick tea is asked for, which is drunk before round 2."""
    game = Game(TestHouse(seed=30), TableRules(target=3, tea=True))
    game.sit()
    game.until(at_step(1, closed=False))
    for seat in (0, 1, 2):
        game.commit(seat)
    game.time_out()
    game.until(lambda table: isinstance(table.stage, Round) and max(table.stage.tricks) == 6)
    game.until(lambda table: isinstance(table.stage, Round) and len(table.stage.trick) == 3)
    game.do(0, AskTea())
    for seat in (1, 2, 3):
        game.do(seat, AnswerTea(True))
    game.step()
    assert isinstance(game.table.stage, Between)
    assert game.table.is_pausing
    for seat in range(4):
        game.do(seat, Ready())
    game.play_game()
    return game


def waiting(table: Table) -> bool:
    """A commit set waits for witnesses."""
    return isinstance(table.stage, Ceremony) and table.stage.wait is not None


def witnessed() -> Game:
    """No number is shown before witnesses have seen the set: two persons and two bots, to 3, with tea.

    In the draw the house is down, and the wait begins anew. So it does in round 2 together with an ask for tea; then
    seat 0 does not reveal, and in the next attempt seat 2 leaves while witnesses are waited for, and comes back.
    """
    game = Game(TestHouse(seed=31), TableRules(target=3, tea=True, witnessed=True), TWO_AND_BOTS)
    game.sit()
    game.until(waiting)
    game.reopen()
    game.protest(0)
    game.until(in_round(1))
    game.until(lambda table: table.round == 2 and waiting(table))
    game.do(2, AskTea())
    game.reopen()
    game.witness()
    reveal_all_but(game, 0)
    game.time_out()
    game.until(lambda table: table.attempt == 1 and waiting(table))
    game.leave(2)
    game.witness()
    game.come_back(2)
    game.play_game()
    return game


def unwitnessed() -> Game:
    """No witness comes, and that is a fault of the house."""
    game = Game(TestHouse(seed=32), TableRules(witnessed=True))
    game.sit()
    game.until(waiting)
    game.time_out()
    return game


STORIES: Final = (
    plain,
    long,
    troubled,
    forfeited,
    resigned,
    abandoned,
    bots,
    never_started,
    lost,
    silent_bot,
    without_quorum,
    silent_person,
    revoked,
    lively,
    tea_between,
    witnessed,
    unwitnessed,
)


@cache
def story(name: str) -> Game:
    """The game of that name, played once. Whoever changes something takes a forgery of it."""
    return next(made for made in (*STORIES, no_deal) if made.__name__ == name)()
