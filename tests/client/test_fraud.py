# SPDX-License-Identifier: Apache-2.0
"""A house that cheats is caught at once, whatever it tries, and the evidence is kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hokm.cards import cards_of
from hokm.checkpoint import sign_checkpoint
from hokm.deal import Context, Purpose
from hokm.errors import StreamUsedUp, WrongContext
from hokm.events import (
    CeremonyOpened,
    CeremonyVoided,
    Commit,
    CommitSetClosed,
    Dealt,
    GameStarted,
    HakemDrawn,
    Leave,
    NameTrump,
    Play,
    ProtestOnly,
    ProtestReason,
    Reveal,
    RoundRevealed,
    Ruling,
    SeatKind,
    ServerFault,
    ServerFaultCause,
    SignedMove,
    StandInCause,
    TimedOut,
)
from hokm.notation import read_base64
from hokm.signing import SigningKey
from hokm.table import Ceremony, Over, Round, Table, may_play
from hokm.v1 import tables_service_pb2 as pb
from hokm.wire import read_move, write_event
from hokm_client.errors import OtherActSigned, OtherSetSigned, SigningStopped
from hokm_client.fraud import Fraud, FraudKind, Scene, save_evidence
from hokm_client.keeping import Keeping
from hokm_client.trust import Heads
from tests.client.evening import Evening, in_ceremony, in_tricks
from tests.simulation import TestHouse
from tests.simulation.game import Player


def caught(evening: Evening, update: pb.TableUpdate) -> Fraud:
    """What the desk finds in an update."""
    with pytest.raises(Fraud) as found:
        evening.desk.take(update, evening.house.now_ms)
    assert evening.desk.fraud is found.value
    return found.value


def entry_of(evening: Evening, kind: type, nth: int = 0) -> int:
    """The version of the nth ruling, or move with an act, of that kind."""
    versions = [
        event.version
        for event in evening.game.events
        if isinstance(event.content.move.act if isinstance(event.content, SignedMove) else event.content, kind)
    ]
    return versions[nth]


def content_of(evening: Evening, version: int) -> Any:
    """What an entry says; the test knows of what kind it is."""
    return evening.game.events[version].content


def with_entry(evening: Evening, entry: bytes, version: int) -> pb.TableUpdate:
    """An update of one entry."""
    return pb.TableUpdate(table_id=evening.game.id, first_version=version, entries=[entry])


def reader_before(evening: Evening, version: int) -> Evening:
    """A desk that has read a game up to, not including, that version."""
    reader = Evening((0,), game=evening.game, keeping=Keeping(None))
    reader.desk.take(reader.update(0, version), reader.house.now_ms)
    return reader


@pytest.fixture(scope="module")
def played() -> Iterator[Evening]:
    """A whole game, in which a seat of ours played; closed here, for it is older than the tests that read it."""
    evening = Evening((0,), seed=5)
    evening.play_game()
    yield evening
    evening.keeping.close()


# Entries.


def test_an_entry_with_a_bad_signature(played: Evening) -> None:
    """Bytes that the house did not sign are not believed; they prove nothing to others."""
    reader = reader_before(played, 7)
    entry = bytearray(played.game.entries[7])
    entry[-1] ^= 1
    fraud = caught(reader, with_entry(reader, bytes(entry), 7))
    assert (fraud.kind, fraud.proves) == (FraudKind.BAD_SIGNATURE, False)


def test_an_entry_by_another_key(played: Evening) -> None:
    """Only the event key of the table's own manifest signs."""
    reader = reader_before(played, 7)
    event = played.game.events[7]
    entry = played.house.sign_event(write_event(event), played.house.log_key)
    assert caught(reader, with_entry(reader, entry, 7)).kind is FraudKind.BAD_SIGNATURE


@pytest.mark.parametrize("place", [0, 5, 30, -80, -20, -1])
def test_an_entry_with_a_changed_byte(played: Evening, place: int) -> None:
    """Wherever a byte is changed, the entry is not taken."""
    reader = reader_before(played, 9)
    entry = bytearray(played.game.entries[9])
    entry[place] ^= 0x40
    fraud = caught(reader, with_entry(reader, bytes(entry), 9))
    assert fraud.kind in (FraudKind.BAD_ENTRY, FraudKind.BAD_SIGNATURE, FraudKind.BAD_CHAIN, FraudKind.GAP)
    assert not fraud.proves


def test_an_entry_that_names_another_before_it(played: Evening) -> None:
    """A signed entry that does not continue the stream is proof of a second history."""
    reader = reader_before(played, 7)
    fraud = caught(reader, with_entry(reader, played.forged(7, previous=bytes(32)), 7))
    assert (fraud.kind, fraud.proves) == (FraudKind.BAD_CHAIN, True)


def test_an_entry_that_is_left_out(played: Evening) -> None:
    """A gap is not stepped over."""
    reader = reader_before(played, 7)
    assert caught(reader, reader.update(8)).kind is FraudKind.GAP


def test_two_entries_for_one_place(played: Evening) -> None:
    """Another entry for a place that has one, signed by the house, is proof."""
    reader = reader_before(played, 9)
    other = played.forged(7, time_ms=played.game.events[7].time_ms + 1)
    fraud = caught(reader, with_entry(reader, other, 7))
    assert (fraud.kind, fraud.proves) == (FraudKind.TWO_ENTRIES, True)
    assert fraud.exhibits["entry"] == other
    assert fraud.exhibits["other"] == played.game.entries[7]


def test_an_entry_of_another_table(played: Evening) -> None:
    """A stream holds one table's entries."""
    reader = reader_before(played, 7)
    fraud = caught(reader, with_entry(reader, played.forged(7, table=bytes(15) + b"\1"), 7))
    assert fraud.kind is FraudKind.BAD_ENTRY


def test_a_time_that_falls(played: Evening) -> None:
    """Times of a stream never fall."""
    reader = reader_before(played, 7)
    fraud = caught(reader, with_entry(reader, played.forged(7, time_ms=1), 7))
    assert (fraud.kind, fraud.proves) == (FraudKind.FORGED_RULING, True)


# Rulings.


@pytest.mark.parametrize(
    ("kind", "nth", "change", "found"),
    [
        (GameStarted, 0, {"game_id": bytes(32)}, FraudKind.FORGED_RULING),
        (CeremonyOpened, 0, {"score": (1, 0)}, FraudKind.FORGED_RULING),
        (CeremonyOpened, 0, {"rules_hash": bytes(32)}, FraudKind.FORGED_RULING),
        (CeremonyOpened, 1, {"hakem": None}, FraudKind.FORGED_RULING),
        (CommitSetClosed, 0, {"commit_set": bytes(32)}, FraudKind.CHANGED_SET),
        (RoundRevealed, 0, {"points": 0}, FraudKind.FORGED_RULING),
        (RoundRevealed, 0, {"score": (3, 3)}, FraudKind.FORGED_RULING),
    ],
)
def test_a_ruling_that_says_something_else(
    played: Evening, kind: type, nth: int, change: dict[str, object], found: FraudKind
) -> None:
    """Every ruling must say what the rules give it."""
    version = entry_of(played, kind, nth)
    reader = reader_before(played, version)
    forged = played.forged(version, content_of(played, version)._replace(**change))
    fraud = caught(reader, with_entry(reader, forged, version))
    assert (fraud.kind, fraud.proves) == (found, True)


def test_a_hakem_whom_the_numbers_do_not_draw(played: Evening) -> None:
    """The first hakem follows from the five numbers."""
    version = entry_of(played, HakemDrawn)
    reader = reader_before(played, version)
    content = content_of(played, version)
    forged = played.forged(version, content._replace(hakem=content.hakem ^ 1))
    assert caught(reader, with_entry(reader, forged, version)).kind is FraudKind.FORGED_RULING


@pytest.mark.parametrize("kind", [HakemDrawn, RoundRevealed])
@pytest.mark.parametrize("seat", range(5))
def test_a_number_that_was_not_committed_to(played: Evening, kind: type, seat: int) -> None:
    """Each of the five numbers opens the commitment of its seat, the house's too."""
    version = entry_of(played, kind)
    reader = reader_before(played, version)
    content = content_of(played, version)
    numbers = [*content.numbers]
    numbers[seat] = bytes(32)
    forged = played.forged(version, content._replace(numbers=tuple(numbers)))
    fraud = caught(reader, with_entry(reader, forged, version))
    assert (fraud.kind, fraud.proves) == (FraudKind.WRONG_NUMBER, True)


@pytest.mark.parametrize(
    "change", [{"attempt": 1}, {"round": 7, "purpose": Purpose.DEAL}, {"game_id": bytes(32)}], ids=str
)
def test_a_ceremony_that_is_not_the_next(played: Evening, change: dict[str, Any]) -> None:
    """A context is used once: skipping an attempt would let the house deal again."""
    version = entry_of(played, CeremonyOpened)
    reader = reader_before(played, version)
    content = content_of(played, version)
    ctx = replace(Context.from_bytes(content.ctx), **change).to_bytes()
    fraud = caught(reader, with_entry(reader, played.forged(version, content._replace(ctx=ctx)), version))
    assert (fraud.kind, fraud.proves) == (FraudKind.WRONG_CONTEXT, True)


@pytest.mark.parametrize(
    "content",
    [Dealt(), TimedOut(0, card=3), TimedOut(1, trump=0), ServerFault(ServerFaultCause.NO_DEAL)],
    ids=lambda content: type(content).__name__,
)
def test_a_ruling_that_is_not_due(played: Evening, content: Ruling) -> None:
    """No ruling comes before its time, and no deadline before it has passed."""
    version = entry_of(played, Play, 2)
    reader = reader_before(played, version)
    fraud = caught(reader, with_entry(reader, played.forged(version, content), version))
    assert (fraud.kind, fraud.proves) == (FraudKind.FORGED_RULING, True)


def test_a_deal_before_all_have_revealed(played: Evening) -> None:
    """Dealt comes after four Reveals."""
    version = entry_of(played, Reveal, 7)
    reader = reader_before(played, version)
    assert caught(reader, with_entry(reader, played.forged(version, Dealt()), version)).kind is FraudKind.FORGED_RULING


def test_a_move_where_a_ruling_is_due(played: Evening) -> None:
    """What is due comes first."""
    version = entry_of(played, Dealt)
    reader = reader_before(played, version)
    before = played.game.events[version - 1]
    assert isinstance(before.content, SignedMove)
    leave = before.content.move._replace(act=Leave())
    move = played.game.sign(leave, played.game.players[leave.seat].key)
    assert caught(reader, with_entry(reader, played.forged(version, move), version)).kind is FraudKind.FORGED_MOVE


@pytest.mark.parametrize("seat", range(5))
def test_a_revoked_key_and_numbers_that_were_not_committed_to(seat: int) -> None:
    """The numbers with which such a game ends open their commitments like those of any round."""
    evening = Evening((0,), seed=9)
    evening.until(in_tricks)
    stage = evening.game.round
    numbers = [evening.game.numbers[stage.ceremony.ctx, place] for place in range(5)]
    numbers[seat] = bytes(32)
    evening.revoke(numbers=tuple(numbers))
    evening.learn()
    fraud = caught(evening, evening.update(evening.game.table.version))
    assert (fraud.kind, fraud.proves) == (FraudKind.WRONG_NUMBER, True)


def test_a_policy_play_that_the_hand_does_not_give() -> None:
    """A card that the house played for a seat is checked when the round is over."""
    evening = Evening((0,), seed=8)
    evening.until(lambda table: isinstance(table.stage, Round) and table.stage.trump is not None)
    evening.until(lambda table: isinstance(table.stage, Round) and table.stage.turn == 1)
    stage = evening.game.round
    hand = evening.hand(1)
    legal = [*cards_of(may_play(stage, hand))]
    assert stage.decision is not None
    evening.house.now_ms = stage.decision.deadline_ms
    wrong = max(legal, key=lambda card: (card // 13 == stage.trump, card % 13))
    assert len(legal) > 1
    evening.game.log(TimedOut(1, card=wrong))
    with pytest.raises(Fraud, match="policy") as found:
        evening.play_game()
    assert (found.value.kind, found.value.proves) == (FraudKind.FORGED_RULING, True)


@pytest.mark.parametrize("kind", [HakemDrawn, Dealt])
def test_a_deal_that_is_called_impossible(played: Evening, kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """The house may say that five numbers make no deck only where they make none: else it would choose its deals."""
    version = entry_of(played, kind)
    reader = reader_before(played, version)
    stage = reader.desk.stream.there.stage
    assert isinstance(stage, Ceremony)
    numbers = [played.game.numbers[stage.ctx, seat] for seat in range(5)]
    received = tuple(enumerate(numbers[:4]))
    forged = played.forged(version, ServerFault(ServerFaultCause.NO_DEAL, house_number=numbers[4], received=received))
    fraud = caught(reader, with_entry(reader, forged, version))
    assert (fraud.kind, fraud.proves) == (FraudKind.FORGED_RULING, True)

    def no_deck(*numbers: object) -> None:
        raise StreamUsedUp(8160)

    reader = reader_before(played, version)
    monkeypatch.setattr("hokm.table.numbers.draw" if kind is HakemDrawn else "hokm.table.numbers.deal", no_deck)
    reader.desk.take(with_entry(reader, forged, version), reader.house.now_ms)
    assert reader.desk.stream.is_over


# Moves.


def test_a_move_that_its_seat_did_not_sign(played: Evening) -> None:
    """The house cannot play for a seat."""
    version = entry_of(played, Play, 3)
    reader = reader_before(played, version)
    signed = content_of(played, version)
    forged = signed._replace(signature=played.house.event_key.sign(b"anything"))
    fraud = caught(reader, with_entry(reader, played.forged(version, forged), version))
    assert (fraud.kind, fraud.proves) == (FraudKind.FORGED_MOVE, True)


def house_key(evening: Evening, role: str) -> SigningKey:
    """A key of the house that no seat may have; the simulated house does not know that itself."""
    house = evening.house
    key = {"log": house.log_key, "operator": house.operator_key, "root": house.first_root}[role]
    evening.game.keys[key.public] = key
    return key


@pytest.mark.parametrize("role", ["log", "operator", "root"])
def test_a_player_with_a_key_of_the_house(role: str) -> None:
    """Every key has one role: a seat whose key is the house's is the house."""
    evening = Evening((), seed=4)
    evening.game.players[2] = Player(SeatKind.PERSON, house_key(evening, role))
    evening.game.sit()
    fraud = caught(evening, evening.update(0))
    assert (fraud.kind, fraud.proves) == (FraudKind.FORGED_MOVE, True)


@pytest.mark.parametrize("role", ["log", "operator", "root"])
def test_a_stand_in_with_a_key_of_the_house(role: str) -> None:
    """The same holds for who stands in."""
    evening = Evening((0,), seed=4)
    evening.until(in_tricks)
    evening.game.leave(1)
    evening.feed()
    evening.game.stand_in(1, StandInCause.LEFT, house_key(evening, role))
    fraud = caught(evening, evening.update(evening.game.table.version))
    assert (fraud.kind, fraud.proves) == (FraudKind.FORGED_RULING, True)


def test_a_move_that_vouches_for_another_history(played: Evening) -> None:
    """Whoever signed it was shown other entries than we were."""
    version = entry_of(played, Play, 3)
    reader = reader_before(played, version)
    signed = content_of(played, version)
    key = played.game.keys[played.game.signers[signed.signature]]
    elsewhere = played.game.sign(signed.move._replace(seen_hash=bytes(32)), key)
    fraud = caught(reader, with_entry(reader, played.forged(version, elsewhere), version))
    assert (fraud.kind, fraud.proves) == (FraudKind.FORGED_MOVE, True)


def test_a_reveal_over_another_set(played: Evening) -> None:
    """Somebody else was shown another set of commitments for this context: two sets."""
    version = entry_of(played, Reveal, 1)
    reader = reader_before(played, version)
    signed = content_of(played, version)
    key = played.game.keys[played.game.signers[signed.signature]]
    act = signed.move.act._replace(commit_set=bytes(32))
    other = played.game.sign(signed.move._replace(act=act), key)
    fraud = caught(reader, with_entry(reader, played.forged(version, other), version))
    assert (fraud.kind, fraud.proves) == (FraudKind.TWO_SETS, True)


def ends_its_round(evening: Evening, how: str) -> None:
    """The numbers of the round become public: it is played out, or the game ends because the key was revoked."""
    if how == "played out":
        evening.play_game()
    else:
        evening.revoke()
        evening.learn()
        evening.feed()


ROUND_ENDS = pytest.mark.parametrize("how", ["played out", "key revoked"])


@ROUND_ENDS
def test_a_card_that_did_not_follow_suit(how: str) -> None:
    """A card that a hand could not play is found as soon as the hands are public."""
    evening = Evening((0,), seed=3)

    def can_revoke(table: Table) -> bool:
        stage = table.stage
        if not isinstance(stage, Round) or not stage.trick or stage.turn == 0 or stage.decision is None:
            return False
        hand = evening.hand(stage.turn) & ~stage.played
        return bool(hand & ~may_play(stage, evening.hand(stage.turn)))

    evening.until(can_revoke)
    stage, game = evening.game.round, evening.game
    seat = stage.turn
    hand = evening.hand(seat) & ~stage.played
    revoke = next(cards_of(hand & ~may_play(stage, hand)))
    move = game.draft(seat, Play(revoke))
    game.moved[game.players[seat].key.public] += 1
    game.log(game.sign(move, game.players[seat].key))
    with pytest.raises(Fraud, match="was led") as found:
        ends_its_round(evening, how)
    assert (found.value.kind, found.value.proves) == (FraudKind.FORGED_MOVE, True)


# Sets.


def test_two_sets_for_one_context() -> None:
    """A device that has signed over one set of a context refuses another, also after it was started again."""
    evening = Evening((0,))
    evening.until(in_ceremony(Purpose.DRAW, closed=True))
    stage = evening.desk.stream.there.stage
    assert isinstance(stage, Ceremony)
    kept = evening.keeping
    kept.sign_over(stage.ctx, b"\7" * 32, b"the entry that closed it")
    again = Evening((0,), game=evening.game, keeping=kept)
    fraud = caught(again, again.update(0))
    assert (fraud.kind, fraud.proves) == (FraudKind.TWO_SETS, True)
    assert fraud.exhibits["other"] == b"the entry that closed it"


def test_no_reveal_is_signed_over_a_second_set() -> None:
    """Even if everything else were fooled, keeping does not let a second set be signed."""
    evening = Evening((0,))
    evening.until(in_ceremony(Purpose.DRAW, closed=True))
    act = evening.seat.automatic()
    assert isinstance(act, Reveal)
    evening.keeping.sign_over(act.ctx, bytes(32), b"")
    with pytest.raises(OtherSetSigned):
        evening.seat.sign(act, evening.house.now_ms)
    assert evening.seat.unanswered is None


def test_an_own_commitment_that_was_changed() -> None:
    """The set must hold the commitment that this device made, which its kept number opens."""
    evening = Evening((0,))
    evening.until(in_ceremony(Purpose.DRAW, closed=False))
    stage = evening.table.stage
    assert isinstance(stage, Ceremony)
    evening.keeping.number_for(stage.ctx, 0, evening.seat.key.public, lambda: b"\1" * 32)
    game = evening.game
    game.do(0, Commit(b"\5" * 32))  # the key itself signed it: it was stolen, or the house is very able
    game.numbers[stage.ctx, 0] = bytes(32)
    with pytest.raises(Fraud) as found:
        evening.until(in_ceremony(Purpose.DRAW, closed=True))
    assert found.value.kind is FraudKind.CHANGED_SET


def test_the_history_that_was_vouched_for_is_still_there() -> None:
    """After a new start the stream must hold the head that the last signed move names: a house that forgot is found."""
    evening = Evening((0,), seed=4)
    evening.until(in_ceremony(Purpose.DEAL, closed=True))
    kept = evening.keeping.last_move(evening.game.id, evening.seat.key.public)
    assert kept is not None
    again = Evening((0,), game=evening.game, keeping=evening.keeping)
    fraud = caught(again, again.update(0, kept.seen_version))
    assert fraud.kind is FraudKind.TWO_ENTRIES
    assert fraud.exhibits["signed_act"] == kept.act


# Cards.


def at_cards(evening: Evening) -> int:
    """Play on until trumps are named; the version that named them."""
    evening.until(lambda table: isinstance(table.stage, Round) and table.stage.trump is not None)
    return evening.desk.stream.trumps_at or 0


def hands_update(evening: Evening, *notes: pb.SignedHandNote) -> pb.TableUpdate:
    """An update of hand notes alone."""
    return pb.TableUpdate(table_id=evening.game.id, first_version=len(evening.game.entries), hands=notes)


def test_a_hand_note_that_nobody_signed() -> None:
    """Cards without the house's signature are not held."""
    evening = Evening((0,))
    version = at_cards(evening)
    note = evening.note(0, 2, version, key=evening.house.log_key)
    assert caught(evening, hands_update(evening, note)).kind is FraudKind.BAD_SIGNATURE


def test_two_hand_notes_for_one_packet() -> None:
    """The second, different note is proof by itself."""
    evening = Evening((0,))
    version = at_cards(evening)
    dealing = evening.dealing(version)
    assert dealing is not None
    note = evening.note(0, 2, version, cards=dealing.packets[1][1])
    fraud = caught(evening, hands_update(evening, note))
    assert (fraud.kind, fraud.proves) == (FraudKind.TWO_HANDS, True)
    assert {"note", "note_signature", "other", "other_signature"} <= set(fraud.exhibits)


def test_one_card_in_two_packets() -> None:
    """No card is dealt twice."""
    evening = Evening((0,))

    def tamper(update: pb.TableUpdate) -> pb.TableUpdate:
        for place, signed in enumerate(update.hands):
            version = update.first_version + len(update.entries) - 1
            dealing = evening.dealing(version)
            if dealing and signed.note == evening.note(0, 3, version).note:
                update.hands[place].CopyFrom(evening.note(0, 3, version, cards=dealing.packets[1][0]))
        return update

    evening.tamper = tamper
    with pytest.raises(Fraud) as found:
        at_cards(evening)
    assert (found.value.kind, found.value.proves) == (FraudKind.TWO_HANDS, True)


@ROUND_ENDS
def test_cards_that_the_numbers_do_not_deal(how: str) -> None:
    """The hand that was sent is held against the revealed numbers."""
    evening = Evening((0,), seed=6)

    def tamper(update: pb.TableUpdate) -> pb.TableUpdate:
        version = update.first_version + len(update.entries) - 1
        dealing = evening.dealing(version) if update.hands else None
        if dealing is not None and 3 in evening.released(0, version):
            del update.hands[-1]
            update.hands.append(evening.note(0, 3, version, cards=dealing.packets[2][1]))
        return update

    evening.tamper = tamper
    at_cards(evening)
    game = evening.game
    while isinstance(game.table.stage, Round) and game.table.stage.decision is not None:
        seat = game.table.stage.turn
        if seat == 0:  # it would play a card that the house does not know it to hold
            game.house.now_ms = max(game.house.now_ms, game.table.stage.decision.deadline_ms)
            game.rule(TimedOut)
        else:
            game.play()
    with pytest.raises(Fraud) as found:
        ends_its_round(evening, how)
    assert (found.value.kind, found.value.proves) == (FraudKind.WRONG_HAND, True)


@pytest.mark.parametrize("packet", [1, 2, 3])
def test_a_packet_released_by_the_wrong_entry(packet: int) -> None:
    """Each packet names the entry that released it, and only that."""
    evening = Evening((0, 1, 2, 3), seed=2)
    at_cards(evening)
    version = evening.desk.stream.dealt_at if packet > 1 else evening.desk.stream.trumps_at
    hakem = evening.game.round.hakem
    seat = hakem if packet == 1 else hakem ^ 1
    fresh = Evening((seat,), game=evening.game)
    tampered = fresh.update(0)
    del tampered.hands[:]
    tampered.hands.append(fresh.note(seat, packet, version or 0))
    fraud = caught(fresh, tampered)
    assert (fraud.kind, fraud.proves) == (FraudKind.BAD_NOTE, True)


def test_a_note_of_an_entry_that_is_not_there() -> None:
    """A note names a leaf of this stream."""
    evening = Evening((0,))
    version = at_cards(evening)
    note = evening.note(0, 2, version)
    evening.game.leaves[version] = bytes(32)
    other = evening.note(0, 2, version)
    assert other.note != note.note
    assert caught(evening, hands_update(evening, other)).kind is FraudKind.BAD_NOTE


# The clock, and what was denied.


def test_a_clock_that_is_ahead_is_protested_once() -> None:
    """A difference of more than 30 seconds is said in the next move, and play goes on."""
    evening = Evening((0,))
    evening.until(in_ceremony(Purpose.DRAW, closed=False))
    slow = evening.house.now_ms - 31_000
    update = evening.update((evening.desk.version or 0) + 1)
    assert not update.entries
    evening.game.settle()
    evening.act_for(1)
    evening.desk.take(evening.update((evening.desk.version or 0) + 1), slow)
    act = evening.seat.automatic()
    assert act is not None
    move = read_move(evening.seat.sign(act, slow).move)
    assert move.protest is not None
    assert move.protest.reason is ProtestReason.CLOCK
    assert evening.desk.fraud is None


def test_a_clock_that_is_behind_is_protested() -> None:
    """An own move's entry cannot be half a minute older than the move."""
    evening = Evening((0,))
    evening.until(in_ceremony(Purpose.DRAW, closed=False))
    act = evening.seat.automatic()
    assert act is not None
    evening.send(evening.seat.sign(act, evening.house.now_ms + 40_000))
    evening.until(in_ceremony(Purpose.DRAW, closed=True))
    reveal = evening.seat.automatic()
    assert reveal is not None
    move = read_move(evening.seat.sign(reveal, evening.house.now_ms).move)
    assert move.protest is not None
    assert move.protest.reason is ProtestReason.CLOCK


@pytest.mark.parametrize(
    ("closed", "reason"), [(False, ProtestReason.DENIED_COMMIT), (True, ProtestReason.DENIED_NUMBER)]
)
@pytest.mark.parametrize("unsure", [False, True])
def test_a_step_that_was_denied_is_protested(closed: bool, reason: ProtestReason, unsure: bool) -> None:
    """The log says that it did not come, though it went out in time: the next move says so. Not if the way broke."""
    evening = Evening((0,))
    evening.until(in_ceremony(Purpose.DRAW, closed=closed))
    act = evening.seat.automatic()
    assert act is not None
    evening.withheld = True
    evening.send(evening.seat.sign(act, evening.house.now_ms))
    if unsure:
        evening.desk.lost()
    for seat in (1, 2, 3):
        evening.act_for(seat)
    evening.game.time_out()
    evening.game.settle()
    evening.feed()
    assert isinstance(content_of(evening, entry_of(evening, CeremonyVoided)), CeremonyVoided)
    ours = evening.seat
    unanswered = ours.unanswered
    assert unanswered is not None
    assert ours.refused(hashlib.sha256(unanswered.act.move).digest(), WrongContext(0, 0, 0, 1))
    move = read_move(ours.sign(Leave(), evening.house.now_ms).move)
    assert (move.protest and move.protest.reason) == (None if unsure else reason)


# A move that was refused.


def may_choose(evening: Evening) -> Callable[[Table], bool]:
    """The seat is in turn, and the rules leave it more than one card."""

    def reached(table: Table) -> bool:
        stage = table.stage
        if not isinstance(stage, Round) or stage.trump is None or stage.turn != 0 or stage.decision is None:
            return False
        return len([*cards_of(may_play(stage, evening.hand(0)))]) > 1

    return reached


def refuse(evening: Evening, act: pb.SignedAct, reason: str = "MUST_FOLLOW_SUIT") -> None:
    """The house says no."""
    refusal = pb.Refusal(move_hash=hashlib.sha256(act.move).digest(), reason=reason, sentence="No.")
    evening.desk.take(pb.TableUpdate(table_id=evening.game.id, refusals=[refusal]), evening.house.now_ms)


def test_no_second_card_is_signed_for_one_decision() -> None:
    """Of two the house could choose: a card that the rules allow stays the one, whatever the house says of it."""
    evening = Evening((0,), seed=3)
    evening.until(may_choose(evening))
    seat = evening.seat
    card, other = [*cards_of(may_play(evening.game.round, evening.hand(0)))][:2]
    refuse(evening, seat.sign(Play(card), evening.house.now_ms))
    assert seat.automatic() is None
    evening.game.protest(1)
    evening.feed()
    assert seat.asks() is None
    assert seat.automatic() == Play(card)
    with pytest.raises(OtherActSigned):
        seat.sign(Play(other), evening.house.now_ms)


def test_a_refused_move_that_is_logged() -> None:
    """The house has said that it would not stand; only this player has heard it."""
    evening = Evening((0,), seed=3)
    evening.until(may_choose(evening))
    card = next(cards_of(may_play(evening.game.round, evening.hand(0))))
    act = evening.seat.sign(Play(card), evening.house.now_ms)
    refuse(evening, act)
    evening.send(act)
    fraud = caught(evening, evening.update(len(evening.game.entries) - 1))
    assert (fraud.kind, fraud.proves) == (FraudKind.REFUSED_MOVE, False)
    assert fraud.exhibits["signed_act"] == act.SerializeToString()


def test_a_refused_move_of_which_a_copy_was_on_its_way() -> None:
    """It may have been refused here and taken there: that is no fraud."""
    evening = Evening((0,), seed=3)
    evening.until(may_choose(evening))
    card = next(cards_of(may_play(evening.game.round, evening.hand(0))))
    act = evening.seat.sign(Play(card), evening.house.now_ms)
    evening.desk.lost()
    refuse(evening, act)
    evening.send(act)
    evening.feed()
    assert evening.desk.fraud is None


# After a fraud.


def test_nothing_is_signed_after_a_fraud_but_a_protest() -> None:
    """The seat protests in the log's own words and is silent from then on."""
    evening = Evening((0,))
    evening.until(in_ceremony(Purpose.DRAW, closed=False))
    caught(evening, with_entry(evening, evening.forged(4, time_ms=evening.game.events[4].time_ms + 1), 4))
    assert evening.seat.automatic() is None
    with pytest.raises(SigningStopped):
        evening.seat.sign(Leave(), evening.house.now_ms)
    protest = evening.seat.protest()
    assert protest == ProtestOnly()
    evening.send(evening.seat.sign(protest, evening.house.now_ms))
    logged = content_of(evening, -1)
    assert isinstance(logged, SignedMove)
    assert logged.move.protest is not None
    assert logged.move.protest.reason is ProtestReason.BAD_CHAIN
    before = evening.desk.version
    evening.desk.take(evening.update(0), evening.house.now_ms)
    assert evening.desk.version == before


@pytest.mark.parametrize("is_refused", [False, True])
def test_a_protest_waits_for_the_answer_to_the_last_move(is_refused: bool) -> None:
    """It is the next move after that one, under its own number; the answer alone is looked for in what still comes."""
    evening = Evening((0,))
    evening.until(in_ceremony(Purpose.DRAW, closed=False))
    act = evening.seat.automatic()
    assert act is not None
    signed = evening.seat.sign(act, evening.house.now_ms)
    caught(evening, with_entry(evening, evening.forged(4, time_ms=evening.game.events[4].time_ms + 1), 4))
    assert (evening.seat.protest(), evening.seat.owes_protest) == (None, True)
    if is_refused:
        refuse(evening, signed)
    else:
        evening.send(signed)
        evening.desk.take(evening.update(len(evening.game.entries) - 1), evening.house.now_ms)
    protest = evening.seat.protest()
    assert protest == ProtestOnly()
    evening.send(evening.seat.sign(protest, evening.house.now_ms))
    assert not evening.seat.owes_protest
    logged = content_of(evening, -1)
    assert isinstance(logged, SignedMove)
    assert (logged.move.act, logged.move.number) == (ProtestOnly(), read_move(signed.move).number + (not is_refused))


def test_an_answer_that_comes_with_the_fraud_is_heard() -> None:
    """What follows the entry at fault is not believed, and still is the answer."""
    evening = Evening((0,))
    evening.until(in_ceremony(Purpose.DRAW, closed=False))
    act = evening.seat.automatic()
    assert act is not None
    signed = evening.seat.sign(act, evening.house.now_ms)
    evening.send(signed)
    update = evening.update(4)
    update.entries[0] = evening.forged(4, time_ms=evening.game.events[4].time_ms + 1)
    caught(evening, update)
    assert evening.seat.protest() == ProtestOnly()


def test_evidence_is_saved_whole_and_never_written_over(played: Evening, tmp_path: Path) -> None:
    """The file holds the stream as far as it was right, the manifests and both contradicting entries."""
    reader = reader_before(played, 9)
    fraud = caught(reader, with_entry(reader, played.forged(7, time_ms=played.game.events[7].time_ms + 1), 7))
    manifests = [entry for entry, _ in played.house.manifests]
    scene = Scene(played.house.origin, played.game.id, manifests, reader.desk.stream.entries)
    first = save_evidence(tmp_path, fraud, scene, 1)
    second = save_evidence(tmp_path, fraud, scene, 2)
    assert first != second
    read = json.loads(first.read_text())
    assert read["kind"] == "TWO_ENTRIES"
    assert read["proves"] is True
    assert [read_base64(entry) for entry in read["entries"]] == played.game.entries[:9]
    assert [read_base64(entry) for entry in read["manifests"]] == manifests
    assert read_base64(read["exhibits"]["other"]) == played.game.entries[7]
    assert read["table"] == played.game.id.hex()


# The log.


def test_two_heads_are_found() -> None:
    """Two roots for one size, signed by the log, are proof; so is a log that got shorter, or forgot."""
    house = TestHouse()
    heads = Heads(house.policy, house.origin, None)
    note = house.publish().encode()
    heads.take(note, ())
    other = replace(house.checkpoint(), root=bytes(32))
    forked = sign_checkpoint(other, house.log_key).format()
    with pytest.raises(Fraud) as found:
        heads.take(forked, ())
    assert (found.value.kind, found.value.proves) == (FraudKind.TWO_HEADS, True)
    assert found.value.exhibits == {"checkpoint": forked, "other": note}


def test_a_log_that_got_shorter_is_found() -> None:
    """A checkpoint older than one that was seen is not taken."""
    house = TestHouse()
    heads = Heads(house.policy, house.origin, house.publish().encode())
    with pytest.raises(Fraud) as found:
        heads.take(house.publish(size=1).encode(), ())
    assert found.value.kind is FraudKind.BAD_CHECKPOINT


def test_a_log_that_forgot_is_found() -> None:
    """A greater tree that does not begin with the one that was seen is not taken; one that does is."""
    house, liar = TestHouse(), TestHouse()
    heads = Heads(house.policy, house.origin, None)
    heads.take(house.publish().encode(), ())
    old = len(house.leaves)
    house.append(b"one more")
    liar.leaves.pop()
    for entry in (b"another past", b"and another"):
        liar.nodes = {}
        liar.leaves.clear()
        for _ in range(old + 1):
            liar.append(entry)
    with pytest.raises(Fraud) as found:
        heads.take(liar.publish().encode(), liar.consistency(old, len(liar.leaves)))
    assert found.value.kind is FraudKind.TWO_HEADS
    assert heads.take(house.publish().encode(), house.consistency(old, len(house.leaves))).size == old + 1


def test_a_checkpoint_by_another_key() -> None:
    """Only the log of the policy is read."""
    house = TestHouse()
    heads = Heads(house.policy, house.origin, None)
    with pytest.raises(Fraud) as found:
        heads.take(sign_checkpoint(house.checkpoint(), house.event_key).format(), ())
    assert found.value.kind is FraudKind.BAD_CHECKPOINT


def test_the_game_ends_and_nothing_follows(played: Evening) -> None:
    """After the end no entry is taken, whatever it says."""
    assert isinstance(played.table.stage, Over)
    reader = reader_before(played, len(played.game.entries))
    version = len(played.game.entries)
    event = played.game.events[-1]._replace(version=version, previous=played.game.leaves[-1], content=Dealt())
    entry = played.house.sign_event(write_event(event), played.game.event_key)
    assert caught(reader, with_entry(reader, entry, version)).kind is FraudKind.FORGED_RULING


def test_an_unasked_naming_of_trumps(played: Evening) -> None:
    """The hakem alone names trumps, once."""
    version = entry_of(played, Play)
    reader = reader_before(played, version)
    signed = content_of(played, version)
    key = played.game.keys[played.game.signers[signed.signature]]
    again = played.game.sign(signed.move._replace(act=NameTrump(0)), key)
    assert caught(reader, with_entry(reader, played.forged(version, again), version)).kind is FraudKind.FORGED_MOVE
