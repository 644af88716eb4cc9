# SPDX-License-Identifier: Apache-2.0
"""How far a log is read, as a bar at a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def bar() -> Iterator[Callable[[int, int], None]]:
    """A bar at the standard error: a function that is told the place, and the size of the log."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as drawn:
        task = drawn.add_task("", total=None)
        yield lambda place, size: drawn.update(task, completed=place, total=size)


@contextmanager
def no_bar() -> Iterator[Callable[[int, int], None]]:
    """The same function, that says nothing."""
    yield lambda place, size: None
