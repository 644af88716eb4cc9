# SPDX-License-Identifier: Apache-2.0
"""docs/behaviours.md: every fault that was met elsewhere has tests here that exist, or says why it has none."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]


class Row(NamedTuple):
    """One line of the table."""

    number: int
    elsewhere: str
    here: str
    tests: tuple[tuple[str, str], ...]
    """Each a file and a function in it."""


def rows() -> list[Row]:
    """The lines of the table, in their order."""
    text = (ROOT / "docs" / "behaviours.md").read_text("utf-8")
    found = re.findall(r"^\| (\d+) \| (.+?) \| (.+?) \| (.+?) \|$", text, re.MULTILINE)
    return [
        Row(int(no), elsewhere, here, tuple(re.findall(r"`(.+?)::(.+?)`", tests)))
        for no, elsewhere, here, tests in found
    ]


ROWS = rows()


@cache
def functions(path: str) -> frozenset[str]:
    """What is defined in a file of tests."""
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_rows_are_in_order_each_once() -> None:
    """And the table was found at all."""
    numbers = [row.number for row in ROWS]
    assert len(numbers) > 50
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.number))
def test_every_test_that_is_named_is_there(row: Row) -> None:
    """A row without tests says what there is not."""
    assert [name for path, name in row.tests if name not in functions(path)] == []
    assert row.tests or re.search(r"not built yet|[Tt]here is no", row.here)
