# SPDX-License-Identifier: Apache-2.0
"""Who calls: the tokens that a key gets for signing in. The server need not keep them.

A token carries what it says and an HMAC over it with a secret of the house, so any process with the secret can check
it, and a restart signs nobody out::

    token = base64url(public_key[32] || u64 expires || HMAC-SHA256(secret, "hokm/v1/token" 00 || the same 40 bytes))

`expires` is in milliseconds since 1970. A challenge signed by its key with the origin of this log, so that no other
server can pass it on (see `challenges`), buys a token of 15 minutes. A token says who calls. It says nothing of what
may be done: moves are signed by themselves.

A stream is somebody's from its first message to its last: the token is checked when the stream starts, and a token that
runs out does not end it, for then every player would be cut off in the middle of a game every 15 minutes. What a stream
can do besides watching is to bring moves, which are signed, and the newest stream of a player takes the seat over from
an older one, which is told so. Whatever is refused here is refused before the caller has received anything.
"""

from __future__ import annotations

import binascii
import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from hokm.errors import NoToken, TokenExpired, TokenInvalid, WrongLength
from hokm.signing import PUBLIC_KEY_BYTES
from hokm_server.clock import Clock
from hokm_server.shares import Caller

TOKEN_MS: Final = 900_000

MOST_REMEMBERED: Final = 4096
"""Tokens that were found good, the last used: a caller brings the same one with every call."""

_TOKEN_TAG: Final = b"hokm/v1/token\x00"
_EXPIRES_BYTES: Final = 8
_TOKEN_BYTES: Final = PUBLIC_KEY_BYTES + _EXPIRES_BYTES + 32


class Viewer(NamedTuple):
    """Who calls, as shown by a token, and from where."""

    public_key: bytes
    """32 bytes."""
    is_operator: bool
    """The key is one of the operator's programs', which may bring bots and stand-ins."""
    address: str = ""

    @property
    def caller(self) -> Caller:
        """Who holds what a call takes."""
        return Caller(self.public_key, self.address, self.is_operator)


class Token(NamedTuple):
    """A token, with its end."""

    text: str
    """Visible ASCII."""
    expires_ms: int


class Auth:
    """What makes and checks tokens."""

    __slots__ = ("_clock", "_operators", "_said_by", "_secret")

    def __init__(self, secret: bytes, operators: Collection[bytes], clock: Clock) -> None:
        """`secret` is 32 bytes known to the house alone, `operators` the public keys of the operator's programs."""
        if len(secret) != hashlib.sha256().digest_size:
            raise WrongLength("token secret", len(secret), hashlib.sha256().digest_size)
        self._secret = secret
        self._operators = frozenset(operators)
        self._clock = clock
        self._said_by = lru_cache(MOST_REMEMBERED)(self._says)

    def token(self, public_key: bytes) -> Token:
        """A token for a key that has signed in."""
        expires_ms = self._clock.now_ms() + TOKEN_MS
        says = public_key + expires_ms.to_bytes(_EXPIRES_BYTES)
        return Token(urlsafe_b64encode(says + self._mac(says)).decode("ascii"), expires_ms)

    def viewer_of(self, metadata: Iterable[tuple[str, str | bytes]] | None, address: str = "") -> Viewer:
        """Who made the call with this metadata. Raises `NoToken`, `TokenInvalid`, `TokenExpired`."""
        found = [value for name, value in metadata or () if name == "authorization"]
        if not found:
            raise NoToken
        scheme, _, token = str(found[0]).partition(" ")
        if len(found) > 1 or scheme.lower() != "bearer":
            raise TokenInvalid
        says = self._said_by(token)
        expires_ms, now = int.from_bytes(says[PUBLIC_KEY_BYTES:]), self._clock.now_ms()
        if now >= expires_ms:
            raise TokenExpired(expires_ms, now)
        public_key = says[:PUBLIC_KEY_BYTES]
        return Viewer(public_key, public_key in self._operators, address)

    def _says(self, token: str) -> bytes:
        """What a token says that this house has made. Raises `TokenInvalid`."""
        says, mac = _parts(token)
        if not hmac.compare_digest(mac, self._mac(says)):
            raise TokenInvalid
        return says

    def _mac(self, says: bytes) -> bytes:
        return hmac.digest(self._secret, _TOKEN_TAG + says, "sha256")


def _parts(token: str) -> tuple[bytes, bytes]:
    """What a token says, and its HMAC. Raises `TokenInvalid`, also for a second spelling of a good token."""
    try:
        octets = urlsafe_b64decode(token.encode("ascii"))
    except (UnicodeEncodeError, binascii.Error):
        raise TokenInvalid from None
    if len(octets) != _TOKEN_BYTES or urlsafe_b64encode(octets).decode() != token:
        raise TokenInvalid
    return octets[:-32], octets[-32:]
