# SPDX-License-Identifier: Apache-2.0
"""A line as it is typed: text in both scripts, the keys that edit it, and bytes that come in any pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hokm_client.terminal.editing import LONGEST, Entered, Key, Line, Typed, typed


def after(*pieces: bytes) -> tuple[str, list[Typed]]:
    """What stands at the end, and what was entered on the way."""
    line = Line()
    entered: list[Typed] = []
    for piece in pieces:
        line, more = typed(line, piece)
        entered += more
    return line.text, entered


@pytest.mark.parametrize(
    ("octets", "text", "entered"),
    [
        (b"kh\r", "", [Entered("kh")]),
        (b"kh\n3", "3", [Entered("kh")]),
        ("شاه دل\r".encode(), "", [Entered("شاه دل")]),
        (b"quit\x7f\x08", "qu", []),
        ("بُ\x7f".encode(), "", []),
        (b"king of hearts\x17", "king of ", []),
        (b"king\x17", "", []),
        (b"king\x15ace", "ace", []),
        (b"king\x1b", "", []),
        (b"ki\x1b[A\x1b[1;5Dng\x1bOP\x1bx", "king", []),
        (b"\x03", "", [Key.INTERRUPT]),
        (b"\x04", "", [Key.END]),
        (b"k\x04", "k", []),
        (b"k\x0c", "k", [Key.REDRAW]),
        (b"a\x00\x01\tb", "ab", []),
        (b"\xff\xfea", "\ufffd\ufffda", []),
        (b"\xd8a", "\ufffda", []),
        (b"x" * (LONGEST + 9), "x" * LONGEST, []),
    ],
)
def test_keys_mean_what_they_say(octets: bytes, text: str, entered: list[Typed]) -> None:
    """One piece of bytes: what stands then, and what was entered."""
    assert after(octets) == (text, entered)


@given(text=st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), max_size=40), cut=st.integers(0, 200))
def test_letters_may_come_in_pieces(text: str, cut: int) -> None:
    """Wherever the bytes of a line are cut, the same line is entered."""
    octets = text.encode() + b"\r"
    assert after(octets[:cut], octets[cut:]) == ("", [Entered(text)])


@given(octets=st.lists(st.binary(max_size=30), max_size=6))
def test_any_bytes_are_borne(octets: list[bytes]) -> None:
    """Nothing that is typed fails, and no control character ever stands in the line."""
    text, _ = after(*octets)
    assert all(character >= " " for character in text)
