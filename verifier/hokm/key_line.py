# SPDX-License-Identifier: Apache-2.0
"""A private key as the one line of its file: ``hokm-v1 <role> <base64 of 32 bytes>``.

The role is in the line so that no key can take another's place.
"""

from __future__ import annotations

from hokm.notation import read_base64, write_base64
from hokm.signing import SEED_BYTES


def write_key_line(role: str, seed: bytes) -> bytes:
    """The line, with its newline."""
    return f"hokm-v1 {role} {write_base64(seed)}\n".encode("ascii")


def read_key_line(octets: bytes, role: str) -> bytes | None:
    """The 32 bytes of a key of that role; None where this is not the line of one. The newline may be missing."""
    start = f"hokm-v1 {role} ".encode("ascii")
    if not octets.startswith(start):
        return None
    seed = read_base64(octets.removeprefix(start).removesuffix(b"\n"))
    return seed if seed is not None and len(seed) == SEED_BYTES else None
