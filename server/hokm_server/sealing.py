# SPDX-License-Identifier: Apache-2.0
"""Sealed boxes: what players give in confidence, encrypted at rest under a key that is not in the store.

A box is AES-256-GCM (NIST SP 800-38D)::

    key_id[4] || nonce[12] || ciphertext || tag[16]

    key_id = SHA-256("hokm/v1/seal-key" 00 || key)[:4]
    nonce    random
    also authenticated: "hokm/v1/sealed" 00 || stream[16] || ctx[41] || u8(seat) || u32(lay)

so a box opens only for the place that it was made for. `lay` is the version of the entry that laid an early
card, 0 for a number. Under one key some 2^32 boxes may be made.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from hokm.deal import CONTEXT_LENGTH
from hokm.errors import WrongLength
from hokm_server.errors import SealBroken, SealKeyMissing
from hokm_server.store import STREAM_BYTES, SealName

KEY_BYTES = 32

_KEY_ID_BYTES = 4
_NONCE_BYTES = 12
_TAG_BYTES = 16


class SealKey:
    """Seals under one key and opens under it and older ones. It never shows a key."""

    __slots__ = ("_ciphers", "_entropy", "_key_id")

    def __init__(self, key: bytes, *older: bytes, entropy: Callable[[int], bytes]) -> None:
        """Seal under `key`, of 32 bytes; `entropy` gives so many random bytes."""
        for each in (key, *older):
            if len(each) != KEY_BYTES:
                raise WrongLength("seal key", len(each), KEY_BYTES)
        self._ciphers = {_key_id(each): AESGCM(each) for each in (key, *older)}
        self._entropy = entropy
        self._key_id = _key_id(key)

    def seal(self, stream: bytes, name: SealName, secret: bytes) -> bytes:
        """The box with `secret` for this place."""
        nonce = self._entropy(_NONCE_BYTES)
        return self._key_id + nonce + self._ciphers[self._key_id].encrypt(nonce, secret, _place(stream, name))

    def open(self, stream: bytes, name: SealName, box: bytes) -> bytes:
        """What was sealed for this place. Raises `SealBroken`, `SealKeyMissing`."""
        if len(box) < _KEY_ID_BYTES + _NONCE_BYTES + _TAG_BYTES:
            raise SealBroken(stream.hex(), name.seat)
        key_id, nonce = box[:_KEY_ID_BYTES], box[_KEY_ID_BYTES : _KEY_ID_BYTES + _NONCE_BYTES]
        cipher = self._ciphers.get(key_id)
        if cipher is None:
            raise SealKeyMissing(key_id.hex())
        try:
            return cipher.decrypt(nonce, box[_KEY_ID_BYTES + _NONCE_BYTES :], _place(stream, name))
        except InvalidTag:
            raise SealBroken(stream.hex(), name.seat) from None

    def __repr__(self) -> str:
        return f"<SealKey under {self._key_id.hex()}>"


def _key_id(key: bytes) -> bytes:
    return hashlib.sha256(b"hokm/v1/seal-key\0" + key).digest()[:_KEY_ID_BYTES]


def _place(stream: bytes, name: SealName) -> bytes:
    assert len(stream) == STREAM_BYTES
    assert len(name.ctx) == CONTEXT_LENGTH
    return b"hokm/v1/sealed\0" + stream + name.ctx + name.seat.to_bytes(1) + name.lay.to_bytes(4)
