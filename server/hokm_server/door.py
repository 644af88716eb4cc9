# SPDX-License-Identifier: Apache-2.0
"""The door: who calls, and how many calls each has at a time, whatever they are for."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Final, TypeAlias

import grpc

from hokm.errors import NotSignedIn, TooManyCalls
from hokm_server.auth import Auth, Viewer
from hokm_server.shares import Caller, Share, address_of_peer

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"

CALLS: Final = 128
"""Of one caller at a time, streams among them."""


class Door:
    """What every call comes in by."""

    def __init__(self, auth: Auth, most_of_address: int) -> None:
        self._auth = auth
        self._calls = Share(min(CALLS, most_of_address), most_of_address, TooManyCalls)

    def viewer(self, context: Context) -> Viewer:
        """Who has signed in. Raises `NoToken`, `TokenInvalid`, `TokenExpired`."""
        return self._auth.viewer_of(context.invocation_metadata(), address_of_peer(context.peer()))

    def caller(self, context: Context) -> Caller:
        """Who it is that holds whatever the call takes."""
        try:
            return self.viewer(context).caller
        except NotSignedIn:
            return Caller(context.peer(), address_of_peer(context.peer()))

    def let_in(self, context: Context) -> AbstractContextManager[None]:
        """Count a call as long as it lasts. Raises `TooManyCalls`."""
        return self._calls.held_by(self.caller(context))
