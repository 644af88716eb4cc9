# SPDX-License-Identifier: Apache-2.0
"""What is counted over the records of many games: no judgement here, and no pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from hokm.cards import parse_cards
from hokm.record import By
from hokm_audit.replaying import Trouble

CARDS: Final = 52
SEATS: Final = 4
HAND: Final = 13


def _grid(rows: int) -> list[list[int]]:
    return [[0] * CARDS for _ in range(rows)]


@dataclass
class Gathered:
    """Counts. A *position* is a seat as the hakem counts: 0 the hakem, 1 the seat to the right, and so on."""

    games: int = 0
    rounds: int = 0
    """Those whose hands are known."""
    by_seat: list[list[int]] = field(default_factory=lambda: _grid(SEATS))
    """Cards of each seat, by card."""
    by_position: list[list[int]] = field(default_factory=lambda: _grid(SEATS))
    by_place: list[list[int]] = field(default_factory=lambda: _grid(CARDS))
    """Cards at each place of the deal: 13 times the position, and the order in which that hand was dealt."""
    first_hakems: Counter[int] = field(default_factory=Counter)
    """Games by the seat that the draw made hakem."""
    suit_lengths: Counter[int] = field(default_factory=Counter)
    """Suits of hands by how many cards they had."""
    one_length: Counter[int] = field(default_factory=Counter)
    """The same of one suit of one hand in each round, which are independent."""
    endings: Counter[str] = field(default_factory=Counter)
    hakems: Counter[int] = field(default_factory=Counter)
    """Rounds that were won, by the hakem's seat."""
    hakem_won: Counter[int] = field(default_factory=Counter)
    """Of them: by the hakem's side."""
    points: Counter[tuple[bool, int]] = field(default_factory=Counter)
    """Rounds by whether the hakem's side won, and by how many points."""
    attempts: Counter[int] = field(default_factory=Counter)
    """Deals by the ceremonies that they took."""
    think_ms: dict[str, list[int]] = field(default_factory=dict)
    """Of each card that was chosen, by the kind of who sat down there."""
    kinds: Counter[tuple[int, str]] = field(default_factory=Counter)
    """Games by seat and kind."""
    troubles: Counter[tuple[str, int | None]] = field(default_factory=Counter)
    """By what, and at which seat."""
    standings: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By what, and by how the seat's side stood in the score."""
    of_players: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By player and what."""
    players: Counter[str] = field(default_factory=Counter)
    """Games by player."""


def gather(records: Iterable[tuple[dict[str, Any], list[Trouble]]]) -> Gathered:
    """Count it all, of records as `replaying.unpack` gives them."""
    gathered = Gathered()
    for record, troubles in records:
        _game(gathered, record)
        for what, seat, key, standing in troubles:
            gathered.troubles[what, seat] += 1
            if key is not None and standing is not None:
                gathered.of_players[key, what] += 1
                gathered.standings[what, standing] += 1
    return gathered


def _game(gathered: Gathered, record: dict[str, Any]) -> None:
    gathered.games += 1
    gathered.endings[record["ending"]] += 1
    for seat, sitting in enumerate(record["seats"]):
        gathered.players[sitting["key"]] += 1
        gathered.kinds[seat, sitting["kind"]] += 1
    if record["draw"] is not None:
        gathered.first_hakems[record["draw"]["hakem"]] += 1
    kinds = [seat["kind"] for seat in record["seats"]]
    for round_ in record["rounds"]:
        gathered.attempts[round_["attempts"]] += 1
        if round_["hands"] is not None:
            _hands(gathered, round_["hands"], round_["hakem"])
        _result(gathered, round_)
        for trick in round_["tricks"]:
            for place, (by, think_ms) in enumerate(zip(trick["by"], trick["think_ms"], strict=True)):
                if by == By.PLAYER:
                    kind = kinds[(trick["leader"] + place) % SEATS]
                    gathered.think_ms.setdefault(kind, []).append(think_ms)


def _hands(gathered: Gathered, hands: list[str], hakem: int) -> None:
    chosen = gathered.rounds % (SEATS * SEATS)  # each round another seat and suit, whatever they hold
    gathered.rounds += 1
    for seat, text in enumerate(hands):
        cards = parse_cards(text)
        position = (seat - hakem) % SEATS
        for order, card in enumerate(cards):
            gathered.by_seat[seat][card] += 1
            gathered.by_position[position][card] += 1
            gathered.by_place[HAND * position + order][card] += 1
        lengths = Counter(card // HAND for card in cards)
        gathered.suit_lengths.update(lengths[suit] for suit in range(SEATS))
        if seat == chosen // SEATS:
            gathered.one_length[lengths[chosen % SEATS]] += 1


def _result(gathered: Gathered, round_: dict[str, Any]) -> None:
    if round_["winner"] is None:
        return
    hakem = round_["hakem"]
    won = round_["winner"] == hakem % 2
    gathered.hakems[hakem] += 1
    gathered.hakem_won[hakem] += won
    gathered.points[won, round_["points"]] += 1
