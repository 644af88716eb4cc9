# SPDX-License-Identifier: Apache-2.0
"""Private tables: they are in no list, and a person sits down at one only with its join code.

Nothing of this is stored, so nothing can be lost. That a table is private is the first bit of its id, which is not used
by the time in it before the year 6429. The code follows from the id and the secret of the house::

    digest = HMAC-SHA-256(K_house, "hokm/v1/join-code" 00 || table_id)
    code   = for each of the first 8 bytes b of it the letter b mod 16 of ABCDEFGHJKLMNPRT
"""

from __future__ import annotations

import hmac
from typing import Final

from hokm.errors import WrongJoinCode

LETTERS: Final = "ABCDEFGHJKLMNPRT"
"""Sixteen that are hardly taken for one another."""
LENGTH: Final = 8

_PRIVATE: Final = 0x80
_SALT_BYTES: Final = 10


def new_table_id(now_ms: int, salt: bytes, *, private: bool) -> bytes:
    """The id of a new table: the time, so that younger ones come later, and 10 random bytes."""
    assert len(salt) == _SALT_BYTES
    first, *rest = now_ms.to_bytes(6, "big")
    return bytes((first | _PRIVATE * private, *rest)) + salt


def is_private(table_id: bytes) -> bool:
    """Whether nobody is to find that table who was not told of it."""
    return bool(table_id[0] & _PRIVATE)


def age(table_id: bytes) -> bytes:
    """What tables are sorted by: the id without the mark of private ones."""
    return bytes((table_id[0] & ~_PRIVATE,)) + table_id[1:]


def opened_ms(table_id: bytes) -> int:
    """The time in it."""
    return int.from_bytes(age(table_id)[:6], "big")


def join_code(house_secret: bytes, table_id: bytes) -> str:
    """What lets a person sit down there; empty at a table that is open to all."""
    if not is_private(table_id):
        return ""
    digest = hmac.digest(house_secret, b"hokm/v1/join-code\0" + table_id, "sha256")
    return "".join(LETTERS[octet % len(LETTERS)] for octet in digest[:LENGTH])


def check_code(house_secret: bytes, table_id: bytes, code: str) -> None:
    """Whether somebody with that code may sit down; letters may be small. Raises `WrongJoinCode`."""
    right = join_code(house_secret, table_id)
    if right and not hmac.compare_digest(right.encode(), code.upper().encode()):
        raise WrongJoinCode
