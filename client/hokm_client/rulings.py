# SPDX-License-Identifier: Apache-2.0
"""Whether a ruling may stand where it stands, and says what the rules give; and a round decided again with its cards.

What the house alone can know is taken from the entry and held against what it was bound to before: a number must
open its commitment. What is the house's own word (that somebody is away, that it was down, that it failed) keeps its
bounds. Everything else follows from the entries before, and must be equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from hokm.cards import Card, card_text
from hokm.deal import deal, packets_of
from hokm.errors import HokmError
from hokm.events import (
    CeremonyOpened,
    CeremonyVoided,
    CommitSetClosed,
    CommitSetWitnessed,
    Dealt,
    EarlyTurned,
    Event,
    GameEnded,
    GameStarted,
    HakemDrawn,
    Join,
    LayEarly,
    MiddleTurned,
    Move,
    Play,
    Reopened,
    RoundRevealed,
    Ruling,
    Run,
    ServerFault,
    ServerFaultCause,
    SignedMove,
    StandInCause,
    StoodIn,
    TeaBegan,
    TeaEnded,
    TimedOut,
    UnturnedLay,
)
from hokm.rules import Seat
from hokm.table import (
    Ceremony,
    Hands,
    Opened,
    Round,
    Supply,
    Table,
    are_all_that_came,
    are_all_unturned,
    decide,
    decide_stand_in,
    due,
    fits_policy,
    hands_in,
    laid_card,
    makes_a_deck,
    may_call_away,
    may_fault,
    may_reopen,
    may_witness,
    next_context,
    openings,
    opens,
    overdue,
    rule,
    shown_numbers,
    stand_in_wanted,
    unopened,
    unopened_lay,
    whose,
)
from hokm_client.fraud import Fraud, FraudKind

HOUSE_WORD: Final = (CommitSetWitnessed, Reopened, StoodIn, ServerFault)
"""Rulings that may stand without being due or overdue, within bounds."""


class Deal(NamedTuple):
    """A deal whose numbers are public."""

    ctx: bytes
    packets: tuple[tuple[tuple[Card, ...], ...], ...]
    """As dealt, `[packet][seat]`."""
    hands: Hands


def forged(table: Table, what: str, kind: FraudKind = FraudKind.FORGED_RULING) -> Fraud:
    """The fraud of the entry after those that made this table. It shows itself to whoever has these entries."""
    return Fraud(kind, table.version + 1, what, proves=True)


def check_ruling(table: Table, time_ms: int, content: Ruling) -> None:
    """Hold the next entry, a ruling, against the rules.

    The signature under a stand-in's Join, and who has seen a commit set, are the stream's to check. Raises `Fraud`, and
    what `rule` and `decide_stand_in` raise.
    """
    kind = type(content)
    if isinstance(content, HOUSE_WORD) and _is_house_word(table, time_ms, content):
        return
    wanted = due(table, time_ms) or overdue(table, time_ms)
    if kind is not wanted:
        instead = "a move" if wanted is None else wanted.__name__
        raise forged(table, f"{kind.__name__} stands where {instead} must")
    if isinstance(content, TimedOut):  # the rest is decided when the hands are known
        if not fits_policy(table, content):
            raise forged(table, "the policy never gives this, whatever the hand is")
    elif isinstance(content, MiddleTurned):
        return  # which card it must be shows when the round is revealed
    elif content != rule(table, kind, _supply_of(table, content)):
        fraud = FraudKind.CHANGED_SET if kind is CommitSetClosed else FraudKind.FORGED_RULING
        raise forged(table, f"{kind.__name__} says what the rules do not give", fraud)


def _supply_of(table: Table, content: Ruling) -> Supply:
    """What the entry itself brings, once it is held against what bound the house before."""
    match content:
        case CeremonyOpened(ctx=ctx, house_commitment=house_commitment, anchor=anchor):
            if ctx != next_context(table).to_bytes():
                raise forged(table, "the ceremony is not the one that comes next", FraudKind.WRONG_CONTEXT)
            return Supply(house_commitment=house_commitment, anchor=anchor)
        case CeremonyVoided() | ServerFault():
            numbers = shown_numbers(content)
            if not are_all_that_came(_ceremony(table), numbers):
                raise forged(table, "it carries other numbers than those that were revealed")
            _check_numbers(table, _ceremony(table), numbers)
            return Supply(numbers)
        case HakemDrawn(numbers=drawn):
            _check_numbers(table, _ceremony(table), drawn)
            return Supply(drawn)
        case RoundRevealed(numbers=revealed, unturned=unturned):
            assert isinstance(table.stage, Round)
            _check_numbers(table, table.stage.ceremony, revealed)
            _check_unturned(table, table.stage, unturned)
            return Supply(revealed, laid=tuple((lay.card, lay.salt) for lay in unturned))
        case EarlyTurned(card=card, salt=salt):
            _check_early(table, content)
            return Supply(laid=((card, salt),))
        case StoodIn(join=join):
            wanted = stand_in_wanted(table)
            assert wanted is not None
            _check_stand_in(table, content, wanted[0])
            return Supply(join=join)
        case _:
            plain = CommitSetClosed | GameStarted | Dealt | GameEnded | TeaBegan | TeaEnded
            assert isinstance(content, plain), "nothing else is ever due"
            return Supply()


def _is_house_word(table: Table, time_ms: int, content: CommitSetWitnessed | Reopened | StoodIn | ServerFault) -> bool:
    """Whether it may stand as the house's word; False where only a rule could have brought it."""
    match content:
        case CommitSetWitnessed():
            return may_witness(table, time_ms)
        case Reopened():
            if due(table, table.time_ms) is not None or not may_reopen(table, content, time_ms):
                raise forged(table, "a decision begins anew that has not run out, or has begun anew before")
            return True
        case StoodIn(cause=StandInCause.AWAY, seat=seat):
            if due(table, time_ms) is not None or not may_call_away(table, seat, time_ms):
                raise forged(table, f"seat {seat} cannot be called away here")
            _check_stand_in(table, content, seat)
            return True
        case ServerFault():
            if not may_fault(table, content):
                return False
            if isinstance(table.stage, Ceremony):
                numbers = shown_numbers(content)
                _check_numbers(table, table.stage, numbers)
                if content.cause is ServerFaultCause.NO_DEAL and makes_a_deck(table.stage, numbers):
                    raise forged(table, "the five numbers deal, and the house says that they do not")
            elif isinstance(table.stage, Round):
                _check_numbers(table, table.stage.ceremony, content.numbers)
                if content.numbers or content.unturned:
                    _check_unturned(table, table.stage, content.unturned)
            return True
        case _:
            return False


def _check_stand_in(table: Table, content: StoodIn, seat: Seat) -> None:
    move = content.join.move
    if content.seat != seat or move.seat != seat or not isinstance(move.act, Join):
        raise forged(table, f"a stand-in is wanted in seat {seat}")
    decide_stand_in(table, move)


# Cards that were laid face down.


def _check_early(table: Table, content: EarlyTurned) -> None:
    """What turns over is what the seat in turn had laid, as far as can be seen without its hand."""
    stage = table.stage
    assert isinstance(stage, Round)
    assert stage.extra is not None
    lay = stage.extra.lays[stage.turn]
    assert lay is not None
    if content.seat != stage.turn or not opens(stage.ceremony.ctx, lay, content.card, content.salt):
        raise forged(table, "the card that turns over is not the one that was laid")
    if stage.played >> content.card & 1:
        raise forged(table, f"{card_text(content.card)} was played before")


def _check_unturned(table: Table, stage: Round, unturned: tuple[UnturnedLay, ...]) -> None:
    if not are_all_unturned(stage, unturned):
        raise forged(table, "it opens other cards than those that were laid and did not turn over")
    lay = unopened_lay(stage, unturned)
    if lay is not None:
        raise forged(table, f"the card that seat {lay.seat} laid in trick {lay.trick} was another")


# Numbers and cards.


def _check_numbers(table: Table, ceremony: Ceremony, numbers: Sequence[bytes | None]) -> None:
    """Every number that is there opens the commitment of its seat."""
    seat = unopened(table, ceremony, numbers)
    if seat is not None:
        raise forged(table, f"the number of {whose(seat)} does not open its commitment", FraudKind.WRONG_NUMBER)


def revealed(content: Ruling) -> tuple[bytes, ...]:
    """The five numbers of a deal, where this ruling closes its round with them; else none."""
    return content.numbers if isinstance(content, RoundRevealed | ServerFault) else ()


def decide_again(table: Table, closing: Event, round_: Sequence[tuple[Table, Event]]) -> Deal:
    """The deal of a round whose numbers were checked, after everything in it was decided with all four hands.

    `closing` is the entry that shows the numbers, `table` the table before it; `round_` are the entries since the
    deal, each with the table before it.
    """
    stage = table.stage
    assert isinstance(stage, Round)
    assert stage.ceremony.commit_set is not None
    assert not isinstance(closing.content, SignedMove)
    deck = deal(stage.ceremony.commit_set, revealed(closing.content))
    packets = packets_of(deck, stage.hakem, table.rules.packets)
    known = hands_in(deck, stage.hakem, table.rules.packets)
    opened = openings([*(event for _, event in round_), closing]) if table.rules.coming_early else {}
    for before, event in round_:
        content = event.content
        if isinstance(content, SignedMove):
            try:
                _decide_again(before, event, content.move, known, opened)
            except HokmError as error:
                raise forged(table, f"entry {event.version}: {error}", FraudKind.FORGED_MOVE) from None
        elif isinstance(content, TimedOut | MiddleTurned) and content != _by_rule(before, content, known):
            gives = "the policy" if isinstance(content, TimedOut) else "the deal"
            raise forged(table, f"entry {event.version}: {gives} does not give this")
    return Deal(stage.ceremony.ctx, packets, known)


def _decide_again(before: Table, event: Event, move: Move, known: Hands, opened: Opened) -> None:
    act = move.act
    if isinstance(act, Play | Run):
        decide(before, move, event.time_ms, known)
    elif isinstance(act, LayEarly):
        decide(before, move, event.time_ms, known, laid_card(before, move.seat, act, opened))


def _by_rule(before: Table, content: TimedOut | MiddleTurned, known: Hands) -> Ruling:
    return rule(before, type(content), Supply(hands=known))


def _ceremony(table: Table) -> Ceremony:
    assert isinstance(table.stage, Ceremony)
    return table.stage
