# SPDX-License-Identifier: Apache-2.0
"""Whole ceremonies, byte by byte: from the nonces to the hands, and the commitments of early cards."""

from __future__ import annotations

from itertools import islice

import pytest

from hokm import cards, deal, rules
from hokm.deal import Context, Purpose
from hokm.rules import FirstHakem, Packets
from tests import vector_files
from tests.vector_files import Case

PACKETS = {"5-4-4": Packets.FIVE_FOUR_FOUR, "5-5-3": Packets.FIVE_FIVE_THREE}

CEREMONIES = vector_files.ceremonies()
DRAWS = [case for case in CEREMONIES if case.input["purpose"] == Purpose.DRAW]
DEALS = [case for case in CEREMONIES if case.input["purpose"] == Purpose.DEAL]
EARLY = vector_files.framing("early_card")


def name(case: Case) -> str:
    """The line's own, for the report."""
    return case.id


@pytest.mark.parametrize("case", CEREMONIES, ids=name)
def test_the_context(case: Case) -> None:
    """game_id from what was joined, ctx from it; and back."""
    given = case.input
    game = deal.game_id(
        given["origin"], given["server_nonce"], given["kinds"], given["public_keys"], given["join_nonces"]
    )
    assert game == case.output["game_id"]
    context = Context(game, Purpose(given["purpose"]), given["round"], given["attempt"])
    assert context.to_bytes() == case.output["ctx"]
    assert Context.from_bytes(case.output["ctx"]) == context


@pytest.mark.parametrize("case", CEREMONIES, ids=name)
def test_the_commitments(case: Case) -> None:
    """The house's number, five commitments, the set, and the key of the stream."""
    given, ctx = case.input, case.output["ctx"]
    if given["house_secret"] is not None:
        house = deal.house_number(given["house_secret"], ctx)
    else:
        house = given["house_number"]
    assert house == case.output["house_number"]
    numbers = [*given["numbers"], house]
    holders = [*given["holder_keys"], given["house_event_key"]]
    commitments = [
        deal.commitment(ctx, seat, key, number) for seat, (key, number) in enumerate(zip(holders, numbers, strict=True))
    ]
    assert commitments == case.output["commitments"]
    commit_set = deal.commit_set(ctx, commitments)
    assert commit_set == case.output["commit_set"]
    assert deal.prk(commit_set, numbers) == case.output["prk"]


@pytest.mark.parametrize("case", CEREMONIES, ids=name)
def test_the_shuffle(case: Case) -> None:
    """The stream's first bytes, the pack, the bytes used, and each byte passed over."""
    purpose = Purpose(case.input["purpose"])
    key = case.output["prk"]
    assert bytes(islice(deal.stream(key, purpose), 64)) == case.output["stream_64"]
    octets = deal.stream(key, purpose)
    start_byte = 1 if purpose is Purpose.DRAW else 0
    if start_byte:
        assert next(octets) & 3 == case.output["start"]
    shuffled = deal.shuffle(octets)
    assert list(shuffled.deck) == case.output["deck"]
    assert shuffled.used + start_byte == case.output["bytes_used"]
    assert [list(pair) for pair in shuffled.rejected] == case.output["rejected"]


@pytest.mark.parametrize("case", DRAWS, ids=name)
def test_the_draw(case: Case) -> None:
    """The start seat and the pack, and what both ways of drawing make of them."""
    numbers = [*case.input["numbers"], case.output["house_number"]]
    start, deck = deal.draw(case.output["commit_set"], numbers)
    assert (start, list(deck)) == (case.output["start"], case.output["deck"])
    for how, field in ((FirstHakem.FIRST_ACE, "first_ace"), (FirstHakem.HIGH_CARD, "high_card")):
        hakem, turned = rules.first_hakem(how, deck, start)
        assert [list(pair) for pair in turned] == case.output[field]["turned"]
        assert hakem == case.output[field]["hakem"]


@pytest.mark.parametrize("case", DEALS, ids=name)
def test_the_deal(case: Case) -> None:
    """The pack, the packets in dealing order, the hands and the partner's middle."""
    numbers = [*case.input["numbers"], case.output["house_number"]]
    deck = deal.deal(case.output["commit_set"], numbers)
    assert list(deck) == case.output["deck"]
    hakem, packets = case.input["hakem"], PACKETS[case.input["packets"]]
    dealt = deal.packets_of(deck, hakem, packets)
    assert [[list(cards) for cards in packet] for packet in dealt] == case.output["hands"]
    assert deal.middle(deck) == case.output["middle"]
    by_seat = [[card for packet in dealt for card in packet[seat]] for seat in range(4)]
    assert deal.hands(deck, hakem, packets) == tuple(cards.hand_of(hand) for hand in by_seat)


@pytest.mark.parametrize("case", EARLY, ids=name)
def test_the_early_card(case: Case) -> None:
    """What is laid face down is committed to."""
    given = case.input
    early = deal.early_commitment(given["ctx"], given["trick"], given["seat"], given["card"], given["salt"])
    assert early == case.output["commitment"]
