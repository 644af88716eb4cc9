# SPDX-License-Identifier: Apache-2.0
"""The scenarios that need no table: the draw, the deal, the score, and what the house does at a deadline.

A scenario's `expect` names only what matters: what it leaves out is not asked.
"""

from __future__ import annotations

from typing import Any

import pytest

from hokm import cards, deal, rules
from hokm.cards import card_text, parse_cards, parse_hand, parse_suit
from hokm.rules import FirstHakem, HakemPasses, Packets
from tests import vector_files

PACKETS = {"5-4-4": Packets.FIVE_FOUR_FOUR, "5-5-3": Packets.FIVE_FIVE_THREE}


def answer_draw(given: dict[str, Any]) -> dict[str, Any]:
    """Who is hakem, and how many cards were turned up."""
    pack = parse_cards(given["pack"])
    hakem, turned = rules.first_hakem(FirstHakem[given["first_hakem"]], pack, given["start"])
    return {"hakem": hakem, "turned": len(turned)}


def answer_deal(given: dict[str, Any]) -> dict[str, Any]:
    """Each hand in the order in which its cards came, the dealer, the partner's middle."""
    pack, hakem, packets = parse_cards(given["pack"]), given["hakem"], PACKETS[given["packets"]]
    dealt = deal.packets_of(pack, hakem, packets)
    hands = [cards.cards_text(card for packet in dealt for card in packet[seat]) for seat in range(4)]
    assert deal.hands(pack, hakem, packets) == tuple(parse_hand(hand) for hand in hands)
    assert deal.middle(pack) == dealt[0][rules.partner_of(hakem)][2]
    return {"hands": hands, "dealer": deal.dealer(hakem), "middle": card_text(deal.middle(pack))}


def answer_score(given: dict[str, Any]) -> dict[str, Any]:
    """Points, winner, score, whether the game is over, and if it is not the next hakem."""
    even, odd = given["tricks"]
    before, after = given["score"]
    winner = rules.round_winner((even, odd))
    points = rules.points(given["hakem"], (even, odd))
    score = rules.score_after((before, after), winner, points)
    over = rules.game_winner(score, given["target"]) is not None
    answer = {"points": points, "winner": winner, "score_after": list(score), "game_over": over}
    if winner is not None:
        answer["next_hakem"] = rules.next_hakem(given["hakem"], winner, HakemPasses[given["hakem_passes"]])
    return answer


def answer_timeout_trump(given: dict[str, Any]) -> dict[str, Any]:
    """The suit that the house names."""
    return {"trump": rules.timeout_trump(parse_hand(given["five"])).letter}


def answer_timeout_card(given: dict[str, Any]) -> dict[str, Any]:
    """The card that the house plays."""
    led = None if given["led"] is None else parse_suit(given["led"])
    return {"card": card_text(rules.timeout_card(parse_hand(given["hand"]), led, parse_suit(given["trump"])))}


ANSWERS = {
    "draw": answer_draw,
    "deal": answer_deal,
    "score": answer_score,
    "timeout_trump": answer_timeout_trump,
    "timeout_card": answer_timeout_card,
}

SCENARIOS = [line for line in vector_files.house_rules() if line["kind"] != "round"]


@pytest.mark.parametrize("line", SCENARIOS, ids=lambda line: str(line["name"]))
def test_scenario(line: dict[str, Any]) -> None:
    """What the scenario expects is what the rules answer."""
    answer = ANSWERS[line["kind"]](line["given"])
    expect = dict(line["expect"])
    if answer.get("game_over"):
        expect.pop("next_hakem", None)  # not defined after the last round (G12)
    assert {key: answer[key] for key in expect} == expect
