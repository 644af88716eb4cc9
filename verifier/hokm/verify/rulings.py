# SPDX-License-Identifier: Apache-2.0
"""Whether a ruling says what the entries before it give: each is made again and compared.

What the house alone can know (its commitment, its anchor, the numbers that were sealed) is taken from the entry
itself and held against what it was bound to before.
"""

from __future__ import annotations

from typing import NoReturn

from hokm.cards import card_text
from hokm.errors import HokmError
from hokm.events import (
    CeremonyOpened,
    CeremonyVoided,
    Commit,
    CommitSetClosed,
    CommitSetWitnessed,
    Dealt,
    EarlyTurned,
    Event,
    GameEnded,
    GameStarted,
    HakemDrawn,
    MiddleTurned,
    Reopened,
    Reveal,
    RoundRevealed,
    Ruling,
    ServerFault,
    ServerFaultCause,
    SignedMove,
    StoodIn,
    TeaBegan,
    TeaEnded,
    TimedOut,
    UnturnedLay,
)
from hokm.table import (
    NO_HANDS,
    Ceremony,
    Hands,
    Round,
    RulingKind,
    Supply,
    Table,
    are_all_that_came,
    are_all_unturned,
    brought_by_time,
    due,
    expires_ms,
    fits_policy,
    makes_a_deck,
    may_fault,
    may_reopen,
    opens,
    rule,
    shown_numbers,
    stand_in_wanted,
    unopened,
    unopened_lay,
    whose,
)
from hokm.verify.codes import Code
from hokm.verify.report import Refused, choice_text, refusal, refusal_by

OF_A_CEREMONY = (CeremonyOpened, CommitSetClosed, CommitSetWitnessed, CeremonyVoided, HakemDrawn, Dealt, Commit, Reveal)
"""Where one of these is missing, or too much, it is the seventh step that says so."""


# In the place where it stands.


def out_of_order(event: Event, needed: RulingKind | None) -> Refused:
    """Refuse an entry where another ruling is due, or a ruling that is not due."""
    content = event.content
    kind = type(content.move.act) if isinstance(content, SignedMove) else type(content)
    is_of_ceremony = kind in OF_A_CEREMONY or needed in OF_A_CEREMONY
    code = Code.CEREMONY_OUT_OF_ORDER if is_of_ceremony else Code.OUT_OF_ORDER
    expected = "a move, or nothing yet," if needed is None else needed.__name__
    return refusal(code, event.version, found=kind.__name__, expected=expected)


def not_due(table: Table, event: Event, needed: RulingKind | None) -> Refused:
    """Refuse a ruling that is not the next; one that only came too early is a matter of time."""
    expiry = expires_ms(table)
    kind = type(event.content)
    if needed is None and expiry is not None and brought_by_time(table) is kind:
        early = expiry - event.time_ms
        return refusal(Code.BEFORE_DEADLINE, event.version, found=kind.__name__, early_ms=early)
    return out_of_order(event, needed)


def check_reopened(table: Table, event: Event, content: Reopened) -> None:
    """The house's word that it was down: only what has run out begins anew, and only once."""
    needed = due(table, table.time_ms)
    if needed is not None:
        raise out_of_order(event, needed)
    if not may_reopen(table, content, event.time_ms):
        raise refusal(Code.NOT_REOPENED, event.version)


def is_word_of_house(table: Table, event: Event, content: ServerFault) -> bool:
    """Whether this fault is one that nothing in the log has to bear out; if so, it is held to its bounds."""
    if content.cause in (ServerFaultCause.NO_COMMITMENT, ServerFaultCause.NO_NUMBER, ServerFaultCause.NO_WITNESS):
        return False
    if not may_fault(table, content):
        raise refusal(Code.FAULT_DIFFERS, event.version, cause=content.cause.name)
    stage = table.stage
    if isinstance(stage, Ceremony):
        numbers = shown_numbers(content)
        open_numbers(table, event.version, stage, numbers)
        if content.cause is ServerFaultCause.NO_DEAL and makes_a_deck(stage, numbers):
            raise refusal(Code.FAULT_DIFFERS, event.version, cause=content.cause.name)
    elif isinstance(stage, Round) and (content.numbers or content.unturned):
        check_unturned(table, event.version, content.unturned)
    return True


# With the content that it has.


def check_content(table: Table, version: int, content: Ruling, hands: Hands) -> int:
    """Hold the content of a ruling that is due against the rules; how many numbers it opened. Raises `Refused`.

    The Join in a StoodIn is a move, and `walk`'s.
    """
    stage = table.stage
    match content:
        case GameStarted():
            expected = rule(table, GameStarted)
            assert isinstance(expected, GameStarted)
            if content.seats != expected.seats:
                raise refusal(Code.OTHER_SEATS, version)
            if content.game_id != expected.game_id:
                raise refusal(Code.OTHER_GAME_ID, version)
        case CeremonyOpened():
            supply = Supply(house_commitment=content.house_commitment, anchor=content.anchor)
            _compare(Code.CEREMONY_DIFFERS, version, content, rule(table, CeremonyOpened, supply))
        case CommitSetClosed():
            if content != rule(table, CommitSetClosed):
                raise refusal(Code.COMMIT_SET_DIFFERS, version)
        case CeremonyVoided():
            return _check_voided(table, version, content)
        case HakemDrawn():
            assert isinstance(stage, Ceremony)
            count = open_numbers(table, version, stage, content.numbers)
            try:
                drawn = rule(table, HakemDrawn, Supply(content.numbers))
            except HokmError as error:
                raise refusal_by(error, version) from None
            assert isinstance(drawn, HakemDrawn)
            if drawn.hakem != content.hakem:
                raise refusal(Code.OTHER_HAKEM_DRAWN, version, expected=drawn.hakem, found=content.hakem)
            return count
        case TimedOut():
            _check_timed_out(table, version, content, hands)
        case StoodIn():
            _check_stood_in(table, version, content)
        case MiddleTurned(card):
            if hands.middle not in (None, card):
                facts = {"expected": card_text(hands.middle), "found": card_text(card)}
                raise refusal(Code.MIDDLE_DIFFERS, version, **facts)
        case EarlyTurned():
            _check_early(table, version, content)
        case RoundRevealed(unturned=unturned):
            check_unturned(table, version, unturned)
            supply = Supply(content.numbers, laid=tuple((lay.card, lay.salt) for lay in unturned))
            _compare(Code.RESULT_DIFFERS, version, content, rule(table, RoundRevealed, supply))
        case GameEnded():
            ending = rule(table, GameEnded)
            if content != ending:
                raise refusal(Code.ENDING_DIFFERS, version, expected=_ending(ending), found=_ending(content))
        case ServerFault():
            assert isinstance(stage, Ceremony)
            numbers = shown_numbers(content)
            if not are_all_that_came(stage, numbers) or content != rule(table, ServerFault, Supply(numbers)):
                raise refusal(Code.FAULT_DIFFERS, version, cause=content.cause.name)
            return open_numbers(table, version, stage, numbers)
        case _:
            assert isinstance(content, Dealt | TeaBegan | TeaEnded), "nothing else is ever due"
    return 0


def open_numbers(table: Table, version: int, ceremony: Ceremony, numbers: tuple[bytes | None, ...]) -> int:
    """Every number that is there opens its commitment: how many there are. Raises `Refused`."""
    seat = unopened(table, ceremony, numbers)
    if seat is not None:
        raise refusal(Code.NUMBER_DOES_NOT_OPEN, version, whose=whose(seat))
    return sum(number is not None for number in numbers)


def _check_voided(table: Table, version: int, content: CeremonyVoided) -> int:
    stage = table.stage
    assert isinstance(stage, Ceremony)
    numbers = shown_numbers(content)
    if not are_all_that_came(stage, numbers):
        raise refusal(Code.VOID_DIFFERS, version, field="numbers", expected="those that came", found="others")
    count = open_numbers(table, version, stage, numbers)
    _compare(Code.VOID_DIFFERS, version, content, rule(table, CeremonyVoided, Supply(numbers)))
    return count


def _check_timed_out(table: Table, version: int, content: TimedOut, hands: Hands) -> None:
    if hands is NO_HANDS:
        if not fits_policy(table, content):
            raise refusal(Code.POLICY_DIFFERS, version, expected="something else", found=choice_text(content))
        return
    expected = rule(table, TimedOut, Supply(hands=hands))
    assert isinstance(expected, TimedOut)
    if expected != content:
        raise refusal(
            Code.POLICY_DIFFERS,
            version,
            expected=f"{choice_text(expected)} for seat {expected.seat}",
            found=f"{choice_text(content)} for seat {content.seat}",
        )


def _check_early(table: Table, version: int, content: EarlyTurned) -> None:
    stage = table.stage
    assert isinstance(stage, Round)
    assert stage.extra is not None
    if content.seat != stage.turn:
        raise refusal(Code.EARLY_DIFFERS, version, expected=stage.turn, found=content.seat)
    lay = stage.extra.lays[stage.turn]
    assert lay is not None
    if not opens(stage.ceremony.ctx, lay, content.card, content.salt):
        raise _does_not_open(version, UnturnedLay(lay.seat, lay.trick, content.card, content.salt))


def check_unturned(table: Table, version: int, unturned: tuple[UnturnedLay, ...]) -> None:
    """Every lay that did not turn over is opened, and nothing else is. Raises `Refused`."""
    stage = table.stage
    assert isinstance(stage, Round)
    if not are_all_unturned(stage, unturned):
        expected, found = ([(lay.seat, lay.trick) for lay in lays] for lays in (stage.unturned, unturned))
        raise refusal(Code.RESULT_DIFFERS, version, field="unturned", expected=expected, found=found)
    lay = unopened_lay(stage, unturned)
    if lay is not None:
        raise _does_not_open(version, lay)


def _does_not_open(version: int, lay: UnturnedLay) -> Refused:
    return refusal(Code.EARLY_DOES_NOT_OPEN, version, seat=lay.seat, trick=lay.trick, card=card_text(lay.card))


def _check_stood_in(table: Table, version: int, content: StoodIn) -> None:
    wanted = stand_in_wanted(table)
    assert wanted is not None
    if wanted != (content.seat, content.cause):
        raise refusal(
            Code.STAND_IN_DIFFERS,
            version,
            expected_seat=wanted[0],
            expected_cause=wanted[1].name,
            seat=content.seat,
            cause=content.cause.name,
        )


def _compare(code: Code, version: int, content: Ruling, expected: Ruling) -> None:
    if content != expected:
        _say_difference(code, version, content, expected)


def _say_difference(code: Code, version: int, content: Ruling, expected: Ruling) -> NoReturn:
    """Raise by the first field that differs."""
    differing = (
        (name, must, is_) for name, must, is_ in zip(content._fields, expected, content, strict=True) if must != is_
    )
    field, must, is_ = next(differing)
    raise refusal(code, version, field=field, expected=must, found=is_)


def _ending(ending: Ruling) -> str:
    assert isinstance(ending, GameEnded)
    if ending.winner is None:
        return ending.cause.name
    return f"{ending.cause.name}, won by the {'odd' if ending.winner else 'even'} seats"
