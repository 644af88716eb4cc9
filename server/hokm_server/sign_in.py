# SPDX-License-Identifier: Apache-2.0
"""SignInService on the wire: words in, words out."""

from __future__ import annotations

from hokm.v1 import sign_in_service_pb2 as pb
from hokm.v1.sign_in_service_pb2_grpc import SignInServiceServicer
from hokm_server.auth import Auth
from hokm_server.challenges import Challenges
from hokm_server.status import Context


class SignInService(SignInServiceServicer):
    """Challenges and tokens."""

    def __init__(self, challenges: Challenges, auth: Auth) -> None:
        self._challenges = challenges
        self._auth = auth

    async def GetChallenge(  # noqa: N802
        self, request: pb.GetChallengeRequest, context: Context
    ) -> pb.GetChallengeResponse:
        """A challenge for a key."""
        challenge = self._challenges.make(request.public_key)
        return pb.GetChallengeResponse(
            challenge=challenge.octets, origin=self._challenges.origin, expires_ms=challenge.expires_ms
        )

    async def SignIn(self, request: pb.SignInRequest, context: Context) -> pb.SignInResponse:  # noqa: N802
        """A signed challenge for a token."""
        self._challenges.answer(request.public_key, request.challenge, request.signature)
        token = self._auth.token(request.public_key)
        return pb.SignInResponse(token=token.text, expires_ms=token.expires_ms)
