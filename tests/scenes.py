# SPDX-License-Identifier: Apache-2.0
"""The scenarios of house_rules.jsonl that need a table, read: their rules, the pack of their hands, their acts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from hokm.cards import Card, hand_of, parse_card, parse_cards, parse_hand, parse_suit
from hokm.deal import packets_of
from hokm.events import Act, CallMiddle, NameTrump, PickUp, Play, Run, TakeBack
from hokm.rules import Packets, Seat, TableRules

PACKETS: Final = {"5-4-4": Packets.FIVE_FOUR_FOUR, "5-5-3": Packets.FIVE_FIVE_THREE}


class Laid(NamedTuple):
    """A card that is laid face down, of which an act has only the commitment."""

    card: Card


def table_rules(given: dict[str, Any]) -> TableRules:
    """The rules of a scenario: what it does not name is as in the plain game."""
    options = dict(given)
    if "packets" in options:
        options["packets"] = PACKETS[options["packets"]]
    return TableRules(**options)


def pack_of(hakem: Seat, texts: Sequence[str], packets: Packets) -> list[Card]:
    """The pack out of which these hands, each in the order of the deal, were dealt."""
    hands = [parse_cards(text) for text in texts]
    sizes = packets.sizes
    starts = (0, sizes[0], sizes[0] + sizes[1])
    pack = [
        card
        for start, size in zip(starts, sizes, strict=True)
        for step in range(4)
        for card in hands[hakem + step & 3][start : start + size]
    ]
    dealt = packets_of(pack, hakem, packets)
    assert [hand_of(card for packet in dealt for card in packet[seat]) for seat in range(4)] == [
        parse_hand(text) for text in texts
    ]
    return pack


def turned(hands: Sequence[str], by: int) -> list[str]:
    """The same hands, each so many seats further to the right."""
    return [hands[seat - by & 3] for seat in range(4)]


def said(words: str) -> list[tuple[Seat, Act | Laid]]:
    """The acts that the words name, each with its seat."""
    if match := re.fullmatch(r"from (\d): (.*)", words):
        first = int(match[1])
        return [(first + step & 3, Play(card)) for step, card in enumerate(parse_cards(match[2]))]
    seat, verb, rest = int(words[0]), *words[2:].partition(" ")[::2]
    match verb:
        case "names":
            return [(seat, NameTrump(parse_suit(rest)))]
        case "calls":
            return [(seat, CallMiddle())]
        case "picks":
            return [(seat, PickUp())]
        case "plays":
            return [(seat, Play(parse_card(rest)))]
        case "runs":
            return [(seat, Run(parse_cards(rest)))]
        case "lays":
            return [(seat, Laid(parse_card(rest)))]
        case "takes":
            return [(seat, TakeBack())]
        case _:
            raise AssertionError(words)
