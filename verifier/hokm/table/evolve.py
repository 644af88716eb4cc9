# SPDX-License-Identifier: Apache-2.0
"""What a table is after one more entry. Nothing is refused here: the entry is a fact.

`opened` makes the table of version 0, `evolve` every later one, and `resumed` the table as a round proof finds it,
after the RoundRevealed of the round before.
"""

from __future__ import annotations

from typing import assert_never

from hokm.deal import Purpose, rules_hash
from hokm.events import (
    AnswerTea,
    AskTea,
    CallMiddle,
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
    Join,
    LayEarly,
    Leave,
    MiddleTurned,
    Move,
    NameTrump,
    PickUp,
    Play,
    ProtestOnly,
    Ready,
    Reopened,
    Resign,
    Return,
    Reveal,
    RoundRevealed,
    Run,
    ServerFault,
    SignedMove,
    StandInCause,
    StoodIn,
    TableOpened,
    TakeBack,
    TeaBegan,
    TeaEnded,
    TimedOut,
    WaitingTea,
)
from hokm.rules import TEA_ANSWER_MS, Seat
from hokm.table import tea
from hokm.table.ceremony import (
    ceremony_done,
    ceremony_opened,
    ceremony_voided,
    commit_set_closed,
    commit_set_witnessed,
    step_taken,
)
from hokm.table.due import ask_may_begin_anew
from hokm.table.present import all_persons_left, resigned_side
from hokm.table.ruling import ending_after_round
from hokm.table.seats import counted, in_control, replaced, stood_in, with_place
from hokm.table.state import (
    NO_GAME,
    Between,
    Ceremony,
    Decision,
    House,
    Over,
    Place,
    Round,
    Seating,
    Signing,
    StandIn,
    Table,
    Tea,
    open_decision,
    to_answer,
)
from hokm.table.tricks import (
    card_played,
    dealt,
    early_turned,
    laid_early,
    middle_called,
    middle_turned,
    picked_up,
    round_over,
    run_led,
    taken_back,
    timed_out,
    trump_made,
)
from hokm.table.vouch import signing_of_key


def opened(house: House, event: Event) -> Table:
    """The table of a stream's first entry, a TableOpened."""
    content = event.content
    assert isinstance(content, TableOpened)
    return Table(
        house=house,
        id=event.table,
        rules=content.rules,
        rules_hash=rules_hash(content.rules_bytes),
        server_nonce=content.server_nonce,
        version=event.version,
        time_ms=event.time_ms,
        game_id=NO_GAME,
        places=(),
        score=(0, 0),
        faults=(0, 0),
        hakem=None,
        round=0,
        attempt=0,
        spent_keys=frozenset(),
        stage=Seating((None,) * 4, (), event.time_ms, 0),
    )


def resumed(started: Table, event: Event, next_round: int) -> Table:
    """The table after the RoundRevealed before `next_round`, from the table as it was after GameStarted.

    What lies between is taken from the entry's own word: score, next hakem and what is carried.
    """
    content = event.content
    assert isinstance(content, RoundRevealed)
    places = []
    for place, seat in zip(started.places, content.carried.seats, strict=True):
        stand_in = StandIn(seat.stand_in_key, Signing(seat.stand_in_moves)) if seat.stand_in_key else None
        cause = StandInCause.LEFT if seat.left else StandInCause.MISSED
        places.append(
            place._replace(
                signing=Signing(seat.player_moves),
                signed=True,
                absent=cause if seat.absent else None,
                left=seat.left,
                stand_in=stand_in,
                missed=seat.missed,
                tea_asked=seat.tea_asked,
            )
        )
    table = started._replace(
        version=event.version,
        time_ms=event.time_ms,
        places=tuple(places),
        faults=content.carried.faults,
        spent_keys=started.spent_keys | {seat.stand_in_key for seat in content.carried.seats if seat.stand_in_key},
        round=next_round - 1,
        tea=_waiting(content.carried.tea),
    )
    return _after_round(table, content)


def _waiting(carried: WaitingTea | None) -> Tea | None:
    if carried is None:
        return None
    return Tea(carried.seat, Decision(carried.version, carried.time_ms, TEA_ANSWER_MS), carried.yes)


def evolve(table: Table, event: Event) -> Table:
    """The table after the next entry. That the entry may stand there has been asked before; nothing is asked here."""
    content = event.content
    if type(content) is SignedMove:
        return _moved(table, content.move, event.version, event.time_ms)
    before, table = table, table._replace(version=event.version, time_ms=event.time_ms)
    match content:
        case TableOpened():
            raise AssertionError("TableOpened is version 0 only")
        case GameStarted(game_id):
            return _game_started(table, game_id)
        case CeremonyOpened():
            return ceremony_opened(table, content)
        case CommitSetClosed(commit_set):
            return commit_set_closed(table, commit_set)
        case CommitSetWitnessed():
            return commit_set_witnessed(table)
        case CeremonyVoided():
            return ceremony_voided(table, content)
        case HakemDrawn(_, hakem):
            table = ceremony_done(table)._replace(hakem=hakem)
            return table._replace(stage=Between(None, Purpose.DEAL, 1, 0))
        case Dealt():
            return dealt(ceremony_done(table))
        case TimedOut():
            return timed_out(table, content)
        case StoodIn():
            return stood_in(table, content)
        case Reopened(seats):
            return _reopened(before, table, seats)
        case RoundRevealed():
            return _after_round(table, content)
        case GameEnded() | ServerFault():
            return table._replace(stage=Over(content))
        case MiddleTurned(card):
            return middle_turned(table, card)
        case EarlyTurned():
            return early_turned(table, content)
        case TeaBegan():
            return tea.began(table)
        case TeaEnded():
            return tea.ended(table)
        case SignedMove():
            raise AssertionError("handled above")
        case _:
            assert_never(content)


# Moves.


def _moved(table: Table, move: Move, version: int, time_ms: int) -> Table:
    seat, act = move.seat, move.act
    stage = table.stage
    if type(stage) is Seating:
        return _seating_move(table, stage, move, version, time_ms)
    places = counted(table.places, move)
    if type(act) is Play:
        return card_played(table, places, seat, act.card, version, time_ms)
    if type(stage) is Ceremony and isinstance(act, Commit | Reveal):
        ceremony = step_taken(stage, seat, act, Decision(version, time_ms, 1000 * table.rules.turn_seconds))
        return table._replace(version=version, time_ms=time_ms, places=places, stage=ceremony)
    table = table._replace(version=version, time_ms=time_ms, places=places)
    match act:
        case Play() | Commit() | Reveal():
            raise AssertionError("handled above")
        case NameTrump(suit):
            return trump_made(table, suit)
        case Leave():
            return _left(table, seat)
        case Return():
            return _returned(table, seat)
        case Resign():
            table = with_place(table, seat, table.places[seat]._replace(resigned=True))
            return round_over(table) if resigned_side(table) is not None else table
        case ProtestOnly():
            place = table.places[seat]
            return with_place(table, seat, place._replace(protests=place.protests + 1))
        case Join():
            raise AssertionError("a Join is a move in the seating only")
        case CallMiddle():
            return middle_called(table)
        case PickUp():
            return picked_up(table)
        case LayEarly():
            return laid_early(table, seat, act)
        case TakeBack():
            return taken_back(table, seat)
        case Run(cards):
            return run_led(table, seat, cards)
        case AskTea():
            return tea.asked(table, seat)
        case AnswerTea(yes):
            return tea.answered(table, seat, yes)
        case Ready():
            return tea.is_ready(table, seat)
        case _:
            assert_never(act)


def _seating_move(table: Table, stage: Seating, move: Move, version: int, time_ms: int) -> Table:
    """Join, Leave and a protest at a table that has not started."""
    seat, act = move.seat, move.act
    former = stage.former
    place: Place | None
    if isinstance(act, Join):
        signing = Signing(signing_of_key(stage, act.public_key).moves + 1, move.seen_version)
        former = tuple(entry for entry in former if entry[0] != act.public_key)
        place = Place(act.kind, act.public_key, act.join_nonce, signing)
    else:
        place = stage.places[seat]
        assert place is not None
        signing = Signing(place.signing.moves + 1, move.seen_version)
        if isinstance(act, Leave):
            former = (*former, (place.public_key, signing))
            place = None
        else:
            place = place._replace(signing=signing, signed=True, protests=place.protests + 1)
    stage = Seating(replaced(stage.places, seat, place), former, stage.opened_ms, stage.moves + 1)
    return table._replace(version=version, time_ms=time_ms, stage=stage)


def _left(table: Table, seat: Seat) -> Table:
    place = table.places[seat]._replace(left=True, back=False)
    if not isinstance(table.stage, Ceremony) and place.absent is None:
        place = place._replace(absent=StandInCause.LEFT)
    table = with_place(table, seat, place)
    if isinstance(table.stage, Round) and all_persons_left(table):
        return round_over(table)
    return table


def _returned(table: Table, seat: Seat) -> Table:
    place = table.places[seat]
    place = place._replace(left=False, back=place.absent is not None, returns=place.returns + 1)
    if not isinstance(table.stage, Ceremony) and open_decision(table, seat) is None:
        place = in_control(place)
    return with_place(table, seat, place)


# Rulings.


def _game_started(table: Table, game_id: bytes) -> Table:
    assert isinstance(table.stage, Seating)
    places = tuple(place for place in table.stage.places if place is not None)
    spent = frozenset(key for key, _ in table.stage.former)
    stage = Between(None, Purpose.DRAW, 0, 0)
    return table._replace(game_id=game_id, places=places, spent_keys=spent, stage=stage)


def _after_round(table: Table, content: RoundRevealed) -> Table:
    ending = ending_after_round(table, content.score)
    stage = Between(ending, Purpose.DEAL, table.round + 1, 0)
    salts = {lay.salt for lay in content.unturned}
    return table._replace(
        score=content.score,
        hakem=content.next_hakem,
        stage=stage,
        spent_lays=table.spent_lays | salts if salts else table.spent_lays,
    )


def _reopened(before: Table, table: Table, seats: tuple[Seat, ...]) -> Table:
    """What has run out runs from now on: decisions of these seats, an ask that they may answer, the wait, nobody's."""
    now = table.time_ms

    def anew(decision: Decision) -> Decision:
        return decision._replace(since_ms=now, reopened=True) if decision.may_begin_anew(now) else decision

    asked = table.tea
    if asked is not None and ask_may_begin_anew(before, now) and not set(seats).isdisjoint(to_answer(before)):
        table = table._replace(tea=asked._replace(ask=anew(asked.ask)))
    match table.stage:
        case Ceremony(decisions=decisions, wait=wait) as ceremony:
            fresh = tuple(
                anew(step) if step is not None and seat in seats else step for seat, step in enumerate(decisions)
            )
            return table._replace(stage=ceremony._replace(decisions=fresh, wait=None if wait is None else anew(wait)))
        case Round(decision=Decision() as decision) as round_ if round_.turn in seats:
            return table._replace(stage=round_._replace(decision=anew(decision)))
        case _:
            return table
