# SPDX-License-Identifier: Apache-2.0
"""Decimal numbers and base64 have one spelling each."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hokm.notation import MOST, is_origin, read_base64, read_decimal, write_base64


@given(st.integers(0, MOST))
def test_a_number_is_read_as_it_was_written(number: int) -> None:
    """read_decimal is the inverse of str."""
    assert read_decimal(str(number)) == number


@pytest.mark.parametrize(
    "text", ["", "00", "01", "-0", "-1", "+1", " 1", "1 ", "1\n", "1_0", "1.0", "1e3", "0x1", "١", "²", "9" * 5000]
)
def test_other_spellings_of_numbers_are_refused(text: str) -> None:
    """No sign, no leading zero, no space, no other digits."""
    assert read_decimal(text) is None


def test_numbers_end_below_two_to_the_63() -> None:
    """The greatest number is 2^63 - 1."""
    assert read_decimal(str(2**63 - 1)) == MOST
    assert read_decimal(str(2**63)) is None


@given(st.binary(max_size=80))
def test_bytes_are_read_as_they_were_written(octets: bytes) -> None:
    """read_base64 is the inverse of write_base64, which is that of RFC 4648."""
    assert write_base64(octets) == base64.b64encode(octets).decode()
    assert read_base64(write_base64(octets)) == octets


@pytest.mark.parametrize(
    "text", ["A", "AA", "AA=", "AB==", "AAB=", "AA==\n", " AA==", "AA==AA==", "_-8=", "AAAA=", "é"]
)
def test_other_spellings_of_bytes_are_refused(text: str) -> None:
    """No stray bits, no missing or extra padding, no spaces, no URL alphabet."""
    assert read_base64(text) is None


@given(st.text(st.sampled_from("ABab+/=-_ \n"), max_size=9))
def test_base64_has_one_spelling(text: str) -> None:
    """What is read is written back the same."""
    octets = read_base64(text)
    assert octets is None or write_base64(octets) == text


@given(st.text(max_size=4))
def test_origins(text: str) -> None:
    """Visible ASCII without a plus, as said in words."""
    assert is_origin(text) is (text != "" and all("!" <= letter <= "~" and letter != "+" for letter in text))
