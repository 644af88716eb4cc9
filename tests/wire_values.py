# SPDX-License-Identifier: Apache-2.0
"""Hypothesis strategies for everything that has bytes: each act, move, ruling, event, rules, note and manifest."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from hokm.deal import Context, Purpose
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
from hokm.hand import HandNote
from hokm.keys import KeyManifest
from hokm.rules import FirstHakem, HakemPasses, Packets, TableRules
from hokm.wire import write_move, write_rules


def octets(length: int) -> st.SearchStrategy[bytes]:
    return st.binary(min_size=length, max_size=length)


def several(items: st.SearchStrategy[Any], least: int, most: int, **options: Any) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(items, min_size=least, max_size=most, **options).map(tuple)


U32 = st.integers(0, 2**32 - 1) | st.integers(0, 300)
U64 = st.integers(0, 2**64 - 1) | st.integers(0, 300)
SEAT = st.integers(0, 3)
SIDE = st.integers(0, 1)
CARD = st.integers(0, 51)
HASH = octets(32)
BY_SIDE = st.tuples(U32, U32)
NUMBERS = several(HASH, 5, 5)
SEATS = st.sets(SEAT).map(lambda seats: tuple(sorted(seats)))
JOINED = st.sampled_from([SeatKind.PERSON, SeatKind.BOT])
DEAL_CTX = st.builds(
    lambda *parts: Context(*parts).to_bytes(), HASH, st.just(Purpose.DEAL), st.integers(1, 2**32 - 1), U32
)
DRAW_CTX = st.builds(lambda *parts: Context(*parts).to_bytes(), HASH, st.just(Purpose.DRAW), st.just(0), U32)
CTX = DEAL_CTX | DRAW_CTX

TURN_AND_AWAY = st.integers(1, 3600).flatmap(
    lambda turn: st.tuples(st.just(turn), st.just(0) | st.integers(0, (turn - 1) // 2))
)
FLAGS = ("open_first_packet", "rated", "witnessed", "partners_middle", "coming_early", "runs", "tea")


@st.composite
def table_rules(draw: st.DrawFn) -> TableRules:
    turn, away = draw(TURN_AND_AWAY)
    throwing, silent = draw(st.sampled_from([(False, False), (True, False), (False, True)]))
    return TableRules(
        first_hakem=draw(st.sampled_from(FirstHakem)),
        packets=draw(st.sampled_from(Packets)),
        hakem_passes=draw(st.sampled_from(HakemPasses)),
        target=draw(st.sampled_from([7, 5, 3])),
        turn_seconds=turn,
        away_seconds=away,
        throwing=throwing,
        silent=silent,
        **draw(st.fixed_dictionaries(dict.fromkeys(FLAGS, st.booleans()))),
    )


# Moves.

ACTS: dict[type[Act], st.SearchStrategy[Any]] = {
    Play: st.builds(Play, CARD),
    Commit: st.builds(Commit, HASH),
    Reveal: st.builds(Reveal, CTX, HASH),
    NameTrump: st.builds(NameTrump, st.integers(0, 3)),
    Join: st.builds(Join, JOINED, HASH, HASH),
    Leave: st.builds(Leave),
    Return: st.builds(Return),
    Resign: st.builds(Resign),
    ProtestOnly: st.builds(ProtestOnly),
    CallMiddle: st.builds(CallMiddle),
    PickUp: st.builds(PickUp),
    LayEarly: st.builds(LayEarly, HASH, st.booleans()),
    TakeBack: st.builds(TakeBack),
    Run: st.builds(Run, several(CARD, 2, 13)),
    AskTea: st.builds(AskTea),
    AnswerTea: st.builds(AnswerTea, st.booleans()),
    Ready: st.builds(Ready),
}
PROTEST = st.builds(Protest, CTX, st.sampled_from(ProtestReason))


def moves(act: st.SearchStrategy[Any] = st.one_of(*ACTS.values())) -> st.SearchStrategy[Move]:  # noqa: B008
    return st.builds(Move, HASH, U32, U32, SEAT, U32, U64, HASH, st.none() | PROTEST, act)


def signed(move: st.SearchStrategy[Move]) -> st.SearchStrategy[SignedMove]:
    return st.builds(lambda move, signature: SignedMove(move, write_move(move), signature), move, octets(64))


# Rulings.

RECEIVED = st.dictionaries(SEAT, HASH).map(lambda numbers: tuple(sorted(numbers.items())))
LAYS = several(st.builds(UnturnedLay, SEAT, st.integers(1, 13), CARD, HASH), 0, 4)
CARRIED_SEAT = st.builds(CarriedSeat, st.booleans(), st.booleans(), st.just(b"") | HASH, U32, st.booleans(), U32, U32)
CARRIED = st.builds(
    Carried, several(CARRIED_SEAT, 4, 4), BY_SIDE, st.none() | st.builds(WaitingTea, SEAT, U64, U64, SEATS)
)

RULINGS: dict[type[Ruling], st.SearchStrategy[Any]] = {
    TableOpened: st.builds(
        lambda nonce, rules, leaf, old: TableOpened(nonce, rules, write_rules(rules), leaf, old),
        HASH,
        table_rules(),
        HASH,
        st.just(b"") | octets(16),
    ),
    GameStarted: st.builds(GameStarted, HASH, several(st.builds(SeatTaken, JOINED, HASH, HASH), 4, 4)),
    CeremonyOpened: st.builds(
        CeremonyOpened,
        CTX,
        st.none() | SEAT,
        BY_SIDE,
        HASH,
        several(st.builds(Holder, st.sampled_from(SeatKind), HASH), 4, 4),
        HASH,
        st.builds(Anchor, U64, HASH),
    ),
    CommitSetClosed: st.builds(CommitSetClosed, HASH),
    CommitSetWitnessed: st.builds(CommitSetWitnessed, st.text(min_size=1, max_size=300), U64, several(HASH, 0, 63)),
    CeremonyVoided: st.builds(
        CeremonyVoided,
        st.sampled_from(VoidCause),
        SEATS,
        HASH,
        RECEIVED,
    ),
    HakemDrawn: st.builds(HakemDrawn, NUMBERS, SEAT),
    Dealt: st.builds(Dealt),
    MiddleTurned: st.builds(MiddleTurned, CARD),
    EarlyTurned: st.builds(EarlyTurned, SEAT, CARD, HASH),
    TimedOut: st.builds(TimedOut, SEAT, st.integers(0, 3), st.none()) | st.builds(TimedOut, SEAT, st.none(), CARD),
    StoodIn: st.builds(StoodIn, SEAT, signed(moves(ACTS[Join])), st.sampled_from(StandInCause)),
    Reopened: st.builds(Reopened, SEATS),
    TeaBegan: st.builds(TeaBegan),
    TeaEnded: st.builds(TeaEnded),
    RoundRevealed: st.builds(
        RoundRevealed,
        NUMBERS,
        LAYS,
        st.none() | SIDE,
        BY_SIDE,
        st.integers(0, 3),
        BY_SIDE,
        st.none() | SEAT,
        CARRIED,
    ),
    GameEnded: st.builds(GameEnded, st.sampled_from(GameEndCause), st.none() | SIDE),
    ServerFault: st.builds(
        ServerFault,
        st.sampled_from(ServerFaultCause),
        st.just(()) | NUMBERS,
        LAYS,
        SEATS,
        st.just(b"") | HASH,
        RECEIVED,
    ),
}

CONTENTS: dict[type, st.SearchStrategy[Any]] = {**RULINGS, SignedMove: signed(moves())}


def events(content: st.SearchStrategy[Any] = st.one_of(*CONTENTS.values())) -> st.SearchStrategy[Event]:  # noqa: B008
    return st.builds(Event, octets(16), U64, HASH, U64, content)


# Notes and manifests.


@st.composite
def hand_notes(draw: st.DrawFn) -> HandNote:
    packet = draw(st.integers(1, 3))
    count = draw(st.sampled_from([packets.sizes[packet - 1] for packets in Packets]))
    cards = draw(several(CARD, count, count, unique=True))
    return HandNote(draw(DEAL_CTX), draw(SEAT), packet, cards, draw(U64), draw(HASH))


@st.composite
def manifests(draw: st.DrawFn) -> KeyManifest:
    event_key, log_key, *others = draw(st.lists(HASH, min_size=2, max_size=6, unique=True))
    revoked = draw(st.integers(0, len(others)))
    version = draw(U64)
    return KeyManifest(
        version,
        draw(HASH) if version else bytes(32),
        draw(U64),
        draw(st.text("abcxyz./-09:_", min_size=1, max_size=255)),
        event_key,
        log_key,
        tuple(others[revoked:]),
        draw(HASH),
        tuple(others[:revoked]),
    )
