# SPDX-License-Identifier: Apache-2.0
"""Boxes open for the place that they were made for, under the key that they were made with, unchanged."""

from __future__ import annotations

import os
from functools import partial

import pytest

from hokm.errors import WrongLength
from hokm_server.errors import SealBroken, SealKeyMissing
from hokm_server.sealing import SealKey
from hokm_server.store import SealName
from tests.server.stores import CTX, stream

KEY, OTHER = b"\x01" * 32, b"\x02" * 32
NAME = SealName(CTX, 2, 17)
SECRET = bytes(range(32))

seal_key = partial(SealKey, entropy=os.urandom)


def test_a_box_opens_in_its_place() -> None:
    """And shows nothing of what is in it."""
    key = seal_key(KEY)
    box = key.seal(stream(1), NAME, SECRET)
    assert key.open(stream(1), NAME, box) == SECRET
    assert SECRET not in box
    assert len(box) == 4 + 12 + 32 + 16


def test_the_same_secret_makes_another_box() -> None:
    """The nonce is random."""
    key = seal_key(KEY)
    assert key.seal(stream(1), NAME, SECRET) != key.seal(stream(1), NAME, SECRET)


@pytest.mark.parametrize(
    ("table", "name"),
    [
        (stream(2), NAME),
        (stream(1), NAME._replace(ctx=bytes(41))),
        (stream(1), NAME._replace(seat=1)),
        (stream(1), NAME._replace(lay=0)),
    ],
)
def test_a_box_does_not_open_in_another_place(table: bytes, name: SealName) -> None:
    """Another table, ceremony, seat or lay."""
    key = seal_key(KEY)
    with pytest.raises(SealBroken):
        key.open(table, name, key.seal(stream(1), NAME, SECRET))


def test_a_changed_box_does_not_open() -> None:
    """Whichever bit is changed, and however it is cut."""
    key = seal_key(KEY)
    box = key.seal(stream(1), NAME, SECRET)
    for at in range(len(box)):
        changed = bytearray(box)
        changed[at] ^= 1
        with pytest.raises(SealKeyMissing if at < 4 else SealBroken):
            key.open(stream(1), NAME, bytes(changed))
        with pytest.raises(SealBroken):
            key.open(stream(1), NAME, box[:at])


def test_older_keys_open_and_do_not_seal() -> None:
    """A key is replaced without losing what it sealed."""
    box = seal_key(KEY).seal(stream(1), NAME, SECRET)
    newer = seal_key(OTHER, KEY)
    assert newer.open(stream(1), NAME, box) == SECRET
    with pytest.raises(SealKeyMissing):
        seal_key(OTHER).open(stream(1), NAME, box)
    with pytest.raises(SealKeyMissing):
        seal_key(KEY).open(stream(1), NAME, newer.seal(stream(1), NAME, SECRET))


def test_a_key_shows_nothing_of_itself() -> None:
    """Its length is checked, and its repr is a hint."""
    assert KEY.hex() not in repr(seal_key(KEY))
    with pytest.raises(WrongLength):
        seal_key(KEY[:31])
