# SPDX-License-Identifier: Apache-2.0
"""The bytes of moves, and the moves with their signatures that stand in events."""

from __future__ import annotations

from typing import Any, Final

from hokm.canonical import (
    CARD,
    CONTEXT,
    FLAG,
    HASH,
    KEY,
    SUIT,
    Record,
    one_of,
    read_message,
    record,
    several,
    write_message,
)
from hokm.cards import PACK
from hokm.errors import NotUnderstood, OutOfRange, WrongLength
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
    Protest,
    ProtestOnly,
    ProtestReason,
    Ready,
    Resign,
    Return,
    Reveal,
    Run,
    SeatKind,
    SignedMove,
    TakeBack,
)
from hokm.v1 import event_pb2, move_pb2
from hokm.wire.types import MOST_MOVE_BYTES


def read_move(body: bytes) -> Move:
    """The move that these bytes are. Raises `Malformed`."""
    message = read_message(move_pb2.Move, body, MOST_MOVE_BYTES, "move")
    name = message.WhichOneof("act")
    if name is None:
        raise NotUnderstood("act", "it is not set")
    move = Move(
        message.game_id,
        message.round,
        message.attempt,
        message.seat,
        message.number,
        message.seen_version,
        message.seen_hash,
        _PROTEST.read(message.protest) if message.HasField("protest") else None,
        _ACTS[name].read(getattr(message, name)),
    )
    _check_move(move)
    return move


def write_move(move: Move) -> bytes:
    """The bytes of a move: those that are signed, once. Raises what `read_move` would."""
    _check_move(move)
    named: dict[str, Any] = move._asdict()
    act = named.pop("act")
    named["protest"] = None if move.protest is None else _PROTEST.write(move.protest)
    name = _ACT_NAMES[type(act)]
    return write_message(move_pb2.Move(**named, **{name: _ACTS[name].write(act)}), MOST_MOVE_BYTES, "move")


def _check_move(move: Move) -> None:
    """The bounds of the fields that are of the move itself; not by `Field`, because there are so many moves."""
    if len(move.game_id) != 32:
        raise WrongLength("game_id", len(move.game_id), 32)
    if not 0 <= move.seat <= 3:
        raise OutOfRange("seat", move.seat, 0, 3)
    if len(move.seen_hash) != 32:
        raise WrongLength("seen_hash", len(move.seen_hash), 32)


def read_signed(message: event_pb2.SignedMove) -> SignedMove:
    """The signed move in an event, its move read too. Raises `Malformed`; the signature is not verified."""
    body = message.move
    signature = message.signature
    if len(signature) != 64:
        raise WrongLength("signature", len(signature), 64)
    return SignedMove(read_move(body), body, signature)


def write_signed(signed: SignedMove) -> event_pb2.SignedMove:
    """The message of a signed move, its very bytes. Raises `WrongLength`."""
    if len(signed.signature) != 64:
        raise WrongLength("signature", len(signed.signature), 64)
    return event_pb2.SignedMove(move=signed.body, signature=signed.signature)


# What the acts hold.

_PLAYS: Final = tuple(map(Play, PACK))


def _read_play(message: move_pb2.Play) -> Play:
    card = message.card
    return _PLAYS[card] if card < 52 else Play(CARD.read("card", card))


JOINED: Final = one_of(SeatKind.PERSON, SeatKind.BOT)
"""Who may join a seat."""

_PROTEST: Final = record(Protest, move_pb2.Protest, ctx=CONTEXT, reason=one_of(*ProtestReason))

_ACTS: Final[dict[str, Record[Any]]] = {
    "play": record(Play, move_pb2.Play, card=CARD).read_by(_read_play),  # most of all moves
    "commit": record(Commit, move_pb2.Commit, commitment=HASH),
    "reveal": record(Reveal, move_pb2.Reveal, ctx=CONTEXT, commit_set=HASH),
    "name_trump": record(NameTrump, move_pb2.NameTrump, suit=SUIT),
    "join": record(Join, move_pb2.Join, kind=JOINED, public_key=KEY, join_nonce=HASH),
    "leave": record(Leave, move_pb2.Leave),
    "return_to_seat": record(Return, move_pb2.Return),
    "resign": record(Resign, move_pb2.Resign),
    "protest_only": record(ProtestOnly, move_pb2.ProtestOnly),
    "call_middle": record(CallMiddle, move_pb2.CallMiddle),
    "pick_up": record(PickUp, move_pb2.PickUp),
    "lay_early": record(LayEarly, move_pb2.LayEarly, commitment=HASH, open_middle=FLAG),
    "take_back": record(TakeBack, move_pb2.TakeBack),
    "run": record(Run, move_pb2.Run, cards=several(CARD, 2, 13)),
    "ask_tea": record(AskTea, move_pb2.AskTea),
    "answer_tea": record(AnswerTea, move_pb2.AnswerTea, yes=FLAG),
    "ready": record(Ready, move_pb2.Ready),
}
_ACT_NAMES: Final[dict[type[Act], str]] = {act.kind: name for name, act in _ACTS.items()}
