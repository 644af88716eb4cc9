# SPDX-License-Identifier: Apache-2.0
"""Whose move is let in, before anything is decided: by who calls, the join code, kept seats, and what counts elsewhere.

What the rules of the game say to it comes later. A move that made an entry once is answered with that entry, whoever
has the seat by now.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hokm.errors import HokmError, NotYourSeat, SeatKept
from hokm.events import Act, Join, Leave, Return, SeatKind, SignedMove
from hokm.table import Seating, seated
from hokm_server.access import may_act
from hokm_server.auth import Viewer
from hokm_server.clock import Clock
from hokm_server.draft import Beside
from hokm_server.live import Answer, LiveTable, Made
from hokm_server.one_seat import OneSeat
from hokm_server.private import check_code, opened_ms

KEPT_MS: Final = 60_000
"""How long a rematch keeps seats for the players of the game before."""


class Admission:
    """Who may do what at which table. All calls come from one event loop."""

    def __init__(self, clock: Clock, find: Callable[[bytes], LiveTable]) -> None:
        """`find` gives a table by its id, also one that is over."""
        self._clock = clock
        self._find = find
        self.one_seat = OneSeat()

    def admitted(
        self, live: LiveTable, viewer: Viewer, signed: SignedMove, beside: Beside, answer: Answer
    ) -> Answer | None:
        """By what a move is to be answered that is let in; None where it has been answered."""
        move = signed.move
        try:
            may_act(live.there, viewer, move)
            if isinstance(move.act, Join) and move.act.kind is SeatKind.PERSON:
                check_code(live.signet.secret, live.id, beside.join_code)
                self.check_kept(viewer, live, move.seat)
            if isinstance(live.there.stage, Seating) and not isinstance(move.act, Leave):
                answer = live.before_start(viewer, signed.body, answer)
            return self._with_one_seat(live, viewer, move.act, answer)
        except NotYourSeat as error:
            answer(live.made_by(signed.body) or error)  # the seat was the caller's when the move was made
            return None

    def _with_one_seat(self, live: LiveTable, viewer: Viewer, act: Act, answer: Answer) -> Answer:
        """Hold a seat that is asked for or given up against what the person has elsewhere. Raises `SeatedElsewhere`."""
        key = viewer.public_key
        match act:
            case Join(kind=SeatKind.PERSON) | Return() if not live.is_over and not viewer.is_operator:
                self.one_seat.ask(key, live.id)
                look = self.one_seat.answered
            case Leave():
                look = self.one_seat.look
            case _:
                return answer

        def looked(outcome: Made | HokmError) -> None:
            look(key, live.there)
            answer(outcome)

        return looked

    def check_one_seat(self, viewer: Viewer) -> None:
        """Whether the caller may sit down somewhere. Raises `SeatedElsewhere`."""
        if not viewer.is_operator:
            self.one_seat.check(viewer.public_key)

    def check_kept(self, viewer: Viewer, live: LiveTable, seat: int) -> None:
        """Whether a person may sit down there: a rematch keeps each seat for who had it before. Raises `SeatKept`."""
        until_ms = opened_ms(live.id) + KEPT_MS
        if not live.rematch_of or self._clock.now_ms() >= until_ms:
            return
        if self._seats_before(live)[seat] != viewer.public_key:
            raise SeatKept(seat, until_ms)

    def is_at_home(self, live: LiveTable, viewer: Viewer) -> bool:
        """Who sits at the table, opened it, if that is known, or has played the game before, where it is a rematch."""
        if live.is_seated(viewer) or (live.opener is not None and live.opener.holder == viewer.public_key):
            return True
        return viewer.public_key in self._seats_before(live)

    def may_call_bots(self, live: LiveTable, viewer: Viewer) -> bool:
        """Who is at home there; anybody where nobody is there to be asked."""
        if viewer.is_operator or self.is_at_home(live, viewer):
            return True
        return live.opener is None and not seated(live.there)

    def _seats_before(self, live: LiveTable) -> tuple[bytes, ...]:
        """Who had the seats in the game before, by key; nobody where it is no rematch."""
        if live.rematch_of and not live.seats_before:
            live.seats_before = tuple(place.public_key for place in self._find(live.rematch_of).there.places)
        return live.seats_before
