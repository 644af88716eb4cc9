# SPDX-License-Identifier: Apache-2.0
"""What the head of a move vouches for: who must have signed it, in which game, after how many moves, having seen what.

None of this needs a card. `signer` names the key whose signature the move must bear; `vouch` holds the rest of the
head against the table. What the act itself may do is `decide`'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hokm.errors import (
    GameIsOver,
    NumberNotNext,
    SeatIsFree,
    SeenFell,
    SeenNotYet,
    StaleMove,
    WrongContext,
    WrongGame,
    WrongPhase,
)
from hokm.events import (
    AnswerTea,
    CallMiddle,
    Commit,
    Join,
    LayEarly,
    Leave,
    Move,
    NameTrump,
    Play,
    ProtestOnly,
    Ready,
    Resign,
    Return,
    Reveal,
    Run,
    TakeBack,
)
from hokm.table.state import NO_GAME, Ceremony, Decision, Over, Place, Round, Seating, Signing, Table, open_decision

if TYPE_CHECKING:
    from hokm.events import Act

OF_THE_PLAYER = (Leave, Return, Resign, ProtestOnly)
"""Acts that are the player's own word, also while a stand-in plays the seat."""


def signer(table: Table, move: Move) -> bytes:
    """The key that must have signed this move.

    A Join is signed by the key that it names; Leave, Return, Resign and a protest by the player's; every decision by
    whoever holds the seat. Raises `GameIsOver`, `SeatIsFree`.
    """
    stage = table.stage
    act = move.act
    if isinstance(stage, Over):
        raise GameIsOver(table.version)
    if type(act) is Join:
        return act.public_key
    place = _place(table, move.seat)
    if place.stand_in is None or isinstance(act, OF_THE_PLAYER):
        return place.public_key
    return place.stand_in.public_key


def vouch(table: Table, move: Move) -> None:
    """Hold game, round, attempt, number and seen version of a move against the table.

    That seen_hash is the leaf of that version is for whoever has the leaves. Raises `WrongGame`, `WrongContext`,
    `NumberNotNext`, `SeenNotYet`, `SeenFell`, `StaleMove`, `WrongPhase`.
    """
    act = move.act
    game_id = NO_GAME if type(act) is Join else table.game_id
    if move.game_id != game_id:
        raise WrongGame(move.game_id.hex(), game_id.hex())
    if move.round != table.round or move.attempt != table.attempt:
        raise WrongContext(move.round, move.attempt, table.round, table.attempt)
    signing = _signing(table, move)
    if move.number != signing.moves:
        raise NumberNotNext(move.number, signing.moves)
    if move.seen_version > table.version:
        raise SeenNotYet(move.seen_version, table.version)
    if move.seen_version < signing.seen:
        raise SeenFell(move.seen_version, signing.seen)
    opened = _opened(table, move.seat, act)
    if move.seen_version < opened:
        raise StaleMove(move.seen_version, opened)


def _opened(table: Table, seat: int, act: Act) -> int:
    """The version of the entry that opened what this act answers; 0 where that is open since TableOpened."""
    stage = table.stage
    decision: Decision | None = None
    match act:
        case Play() | NameTrump() | CallMiddle() | Run():
            decision = open_decision(table, seat) if type(stage) is Round else None
        case Commit():
            decision = stage.decisions[seat] if type(stage) is Ceremony and stage.commit_set is None else None
        case Reveal():
            decision = stage.decisions[seat] if type(stage) is Ceremony and stage.commit_set is not None else None
        case LayEarly():
            return stage.extra.lead if type(stage) is Round and stage.extra is not None and stage.trick else 0
        case TakeBack():
            lay = stage.extra.lays[seat] if type(stage) is Round and stage.extra is not None else None
            return 0 if lay is None else lay.version
        case AnswerTea():
            decision = None if table.tea is None else table.tea.ask
        case Ready():
            decision = None if table.tea is None else table.tea.pause
        case _:
            return 0
    return 0 if decision is None else decision.opened


def _signing(table: Table, move: Move) -> Signing:
    """How far the key that must have signed this move has signed."""
    stage = table.stage
    act = move.act
    if type(act) is Join:
        if type(stage) is Seating:
            return signing_of_key(stage, act.public_key)
        return Signing()
    place = _place(table, move.seat)
    if place.stand_in is None or isinstance(act, OF_THE_PLAYER):
        return place.signing
    return place.stand_in.signing


def signing_of_key(seating: Seating, public_key: bytes) -> Signing:
    """How far a key has signed at a table that has not started, seated or not."""
    for place in seating.places:
        if place is not None and place.public_key == public_key:
            return place.signing
    return dict(seating.former).get(public_key, Signing())


def _place(table: Table, seat: int) -> Place:
    stage = table.stage
    if type(stage) is Seating:
        place = stage.places[seat]
        if place is None:
            raise SeatIsFree(seat)
        return place
    if not table.places:
        raise WrongPhase(type(stage).__name__)
    return table.places[seat]
