# SPDX-License-Identifier: Apache-2.0
"""What the rulings hold: the fields of each, in bounds."""

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
    record,
    several,
)
from hokm.errors import NotUnderstood
from hokm.events import (
    Anchor,
    Carried,
    CarriedSeat,
    CeremonyOpened,
    CeremonyVoided,
    CommitSetClosed,
    CommitSetWitnessed,
    Dealt,
    EarlyTurned,
    GameEndCause,
    GameEnded,
    GameStarted,
    HakemDrawn,
    Holder,
    MiddleTurned,
    Reopened,
    RoundRevealed,
    Ruling,
    SeatKind,
    SeatTaken,
    ServerFault,
    ServerFaultCause,
    StandInCause,
    StoodIn,
    TableOpened,
    TeaBegan,
    TeaEnded,
    TimedOut,
    UnturnedLay,
    VoidCause,
    WaitingTea,
)
from hokm.v1 import event_pb2
from hokm.wire.moves import JOINED, read_signed, write_signed
from hokm.wire.rules import read_rules


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
    lambda name, message: read_signed(message), lambda name, signed: write_signed(signed), has_presence=True
)
_SEATS: Final = ascending(several(SEAT, 0, 4))
_NUMBERS: Final = exactly(5, HASH)

_SEAT_TAKEN: Final = record(SeatTaken, event_pb2.SeatTaken, kind=JOINED, public_key=KEY, join_nonce=HASH)
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

RULINGS: Final[dict[str, Record[Any]]] = {
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
"""By the name of its field in an event."""

RULING_NAMES: Final[dict[type[Ruling], str]] = {ruling.kind: name for name, ruling in RULINGS.items()}
"""That name."""
