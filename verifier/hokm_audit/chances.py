# SPDX-License-Identifier: Apache-2.0
"""How far counts are from what chance would give: tests of chi-square, each for how its counts come about."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, sqrt
from typing import Final, NamedTuple

from scipy.stats import chi2

from hokm_audit.gathering import CARDS, HAND

_LEAST_EXPECTED: Final = 5.0
"""Of a class that is compared by itself; smaller ones are put together."""

_NORMAL_95: Final = 1.959963984540054


class Test(NamedTuple):
    """A statistic, and how often chance alone gives one as large."""

    chi_square: float
    freedom: int
    p: float


def of_counts(counts: Sequence[float], expected: Sequence[float]) -> Test | None:
    """Independent counts of classes against what is expected of them; None where there is too little of them."""
    seen, wanted = _put_together(counts, expected)
    if len(wanted) < 2 or min(wanted) < _LEAST_EXPECTED:
        return None
    statistic = sum((one - other) ** 2 / other for one, other in zip(seen, wanted, strict=True))
    return _test(statistic, len(wanted) - 1)


def of_deals(counts: Sequence[Sequence[int]]) -> Test | None:
    """Cards by where they came to, over many deals of a whole pack, each row with the same share of it.

    Within a deal the counts are not independent: every row gets exactly its number of cards. Pearson's statistic is
    then 52/51 times one of chi-square with 51 times (rows - 1) degrees of freedom, as the covariance of a random
    permutation gives it.
    """
    rows = len(counts)
    expected = sum(counts[0]) / CARDS
    if expected < _LEAST_EXPECTED:
        return None
    statistic = sum((count - expected) ** 2 / expected for row in counts for count in row)
    return _test(statistic * (CARDS - 1) / CARDS, (CARDS - 1) * (rows - 1))


def of_shares(hits: Sequence[int], totals: Sequence[int]) -> Test | None:
    """Whether several groups have one share of hits in common."""
    share = sum(hits) / sum(totals) if sum(totals) else 0.0
    expected = [part * total for total in totals for part in (share, 1 - share)]
    if len(totals) < 2 or min(expected) < _LEAST_EXPECTED:
        return None
    counts = [count for hit, total in zip(hits, totals, strict=True) for count in (hit, total - hit)]
    statistic = sum((one - other) ** 2 / other for one, other in zip(counts, expected, strict=True))
    return _test(statistic, len(totals) - 1)


def _test(statistic: float, freedom: int) -> Test:
    return Test(statistic, freedom, float(chi2.sf(statistic, freedom)))


def _put_together(counts: Sequence[float], expected: Sequence[float]) -> tuple[list[float], list[float]]:
    """Neighbouring classes as one until none is too small."""
    seen: list[float] = []
    wanted: list[float] = []
    for count, one in zip(counts, expected, strict=True):
        if wanted and wanted[-1] < _LEAST_EXPECTED:
            seen[-1] += count
            wanted[-1] += one
        else:
            seen.append(count)
            wanted.append(one)
    if len(wanted) > 1 and wanted[-1] < _LEAST_EXPECTED:
        seen[-2:], wanted[-2:] = [sum(seen[-2:])], [sum(wanted[-2:])]
    return seen, wanted


def share_between(hits: int, total: int) -> tuple[float, float]:
    """Wilson's interval, of 95 in 100, for the share behind these counts."""
    if not total:
        return 0.0, 1.0
    share, square = hits / total, _NORMAL_95**2
    middle = (share + square / (2 * total)) / (1 + square / total)
    half = _NORMAL_95 / (1 + square / total) * sqrt(share * (1 - share) / total + square / (4 * total**2))
    return middle - half, middle + half


LENGTHS: Final = tuple(comb(HAND, n) * comb(CARDS - HAND, HAND - n) / comb(CARDS, HAND) for n in range(HAND + 1))
"""The chance that a hand has n cards of a suit."""
