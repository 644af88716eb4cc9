# SPDX-License-Identifier: Apache-2.0
"""Who a player is: an Ed25519 key whose 32-byte seed is a file that only its owner can read.

The public key is the only mark of a device. The file is made once, whole or not at all, and never written over.
"""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from hokm.signing import SEED_BYTES, SigningKey
from hokm_client.errors import (
    IdentityExists,
    IdentityExposed,
    IdentityMalformed,
    IdentityMissing,
    IdentityUnwritable,
)
from hokm_client.files import write_once

_OF_OTHERS = 0o077


def read_identity(path: Path) -> SigningKey:
    """The key in that file. Raises `IdentityMissing`, `IdentityExposed`, `IdentityMalformed`."""
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            seed = file.read(SEED_BYTES + 1)
            length = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise IdentityMissing(str(path), error.strerror or "it cannot be opened") from None
    if mode & _OF_OTHERS:
        raise IdentityExposed(str(path), f"{mode:04o}")
    if len(seed) != SEED_BYTES:
        raise IdentityMalformed(str(path), length)
    return SigningKey(seed)


def make_identity(path: Path) -> SigningKey:
    """A new key, once it is on the disk. Raises `IdentityExists`, `IdentityUnwritable`."""
    seed = secrets.token_bytes(SEED_BYTES)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_once(path, seed, 0o600)
    except FileExistsError:
        raise IdentityExists(str(path)) from None
    except OSError as error:
        raise IdentityUnwritable(str(path), error.strerror or "it cannot be made") from None
    return SigningKey(seed)


def read_or_make_identity(path: Path) -> SigningKey:
    """The key in that file, made where there is no such file. Raises what the two above do."""
    if path.exists():
        return read_identity(path)
    try:
        return make_identity(path)
    except IdentityExists:  # somebody else was faster
        return read_identity(path)
