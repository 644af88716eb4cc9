# SPDX-License-Identifier: Apache-2.0
"""The rule of conftest.py, tried on tests that break it."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

CASES = """
import logging

quiet = logging.getLogger("quiet")
quiet.propagate = False

def test_surprise():
    quiet.error("the roof fell in")

def test_expected(expected_errors):
    expected_errors.append("roof")
    quiet.error("the roof fell in")

def test_warning():
    quiet.warning("a tile is loose")

def test_silent(expected_errors):
    expected_errors.append("roof")
"""


def test_an_unexpected_error_record_fails_the_test(pytester: pytest.Pytester) -> None:
    """A surprise and an expected error that never came fail; an expected one and a warning pass."""
    conftest = Path(__file__).resolve().parents[1] / "conftest.py"
    pytester.makeconftest(conftest.read_text("utf-8"))
    pytester.makepyfile(CASES)
    run = pytester.runpytest_subprocess("-p", "no:asyncio", "-p", "no:cacheprovider")
    run.assert_outcomes(passed=4, errors=2)
    run.stdout.fnmatch_lines(["*quiet: the roof fell in*", "*Errors were expected and not logged: roof*"])
