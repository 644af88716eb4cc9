# SPDX-License-Identifier: Apache-2.0
"""Pictures as SVG, for a page that needs nothing else: the same counts always make the same bytes."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import matplotlib as mpl
from matplotlib.figure import Figure as Canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Draw = Callable[["Axes"], None]
"""What draws a picture."""

WIDE: Final = (8.0, 2.6)
SMALL: Final = (5.2, 2.8)
SQUARE: Final = (6.4, 5.4)

_SEEN: Final = "#2a6f97"
_EXPECTED: Final = "#c1440e"
_MOST_Z: Final = 4.0


def svg_of(draw: Draw, size: tuple[float, float], name: str) -> str:
    """The picture; `name` keeps its inner names apart from those of others on one page."""
    with mpl.rc_context({"svg.hashsalt": name, "font.size": 8}):
        canvas = Canvas(figsize=size, layout="constrained")
        draw(canvas.subplots())
        file = io.StringIO()
        canvas.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    text = file.getvalue()
    return text[text.index("<svg") :]


def png_of(pictures: Sequence[tuple[str, Draw]]) -> bytes:
    """Several pictures side by side, with titles."""
    with mpl.rc_context({"font.size": 8}):
        rows = -(-len(pictures) // 2)
        canvas = Canvas(figsize=(11, 2.9 * rows), layout="constrained", dpi=110)
        axes = canvas.subplots(rows, 2, squeeze=False)
        for (title, draw), place in zip(pictures, axes.flat, strict=False):
            draw(place)
            place.set_title(title, fontsize=10, loc="left")
        for place in list(axes.flat)[len(pictures) :]:
            place.set_axis_off()
        file = io.BytesIO()
        canvas.savefig(file, format="png", metadata={"Software": None})
    return file.getvalue()


def grid(z: Sequence[Sequence[float]], rows: Sequence[str], columns: Sequence[str]) -> Draw:
    """Deviations in standard deviations as colours: white where there is none."""

    def draw(axes: Axes) -> None:
        image = axes.imshow(z, cmap="RdBu_r", vmin=-_MOST_Z, vmax=_MOST_Z, aspect="auto", interpolation="nearest")
        axes.set_xticks(range(len(columns)), columns, rotation=90, fontsize=5)
        axes.set_yticks(range(len(rows)), rows, fontsize=5 if len(rows) > 8 else 8)
        assert axes.figure is not None
        axes.figure.colorbar(image, ax=axes, label="standard deviations", pad=0.01)

    return draw


def bars(
    names: Sequence[str],
    seen: Sequence[float],
    expected: Sequence[float] | None = None,
    label: str = "",
    *,
    by_powers: bool = False,
) -> Draw:
    """Counts as bars, and marks for what chance would give; `by_powers` lets small ones be seen beside large ones."""

    def draw(axes: Axes) -> None:
        places = range(len(names))
        axes.bar(places, seen, color=_SEEN, label="seen", log=by_powers and any(seen))
        if by_powers and any(seen):
            axes.set_ylim(bottom=0.5)
        if expected is not None:
            axes.plot(places, expected, "_", color=_EXPECTED, markersize=18, markeredgewidth=2, label="expected")
            axes.legend(frameon=False, loc="upper right")
            axes.margins(y=0.3 if len(names) < 6 else 0.05)
        axes.set_xticks(places, names)
        axes.set_ylabel(label)
        _plain(axes)

    return draw


def shares(names: Sequence[str], found: Sequence[tuple[float, float, float]]) -> Draw:
    """Shares from 0 to 1 with their intervals: share, least, most."""

    def draw(axes: Axes) -> None:
        places = range(len(names))
        values = [share for share, _, _ in found]
        below, above = [s - low for s, low, _ in found], [high - s for s, _, high in found]
        axes.errorbar(places, values, yerr=[below, above], fmt="o", color=_SEEN, capsize=4)
        axes.set_xticks(places, names)
        axes.margins(x=0.2)
        _plain(axes)

    return draw


def times(ms: Mapping[str, Sequence[int]]) -> Draw:
    """How long was thought, by who did: seconds on a scale of powers."""

    def draw(axes: Axes) -> None:
        edges = [10 ** (power / 8) / 1000 for power in range(14, 45)]
        for kind, values in sorted(ms.items()):
            seconds = [max(value, 57) / 1000 for value in values]
            axes.hist(seconds, bins=edges, histtype="step", density=False, label=kind)
        axes.set_xscale("log")
        axes.set_xlabel("seconds")
        axes.set_ylabel("cards")
        if ms:
            axes.legend(frameon=False)
        _plain(axes)

    return draw


def _plain(axes: Axes) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
