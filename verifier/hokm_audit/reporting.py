# SPDX-License-Identifier: Apache-2.0
"""The report of a log: one page of HTML that needs nothing else, and the same tables as comma-separated values."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Final

from hokm_audit.chances import Test
from hokm_audit.figures import Cell, Figure, figures_of
from hokm_audit.files import failures_of, write_durably
from hokm_audit.gathering import gather
from hokm_audit.ledger import Ledger
from hokm_audit.pictures import png_of, svg_of
from hokm_audit.replaying import unpack
from hokm_audit.telling import Outcome, page

HONEST: Final = (
    "What these figures cannot show. That every deal follows from five numbers to which all were bound before any was "
    "known, that every card was legal and every result right: of each round that is what the replay shows, and no "
    "statistic is needed for it. Statistics over many deals look for what a proof cannot see, and see little: a house "
    "that tells a friend the cards bends no count of cards; a few deals that were let fail among many thousands do not "
    "show; a small p-value comes by chance once in as many tests as it says, and a large one proves nothing. Who sits "
    "behind a key, and whether the house kept the hands to itself, is not in the log at all."
)

_SMALL_P: Final = 0.001

_STYLE: Final = """\
body{font:15px/1.45 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}
h1{font-size:1.5rem}h2{font-size:1.1rem;margin:2.2rem 0 .3rem}
svg{max-width:100%;height:auto}table{border-collapse:collapse;font-size:.8rem;font-variant-numeric:tabular-nums}
td,th{padding:.15rem .6rem;border-bottom:1px solid #ddd;text-align:right;font-weight:normal}
td:first-child,th:first-child{text-align:left;max-width:22rem;overflow:hidden;text-overflow:ellipsis}th{color:#666}
.normal{color:#555;margin:.2rem 0}.honest{background:#fbf3e4;padding:.8rem 1rem;border-left:4px solid #c1440e}
pre{white-space:pre-wrap;background:#f5f5f5;padding:.6rem .8rem;font-size:.8rem}
"""

_SHOWN: Final = (
    *("cards_by_seat", "cards_by_position", "first_hakem", "suit_lengths"),
    *("hakem_wins", "kots", "think_times", "attempts"),
)
"""What the one picture of a report is made of."""


def report(ledger: Ledger, outcome: Outcome, folder: Path, *, picture: bool = False) -> list[Path]:
    """Write the page and its tables into a directory, and if it is wanted one picture of it; the files.

    Raises `FileUnusable`, `LedgerUnusable`.
    """
    figures = figures_of(gather(map(unpack, ledger.records())))
    files = {"report.html": html_of(figures, outcome).encode()}
    files |= {f"{figure.name}.csv": csv_of(figure).encode() for figure in figures}
    if picture:
        drawn = [(figure.title, figure.draw) for figure in figures if figure.name in _SHOWN and figure.draw is not None]
        files["report.png"] = png_of(drawn)
    with failures_of(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for name, octets in files.items():
        write_durably(folder / name, octets)
    return [folder / name for name in files]


def csv_of(figure: Figure) -> str:
    """The table of a figure."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(figure.header)
    writer.writerows(figure.rows)
    return file.getvalue()


def html_of(figures: Sequence[Figure], outcome: Outcome) -> str:
    """The page."""
    origin = "nothing yet" if outcome.checkpoint is None else outcome.checkpoint.origin
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>Audit of {escape(origin)}</title><style>{_STYLE}</style>",
        f"<h1>Audit of {escape(origin)}</h1>",
        "<pre>" + escape("\n".join(page(outcome))) + "</pre>",
        f'<p class="honest">{escape(HONEST)}</p>',
        f"<p>{escape(_of_tests(figures))}</p>",
    ]
    for figure in figures:
        parts += _section(figure)
    return "\n".join(parts) + "\n"


def _of_tests(figures: Iterable[Figure]) -> str:
    tests = [figure.test for figure in figures if figure.test is not None]
    small = sum(test.p < 0.05 for test in tests)
    return (
        f"{len(tests)} tests: chance alone gives about one p-value below 0.05 in twenty, and here there are {small}. "
        f"Ask further where one is below {_SMALL_P}, and again with the next thousand rounds."
    )


def _section(figure: Figure) -> Iterator[str]:
    yield f'<h2 id="{figure.name}">{escape(figure.title)}</h2>'
    yield f'<p class="normal">Normal would be: {escape(figure.normal)}.</p>'
    if figure.is_tested:
        yield f"<p>{escape(_in_words(figure.test))}</p>"
    if not figure.rows:
        yield "<p>There is nothing of it.</p>"
        return
    if figure.draw is not None:
        yield svg_of(figure.draw, figure.size, figure.name)
    if figure.is_large:
        yield f"<p>The table is in {figure.name}.csv.</p>"
    else:
        yield from _table(figure)


def _in_words(test: Test | None) -> str:
    if test is None:
        return "There is too little to test."
    verdict = "as chance has it" if test.p >= 0.05 else "rare" if test.p >= _SMALL_P else "very rare: ask why"
    return f"χ² = {test.chi_square:,.1f} with {test.freedom:,} degrees of freedom, p = {test.p:.3g}: {verdict}."


def _table(figure: Figure) -> Iterator[str]:
    yield "<table><tr>" + "".join(f"<th>{escape(name)}</th>" for name in figure.header) + "</tr>"
    for row in figure.rows:
        yield "<tr>" + "".join(f"<td>{escape(_cell(cell))}</td>" for cell in row) + "</tr>"
    yield "</table>"


def _cell(cell: Cell) -> str:
    return cell if isinstance(cell, str) else f"{cell:,}"
