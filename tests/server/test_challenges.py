# SPDX-License-Identifier: Apache-2.0
"""Challenges: each is good for one key, for some minutes, once, and where it was made."""

from __future__ import annotations

import random

import pytest

from hokm.errors import ChallengeExpired, ChallengeInvalid, ChallengeNotSigned, ChallengeUsed, WrongLength
from hokm.sign_in import signed_challenge
from hokm.signing import SigningKey, pae
from hokm_server import challenges as module
from hokm_server.challenges import CHALLENGE_MS, Challenges, Highest
from tests.server.manual_clock import ManualClock

ORIGIN = "hokm.example/auth"
KEY = SigningKey(b"k" * 32)
OTHER = SigningKey(b"o" * 32)


@pytest.fixture
def clock() -> ManualClock:
    """The clock of the server."""
    return ManualClock()


@pytest.fixture
def challenges(clock: ManualClock) -> Challenges:
    """The server's."""
    return started(clock)


def started(clock: ManualClock) -> Challenges:
    """A server of this origin that has started."""
    return Challenges(ORIGIN, clock, random.randbytes)


def answer(challenges: Challenges, challenge: bytes, key: SigningKey = KEY) -> None:
    """As its key does."""
    challenges.answer(key.public, challenge, key.sign(signed_challenge(ORIGIN, challenge)))


def test_what_is_signed_is_spelled_out() -> None:
    """The origin is in it, so a challenge passed on by another server is of no use to that one."""
    challenge = b"c" * 40
    assert signed_challenge(ORIGIN, challenge) == pae(
        "application/vnd.hokm.sign-in.v1", b"hokm.example/auth\n" + challenge
    )


def test_a_challenge_is_good_up_to_its_end(challenges: Challenges, clock: ManualClock) -> None:
    """The last millisecond is in, the next is out."""
    (first, expires_ms), (second, _) = challenges.make(KEY.public), challenges.make(KEY.public)
    assert expires_ms == clock.ms + CHALLENGE_MS
    clock.turn(CHALLENGE_MS - 1)
    answer(challenges, first)
    clock.turn(1)
    for late in (first, second):
        with pytest.raises(ChallengeExpired) as caught:
            answer(challenges, late)
        assert caught.value.facts == {"expires_ms": str(expires_ms), "time_ms": str(expires_ms)}


def test_a_challenge_is_answered_once(challenges: Challenges) -> None:
    """Two of one key and one moment are two, and each is used up alone."""
    first, second = challenges.make(KEY.public).octets, challenges.make(KEY.public).octets
    answer(challenges, second)
    with pytest.raises(ChallengeUsed):
        answer(challenges, second)
    answer(challenges, first)
    with pytest.raises(ChallengeUsed):
        answer(challenges, first)


def test_nobody_else_uses_a_challenge_up(challenges: Challenges) -> None:
    """Neither with another key nor with another signature."""
    challenge = challenges.make(KEY.public).octets
    with pytest.raises(ChallengeInvalid):
        answer(challenges, challenge, OTHER)
    with pytest.raises(ChallengeNotSigned):
        challenges.answer(KEY.public, challenge, OTHER.sign(signed_challenge(ORIGIN, challenge)))
    answer(challenges, challenge)


def test_a_challenge_is_answered_where_it_was_made(challenges: Challenges, clock: ManualClock) -> None:
    """At another process, or after a start, it would be answered a second time."""
    challenge = challenges.make(KEY.public).octets
    with pytest.raises(ChallengeInvalid):
        answer(started(clock), challenge)


def test_challenges_that_are_open_take_no_room(challenges: Challenges) -> None:
    """However many strangers ask for, an old one is good."""
    challenge = challenges.make(KEY.public).octets
    for _ in range(1000):
        challenges.make(OTHER.public)
    answer(challenges, challenge)


def test_so_many_younger_answers_push_a_challenge_out(clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """An older one is taken while there is room; what was answered stays so, and what is young is taken."""
    monkeypatch.setattr(module, "MOST_ANSWERED", 8)
    challenges = started(clock)
    first, second, third, *younger = (challenges.make(KEY.public).octets for _ in range(11))
    for challenge in (second, *younger[:7]):
        answer(challenges, challenge)
    answer(challenges, first)
    answer(challenges, third)
    for challenge in (first, second, third, *younger[:7]):
        with pytest.raises(ChallengeUsed):
            answer(challenges, challenge)
    answer(challenges, younger[7])
    old, *young = (challenges.make(KEY.public).octets for _ in range(9))
    for challenge in young:
        answer(challenges, challenge)
    answer(challenges, challenges.make(KEY.public).octets)
    with pytest.raises(ChallengeUsed):
        answer(challenges, old)


def test_the_highest_are_remembered() -> None:
    """Whatever the order in which they come: what was put in is held, and the newest that were not are not."""
    chance = random.Random(7)
    most, highest = 50, Highest(50)
    put: set[int] = set()
    for _ in range(2000):
        number = max(put, default=0) + chance.randint(-60, 10)
        if number < 1 or highest.may_hold(number):
            continue
        highest.add(number)
        put.add(number)
        assert all(highest.may_hold(other) for other in put)
        kept = sorted(put)[-most:]
        assert not any(highest.may_hold(other) for other in range(kept[0], kept[-1] + 5) if other not in put)
        assert len(highest._heap) == len(highest._numbers) == len(kept)


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_a_challenge_is_for_a_key(challenges: Challenges, length: int) -> None:
    """Of 32 bytes."""
    with pytest.raises(WrongLength):
        challenges.make(b"x" * length)
    with pytest.raises(ChallengeInvalid):
        challenges.answer(b"x" * length, challenges.make(KEY.public).octets, b"x" * 64)


def test_a_challenge_changed_at_any_byte_is_none(challenges: Challenges) -> None:
    """Signed or not, and also shorter or longer."""
    challenge = challenges.make(KEY.public).octets
    spoilt = [bytes([*challenge[:at], challenge[at] ^ 1, *challenge[at + 1 :]]) for at in range(len(challenge))]
    for other in [*spoilt, challenge[:-1], challenge + b"\0", b"", challenge[8:]]:
        with pytest.raises(ChallengeInvalid):
            challenges.answer(KEY.public, other, KEY.sign(signed_challenge(ORIGIN, other)))


def test_only_the_key_itself_signs(challenges: Challenges) -> None:
    """Nobody else's signature, none over another origin or over the bare challenge, and none that was changed."""
    challenge = challenges.make(KEY.public).octets
    good = KEY.sign(signed_challenge(ORIGIN, challenge))
    bad = [
        OTHER.sign(signed_challenge(ORIGIN, challenge)),
        KEY.sign(signed_challenge("hokm.example/other", challenge)),
        KEY.sign(challenge),
        b"",
        good + b"\0",
        *(bytes([*good[:at], good[at] ^ 1, *good[at + 1 :]]) for at in range(64)),
    ]
    for signature in bad:
        with pytest.raises(ChallengeNotSigned):
            challenges.answer(KEY.public, challenge, signature)


def test_a_key_of_small_order_cannot_sign_in(challenges: Challenges) -> None:
    """With such a key a signature that nobody made would be good for many messages."""
    weak = bytes([1, *bytes(31)])
    challenge = challenges.make(weak).octets
    with pytest.raises(ChallengeNotSigned):
        challenges.answer(weak, challenge, weak + bytes(32))
