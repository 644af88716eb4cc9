# SPDX-License-Identifier: Apache-2.0
"""One table as one program sees it: the checked stream, and the seats of it that the program plays.

What the server sends for the table comes in here, is checked once, and is shown to every seat. Hand notes go to their
seat right after the entry that released them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from hokm.errors import HokmError, Malformed
from hokm.events import Act
from hokm.hand import read_hand
from hokm.v1 import tables_service_pb2 as pb
from hokm_client.errors import refusal
from hokm_client.fraud import Fraud
from hokm_client.seat import Seat
from hokm_client.stream import Step, Stream, move_in


class Desk:
    """The stream of one table and the seats that this program plays at it."""

    __slots__ = ("_ready_at", "fraud", "is_ready", "join_code", "on_refusal", "on_step", "seats", "stream")

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.seats: list[Seat] = []
        self.on_step: list[Callable[[Step], None]] = []
        """Told of every entry, once it is checked."""
        self.on_refusal: Callable[[Seat | None, Act | None, HokmError], None] = _ignore
        """Told of an act of a seat that was refused; with neither, that the table itself was."""
        self.fraud: Fraud | None = None
        self.is_ready = False
        """Everything that was there when the table was attached has come: now the seats may act."""
        self.join_code = ""
        """What the server told of a private table that is at home here."""
        self._ready_at = 0

    @property
    def version(self) -> int | None:
        """The last version that was checked; None before the first."""
        table = self.stream.table
        return None if table is None else table.version

    def ready_at(self, version: int) -> None:
        """The server's table stood at that version when it was asked: the seats may act once that has come."""
        self._ready_at = version
        self._look_ready()

    def sit(self, seat: Seat) -> None:
        """One more seat that this program plays."""
        self.seats.append(seat)
        if self.is_ready:
            seat.catch_up()

    def rise(self, seat: Seat) -> None:
        """A seat that this program plays no more."""
        if seat in self.seats:
            self.seats.remove(seat)

    def take(self, update: pb.TableUpdate, now_ms: int) -> None:
        """Check what came for this table. Raises `Fraud`, which is remembered: nothing is believed afterwards.

        Then a seat looks only for the answer to its last move.
        """
        if self.fraud is not None:
            for seat in self.seats:
                seat.hear(update)
            return
        try:
            self._take(update, now_ms)
        except Fraud as fraud:
            self.fraud = fraud
            for seat in self.seats:
                seat.fraud = fraud
                seat.hear(update)
            raise

    def lost(self) -> None:
        """The way to the server broke: moves that are unanswered may not have arrived."""
        for seat in self.seats:
            seat.unsure = True

    def unanswered(self) -> list[pb.SignedAct]:
        """The moves that are to be sent again."""
        return [seat.unanswered.act for seat in self.seats if seat.unanswered is not None]

    def _take(self, update: pb.TableUpdate, now_ms: int) -> None:
        notes = self._notes_by_version(update)
        stream = self.stream
        if not (update.first_version > len(stream.entries) and self._is_answer(update)):
            for step in stream.take(update.first_version, update.entries):
                for seat in self.seats:
                    seat.see(step, now_ms)
                for seat, signed in notes.pop(step.event.version, ()):
                    seat.cards.take(signed.note, signed.signature)
                for told in self.on_step:
                    told(step)
        for rest in notes.values():
            for seat, signed in rest:
                seat.cards.take(signed.note, signed.signature)
        self._look_ready()
        for refused in update.refusals:
            self._refused(refused)

    def _notes_by_version(self, update: pb.TableUpdate) -> dict[int, list[tuple[Seat, pb.SignedHandNote]]]:
        """Hand notes of our seats, by the version that released them; one that cannot be read is a seat's to refuse."""
        found: dict[int, list[tuple[Seat, pb.SignedHandNote]]] = defaultdict(list)
        if update.hands and self.seats:
            by_number = {seat.number: seat for seat in self.seats}
            for signed in update.hands:
                try:
                    note = read_hand(signed.note)
                except Malformed:
                    found[-1].append((self.seats[0], signed))
                    continue
                if note.seat in by_number:
                    found[note.version].append((by_number[note.seat], signed))
        return found

    def _is_answer(self, update: pb.TableUpdate) -> bool:
        """The entry that a move of ours made, sent by itself while the table was not attached: it comes again."""
        if len(update.entries) != 1:
            return False
        return move_in(update.entries[0]) in [act.move for act in self.unanswered()]

    def _look_ready(self) -> None:
        if not self.is_ready and self.stream.table is not None and self.stream.table.version >= self._ready_at:
            self.is_ready = True
            for seat in self.seats:
                seat.catch_up()

    def _refused(self, refused: pb.Refusal) -> None:
        error = refusal(refused.reason, refused.facts, refused.sentence)
        if not refused.move_hash:
            self.on_refusal(None, None, error)
            return
        for seat in self.seats:
            unanswered = seat.unanswered
            if unanswered is not None and seat.refused(refused.move_hash, error):
                self.on_refusal(seat, unanswered.move.act, error)
                return


def _ignore(seat: Seat | None, act: Act | None, error: HokmError) -> None:
    """Nobody wants to know."""
