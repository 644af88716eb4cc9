# SPDX-License-Identifier: Apache-2.0
"""Steps 6 to 12: one walk along the entries, in which everything that a table lets happen is decided again.

The first entry that does not follow from those before it ends the walk. Which step it is refused by depends on what
is wrong with it, not on when it is looked at.

The hands of a round are known from where it is dealt: the numbers that its RoundRevealed carries, further on, are
held against the commitments first. Where that entry is missing nobody's cards are known, and only what everybody can
see of the moves is decided.
"""

from __future__ import annotations

from collections.abc import Callable

from hokm.entry import move_signed_by
from hokm.errors import HokmError, SeenOther, SharedKey
from hokm.events import (
    CeremonyOpened,
    CommitSetWitnessed,
    Dealt,
    Event,
    HakemDrawn,
    Join,
    LayEarly,
    Play,
    Reopened,
    RoundRevealed,
    Ruling,
    Run,
    ServerFault,
    SignedMove,
    StandInCause,
    StoodIn,
)
from hokm.policy import Endorsed
from hokm.table import (
    NO_HANDS,
    Ceremony,
    Hands,
    House,
    Opened,
    Round,
    RulingKind,
    Table,
    check_new_key,
    decide,
    decide_stand_in,
    due,
    evolve,
    hands_of,
    laid_card,
    may_call_away,
    may_witness,
    opened,
    openings,
    overdue,
    resumed,
    signer,
    vouch,
)
from hokm.verify.codes import Code, Step
from hokm.verify.ground import Ground
from hokm.verify.report import refusal, refusal_by
from hokm.verify.round_before import check_round_before
from hokm.verify.rulings import check_content, check_reopened, is_word_of_house, not_due, open_numbers, out_of_order
from hokm.verify.told import Told
from hokm.verify.wishes import Signatures
from hokm.verify.witnesses import check_witnessed

ALLOWED_MS = 60_000
"""By how much the house's clock may differ from the witnesses'."""


class Walk:
    """The walk, and what it has seen so far."""

    def __init__(self, ground: Ground, signatures: Signatures) -> None:
        self._ground = ground
        reading = self._reading = ground.reading
        self.signatures = signatures
        self.told = Told()
        self.hands: Hands = NO_HANDS
        self.moves = 0
        self.cards = 0
        """Cards that were decided again, and of them: without the hands."""
        self.in_the_dark = 0
        self.numbers = 0
        """Numbers that opened their commitments."""
        self.ceremonies = 0
        self.witnessed = 0
        """Sets that witnesses had seen before a number was shown."""
        self._laid: Opened = {}
        """The face-down cards of the round, as they are opened further on."""
        self._attempt_is_known = True
        self._reveals = [event for event in reading.events if _reveals(event.content)]
        self._reveals.reverse()
        house = House(reading.proof.origin, ground.manifest.event_key)
        self.table: Table = opened(house, (reading.opening or reading.events)[0])

    def walk(self, each: Callable[[Table, Event, Table], object] | None = None) -> None:
        """Walk to the end, and call `each` with every entry but the opening's, between two tables. Raises `Refused`."""
        reading = self._reading
        for event in reading.opening[1:]:
            self._step(event, self._take)
        if reading.opening:
            self._step(reading.events[0], self._resume)
        for event in reading.events[1:]:
            before = self.table
            self._step(event, self._take)
            if each is not None:
                each(before, event, self.table)
        self._not_after_checkpoint()

    def _step(self, event: Event, take: Callable[[Event], None]) -> None:
        """One entry more. Whatever error of the tree stands against it is its refusal."""
        try:
            take(event)
        except HokmError as error:
            raise refusal_by(error, event.version) from None

    def _resume(self, event: Event) -> None:
        """Go on from the RoundRevealed before a later round."""
        started, content = self.table, event.content
        assert isinstance(content, RoundRevealed)
        assert self._reading.proof.round is not None
        if event.time_ms < started.time_ms:
            raise refusal(Code.TIME_FELL, event.version)
        table = started
        for seat, carried in enumerate(content.carried.seats):
            if carried.stand_in_key:
                check_new_key(table, carried.stand_in_key)
                self._is_players(event.version, carried.stand_in_key, f"stand-in's of seat {seat}")
                table = table._replace(spent_keys=table.spent_keys | {carried.stand_in_key})
        self.table = resumed(started, event, self._reading.proof.round)
        check_round_before(started, event, self.table)
        self._attempt_is_known = False

    def _learn_attempt(self, content: SignedMove | Ruling) -> None:
        """The attempt of the round before is not in the proof of this one: the first move that names it says it."""
        move = content.move if isinstance(content, SignedMove) else None
        if isinstance(content, StoodIn):
            move = content.join.move
        if move is not None:
            self.table = self.table._replace(attempt=move.attempt)
        self._attempt_is_known = move is not None or isinstance(content, CeremonyOpened)

    def _take(self, event: Event) -> None:
        """The next entry, a move or a ruling."""
        content = event.content
        if not self._attempt_is_known:
            self._learn_attempt(content)
        table = self.table
        if event.time_ms < table.time_ms:
            raise refusal(Code.TIME_FELL, event.version)
        needed = due(table, event.time_ms)
        if isinstance(content, SignedMove):
            if needed is not None:
                raise out_of_order(event, needed)
            self._move(table, event, content)
            self.table = evolve(table, event)
        else:
            self._ruling(table, event, content, needed)
            self.table = evolve(self.table, event)
            self._after_ruling(table, event, content)

    # Moves.

    def _move(self, table: Table, event: Event, signed: SignedMove) -> None:
        move = signed.move
        version, time_ms = event.version, event.time_ms
        late = overdue(table, time_ms)
        if late is not None:
            found = type(move.act).__name__
            raise refusal(Code.DEADLINE_IGNORED, version, found=found, expected=late.__name__)
        key = signer(table, move)
        vouch(table, move)
        self._signed(version, signed, key)
        act = move.act
        laid = laid_card(table, move.seat, act, self._laid) if type(act) is LayEarly else None
        decide(table, move, time_ms, self.hands, laid)
        if type(act) is Play or type(act) is Run:
            self.cards += 1
            self.in_the_dark += self.hands is NO_HANDS
        elif type(act) is Join:
            self._is_players(version, act.public_key, f"player's of seat {move.seat}")
        if move.protest is not None:
            self.told.protest(version, move.seat, move.protest)

    def _signed(self, version: int, signed: SignedMove, key: bytes) -> None:
        """The move is signed by that key, over the history that is here."""
        move = signed.move
        seen = self._leaf(move.seen_version)
        if seen is not None and seen != move.seen_hash:
            raise SeenOther(move.seen_version, move.seen_hash.hex())
        if self.signatures is not Signatures.NONE and not move_signed_by(signed, key):
            raise refusal(Code.PLAYER_SIGNATURE, version, key=key.hex(), seat=move.seat)
        self.moves += 1

    def _leaf(self, version: int) -> bytes | None:
        """The leaf of that version, None where a proof leaves it out."""
        ground = self._ground
        first = self._reading.proof.first_version
        if version >= first:
            return ground.leaves[version - first]
        return ground.opening_leaves[version] if version < len(ground.opening_leaves) else None

    def _is_players(self, version: int, key: bytes, role: str) -> None:
        """No player has a key of the house."""
        other = self._ground.house_keys.get(key)
        if other is not None:
            raise refusal_by(SharedKey(key.hex(), other, role), version, Step.PLAYERS)

    # Rulings.

    def _ruling(self, table: Table, event: Event, content: Ruling, needed: RulingKind | None) -> None:
        if isinstance(content, Reopened):
            check_reopened(table, event, content)
            return
        if isinstance(content, ServerFault) and is_word_of_house(table, event, content):
            return
        if isinstance(content, CommitSetWitnessed) and may_witness(table, event.time_ms):
            self._witnessed(table, event, content)
            return
        if isinstance(content, StoodIn) and content.cause is StandInCause.AWAY and needed is None:
            if not may_call_away(table, content.seat, event.time_ms):
                raise refusal(Code.NOT_AWAY, event.version, seat=content.seat)
            self._joined(table, event.version, content)
            return
        if needed is None:
            needed = overdue(table, event.time_ms)
        if needed is not type(content):
            raise not_due(table, event, needed)
        self.numbers += check_content(table, event.version, content, self.hands)
        if isinstance(content, StoodIn):
            self._joined(table, event.version, content)

    def _witnessed(self, table: Table, event: Event, content: CommitSetWitnessed) -> None:
        """Witnesses have seen the set that is closed, and not after this entry."""
        ground, stage = self._ground, table.stage
        assert isinstance(stage, Ceremony)
        assert stage.closed is not None
        closed = self._leaf(stage.closed)
        assert closed is not None, "it stands in the ceremony, all of which is here"
        seen = check_witnessed(content, event.version, closed, self._reading.proof.origin, ground.policy)
        self._not_before(event, seen)
        self.witnessed += bool(seen.cosignatures)
        if ground.policy is not None and not seen.cosignatures:
            self.told.not_witnessed(event.version)

    def _joined(self, table: Table, version: int, content: StoodIn) -> None:
        """The stand-in's Join is signed by a key of its own, and may be."""
        move = content.join.move
        act = move.act
        if not isinstance(act, Join):
            raise refusal(Code.OUT_OF_ORDER, version, found=type(act).__name__, expected="Join")
        if move.seat != content.seat:
            raise refusal(Code.OTHER_SEAT_JOINED, version, joined=move.seat, seat=content.seat)
        vouch(table, move)
        decide_stand_in(table, move)
        self._signed(version, content.join, act.public_key)
        self._is_players(version, act.public_key, f"stand-in's of seat {move.seat}")

    def _after_ruling(self, before: Table, event: Event, content: Ruling) -> None:
        """What follows from a ruling for the entries after it, and for the reader."""
        table, version = self.table, event.version
        stage = before.stage
        self.told.ruling(version, content)
        match content:
            case CeremonyOpened():
                self.ceremonies += 1
                self._not_before(event, self._ground.anchors.get(event.version))
            case HakemDrawn():
                assert isinstance(stage, Ceremony)
                self.told.contributed(stage.ctx, version, stage.holders, table.places)
            case Dealt():
                assert isinstance(stage, Ceremony)
                self._deal(table, version)
                if self.hands is not NO_HANDS:
                    self.told.contributed(stage.ctx, version, stage.holders, table.places)
            case ServerFault() if isinstance(stage, Round) and self.hands is NO_HANDS:
                self.told.not_proven(version, table.round)
            case _:
                pass

    def _deal(self, table: Table, version: int) -> None:
        """The hands of the round that has just been dealt, from the numbers that are revealed further on."""
        self.hands = NO_HANDS
        self._laid = openings(self._reading.after(version)) if table.rules.coming_early else {}
        while self._reveals and self._reveals[-1].version <= version:
            self._reveals.pop()
        if not self._reveals:
            return
        event = self._reveals[-1]
        content, round_ = event.content, table.stage
        assert isinstance(content, RoundRevealed | ServerFault)
        assert isinstance(round_, Round)
        assert round_.ceremony.commit_set is not None
        self.numbers += open_numbers(table, event.version, round_.ceremony, content.numbers)
        try:
            self.hands = hands_of(round_.ceremony.commit_set, content.numbers, round_.hakem, table.rules.packets)
        except HokmError as error:
            raise refusal_by(error, event.version) from None

    # Times.

    def _not_before(self, event: Event, known: Endorsed | None) -> None:
        """An entry that names a checkpoint comes when a witness has seen it; times never fall from there."""
        if known is None or not known.cosignatures:
            return
        earliest = 1000 * min(seen.time for seen in known.cosignatures) - ALLOWED_MS
        if event.time_ms < earliest:
            raise refusal(Code.BEFORE_ANCHOR, event.version, early_ms=earliest - event.time_ms)

    def _not_after_checkpoint(self) -> None:
        """Nothing says that it was later than a witness saw the log that it is in."""
        cosignatures = self._ground.endorsed.cosignatures
        if not cosignatures:
            return
        latest = 1000 * max(seen.time for seen in cosignatures) + ALLOWED_MS
        if self.table.time_ms <= latest:
            return
        for event in self._reading.events:
            if event.time_ms > latest:
                raise refusal(Code.AFTER_CHECKPOINT, event.version, late_ms=event.time_ms - latest)


def _reveals(content: SignedMove | Ruling) -> bool:
    """Whether an entry carries the five numbers of a deal."""
    return isinstance(content, RoundRevealed) or (isinstance(content, ServerFault) and bool(content.numbers))
