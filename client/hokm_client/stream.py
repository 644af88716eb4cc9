# SPDX-License-Identifier: Apache-2.0
"""One table's entries as they come, each checked once and folded: what all seats of one program share.

An entry is taken if all of this holds, and is evidence of fraud if not:

    its frame, its spelling, its table; the house's signature, by the event key of the manifest that TableOpened names
    its version is the next one, and it names the leaf of the entry before; an entry that is there already is the same
    a ruling    is the one that is due, or that a deadline brings, with the very content that the rules give it;
                numbers in it open their commitments. What is the house's own word keeps its bounds.
    witnesses   have seen a commit set by the policy of whoever reads, where the table waits for them
    a move      comes when no ruling has to; it is signed by the key that holds the seat, has seen the entry that it
                says, and the rules let it pass
    a round     once its numbers are public, is decided again with all four hands

Nothing here belongs to one seat: that a number, a card or a commitment is one's own is `seat`'s to check.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hokm.entry import ZERO_HASH, Entry, event_key_id, leaf, move_signed_by, parse_entry, signed_by
from hokm.errors import HokmError, Malformed, NotUnderstood, SeenOther, TooLong
from hokm.events import (
    CommitSetWitnessed,
    Event,
    ServerFault,
    ServerFaultCause,
    SignedMove,
    StoodIn,
    TableOpened,
)
from hokm.policy import Policy
from hokm.table import (
    Ceremony,
    House,
    Over,
    Round,
    Table,
    decide,
    due,
    evolve,
    opened,
    overdue,
    signer,
    vouch,
)
from hokm.wire import read_event
from hokm_client.errors import ManifestWanted
from hokm_client.fraud import Fraud, FraudKind
from hokm_client.rulings import Deal, check_ruling, decide_again, revealed
from hokm_client.trust import Manifests, TableKeys
from hokm_client.witnesses import check_set_witnessed


class Step(NamedTuple):
    """One entry that was checked, and what it made of the table."""

    event: Event
    entry: bytes
    leaf: bytes
    before: Table | None
    """None for the first entry."""
    after: Table
    deal: Deal | None = None
    """The deal that this entry makes public: a RoundRevealed, or the end of a game whose key was revoked."""


class Stream:
    """The checked entries of one table."""

    __slots__ = (
        *("_has_asked", "_house", "_key_id", "_manifest_leaf", "_of_round", "_own", "_policy", "_successors"),
        *("dealt_at", "entries", "id", "leaves", "table", "trumps_at"),
    )

    def __init__(self, table_id: bytes, keys: TableKeys, policy: Policy) -> None:
        """`keys` are those of the manifest that the table's first entry names; `policy` says whose word counts."""
        self.id = table_id
        self._policy = policy
        self._manifest_leaf = keys.leaf
        self._house = House(keys.manifest.origin, keys.manifest.event_key, keys.other_keys)
        self._key_id = keys.manifest.event_key_id
        self._successors = keys.successors
        self._has_asked = False
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
        return self._house.event_key

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

    def learn(self, manifests: Manifests) -> None:
        """All manifests that there are now: what `ManifestWanted` asks for."""
        keys = manifests.of(self._manifest_leaf)
        assert keys is not None
        self._successors = keys.successors
        self._has_asked = True

    def take(self, first_version: int, entries: Sequence[bytes]) -> Iterator[Step]:
        """Check and fold entries, the first of which has that version, one step at a time.

        Entries that are there already are compared and passed over. Raises `Fraud`, and the stream stays as it was
        before the entry at fault; `NotUnderstood`, `TooLong` for what may be a later version's; once `ManifestWanted`,
        where a manifest that is not known yet may name the key that signed.
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
                if _is_revocation(event) and not self._has_asked:
                    raise ManifestWanted(version)
                raise self._fraud(FraudKind.BAD_SIGNATURE, "the entry is not signed by the house's event key")
            dealt = self._check(table, event)
        except Fraud as fraud:
            fraud.exhibits = {"entry": octets, **fraud.exhibits}
            fraud.proves = fraud.proves and self._is_signed(entry, event)
            raise
        after = opened(self._house, event) if table is None else evolve(table, event)
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
                and signed_by(entry, self.event_key, self._key_id)
            ):
                raise
            raise Fraud(FraudKind.BAD_ENTRY, version, str(error), exhibits={"entry": octets}) from None

    def _is_signed(self, entry: Entry, event: Event) -> bool:
        if signed_by(entry, self.event_key, self._key_id):
            return True
        return _is_revocation(event) and any(
            self.event_key in later.revoked_keys
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
            check_ruling(table, event.time_ms, content)
            if isinstance(content, StoodIn):
                self._check_signed(table, content.join)
            elif isinstance(content, CommitSetWitnessed):
                self._check_witnessed(table, event, content)
            return decide_again(table, event, self._of_round) if revealed(content) else None
        except Fraud:
            raise
        except HokmError as error:
            raise self._forged(str(error)) from None

    def _check_witnessed(self, table: Table, event: Event, content: CommitSetWitnessed) -> None:
        """The commit set of this ceremony has been seen."""
        assert isinstance(table.stage, Ceremony)
        assert table.stage.closed is not None
        closed = self.leaves[table.stage.closed]
        check_set_witnessed(content, event.version, closed, self._house.origin, self._policy)

    def _check_move(self, table: Table, event: Event, signed: SignedMove) -> None:
        wanted = due(table, event.time_ms) or overdue(table, event.time_ms)
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

    # Fraud.

    def _fraud(self, kind: FraudKind, what: str, *, proves: bool = False) -> Fraud:
        return Fraud(kind, len(self.entries), what, proves)

    def _forged(self, what: str, kind: FraudKind = FraudKind.FORGED_RULING) -> Fraud:
        return self._fraud(kind, what, proves=True)


def _is_revocation(event: Event) -> bool:
    """The one entry that another key than the table's own may sign."""
    content = event.content
    return isinstance(content, ServerFault) and content.cause is ServerFaultCause.KEY_REVOKED


def move_in(entry: bytes) -> bytes | None:
    """The bytes of the move that an entry holds, whoever signed it."""
    try:
        content = read_event(parse_entry(entry).body).content
    except Malformed:
        return None
    signed = content.join if isinstance(content, StoodIn) else content
    return signed.body if isinstance(signed, SignedMove) else None
