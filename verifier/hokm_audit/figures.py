# SPDX-License-Identifier: Apache-2.0
"""The figures of a report: of each a table, a picture, a test where chance says what is normal, and the words to it."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import quantiles
from typing import Final, NamedTuple

from hokm.cards import card_text
from hokm_audit.chances import LENGTHS, Test, of_counts, of_deals, of_shares, share_between
from hokm_audit.gathering import CARDS, HAND, SEATS, Gathered
from hokm_audit.pictures import SMALL, SQUARE, WIDE, Draw, bars, grid, shares, times

Cell = str | int | float

CARD_NAMES: Final = tuple(card_text(card) for card in range(CARDS))
_SEAT_NAMES: Final = tuple(f"seat {seat}" for seat in range(SEATS))
_POSITIONS: Final = ("hakem", "right of hakem", "partner", "left of hakem")
_MOST_PLAYERS: Final = 30


class Figure(NamedTuple):
    """One of them."""

    name: str
    """Of its file of comma-separated values."""
    title: str
    normal: str
    """What would be normal."""
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    draw: Draw | None = None
    size: tuple[float, float] = SMALL
    test: Test | None = None
    is_tested: bool = False
    """Whether chance says what is normal, even if there was too little to test."""
    is_large: bool = False
    """The table is for the file alone."""


def figures_of(counted: Gathered) -> tuple[Figure, ...]:
    """All figures, in the order of a page."""
    return (
        _cards_by_seat(counted),
        _cards_by_position(counted),
        _cards_by_place(counted),
        _first_hakems(counted),
        _suit_lengths(counted),
        _hakems_side(counted),
        _kots(counted),
        _attempts(counted),
        _troubles(counted),
        _standings(counted),
        _players(counted),
        _think_times(counted),
        _endings(counted),
    )


# Cards.


def _cards(
    name: str, title: str, counts: Sequence[Sequence[int]], rows: Sequence[str], size: tuple[float, float]
) -> Figure:
    expected = sum(counts[0]) / CARDS
    share = 1 / len(rows)
    spread = sqrt(expected * (1 - share)) or 1.0
    z = [[(count - expected) / spread for count in row] for row in counts]
    return Figure(
        name,
        title,
        f"each card {expected:,.1f} times in each row, give or take {spread:,.1f}; of the {len(rows) * CARDS} squares "
        "about one in twenty is off by more than twice that, and the colours make no pattern",
        ("", *CARD_NAMES),
        tuple((row, *of_row) for row, of_row in zip(rows, counts, strict=True)),
        grid(z, rows, CARD_NAMES),
        size,
        of_deals(counts),
        is_tested=True,
        is_large=True,
    )


def _cards_by_seat(counted: Gathered) -> Figure:
    return _cards("cards_by_seat", "Cards by seat", counted.by_seat, _SEAT_NAMES, WIDE)


def _cards_by_position(counted: Gathered) -> Figure:
    return _cards("cards_by_position", "Cards by position to the hakem", counted.by_position, _POSITIONS, WIDE)


def _cards_by_place(counted: Gathered) -> Figure:
    places = [f"{_POSITIONS[place // HAND]} {place % HAND + 1}" for place in range(CARDS)]
    return _cards("cards_by_place", "Cards by place in the deal", counted.by_place, places, SQUARE)


def _suit_lengths(counted: Gathered) -> Figure:
    names = [str(length) for length in range(HAND + 1)]
    total = sum(counted.suit_lengths.values())
    one = sum(counted.one_length.values())
    seen = [counted.suit_lengths[length] for length in range(HAND + 1)]
    expected = [total * chance for chance in LENGTHS]
    tested = [counted.one_length[length] for length in range(HAND + 1)]
    return Figure(
        "suit_lengths",
        "Lengths of suits",
        "the bars end at the marks. The sixteen suits of one deal depend on one another, so the test takes one of each "
        "deal, in a fixed turn",
        ("cards of a suit", "hands", "expected", "of one suit a deal", "expected of these"),
        tuple(
            (name, count, round(wanted, 1), of_one, round(one * chance, 1))
            for name, count, wanted, of_one, chance in zip(names, seen, expected, tested, LENGTHS, strict=True)
        ),
        bars(names, seen, expected, "suits"),
        test=of_counts(tested, [one * chance for chance in LENGTHS]),
        is_tested=True,
    )


# Hakem and results.


def _first_hakems(counted: Gathered) -> Figure:
    seen = [counted.first_hakems[seat] for seat in range(SEATS)]
    expected = [sum(seen) / SEATS] * SEATS
    return Figure(
        "first_hakem",
        "First hakem by seat",
        "a quarter each: the draw begins at a seat that is drawn itself",
        ("seat", "games", "expected"),
        tuple((seat, count, round(wanted, 1)) for seat, (count, wanted) in enumerate(zip(seen, expected, strict=True))),
        bars(_SEAT_NAMES, seen, expected, "games"),
        test=of_counts(seen, expected),
        is_tested=True,
    )


def _hakems_side(counted: Gathered) -> Figure:
    totals = [counted.hakems[seat] for seat in range(SEATS)]
    hits = [counted.hakem_won[seat] for seat in range(SEATS)]
    lines = [*zip(_SEAT_NAMES, hits, totals, strict=True), ("all", sum(hits), sum(totals))]
    found = [(hit / total if total else 0.0, *share_between(hit, total)) for _, hit, total in lines]
    return Figure(
        "hakem_wins",
        "Rounds won by the hakem's side",
        "no law gives this share: it is how much naming trumps is worth to those who played. But it is the same for "
        "each seat, if equal players sit there; the test asks that, and the lines are what 95 in 100 would lie in",
        ("hakem", "won", "rounds", "share", "at least", "at most"),
        tuple(
            (name, hit, total, *(round(part, 4) for part in parts))
            for (name, hit, total), parts in zip(lines, found, strict=True)
        ),
        shares([name for name, _, _ in lines], found),
        test=of_shares(hits, totals),
        is_tested=True,
    )


def _kots(counted: Gathered) -> Figure:
    rounds = sum(counted.points.values())
    lines = [
        ("won, no kot", counted.points[True, 1]),
        ("kot for the hakem's side", counted.points[True, 2]),
        ("lost, no kot", counted.points[False, 1]),
        ("kot against the hakem's side", counted.points[False, 3]),
    ]
    found = [(count / rounds if rounds else 0.0, *share_between(count, rounds)) for _, count in lines]
    return Figure(
        "kots",
        "Kots",
        "no law gives these shares: they depend on skill. A jump from one month to the next wants a reason",
        ("result", "rounds", "share", "at least", "at most"),
        tuple((*line, *(round(part, 4) for part in parts)) for line, parts in zip(lines, found, strict=True)),
        bars(("won", "kot", "lost", "kot against"), [count for _, count in lines], label="rounds", by_powers=True),
    )


def _attempts(counted: Gathered) -> Figure:
    lines = sorted(counted.attempts.items())
    return Figure(
        "attempts",
        "Attempts that a deal took",
        "one. Each further attempt is a void: a commitment or a number did not come, or the house says so. Voids that "
        "often come when one side leads want an explanation",
        ("attempts", "deals"),
        tuple(lines),
        bars([str(attempts) for attempts, _ in lines], [count for _, count in lines], label="deals", by_powers=True),
    )


# Troubles.


def _troubles(counted: Gathered) -> Figure:
    whats = sorted({what for what, _ in counted.troubles})
    whose = (*range(SEATS), None)
    lines: list[tuple[Cell, ...]] = [(what, *(counted.troubles[what, seat] for seat in whose)) for what in whats]
    sums = [sum(counted.troubles[what, seat] for what in whats) for seat in whose]
    return Figure(
        "troubles",
        "Voids, missed deadlines and faults, by seat and house",
        "about the same for each seat where like players sit. That a thing was not sent is the house's word: a house "
        "that drops what one seat sends looks like a seat that is silent",
        ("what", *_SEAT_NAMES, "the house"),
        tuple(lines),
        bars([*_SEAT_NAMES, "the house"], sums, label="troubles"),
    )


def _standings(counted: Gathered) -> Figure:
    whats = sorted({what for what, _ in counted.standings})
    names = ("ahead", "level", "behind")
    lines: list[tuple[Cell, ...]] = [(what, *(counted.standings[what, name] for name in names)) for what in whats]
    voids = [sum(counted.standings[what, name] for what in whats if what.startswith("no ")) for name in names]
    uneven = [voids[0], voids[2]]
    return Figure(
        "standings",
        "Voids and missed deadlines, by how the seat's side stood in the score",
        "as many voids ahead as behind: unless the score is level, two seats are ahead and two behind. Who lets deals "
        "fail when losing, or a house that says so of others, shows here",
        ("what", *names),
        tuple(lines),
        bars(names, voids, label="voids"),
        test=of_counts(uneven, [sum(uneven) / 2] * 2),
        is_tested=True,
    )


def _players(counted: Gathered) -> Figure:
    whats = sorted({what for _, what in counted.of_players})
    sums = {key: sum(counted.of_players[key, what] for what in whats) for key, _ in counted.of_players}
    worst = sorted(sums, key=lambda key: (-sums[key], key))[:_MOST_PLAYERS]
    return Figure(
        "players",
        f"The {_MOST_PLAYERS} players with the most troubles",
        "people miss things. A key that misses many more than others of as many games has a bad line, or a reason",
        ("player", "games", *whats),
        tuple((key, counted.players[key], *(counted.of_players[key, what] for what in whats)) for key in worst),
    )


def _think_times(counted: Gathered) -> Figure:
    rows: list[tuple[Cell, ...]] = []
    for kind, values in sorted(counted.think_ms.items()):
        cuts = quantiles(values, n=20) if len(values) > 1 else values * 19
        rows.append((kind, len(values), *(round(cuts[place] / 1000, 2) for place in (0, 4, 9, 14, 18))))
    return Figure(
        "think_times",
        "Seconds thought about a card",
        "people think longer now and then, and programs do not; the times are the house's, with what the line adds",
        ("who sat down", "cards", "5 in 100 below", "a quarter", "half", "three quarters", "95 in 100"),
        tuple(rows),
        times(counted.think_ms),
    )


def _endings(counted: Gathered) -> Figure:
    lines = sorted(counted.endings.items())
    return Figure(
        "endings",
        "How games ended",
        "nearly all by the target; a game that ends by SERVER_FAULT is the house's to explain",
        ("ending", "games"),
        tuple(lines),
        bars([name for name, _ in lines], [count for _, count in lines], label="games", by_powers=True),
    )
