# SPDX-License-Identifier: Apache-2.0
"""Challenges that a key signs to sign in: each is good for one key, for 2 minutes, once, and where it was made.

A challenge carries what it says and an HMAC over it::

    challenge = u64 number || u64 expires || HMAC-SHA256(secret, public_key[32] || u64 number || u64 expires)

The numbers count from 1 on, `expires` is in milliseconds since 1970, and the secret is drawn anew at every start. So
nothing is kept of a challenge that is open, however many are asked for, and none outlives the program that made it.

Kept are the numbers of those that were answered: the `MOST_ANSWERED` highest. When there are more the lowest is
forgotten, and all as low as that are refused from then on, for they may have been answered before. That locks nobody
out: whoever would push a challenge out must answer as many younger ones, with signatures that verify, before its owner
has answered one. And only the signature of its own key uses a challenge up, so no stranger can.

Where several processes share the load, each takes the challenges that it made itself and no others, or one could be
answered once at each of them. Both calls of a caller then have to reach the same process, as on one connection they do
unless something between spreads single requests. A caller that is told CHALLENGE_INVALID asks for another.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from heapq import heappush, heappushpop
from itertools import count
from typing import Final, NamedTuple

from hokm.errors import ChallengeExpired, ChallengeInvalid, ChallengeNotSigned, ChallengeUsed, WrongLength
from hokm.sign_in import signed_challenge
from hokm.signing import PUBLIC_KEY_BYTES, verify
from hokm_server.clock import Clock

CHALLENGE_MS: Final = 120_000
MOST_ANSWERED: Final = 1 << 16
"""Numbers, in some 6 MB: in 2 minutes as many come together at 500 a second."""


_SAYS_BYTES: Final = 16
_MAC_BYTES: Final = 32


class Challenge(NamedTuple):
    """A challenge, with its end."""

    octets: bytes
    expires_ms: int


class Challenges:
    """What makes challenges and takes their answers."""

    __slots__ = ("_answered", "_clock", "_numbers", "_secret", "origin")

    def __init__(self, origin: str, clock: Clock, entropy: Callable[[int], bytes]) -> None:
        """`origin` is that of the log which this server writes."""
        self.origin = origin
        self._clock = clock
        self._secret = entropy(_MAC_BYTES)
        self._numbers = count(1)
        self._answered = Highest(MOST_ANSWERED)

    def make(self, public_key: bytes) -> Challenge:
        """A challenge for this key. Raises `WrongLength`."""
        if len(public_key) != PUBLIC_KEY_BYTES:
            raise WrongLength("public_key", len(public_key), PUBLIC_KEY_BYTES)
        expires_ms = self._clock.now_ms() + CHALLENGE_MS
        says = next(self._numbers).to_bytes(8) + expires_ms.to_bytes(8)
        return Challenge(says + self._mac(public_key, says), expires_ms)

    def answer(self, public_key: bytes, challenge: bytes, signature: bytes) -> None:
        """Use a challenge up that its key has signed.

        Raises `ChallengeInvalid` for what is no challenge of this process for this key, `ChallengeExpired`,
        `ChallengeUsed`, and `ChallengeNotSigned` where the signature is not the key's over `signed_challenge`.
        """
        says, mac = challenge[:_SAYS_BYTES], challenge[_SAYS_BYTES:]
        if len(says) != _SAYS_BYTES or not hmac.compare_digest(mac, self._mac(public_key, says)):
            raise ChallengeInvalid
        number, expires_ms, now = int.from_bytes(says[:8]), int.from_bytes(says[8:]), self._clock.now_ms()
        if now >= expires_ms:
            raise ChallengeExpired(expires_ms, now)
        if self._answered.may_hold(number):
            raise ChallengeUsed
        if not verify(public_key, signed_challenge(self.origin, challenge), signature):
            raise ChallengeNotSigned(public_key.hex())
        self._answered.add(number)

    def _mac(self, public_key: bytes, says: bytes) -> bytes:
        return hmac.digest(self._secret, public_key + says, "sha256")


class Highest:
    """A set of numbers that remembers the highest so many, and holds all below those for its own."""

    __slots__ = ("_forgotten", "_heap", "_most", "_numbers")

    def __init__(self, most: int) -> None:
        self._most = most
        self._numbers: set[int] = set()
        self._heap: list[int] = []
        """The same numbers, the lowest first."""
        self._forgotten = 0
        """The highest number that is not remembered any more."""

    def add(self, number: int) -> None:
        """Put in a number of 1 or more that it cannot hold yet."""
        self._numbers.add(number)
        if len(self._heap) < self._most:
            heappush(self._heap, number)
            return
        self._forgotten = heappushpop(self._heap, number)
        self._numbers.remove(self._forgotten)

    def may_hold(self, number: int) -> bool:
        """Whether it was put in, or is so low that this cannot be said any more."""
        return number <= self._forgotten or number in self._numbers
