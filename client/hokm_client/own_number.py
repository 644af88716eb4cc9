# SPDX-License-Identifier: Apache-2.0
"""One seat's own number in each ceremony: drawn once, committed to, and revealed over one set of commitments only.

It is in `Keeping` before anything of it is sent. A closed set must hold the commitment that it makes, unchanged, beside
four others that all differ; and no Reveal is signed over a second set of one context, whatever the server says.
"""

from __future__ import annotations

from collections.abc import Callable

from hokm.deal import commitment
from hokm.events import Commit, Reveal
from hokm.rules import Seat
from hokm.table import Ceremony
from hokm_client.errors import NumberNotKept
from hokm_client.fraud import Fraud, FraudKind
from hokm_client.keeping import Keeping
from hokm_client.stream import Step, Stream


class OwnNumber:
    """The numbers of one key in one seat."""

    __slots__ = ("_entropy", "_keeping", "_key", "_seat", "_stream", "notice")

    def __init__(
        self, stream: Stream, seat: Seat, key: bytes, keeping: Keeping, entropy: Callable[[int], bytes]
    ) -> None:
        self._stream = stream
        self._seat = seat
        self._key = key
        self._keeping = keeping
        self._entropy = entropy
        self.notice: NumberNotKept | None = None
        """A number that is wanted is not kept here: no fraud, but the player should know."""

    def next_step(self, ceremony: Ceremony) -> Commit | Reveal | None:
        """The step that is open in this ceremony; None where its number is not here."""
        ctx = ceremony.ctx
        if ceremony.commit_set is None:
            number = self._keeping.number_for(ctx, self._seat, self._key, lambda: self._entropy(32))
            return Commit(commitment(ctx, self._seat, self._key, number))
        return None if self._kept(ctx) is None else Reveal(ctx, ceremony.commit_set)

    def check_set(self, step: Step, commit_set: bytes) -> None:
        """A set is closed: the own commitment is in it, and it is the one signed over, if one was. Raises `Fraud`."""
        ceremony = step.after.stage
        assert isinstance(ceremony, Ceremony)
        signed = self._keeping.set_of(ceremony.ctx)
        if signed is not None and signed.commit_set != commit_set:
            exhibits = {"entry": step.entry, "other": signed.entry}
            what = "a Reveal was signed over another set of commitments of this context"
            raise self._caught(FraudKind.TWO_SETS, what, exhibits, proves=True)
        if ceremony.holders[self._seat].public_key == self._key:
            number = self._kept(ceremony.ctx)
            if number is not None:
                self._check_commitment(ceremony, number, {"entry": step.entry})

    def reveal(self, ceremony: Ceremony, act: Reveal) -> bytes:
        """The number that goes beside this Reveal; from now on none is signed over another set of its context.

        Raises `Fraud`, `NumberNotKept`, `OtherSetSigned`.
        """
        number = self._kept(act.ctx)
        if number is None:
            raise NumberNotKept(self._seat)
        self._check_commitment(ceremony, number, {})
        self._keeping.sign_over(act.ctx, act.commit_set, self._closing_entry(ceremony))
        return number

    def _kept(self, ctx: bytes) -> bytes | None:
        number = self._keeping.number(ctx, self._seat, self._key)
        if number is None:
            self.notice = NumberNotKept(self._seat)
        return number

    def _closing_entry(self, ceremony: Ceremony) -> bytes:
        """The CommitSetClosed of the ceremony."""
        assert ceremony.closed is not None
        return self._stream.entries[ceremony.closed]

    def _check_commitment(self, ceremony: Ceremony, number: bytes, exhibits: dict[str, bytes]) -> None:
        made = commitment(ceremony.ctx, self._seat, self._key, number)
        if ceremony.commitments[self._seat] != made:
            what = f"the commitment of seat {self._seat} is not the one that it made"
            raise self._caught(FraudKind.CHANGED_SET, what, exhibits)
        if len({*ceremony.commitments, ceremony.house_commitment}) != 5:
            raise self._caught(FraudKind.CHANGED_SET, "two of the five commitments are equal", exhibits, proves=True)

    def _caught(self, kind: FraudKind, what: str, exhibits: dict[str, bytes], *, proves: bool = False) -> Fraud:
        return Fraud(kind, self._stream.there.version, what, proves, exhibits)
