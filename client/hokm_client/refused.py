# SPDX-License-Identifier: Apache-2.0
"""Moves of one seat that the house has refused: one that is in the log all the same shows that it says two things.

Only this player has heard the refusal, so it proves nothing to others.
"""

from __future__ import annotations

from hokm.events import SignedMove
from hokm.v1 import tables_service_pb2 as pb
from hokm_client.fraud import Fraud, FraudKind
from hokm_client.stream import Step


class RefusedMoves:
    """Those that were refused since the seat's last move in the log, and of which no copy can be on its way."""

    __slots__ = ("_acts",)

    def __init__(self) -> None:
        self._acts: dict[bytes, pb.SignedAct] = {}

    def add(self, act: pb.SignedAct) -> None:
        """One more."""
        self._acts[act.move] = act

    def signed_anew(self, body: bytes) -> None:
        """The same bytes go out once more, and may be taken now."""
        self._acts.pop(body, None)

    def see(self, step: Step, signed: SignedMove) -> None:
        """A move of the seat that is in the log. Raises `Fraud` where it is one of these."""
        act = self._acts.get(signed.body)
        if act is not None:
            what = f"a move of seat {signed.move.seat} that was refused to it"
            exhibits = {"entry": step.entry, "signed_act": act.SerializeToString()}
            raise Fraud(FraudKind.REFUSED_MOVE, step.event.version, what, exhibits=exhibits)
        self._acts.clear()
