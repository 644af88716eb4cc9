# SPDX-License-Identifier: Apache-2.0
"""Challenges and tokens: good once for one key and some minutes, and in one spelling."""

from __future__ import annotations

import base64
import string

import pytest

from hokm.errors import (
    ChallengeExpired,
    ChallengeInvalid,
    ChallengeNotSigned,
    NoToken,
    TokenExpired,
    TokenInvalid,
    WrongLength,
)
from hokm.signing import SigningKey, pae
from hokm_server.auth import CHALLENGE_MS, TOKEN_MS, Auth, Viewer, signed_challenge
from tests.server.manual_clock import ManualClock

ORIGIN = "hokm.example/auth"
KEY = SigningKey(b"k" * 32)
OTHER = SigningKey(b"o" * 32)
OPERATOR = SigningKey(b"p" * 32)
SECRET = b"s" * 32


@pytest.fixture
def clock() -> ManualClock:
    """The clock of the server."""
    return ManualClock()


@pytest.fixture
def auth(clock: ManualClock) -> Auth:
    """The server's."""
    return Auth(ORIGIN, SECRET, [OPERATOR.public], clock)


def sign_in(auth: Auth, key: SigningKey = KEY) -> str:
    """A token for this key."""
    challenge = auth.challenge(key.public).text
    return auth.sign_in(key.public, challenge, key.sign(signed_challenge(ORIGIN, challenge))).text.decode("ascii")


def viewer(auth: Auth, token: str) -> Viewer:
    """Who calls with this token."""
    return auth.viewer_of((("user-agent", "x"), ("authorization", f"Bearer {token}")))


def test_a_signed_challenge_buys_a_token_that_names_its_key(auth: Auth, clock: ManualClock) -> None:
    """And a token says whether the key is an operator's."""
    assert viewer(auth, sign_in(auth)) == Viewer(KEY.public, False)
    assert viewer(auth, sign_in(auth, OPERATOR)) == Viewer(OPERATOR.public, True)
    assert auth.challenge(KEY.public).expires_ms == clock.ms + CHALLENGE_MS
    assert len(sign_in(auth)) == 96


def test_what_is_signed_is_spelled_out() -> None:
    """The origin is in it, so a challenge passed on by another server is of no use to that one."""
    challenge = b"c" * 40
    assert signed_challenge(ORIGIN, challenge) == pae(
        "application/vnd.hokm.sign-in.v1", b"hokm.example/auth\n" + challenge
    )


def test_another_process_with_the_secret_takes_the_same_tokens(auth: Auth, clock: ManualClock) -> None:
    """Nothing is kept of either, so a restart signs nobody out; another secret signs out everybody."""
    token = sign_in(auth)
    assert viewer(Auth(ORIGIN, SECRET, (), clock), token).public_key == KEY.public
    with pytest.raises(TokenInvalid):
        viewer(Auth(ORIGIN, b"t" * 32, (), clock), token)


def test_a_secret_has_32_bytes(clock: ManualClock) -> None:
    """An empty one would let everybody in."""
    with pytest.raises(WrongLength):
        Auth(ORIGIN, b"", (), clock)


# Challenges.


def test_a_challenge_is_good_up_to_its_end(auth: Auth, clock: ManualClock) -> None:
    """The last millisecond is in, the next is out."""
    challenge, expires_ms = auth.challenge(KEY.public)
    signature = KEY.sign(signed_challenge(ORIGIN, challenge))
    clock.turn(CHALLENGE_MS - 1)
    auth.sign_in(KEY.public, challenge, signature)
    clock.turn(1)
    with pytest.raises(ChallengeExpired) as caught:
        auth.sign_in(KEY.public, challenge, signature)
    assert caught.value.facts == {"expires_ms": str(expires_ms), "time_ms": str(expires_ms)}


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_a_challenge_is_for_a_key(auth: Auth, length: int) -> None:
    """Of 32 bytes."""
    with pytest.raises(WrongLength):
        auth.challenge(b"x" * length)
    with pytest.raises(ChallengeInvalid):
        auth.sign_in(b"x" * length, auth.challenge(KEY.public).text, b"x" * 64)


def test_a_challenge_is_for_one_key(auth: Auth) -> None:
    """Another one cannot sign in with it."""
    challenge = auth.challenge(KEY.public).text
    with pytest.raises(ChallengeInvalid):
        auth.sign_in(OTHER.public, challenge, OTHER.sign(signed_challenge(ORIGIN, challenge)))


def test_a_challenge_changed_at_any_byte_is_none(auth: Auth) -> None:
    """Signed or not, and also shorter or longer."""
    challenge = auth.challenge(KEY.public).text
    spoilt = [bytes([*challenge[:at], challenge[at] ^ 1, *challenge[at + 1 :]]) for at in range(len(challenge))]
    for other in [*spoilt, challenge[:-1], challenge + b"\0", b"", challenge[8:]]:
        with pytest.raises(ChallengeInvalid):
            auth.sign_in(KEY.public, other, KEY.sign(signed_challenge(ORIGIN, other)))


def test_only_the_key_itself_signs(auth: Auth) -> None:
    """Nobody else's signature, none over another origin or over the bare challenge, and none that was changed."""
    challenge = auth.challenge(KEY.public).text
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
            auth.sign_in(KEY.public, challenge, signature)


def test_a_key_of_small_order_cannot_sign_in(auth: Auth) -> None:
    """With such a key a signature that nobody made would be good for many messages."""
    weak = bytes([1, *bytes(31)])
    challenge = auth.challenge(weak).text
    with pytest.raises(ChallengeNotSigned):
        auth.sign_in(weak, challenge, weak + bytes(32))


def test_a_challenge_is_no_token(auth: Auth) -> None:
    """The two carry the same bytes under HMACs that differ."""
    challenge = auth.challenge(KEY.public).text
    with pytest.raises(TokenInvalid):
        viewer(auth, base64.urlsafe_b64encode(KEY.public + challenge).decode())


# Tokens.


def test_a_token_is_good_up_to_its_end(auth: Auth, clock: ManualClock) -> None:
    """The last millisecond is in, the next is out."""
    token = sign_in(auth)
    clock.turn(TOKEN_MS - 1)
    viewer(auth, token)
    clock.turn(1)
    with pytest.raises(TokenExpired):
        viewer(auth, token)


def test_a_token_has_one_spelling(auth: Auth) -> None:
    """Whatever one character is changed to, added or taken away, it is no token."""
    token = sign_in(auth)
    for at in range(len(token)):
        for other in string.ascii_letters + string.digits + "-_=+/\n ":
            if other != token[at]:
                with pytest.raises(TokenInvalid):
                    viewer(auth, token[:at] + other + token[at + 1 :])
    for other in (token[:-1], token[4:], token + "=", token + "\n", " " + token, token + "AAAA", "", "خ" * 96):
        with pytest.raises(TokenInvalid):
            viewer(auth, other)


def test_a_call_without_a_token_is_told_so(auth: Auth) -> None:
    """Metadata of other names is passed over."""
    for metadata in ((), None, (("authorisation", f"Bearer {sign_in(auth)}"),)):
        with pytest.raises(NoToken):
            auth.viewer_of(metadata)


def test_a_token_stands_alone_behind_its_scheme(auth: Auth) -> None:
    """`Bearer` in any case, and one such line."""
    token = sign_in(auth)
    assert auth.viewer_of((("authorization", f"bearer {token}"),)).public_key == KEY.public
    line = ("authorization", f"Bearer {token}")
    for metadata in ((line, line), (("authorization", token),), (("authorization", f"Basic {token}"),)):
        with pytest.raises(TokenInvalid):
            auth.viewer_of(metadata)
