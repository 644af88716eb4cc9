# SPDX-License-Identifier: Apache-2.0
"""The bytes of moves and events: what is signed, hashed and stored, read into the values of `events` and back.

A body is the one canonical spelling of its message (`canonical`), of at most so many bytes, and every field in it
is held to its bounds: lengths, seats, cards, known values, counts, a context that hangs together. So a value that
was read means something at every table; whether it may happen at this one is the table's to say. Of two things a
reader can be sure: `write_x(read_x(body))` is `body`, and what `write_x` has written `read_x` reads.

What is wrong raises a `Malformed` that names the field. `NotUnderstood` and `TooLong` are apart: the bytes may mean
something to a later version.

A move is signed as `MOVE_TYPE` by its player, an event as `EVENT_TYPE` by the house (`entry`). An event holds the
very bytes of the move that it logs, which are read with it.
"""

from __future__ import annotations

from typing import Any, Final

from hokm.canonical import (
    BY_SIDE,
    CARD,
    CONTEXT,
    FLAG,
    HASH,
    KEY,
    SEAT,
    SIDE,
    SUIT,
    TEXT,
    U32,
    U64,
    Field,
    Record,
    ascending,
    exactly,
    number,
    octets,
    one_of,
    optional,
    read_message,
    record,
    several,
    write_message,
)
from hokm.cards import PACK
from hokm.errors import Missing, NotUnderstood, OutOfRange, WrongLength
from hokm.events import (
    Act,
    Anchor,
    AnswerTea,
    AskTea,
    CallMiddle,
    Carried,
    CarriedSeat,
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
    Holder,
    Join,
    LayEarly,
    Leave,
    MiddleTurned,
    Move,
    NameTrump,
    PickUp,
    Play,
    Protest,
    ProtestOnly,
    ProtestReason,
    Ready,
    Reopened,
    Resign,
    Return,
    Reveal,
    RoundRevealed,
    Ruling,
    Run,
    SeatKind,
    SeatTaken,
    ServerFault,
    ServerFaultCause,
    SignedMove,
    StandInCause,
    StoodIn,
    TableOpened,
    TakeBack,
    TeaBegan,
    TeaEnded,
    TimedOut,
    UnturnedLay,
    VoidCause,
    WaitingTea,
)
from hokm.rules import TIMEOUT_POLICY, FirstHakem, HakemPasses, Packets, TableRules
from hokm.v1 import event_pb2, move_pb2, rules_pb2

MOVE_TYPE: Final = "application/vnd.hokm.move.v1+protobuf"
EVENT_TYPE: Final = "application/vnd.hokm.event.v1+protobuf"
HAND_TYPE: Final = "application/vnd.hokm.hand.v1+protobuf"
KEYS_TYPE: Final = "application/vnd.hokm.keys.v1+protobuf"

MOST_MOVE_BYTES: Final = 2048
MOST_EVENT_BYTES: Final = 16384


# Moves.


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


# Events.


def read_event(body: bytes) -> Event:
    """The event that these bytes are, the move or the stand-in's Join in it read too. Raises `Malformed`.

    No signature is looked at.
    """
    message = read_message(event_pb2.Event, body, MOST_EVENT_BYTES, "event")
    name = message.WhichOneof("content")
    if name is None:
        raise NotUnderstood("content", "it is not set")
    content: SignedMove | Ruling
    content = _read_signed(message.move) if name == "move" else _RULINGS[name].read(getattr(message, name))
    event = Event(message.table, message.version, message.previous, message.time_ms, content)
    _check_event(event)
    return event


def write_event(event: Event) -> bytes:
    """The bytes of an event: those that are signed, once. Raises what `read_event` would.

    Of a signed move the bytes are carried, and that they say what its `move` says is the caller's to see to.
    """
    _check_event(event)
    table, version, previous, time_ms, content = event
    named: dict[str, Any]
    if isinstance(content, SignedMove):
        named = {"move": _write_signed(content)}
    else:
        name = _RULING_NAMES[type(content)]
        named = {name: _RULINGS[name].write(content)}
    message = event_pb2.Event(table=table, version=version, previous=previous, time_ms=time_ms, **named)
    return write_message(message, MOST_EVENT_BYTES, "event")


def _check_event(event: Event) -> None:
    if len(event.table) != 16:
        raise WrongLength("table", len(event.table), 16)
    if len(event.previous) != 32:
        raise WrongLength("previous", len(event.previous), 32)


def _read_signed(message: event_pb2.SignedMove) -> SignedMove:
    body = message.move
    signature = message.signature
    if len(signature) != 64:
        raise WrongLength("signature", len(signature), 64)
    return SignedMove(read_move(body), body, signature)


def _write_signed(signed: SignedMove) -> event_pb2.SignedMove:
    if len(signed.signature) != 64:
        raise WrongLength("signature", len(signed.signature), 64)
    return event_pb2.SignedMove(move=signed.body, signature=signed.signature)


# Table rules.


def read_rules(body: bytes) -> TableRules:
    """The rules that these bytes are; nothing in them goes without saying. Raises `Malformed`."""
    message = read_message(rules_pb2.TableRules, body, MOST_EVENT_BYTES, "rules")
    if message.timeout_policy != TIMEOUT_POLICY:
        raise NotUnderstood("timeout_policy", f"only {TIMEOUT_POLICY} is known here")
    if not message.HasField("away_seconds"):
        raise Missing("away_seconds")
    return _RULES.read(message)


def write_rules(rules: TableRules) -> bytes:
    """The bytes of these rules: made once for a table, and hashed into every ceremony."""
    message = _RULES.write(rules)
    message.timeout_policy = TIMEOUT_POLICY
    return write_message(message, MOST_EVENT_BYTES, "rules")


_RULES: Final = record(
    TableRules,
    rules_pb2.TableRules,
    first_hakem=one_of(*FirstHakem),
    packets=one_of(*Packets),
    open_first_packet=FLAG,
    hakem_passes=one_of(*HakemPasses),
    target=U32,  # TableRules itself sees to these three
    turn_seconds=U32,
    away_seconds=U32,
    rated=FLAG,
    witnessed=FLAG,
    partners_middle=FLAG,
    coming_early=FLAG,
    runs=FLAG,
    tea=FLAG,
    throwing=FLAG,
    silent=FLAG,
)


# What the acts hold.

_PLAYS: Final = tuple(map(Play, PACK))


def _read_play(message: move_pb2.Play) -> Play:
    card = message.card
    return _PLAYS[card] if card < 52 else Play(CARD.read("card", card))


_JOINED: Final = one_of(SeatKind.PERSON, SeatKind.BOT)

_PROTEST: Final = record(Protest, move_pb2.Protest, ctx=CONTEXT, reason=one_of(*ProtestReason))

_ACTS: Final[dict[str, Record[Any]]] = {
    "play": record(Play, move_pb2.Play, card=CARD).read_by(_read_play),  # most of all moves
    "commit": record(Commit, move_pb2.Commit, commitment=HASH),
    "reveal": record(Reveal, move_pb2.Reveal, ctx=CONTEXT, commit_set=HASH),
    "name_trump": record(NameTrump, move_pb2.NameTrump, suit=SUIT),
    "join": record(Join, move_pb2.Join, kind=_JOINED, public_key=KEY, join_nonce=HASH),
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


# What the rulings hold.


def _read_table_opened(message: event_pb2.TableOpened) -> TableOpened:
    return TableOpened(
        HASH.read("server_nonce", message.server_nonce),
        read_rules(message.rules),
        message.rules,
        HASH.read("manifest_leaf", message.manifest_leaf),
        _TABLE_OR_NONE.read("rematch_of", message.rematch_of),
    )


def _write_table_opened(opened: TableOpened) -> event_pb2.TableOpened:
    return event_pb2.TableOpened(
        server_nonce=HASH.write("server_nonce", opened.server_nonce),
        rules=opened.rules_bytes,
        manifest_leaf=HASH.write("manifest_leaf", opened.manifest_leaf),
        rematch_of=_TABLE_OR_NONE.write("rematch_of", opened.rematch_of),
    )


def _read_timed_out(message: event_pb2.TimedOut) -> TimedOut:
    seat = SEAT.read("seat", message.seat)
    match message.WhichOneof("choice"):
        case "trump":
            return TimedOut(seat, trump=SUIT.read("trump", message.trump))
        case "card":
            return TimedOut(seat, card=CARD.read("card", message.card))
        case _:
            raise NotUnderstood("choice", "it is not set")


def _write_timed_out(timed_out: TimedOut) -> event_pb2.TimedOut:
    assert (timed_out.trump is None) != (timed_out.card is None)
    return event_pb2.TimedOut(
        seat=SEAT.write("seat", timed_out.seat),
        trump=optional(SUIT).write("trump", timed_out.trump),
        card=optional(CARD).write("card", timed_out.card),
    )


def _read_seat_number(name: str, message: event_pb2.SeatNumber) -> tuple[int, bytes]:
    return SEAT.read("seat", message.seat), HASH.read(name, message.number)


def _write_seat_number(name: str, value: tuple[int, bytes]) -> event_pb2.SeatNumber:
    seat, revealed = value
    return event_pb2.SeatNumber(seat=SEAT.write("seat", seat), number=HASH.write(name, revealed))


_TABLE_OR_NONE: Final = octets(16, or_none=True)
_SIGNED: Final = Field(
    lambda name, message: _read_signed(message), lambda name, signed: _write_signed(signed), has_presence=True
)
_SEATS: Final = ascending(several(SEAT, 0, 4))
_NUMBERS: Final = exactly(5, HASH)

_SEAT_TAKEN: Final = record(SeatTaken, event_pb2.SeatTaken, kind=_JOINED, public_key=KEY, join_nonce=HASH)
_HOLDER: Final = record(Holder, event_pb2.Holder, kind=one_of(*SeatKind), public_key=KEY)
_ANCHOR: Final = record(Anchor, event_pb2.Anchor, size=U64, root=HASH)
_RECEIVED: Final = ascending(several(Field(_read_seat_number, _write_seat_number), 0, 4), by=lambda pair: pair[0])

_UNTURNED: Final = record(UnturnedLay, event_pb2.UnturnedLay, seat=SEAT, trick=number(1, 13), card=CARD, salt=HASH)
_LAYS: Final = several(_UNTURNED.field(), 0, 3 * 3 * 13)  # three lays of three seats in each trick (H2)
_TEA: Final = record(WaitingTea, event_pb2.WaitingTea, seat=SEAT, version=U64, time_ms=U64, yes=_SEATS)
_CARRIED_SEAT: Final = record(
    CarriedSeat,
    event_pb2.CarriedSeat,
    absent=FLAG,
    left=FLAG,
    stand_in_key=octets(32, or_none=True),
    missed=U32,
    tea_asked=FLAG,
    player_moves=U32,
    stand_in_moves=U32,
)
_CARRIED: Final = record(
    Carried,
    event_pb2.Carried,
    seats=exactly(4, _CARRIED_SEAT.field()),
    faults=BY_SIDE,
    tea=optional(_TEA.field()),
)

_RULINGS: Final[dict[str, Record[Any]]] = {
    "table_opened": Record(TableOpened, _read_table_opened, _write_table_opened),
    "game_started": record(GameStarted, event_pb2.GameStarted, game_id=HASH, seats=exactly(4, _SEAT_TAKEN.field())),
    "ceremony_opened": record(
        CeremonyOpened,
        event_pb2.CeremonyOpened,
        ctx=CONTEXT,
        hakem=optional(SEAT),
        score=BY_SIDE,
        rules_hash=HASH,
        holders=exactly(4, _HOLDER.field()),
        house_commitment=HASH,
        anchor=_ANCHOR.field(),
    ),
    "commit_set_closed": record(CommitSetClosed, event_pb2.CommitSetClosed, commit_set=HASH),
    "commit_set_witnessed": record(
        CommitSetWitnessed,
        event_pb2.CommitSetWitnessed,
        checkpoint=TEXT,
        index=U64,
        inclusion=several(HASH, 0, 63),
    ),
    "ceremony_voided": record(
        CeremonyVoided,
        event_pb2.CeremonyVoided,
        cause=one_of(*VoidCause),
        seats=_SEATS,
        house_number=HASH,
        numbers=_RECEIVED,
    ),
    "hakem_drawn": record(HakemDrawn, event_pb2.HakemDrawn, numbers=_NUMBERS, hakem=SEAT),
    "dealt": record(Dealt, event_pb2.Dealt),
    "middle_turned": record(MiddleTurned, event_pb2.MiddleTurned, card=CARD),
    "early_turned": record(EarlyTurned, event_pb2.EarlyTurned, seat=SEAT, card=CARD, salt=HASH),
    "timed_out": Record(TimedOut, _read_timed_out, _write_timed_out),
    "stood_in": record(StoodIn, event_pb2.StoodIn, seat=SEAT, join=_SIGNED, cause=one_of(*StandInCause)),
    "reopened": record(Reopened, event_pb2.Reopened, seats=_SEATS),
    "tea_began": record(TeaBegan, event_pb2.TeaBegan),
    "tea_ended": record(TeaEnded, event_pb2.TeaEnded),
    "round_revealed": record(
        RoundRevealed,
        event_pb2.RoundRevealed,
        numbers=_NUMBERS,
        unturned=_LAYS,
        winner=optional(SIDE),
        tricks=BY_SIDE,
        points=number(0, 3),
        score=BY_SIDE,
        next_hakem=optional(SEAT),
        carried=_CARRIED.field(),
    ),
    "game_ended": record(GameEnded, event_pb2.GameEnded, cause=one_of(*GameEndCause), winner=optional(SIDE)),
    "server_fault": record(
        ServerFault,
        event_pb2.ServerFault,
        cause=one_of(*ServerFaultCause),
        numbers=exactly(5, HASH, or_none=True),
        unturned=_LAYS,
        seats=_SEATS,
        house_number=octets(32, or_none=True),
        received=_RECEIVED,
    ),
}
_RULING_NAMES: Final[dict[type[Ruling], str]] = {ruling.kind: name for name, ruling in _RULINGS.items()}
