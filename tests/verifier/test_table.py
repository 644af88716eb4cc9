# SPDX-License-Identifier: Apache-2.0
"""The table as a state machine, held to what is always true of it, by moves and rulings in any order.

A machine plays a game by chance, legal and illegal, and looks at every table that comes of it; what it has made is
verified at the end like any other log.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from hokm.cards import SUIT_MASKS, cards_of
from hokm.entry import parse_entry
from hokm.errors import (
    CardNotHeld,
    DeadlinePassed,
    GameIsOver,
    HokmError,
    MustFollowSuit,
    NotYourTurn,
    RuleOff,
    StaleMove,
    WrongPhase,
)
from hokm.events import (
    Act,
    AnswerTea,
    AskTea,
    CallMiddle,
    Commit,
    GameStarted,
    Join,
    LayEarly,
    Leave,
    NameTrump,
    PickUp,
    Play,
    ProtestOnly,
    Ready,
    Resign,
    Return,
    Reveal,
    RoundRevealed,
    Run,
    SeatKind,
    SignedMove,
    TakeBack,
)
from hokm.rules import TableRules
from hokm.table import (
    NO_HANDS,
    Between,
    Ceremony,
    Over,
    Round,
    Seating,
    StandIn,
    Table,
    decide,
    due,
    evolve,
    expires_ms,
    hands_of,
    may_call_away,
    may_play,
    may_witness,
    opened,
    overdue,
    reopening,
    resumed,
    signer,
    to_act,
    vouch,
)
from hokm.verify import Verdict, verify
from hokm.wire import read_event
from tests.simulation.game import BOT, FOUR_PERSONS, PERSON, TWO_AND_BOTS, Game
from tests.simulation.house import TestHouse
from tests.simulation.stories import BOTS, ONE_AND_BOTS, STORIES, story, waiting

SEATS = st.integers(0, 3)
KEY = bytes(range(32))


def acts(game: Game) -> st.SearchStrategy[Act]:
    """Anything that a client may send."""
    ctx = game.last_ctx
    return st.one_of(
        st.integers(0, 51).map(Play),
        st.integers(0, 3).map(NameTrump),
        st.just(Commit(KEY)),
        st.just(Reveal(ctx, KEY)),
        st.sampled_from([Leave(), Return(), Resign(), ProtestOnly()]),
        st.just(Join(PERSON, KEY, KEY)),
        st.sampled_from([CallMiddle(), PickUp(), LayEarly(KEY, False), TakeBack(), Run((12, 11)), AskTea(), Ready()]),
        st.just(AnswerTea(True)),
    )


class AnyGame(RuleBasedStateMachine):
    """A game in which anything may be tried."""

    @initialize(
        seed=st.integers(0, 2**32),
        kinds=st.sampled_from([FOUR_PERSONS, TWO_AND_BOTS, ONE_AND_BOTS, BOTS, (BOT, PERSON, PERSON, PERSON)]),
        points=st.sampled_from([3, 5, 7]),
        away=st.sampled_from([0, 10]),
        witnessed=st.booleans(),
    )
    def sit(self, seed: int, kinds: tuple[SeatKind, ...], points: int, away: int, witnessed: bool) -> None:
        rules = TableRules(target=points, away_seconds=away, witnessed=witnessed)
        self.game = Game(TestHouse(seed=seed), rules, kinds)
        self.game.sit()

    # What happens.

    @precondition(lambda self: not self.game.over)
    @rule(count=st.integers(1, 30))
    def play_on(self, count: int) -> None:
        for _ in range(count):
            if not self.game.over:
                self.game.step()

    @precondition(lambda self: bool(to_act(self.game.table)))
    @rule()
    def time_out(self) -> None:
        self.game.time_out()
        self.game.settle()

    @precondition(lambda self: not self.game.over)
    @rule(downtime_ms=st.integers(0, 100_000))
    def go_down(self, downtime_ms: int) -> None:
        if reopening(self.game.table, self.game.now_ms + downtime_ms) is not None:
            self.game.reopen(downtime_ms)

    @precondition(lambda self: waiting(self.game.table))
    @rule()
    def show_witnesses(self) -> None:
        if may_witness(self.game.table, self.game.now_ms):
            self.game.witness()

    @precondition(lambda self: self.game.rules.away_seconds > 0 and isinstance(self.game.table.stage, Round))
    @rule()
    def call_away(self) -> None:
        ((seat, decision),) = to_act(self.game.table)
        then = max(self.game.now_ms, decision.since_ms + 1000 * self.game.rules.away_seconds)
        if may_call_away(self.game.table, seat, then):
            self.game.call_away()

    @precondition(lambda self: not self.game.over)
    @rule(seat=SEATS, what=st.sampled_from(["leave", "come_back", "protest", "resign"]))
    def have_a_word(self, seat: int, what: str) -> None:
        before = self.game.table
        try:
            getattr(self.game, what)(seat)
        except HokmError:
            assert self.game.table is before
        self.game.settle()

    @precondition(lambda self: not self.game.over)
    @rule(seat=SEATS, choice=st.data())
    def try_anything(self, seat: int, choice: st.DataObject) -> None:
        """Where the table lets an act pass, it is logged; where not, nothing has changed."""
        game = self.game
        act = choice.draw(acts(game))
        table = game.table
        move = game.draft(seat, act)
        expected = refusal(game, seat, act)
        reason: HokmError | None = None
        try:
            vouch(table, move)
            decide(table, move, game.now_ms, game.hands)
        except HokmError as error:
            reason = error
        assert isinstance(reason, expected or HokmError | None), (act, reason)
        if reason is not None:
            return
        if isinstance(act, Commit | Reveal):
            return  # of a number that nobody has
        game.do(seat, act)
        game.settle()

    @precondition(lambda self: self.game.over)
    @rule(seat=SEATS, choice=st.data())
    def be_too_late(self, seat: int, choice: st.DataObject) -> None:
        act = choice.draw(acts(self.game))
        with pytest.raises(GameIsOver):
            self.game.draft(seat, act)

    # What is always true.

    @invariant()
    def what_is_next_is_clear(self) -> None:
        """A ruling that is due, or somebody who is to act, or witnesses who are waited for, or the end: one of them."""
        table = self.game.table
        kind = due(table, table.time_ms)
        assert due(table, table.time_ms) is kind
        assert kind is None, "the game has logged all that is due"
        assert bool(to_act(table)) + waiting(table) + isinstance(table.stage, Over) == 1
        assert not isinstance(table.stage, Between | Seating)
        expiry = expires_ms(table)
        assert (expiry is None) == isinstance(table.stage, Over)
        if expiry is not None:
            assert overdue(table, expiry - 1) is None
            assert overdue(table, expiry) is not None
            assert overdue(table, expiry) is overdue(table, expiry + 10**9)

    @invariant()
    def who_sits_is_clear(self) -> None:
        """A stand-in plays exactly where one is wanted; keys are used once."""
        table = self.game.table
        keys = [place.public_key for place in table.places]
        keys += [place.stand_in.public_key for place in table.places if place.stand_in]
        assert len({*keys}) == len(keys)
        for place in table.places:
            if not isinstance(table.stage, Over):
                assert (place.stand_in is not None) == (place.absent is not None or place.held)
            assert place.missed <= 2
            assert not place.held or isinstance(table.stage, Ceremony | Over)
            assert place.returns <= 3
            assert place.protests <= 3

    @invariant()
    def cards_add_up(self) -> None:
        """Played cards are those of the tricks; thirteen each; whoever is to act holds a card that may be played."""
        stage = self.game.table.stage
        if not isinstance(stage, Round):
            return
        played = [card for trick in stage.history for card in trick.cards] + [*stage.trick]
        assert stage.played == sum(1 << card for card in played)
        assert stage.played.bit_count() == len(played)
        assert sum(stage.tricks) == len(stage.history) <= 13
        assert max(stage.tricks) <= 7
        if stage.decision is not None and stage.trump is not None:
            hand = self.game.hands.dealt[stage.turn]
            assert hand is not None
            assert may_play(stage, hand)

    def teardown(self) -> None:
        """Whoever only has the bytes comes to the same table, and the log verifies."""
        if not hasattr(self, "game"):
            return
        assert refold(self.game) == self.game.table
        report = verify(self.game.game_proof().format(), self.game.house.policy)
        expected = (Verdict.VERIFIED, Verdict.WITH_WARNINGS) if self.game.over else (Verdict.INCOMPLETE,)
        assert report.verdict in expected, report.fault


def refold(game: Game) -> Table:
    """The table from the bytes of the entries alone: no hand, no number, no key."""
    events = [read_event(parse_entry(entry).body) for entry in game.entries]
    table = opened(game.table.house, events[0])
    for event in events[1:]:
        table = evolve(table, event)
    return table


def refusal(game: Game, seat: int, act: Act) -> type[HokmError] | None:
    """What the rules say to a card or a suit, told once more from GAME.md and not from the table."""
    table = game.table
    stage = table.stage
    if isinstance(act, CallMiddle | PickUp | LayEarly | TakeBack | Run | AskTea | AnswerTea | Ready):
        return RuleOff
    if isinstance(act, Join):
        return WrongPhase
    if isinstance(act, NameTrump):
        if not isinstance(stage, Round) or stage.trump is not None:
            return WrongPhase
        return None if seat == stage.hakem else NotYourTurn
    if not isinstance(act, Play):
        return None
    if not isinstance(stage, Round) or stage.trump is None:
        return WrongPhase
    turn = (stage.leader + len(stage.trick)) % 4
    if seat != turn:
        return NotYourTurn
    held = {*cards_of(game.hands.dealt[seat] or 0)}
    for trick in stage.history:
        held -= {*trick.cards}
    held -= {*stage.trick}
    if act.card not in held:
        return CardNotHeld
    if stage.trick:
        follow = {card for card in held if card // 13 == stage.trick[0] // 13}
        if follow and act.card not in follow:
            return MustFollowSuit
    return None


def test_any_game() -> None:
    """Two dozen machines of sixty steps."""
    run_state_machine_as_test(
        AnyGame,
        settings=settings(max_examples=25, stateful_step_count=60, deadline=None, suppress_health_check=[*HealthCheck]),
    )


@pytest.mark.soak
def test_any_game_for_long() -> None:
    """Two thousand machines of two hundred steps."""
    run_state_machine_as_test(
        AnyGame,
        settings=settings(
            max_examples=2000, stateful_step_count=200, deadline=None, suppress_health_check=[*HealthCheck]
        ),
    )


# Games with everything in them.


@pytest.mark.parametrize(
    ("missed", "absent"),
    [
        ([], False),
        ([True], False),
        ([True, False, True], False),
        ([True, True], True),
        ([False, True, True], True),
        ([True, False, True, True], True),
        ([True, True, False], True),  # a stand-in was in time; the player has not come back
        ([False] * 20, False),
    ],
)
def test_two_deadlines_missed_in_a_row_make_a_seat_absent(missed: list[bool], absent: bool) -> None:
    """An act between them breaks the row."""
    game = Game(TestHouse(seed=41))
    game.sit()
    for is_missed in missed:
        game.until(lambda table: isinstance(table.stage, Round) and table.stage.turn == 0)
        if is_missed:
            game.time_out()
        else:
            game.step()
    assert (game.table.places[0].absent is not None) is absent


@pytest.mark.parametrize("made", STORIES, ids=lambda made: str(made.__name__))
def test_the_table_follows_from_public_entries(made: Any) -> None:
    """`evolve` is handed no card and no number."""
    game = story(made.__name__)
    assert refold(game) == game.table


@pytest.mark.parametrize("made", STORIES, ids=lambda made: str(made.__name__))
def test_without_the_hands_less_is_refused_and_never_more(made: Any) -> None:
    """What a watcher can refuse, the house refuses too."""
    game = story(made.__name__)
    table = opened(game.table.house, game.events[0])
    for event in game.events[1:]:
        if isinstance(event.content, SignedMove):
            decide(table, event.content.move, event.time_ms, NO_HANDS)
        table = evolve(table, event)


@pytest.mark.parametrize("made", STORIES, ids=lambda made: str(made.__name__))
def test_a_round_begins_as_the_one_before_it_ended(made: Any) -> None:
    """`resumed` makes of one RoundRevealed what the whole stream makes, where the game goes on."""
    game = story(made.__name__)
    table = opened(game.table.house, game.events[0])
    started = table
    for event in game.events[1:]:
        table = evolve(table, event)
        if isinstance(event.content, GameStarted):
            started = table
        if isinstance(event.content, RoundRevealed) and isinstance(table.stage, Between) and not table.stage.ending:
            assert comparable(resumed(started, event, table.round + 1)) == comparable(table)


def comparable(table: Table) -> Table:
    """Without what a round proof cannot know: seen heads, attempts, former keys, earlier lays, why a seat is absent."""
    places = []
    for place in table.places:
        stand_in = place.stand_in
        if stand_in is not None:
            stand_in = StandIn(stand_in.public_key, stand_in.signing._replace(seen=0))
        places.append(
            place._replace(
                signing=place.signing._replace(seen=0),
                signed=True,
                stand_in=stand_in,
                absent=place.wants_stand_in if place.absent and stand_in is None else None,
                returns=0,
                protests=0,
                resigned=False,
            )
        )
    return table._replace(places=tuple(places), attempt=0, spent_keys=frozenset(), spent_lays=frozenset())


def test_a_move_of_an_earlier_turn_is_stale() -> None:
    """A signed card can never serve a later decision."""
    game = Game(TestHouse(seed=5))
    game.sit()
    game.until(lambda table: isinstance(table.stage, Round) and table.stage.trump is not None)
    stage = game.round
    hand = game.hands.dealt[stage.turn]
    assert hand is not None
    early = game.draft(stage.turn, Play(next(cards_of(hand))))
    game.protest(stage.turn)
    vouch(game.table, early._replace(number=early.number + 1))
    game.until(lambda table: isinstance(table.stage, Round) and bool(table.stage.history))
    late = early._replace(number=game.moved[signer(game.table, early)], act=Leave())
    vouch(game.table, late._replace(seen_version=game.table.version))
    turn = game.round.turn
    again = game.draft(turn, Play(0))
    with pytest.raises(StaleMove):
        vouch(game.table, again._replace(seen_version=game.round.decision.opened - 1))  # type: ignore[union-attr]


def test_a_deadline_is_not_reached_by_a_millisecond() -> None:
    """A move counts before it, not at it."""
    game = Game(TestHouse(seed=6))
    game.sit()
    game.until(lambda table: isinstance(table.stage, Round) and table.stage.trump is not None)
    ((turn, decision),) = to_act(game.table)
    hand = game.hands.dealt[turn]
    assert hand is not None
    card = next(cards_of(may_play(game.round, hand)))
    move = game.draft(turn, Play(card))
    decide(game.table, move, decision.deadline_ms - 1, game.hands)
    with pytest.raises(DeadlinePassed):
        decide(game.table, move, decision.deadline_ms, game.hands)


def test_half_the_time_after_a_missed_deadline() -> None:
    """Of trumps and cards, while the row is not 0; a step of the ceremony always has the whole."""
    game = Game(TestHouse(seed=7))
    game.sit()
    game.until(lambda table: isinstance(table.stage, Round) and table.stage.trump is not None)
    game.time_out()
    (seat,) = (seat for seat, place in enumerate(game.table.places) if place.missed)
    game.until(lambda table: isinstance(table.stage, Round) and table.stage.turn == seat)
    assert game.round.decision is not None
    assert game.round.decision.length_ms == 15_000
    game.play_round()
    assert all(decision.length_ms == 30_000 for _, decision in to_act(game.table))


def test_leading_any_card_and_following_suit() -> None:
    """For every hand and every card led in a game: the cards that may be played are those that GAME.md says."""
    game = story("long")
    table = opened(game.table.house, game.events[0])
    seen = 0
    for place, event in enumerate(game.events[1:], 1):
        table = evolve(table, event)
        stage = table.stage
        if isinstance(stage, Round) and stage.decision and stage.trump is not None:
            numbers = next(
                later.content.numbers for later in game.events[place:] if isinstance(later.content, RoundRevealed)
            )
            assert stage.ceremony.commit_set is not None
            hands = hands_of(stage.ceremony.commit_set, numbers, stage.hakem, game.rules.packets)
            for seat, dealt in enumerate(hands.dealt):
                assert dealt is not None
                held = dealt & ~stage.played
                follow = held & SUIT_MASKS[stage.trick[0] // 13] if stage.trick else 0
                if seat == stage.turn:
                    assert may_play(stage, dealt) == (follow or held)
                    seen += 1
    assert seen > 300
