# SPDX-License-Identifier: Apache-2.0
"""One entry of the log: a signed body in its frame, which is the leaf of the tree and the link of the chain.

    entry    "HKE1" || u32 length of the body || body || key id[4] || signature[64]
    leaf     SHA-256(00 || entry): the leaf hash of RFC 6962, and what the next entry of the stream names as previous
    signed   PAE(type, body), by the key of which the key id is the hint

Most bodies are events, signed by the house's event key (name: origin || "/events"); in the stream "keys" they are
manifests, signed by the root key (`keys`). Moves stand inside events, signed by players, with no frame.

The frame says nothing of what the body means: `wire` reads that.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from hokm.errors import NotAnEntry, TooLong, WrongLength
from hokm.events import SignedMove
from hokm.merkle import HASH_BYTES, leaf_hash
from hokm.signing import KEY_ID_BYTES, SIGNATURE_BYTES, SignatureType, SigningKey, key_id, pae, verify
from hokm.wire import EVENT_TYPE, MOST_EVENT_BYTES, MOVE_TYPE

ZERO_HASH: Final = bytes(HASH_BYTES)
"""What the first entry of a stream names as previous."""

MAGIC: Final = b"HKE1"
_HEAD_BYTES: Final = len(MAGIC) + 4
_TAIL_BYTES: Final = KEY_ID_BYTES + SIGNATURE_BYTES
_FRAME_BYTES: Final = _HEAD_BYTES + _TAIL_BYTES


# The frame.


class Entry(NamedTuple):
    """The three parts of an entry, not verified by being here."""

    body: bytes
    key_id: bytes
    """4 bytes."""
    signature: bytes
    """64 bytes."""


def frame(body: bytes, key_id: bytes, signature: bytes) -> bytes:
    """The entry of these parts. Raises `TooLong`, `WrongLength`."""
    if len(body) > MOST_EVENT_BYTES:
        raise TooLong("body", len(body), MOST_EVENT_BYTES)
    if len(key_id) != KEY_ID_BYTES:
        raise WrongLength("key_id", len(key_id), KEY_ID_BYTES)
    if len(signature) != SIGNATURE_BYTES:
        raise WrongLength("signature", len(signature), SIGNATURE_BYTES)
    return b"%b%b%b%b%b" % (MAGIC, len(body).to_bytes(4, "big"), body, key_id, signature)


def parse_entry(octets: bytes) -> Entry:
    """The inverse of `frame`. Raises `NotAnEntry`, and `TooLong` for a body of more than 16,384 bytes."""
    if octets[:4] != MAGIC:
        raise NotAnEntry("it does not begin with HKE1")
    length = int.from_bytes(octets[4:_HEAD_BYTES], "big")
    if length > MOST_EVENT_BYTES:
        raise TooLong("body", length, MOST_EVENT_BYTES)
    if len(octets) != length + _FRAME_BYTES:
        raise NotAnEntry(f"it has {len(octets)} bytes, not the {length + _FRAME_BYTES} that its length says")
    end = _HEAD_BYTES + length
    return Entry(octets[_HEAD_BYTES:end], octets[end : end + KEY_ID_BYTES], octets[end + KEY_ID_BYTES :])


def leaf(entry: bytes) -> bytes:
    """The hash of an entry, 32 bytes: its leaf in the tree, and the link to it in the chain."""
    return leaf_hash(entry)


# The house's signature.


def event_key_name(origin: str) -> str:
    """The name of the event key of a log."""
    return origin + "/events"


def event_key_id(origin: str, public_key: bytes) -> bytes:
    """The 4-byte hint of an event key."""
    return key_id(event_key_name(origin), SignatureType.ED25519, public_key)


def sign_event(body: bytes, key: SigningKey, key_id: bytes, type: str = EVENT_TYPE) -> bytes:  # noqa: A002 - DSSE's word
    """The entry of a body, signed. Nothing of it may leave the process before it is stored for good."""
    return frame(body, key_id, key.sign(pae(type, body)))


def signed_by(entry: Entry, public_key: bytes, key_id: bytes, type: str = EVENT_TYPE) -> bool:  # noqa: A002
    """Whether the entry names this key and is signed by it; `key_id` is that of the key, under its name."""
    return entry.key_id == key_id and verify(public_key, pae(type, entry.body), entry.signature)


# The player's.


def sign_move(body: bytes, key: SigningKey) -> bytes:
    """The signature of a player under the bytes of a move, 64 bytes."""
    return key.sign(pae(MOVE_TYPE, body))


def move_signed_by(signed: SignedMove, public_key: bytes) -> bool:
    """Whether the move's own bytes are signed by this key."""
    return verify(public_key, pae(MOVE_TYPE, signed.body), signed.signature)
