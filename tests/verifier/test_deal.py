# SPDX-License-Identifier: Apache-2.0
"""The deal: formats to the byte, refusals by name, and a shuffle that favours no card, shown by counting."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from hypothesis import given
from hypothesis import strategies as st

from hokm import cards, deal, rules
from hokm.cards import FULL, PACK
from hokm.deal import Context, Purpose
from hokm.errors import (
    HokmError,
    Malformed,
    NotAnOrigin,
    NotAPack,
    OutOfRange,
    RoundNotOfPurpose,
    StreamUsedUp,
    WrongLength,
)
from hokm.rules import Packets
from tests import vector_files

octets_32 = st.binary(min_size=32, max_size=32)
five = st.lists(octets_32, min_size=5, max_size=5)
u32 = st.integers(0, 2**32 - 1)
contexts = st.builds(Context, octets_32, st.just(Purpose.DRAW), st.just(0), u32) | st.builds(
    Context, octets_32, st.just(Purpose.DEAL), st.integers(1, 2**32 - 1), u32
)

GAME = bytes(range(32))
DEAL_CTX = Context(GAME, Purpose.DEAL, 3, 1).to_bytes()
DRAW_CTX = Context(GAME, Purpose.DRAW, 0, 0).to_bytes()
KEY, NUMBER, SALT = b"k" * 32, b"n" * 32, b"s" * 32
KINDS, KEYS, NONCES = (0, 0, 1, 0), (KEY,) * 4, (NUMBER,) * 4


# Contexts.


def test_ctx_to_the_byte() -> None:
    """game_id, purpose, round, attempt: 32, 1, 4 and 4 bytes, big-endian."""
    context = Context(GAME, Purpose.DEAL, 0x01020304, 0x05060708)
    assert context.to_bytes() == GAME + bytes([2, 1, 2, 3, 4, 5, 6, 7, 8])
    assert Context(GAME, Purpose.DRAW, 0, 0).to_bytes() == GAME + bytes([1, 0, 0, 0, 0, 0, 0, 0, 0])


@given(contexts)
def test_a_context_goes_both_ways(context: Context) -> None:
    """Read back as it was written, and 41 bytes."""
    assert len(context.to_bytes()) == deal.CONTEXT_LENGTH == 41
    assert Context.from_bytes(context.to_bytes()) == context


@given(st.binary(min_size=41, max_size=41) | st.binary(max_size=60))
def test_what_is_read_as_a_context_is_written_so(ctx: bytes) -> None:
    """Two texts never mean one context."""
    try:
        context = Context.from_bytes(ctx)
    except Malformed:
        return
    assert context.to_bytes() == ctx


def test_a_draw_has_round_0_and_a_deal_has_not() -> None:
    """And no third purpose is known."""
    with pytest.raises(RoundNotOfPurpose, match="A draw cannot be of round 1"):
        Context(GAME, Purpose.DRAW, 1, 0)
    with pytest.raises(RoundNotOfPurpose, match="A deal cannot be of round 0"):
        Context(GAME, Purpose.DEAL, 0, 0)
    for purpose in (0, 3, 255):
        with pytest.raises(OutOfRange, match="purpose"):
            Context.from_bytes(GAME + bytes([purpose]) + bytes(8))
    for length in (0, 40, 42):
        with pytest.raises(WrongLength, match="it must be 41"):
            Context.from_bytes(bytes(length))
    for round_, attempt in ((2**32, 0), (-1, 0), (1, 2**32), (1, -1)):
        with pytest.raises(OutOfRange):
            Context(GAME, Purpose.DEAL, round_, attempt)
    with pytest.raises(WrongLength, match="game_id"):
        Context(GAME[1:], Purpose.DEAL, 1, 0)


# Formats, written out once more.


def sha256(*parts: bytes) -> bytes:
    """H of the parts in order."""
    return hashlib.sha256(b"".join(parts)).digest()


def test_every_hash_to_the_byte() -> None:
    """Each tag ends in 00, but the two of the stream."""
    assert deal.rules_hash(b"rules") == sha256(b"hokm/v1/rules", b"\0", b"rules")
    joined = b"".join(bytes([kind]) + KEY + NUMBER for kind in KINDS)
    assert deal.game_id("a/b", SALT, KINDS, KEYS, NONCES) == sha256(b"hokm/v1/match", b"\0\x03a/b", SALT, joined)
    for seat in range(5):
        expected = sha256(b"hokm/v1/commit", b"\0", DEAL_CTX, bytes([seat]), KEY, NUMBER)
        assert deal.commitment(DEAL_CTX, seat, KEY, NUMBER) == expected
    house = hmac.new(SALT, b"hokm/v1/house\0" + DRAW_CTX, "sha256").digest()
    assert deal.house_number(SALT, DRAW_CTX) == house
    assert deal.commit_set(DRAW_CTX, [KEY] * 5) == sha256(b"hokm/v1/commit-set", b"\0", DRAW_CTX, KEY * 5)
    early = sha256(b"hokm/v1/early", b"\0", DEAL_CTX, b"\0\0\0\x0d", b"\x03\x33", SALT)
    assert deal.early_commitment(DEAL_CTX, 13, 3, 51, SALT) == early


DRAW_WITH_ROUND = GAME + bytes([1, 0, 0, 0, 1, 0, 0, 0, 0])
DEAL_WITHOUT_ROUND = GAME + bytes([2, 0, 0, 0, 0, 0, 0, 0, 0])

REFUSED: list[tuple[Callable[..., object], tuple[Any, ...], type[HokmError]]] = [
    (deal.game_id, ("a", SALT[1:], KINDS, KEYS, NONCES), WrongLength),
    (deal.game_id, ("a", SALT, KINDS[1:], KEYS, NONCES), WrongLength),
    (deal.game_id, ("a", SALT, KINDS, KEYS[1:], NONCES), WrongLength),
    (deal.game_id, ("a", SALT, KINDS, KEYS, NONCES[1:]), WrongLength),
    (deal.game_id, ("a", SALT, (0, 0, 0, 2), KEYS, NONCES), OutOfRange),
    (deal.game_id, ("a", SALT, (-1, 0, 0, 0), KEYS, NONCES), OutOfRange),
    (deal.game_id, ("a", SALT, KINDS, (*KEYS[1:], b""), NONCES), WrongLength),
    (deal.game_id, ("a", SALT, KINDS, KEYS, (*NONCES[1:], b"n" * 33)), WrongLength),
    (deal.commitment, (DEAL_CTX, 5, KEY, NUMBER), OutOfRange),
    (deal.commitment, (DEAL_CTX, -1, KEY, NUMBER), OutOfRange),
    (deal.commitment, (DEAL_CTX, 0, KEY[1:], NUMBER), WrongLength),
    (deal.commitment, (DEAL_CTX, 0, KEY, NUMBER + b"n"), WrongLength),
    (deal.commitment, (DEAL_CTX[1:], 0, KEY, NUMBER), WrongLength),
    (deal.commitment, (DRAW_WITH_ROUND, 0, KEY, NUMBER), RoundNotOfPurpose),
    (deal.commitment, (DEAL_WITHOUT_ROUND, 0, KEY, NUMBER), RoundNotOfPurpose),
    (deal.commitment, (bytes(41), 0, KEY, NUMBER), OutOfRange),
    (deal.house_number, (SALT[1:], DEAL_CTX), WrongLength),
    (deal.house_number, (SALT, DEAL_CTX + b"0"), WrongLength),
    (deal.commit_set, (DEAL_CTX, [KEY] * 4), WrongLength),
    (deal.commit_set, (DEAL_CTX, [KEY] * 6), WrongLength),
    (deal.commit_set, (DEAL_CTX, [KEY, KEY, KEY, KEY, KEY[1:]]), WrongLength),
    (deal.commit_set, (GAME + b"\3" + DEAL_CTX[33:], [KEY] * 5), OutOfRange),
    (deal.early_commitment, (DEAL_CTX, 0, 0, 0, SALT), OutOfRange),
    (deal.early_commitment, (DEAL_CTX, 2**32, 0, 0, SALT), OutOfRange),
    (deal.early_commitment, (DEAL_CTX, 1, 4, 0, SALT), OutOfRange),
    (deal.early_commitment, (DEAL_CTX, 1, 0, 52, SALT), OutOfRange),
    (deal.early_commitment, (DEAL_CTX, 1, 0, 0, SALT[1:]), WrongLength),
    (deal.early_commitment, (DRAW_CTX, 1, 0, 0, SALT), OutOfRange),
    (deal.prk, (KEY[1:], [NUMBER] * 5), WrongLength),
    (deal.prk, (KEY, [NUMBER] * 4), WrongLength),
    (deal.deal, (KEY, [NUMBER, NUMBER, NUMBER, NUMBER, b""]), WrongLength),
    (deal.draw, (KEY, [NUMBER] * 6), WrongLength),
    (deal.stream, (KEY[1:], Purpose.DEAL), WrongLength),
    (deal.packets_of, (PACK[1:], 0, Packets.FIVE_FOUR_FOUR), NotAPack),
    (deal.packets_of, (PACK, 4, Packets.FIVE_FOUR_FOUR), OutOfRange),
    (deal.hands, ((*PACK[1:], 51), 0, Packets.FIVE_FIVE_THREE), NotAPack),
    (deal.middle, ((),), NotAPack),
]


@pytest.mark.parametrize(("function", "arguments", "error"), REFUSED)
def test_out_of_bounds_is_malformed(
    function: Callable[..., object], arguments: tuple[Any, ...], error: type[HokmError]
) -> None:
    """Another length, a number too high or too low: refused by name, never hashed."""
    with pytest.raises(error) as refused:
        function(*arguments)
    assert isinstance(refused.value, Malformed)
    assert str(refused.value)


@pytest.mark.parametrize("origin", ["", "a" * 256, "a b", "a+b", "a\n", "é", "a\x7f", "\ud800", " a", "a\0"])
def test_an_origin_is_visible_ascii(origin: str) -> None:
    """1 to 255 characters, no space, no plus."""
    with pytest.raises(NotAnOrigin):
        deal.game_id(origin, SALT, KINDS, KEYS, NONCES)


def test_an_origin_may_have_1_to_255_characters() -> None:
    """Every visible one but the plus, and no two origins give one game."""
    visible = "".join(chr(octet) for octet in range(0x21, 0x7F) if octet != 0x2B)
    origins = ["a", "a" * 255, visible]
    assert len({deal.game_id(origin, SALT, KINDS, KEYS, NONCES) for origin in origins}) == 3


# The stream.


def rfc_5869() -> Iterator[dict[str, str]]:
    """The cases of RFC 5869's appendix that use SHA-256."""
    for block in re.split(r"\n(?=COUNT)", vector_files.text("public/kdf/rfc-5869-HKDF-SHA256.txt"))[1:]:
        yield dict(re.findall(r"^(\w+) *= *(.*)$", block, re.MULTILINE))


@pytest.mark.parametrize("case", list(rfc_5869()), ids=lambda case: case["COUNT"])
def test_hkdf_is_that_of_rfc_5869(case: dict[str, str]) -> None:
    """Extract and expand, appendix A.1 to A.3."""
    key = deal.extract(bytes.fromhex(case["salt"]), bytes.fromhex(case["IKM"]))
    assert key.hex() == case["PRK"]
    info, length = bytes.fromhex(case["info"]), int(case["L"])
    assert bytes(islice(deal.expand(key, info), length)).hex() == case["OKM"]


@pytest.mark.parametrize(("purpose", "info"), [(Purpose.DRAW, b"hokm/v1/draw"), (Purpose.DEAL, b"hokm/v1/deck")])
def test_the_stream_is_hkdf_to_its_last_byte(purpose: Purpose, info: bytes) -> None:
    """8160 bytes, as another implementation expands them, and not one more."""
    assert len(info) == 12
    whole = bytes(deal.stream(KEY, purpose))
    assert whole == HKDFExpand(SHA256(), deal.STREAM_LENGTH, info).derive(KEY)
    assert len(whole) == deal.STREAM_LENGTH == 8160


# The shuffle.


def by_the_words(octets: bytes) -> tuple[list[int], int, list[tuple[int, int]]]:
    """The shuffle once more, slowly: pack, bytes used, bytes passed over."""
    deck, used, passed = list(range(52)), 0, []
    for i in range(51, 0, -1):
        n = i + 1
        limit = 256 - (256 % n)
        while True:
            b = octets[used]
            used += 1
            if b < limit:
                break
            passed.append((n, b))
        j = b % n
        deck[i], deck[j] = deck[j], deck[i]
    return deck, used, passed


@given(st.binary(min_size=300, max_size=300))
def test_the_shuffle_is_the_one_described(octets: bytes) -> None:
    """The same pack from the same bytes, the same bytes passed over."""
    octets += bytes(51)  # zero is never passed over
    shuffled = deal.shuffle(octets)
    deck, used, passed = by_the_words(octets)
    assert (list(shuffled.deck), shuffled.used, list(shuffled.rejected)) == (deck, used, passed)
    assert sorted(shuffled.deck) == list(PACK)


def keeping(first: int, last: int) -> bytes:
    """The bytes that leave the places from `first` down to `last` as they are."""
    return bytes(range(first, last - 1, -1))


@pytest.mark.parametrize("place", range(1, 52))
def test_a_byte_falls_on_each_place_equally_often(place: int) -> None:
    """All 256 bytes at every step, the steps around it standing still: each place as often, the rest passed over."""
    before, after = keeping(51, place + 1), keeping(place - 1, 1)
    fallen: Counter[int] = Counter()
    for octet in range(256):
        try:
            deck = deal.shuffle(before + bytes([octet]) + after).deck
        except StreamUsedUp:  # it was passed over: one byte more is needed
            shuffled = deal.shuffle(before + bytes([octet, place]) + after)
            assert (shuffled.deck, shuffled.rejected) == (PACK, ((place + 1, octet),))
            continue
        chosen = deck[place]
        assert deck[chosen] == place
        assert chosen == octet % (place + 1)
        fallen[chosen] += 1
    assert fallen == dict.fromkeys(range(place + 1), 256 // (place + 1))


def test_every_order_comes_from_one_choice_of_places() -> None:
    """The last six steps in all 5,040 ways: every order of the first seven cards, once."""
    still = keeping(51, 7)
    choices = itertools.product(*(range(place + 1) for place in range(6, 0, -1)))
    orders = Counter(deal.shuffle(still + bytes(choice)).deck[:7] for choice in choices)
    assert orders == Counter(itertools.permutations(range(7)))


@pytest.mark.parametrize(
    ("octets", "used"), [(b"", 0), (bytes(50), 50), (b"\xff" * 8160, 8160), (b"\xd0" + bytes(50), 51)]
)
def test_a_stream_that_ends_too_soon_is_an_error(octets: bytes, used: int) -> None:
    """There is no fallback; a byte of 208 or more is passed over at the first step."""
    with pytest.raises(StreamUsedUp) as refused:
        deal.shuffle(octets)
    assert refused.value.used == used
    assert deal.shuffle(bytes(51)).used == 51


def test_no_more_of_the_stream_is_made_than_is_needed() -> None:
    """The byte behind the last one used is still there to take."""
    octets = iter(bytes(51) + b"\x07")
    deal.shuffle(octets)
    assert next(octets) == 7


# The draw and the deal.


@given(octets_32, five)
def test_a_draw_takes_its_start_from_the_first_byte(commit_set: bytes, numbers: list[bytes]) -> None:
    """Its last two bits; the pack comes from the bytes behind it."""
    start, deck = deal.draw(commit_set, numbers)
    stream = HKDFExpand(SHA256(), 8160, b"hokm/v1/draw").derive(
        hmac.new(commit_set, b"".join(numbers), "sha256").digest()
    )
    assert start == stream[0] % 4
    assert list(deck) == by_the_words(stream[1:])[0]


@given(octets_32, five)
def test_a_deal_is_the_shuffle_of_its_own_stream(commit_set: bytes, numbers: list[bytes]) -> None:
    """Another one than the draw's."""
    stream = HKDFExpand(SHA256(), 8160, b"hokm/v1/deck").derive(
        hmac.new(commit_set, b"".join(numbers), "sha256").digest()
    )
    assert list(deal.deal(commit_set, numbers)) == by_the_words(stream)[0]


def test_every_number_decides() -> None:
    """One other bit in any of the five, or in the commitments, is another pack; so is another order of them."""
    numbers = [bytes([seat]) * 32 for seat in range(5)]
    decks = {deal.deal(KEY, numbers), deal.deal(KEY[:31] + b"l", numbers), deal.deal(KEY, numbers[::-1])}
    for seat in range(5):
        changed = [*numbers]
        changed[seat] = bytes(31) + bytes([numbers[seat][31] ^ 1])
        decks.add(deal.deal(KEY, changed))
    assert len(decks) == 8


@given(st.permutations(PACK), st.integers(0, 3), st.sampled_from(Packets))
def test_a_deal_parts_the_pack(deck: list[int], hakem: int, packets: Packets) -> None:
    """Every card to one seat, thirteen each; the packets are the pack in its order, the hakem first."""
    hands = deal.hands(deck, hakem, packets)
    assert [hand.bit_count() for hand in hands] == [13] * 4
    assert sum(hands) == FULL
    dealt = deal.packets_of(deck, hakem, packets)
    assert [len(packet[0]) for packet in dealt] == list(packets.sizes)
    order = [(hakem + step) % 4 for step in range(4)]
    assert [card for packet in dealt for seat in order for card in packet[seat]] == deck
    assert deal.middle(deck) == dealt[0][rules.partner_of(hakem)][2]
    assert hands == tuple(cards.hand_of(c for packet in dealt for c in packet[seat]) for seat in range(4))


@pytest.mark.parametrize("hakem", range(4))
def test_the_place_of_every_card_by_the_formula(hakem: int) -> None:
    """Position p goes to seat hakem + k: k = p/5 below 20, then by fours, or by fives to 40 and then by threes."""
    fours = [p // 5 if p < 20 else (p - 20) // 4 % 4 for p in range(52)]
    threes = [p // 5 if p < 20 else (p - 20) // 5 if p < 40 else (p - 40) // 3 for p in range(52)]
    for packets, steps in ((Packets.FIVE_FOUR_FOUR, fours), (Packets.FIVE_FIVE_THREE, threes)):
        hands = deal.hands(PACK, hakem, packets)
        assert [next(s for s in range(4) if hands[s] >> p & 1) for p in range(52)] == [(hakem + k) % 4 for k in steps]


def test_the_dealer_sits_on_the_hakems_left() -> None:
    """An opponent of the hakem (G5)."""
    assert [deal.dealer(hakem) for hakem in range(4)] == [3, 0, 1, 2]
