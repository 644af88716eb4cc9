# SPDX-License-Identifier: Apache-2.0
"""The door: who calls, and how many calls each has at a time, whatever they are for.

There are three kinds of callers, and each kind has shares of its own: who has not signed in, who has, and who has a
seat at a table besides. So whoever watches keeps no player from a table, and nobody from signing in: not all calls that
there may be are for those who may only watch.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final

from hokm.errors import NotSignedIn, TooManyCalls
from hokm_server.auth import Auth, Viewer
from hokm_server.shares import Caller, Share, address_of_peer
from hokm_server.status import Context

CALLS: Final = 128
"""Of one caller at a time, streams among them."""
GUESTS_PERCENT: Final = 80
"""Of all calls, those of all who have signed in and have no seat: the rest is kept for players and who signs in."""


class Door:
    """What every call comes in by."""

    def __init__(self, auth: Auth, most: int, most_of_address: int, is_player: Callable[[bytes], bool]) -> None:
        """So many calls there may be at a time, and of one address so many of each kind of callers.

        `is_player`: whether a key has a seat.
        """
        self._auth = auth
        self._is_player = is_player
        of_caller = min(CALLS, most_of_address)
        self._strangers = Share(of_caller, most_of_address, TooManyCalls)
        self._guests = Share(of_caller, most_of_address, TooManyCalls, most * GUESTS_PERCENT // 100)
        self._players = Share(of_caller, most_of_address, TooManyCalls)

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
        caller = self.caller(context)
        if isinstance(caller.holder, str):
            return self._strangers.held_by(caller)
        return (self._players if self._is_player(caller.holder) else self._guests).held_by(caller)
