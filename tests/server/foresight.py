# SPDX-License-Identifier: Apache-2.0
"""What one player at a table can know and foresee: the public state, and the cards that its own stream has brought."""

from __future__ import annotations

from hokm.cards import Hand, hand_of
from hokm.errors import BadSignature, HokmError, SeatStoodIn
from hokm.events import Move
from hokm.hand import read_hand
from hokm.table import Hands, LaidCard, Round, Table, decide, signer, vouch
from hokm.v1 import tables_service_pb2 as pb
from tests.server.readers import Reader
from tests.server.room import Room, Seated


class Client:
    """Who decides for one seat, or has joined it, at the end of the stream of that seat."""

    def __init__(self, room: Room, table_id: bytes, player: Seated) -> None:
        self.player = player
        self.reader = Reader(room, table_id, player.viewer, (player.seat,))
        self.salts: list[bytes] = []
        """Those of its cards that were laid face down."""
        self._hands: dict[bytes, Hand] = {}
        self._notes = 0

    async def read(self) -> None:
        """See what has come."""
        await self.reader.read()
        for signed in self.reader.notes[self._notes :]:
            note = read_hand(signed.note)
            self._hands[note.ctx] = self._hands.get(note.ctx, 0) | hand_of(note.cards)
        self._notes = len(self.reader.notes)

    @property
    def is_taken_over(self) -> bool:
        """Its stream has ended for another one of the same operator, who plays the bot and its stand-in."""
        return self.reader.end == pb.STREAM_END_TAKEN_OVER

    def hand(self, table: Table) -> Hand:
        """The cards of this deal that have come, whatever has been played of them."""
        return self._hands.get(table.stage.ceremony.ctx, 0) if isinstance(table.stage, Round) else 0

    def foresee(self, table: Table, move: Move, now_ms: int, laid: LaidCard | None) -> HokmError | None:
        """Why a move of this player's cannot be made now; None where it can."""
        seat, key = self.player.seat, self.player.key.public
        before, after = (None,) * seat, (None,) * (3 - seat)
        known = Hands((*before, self.hand(table), *after), None)  # type: ignore[arg-type]
        try:
            if (of := signer(table, move)) != key:
                raise SeatStoodIn(seat) if table.places[seat].public_key == key else BadSignature(of.hex())
            vouch(table, move)
            decide(table, move, max(now_ms, table.time_ms), known, laid)
        except HokmError as error:
            return error
        return None


def told(error: HokmError | None) -> tuple[str, dict[str, str]] | None:
    """Why a move was refused, in what is told of it; None where it was taken."""
    return None if error is None else (error.reason, error.facts)
