# SPDX-License-Identifier: Apache-2.0
"""How a measurement is taken and told: the median of several takes, and rows of figure, floor, ratio and goal."""

from __future__ import annotations

import argparse
import gc
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One figure beside its floor."""

    what: str
    figure: float
    unit: str
    floor: float | None = None
    floor_is: str = ""
    goal: str = ""

    @property
    def ratio(self) -> float | None:
        """The figure as a multiple of its floor."""
        return None if not self.floor else self.figure / self.floor


def is_quick(what: str | None, arguments: Sequence[str] | None) -> bool:
    """Whether the command line of a measurement, described by its docstring, asks to see only that it works."""
    parser = argparse.ArgumentParser(description=what, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="only see that it works; the figures mean nothing")
    return bool(parser.parse_args(arguments).quick)


def tell(title: str, rows: list[Row], *notes: str) -> None:
    """Print the rows as a table that reads the same in a terminal and in a note."""
    print(f"\n{title}  (Python {platform.python_version()}, {os.cpu_count()} processors)")
    cells = [("what", "figure", "floor", "ratio", "goal")]
    for row in rows:
        floor = "" if row.floor is None else f"{_number(row.floor)} {row.unit}  ({row.floor_is})"
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        cells.append((row.what, f"{_number(row.figure)} {row.unit}", floor, ratio, row.goal))
    widths = [max(len(line[column]) for line in cells) for column in range(5)]
    for line in cells:
        print("  " + "   ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    for note in notes:
        print(f"  {note}")


def _number(value: float) -> str:
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def seconds_of(call: Callable[[], object], takes: int = 5, clock: Callable[[], float] = time.perf_counter) -> float:
    """The median time of one call, in seconds by that clock, over several takes after one that does not count."""
    call()
    times = []
    for _ in range(takes):
        gc.collect()
        begun = clock()
        call()
        times.append(clock() - begun)
    return statistics.median(times)


def micros_each(call: Callable[[], object], count: int, takes: int = 5) -> float:
    """Microseconds of each of `count` things that one call does."""
    return seconds_of(call, takes) / count * 1e6
