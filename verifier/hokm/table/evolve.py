# SPDX-License-Identifier: Apache-2.0
"""What a table is after one more entry. Nothing is refused here: the entry is a fact.

`opened` makes the table of version 0, `evolve` every later one, and `resumed` the table as a round proof finds it,
after the RoundRevealed of the round before.
"""

from __future__ import annotations

from typing import TypeVar, assert_never

from hokm.cards import Card
from hokm.deal import Context, Purpose, rules_hash
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
    GameEndCause,
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
    SeatKind,
    ServerFault,
    SignedMove,
    StandInCause,
    StoodIn,
    TableOpened,
    TakeBack,
    TeaBegan,
    TeaEnded,
    TimedOut,
    VoidCause,
)
from hokm.rules import MISSES_TO_BE_ABSENT, BySide, Seat, Side, round_winner, side_of, trick_winner
from hokm.table.due import ending_after_round
from hokm.table.state import (
    FAULTS_TO_FORFEIT,
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
    Trick,
    all_persons_left,
    next_in_turn,
    open_decision,
    resigned_side,
)
from hokm.table.vouch import OF_THE_PLAYER, signing_of_key

T = TypeVar("T")


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
            )
        )
    table = started._replace(
        version=event.version,
        time_ms=event.time_ms,
        places=tuple(places),
        faults=content.carried.faults,
        spent_keys=started.spent_keys | {seat.stand_in_key for seat in content.carried.seats if seat.stand_in_key},
        round=next_round - 1,
    )
    return _after_round(table, content)


def evolve(table: Table, event: Event) -> Table:
    """The table after the next entry."""
    content = event.content
    if type(content) is SignedMove:
        return _moved(table, content.move, event.version, event.time_ms)
    table = table._replace(version=event.version, time_ms=event.time_ms)
    match content:
        case TableOpened():
            raise AssertionError("TableOpened is version 0 only")
        case GameStarted(game_id):
            return _game_started(table, game_id)
        case CeremonyOpened():
            return _ceremony_opened(table, content)
        case CommitSetClosed(commit_set):
            return _commit_set_closed(table, commit_set)
        case CeremonyVoided():
            return _voided(table, content)
        case HakemDrawn(_, hakem):
            table = _ceremony_done(table)._replace(hakem=hakem)
            return table._replace(stage=Between(None, Purpose.DEAL, 1, 0))
        case Dealt():
            return _dealt(table)
        case TimedOut():
            return _timed_out(table, content)
        case StoodIn():
            return _stood_in(table, content)
        case Reopened(seats):
            return _reopened(table, seats)
        case RoundRevealed():
            return _after_round(table, content)
        case GameEnded() | ServerFault():
            return table._replace(stage=Over(content))
        case CommitSetWitnessed() | MiddleTurned() | EarlyTurned() | TeaBegan() | TeaEnded():
            raise AssertionError("no table opens with the rule that this ruling belongs to")
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
    places = _counted(table.places, move)
    if type(act) is Play:
        return _card(table, places, seat, act.card, version, time_ms)
    table = table._replace(version=version, time_ms=time_ms, places=places)
    match act:
        case Play():
            raise AssertionError("handled above")
        case NameTrump(suit):
            return _trump(table, seat, suit)
        case Commit(commitment):
            return _committed(table, seat, commitment)
        case Reveal():
            assert isinstance(stage, Ceremony)
            ceremony = stage._replace(
                revealed=_with(stage.revealed, seat, True), decisions=_with(stage.decisions, seat, None)
            )
            return table._replace(stage=ceremony)
        case Leave():
            return _left(table, seat)
        case Return():
            return _returned(table, seat)
        case Resign():
            table = _at(table, seat, table.places[seat]._replace(resigned=True))
            return _round_over(table) if resigned_side(table) is not None else table
        case ProtestOnly():
            place = table.places[seat]
            return _at(table, seat, place._replace(protests=place.protests + 1))
        case Join():
            raise AssertionError("a Join is a move in the seating only")
        case CallMiddle() | PickUp() | LayEarly() | TakeBack() | Run() | AskTea() | AnswerTea() | Ready():
            raise AssertionError("no table opens with the house rule that this act belongs to")
        case _:
            assert_never(act)


ENDS_A_ROW = (Play, Commit, Reveal, NameTrump, Return)
"""Acts of the player that end its row of missed deadlines."""


def _counted(places: tuple[Place, ...], move: Move) -> tuple[Place, ...]:
    """The places after one more move of the key that signed it."""
    seat = move.seat
    place = places[seat]
    act = move.act
    stand_in = place.stand_in
    if stand_in is not None and not isinstance(act, OF_THE_PLAYER):
        signing = Signing(stand_in.signing.moves + 1, move.seen_version)
        place = place._replace(stand_in=StandIn(stand_in.public_key, signing))
    else:
        # Written out, like the table in `_card`: a `_replace` takes twice the time, and this is done for every move.
        place = Place(
            place.kind,
            place.public_key,
            place.join_nonce,
            Signing(place.signing.moves + 1, move.seen_version),
            True,
            place.absent,
            place.left,
            place.back,
            place.held,
            stand_in,
            0 if isinstance(act, ENDS_A_ROW) else place.missed,
            place.returns,
            place.protests,
            place.resigned,
        )
    return (*places[:seat], place, *places[seat + 1 :])


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
    stage = Seating(_with(stage.places, seat, place), former, stage.opened_ms, stage.moves + 1)
    return table._replace(version=version, time_ms=time_ms, stage=stage)


def _left(table: Table, seat: Seat) -> Table:
    place = table.places[seat]._replace(left=True, back=False)
    if not isinstance(table.stage, Ceremony) and place.absent is None:
        place = place._replace(absent=StandInCause.LEFT)
    table = _at(table, seat, place)
    if isinstance(table.stage, Round) and all_persons_left(table):
        return _round_over(table)
    return table


def _returned(table: Table, seat: Seat) -> Table:
    place = table.places[seat]
    place = place._replace(left=False, back=place.absent is not None, returns=place.returns + 1)
    if not isinstance(table.stage, Ceremony) and open_decision(table, seat) is None:
        place = _in_control(place)
    return _at(table, seat, place)


def _in_control(place: Place) -> Place:
    """The place with its player in control again, where the player has returned."""
    if not place.back:
        return place
    return place._replace(absent=None, back=False, stand_in=None)


# The ceremony.


def _game_started(table: Table, game_id: bytes) -> Table:
    assert isinstance(table.stage, Seating)
    places = tuple(place for place in table.stage.places if place is not None)
    spent = frozenset(key for key, _ in table.stage.former)
    stage = Between(None, Purpose.DRAW, 0, 0)
    return table._replace(game_id=game_id, places=places, spent_keys=spent, stage=stage)


def _ceremony_opened(table: Table, content: CeremonyOpened) -> Table:
    context = Context.from_bytes(content.ctx)
    bots_first = any(holder.kind is not SeatKind.PERSON for holder in content.holders)
    step = Decision(table.version, table.time_ms, 1000 * table.rules.turn_seconds)
    decisions = tuple(None if bots_first and holder.kind is SeatKind.PERSON else step for holder in content.holders)
    places = table.places
    if context.attempt == 0:
        places = tuple(place._replace(returns=0, protests=0, resigned=False) for place in places)
    stage = Ceremony(
        ctx=content.ctx,
        purpose=context.purpose,
        holders=content.holders,
        house_commitment=content.house_commitment,
        commitments=(None,) * 4,
        commit_set=None,
        revealed=(False,) * 4,
        decisions=decisions,
    )
    return table._replace(round=context.round, attempt=context.attempt, places=places, stage=stage)


def _committed(table: Table, seat: Seat, commitment: bytes) -> Table:
    """One more commitment; with the last bot's, the persons' steps open."""
    stage = table.stage
    assert isinstance(stage, Ceremony)
    commitments = _with(stage.commitments, seat, commitment)
    decisions = _with(stage.decisions, seat, None)
    if stage.holders[seat].kind is not SeatKind.PERSON and not any(decisions):
        step = Decision(table.version, table.time_ms, 1000 * table.rules.turn_seconds)
        decisions = tuple(None if given is not None else step for given in commitments)
    return table._replace(stage=stage._replace(commitments=commitments, decisions=decisions))


def _commit_set_closed(table: Table, commit_set: bytes) -> Table:
    assert isinstance(table.stage, Ceremony)
    step = Decision(table.version, table.time_ms, 1000 * table.rules.turn_seconds)
    return table._replace(stage=table.stage._replace(commit_set=commit_set, decisions=(step,) * 4))


def _voided(table: Table, content: CeremonyVoided) -> Table:
    stage = table.stage
    assert isinstance(stage, Ceremony)
    faults, ending = table.faults, None
    for seat in content.seats:
        place = table.places[seat]
        no_sign = stage.purpose is Purpose.DRAW and not place.signed
        place = place._replace(absent=StandInCause.NO_SIGN) if no_sign else _missed(place)
        if content.cause is VoidCause.NO_COMMITMENT:
            place = place._replace(held=True)
        table = _at(table, seat, place)
    if content.cause is VoidCause.NO_NUMBER:
        named = {side_of(seat) for seat in content.seats}
        faults = (faults[0] + (0 in named), faults[1] + (1 in named))
        ending = _forfeit(faults)
    table = _settled(table)._replace(faults=faults)
    return table._replace(stage=Between(ending, stage.purpose, table.round, table.attempt + 1))


def _forfeit(faults: BySide) -> GameEnded | None:
    """How the game ends where a side has lost it by not revealing."""
    lost = [side for side in (0, 1) if faults[side] >= FAULTS_TO_FORFEIT]
    if not lost:
        return None
    winner: Side | None = None if len(lost) == 2 else 1 - lost[0]
    return GameEnded(GameEndCause.FORFEIT, winner)


def _missed(place: Place) -> Place:
    """The place after one more missed deadline, which counts against its player only while no stand-in plays."""
    if place.stand_in is not None:
        return place
    missed = place.missed + 1
    absent = StandInCause.MISSED if place.absent is None and missed >= MISSES_TO_BE_ABSENT else place.absent
    return place._replace(missed=missed, absent=absent)


def _settled(table: Table) -> Table:
    """The end of a ceremony, where who left is absent and who returned is back."""
    return table._replace(places=tuple(_settle(place) for place in table.places))


def _settle(place: Place) -> Place:
    place = _in_control(place)
    if place.left and place.absent is None:
        return place._replace(absent=StandInCause.LEFT)
    return place


def _ceremony_done(table: Table) -> Table:
    """The end of a ceremony that made what it was for: held seats go back to their players."""
    table = _settled(table)
    places = []
    for place in table.places:
        if place.held:
            place = place._replace(held=False, stand_in=place.stand_in if place.absent else None)
        places.append(place)
    return table._replace(places=tuple(places))


# The round.


def _dealt(table: Table) -> Table:
    ceremony, hakem = table.stage, table.hakem
    assert isinstance(ceremony, Ceremony)
    assert hakem is not None
    table = _ceremony_done(table)
    decision = next_in_turn(hakem, table.places, table.rules, table.version, table.time_ms)
    stage = Round(ceremony, hakem, None, hakem, (), 0, (0, 0), (), decision)
    return table._replace(stage=stage)


def _trump(table: Table, seat: Seat, suit: int) -> Table:
    stage = table.stage
    assert isinstance(stage, Round)
    table = _turn_ended(table, seat)
    decision = next_in_turn(seat, table.places, table.rules, table.version, table.time_ms)
    return table._replace(stage=stage._replace(trump=suit, decision=decision))


def _card(table: Table, places: tuple[Place, ...], seat: Seat, card: Card, version: int, time_ms: int) -> Table:
    """The table after a card, played or chosen by the policy: version, time and places are those of that entry."""
    stage = table.stage
    assert type(stage) is Round
    assert stage.trump is not None
    if places[seat].back:
        places = _with(places, seat, _in_control(places[seat]))
    leader, trick, tricks, history = stage.leader, (*stage.trick, card), stage.tricks, stage.history
    if len(trick) == 4:
        winner = trick_winner(trick, leader, stage.trump)
        even, odd = tricks
        tricks = (even, odd + 1) if winner & 1 else (even + 1, odd)
        history = (*history, Trick(leader, trick, winner))
        leader, trick = winner, ()
    decision = None
    if round_winner(tricks) is None:
        turn = leader + len(trick) & 3
        decision = next_in_turn(turn, places, table.rules, version, time_ms)
    played = stage.played | 1 << card
    return Table(
        table.house,
        table.id,
        table.rules,
        table.rules_hash,
        table.server_nonce,
        version,
        time_ms,
        table.game_id,
        places,
        table.score,
        table.faults,
        table.hakem,
        table.round,
        table.attempt,
        table.spent_keys,
        Round(stage.ceremony, stage.hakem, stage.trump, leader, trick, played, tricks, history, decision),
    )


def _timed_out(table: Table, content: TimedOut) -> Table:
    seat = content.seat
    table = _at(table, seat, _missed(table.places[seat]))
    if content.trump is not None:
        return _trump(table, seat, content.trump)
    assert content.card is not None
    return _card(table, table.places, seat, content.card, table.version, table.time_ms)


def _turn_ended(table: Table, seat: Seat) -> Table:
    """A returned player takes over once the decision is made that was the stand-in's."""
    return _at(table, seat, _in_control(table.places[seat]))


def _round_over(table: Table) -> Table:
    """The round ends before a side has seven tricks: its open decision falls away."""
    assert isinstance(table.stage, Round)
    places = tuple(_in_control(place) for place in table.places)
    return table._replace(places=places, stage=table.stage._replace(decision=None))


def _after_round(table: Table, content: RoundRevealed) -> Table:
    ending = ending_after_round(table, content.score)
    stage = Between(ending, Purpose.DEAL, table.round + 1, 0)
    return table._replace(score=content.score, hakem=content.next_hakem, stage=stage)


# Both.


def _stood_in(table: Table, content: StoodIn) -> Table:
    place = table.places[content.seat]
    move = content.join.move
    assert isinstance(move.act, Join)
    key = move.act.public_key
    place = place._replace(stand_in=StandIn(key, Signing(1, move.seen_version)))
    if content.cause is StandInCause.AWAY:
        place = place._replace(absent=StandInCause.AWAY)
    return _at(table, content.seat, place)._replace(spent_keys=table.spent_keys | {key})


def _reopened(table: Table, seats: tuple[Seat, ...]) -> Table:
    def anew(decision: Decision | None) -> Decision | None:
        return None if decision is None else decision._replace(since_ms=table.time_ms, reopened=True)

    match table.stage:
        case Ceremony(decisions=decisions) as ceremony:
            fresh = tuple(anew(step) if seat in seats else step for seat, step in enumerate(decisions))
            return table._replace(stage=ceremony._replace(decisions=fresh))
        case Round(decision=decision) as round_:
            return table._replace(stage=round_._replace(decision=anew(decision)))
        case _:
            return table


def _at(table: Table, seat: Seat, place: Place) -> Table:
    places = table.places
    return table._replace(places=(*places[:seat], place, *places[seat + 1 :]))


def _with(values: tuple[T, ...], seat: Seat, value: T) -> tuple[T, ...]:
    return (*values[:seat], value, *values[seat + 1 :])
