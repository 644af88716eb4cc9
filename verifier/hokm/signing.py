# SPDX-License-Identifier: Apache-2.0
"""Keys: strict Ed25519 signatures, what is signed, and the names that keys go by.

A signature is accepted only if all of this holds:

1. the public key A has 32 bytes, the signature R || S has 64;
2. y of A and y of R (little-endian, top bit masked) are below p = 2^255 - 19;
3. neither A nor R is one of the 14 encodings of the points of small order;
4. S, little-endian, is below L, the order of the base point;
5. the bytes R are the encoding of [S]B - [k]A, with k = SHA-512(R || A || message) mod L: the equation of
   RFC 8032 section 5.1.7 *without* the cofactor.

RFC 8032 leaves room in 2, 3 and 5, and libraries use it differently, so 1 to 4 are decided here and only 5 is
asked of a library: PyNaCl (libsodium) where it is installed, else `cryptography` (OpenSSL), which takes almost
twice as long. Behind this check both give the same verdict on every input. Signing has no room: both sign alike.

This is the only module of the package that imports either; `cryptography` not before it is needed, because where
PyNaCl is there, loading it would take longer than to verify a round.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Self

from hokm.errors import BadVKey, WrongLength
from hokm.notation import read_base64, write_base64

try:
    from nacl.bindings import crypto_sign, crypto_sign_open, crypto_sign_seed_keypair
    from nacl.exceptions import BadSignatureError
except ImportError:
    BACKEND = "cryptography"
else:
    BACKEND = "PyNaCl"

PUBLIC_KEY_BYTES = 32
SIGNATURE_BYTES = 64
SEED_BYTES = 32
KEY_ID_BYTES = 4

_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_WITHOUT_SIGN = 2**255 - 1

# The points of small order have five y: of order 1, 2, 4 (two points) and 8 (two and two). Each y has two
# encodings, with either sign bit; y = 0 and y = 1 could also be written as p and p + 1, which makes 14.
_Y_OF_ORDER_8 = int.from_bytes(
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"
)
_SMALL_ORDER = frozenset({1, _P - 1, 0, _Y_OF_ORDER_8, _P - _Y_OF_ORDER_8})


# Signatures.

Equation = Callable[[bytes, bytes, bytes], bool]
"""Step 5 alone: of key, message and signature that have passed steps 1 to 4."""


def equation_of_cryptography(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Step 5 by OpenSSL."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def equation_of_nacl(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Step 5 by libsodium; only where BACKEND is PyNaCl."""
    try:
        crypto_sign_open(signature + message, public_key)
    except BadSignatureError:
        return False
    return True


_EQUATION = equation_of_nacl if BACKEND == "PyNaCl" else equation_of_cryptography


def verify(public_key: bytes, message: bytes, signature: bytes, equation: Equation = _EQUATION) -> bool:
    """Whether `signature` is good, by the five steps above. `equation` is for comparing the two libraries."""
    return (
        len(public_key) == PUBLIC_KEY_BYTES
        and len(signature) == SIGNATURE_BYTES
        and _sound_point(public_key)
        and _sound_point(signature[:32])
        and int.from_bytes(signature[32:], "little") < _L
        and equation(public_key, message, signature)
    )


def _sound_point(encoding: bytes) -> bool:
    y = int.from_bytes(encoding, "little") & _WITHOUT_SIGN
    return y < _P and y not in _SMALL_ORDER


Sign = Callable[[bytes], bytes]
"""The signature of a message: 64 bytes, always the same for the same message."""

Pair = Callable[[bytes], tuple[bytes, Sign]]
"""The public key of a 32-byte seed, and what signs with the private one."""


def pair_of_cryptography(seed: bytes) -> tuple[bytes, Sign]:
    """A pair of OpenSSL's."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    private = Ed25519PrivateKey.from_private_bytes(seed)
    return private.public_key().public_bytes_raw(), private.sign


def pair_of_nacl(seed: bytes) -> tuple[bytes, Sign]:
    """A pair of libsodium's; only where BACKEND is PyNaCl."""
    public, private = crypto_sign_seed_keypair(seed)
    return public, lambda message: crypto_sign(message, private)[:SIGNATURE_BYTES]


_PAIR = pair_of_nacl if BACKEND == "PyNaCl" else pair_of_cryptography


class SigningKey:
    """A private key, made from its 32-byte seed (RFC 8032 section 5.1.5). It never shows the seed again."""

    __slots__ = ("public", "sign")

    public: bytes
    """The public key, 32 bytes."""
    sign: Sign
    """Gives the signature of a message."""

    def __init__(self, seed: bytes, pair: Pair = _PAIR) -> None:
        """`pair` is for comparing the two libraries."""
        if len(seed) != SEED_BYTES:
            raise WrongLength("seed", len(seed), SEED_BYTES)
        self.public, self.sign = pair(seed)

    def __repr__(self) -> str:
        return f"<SigningKey of {self.public.hex()}>"


def pae(type: str, body: bytes) -> bytes:  # noqa: A002 - DSSE's own word
    """What is signed for a typed message, DSSE's pre-authentication encoding::

    DSSEv1 <bytes in type> <type> <bytes in body> <body>
    """
    name = type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(name), name, len(body), body)


# Names of keys.


class SignatureType(IntEnum):
    """What a named key signs (C2SP signed-note); both kinds are Ed25519 with 32-byte public keys."""

    ED25519 = 0x01
    """The text itself."""
    COSIGNATURE = 0x04
    """A checkpoint, with the time of signing (cosignature/v1)."""


def key_id(name: str, signature_type: int, public_key: bytes) -> bytes:
    """The hint, 4 bytes, by which a signature names its key: SHA-256(name || 0A || type || key)[:4]."""
    return hashlib.sha256(name.encode() + b"\n" + bytes([signature_type]) + public_key).digest()[:KEY_ID_BYTES]


_NOT_IN_NAMES = re.compile(r"[+\s\x00-\x1f\ud800-\udfff]")


def fault_of_name(name: str) -> str | None:
    """Why `name` cannot be the name of a key, or None if it can (C2SP signed-note)."""
    if not name:
        return "the key name is empty"
    if _NOT_IN_NAMES.search(name):
        return "the key name holds a space, a plus, a control character or what UTF-8 cannot write"
    return None


@dataclass(frozen=True, slots=True)
class VKey:
    """A public key with its name and use: what a reader is given to trust. One that exists is well-formed."""

    name: str
    signature_type: SignatureType
    public_key: bytes
    """32 bytes."""

    def __post_init__(self) -> None:
        if (fault := fault_of_name(self.name)) is not None:
            raise BadVKey(fault)
        if len(self.public_key) != PUBLIC_KEY_BYTES:
            raise BadVKey(f"the public key has {len(self.public_key)} bytes, not {PUBLIC_KEY_BYTES}")

    @property
    def key_id(self) -> bytes:
        """The 4-byte hint of this key."""
        return key_id(self.name, self.signature_type, self.public_key)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``<name>+<key id in hex>+<base64 of type || key>`` (C2SP signed-note). Raises `BadVKey`."""
        match text.split("+", 2):
            case [name, hint, packed]:
                octets = read_base64(packed)
            case _:
                raise BadVKey("it has not three parts with a plus between")
        if not octets:
            raise BadVKey("the third part is not base64")
        if octets[0] not in tuple(SignatureType):
            raise BadVKey(f"signature type {octets[0]} is not known here")
        vkey = cls(name, SignatureType(octets[0]), octets[1:])
        if hint != vkey.key_id.hex():
            raise BadVKey("the key id is not that of the key")
        return vkey

    def format(self) -> str:
        """The text that `parse` reads."""
        return f"{self.name}+{self.key_id.hex()}+{write_base64(bytes([self.signature_type]) + self.public_key)}"
