# SPDX-License-Identifier: Apache-2.0
"""Who a player is: an Ed25519 key whose 32-byte seed is a file that only its owner can read.

The public key is the only mark of a device. The file is made once, whole or not at all, and never written over.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from hokm.errors import system_words
from hokm.key_line import read_key_line
from hokm.signing import SEED_BYTES, SigningKey
from hokm_client.errors import (
    IdentityExists,
    IdentityExposed,
    IdentityMalformed,
    IdentityMissing,
    IdentityUnwritable,
    OperatorKeyMalformed,
)
from hokm_client.files import write_once

_OF_OTHERS = 0o077
_MOST_KEY_LINE = 100


def read_identity(path: Path) -> SigningKey:
    """The key in that file. Raises `IdentityMissing`, `IdentityExposed`, `IdentityMalformed`."""
    seed = _read_secret(path, SEED_BYTES)
    if len(seed) != SEED_BYTES:
        raise IdentityMalformed(str(path), path.stat().st_size)
    return SigningKey(seed)


def _read_secret(path: Path, most: int) -> bytes:
    """What a file holds that only its owner may read, up to one byte more than `most`."""
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            octets = file.read(most + 1)
    except OSError as error:
        raise IdentityMissing(str(path), system_words(error)) from None
    if mode & _OF_OTHERS:
        raise IdentityExposed(str(path), f"{mode:04o}")
    return octets


def read_operator_key(path: Path) -> SigningKey:
    """An operator's key as the house makes it: one line, ``hokm-v1 operator <base64 of 32 bytes>``.

    Raises `IdentityMissing`, `IdentityExposed`, `OperatorKeyMalformed`.
    """
    octets = _read_secret(path, _MOST_KEY_LINE)
    seed = read_key_line(octets, "operator")
    if seed is None:
        raise OperatorKeyMalformed(str(path))
    return SigningKey(seed)


def make_identity(path: Path, entropy: Callable[[int], bytes]) -> SigningKey:
    """A new key, once it is on the disk. Raises `IdentityExists`, `IdentityUnwritable`."""
    seed = entropy(SEED_BYTES)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise IdentityUnwritable(str(path), system_words(error)) from None
    try:
        write_once(path, seed, 0o600)
    except FileExistsError:
        raise IdentityExists(str(path)) from None
    except OSError as error:
        raise IdentityUnwritable(str(path), system_words(error)) from None
    return SigningKey(seed)


def read_or_make_identity(path: Path, entropy: Callable[[int], bytes]) -> SigningKey:
    """The key in that file, made where there is no such file. Raises what the two above do."""
    if path.exists():
        return read_identity(path)
    try:
        return make_identity(path, entropy)
    except IdentityExists:  # somebody else was faster
        return read_identity(path)
