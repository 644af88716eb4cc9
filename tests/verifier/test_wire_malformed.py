# SPDX-License-Identifier: Apache-2.0
"""Moves, events and rules that are malformed: one field at a time, and the error names it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from hokm.deal import Context, Purpose
from hokm.errors import Malformed
from hokm.events import Event, Move, SignedMove, TableOpened
from hokm.rules import PRESETS
from hokm.v1 import event_pb2, move_pb2, rules_pb2
from hokm.wire import read_event, read_move, read_rules, write_event, write_move, write_rules
from tests import wire_values
from tests.wire_walker import respellings

HASH = bytes(range(32))
CTX = Context(HASH, Purpose.DEAL, 1, 0).to_bytes()


def move_message() -> move_pb2.Move:
    return move_pb2.Move(
        game_id=HASH, round=1, attempt=2, seat=3, number=4, seen_version=5, seen_hash=HASH, play=move_pb2.Play(card=51)
    )


def rules_message() -> rules_pb2.TableRules:
    return rules_pb2.TableRules.FromString(write_rules(PRESETS["house"]))


def event_message(**content: Any) -> event_pb2.Event:
    return event_pb2.Event(table=bytes(16), version=9, previous=HASH, time_ms=10, **content)


def join_message() -> event_pb2.SignedMove:
    join = move_pb2.Join(kind=rules_pb2.SEAT_KIND_BOT, public_key=HASH, join_nonce=HASH)
    move = move_message()
    move.join.CopyFrom(join)
    return event_pb2.SignedMove(move=move.SerializeToString(), signature=bytes(64))


def content_message(name: str) -> event_pb2.Event:
    """An event with this content, well-formed."""
    hashes = [HASH] * 5
    carried = event_pb2.Carried(
        seats=[event_pb2.CarriedSeat()] * 4,
        faults=[0, 1],
        tea=event_pb2.WaitingTea(seat=1, version=2, time_ms=3, yes=[0, 2]),
    )
    lay = event_pb2.UnturnedLay(seat=1, trick=13, card=51, salt=HASH)
    contents: dict[str, Any] = {
        "move": event_pb2.SignedMove(move=move_message().SerializeToString(), signature=bytes(64)),
        "table_opened": event_pb2.TableOpened(
            server_nonce=HASH, rules=rules_message().SerializeToString(), manifest_leaf=HASH, rematch_of=bytes(16)
        ),
        "game_started": event_pb2.GameStarted(
            game_id=HASH,
            seats=[event_pb2.SeatTaken(kind=rules_pb2.SEAT_KIND_PERSON, public_key=HASH, join_nonce=HASH)] * 4,
        ),
        "ceremony_opened": event_pb2.CeremonyOpened(
            ctx=CTX,
            hakem=0,
            score=[0, 6],
            rules_hash=HASH,
            holders=[event_pb2.Holder(kind=rules_pb2.SEAT_KIND_STAND_IN, public_key=HASH)] * 4,
            house_commitment=HASH,
            anchor=event_pb2.Anchor(size=0, root=HASH),
        ),
        "commit_set_closed": event_pb2.CommitSetClosed(commit_set=HASH),
        "commit_set_witnessed": event_pb2.CommitSetWitnessed(checkpoint="x", index=1, inclusion=[HASH]),
        "ceremony_voided": event_pb2.CeremonyVoided(
            cause=event_pb2.VOID_CAUSE_NO_NUMBER,
            seats=[0, 3],
            house_number=HASH,
            numbers=[event_pb2.SeatNumber(seat=1, number=HASH)],
        ),
        "hakem_drawn": event_pb2.HakemDrawn(numbers=hashes, hakem=3),
        "middle_turned": event_pb2.MiddleTurned(card=51),
        "early_turned": event_pb2.EarlyTurned(seat=3, card=51, salt=HASH),
        "timed_out": event_pb2.TimedOut(seat=3, trump=3),
        "stood_in": event_pb2.StoodIn(seat=3, join=join_message(), cause=event_pb2.STAND_IN_CAUSE_NO_SIGN),
        "reopened": event_pb2.Reopened(seats=[0, 1, 2, 3]),
        "round_revealed": event_pb2.RoundRevealed(
            numbers=hashes, unturned=[lay], winner=1, tricks=[7, 0], points=3, score=[3, 0], carried=carried
        ),
        "game_ended": event_pb2.GameEnded(cause=event_pb2.GAME_END_CAUSE_ABANDONED, winner=1),
        "server_fault": event_pb2.ServerFault(
            cause=event_pb2.SERVER_FAULT_CAUSE_NO_WITNESS, numbers=hashes, unturned=[lay]
        ),
    }
    return event_message(**{name: contents[name]})


Alter = Callable[[Any], object]


def assigned(path: str, value: Any) -> Alter:
    """Set the field at this dotted path; a number in it is a place in a list."""

    def alter(message: Any) -> None:
        *way, last = path.split(".")
        for step in way:
            message = message[int(step)] if step.isdigit() else getattr(message, step)
        if last.isdigit():
            message[int(last)] = value
        elif isinstance(value, list):
            del getattr(message, last)[:]
            getattr(message, last).extend(value)
        elif value is None:
            message.ClearField(last)
        else:
            setattr(message, last, value)

    alter.__name__ = f"{path}={value if not isinstance(value, bytes) else len(value)}"
    return alter


SHORT, LONG = bytes(range(31)), bytes(range(33))

BAD_MOVES: list[tuple[Alter, str, str]] = [
    (assigned("game_id", SHORT), "WRONG_LENGTH", "game_id"),
    (assigned("game_id", None), "WRONG_LENGTH", "game_id"),
    (assigned("seat", 4), "OUT_OF_RANGE", "seat"),
    (assigned("seen_hash", LONG), "WRONG_LENGTH", "seen_hash"),
    (assigned("play", None), "NOT_UNDERSTOOD", "act"),
    (assigned("play.card", 52), "OUT_OF_RANGE", "card"),
    (assigned("play.card", 2**32 - 1), "OUT_OF_RANGE", "card"),
    (assigned("commit.commitment", SHORT), "WRONG_LENGTH", "commitment"),
    (lambda move: move.reveal.MergeFrom(move_pb2.Reveal(ctx=CTX[:40], commit_set=HASH)), "WRONG_LENGTH", "ctx"),
    (lambda move: move.reveal.MergeFrom(move_pb2.Reveal(ctx=CTX, commit_set=LONG)), "WRONG_LENGTH", "commit_set"),
    (assigned("name_trump.suit", 4), "OUT_OF_RANGE", "suit"),
    (lambda move: move.join.MergeFrom(move_pb2.Join(public_key=HASH, join_nonce=HASH)), "NOT_UNDERSTOOD", "kind"),
    (assigned("join.kind", 3), "OUT_OF_RANGE", "kind"),
    (assigned("join.kind", 4), "NOT_UNDERSTOOD", "kind"),
    (assigned("join.kind", -1), "NOT_UNDERSTOOD", "kind"),
    (assigned("join.kind", 1), "WRONG_LENGTH", "public_key"),
    (
        lambda move: move.join.MergeFrom(move_pb2.Join(kind=rules_pb2.SEAT_KIND_PERSON, public_key=HASH)),
        "WRONG_LENGTH",
        "join_nonce",
    ),
    (assigned("lay_early.open_middle", True), "WRONG_LENGTH", "commitment"),
    (assigned("run.cards", [12]), "OUT_OF_RANGE", "count of cards"),
    (assigned("run.cards", [*range(14)]), "OUT_OF_RANGE", "count of cards"),
    (assigned("run.cards", [12, 52]), "OUT_OF_RANGE", "cards[1]"),
    (assigned("protest.reason", 1), "WRONG_LENGTH", "ctx"),
    (assigned("protest.ctx", CTX), "NOT_UNDERSTOOD", "reason"),
    (lambda move: move.protest.MergeFrom(move_pb2.Protest(ctx=CTX, reason=8)), "NOT_UNDERSTOOD", "reason"),  # type: ignore[arg-type]
    (assigned("protest.ctx", HASH + bytes([3]) + CTX[33:]), "OUT_OF_RANGE", "purpose"),
    (assigned("protest.ctx", HASH + bytes([1]) + CTX[33:]), "ROUND_NOT_OF_PURPOSE", "draw"),
    (assigned("protest.ctx", HASH + bytes([2]) + bytes(8)), "ROUND_NOT_OF_PURPOSE", "deal"),
]

BAD_RULES: list[tuple[Alter, str, str]] = [
    (assigned("first_hakem", None), "NOT_UNDERSTOOD", "first_hakem"),
    (assigned("first_hakem", 3), "NOT_UNDERSTOOD", "first_hakem"),
    (assigned("packets", None), "NOT_UNDERSTOOD", "packets"),
    (assigned("packets", 3), "NOT_UNDERSTOOD", "packets"),
    (assigned("hakem_passes", None), "NOT_UNDERSTOOD", "hakem_passes"),
    (assigned("hakem_passes", 3), "NOT_UNDERSTOOD", "hakem_passes"),
    (assigned("target", None), "NOT_A_TARGET", "0"),
    (assigned("target", 6), "NOT_A_TARGET", "6"),
    (assigned("turn_seconds", None), "OUT_OF_RANGE", "turn_seconds"),
    (assigned("turn_seconds", 3601), "OUT_OF_RANGE", "turn_seconds"),
    (assigned("away_seconds", None), "MISSING", "away_seconds"),
    (assigned("away_seconds", 15), "AWAY_NOT_BELOW_HALF_TURN", "15"),
    (assigned("silent", True), "THROWING_WHILE_SILENT", ""),
    (assigned("timeout_policy", None), "NOT_UNDERSTOOD", "timeout_policy"),
    (assigned("timeout_policy", "timeout-2"), "NOT_UNDERSTOOD", "timeout_policy"),
]

BAD_EVENTS: list[tuple[str, Alter, str, str]] = [
    ("move", assigned("table", bytes(15)), "WRONG_LENGTH", "table"),
    ("move", assigned("previous", SHORT), "WRONG_LENGTH", "previous"),
    ("move", assigned("move", None), "NOT_UNDERSTOOD", "content"),
    ("move", assigned("move.signature", bytes(63)), "WRONG_LENGTH", "signature"),
    ("move", assigned("move.move", b""), "NOT_UNDERSTOOD", "act"),
    ("move", assigned("move.move", b"\x10\x00"), "NOT_CANONICAL", "move"),
    ("move", assigned("move.move", bytes(2049)), "TOO_LONG", "move"),
    ("table_opened", assigned("table_opened.server_nonce", SHORT), "WRONG_LENGTH", "server_nonce"),
    ("table_opened", assigned("table_opened.rules", None), "NOT_UNDERSTOOD", "timeout_policy"),
    ("table_opened", assigned("table_opened.rules", b"\x08\x00"), "NOT_CANONICAL", "rules"),
    ("table_opened", assigned("table_opened.manifest_leaf", LONG), "WRONG_LENGTH", "manifest_leaf"),
    ("table_opened", assigned("table_opened.rematch_of", bytes(15)), "WRONG_LENGTH", "rematch_of"),
    ("game_started", assigned("game_started.game_id", None), "WRONG_LENGTH", "game_id"),
    ("game_started", lambda event: event.game_started.seats.pop(), "WRONG_LENGTH", "seats"),
    ("game_started", assigned("game_started.seats.3.kind", 3), "OUT_OF_RANGE", "kind"),
    ("game_started", assigned("game_started.seats.1.public_key", SHORT), "WRONG_LENGTH", "public_key"),
    ("game_started", assigned("game_started.seats.1.join_nonce", SHORT), "WRONG_LENGTH", "join_nonce"),
    ("ceremony_opened", assigned("ceremony_opened.ctx", CTX + b"\0"), "WRONG_LENGTH", "ctx"),
    ("ceremony_opened", assigned("ceremony_opened.hakem", 4), "OUT_OF_RANGE", "hakem"),
    ("ceremony_opened", assigned("ceremony_opened.score", [1]), "WRONG_LENGTH", "score"),
    ("ceremony_opened", assigned("ceremony_opened.score", []), "WRONG_LENGTH", "score"),
    ("ceremony_opened", assigned("ceremony_opened.rules_hash", SHORT), "WRONG_LENGTH", "rules_hash"),
    ("ceremony_opened", lambda event: event.ceremony_opened.holders.add(), "WRONG_LENGTH", "holders"),
    ("ceremony_opened", assigned("ceremony_opened.holders.0.kind", 0), "NOT_UNDERSTOOD", "kind"),
    ("ceremony_opened", assigned("ceremony_opened.holders.0.public_key", LONG), "WRONG_LENGTH", "public_key"),
    ("ceremony_opened", assigned("ceremony_opened.house_commitment", LONG), "WRONG_LENGTH", "house_commitment"),
    ("ceremony_opened", assigned("ceremony_opened.anchor", None), "MISSING", "anchor"),
    ("ceremony_opened", assigned("ceremony_opened.anchor.root", SHORT), "WRONG_LENGTH", "root"),
    ("commit_set_closed", assigned("commit_set_closed.commit_set", SHORT), "WRONG_LENGTH", "commit_set"),
    ("commit_set_witnessed", assigned("commit_set_witnessed.checkpoint", None), "MISSING", "checkpoint"),
    ("commit_set_witnessed", assigned("commit_set_witnessed.inclusion.0", LONG), "WRONG_LENGTH", "inclusion[0]"),
    (
        "commit_set_witnessed",
        assigned("commit_set_witnessed.inclusion", [HASH] * 64),
        "OUT_OF_RANGE",
        "count of inclusion",
    ),
    ("ceremony_voided", assigned("ceremony_voided.cause", None), "NOT_UNDERSTOOD", "cause"),
    ("ceremony_voided", assigned("ceremony_voided.cause", 3), "NOT_UNDERSTOOD", "cause"),
    ("ceremony_voided", assigned("ceremony_voided.seats", [1, 0]), "NOT_ASCENDING", "seats"),
    ("ceremony_voided", assigned("ceremony_voided.seats", [1, 1]), "NOT_ASCENDING", "seats"),
    ("ceremony_voided", assigned("ceremony_voided.seats", [4]), "OUT_OF_RANGE", "seats[0]"),
    ("ceremony_voided", assigned("ceremony_voided.house_number", None), "WRONG_LENGTH", "house_number"),
    ("ceremony_voided", assigned("ceremony_voided.numbers.0.seat", 4), "OUT_OF_RANGE", "seat"),
    ("ceremony_voided", assigned("ceremony_voided.numbers.0.number", SHORT), "WRONG_LENGTH", "numbers[0]"),
    (
        "ceremony_voided",
        lambda event: event.ceremony_voided.numbers.add(seat=0, number=HASH),
        "NOT_ASCENDING",
        "numbers",
    ),
    ("hakem_drawn", assigned("hakem_drawn.numbers", [HASH] * 4), "WRONG_LENGTH", "numbers"),
    ("hakem_drawn", assigned("hakem_drawn.numbers.4", SHORT), "WRONG_LENGTH", "numbers[4]"),
    ("hakem_drawn", assigned("hakem_drawn.hakem", 4), "OUT_OF_RANGE", "hakem"),
    ("middle_turned", assigned("middle_turned.card", 52), "OUT_OF_RANGE", "card"),
    ("early_turned", assigned("early_turned.seat", 4), "OUT_OF_RANGE", "seat"),
    ("early_turned", assigned("early_turned.card", 52), "OUT_OF_RANGE", "card"),
    ("early_turned", assigned("early_turned.salt", LONG), "WRONG_LENGTH", "salt"),
    ("timed_out", assigned("timed_out.seat", 4), "OUT_OF_RANGE", "seat"),
    ("timed_out", assigned("timed_out.trump", None), "NOT_UNDERSTOOD", "choice"),
    ("timed_out", assigned("timed_out.trump", 4), "OUT_OF_RANGE", "trump"),
    ("timed_out", assigned("timed_out.card", 52), "OUT_OF_RANGE", "card"),
    ("stood_in", assigned("stood_in.seat", 4), "OUT_OF_RANGE", "seat"),
    ("stood_in", assigned("stood_in.join", None), "MISSING", "join"),
    ("stood_in", assigned("stood_in.join.signature", None), "WRONG_LENGTH", "signature"),
    ("stood_in", assigned("stood_in.join.move", b"\xff"), "NOT_CANONICAL", "move"),
    ("stood_in", assigned("stood_in.cause", 0), "NOT_UNDERSTOOD", "cause"),
    ("stood_in", assigned("stood_in.cause", 6), "NOT_UNDERSTOOD", "cause"),
    ("reopened", assigned("reopened.seats", [0, 2, 1]), "NOT_ASCENDING", "seats"),
    ("reopened", assigned("reopened.seats", [0, 0, 0, 0, 0]), "OUT_OF_RANGE", "count of seats"),
    ("round_revealed", assigned("round_revealed.numbers", []), "WRONG_LENGTH", "numbers"),
    ("round_revealed", assigned("round_revealed.unturned.0.seat", 4), "OUT_OF_RANGE", "seat"),
    ("round_revealed", assigned("round_revealed.unturned.0.trick", 0), "OUT_OF_RANGE", "trick"),
    ("round_revealed", assigned("round_revealed.unturned.0.trick", 14), "OUT_OF_RANGE", "trick"),
    ("round_revealed", assigned("round_revealed.unturned.0.card", 52), "OUT_OF_RANGE", "card"),
    ("round_revealed", assigned("round_revealed.unturned.0.salt", None), "WRONG_LENGTH", "salt"),
    ("round_revealed", assigned("round_revealed.winner", 2), "OUT_OF_RANGE", "winner"),
    ("round_revealed", assigned("round_revealed.tricks", [7]), "WRONG_LENGTH", "tricks"),
    ("round_revealed", assigned("round_revealed.points", 4), "OUT_OF_RANGE", "points"),
    ("round_revealed", assigned("round_revealed.score", [1, 2, 3]), "WRONG_LENGTH", "score"),
    ("round_revealed", assigned("round_revealed.next_hakem", 4), "OUT_OF_RANGE", "next_hakem"),
    ("round_revealed", assigned("round_revealed.carried", None), "MISSING", "carried"),
    ("round_revealed", lambda event: event.round_revealed.carried.seats.pop(), "WRONG_LENGTH", "seats"),
    ("round_revealed", assigned("round_revealed.carried.seats.2.stand_in_key", b"x"), "WRONG_LENGTH", "stand_in_key"),
    ("round_revealed", assigned("round_revealed.carried.faults", []), "WRONG_LENGTH", "faults"),
    ("round_revealed", assigned("round_revealed.carried.tea.seat", 4), "OUT_OF_RANGE", "seat"),
    ("round_revealed", assigned("round_revealed.carried.tea.yes", [2, 0]), "NOT_ASCENDING", "yes"),
    ("game_ended", assigned("game_ended.cause", None), "NOT_UNDERSTOOD", "cause"),
    ("game_ended", assigned("game_ended.cause", 5), "NOT_UNDERSTOOD", "cause"),
    ("game_ended", assigned("game_ended.winner", 2), "OUT_OF_RANGE", "winner"),
    ("server_fault", assigned("server_fault.cause", 7), "NOT_UNDERSTOOD", "cause"),
    ("server_fault", assigned("server_fault.numbers", [HASH] * 4), "WRONG_LENGTH", "numbers"),
    ("server_fault", assigned("server_fault.unturned.0.trick", 0), "OUT_OF_RANGE", "trick"),
    ("server_fault", assigned("server_fault.seats", [3, 1]), "NOT_ASCENDING", "seats"),
    ("server_fault", assigned("server_fault.house_number", SHORT), "WRONG_LENGTH", "house_number"),
    (
        "server_fault",
        lambda event: event.server_fault.received.extend([event_pb2.SeatNumber(seat=1, number=HASH)] * 2),
        "NOT_ASCENDING",
        "received",
    ),
]


def assert_refused(read: Callable[[bytes], object], message: Any, reason: str, fact: str) -> None:
    with pytest.raises(Malformed) as caught:
        read(message.SerializeToString())
    assert caught.value.reason == reason
    assert fact in [*caught.value.facts.values(), ""]
    assert str(caught.value)


@pytest.mark.parametrize(("alter", "reason", "fact"), BAD_MOVES)
def test_a_malformed_move_is_refused(alter: Alter, reason: str, fact: str) -> None:
    """One field is wrong, and the error names it; without that the move is read."""
    message = move_message()
    read_move(message.SerializeToString())
    alter(message)
    assert_refused(read_move, message, reason, fact)


@pytest.mark.parametrize(("alter", "reason", "fact"), BAD_RULES)
def test_malformed_rules_are_refused(alter: Alter, reason: str, fact: str) -> None:
    """One field is wrong, or says nothing, and the error names it."""
    message = rules_message()
    read_rules(message.SerializeToString())
    alter(message)
    assert_refused(read_rules, message, reason, fact)


@pytest.mark.parametrize(("content", "alter", "reason", "fact"), BAD_EVENTS)
def test_a_malformed_event_is_refused(content: str, alter: Alter, reason: str, fact: str) -> None:
    """One field is wrong, and the error names it; without that the event is read."""
    message = content_message(content)
    read_event(message.SerializeToString())
    alter(message)
    assert_refused(read_event, message, reason, fact)


def test_a_protest_may_be_about_any_game() -> None:
    """Its context hangs together; whose it is, the table asks."""
    message = move_message()
    message.protest.MergeFrom(move_pb2.Protest(ctx=bytes(32) + CTX[32:], reason=move_pb2.PROTEST_REASON_CLOCK))
    protest = read_move(message.SerializeToString()).protest
    assert protest is not None
    assert protest.ctx == bytes(32) + CTX[32:]


@given(wire_values.moves())
def test_a_move_inside_an_event_is_linted_too(move: Move) -> None:
    """An event may carry no other spelling of a move than the canonical one."""
    body = write_move(move)
    for _, spelled in respellings(move_pb2.Move.DESCRIPTOR, body):
        event = Event(bytes(16), 1, HASH, 2, SignedMove(move, spelled, bytes(64)))
        with pytest.raises(Malformed):
            read_event(write_event(event))


def test_rules_inside_an_event_are_linted_too() -> None:
    """TableOpened may carry no other spelling of its rules than the canonical one."""
    rules = PRESETS["house"]
    for _, spelled in respellings(rules_pb2.TableRules.DESCRIPTOR, write_rules(rules)):
        opened = TableOpened(HASH, rules, spelled, HASH, b"")
        with pytest.raises(Malformed):
            read_event(write_event(Event(bytes(16), 0, bytes(32), 2, opened)))
