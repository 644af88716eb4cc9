# SPDX-License-Identifier: Apache-2.0
"""Tokens: good for one key and some minutes, and in one spelling."""

from __future__ import annotations

import string

import pytest

from hokm.errors import NoToken, TokenExpired, TokenInvalid, WrongLength
from hokm.signing import SigningKey
from hokm_server.auth import TOKEN_MS, Auth, Viewer
from tests.server.manual_clock import ManualClock

KEY = SigningKey(b"k" * 32)
OPERATOR = SigningKey(b"p" * 32)
SECRET = b"s" * 32


@pytest.fixture
def clock() -> ManualClock:
    """The clock of the server."""
    return ManualClock()


@pytest.fixture
def auth(clock: ManualClock) -> Auth:
    """The server's."""
    return Auth(SECRET, [OPERATOR.public], clock)


def viewer(auth: Auth, token: str) -> Viewer:
    """Who calls with this token."""
    return auth.viewer_of((("user-agent", "x"), ("authorization", f"Bearer {token}")))


def test_a_token_names_its_key(auth: Auth, clock: ManualClock) -> None:
    """And a token says whether the key is an operator's."""
    assert viewer(auth, auth.token(KEY.public).text) == Viewer(KEY.public, False)
    assert viewer(auth, auth.token(OPERATOR.public).text) == Viewer(OPERATOR.public, True)
    assert auth.token(KEY.public).expires_ms == clock.ms + TOKEN_MS
    assert len(auth.token(KEY.public).text) == 96


def test_another_process_with_the_secret_takes_the_same_tokens(auth: Auth, clock: ManualClock) -> None:
    """Nothing is kept of them, so a restart signs nobody out; another secret signs out everybody."""
    token = auth.token(KEY.public).text
    assert viewer(Auth(SECRET, (), clock), token).public_key == KEY.public
    with pytest.raises(TokenInvalid):
        viewer(Auth(b"t" * 32, (), clock), token)


def test_a_secret_has_32_bytes(clock: ManualClock) -> None:
    """An empty one would let everybody in."""
    with pytest.raises(WrongLength):
        Auth(b"", (), clock)


def test_a_token_is_good_up_to_its_end(auth: Auth, clock: ManualClock) -> None:
    """The last millisecond is in, the next is out."""
    token = auth.token(KEY.public).text
    clock.turn(TOKEN_MS - 1)
    viewer(auth, token)
    clock.turn(1)
    with pytest.raises(TokenExpired):
        viewer(auth, token)


def test_a_token_has_one_spelling(auth: Auth) -> None:
    """Whatever one character is changed to, added or taken away, it is no token."""
    token = auth.token(KEY.public).text
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
    for metadata in ((), None, (("authorisation", f"Bearer {auth.token(KEY.public).text}"),)):
        with pytest.raises(NoToken):
            auth.viewer_of(metadata)


def test_a_token_stands_alone_behind_its_scheme(auth: Auth) -> None:
    """`Bearer` in any case, and one such line."""
    token = auth.token(KEY.public).text
    assert auth.viewer_of((("authorization", f"bearer {token}"),)).public_key == KEY.public
    line = ("authorization", f"Bearer {token}")
    for metadata in ((line, line), (("authorization", token),), (("authorization", f"Basic {token}"),)):
        with pytest.raises(TokenInvalid):
            auth.viewer_of(metadata)
