# SPDX-License-Identifier: Apache-2.0
"""What the log's texts are made of: its name, decimal numbers and base64, one spelling for each value.

Each reader of a value is the exact inverse of its writer: what it accepts is what the writer writes, and nothing else.
Python's own readers are kinder (`int(" 1_0")` is 10, `base64` lets stray bits pass), and in a signed text
kindness means two texts for one value.
"""

from __future__ import annotations

import binascii
import re

MOST_ORIGIN_BYTES = 255

_ORIGIN = re.compile(f"[!-*,-~]{{1,{MOST_ORIGIN_BYTES}}}")
_DECIMAL = re.compile("0|[1-9][0-9]{0,18}")

MOST = 2**63 - 1
"""The greatest number that any text of the log may hold: tree sizes, indices, times."""


def is_origin(text: str) -> bool:
    """Whether `text` can name a log: 1 to 255 visible ASCII characters, none of them a plus."""
    return _ORIGIN.fullmatch(text) is not None


def read_decimal(text: str) -> int | None:
    """The number from 0 to `MOST` that `text` spells without sign or leading zero, else None."""
    if not _DECIMAL.fullmatch(text):
        return None
    number = int(text)
    return number if number <= MOST else None


def write_base64(octets: bytes) -> str:
    """Standard base64 with padding (RFC 4648 section 4)."""
    return binascii.b2a_base64(octets, newline=False).decode("ascii")


def read_base64(text: str | bytes) -> bytes | None:
    """The bytes that `text`, or ASCII as bytes, spells in standard base64 with padding and no stray bit, else None."""
    try:
        octets = binascii.a2b_base64(text, strict_mode=True)
    except ValueError:
        return None
    again = binascii.b2a_base64(octets, newline=False)
    return octets if again == (text if isinstance(text, bytes) else text.encode("ascii")) else None
