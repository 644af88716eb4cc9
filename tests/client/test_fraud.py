# SPDX-License-Identifier: Apache-2.0
"""A house that cheats in its entries is caught at once, whatever it tries, and the evidence is kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hokm.cards import cards_of
from hokm.deal import Context, Purpose
from hokm.errors import StreamUsedUp
from hokm.events import (
    CeremonyOpened,
    CommitSetClosed,
    Dealt,
    GameStarted,
    HakemDrawn,
    Leave,
    Play,
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
from hokm.signing import SigningKey
from hokm.table import Ceremony, Round, Table, may_play
from hokm.wire import write_event
from hokm_client.fraud import Fraud, FraudKind
from tests.client.caught import ROUND_ENDS, caught, content_of, ends_its_round, entry_of, reader_before, with_entry
from tests.client.evening import Evening, in_tricks
from tests.simulation.game import Player

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
