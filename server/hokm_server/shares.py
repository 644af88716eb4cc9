# SPDX-License-Identifier: Apache-2.0
"""What one caller may hold of a thing that there is only so much of, so that nobody keeps the others out.

    caller    who has signed in, by key; where nobody has, the connection
    address   where the connection comes from: an IPv4 address, or the first 64 bits of an IPv6 one

A key costs nothing and a connection little, so it is the share of an address that holds against somebody who wants
everything. It is wide all the same, for many players may come from one: a house, a school, all customers of a carrier.
The operator's own programs hold what they need.

Nothing of this is in the log or the diagnostics, and a restart forgets it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import IPv6Address
from typing import NamedTuple
from urllib.parse import unquote

from hokm.errors import HokmError


class Caller(NamedTuple):
    """Who holds something."""

    holder: bytes | str
    """The key, 32 bytes; else the connection."""
    address: str
    is_operator: bool = False


class Share:
    """How much of one thing each caller holds."""

    __slots__ = ("_all", "_by_address", "_by_holder", "_of_address", "_of_all", "_of_holder", "_refusal")

    def __init__(
        self, of_holder: int, of_address: int, refusal: Callable[[int], HokmError], of_all: int | None = None
    ) -> None:
        """At most so many of one caller, of all callers of one address, and of all, where that is given.

        `refusal` is given what was the most.
        """
        self._of_holder = of_holder
        self._of_address = of_address
        self._of_all = of_all
        self._all = 0
        self._refusal = refusal
        self._by_holder: dict[bytes | str, int] = {}
        self._by_address: dict[bytes | str, int] = {}

    def take(self, caller: Caller) -> None:
        """Hold one more. Raises the refusal."""
        if caller.is_operator:
            return
        of_holder = self._by_holder.get(caller.holder, 0)
        of_address = self._by_address.get(caller.address, 0)
        if of_holder >= self._of_holder:
            raise self._refusal(self._of_holder)
        if of_address >= self._of_address:
            raise self._refusal(self._of_address)
        if self._of_all is not None and self._all >= self._of_all:
            raise self._refusal(self._of_all)
        self._all += 1
        self._by_holder[caller.holder] = of_holder + 1
        self._by_address[caller.address] = of_address + 1

    def give_back(self, caller: Caller) -> None:
        """Hold one less."""
        if not caller.is_operator:
            self._all -= 1
            _one_less(self._by_holder, caller.holder)
            _one_less(self._by_address, caller.address)

    @contextmanager
    def held_by(self, caller: Caller) -> Iterator[None]:
        """Hold one more for a while. Raises the refusal."""
        self.take(caller)
        try:
            yield
        finally:
            self.give_back(caller)


def take_all(shares: Sequence[Share], caller: Caller) -> None:
    """Hold one more of each, or of none. Raises the refusal."""
    for place, share in enumerate(shares):
        try:
            share.take(caller)
        except HokmError:
            for taken in shares[:place]:
                taken.give_back(caller)
            raise


def _one_less(held: dict[bytes | str, int], holder: bytes | str) -> None:
    held[holder] -= 1
    if not held[holder]:
        del held[holder]


@lru_cache(1024)
def address_of_peer(peer: str) -> str:
    """The address of a connection, as gRPC names its other end: ``ipv4:192.0.2.1:50000``, ``ipv6:%5B2001:db8::1%5D:1``.

    Whatever else it is named has no port, and is its own address.
    """
    kind, _, rest = peer.partition(":")
    host = unquote(rest.rpartition(":")[0])
    if kind == "ipv4":
        return host
    if kind == "ipv6":
        found = IPv6Address(host.strip("[]").partition("%")[0])
        return str(found.ipv4_mapped or IPv6Address(int(found) >> 64 << 64))
    return peer
