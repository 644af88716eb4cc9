# SPDX-License-Identifier: Apache-2.0
"""The cards of one seat in the deal that is played: only what came in signed notes, each held against all others.

A note is taken if the house has signed it; if it names an entry of this stream, the very one that releases that
packet of this seat; if it has as many cards as the packet; if no other note was sent for the packet, now or before a
crash; and if none of its cards came before. When the round's numbers are public, they must deal exactly these cards.
"""

from __future__ import annotations

from typing import NamedTuple

from hokm.cards import Hand, hand_of
from hokm.errors import Malformed
from hokm.hand import HandNote, hand_signed_by, read_hand
from hokm.rules import Seat
from hokm.table import Round
from hokm_client.fraud import Fraud, FraudKind
from hokm_client.keeping import Keeping
from hokm_client.rulings import Deal
from hokm_client.stream import Stream


class SignedNote(NamedTuple):
    """Cards as the house signed them."""

    note: HandNote
    body: bytes
    signature: bytes


class HeldCards:
    """What one seat was sent of a deal."""

    __slots__ = ("_keeping", "_notes", "_seat", "_stream", "dealt")

    def __init__(self, stream: Stream, seat: Seat, keeping: Keeping) -> None:
        self._stream = stream
        self._seat = seat
        self._keeping = keeping
        self._notes: dict[int, SignedNote] = {}
        self.dealt: Hand = 0
        """All of them, also those that were played since."""

    @property
    def five(self) -> Hand | None:
        """The first packet, where it has come."""
        return hand_of(self._notes[1].note.cards) if 1 in self._notes else None

    @property
    def are_whole(self) -> bool:
        """All thirteen have come."""
        return len(self._notes) == 3

    @property
    def are_missing(self) -> bool:
        """Cards have been released that have not come."""
        table = self._stream.table
        if table is None or not isinstance(table.stage, Round):
            return False
        if table.stage.trump is not None:
            return not self.are_whole
        return not self._notes and self._released_by(1) is not None

    def begin(self) -> None:
        """A deal begins: what cards of it were kept before a crash count as sent."""
        self._notes, self.dealt = {}, 0
        table = self._stream.there
        assert isinstance(table.stage, Round)
        for body, signature in self._keeping.notes(table.stage.ceremony.ctx, self._seat):
            self._hold(SignedNote(read_hand(body), body, signature))

    def catch_up(self) -> None:
        """Begin in the middle of a deal."""
        if isinstance(self._stream.there.stage, Round) and not self._notes:
            self.begin()

    def take(self, body: bytes, signature: bytes) -> None:
        """Cards of this seat, once the entry that released them has been seen. Raises `Fraud`."""
        stream = self._stream
        exhibits = {"note": body, "note_signature": signature}
        try:
            note = read_hand(body)
        except Malformed as error:
            raise self._caught(FraudKind.BAD_NOTE, str(error), exhibits) from None
        if not hand_signed_by(body, signature, stream.event_key):
            raise self._caught(FraudKind.BAD_SIGNATURE, "the house did not sign the hand note", exhibits)
        stage = stream.there.stage
        if note.version >= len(stream.leaves) or stream.leaves[note.version] != note.leaf:
            what = "the hand note names an entry that is not in the stream"
            is_other = note.version < len(stream.leaves)  # a later one may come yet, to whoever is shown these
            raise self._caught(FraudKind.BAD_NOTE, what, exhibits, proves=is_other)
        if not isinstance(stage, Round) or note.ctx != stage.ceremony.ctx:
            return  # of a deal that is over: nothing hangs on it
        if note.seat != self._seat:
            raise self._caught(FraudKind.BAD_NOTE, "the hand note is of another seat", exhibits)
        if len(note.cards) != stream.there.rules.packets.sizes[note.packet - 1]:
            what = "the hand note has another count of cards than its packet"
            raise self._caught(FraudKind.BAD_NOTE, what, exhibits, proves=True)
        self._take_packet(SignedNote(note, body, signature))

    def check(self, deal: Deal, entry: bytes) -> None:
        """Hold the notes against the deal that the numbers make, and be done with them. Raises `Fraud`."""
        for packet, (note, body, signature) in self._notes.items():
            if note.cards != deal.packets[packet - 1][self._seat]:
                exhibits = {"note": body, "note_signature": signature, "entry": entry}
                what = f"packet {packet} of seat {self._seat} is not what the revealed numbers deal"
                raise self._caught(FraudKind.WRONG_HAND, what, exhibits, proves=True)
        self._notes, self.dealt = {}, 0

    def _hold(self, signed: SignedNote) -> None:
        self._notes[signed.note.packet] = signed
        self.dealt |= hand_of(signed.note.cards)

    def _take_packet(self, signed: SignedNote) -> None:
        note = signed.note
        before = self._notes.get(note.packet)
        if before is not None:
            if before.body != signed.body:
                raise self._two_notes(signed, before, "two hand notes for one packet")
            return
        if note.version != self._released_by(note.packet):
            what = f"packet {note.packet} is not released by entry {note.version}"
            exhibits = {"note": signed.body, "note_signature": signed.signature}
            raise self._caught(FraudKind.BAD_NOTE, what, exhibits, proves=True)
        if self.dealt & hand_of(note.cards):
            other = next(other for other in self._notes.values() if set(other.note.cards) & set(note.cards))
            raise self._two_notes(signed, other, "one card in two packets")
        self._hold(signed)
        self._keeping.put_note(note.ctx, self._seat, note.packet, signed.body, signed.signature)

    def _released_by(self, packet: int) -> int | None:
        """The version that releases a packet of this seat: Dealt the first of the hakem, what makes trumps the rest.

        With open_first_packet Dealt releases everybody's first (G6).
        """
        table = self._stream.there
        assert isinstance(table.stage, Round)
        if packet == 1 and (table.rules.open_first_packet or table.stage.hakem == self._seat):
            return self._stream.dealt_at
        return self._stream.trumps_at

    def _two_notes(self, signed: SignedNote, other: SignedNote, what: str) -> Fraud:
        exhibits = {"note": signed.body, "note_signature": signed.signature}
        exhibits |= {"other": other.body, "other_signature": other.signature}
        return self._caught(FraudKind.TWO_HANDS, what, exhibits, proves=True)

    def _caught(self, kind: FraudKind, what: str, exhibits: dict[str, bytes], *, proves: bool = False) -> Fraud:
        return Fraud(kind, self._stream.there.version, what, proves, exhibits)
