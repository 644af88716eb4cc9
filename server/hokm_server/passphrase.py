# SPDX-License-Identifier: Apache-2.0
"""A passphrase, under which secrets lie in their files.

The key is scrypt (RFC 7914) of the passphrase, N = 2^17, r = 8, p = 1; what is locked is AES-256-GCM under it::

    salt[16] || nonce[12] || ciphertext || tag[16]

with what the secret is for authenticated beside, so that it opens as nothing else. All that is locked in one run has
one salt: to make a key of a passphrase takes half a second and 128 MiB, for whoever guesses too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_SALT_BYTES: Final = 16
_NONCE_BYTES: Final = 12
_TAG_BYTES: Final = 16
_COST: Final = 1 << 17
_MOST_MEMORY: Final = 1 << 28


class Passphrase:
    """It locks and unlocks, and never shows itself."""

    __slots__ = ("_ciphers", "_entropy", "_octets", "_salt")

    def __init__(self, octets: bytes, *, entropy: Callable[[int], bytes]) -> None:
        """`entropy` gives so many random bytes."""
        self._octets = octets
        self._entropy = entropy
        self._ciphers: dict[bytes, AESGCM] = {}
        self._salt = b""

    def lock(self, use: str, secret: bytes) -> bytes:
        """The secret, locked for this use."""
        if not self._salt:
            self._salt = self._entropy(_SALT_BYTES)
        nonce = self._entropy(_NONCE_BYTES)
        return self._salt + nonce + self._cipher(self._salt).encrypt(nonce, secret, use.encode())

    def unlock(self, use: str, locked: bytes) -> bytes | None:
        """What was locked for this use; None where this is not the passphrase, or another was the use."""
        if len(locked) < _SALT_BYTES + _NONCE_BYTES + _TAG_BYTES:
            return None
        salt, box = locked[:_SALT_BYTES], locked[_SALT_BYTES:]
        try:
            return self._cipher(salt).decrypt(box[:_NONCE_BYTES], box[_NONCE_BYTES:], use.encode())
        except InvalidTag:
            return None

    def _cipher(self, salt: bytes) -> AESGCM:
        if salt not in self._ciphers:
            key = hashlib.scrypt(self._octets, salt=salt, n=_COST, r=8, p=1, maxmem=_MOST_MEMORY, dklen=32)
            self._ciphers[salt] = AESGCM(key)
        return self._ciphers[salt]

    def __repr__(self) -> str:
        return "<Passphrase>"
