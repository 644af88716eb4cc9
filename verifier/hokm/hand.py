# SPDX-License-Identifier: Apache-2.0
"""A hand note: the cards that a seat is sent, signed, so that no two stories can be told about one hand.

A deal comes in three packets. The hakem's first (every seat's, with `open_first_packet`) is released by Dealt, all
else by the entry that makes trumps; the note names that entry. It is a function of the log: asked again, the house
sends the same bytes. Two different notes for one context, seat and packet, or one that the revealed numbers
contradict, are proof of fraud; a client plays no card that came without a note.

Signed is PAE(`HAND_TYPE`, body) with the event key.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hokm.canonical import CARD, CONTEXT, HASH, SEAT, U64, number, read_message, record, several, write_message
from hokm.cards import Card, hand_of
from hokm.deal import Purpose
from hokm.errors import OutOfRange
from hokm.rules import Packets, Seat
from hokm.signing import SigningKey, pae, verify
from hokm.v1 import hand_pb2
from hokm.wire import HAND_TYPE

MOST_HAND_BYTES: Final = 256


@dataclass(frozen=True, slots=True)
class HandNote:
    """One packet of one seat. One that exists is well-formed, though no deal may give it.

    Raises at construction: `OutOfRange` for the context of a draw, or a count of cards that no packet of this
    number has; `CardTwice`.
    """

    ctx: bytes
    """The context of the deal, 41 bytes."""
    seat: Seat
    packet: int
    """1, 2 or 3."""
    cards: tuple[Card, ...]
    """In dealing order: 5 in packet 1, 4 or 5 in packet 2, 4 or 3 in packet 3."""
    version: int
    leaf: bytes
    """Version and leaf, 32 bytes, of the entry that released them."""

    def __post_init__(self) -> None:
        CONTEXT.read("ctx", self.ctx)
        if self.ctx[32] != Purpose.DEAL:
            raise OutOfRange("purpose", self.ctx[32], Purpose.DEAL, Purpose.DEAL)
        _PACKET.read("packet", self.packet)
        counts = [packets.sizes[self.packet - 1] for packets in Packets]
        if len(self.cards) not in counts:
            raise OutOfRange("count of cards", len(self.cards), min(counts), max(counts))
        hand_of(self.cards)


_PACKET: Final = number(1, 3)
_HAND: Final = record(
    HandNote,
    hand_pb2.HandNote,
    ctx=CONTEXT,
    seat=SEAT,
    packet=_PACKET,
    cards=several(CARD, 3, 5),
    version=U64,
    leaf=HASH,
)


def read_hand(body: bytes) -> HandNote:
    """The note that these bytes are. Raises `Malformed`."""
    return _HAND.read(read_message(hand_pb2.HandNote, body, MOST_HAND_BYTES, "hand note"))


def write_hand(note: HandNote) -> bytes:
    """The bytes of a note: always the same for the same note."""
    return write_message(_HAND.write(note), MOST_HAND_BYTES, "hand note")


def sign_hand(body: bytes, key: SigningKey) -> bytes:
    """The signature of the event key under the bytes of a note, 64 bytes; always the same."""
    return key.sign(pae(HAND_TYPE, body))


def hand_signed_by(body: bytes, signature: bytes, public_key: bytes) -> bool:
    """Whether the bytes of a note are signed by this event key."""
    return verify(public_key, pae(HAND_TYPE, body), signature)
