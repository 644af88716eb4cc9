# SPDX-License-Identifier: Apache-2.0
"""One table's entries as they come, each checked once and folded: what all seats of one program share.

An entry is taken if all of this holds, and is evidence of fraud if not:

    its frame, its spelling, its table; the house's signature, by the event key of the manifest that TableOpened names
    its version is the next one, and it names the leaf of the entry before; an entry that is there already is the same
    a ruling    is the one that is due, or that a deadline brings, with the very content that the rules give it;
                numbers in it open their commitments. What is the house's own word keeps its bounds.
    a move      comes when no ruling has to; it is signed by the key that holds the seat, has seen the entry that it
                says, and the rules let it pass
    a round     once its numbers are public, is decided again with all four hands

Nothing here belongs to one seat: that a number, a card or a commitment is one's own is `seat`'s to check.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from hokm.cards import Card, card_text, hand_of
from hokm.deal import HOUSE_SEAT, commitment, deal, hands, packets_of
from hokm.entry import ZERO_HASH, Entry, event_key_id, leaf, move_signed_by, parse_entry, signed_by
from hokm.errors import HokmError, Malformed, NotUnderstood, SeenOther, TooLong
from hokm.events import (
    CeremonyOpened,
    CeremonyVoided,
    CommitSetClosed,
    Dealt,
    Event,
    GameEnded,
    GameStarted,
    HakemDrawn,
    Join,
    Play,
    Reopened,
    RoundRevealed,
    Ruling,
    ServerFault,
    ServerFaultCause,
    SignedMove,
    StandInCause,
    StoodIn,
    TableOpened,
    TimedOut,
)
from hokm.keys import KeyManifest
from hokm.table import (
    Ceremony,
    Hands,
    House,
    Over,
    Round,
    Supply,
    Table,
    decide,
    decide_stand_in,
    due,
    evolve,
    may_call_away,
    may_fault,
    next_context,
    opened,
    overdue,
    reopening,
    rule,
    shown_numbers,
    signer,
    stand_in_wanted,
    vouch,
)
from hokm.wire import read_event
from hokm_client.fraud import Fraud, FraudKind

CeremonyNumbers = tuple[bytes, ...]

HOUSE_WORD: Final = (Reopened, StoodIn, ServerFault)
"""Rulings that may stand without being due or overdue, within bounds."""


class Deal(NamedTuple):
    """A deal whose numbers are public."""

    ctx: bytes
    packets: tuple[tuple[tuple[Card, ...], ...], ...]
    """As dealt, `[packet][seat]`."""
    hands: Hands


class Step(NamedTuple):
    """One entry that was checked, and what it made of the table."""

    event: Event
    entry: bytes
    leaf: bytes
    before: Table | None
    """None for the first entry."""
    after: Table
    deal: Deal | None = None
    """With a RoundRevealed, the deal that it makes public."""


class Stream:
    """The checked entries of one table."""

    __slots__ = (
        *("_key", "_key_id", "_manifest", "_manifest_leaf", "_of_round", "_own", "_successors"),
        *("dealt_at", "entries", "id", "leaves", "table", "trumps_at"),
    )

    def __init__(
        self, table_id: bytes, manifest: KeyManifest, manifest_leaf: bytes, successors: Sequence[KeyManifest] = ()
    ) -> None:
        """`manifest` is the one that the table's first entry names by leaf; `successors` came after it."""
        self.id = table_id
        self._manifest = manifest
        self._manifest_leaf = manifest_leaf
        self._key = manifest.event_key
        self._key_id = manifest.event_key_id
        self._successors = tuple(successors)
        self._own: dict[bytes, bytes] = {}
        self._of_round: list[tuple[Table, Event]] = []
        self.table: Table | None = None
        """After the last entry; None before the first."""
        self.dealt_at = -1
        """The version of the last Dealt."""
        self.trumps_at: int | None = None
        """The version of the entry that made trumps in that round, once it is there."""
        self.entries: list[bytes] = []
        self.leaves: list[bytes] = []

    @property
    def there(self) -> Table:
        """The table, once its first entry has come."""
        assert self.table is not None
        return self.table

    @property
    def event_key(self) -> bytes:
        """The key that signs this stream."""
        return self._key

    @property
    def origin(self) -> str:
        """The log's origin line."""
        return self._manifest.origin

    @property
    def is_over(self) -> bool:
        """Nothing comes after the last entry."""
        return self.table is not None and isinstance(self.table.stage, Over)

    def signed_here(self, body: bytes, signature: bytes) -> None:
        """A move that this program has signed itself: its signature need not be checked when it comes back."""
        self._own[body] = signature

    def not_sent(self, body: bytes) -> None:
        """A move of this program's was refused, or is not wanted any more."""
        self._own.pop(body, None)

    def take(self, first_version: int, entries: Sequence[bytes]) -> Iterator[Step]:
        """Check and fold entries, the first of which has that version, one step at a time.

        Entries that are there already are compared and passed over. Raises `Fraud`, and the stream stays as it was
        before the entry at fault; `NotUnderstood`, `TooLong` for what may be a later version's.
        """
        for version, octets in enumerate(entries, first_version):
            if version < len(self.entries):
                if octets != self.entries[version]:
                    raise self._two_entries(version, octets)
                continue
            yield self._take(version, octets)

    def _take(self, version: int, octets: bytes) -> Step:
        entry, event = self._read(version, octets)
        table = self.table
        try:
            self._check_place(version, event)
            if not self._is_signed(entry, event):
                raise self._fraud(FraudKind.BAD_SIGNATURE, "the entry is not signed by the house's event key")
            dealt = self._check(table, event)
        except Fraud as fraud:
            fraud.exhibits = {"entry": octets, **fraud.exhibits}
            fraud.proves = fraud.proves and self._is_signed(entry, event)
            raise
        after = opened(House(self.origin, self._key), event) if table is None else evolve(table, event)
        if table is not None:
            self._remember(table, event, after)
        made = leaf(octets)
        self.table = after
        self.entries.append(octets)
        self.leaves.append(made)
        return Step(event, octets, made, table, after, dealt)

    def _read(self, version: int, octets: bytes) -> tuple[Entry, Event]:
        """The entry and what it says.

        Raises `NotUnderstood`, `TooLong` for what the house did sign: it may be a later version's.
        """
        entry: Entry | None = None
        try:
            entry = parse_entry(octets)
            return entry, read_event(entry.body)
        except Malformed as error:
            if (
                entry is not None
                and isinstance(error, NotUnderstood | TooLong)
                and signed_by(entry, self._key, self._key_id)
            ):
                raise
            raise Fraud(FraudKind.BAD_ENTRY, version, str(error), exhibits={"entry": octets}) from None

    def _is_signed(self, entry: Entry, event: Event) -> bool:
        if signed_by(entry, self._key, self._key_id):
            return True
        content = event.content
        if not isinstance(content, ServerFault) or content.cause is not ServerFaultCause.KEY_REVOKED:
            return False
        return any(
            self._key in later.revoked_keys
            and signed_by(entry, later.event_key, event_key_id(later.origin, later.event_key))
            for later in self._successors
        )

    def _two_entries(self, version: int, octets: bytes) -> Fraud:
        entry, event = self._read(version, octets)
        both = {"entry": octets, "other": self.entries[version]}
        if event.version != version:
            return Fraud(FraudKind.BAD_ENTRY, version, "its version is not the one it came under", exhibits=both)
        if not self._is_signed(entry, event):
            return Fraud(FraudKind.BAD_SIGNATURE, version, "another entry, which the house did not sign", exhibits=both)
        what = "the house has signed two entries for one place"
        return Fraud(FraudKind.TWO_ENTRIES, version, what, proves=True, exhibits=both)

    def _check_place(self, version: int, event: Event) -> None:
        """Table, version, link and time."""
        table = self.table
        if event.version != version or version > len(self.entries):
            raise self._fraud(FraudKind.GAP, f"entry {event.version} came where {len(self.entries)} is next")
        if event.table != self.id:
            raise self._fraud(FraudKind.BAD_ENTRY, "it is of another table")
        previous = self.leaves[-1] if self.leaves else ZERO_HASH
        if event.previous != previous:
            raise self._fraud(FraudKind.BAD_CHAIN, "it does not name the entry before it", proves=True)
        if table is not None and event.time_ms < table.time_ms:
            raise self._fraud(FraudKind.FORGED_RULING, "its time is before that of the entry before it", proves=True)

    def _remember(self, table: Table, event: Event, after: Table) -> None:
        """Keep what is decided again when the round is revealed, and which entries release cards."""
        if isinstance(table.stage, Round):
            content = event.content
            if type(content) is TimedOut or (type(content) is SignedMove and isinstance(content.move.act, Play)):
                self._of_round.append((table, event))
            if self.trumps_at is None and isinstance(after.stage, Round) and after.stage.trump is not None:
                self.trumps_at = event.version
        elif isinstance(after.stage, Round):
            self._of_round, self.dealt_at, self.trumps_at = [], event.version, None

    # What an entry says.

    def _check(self, table: Table | None, event: Event) -> Deal | None:
        content = event.content
        if table is None:
            if not isinstance(content, TableOpened):
                raise self._forged("a stream begins with TableOpened")
            if content.manifest_leaf != self._manifest_leaf:
                raise self._forged("it names another key manifest")
            return None
        if type(content) is SignedMove:
            self._check_move(table, event, content)
            return None
        assert not isinstance(content, SignedMove)
        try:
            return self._check_ruling(table, event.time_ms, content)
        except Fraud:
            raise
        except HokmError as error:
            raise self._forged(str(error)) from None

    def _check_move(self, table: Table, event: Event, signed: SignedMove) -> None:
        wanted = due(table) or overdue(table, event.time_ms)
        if wanted is not None:
            raise self._forged(f"a move stands where {wanted.__name__} must", FraudKind.FORGED_MOVE)
        try:
            self._check_signed(table, signed)
            decide(table, signed.move, event.time_ms)
        except HokmError as error:
            kind = FraudKind.TWO_SETS if error.reason == "WRONG_COMMIT_SET" else FraudKind.FORGED_MOVE
            raise self._forged(str(error), kind) from None

    def _check_signed(self, table: Table, signed: SignedMove) -> None:
        """The signature under a move, and its head."""
        move = signed.move
        key = signer(table, move)
        if self._own.pop(signed.body, None) != signed.signature and not move_signed_by(signed, key):
            raise self._forged(f"the move of seat {move.seat} is not signed by its key", FraudKind.FORGED_MOVE)
        vouch(table, move)
        if self.leaves[move.seen_version] != move.seen_hash:
            raise SeenOther(move.seen_version, move.seen_hash.hex())

    def _check_ruling(self, table: Table, time_ms: int, content: Ruling) -> Deal | None:
        kind = type(content)
        if isinstance(content, HOUSE_WORD) and self._is_house_word(table, time_ms, content):
            return None
        wanted = due(table) or overdue(table, time_ms)
        if kind is not wanted:
            instead = "a move" if wanted is None else wanted.__name__
            raise self._forged(f"{kind.__name__} stands where {instead} must")
        supply = Supply()
        dealt = None
        match content:
            case CeremonyOpened(ctx=ctx, house_commitment=house_commitment, anchor=anchor):
                if ctx != next_context(table).to_bytes():
                    raise self._forged("the ceremony is not the one that comes next", FraudKind.WRONG_CONTEXT)
                supply = Supply(house_commitment=house_commitment, anchor=anchor)
            case CeremonyVoided() | ServerFault():
                self._check_shown(table, shown_numbers(content))
                supply = Supply(shown_numbers(content))
            case HakemDrawn(numbers=numbers):
                self._check_numbers(_ceremony(table), dict(enumerate(numbers)))
                supply = Supply(numbers)
            case RoundRevealed(numbers=numbers):
                supply = Supply(numbers)
                dealt = self._decide_again(table, numbers)
            case StoodIn(join=join):
                wanted_seat = stand_in_wanted(table)
                assert wanted_seat is not None
                self._check_stand_in(table, content, wanted_seat[0])
                supply = Supply(join=join)
            case TimedOut():
                self._check_policy_play(table, content)
                return None
            case CommitSetClosed() | GameStarted() | Dealt() | GameEnded():
                pass
            case _:
                raise AssertionError("no table opens with the rule that this ruling belongs to")
        if content != rule(table, kind, supply):
            changed = kind is CommitSetClosed
            raise self._forged(
                f"{kind.__name__} says what the rules do not give",
                FraudKind.CHANGED_SET if changed else FraudKind.FORGED_RULING,
            )
        return dealt

    def _is_house_word(self, table: Table, time_ms: int, content: Reopened | StoodIn | ServerFault) -> bool:
        """Whether it may stand as the house's word; False where only a rule could have brought it."""
        match content:
            case Reopened(seats=seats):
                if due(table) is not None or not seats or not set(seats) <= set(reopening(table, time_ms)):
                    raise self._forged("a decision begins anew that has not run out, or has begun anew before")
                return True
            case StoodIn(cause=StandInCause.AWAY, seat=seat):
                if due(table) is not None or not may_call_away(table, seat, time_ms):
                    raise self._forged(f"seat {seat} cannot be called away here")
                self._check_stand_in(table, content, seat)
                return True
            case ServerFault():
                if not may_fault(table, content):
                    return False
                if isinstance(table.stage, Ceremony):
                    self._check_some(table, shown_numbers(content))
                return True
            case _:
                return False

    def _check_stand_in(self, table: Table, content: StoodIn, seat: int) -> None:
        move = content.join.move
        if content.seat != seat or move.seat != seat or not isinstance(move.act, Join):
            raise self._forged(f"a stand-in is wanted in seat {seat}")
        decide_stand_in(table, move)
        self._check_signed(table, content.join)

    def _check_policy_play(self, table: Table, content: TimedOut) -> None:
        """What can be seen of a policy play without the hand; the rest when the round is revealed."""
        stage = table.stage
        assert isinstance(stage, Round)
        names = stage.trump is None
        if content.seat != stage.turn or names != (content.trump is not None) or names == (content.card is not None):
            raise self._forged("the policy decided what was not to be decided")
        if content.card is not None and stage.played >> content.card & 1:
            raise self._forged(f"{card_text(content.card)} was played before")

    # Numbers and cards.

    def _check_shown(self, table: Table, numbers: tuple[bytes | None, ...]) -> None:
        """A ceremony that ended without a deal shows the numbers that had come, and the house's."""
        come = (*_ceremony(table).revealed, True)
        if tuple(number is not None for number in numbers) != come:
            raise self._forged("it carries other numbers than those that were revealed")
        self._check_some(table, numbers)

    def _check_some(self, table: Table, numbers: tuple[bytes | None, ...]) -> None:
        there = {seat: number for seat, number in enumerate(numbers) if number is not None}
        self._check_numbers(_ceremony(table), there)

    def _check_numbers(self, ceremony: Ceremony, numbers: dict[int, bytes]) -> None:
        """Every number opens the commitment of its seat."""
        keys = (*(holder.public_key for holder in ceremony.holders), self._key)
        made = (*ceremony.commitments, ceremony.house_commitment)
        for seat, number in numbers.items():
            if commitment(ceremony.ctx, seat, keys[seat], number) != made[seat]:
                who = "the house" if seat == HOUSE_SEAT else f"seat {seat}"
                raise self._forged(f"the number of {who} does not open its commitment", FraudKind.WRONG_NUMBER)

    def _decide_again(self, table: Table, numbers: CeremonyNumbers) -> Deal:
        """The deal of a round whose numbers are public, after every card and policy play was decided with it."""
        stage = table.stage
        assert isinstance(stage, Round)
        ceremony = stage.ceremony
        assert ceremony.commit_set is not None
        self._check_numbers(ceremony, dict(enumerate(numbers)))
        deck = deal(ceremony.commit_set, numbers)
        packets = packets_of(deck, stage.hakem, table.rules.packets)
        known = Hands(hands(deck, stage.hakem, table.rules.packets), hand_of(packets[0][stage.hakem]))
        for before, event in self._of_round:
            content = event.content
            if isinstance(content, SignedMove):
                try:
                    decide(before, content.move, event.time_ms, known)
                except HokmError as error:
                    raise self._forged(f"entry {event.version}: {error}", FraudKind.FORGED_MOVE) from None
            elif content != rule(before, TimedOut, Supply(hands=known)):
                raise self._forged(f"entry {event.version}: the policy does not give this")
        return Deal(ceremony.ctx, packets, known)

    # Fraud.

    def _fraud(self, kind: FraudKind, what: str, *, proves: bool = False) -> Fraud:
        return Fraud(kind, len(self.entries), what, proves)

    def _forged(self, what: str, kind: FraudKind = FraudKind.FORGED_RULING) -> Fraud:
        return self._fraud(kind, what, proves=True)


def _ceremony(table: Table) -> Ceremony:
    assert isinstance(table.stage, Ceremony)
    return table.stage
