# SPDX-License-Identifier: Apache-2.0
"""Entries that are decided, built and signed, and not yet durable: one table a few steps ahead of its log.

A draft starts from a live table, takes rulings and moves one after the other, and is appended as a whole: what follows
from a move without any clock, such as the deal after the fourth Reveal, stands or falls with it. If the append fails
the draft is dropped with its signatures, and nothing has happened.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from hokm.cards import Card
from hokm.deal import HOUSE_SEAT, commitment, deal, house_number, packets_of
from hokm.entry import ZERO_HASH, leaf, move_signed_by, sign_event
from hokm.errors import (
    BadSignature,
    EarlyNotOpened,
    NumberNotOpened,
    SeatStoodIn,
    SeenOther,
    StandInNotDue,
    StreamUsedUp,
)
from hokm.events import (
    Anchor,
    CeremonyOpened,
    CeremonyVoided,
    CommitSetWitnessed,
    Dealt,
    EarlyTurned,
    Event,
    GameEnded,
    HakemDrawn,
    Join,
    LayEarly,
    MiddleTurned,
    NameTrump,
    Reopened,
    Reveal,
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
from hokm.rules import Packets, Seat
from hokm.table import (
    NO_HANDS,
    Ceremony,
    Hands,
    LaidCard,
    Lay,
    Round,
    RulingKind,
    Seating,
    Supply,
    Table,
    decide,
    decide_stand_in,
    evolve,
    fault,
    hands_in,
    may_call_away,
    next_context,
    opened,
    rule,
    signer,
    stand_in_wanted,
    vouch,
)
from hokm.wire import write_event
from hokm_server.signets import Signet
from hokm_server.store import SealName

Opening: TypeAlias = tuple[Card, bytes]
"""Card and salt of a card that was laid face down."""


class Beside(NamedTuple):
    """What comes with a move, in confidence: it is neither signed nor logged."""

    number: bytes = b""
    """With a Reveal."""
    early: Opening | None = None
    """With a LayEarly."""
    join_code: str = ""
    """With a Join at a private table."""


NOTHING_BESIDE = Beside()


class Secrets(NamedTuple):
    """What the house alone knows of a ceremony or of the round that came out of it."""

    ctx: bytes
    numbers: tuple[bytes | None, ...]
    """By seat, the house's last."""
    packets: tuple[tuple[tuple[Card, ...], ...], ...] = ()
    """The cards as dealt, `[packet][seat]`, from Dealt on."""
    hands: Hands = NO_HANDS
    laid: tuple[tuple[int, Opening], ...] = ()
    """By the version of its LayEarly, each card of this round that was laid face down and did not turn over."""

    def openings(self, *lays: Lay | None) -> tuple[Opening, ...]:
        """Card and salt of these lays; of one that is lost there is none."""
        laid = dict(self.laid)
        return tuple(laid[lay.version] for lay in lays if lay is not None and lay.version in laid)


NO_SECRETS = Secrets(b"", (None,) * 5)


class Release(NamedTuple):
    """An entry that released cards."""

    version: int
    leaf: bytes
    packets: tuple[tuple[int, int], ...]
    """Seat and packet, 1 to 3."""


class Draft:
    """One table a few entries ahead of its log."""

    __slots__ = (
        "_leaf_of",
        "_signet",
        "entries",
        "first_version",
        "leaves",
        "moves",
        "releases",
        "reopens",
        "sealed",
        "secrets",
        "table",
        "unsealed",
    )

    def __init__(
        self,
        signet: Signet,
        table: Table | None,
        secrets: Secrets,
        leaf_of: Callable[[int], bytes | None],
        *,
        reopens: bool = False,
    ) -> None:
        """`leaf_of` gives the leaf of a durable entry of this stream, None where there is none."""
        self._signet = signet
        self._leaf_of = leaf_of
        self.reopens = reopens
        """The house was down: deadlines that have passed begin anew before they bring anything."""
        self.table = table
        self.secrets = secrets
        self.first_version = 0 if table is None else table.version + 1
        self.entries: list[bytes] = []
        self.leaves: list[bytes] = []
        self.moves: list[bytes] = []
        """By entry, the bytes of the move that made it; empty where none did."""
        self.releases: list[Release] = []
        self.sealed: list[tuple[SealName, bytes]] = []
        """Numbers and face-down cards to be sealed with these entries."""
        self.unsealed: list[SealName] = []
        """Of a round that goes on: face-down cards that are public with these entries."""

    def open(self, table_id: bytes, content: TableOpened, time_ms: int) -> None:
        """The first entry of a stream; the draft has begun with no table."""
        event = Event(table_id, 0, ZERO_HASH, time_ms, content)
        self._sign(event)
        self.table = opened(self._signet.house, event)

    # Moves.

    def move(self, signed: SignedMove, beside: Beside, time_ms: int) -> None:
        """Take a move at that time, with what came beside it.

        Nothing may be due. Raises whatever `vouch` and `decide` refuse it for, `BadSignature`, `SeatStoodIn`,
        `SeenOther`, `NumberNotOpened`, `EarlyNotOpened`, and then nothing has changed.
        """
        table = self._there()
        move = signed.move
        self._signed(table, signed)
        vouch(table, move)
        if self._leaf(move.seen_version) != move.seen_hash:
            raise SeenOther(move.seen_version, move.seen_hash.hex())
        laid = self._laid_card(move.seat, beside) if type(move.act) is LayEarly else None
        decide(table, move, time_ms, self.secrets.hands, laid)
        if type(move.act) is Reveal:
            self._keep_number(table, move.seat, beside.number)
        self._add(signed, time_ms)
        if type(move.act) is NameTrump:
            self._release_rest()
        elif laid is not None:
            self._keep_lay(move.seat, (laid.card, laid.salt))

    def stand_in(self, signed: SignedMove, time_ms: int) -> None:
        """Take the Join of a stand-in where a StoodIn is due, or may be since a person is away.

        Raises `StandInNotDue`, whatever `decide_stand_in` and `vouch` refuse it for, `BadSignature`, `SeenOther`, and
        then nothing has changed.
        """
        table = self._there()
        move = signed.move
        wanted = stand_in_wanted(table)
        if wanted is not None:
            seat, cause = wanted
        else:
            seat, cause = move.seat, StandInCause.AWAY
            if not may_call_away(table, seat, time_ms):
                raise StandInNotDue(seat)
        if move.seat != seat:
            raise StandInNotDue(move.seat)
        decide_stand_in(table, move)
        self._signed(table, signed)
        vouch(table, move)
        if self._leaf(move.seen_version) != move.seen_hash:
            raise SeenOther(move.seen_version, move.seen_hash.hex())
        self._add(StoodIn(seat, signed, cause), time_ms)

    def _signed(self, table: Table, signed: SignedMove) -> None:
        key = signer(table, signed.move)
        if move_signed_by(signed, key):
            return
        if not isinstance(table.stage, Seating) and not isinstance(signed.move.act, Join):
            player = table.places[signed.move.seat].public_key
            if player != key and move_signed_by(signed, player):
                raise SeatStoodIn(signed.move.seat)
        raise BadSignature(key.hex())

    def _keep_number(self, table: Table, seat: int, number: bytes) -> None:
        stage = table.stage
        assert isinstance(stage, Ceremony)
        if (
            len(number) != 32
            or commitment(stage.ctx, seat, stage.holders[seat].public_key, number) != (stage.commitments[seat])
        ):
            raise NumberNotOpened(seat)
        self._set_number(seat, number)

    def _set_number(self, seat: int, number: bytes) -> None:
        numbers = self.secrets.numbers
        self.secrets = self.secrets._replace(numbers=(*numbers[:seat], number, *numbers[seat + 1 :]))
        self.sealed.append((SealName(self.secrets.ctx, seat), number))

    def _laid_card(self, seat: Seat, beside: Beside) -> LaidCard:
        if beside.early is None:
            raise EarlyNotOpened(seat)
        return LaidCard(*beside.early, frozenset(salt for _, (_, salt) in self.secrets.laid))

    def _keep_lay(self, seat: Seat, opening: Opening) -> None:
        version = self._there().version
        self.secrets = self.secrets._replace(laid=(*self.secrets.laid, (version, opening)))
        card, salt = opening
        self.sealed.append((SealName(self.secrets.ctx, seat, version), bytes([card]) + salt))

    # Rulings.

    def ruling(self, kind: RulingKind, time_ms: int, anchor: Anchor) -> None:
        """Add the ruling of that kind, which is due or overdue, and not a StoodIn: that one comes with a move.

        All numbers that it needs are known; where they give no deal, a ServerFault takes its place.
        """
        table = self._there()
        if kind is CeremonyOpened:
            ctx = next_context(table).to_bytes()
            number = house_number(self._signet.secret, ctx)
            self.secrets = Secrets(ctx, (None,) * 5)
            self._set_number(HOUSE_SEAT, number)
            made = commitment(ctx, HOUSE_SEAT, self._signet.house.event_key, number)
            self._add(rule(table, kind, Supply(house_commitment=made, anchor=anchor)), time_ms)
            return
        secrets = self.secrets
        try:
            if kind is Dealt:
                secrets = _dealt_to(table, secrets)
            supply = Supply(secrets.numbers, secrets.hands, _opened_by(kind, table, secrets))
            content = rule(table, kind, supply)
        except StreamUsedUp:
            self.fault(ServerFaultCause.NO_DEAL, time_ms)
            return
        self._add(content, time_ms)
        match content:
            case Dealt():
                self.secrets = secrets
                self.releases.append(release_first(self._there(), self.leaves[-1]))
            case TimedOut(trump=int()) | MiddleTurned():
                self._release_rest()
            case EarlyTurned(seat):
                self._turned(table, seat)
            case HakemDrawn() | CeremonyVoided() | RoundRevealed() | GameEnded() | ServerFault():
                self.secrets = NO_SECRETS

    def _turned(self, before: Table, seat: Seat) -> None:
        """A face-down card is public and needs no sealing any more."""
        assert isinstance(before.stage, Round)
        assert before.stage.extra is not None
        lay = before.stage.extra.lays[seat]
        assert lay is not None
        left = tuple(each for each in self.secrets.laid if each[0] != lay.version)
        self.secrets = self.secrets._replace(laid=left)
        self.unsealed.append(SealName(self.secrets.ctx, seat, lay.version))

    def word(self, content: CommitSetWitnessed | Reopened, time_ms: int) -> None:
        """What the house may say: that witnesses have seen a commit set, or that decisions begin anew."""
        self._add(content, time_ms)

    def fault(self, cause: ServerFaultCause, time_ms: int) -> None:
        """The house says that it failed, and shows what numbers and face-down cards it has."""
        table = self._there()
        lays = table.stage.unturned if isinstance(table.stage, Round) else ()
        self._add(fault(table, cause, self.secrets.numbers, self.secrets.openings(*lays)), time_ms)
        self.secrets = NO_SECRETS

    def _release_rest(self) -> None:
        self.releases.append(release_rest(self._there(), self.leaves[-1]))

    # Both.

    def _add(self, content: SignedMove | Ruling, time_ms: int) -> None:
        table = self._there()
        previous = self.leaves[-1] if self.leaves else self._leaf_of(table.version)
        assert previous is not None
        event = Event(table.id, table.version + 1, previous, max(time_ms, table.time_ms), content)
        self._sign(event)
        self.table = evolve(table, event)

    def _sign(self, event: Event) -> None:
        entry = sign_event(write_event(event), self._signet.key, self._signet.key_id)
        self.entries.append(entry)
        self.leaves.append(leaf(entry))
        self.moves.append(move_in(event))

    def _leaf(self, version: int) -> bytes | None:
        if version < self.first_version:
            return self._leaf_of(version)
        place = version - self.first_version
        return self.leaves[place] if place < len(self.leaves) else None

    def _there(self) -> Table:
        assert self.table is not None
        return self.table


def move_in(event: Event) -> bytes:
    """The bytes of the move that made an entry; empty where none did."""
    match event.content:
        case SignedMove(body=body) | StoodIn(join=SignedMove(body=body)):
            return body
        case _:
            return b""


def _dealt_to(table: Table, secrets: Secrets) -> Secrets:
    assert isinstance(table.stage, Ceremony)
    assert table.hakem is not None
    return dealt(secrets, table.stage, table.hakem, table.rules.packets)


def dealt(secrets: Secrets, ceremony: Ceremony, hakem: Seat, how: Packets) -> Secrets:
    """The secrets with the cards that the numbers, all five, make. Raises `StreamUsedUp`."""
    numbers = tuple(number for number in secrets.numbers if number is not None)
    assert ceremony.commit_set is not None
    deck = deal(ceremony.commit_set, numbers)
    return secrets._replace(packets=packets_of(deck, hakem, how), hands=hands_in(deck, hakem, how))


def _opened_by(kind: RulingKind, table: Table, secrets: Secrets) -> tuple[Opening, ...]:
    """The face-down cards that a ruling of that kind opens."""
    stage = table.stage
    if not isinstance(stage, Round) or stage.extra is None:
        return ()
    if kind is EarlyTurned:
        return secrets.openings(stage.extra.lays[stage.turn])
    return secrets.openings(*stage.unturned) if kind is RoundRevealed else ()


def release_first(table: Table, leaf_hash: bytes) -> Release:
    """What Dealt releases: the hakem's first packet, or everybody's own (G6)."""
    return Release(table.version, leaf_hash, tuple((seat, 1) for seat in _see_first(table)))


def release_rest(table: Table, leaf_hash: bytes) -> Release:
    """What the entry that makes trumps releases: all other cards."""
    first = _see_first(table)
    rest = [(seat, 1) for seat in range(4) if seat not in first]
    rest += [(seat, packet) for seat in range(4) for packet in (2, 3)]
    return Release(table.version, leaf_hash, tuple(rest))


def _see_first(table: Table) -> tuple[int, ...]:
    assert isinstance(table.stage, Round)
    return (0, 1, 2, 3) if table.rules.open_first_packet else (table.stage.hakem,)
