# SPDX-License-Identifier: Apache-2.0
"""What a caller signs to sign in: the server's challenge, bound to the log that this server writes."""

from __future__ import annotations

from typing import Final

from hokm.signing import pae

SIGN_IN_TYPE: Final = "application/vnd.hokm.sign-in.v1"


def signed_challenge(origin: str, challenge: bytes) -> bytes:
    """The bytes that a key signs to sign in at the server that writes the log `origin`."""
    return pae(SIGN_IN_TYPE, origin.encode() + b"\n" + challenge)
