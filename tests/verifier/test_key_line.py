# SPDX-License-Identifier: Apache-2.0
"""The line of a private key: both ways the same, and nothing else is one."""

from __future__ import annotations

import pytest

from hokm.key_line import read_key_line, write_key_line

SEED = bytes(range(32))


def test_a_line_is_read_as_it_was_written() -> None:
    """With its newline, or without."""
    line = write_key_line("event", SEED)
    assert line == b"hokm-v1 event AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n"
    assert read_key_line(line, "event") == read_key_line(line.rstrip(), "event") == SEED


@pytest.mark.parametrize(
    "line",
    [
        b"",
        write_key_line("log", SEED),
        write_key_line("event", SEED[1:]),
        write_key_line("event", SEED + b"\0"),
        write_key_line("event", SEED) + b"\n",
        b" " + write_key_line("event", SEED),
        b"hokm-v1 event \xff\n",
    ],
)
def test_what_is_not_the_line_of_that_role_is_none(line: bytes) -> None:
    """Another role, another length, and whatever stands before or behind."""
    assert read_key_line(line, "event") is None
