# SPDX-License-Identifier: Apache-2.0
"""Steps 6 to 12: one walk along the entries, in which everything that a table lets happen is decided again.

The first entry that does not follow from those before it ends the walk. Which step it is refused by depends on what
is wrong with it, not on when it is looked at.

The hands of a round are known from where it is dealt: the numbers that its RoundRevealed carries, further on, are
held against the commitments first. Where that entry is missing nobody's cards are known, and only what everybody can
see of the moves is decided.
"""

from __future__ import annotations

from typing import NamedTuple

from hokm.cards import card_text
from hokm.deal import HOUSE_SEAT, Context, Purpose, commitment
from hokm.entry import move_signed_by
from hokm.errors import HokmError, SharedKey
from hokm.events import (
    CeremonyOpened,
    CeremonyVoided,
    Commit,
    CommitSetClosed,
    Dealt,
    Event,
    GameEnded,
    GameStarted,
    HakemDrawn,
    Join,
    Move,
    Play,
    Protest,
    ProtestOnly,
    Reopened,
    Reveal,
    RoundRevealed,
    Ruling,
    SeatKind,
    ServerFault,
    ServerFaultCause,
    SignedMove,
    StandInCause,
    StoodIn,
    TimedOut,
    VoidCause,
)
from hokm.rules import Seat
from hokm.table import (
    NO_HANDS,
    Ceremony,
    Hands,
    House,
    Over,
    Round,
    RulingKind,
    Supply,
    Table,
    decide,
    decide_stand_in,
    due,
    evolve,
    expires_ms,
    hands_of,
    may_call_away,
    opened,
    overdue,
    reopening,
    resumed,
    rule,
    signer,
    stand_in_wanted,
    vouch,
)
from hokm.verify.codes import Code, Step
from hokm.verify.ground import Ground, Signatures
from hokm.verify.report import Finding, Refused, found, refusal, refusal_by

CEREMONY_KINDS = (CeremonyOpened, CommitSetClosed, CeremonyVoided, HakemDrawn, Dealt)
"""What is missing, or too much, in the seventh step's eyes."""

NO_NUMBERS = (None,) * 5


class Contribution(NamedTuple):
    """Whose numbers made a draw or a deal."""

    context: Context
    version: int
    keys: tuple[bytes, ...]
    """By seat, the key that committed and revealed."""
    own: tuple[bool, ...]
    """By seat: that key is the one with which a person joined the seat."""
    by_stand_in: tuple[bool, ...]
    """By seat: a stand-in's number stands for a person's."""


class Walk:
    """The walk, and what it has seen so far."""

    def __init__(self, ground: Ground, signatures: Signatures) -> None:
        self.ground = ground
        self.signatures = signatures
        self.reading = ground.reading
        self.table: Table
        self.started: Table | None = None
        self.warnings: list[Finding] = []
        self.notes: list[str] = []
        self.contributions: list[Contribution] = []
        self.hands: Hands = NO_HANDS
        self.numbers: tuple[bytes | None, ...] = NO_NUMBERS
        self.moves = 0
        self.decided = 0
        self.in_the_dark = 0
        """Moves that were decided without the cards."""
        self.stand_ins = 0
        self.opened_numbers = 0
        self.ceremonies = 0
        self.voids = self.protests = self.missed = 0
        self.lower_ms: int | None = None
        self.resumed_in: int | None = None
        events = self.reading.events
        self._reveals = [
            place
            for place, event in enumerate(events)
            if type(event.content) is RoundRevealed or (type(event.content) is ServerFault and event.content.numbers)
        ]
        self._house_keys = _roles(ground)

    def walk(self) -> None:
        """Walk to the end. Raises `Refused`."""
        reading = self.reading
        house = House(reading.proof.origin, self.ground.manifest.event_key)
        if reading.opening:
            self.table = opened(house, reading.opening[0])
            for event in reading.opening[1:]:
                self._step(event)
            first = reading.events[0]
            if first.time_ms < self.table.time_ms:
                raise refusal(Code.TIME_FELL, first.version)
            assert reading.proof.round is not None
            self.table = resumed(self.table, first, reading.proof.round)
            self.resumed_in = reading.proof.round
        else:
            self.table = opened(house, reading.events[0])
        for place in range(1, len(reading.events)):
            self.place = place
            self._step(reading.events[place])
        self._after()

    # One entry.

    def _step(self, event: Event) -> None:
        table = self.table
        if event.time_ms < table.time_ms:
            raise refusal(Code.TIME_FELL, event.version)
        content = event.content
        needed = due(table)
        if type(content) is SignedMove:
            if needed is not None:
                raise _out_of_order(event, needed)
            if (late := overdue(table, event.time_ms)) is not None:
                name = type(content.move.act).__name__
                raise refusal(Code.DEADLINE_IGNORED, event.version, found=name, expected=late.__name__)
            self._move(table, event, content)
        else:
            self._ruling(table, event, content, needed)  # type: ignore[arg-type]
        self.table = evolve(table, event)
        if type(content) is not SignedMove:
            self._look(event, content)  # type: ignore[arg-type]

    # Moves.

    def _move(self, table: Table, event: Event, signed: SignedMove) -> None:
        move = signed.move
        try:
            key = signer(table, move)
            vouch(table, move)
        except HokmError as error:
            raise refusal_by(error, event.version) from None
        self._seen(event.version, move)
        if self.signatures is not Signatures.NONE and not move_signed_by(signed, key):
            raise refusal(Code.PLAYER_SIGNATURE, event.version, key=key.hex(), seat=move.seat)
        try:
            decide(table, move, event.time_ms, self.hands)
        except HokmError as error:
            raise refusal_by(error, event.version) from None
        self.moves += 1
        act = move.act
        if type(act) is Play:
            self.decided += 1
            if self.hands is NO_HANDS:
                self.in_the_dark += 1
        elif type(act) is Join:
            self._new_key(event.version, act.public_key, f"player's of seat {move.seat}")
        if move.protest is not None:
            self._note_protest(event.version, move.seat, move.protest)

    def _seen(self, version: int, move: Move) -> None:
        """What the player saw is what is here, as far as it is here."""
        ground = self.ground
        seen = move.seen_version - ground.reading.proof.first_version
        if seen >= 0:
            there = ground.leaves[seen]
        elif move.seen_version < len(ground.opening_leaves):
            there = ground.opening_leaves[move.seen_version]
        else:
            return
        if there != move.seen_hash:
            raise refusal(Code.SEEN_OTHER, version, seen_version=move.seen_version)

    def _new_key(self, version: int, key: bytes, role: str) -> None:
        other = self._house_keys.get(key)
        if other is not None:
            raise refusal_by(SharedKey(key.hex(), other, role), version, Step.PLAYERS)

    # Rulings.

    def _ruling(self, table: Table, event: Event, content: Ruling, needed: RulingKind | None) -> None:
        kind = type(content)
        if kind is StoodIn and needed is None and content.cause is StandInCause.AWAY:  # type: ignore[union-attr]
            assert isinstance(content, StoodIn)
            if not may_call_away(table, content.seat, event.time_ms):
                raise refusal(Code.NOT_AWAY, event.version, seat=content.seat)
            self._join(table, event, content)
            return
        if isinstance(content, Reopened):
            self._reopened(table, event, content, needed)
            return
        if isinstance(content, ServerFault) and self._is_word_of_house(table, event, content, needed):
            return
        if needed is None:
            needed = overdue(table, event.time_ms)
        if needed is not kind:
            raise _not_due(table, event, needed)
        self._content(table, event, content)

    def _reopened(self, table: Table, event: Event, content: Reopened, needed: RulingKind | None) -> None:
        if needed is not None:
            raise _out_of_order(event, needed)
        if not content.seats or not set(content.seats) <= set(reopening(table, event.time_ms)):
            raise refusal(Code.NOT_REOPENED, event.version)

    def _is_word_of_house(self, table: Table, event: Event, content: ServerFault, needed: RulingKind | None) -> bool:
        """Whether this fault is one that nothing in the log has to bear out; if so, it is held to its bounds."""
        stage = table.stage
        match content.cause:
            case ServerFaultCause.KEY_REVOKED:
                is_possible = not isinstance(stage, Over)
                if content.numbers and not isinstance(stage, Round):
                    is_possible = False
            case ServerFaultCause.SEALED_LOST:
                is_possible = isinstance(stage, Ceremony | Round)
            case ServerFaultCause.NO_DEAL:
                is_possible = needed in (Dealt, HakemDrawn)
            case _:
                return False
        if not is_possible or (content.numbers and content.cause is not ServerFaultCause.KEY_REVOKED):
            raise refusal(Code.FAULT_DIFFERS, event.version, cause=content.cause.name)
        return True

    def _content(self, table: Table, event: Event, content: Ruling) -> None:
        """The ruling says what the entries before it give."""
        version = event.version
        stage = table.stage
        match content:
            case GameStarted():
                expected = rule(table, GameStarted)
                assert isinstance(expected, GameStarted)
                if content.seats != expected.seats:
                    raise refusal(Code.OTHER_SEATS, version)
                if content.game_id != expected.game_id:
                    raise refusal(Code.OTHER_GAME_ID, version)
            case CeremonyOpened():
                supply = Supply(house_commitment=content.house_commitment, anchor=content.anchor)
                _same(Code.CEREMONY_DIFFERS, version, content, rule(table, CeremonyOpened, supply))
            case CommitSetClosed():
                if content != rule(table, CommitSetClosed):
                    raise refusal(Code.COMMIT_SET_DIFFERS, version)
            case CeremonyVoided():
                self._voided(table, version, content)
            case HakemDrawn():
                assert isinstance(stage, Ceremony)
                self._open(version, stage, content.numbers)
                drawn = self._ruled(table, version, HakemDrawn, Supply(numbers=content.numbers))
                assert isinstance(drawn, HakemDrawn)
                if drawn.hakem != content.hakem:
                    raise refusal(Code.OTHER_HAKEM_DRAWN, version, expected=drawn.hakem, found=content.hakem)
            case TimedOut():
                self._timed_out(table, version, content)
            case StoodIn():
                wanted = stand_in_wanted(table)
                assert wanted is not None
                if wanted != (content.seat, content.cause):
                    raise refusal(
                        Code.STAND_IN_DIFFERS,
                        version,
                        expected_seat=wanted[0],
                        expected_cause=wanted[1].name,
                        seat=content.seat,
                        cause=content.cause.name,
                    )
                self._join(table, event, content)
            case RoundRevealed():
                _same(Code.RESULT_DIFFERS, version, content, rule(table, RoundRevealed, Supply(content.numbers)))
            case GameEnded():
                ending = rule(table, GameEnded)
                if content != ending:
                    raise refusal(Code.ENDING_DIFFERS, version, expected=_ending(ending), found=_ending(content))
            case ServerFault():
                if content != rule(table, ServerFault):
                    raise refusal(Code.FAULT_DIFFERS, version, cause=content.cause.name)
            case _:
                pass

    def _ruled(self, table: Table, version: int, kind: RulingKind, supply: Supply) -> Ruling:
        try:
            return rule(table, kind, supply)
        except HokmError as error:
            raise refusal_by(error, version) from None

    def _voided(self, table: Table, version: int, content: CeremonyVoided) -> None:
        stage = table.stage
        assert isinstance(stage, Ceremony)
        come = dict(content.numbers)
        if tuple(come) != tuple(seat for seat in range(4) if stage.revealed[seat]):
            raise refusal(Code.VOID_DIFFERS, version, field="set of numbers")
        numbers = (*(come.get(seat) for seat in range(4)), content.house_number)
        self._open(version, stage, numbers)
        _same(Code.VOID_DIFFERS, version, content, rule(table, CeremonyVoided, Supply(numbers)))

    def _timed_out(self, table: Table, version: int, content: TimedOut) -> None:
        stage = table.stage
        assert isinstance(stage, Round)
        if self.hands is NO_HANDS:
            # The cards are not known: the seat and the kind of choice are all that everybody can see.
            is_trump = stage.trump is None
            fits = (content.trump is not None) == is_trump and content.seat == stage.turn
            if not fits or (content.card is not None and stage.played >> content.card & 1):
                raise refusal(Code.POLICY_DIFFERS, version, expected="something else", found=_choice(content))
            return
        expected = rule(table, TimedOut, Supply(hands=self.hands))
        assert isinstance(expected, TimedOut)
        if expected != content:
            raise refusal(Code.POLICY_DIFFERS, version, expected=_choice(expected), found=_choice(content))

    def _join(self, table: Table, event: Event, content: StoodIn) -> None:
        """The stand-in's Join is signed by a key of its own, and may be."""
        signed = content.join
        move = signed.move
        version = event.version
        if not isinstance(move.act, Join):
            raise refusal(Code.OUT_OF_ORDER, version, found=type(move.act).__name__, expected="Join")
        if move.seat != content.seat:
            raise refusal(Code.OTHER_SEAT_JOINED, version, joined=move.seat, seat=content.seat)
        if self.resumed_in is not None and table.round < self.resumed_in:
            # How often the round before was dealt is not in the proof of this one.
            table = table._replace(attempt=move.attempt)
            self.table = table
        try:
            vouch(table, move)
            decide_stand_in(table, move)
        except HokmError as error:
            raise refusal_by(error, version) from None
        self._seen(version, move)
        key = move.act.public_key
        if self.signatures is not Signatures.NONE and not move_signed_by(signed, key):
            raise refusal(Code.PLAYER_SIGNATURE, version, key=key.hex(), seat=move.seat)
        self._new_key(version, key, f"stand-in's of seat {move.seat}")
        self.moves += 1

    # Numbers and hands.

    def _open(self, version: int, ceremony: Ceremony, numbers: tuple[bytes | None, ...]) -> None:
        """Every number that is there opens its commitment."""
        ctx = ceremony.ctx
        for seat in range(5):
            number = numbers[seat]
            if number is None:
                continue
            if seat == HOUSE_SEAT:
                key, committed = self.table.house.event_key, ceremony.house_commitment
            else:
                held = ceremony.commitments[seat]
                assert held is not None
                key, committed = ceremony.holders[seat].public_key, held
            if commitment(ctx, seat, key, number) != committed:
                whose = "the house" if seat == HOUSE_SEAT else f"seat {seat}"
                raise refusal(Code.NUMBER_DOES_NOT_OPEN, version, whose=whose)
            self.opened_numbers += 1

    def _deal(self, round_: Round) -> None:
        """The hands of the round that has just been dealt, from its reveal further on."""
        self.hands = NO_HANDS
        while self._reveals and self._reveals[0] <= self.place:
            self._reveals.pop(0)
        if not self._reveals:
            return
        event = self.reading.events[self._reveals[0]]
        content = event.content
        assert isinstance(content, RoundRevealed | ServerFault)
        assert round_.ceremony.commit_set is not None
        self._open(event.version, round_.ceremony, content.numbers)
        try:
            self.hands = hands_of(round_.ceremony.commit_set, content.numbers, round_.hakem, self.table.rules.packets)
        except HokmError as error:
            raise refusal_by(error, event.version) from None

    # What readers are told.

    def _look(self, event: Event, content: Ruling) -> None:
        """Take down what the entry means for the report; the table has it already."""
        table, version = self.table, event.version
        stage = table.stage
        match content:
            case GameStarted():
                self.started = table
                for place in table.places:
                    self._new_key(version, place.public_key, "player's")
            case CeremonyOpened():
                self.ceremonies += 1
                self._not_before(event, version)
            case HakemDrawn():
                self._contributed(version)
            case Dealt():
                assert isinstance(stage, Round)
                self._deal(stage)
                if self.hands is not NO_HANDS:
                    self._contributed(version)
            case CeremonyVoided(cause, seats):
                self.voids += 1
                self.missed += len(seats)
                what = "no commitment came from" if cause is VoidCause.NO_COMMITMENT else "no number came from"
                self.notes.append(f"entry {version}: the ceremony was voided: {what} {_seats(seats)}")
            case TimedOut(seat):
                self.missed += 1
                self.notes.append(
                    f"entry {version}: seat {seat} missed a deadline; the policy chose {_choice(content)}"
                )
            case StoodIn(seat, _, cause):
                self.stand_ins += 1
                word = ", which is the house's word" if cause is StandInCause.AWAY else ""
                self.notes.append(f"entry {version}: a stand-in took seat {seat} ({cause.name}){word}")
            case Reopened(seats):
                self.notes.append(
                    f"entry {version}: deadlines of {_seats(seats)} began anew because the house was down, "
                    "which is the house's word"
                )
            case ServerFault(cause):
                self.warnings.append(found(Code.SERVER_FAULT, version, cause=cause.name))
                if self.hands is NO_HANDS and self._was_dealt:
                    self.warnings.append(found(Code.DEAL_NOT_PROVEN, version, round=table.round))
            case _:
                pass
        self._was_dealt = isinstance(stage, Round)

    _was_dealt = False
    place = 0

    def _contributed(self, version: int) -> None:
        """Whose numbers these were. The ceremony is over, so its holders are taken from its opening."""
        places = self.table.places
        opening = self._last_opening
        own = tuple(
            place.kind is SeatKind.PERSON and holder.public_key == place.public_key
            for place, holder in zip(places, opening.holders, strict=True)
        )
        by_stand_in = tuple(
            place.kind is SeatKind.PERSON and holder.kind is SeatKind.STAND_IN
            for place, holder in zip(places, opening.holders, strict=True)
        )
        keys = tuple(holder.public_key for holder in opening.holders)
        self.contributions.append(Contribution(Context.from_bytes(opening.ctx), version, keys, own, by_stand_in))

    def _note_protest(self, version: int, seat: Seat, protest: Protest) -> None:
        self.protests += 1
        self.notes.append(f"entry {version}: seat {seat} protests: {protest.reason.name}")

    # Times.

    def _not_before(self, event: Event, version: int) -> None:
        content = event.content
        assert isinstance(content, CeremonyOpened)
        self._last_opening = content
        anchor = self.ground.anchors.get(version)
        if anchor is None or not anchor.cosignatures:
            return
        earliest = 1000 * min(seen.time for seen in anchor.cosignatures) - 60_000
        self.lower_ms = earliest
        if event.time_ms < earliest:
            raise refusal(Code.BEFORE_ANCHOR, version, early_ms=earliest - event.time_ms)

    def _after(self) -> None:
        """What only the end can tell."""
        cosignatures = self.ground.endorsed.cosignatures
        if not cosignatures:
            return
        latest = 1000 * max(seen.time for seen in cosignatures) + 60_000
        if self.table.time_ms <= latest:
            return
        for event in self.reading.events:
            if event.time_ms > latest:
                raise refusal(Code.AFTER_CHECKPOINT, event.version, late_ms=event.time_ms - latest)


# What stands where something else must.


def _name(content: SignedMove | Ruling) -> str:
    return type(content.move.act).__name__ if isinstance(content, SignedMove) else type(content).__name__


def _out_of_order(event: Event, needed: RulingKind | None) -> Refused:
    """Refuse an entry where another ruling is due; a ceremony's order is the seventh step, the rest the tenth."""
    content = event.content
    kind = type(content.move.act) if isinstance(content, SignedMove) else type(content)
    of_ceremony = (*CEREMONY_KINDS, Commit, Reveal)
    code = Code.CEREMONY_OUT_OF_ORDER if kind in of_ceremony or needed in of_ceremony else Code.OUT_OF_ORDER
    expected = "a move, or nothing yet," if needed is None else needed.__name__
    return refusal(code, event.version, found=_name(content), expected=expected)


def _not_due(table: Table, event: Event, needed: RulingKind | None) -> Refused:
    """Refuse a ruling that is not the next; one that only came too early is a matter of time."""
    content = event.content
    expiry = expires_ms(table)
    if needed is None and expiry is not None and overdue(table, expiry) is type(content):
        early = expiry - event.time_ms
        return refusal(Code.BEFORE_DEADLINE, event.version, found=_name(content), early_ms=early)
    return _out_of_order(event, needed)


def _same(code: Code, version: int, content: Ruling, expected: Ruling) -> None:
    """Raise by the first field that differs."""
    if content == expected:
        return
    for name in type(content).__slots__:  # type: ignore[attr-defined]
        is_, must = getattr(content, name), getattr(expected, name)
        if is_ != must:
            raise refusal(code, version, field=name, expected=must, found=is_)


def _ending(ending: Ruling) -> str:
    assert isinstance(ending, GameEnded)
    won = "" if ending.winner is None else f", won by the {'odd' if ending.winner else 'even'} seats"
    return ending.cause.name + won


def _choice(content: TimedOut) -> str:
    if content.trump is not None:
        return ("spades", "hearts", "diamonds", "clubs")[content.trump]
    assert content.card is not None
    return card_text(content.card)


def _seats(seats: tuple[Seat, ...]) -> str:
    return ("seat " if len(seats) == 1 else "seats ") + ", ".join(map(str, seats))


def _roles(ground: Ground) -> dict[bytes, str]:
    """The house's keys that no player may have."""
    return {key: role for manifest in ground.manifests for key, role in manifest.roles()}


__all__ = ["Contribution", "ProtestOnly", "Purpose", "Walk"]
