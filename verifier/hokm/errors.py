# SPDX-License-Identifier: Apache-2.0
"""Everything that can be wrong with what a caller sent, as one tree of errors.

Each error is one enumerated reason with its facts: the class is the reason (`MustFollowSuit` is
`MUST_FOLLOW_SUIT` everywhere: in Python, on the wire, in a report), its fields are the facts, and its
`sentence` says both in plain English. The seven kinds say what the caller can do about it; the server maps
them to gRPC status codes in one place and the client maps them back to this tree.

An exception that is not a `HokmError` is a bug of ours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import ClassVar


class HokmError(Exception):
    """The root of the tree. `sentence` is a format string over the fields."""

    sentence: ClassVar[str] = "Something is wrong."

    @property
    def reason(self) -> str:
        """The enumerated reason, such as ``MUST_FOLLOW_SUIT``."""
        return reason_of(type(self))

    @property
    def facts(self) -> dict[str, str]:
        """The facts by field name, as text."""
        return {field.name: str(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]

    def __str__(self) -> str:
        return self.sentence.format(**self.facts)


def reason_of(kind: type[HokmError]) -> str:
    """The enumerated reason of an error class: its name in capitals with underscores."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", kind.__name__).upper()


# The seven kinds.


class Malformed(HokmError):
    """The bytes or words themselves are wrong: the same request can never succeed."""


class Rule(HokmError):
    """Well-formed, but the rules of the game refuse it as things stand."""


class Conflict(HokmError):
    """Something else came first: look again and decide anew."""


class Unknown(HokmError):
    """It names something that does not exist."""


class NotSignedIn(HokmError):
    """The caller has not shown who it is."""


class NotYourSeat(HokmError):
    """The caller is known, and may not do this."""


class Busy(HokmError):
    """It cannot be done now: the same request may succeed later."""
