# SPDX-License-Identifier: Apache-2.0
"""The deal that no one can choose: five numbers, committed to before any of them is known, make the pack.

    commitment   commit_s = H("hokm/v1/commit" 00 || ctx || u8(s) || pk_s || r_s)      s = 0..3, the house 4
    house        r_4 = HMAC(K_house, "hokm/v1/house" 00 || ctx)
    the set      H("hokm/v1/commit-set" 00 || ctx || commit_0 || … || commit_4)
    PRK          HMAC(commit set, r_0 || … || r_4)                                     HKDF-Extract, RFC 5869
    stream       HKDF-Expand(PRK, "hokm/v1/draw" or "hokm/v1/deck", up to 8160 bytes)  no 00 behind these two
    pack         [0 … 51] shuffled by Fisher and Yates, a byte that would favour a card is passed over

H is SHA-256, HMAC is with SHA-256, u8 and u32 are big-endian, and 00 is the byte that ends a tag. Everything
hashed has a fixed length, but the origin in `game_id`, which its length precedes. A field of another length and
a number out of its bounds are `Malformed`: `WrongLength`, `OutOfRange`, `RoundNotOfPurpose`, `NotAnOrigin`.

These are functions of their arguments, and nothing is checked that needs more than these: that a number opens
its commitment, and that all five commitments differ, is the ceremony's to ask.
"""

from __future__ import annotations

import hashlib
import hmac
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from hokm.cards import PACK, Card, Hand, check_card, check_pack
from hokm.errors import NotAnOrigin, OutOfRange, RoundNotOfPurpose, StreamUsedUp, WrongLength
from hokm.notation import is_origin
from hokm.rules import Packets, Seat, left_of

HOUSE_SEAT: Final = 4
"""The house's place among the five that commit."""

CONTEXT_LENGTH: Final = 41
SALT_BYTES: Final = 32
"""Of a card that is laid face down (H2)."""
STREAM_LENGTH: Final = 8160
"""The bytes that HKDF-Expand can give: 255 blocks of 32."""

MIDDLE: Final = 12
"""Where the partner's middle lies in the pack: the third card of the partner's first packet (H1)."""

_MOST_U32: Final = 2**32 - 1


# Who and what a ceremony is for.


def rules_hash(rules: bytes) -> bytes:
    """The 32 bytes that stand for a table's rules, from the bytes in which TableOpened carries them."""
    return hashlib.sha256(b"hokm/v1/rules\0" + rules).digest()


def game_id(
    origin: str,
    server_nonce: bytes,
    kinds: Sequence[int],
    public_keys: Sequence[bytes],
    join_nonces: Sequence[bytes],
) -> bytes:
    """The 32 bytes that name a game: its log, its opening, and by seat who joined.

    `origin` is 1 to 255 characters of visible ASCII without space and plus; a kind is 0 for a person, 1 for a
    bot; nonces and keys have 32 bytes.
    """
    if not is_origin(origin):
        raise NotAnOrigin(origin)
    text = origin.encode("ascii")
    _check_length("server_nonce", server_nonce, 32)
    for name, by_seat in (("kinds", kinds), ("public_keys", public_keys), ("join_nonces", join_nonces)):
        _check_length(name, by_seat, 4)
    parts = [b"hokm/v1/match\0", bytes([len(text)]), text, server_nonce]
    for kind, public_key, join_nonce in zip(kinds, public_keys, join_nonces, strict=True):
        _check_range("kind", kind, 0, 1)
        _check_length("public_key", public_key, 32)
        _check_length("join_nonce", join_nonce, 32)
        parts += (bytes([kind]), public_key, join_nonce)
    return hashlib.sha256(b"".join(parts)).digest()


class Purpose(IntEnum):
    """What a ceremony is for."""

    DRAW = 1
    DEAL = 2


@dataclass(frozen=True, slots=True)
class Context:
    """What one ceremony is of: no two ceremonies of a log share it.

    `game_id` has 32 bytes; `round` is 0 for a draw, from 1 on for a deal; `attempt` counts the voided ceremonies
    of the same purpose and round before this one. Both are below 2^32.
    """

    game_id: bytes
    purpose: Purpose
    round: int
    attempt: int

    def __post_init__(self) -> None:
        _check_length("game_id", self.game_id, 32)
        _check_range("purpose", self.purpose, Purpose.DRAW, Purpose.DEAL)
        _check_range("round", self.round, 0, _MOST_U32)
        _check_range("attempt", self.attempt, 0, _MOST_U32)
        if (self.purpose == Purpose.DRAW) != (self.round == 0):
            raise RoundNotOfPurpose(Purpose(self.purpose).name.lower(), self.round)

    def to_bytes(self) -> bytes:
        """ctx, 41 bytes: game_id, u8 purpose, u32 round, u32 attempt."""
        numbers = self.purpose << 64 | self.round << 32 | self.attempt
        return self.game_id + numbers.to_bytes(9, "big")

    @classmethod
    def from_bytes(cls, ctx: bytes) -> Context:
        """The inverse of `to_bytes`."""
        _check_length("ctx", ctx, CONTEXT_LENGTH)
        purpose = ctx[32]
        _check_range("purpose", purpose, Purpose.DRAW, Purpose.DEAL)
        return cls(
            ctx[:32],
            Purpose(purpose),
            round=int.from_bytes(ctx[33:37], "big"),
            attempt=int.from_bytes(ctx[37:], "big"),
        )


def check_context(ctx: bytes) -> None:
    """Refuse what `Context.from_bytes` refuses: it says why, and is not asked where all is well."""
    if len(ctx) != CONTEXT_LENGTH or ctx[32] != (Purpose.DEAL if any(ctx[33:37]) else Purpose.DRAW):
        Context.from_bytes(ctx)


# Commitments and numbers.


def commitment(ctx: bytes, seat: int, public_key: bytes, number: bytes) -> bytes:
    """What one of the five commits to: 32 bytes.

    `seat` is 0 to 3, or `HOUSE_SEAT`; `public_key` (32 bytes) is the key that holds the seat when the ceremony
    opens, for the house its event key; `number` has 32 bytes.
    """
    check_context(ctx)
    _check_range("seat", seat, 0, HOUSE_SEAT)
    _check_length("public_key", public_key, 32)
    _check_length("number", number, 32)
    return hashlib.sha256(b"hokm/v1/commit\0" + ctx + bytes([seat]) + public_key + number).digest()


def house_number(house_secret: bytes, ctx: bytes) -> bytes:
    """r_4, the house's number, 32 bytes: it follows from the ceremony, so a restarted house cannot draw again."""
    _check_length("house_secret", house_secret, 32)
    check_context(ctx)
    return hmac.digest(house_secret, b"hokm/v1/house\0" + ctx, "sha256")


def commit_set(ctx: bytes, commitments: Sequence[bytes]) -> bytes:
    """The 32 bytes that stand for all five commitments, by seat and the house's last."""
    check_context(ctx)
    _check_five("commitments", commitments)
    return hashlib.sha256(b"hokm/v1/commit-set\0" + ctx + b"".join(commitments)).digest()


def early_commitment(ctx: bytes, trick: int, seat: Seat, card: Card, salt: bytes) -> bytes:
    """What a seat that lays a card face down commits to (H2): 32 bytes.

    `ctx` is that of the deal; `trick` counts from 1; `salt` has 32 bytes and is used once.
    """
    check_context(ctx)
    _check_range("purpose", ctx[32], Purpose.DEAL, Purpose.DEAL)
    _check_range("trick", trick, 1, _MOST_U32)
    _check_range("seat", seat, 0, 3)
    check_card(card)
    _check_length("salt", salt, SALT_BYTES)
    opened = trick.to_bytes(4, "big") + bytes([seat, card])
    return hashlib.sha256(b"hokm/v1/early\0" + ctx + opened + salt).digest()


# From the numbers to the pack.


def extract(salt: bytes, material: bytes) -> bytes:
    """HKDF-Extract with SHA-256 (RFC 5869 section 2.2): 32 bytes."""
    return hmac.digest(salt, material, "sha256")


def expand(key: bytes, info: bytes) -> Iterator[int]:
    """HKDF-Expand with SHA-256 (RFC 5869 section 2.3): its 8160 bytes one by one, each block when it is wanted."""
    return itertools.chain.from_iterable(_blocks(key, info))


def _blocks(key: bytes, info: bytes) -> Iterator[bytes]:
    block = b""
    for count in range(1, STREAM_LENGTH // 32 + 1):
        block = hmac.digest(key, block + info + bytes([count]), "sha256")
        yield block


def prk(commit_set: bytes, numbers: Sequence[bytes]) -> bytes:
    """The key from which the stream comes, 32 bytes. `numbers` are r_0 to r_4."""
    _check_length("commit_set", commit_set, 32)
    _check_five("numbers", numbers)
    return extract(commit_set, b"".join(numbers))


def stream(key: bytes, purpose: Purpose) -> Iterator[int]:
    """The bytes that decide a draw or a deal; `key` is the PRK."""
    _check_length("prk", key, 32)
    return expand(key, b"hokm/v1/draw" if purpose == Purpose.DRAW else b"hokm/v1/deck")


@dataclass(frozen=True, slots=True)
class Shuffled:
    """A shuffled pack, and what became of the bytes: `used` were taken, with them the `rejected`.

    One of these is (n, byte): the byte would have chosen among n places, some of them likelier than others.
    """

    deck: tuple[Card, ...]
    used: int
    rejected: tuple[tuple[int, int], ...]


_LIMITS: Final = (0, *(256 - 256 % (last + 1) for last in range(1, 52)))
"""By place: the bytes below it fall on the places up to this one equally often."""


def shuffle(octets: Iterable[int]) -> Shuffled:
    """The pack that a stream of bytes makes, from the last place down to the second. Raises `StreamUsedUp`."""
    deck = list(PACK)
    rejected = []
    place = 51
    for octet in octets:
        if octet >= _LIMITS[place]:
            rejected.append((place + 1, octet))
            continue
        other = octet % (place + 1)
        deck[place], deck[other] = deck[other], deck[place]
        place -= 1
        if not place:
            return Shuffled(tuple(deck), 51 + len(rejected), tuple(rejected))
    raise StreamUsedUp(51 - place + len(rejected))


def draw(commit_set: bytes, numbers: Sequence[bytes]) -> tuple[Seat, tuple[Card, ...]]:
    """The start seat and the pack of a draw; `rules.first_hakem` says who is hakem (G3)."""
    octets = stream(prk(commit_set, numbers), Purpose.DRAW)
    start = next(octets) & 3
    return start, shuffle(octets).deck


def deal(commit_set: bytes, numbers: Sequence[bytes]) -> tuple[Card, ...]:
    """The pack of a deal, in the order in which it is dealt."""
    return shuffle(stream(prk(commit_set, numbers), Purpose.DEAL)).deck


# From the pack to the hands (G4, G5).


def packets_of(deck: Sequence[Card], hakem: Seat, packets: Packets) -> tuple[tuple[tuple[Card, ...], ...], ...]:
    """The cards as they are dealt: `[packet][seat]`, three packets, each in dealing order. Raises `NotAPack`.

    Every packet begins with the hakem and goes to the right.
    """
    pack = check_pack(deck)
    _check_range("hakem", hakem, 0, 3)
    dealt = []
    first = 0
    for size in packets.sizes:
        starts = [first + size * (seat - hakem & 3) for seat in range(4)]
        dealt.append(tuple(pack[start : start + size] for start in starts))
        first += 4 * size
    return tuple(dealt)


def hands(deck: Sequence[Card], hakem: Seat, packets: Packets) -> tuple[Hand, Hand, Hand, Hand]:
    """The four hands by seat. Raises `NotAPack`."""
    held = [0, 0, 0, 0]
    for packet in packets_of(deck, hakem, packets):
        for seat, cards in enumerate(packet):
            for card in cards:
                held[seat] |= 1 << card
    return held[0], held[1], held[2], held[3]


def middle(deck: Sequence[Card]) -> Card:
    """The partner's middle: the third card dealt to the hakem's partner (H1). Raises `NotAPack`."""
    return check_pack(deck)[MIDDLE]


def dealer(hakem: Seat) -> Seat:
    """Who deals, for show only: the seat on the hakem's left (G5)."""
    return left_of(hakem)


# Lengths and bounds.


def _check_length(name: str, value: Sequence[object], expected: int) -> None:
    if len(value) != expected:
        raise WrongLength(name, len(value), expected)


def _check_range(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise OutOfRange(name, value, least, most)


def _check_five(name: str, values: Sequence[bytes]) -> None:
    _check_length(name, values, 5)
    for place, value in enumerate(values):
        _check_length(f"{name}[{place}]", value, 32)
