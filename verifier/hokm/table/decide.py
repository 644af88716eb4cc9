# SPDX-License-Identifier: Apache-2.0
"""Whether the rules allow an act: the one place that says no, and the one that says what may be done.

`decide` is asked by the server before a move is logged, by a client before it is sent, and by the verifier for every
move that a log holds. The hands are an argument: whoever does not know a hand leaves it out, and then only what
everybody can see is checked.
"""

from __future__ import annotations

from typing import NamedTuple, assert_never

from hokm.cards import SUIT_MASKS, Hand, card_text, hand_of
from hokm.deal import deal, hands, packets_of
from hokm.errors import (
    AlreadyBack,
    AlreadyCommitted,
    AlreadyLeft,
    AlreadyResigned,
    AlreadyRevealed,
    AlreadySeated,
    CardNotHeld,
    CommitmentCopied,
    DeadlinePassed,
    GameIsOver,
    KeyNotNew,
    MustFollowSuit,
    NotABot,
    NotAbsent,
    NothingProtested,
    NotOpenYet,
    NotYourTurn,
    OnlyPersonsResign,
    RuleOff,
    SeatNotFree,
    StandInNotDue,
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
from hokm.rules import Packets, Seat, legal_cards
from hokm.table.state import (
    MOST_PROTESTS,
    MOST_RETURNS,
    Ceremony,
    Decision,
    Over,
    Place,
    Round,
    Seating,
    Table,
    open_decision,
)


class Hands(NamedTuple):
    """The cards of one deal, of the seats whose cards are known."""

    dealt: tuple[Hand | None, Hand | None, Hand | None, Hand | None]
    """By seat, all thirteen as dealt, whatever has been played since."""
    five: Hand | None
    """The hakem's first packet."""


NO_HANDS = Hands((None, None, None, None), None)
"""Nobody's cards are known."""


def hands_of(commit_set: bytes, numbers: tuple[bytes, ...], hakem: Seat, packets: Packets) -> Hands:
    """All hands of a deal from its five numbers."""
    deck = deal(commit_set, numbers)
    return Hands(hands(deck, hakem, packets), hand_of(packets_of(deck, hakem, packets)[0][hakem]))


def decide(table: Table, move: Move, time_ms: int, known: Hands = NO_HANDS) -> None:
    """Raise the reason why this act cannot be logged at that time; return where it can.

    The head of the move is `vouch`'s, and a ruling that is due comes before any move: see `due`. A Join at a table
    that has started is a stand-in's and is decided by `decide_stand_in`.
    """
    seat, act = move.seat, move.act
    if isinstance(table.stage, Over):
        raise GameIsOver(table.version)
    match act:
        case Play(card):
            _decide_play(table, seat, card, time_ms, known)
        case NameTrump():
            _decide_trump(table, seat, time_ms)
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
        case CallMiddle() | PickUp() | LayEarly() | TakeBack() | Run() | AskTea() | AnswerTea() | Ready():
            raise RuleOff(HOUSE_RULES[type(act)])
        case _:
            assert_never(act)


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


def may_play(round_: Round, hand: Hand) -> Hand:
    """The cards of a hand, as it was dealt, that its seat may play to the trick on the table (G7, G8)."""
    return legal_cards(hand & ~round_.played, round_.led)


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
    """Raise the reason why a stand-in's Join cannot be carried by a StoodIn; that one is due, or may be, is `due`'s."""
    act = move.act
    if not isinstance(act, Join) or isinstance(table.stage, Seating | Over):
        raise StandInNotDue(move.seat)
    if act.kind is not SeatKind.BOT:
        raise NotABot(move.seat)
    used = {table.house.event_key, *(place.public_key for place in table.places)} | table.house.other_keys
    if act.public_key in used or act.public_key in table.spent_keys:
        raise KeyNotNew(act.public_key.hex())


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
    _in_time(decision, time_ms)
    if commitment == stage.house_commitment or commitment in stage.commitments:
        raise CommitmentCopied(seat)


def _decide_reveal(table: Table, seat: Seat, ctx: bytes, commit_set: bytes, time_ms: int) -> None:
    stage = table.stage
    if not isinstance(stage, Ceremony) or stage.commit_set is None:
        raise WrongPhase(phase(table))
    decision = stage.decisions[seat]
    if decision is None:
        raise AlreadyRevealed(seat)
    _in_time(decision, time_ms)
    if ctx != stage.ctx or commit_set != stage.commit_set:
        raise WrongCommitSet(commit_set.hex(), stage.commit_set.hex())


# The round.


def _decide_trump(table: Table, seat: Seat, time_ms: int) -> None:
    round_ = _round(table)
    if round_.trump is not None:
        raise WrongPhase(phase(table))
    _in_time(_in_turn(table, seat), time_ms)


def _decide_play(table: Table, seat: Seat, card: int, time_ms: int, known: Hands) -> None:
    round_ = table.stage
    if type(round_) is not Round or round_.trump is None:
        raise WrongPhase(phase(table))
    if round_.decision is None or round_.turn != seat:
        raise NotYourTurn(seat)
    _in_time(round_.decision, time_ms)
    hand = known.dealt[seat]
    bit = 1 << card
    if bit & round_.played or (hand is not None and not bit & hand):
        raise CardNotHeld(card_text(card))
    if hand is not None and not bit & may_play(round_, hand):
        assert round_.led is not None
        assert not bit & SUIT_MASKS[round_.led]
        raise MustFollowSuit(card_text(card), "SHDC"[round_.led])


def _round(table: Table) -> Round:
    if not isinstance(table.stage, Round):
        raise WrongPhase(phase(table))
    return table.stage


def _in_turn(table: Table, seat: Seat) -> Decision:
    decision = open_decision(table, seat)
    if decision is None:
        raise NotYourTurn(seat)
    return decision


def _in_time(decision: Decision, time_ms: int) -> None:
    if time_ms >= decision.deadline_ms:
        raise DeadlinePassed(time_ms, decision.deadline_ms)


def _place(table: Table, seat: Seat) -> Place:
    stage = table.stage
    place = stage.places[seat] if isinstance(stage, Seating) else table.places[seat]
    assert place is not None, "vouch has found who signed"
    return place


def phase(table: Table) -> str:
    """The stage in one word: seating, ceremony, trumps, tricks, between or over."""
    match table.stage:
        case Round(trump=None):
            return "trumps"
        case Round():
            return "tricks"
        case stage:
            return type(stage).__name__.lower()
