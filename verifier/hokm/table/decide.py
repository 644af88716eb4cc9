# SPDX-License-Identifier: Apache-2.0
"""Whether the rules allow an act: the one place that says no, and the one that says what may be done.

`decide` is asked by the server before a move is logged, by a client before it is sent, and by the verifier for every
move that a log holds. The hands are an argument: whoever does not know a hand leaves it out, and then only what
everybody can see is checked.
"""

from __future__ import annotations

from typing import assert_never

from hokm.errors import (
    AlreadyBack,
    AlreadyCommitted,
    AlreadyLeft,
    AlreadyResigned,
    AlreadyRevealed,
    AlreadySeated,
    CommitmentCopied,
    GameIsOver,
    KeyNotNew,
    NotABot,
    NotAbsent,
    NothingProtested,
    NotOpenYet,
    OnlyPersonsResign,
    RuleOff,
    SeatNotFree,
    StandInNotDue,
    TeaIsServed,
    TooManyProtests,
    TooManyReturns,
    WrongCommitSet,
    WrongPhase,
)
from hokm.events import (
    Act,
    AnswerTea,
    AskTea,
    CallMiddle,
    Commit,
    Join,
    LayEarly,
    Leave,
    Move,
    NameTrump,
    PickUp,
    Play,
    ProtestOnly,
    Ready,
    Resign,
    Return,
    Reveal,
    Run,
    SeatKind,
    TakeBack,
)
from hokm.rules import Seat
from hokm.table import tea
from hokm.table.decide_round import (
    decide_lay,
    decide_pick_up,
    decide_play,
    decide_run,
    decide_take_back,
    decide_trump,
)
from hokm.table.hands import NO_HANDS, Hands, LaidCard
from hokm.table.present import place_at
from hokm.table.state import (
    MOST_PROTESTS,
    MOST_RETURNS,
    Ceremony,
    Over,
    Place,
    Round,
    Seating,
    Table,
    check_in_time,
    phase,
)


def decide(table: Table, move: Move, time_ms: int, known: Hands = NO_HANDS, laid: LaidCard | None = None) -> None:
    """Raise the reason why this act cannot be logged at that time; return where it can.

    `laid` comes beside a LayEarly; who does not know it leaves it out. The head of the move is `vouch`'s, and a ruling
    that is due comes before any move: see `due`. A Join at a table that has started is a stand-in's and is decided by
    `decide_stand_in`.

    Each reason is a `Rule` (`errors`): `GameIsOver`, `WrongPhase`, `RuleOff`, `TeaIsServed`, and those that SPEC 7.2
    lists for the act. That `vouch` and `signer` let the move pass is taken for granted.
    """
    seat, act = move.seat, move.act
    if isinstance(table.stage, Over):
        raise GameIsOver(table.version)
    if table.is_pausing and not isinstance(act, AT_TEA):
        raise TeaIsServed
    if type(act) is Play:  # before the others, because of ten moves eight are cards
        decide_play(table, seat, act.card, time_ms, known)
        return
    switch = HOUSE_RULES.get(type(act))
    if switch is not None and not getattr(table.rules, switch):
        raise RuleOff(switch)
    match act:
        case Play():
            raise AssertionError("handled above")
        case NameTrump() | CallMiddle():
            decide_trump(table, seat, time_ms)
        case Commit(commitment):
            _decide_commit(table, seat, commitment, time_ms)
        case Reveal(ctx, commit_set):
            _decide_reveal(table, seat, ctx, commit_set, time_ms)
        case Join():
            _decide_join(table, seat, act)
        case Leave():
            if _place(table, seat).left:
                raise AlreadyLeft(seat)
        case Return():
            _decide_return(_place(table, seat), seat)
        case Resign():
            _decide_resign(table, seat)
        case ProtestOnly():
            if move.protest is None:
                raise NothingProtested
            if _place(table, seat).protests >= MOST_PROTESTS:
                raise TooManyProtests(seat, MOST_PROTESTS)
        case PickUp():
            decide_pick_up(table, seat)
        case LayEarly():
            decide_lay(table, seat, act, known, laid)
        case TakeBack():
            decide_take_back(table, seat)
        case Run(cards):
            decide_run(table, seat, cards, time_ms, known)
        case AskTea():
            tea.decide_ask(table, seat)
        case AnswerTea():
            tea.decide_answer(table, seat, time_ms)
        case Ready():
            tea.decide_ready(table, seat)
        case _:
            assert_never(act)


AT_TEA = (Ready, Leave, Return, PickUp, ProtestOnly)
"""Acts that are taken while tea is drunk."""

HOUSE_RULES: dict[type[Act], str] = {
    CallMiddle: "partners_middle",
    PickUp: "partners_middle",
    LayEarly: "coming_early",
    TakeBack: "coming_early",
    Run: "runs",
    AskTea: "tea",
    AnswerTea: "tea",
    Ready: "tea",
}
"""The switch that each act of a house rule needs."""


# Seats.


def _decide_join(table: Table, seat: Seat, act: Join) -> None:
    stage = table.stage
    if not isinstance(stage, Seating):
        raise WrongPhase(phase(table))
    if stage.places[seat] is not None:
        raise SeatNotFree(seat)
    for taken, place in enumerate(stage.places):
        if place is not None and place.public_key == act.public_key:
            raise AlreadySeated(taken)
    if act.public_key == table.house.event_key or act.public_key in table.house.other_keys:
        raise KeyNotNew(act.public_key.hex())


def decide_stand_in(table: Table, move: Move) -> None:
    """Raise the reason why a stand-in's Join cannot be carried by a StoodIn: `StandInNotDue`, `NotABot`, `KeyNotNew`.

    That a stand-in is due is for `due` to say, and that one may be called for `word`.
    """
    act = move.act
    if not isinstance(act, Join) or isinstance(table.stage, Seating | Over):
        raise StandInNotDue(move.seat)
    if act.kind is not SeatKind.BOT:
        raise NotABot(move.seat)
    check_new_key(table, act.public_key)


def check_new_key(table: Table, public_key: bytes) -> None:
    """Raise `KeyNotNew` where no stand-in may have this key: the house or somebody of this game has or had it."""
    used = {table.house.event_key, *(place.public_key for place in table.places)} | table.house.other_keys
    if public_key in used or public_key in table.spent_keys:
        raise KeyNotNew(public_key.hex())


def _decide_return(place: Place, seat: Seat) -> None:
    if place.back:
        raise AlreadyBack(seat)
    if place.absent is None and not place.left:
        raise NotAbsent(seat)
    if place.returns >= MOST_RETURNS:
        raise TooManyReturns(seat, MOST_RETURNS)


def _decide_resign(table: Table, seat: Seat) -> None:
    if not isinstance(table.stage, Round):
        raise WrongPhase(phase(table))
    place = table.places[seat]
    if place.kind is not SeatKind.PERSON:
        raise OnlyPersonsResign(seat)
    if place.resigned:
        raise AlreadyResigned(seat)


# The ceremony.


def _decide_commit(table: Table, seat: Seat, commitment: bytes, time_ms: int) -> None:
    stage = table.stage
    if not isinstance(stage, Ceremony) or stage.commit_set is not None:
        raise WrongPhase(phase(table))
    if stage.commitments[seat] is not None:
        raise AlreadyCommitted(seat)
    decision = stage.decisions[seat]
    if decision is None:
        raise NotOpenYet(seat)
    check_in_time(decision, time_ms)
    if commitment == stage.house_commitment or commitment in stage.commitments:
        raise CommitmentCopied(seat)


def _decide_reveal(table: Table, seat: Seat, ctx: bytes, commit_set: bytes, time_ms: int) -> None:
    stage = table.stage
    if not isinstance(stage, Ceremony) or stage.commit_set is None:
        raise WrongPhase(phase(table))
    if stage.wait is not None:
        raise NotOpenYet(seat)
    decision = stage.decisions[seat]
    if decision is None:
        raise AlreadyRevealed(seat)
    check_in_time(decision, time_ms)
    if ctx != stage.ctx or commit_set != stage.commit_set:
        raise WrongCommitSet(commit_set.hex(), stage.commit_set.hex())


def _place(table: Table, seat: Seat) -> Place:
    place = place_at(table, seat)
    assert place is not None, "vouch has found who signed"
    return place
