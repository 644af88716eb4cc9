# SPDX-License-Identifier: Apache-2.0
"""The private key of an auditor or a witness, in a file that only its owner may read."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from hokm.key_line import read_key_line, write_key_line
from hokm.signing import SEED_BYTES, SigningKey
from hokm_audit.errors import KeyExposed, KeyMalformed
from hokm_audit.files import failures_of, write_durably

_MOST_KEY_BYTES = 200


def key_of(path: Path, role: str, entropy: Callable[[int], bytes]) -> SigningKey:
    """The key of that role in a file, which is made where there is none.

    Raises `FileUnusable`, `KeyExposed`, `KeyMalformed`.
    """
    if not path.exists():
        with failures_of(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_durably(path, write_key_line(role, entropy(SEED_BYTES)), 0o600)
    with failures_of(path), open(path, "rb") as file:
        if os.fstat(file.fileno()).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise KeyExposed(str(path))
        octets = file.read(_MOST_KEY_BYTES)
    seed = read_key_line(octets, role)
    if seed is None:
        raise KeyMalformed(str(path), role)
    return SigningKey(seed)
