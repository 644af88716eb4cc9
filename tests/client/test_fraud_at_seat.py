# SPDX-License-Identifier: Apache-2.0
"""A house that cheats one seat is caught by it: in sets, cards, the clock, and with what it refuses or denies."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hokm.cards import cards_of
from hokm.deal import Purpose
from hokm.errors import WrongContext
from hokm.events import (
    CeremonyVoided,
    Commit,
    CommitSetClosed,
    Leave,
    Play,
    ProtestOnly,
    ProtestReason,
    Reveal,
    SignedMove,
    TimedOut,
)
from hokm.notation import read_base64
from hokm.table import Ceremony, Round, Table, may_play
from hokm.v1 import tables_service_pb2 as pb
from hokm.wire import read_move
from hokm_client.errors import OtherActSigned, OtherSetSigned, SigningStopped
from hokm_client.fraud import Fraud, FraudKind, Scene, save_evidence
from tests.client.caught import ROUND_ENDS, caught, content_of, ends_its_round, entry_of, reader_before, with_entry
from tests.client.evening import Evening, in_ceremony

# Sets.


def test_two_sets_for_one_context() -> None:
    """A device that has signed over one set of a context refuses another, also after it was started again."""
    evening = Evening((0,))
    evening.until(in_ceremony(Purpose.DRAW, closed=True))
    stage = evening.desk.stream.there.stage
    assert isinstance(stage, Ceremony)
    kept = evening.keeping
    other = evening.forged(entry_of(evening, CommitSetClosed), CommitSetClosed(b"\7" * 32))
    kept.sign_over(stage.ctx, b"\7" * 32, other)
    again = Evening((0,), game=evening.game, keeping=kept)
    fraud = caught(again, again.update(0))
    assert (fraud.kind, fraud.proves) == (FraudKind.TWO_SETS, True)
    assert fraud.exhibits["other"] == other


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
    scene = Scene(played.house.origin, played.game.id, manifests, (), reader.desk.stream.entries)
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
