# SPDX-License-Identifier: Apache-2.0
"""Shares: how much of one thing a caller holds, and where a call comes from."""

from __future__ import annotations

import pytest

from hokm.errors import TooManyCalls
from hokm_server.shares import Caller, Share, address_of_peer, take_all


def test_a_caller_holds_its_share_and_no_more() -> None:
    """What it gives back it may take again; another caller has its own share."""
    share = Share(2, 10, TooManyCalls)
    one, other = Caller(b"one", "here"), Caller(b"other", "here")
    share.take(one)
    share.take(one)
    with pytest.raises(TooManyCalls) as caught:
        share.take(one)
    assert caught.value.facts == {"most": "2"}
    share.take(other)
    share.give_back(one)
    share.take(one)


def test_the_callers_of_one_address_hold_a_share_together() -> None:
    """A key costs nothing: with new ones nobody gets more than the address has."""
    share = Share(2, 3, TooManyCalls)
    for key in (b"1", b"2", b"3"):
        share.take(Caller(key, "here"))
    with pytest.raises(TooManyCalls) as caught:
        share.take(Caller(b"4", "here"))
    assert caught.value.facts == {"most": "3"}
    share.take(Caller(b"4", "there"))
    share.give_back(Caller(b"1", "here"))
    share.take(Caller(b"4", "here"))


def test_all_together_hold_no_more_than_there_is_for_them() -> None:
    """Wherever they come from."""
    share = Share(2, 2, TooManyCalls, 3)
    callers = [Caller(b"key", f"address {number}") for number in range(4)]
    for caller in callers[:2]:
        share.take(caller)
    share.take(callers[2]._replace(holder=b"other"))
    with pytest.raises(TooManyCalls) as caught:
        share.take(callers[3]._replace(holder=b"third"))
    assert caught.value.facts == {"most": "3"}
    share.give_back(callers[0])
    share.take(callers[3]._replace(holder=b"third"))


def test_of_several_things_all_are_held_or_none() -> None:
    """What was taken before one was refused is given back."""
    wide, narrow = Share(2, 2, TooManyCalls), Share(1, 1, TooManyCalls)
    caller = Caller(b"key", "here")
    take_all((wide, narrow), caller)
    with pytest.raises(TooManyCalls):
        take_all((wide, narrow), caller)
    wide.take(caller)


def test_an_operator_holds_what_it_needs() -> None:
    """And takes nothing from its address."""
    share = Share(1, 1, TooManyCalls)
    operator = Caller(b"operator", "here", is_operator=True)
    for _ in range(5):
        share.take(operator)
    share.take(Caller(b"one", "here"))
    share.give_back(operator)


def test_what_is_held_for_a_while_is_given_back() -> None:
    """However it ends; and nothing is remembered of who holds nothing."""
    share = Share(1, 1, TooManyCalls)
    caller = Caller("connection", "here")

    def hold(then: type[Exception]) -> None:
        with share.held_by(caller):
            raise then

    for _ in range(2):
        with pytest.raises(KeyError):
            hold(KeyError)
    share.take(caller)
    with pytest.raises(TooManyCalls):
        hold(KeyError)
    share.give_back(caller)
    assert not share._by_holder
    assert not share._by_address


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:192.0.2.1:50000", "192.0.2.1"),
        ("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:50000", "2001:db8:1:2::"),
        ("ipv6:%5B::ffff:192.0.2.1%5D:50000", "192.0.2.1"),
        ("ipv6:%5Bfe80::1%25eth0%5D:50000", "fe80::"),
        ("unix:", "unix:"),
        ("unix:/a/path", "unix:/a/path"),
    ],
)
def test_an_address_is_read_from_the_name_of_a_connection(peer: str, address: str) -> None:
    """Without its port; of IPv6 what one customer has."""
    assert address_of_peer(peer) == address
