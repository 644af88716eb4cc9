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


@dataclass(eq=False)
class AwayNotBelowHalfTurn(Malformed):
    """Someone away must be stood in for well before the deadline, or not at all (0)."""

    away_seconds: int
    turn_seconds: int
    sentence = "away_seconds, {away_seconds}, is not less than half of turn_seconds, {turn_seconds}; 0 is off."


@dataclass(eq=False)
class BadCheckpoint(Malformed):
    """Not the text of a checkpoint (C2SP tlog-checkpoint)."""

    what: str
    sentence = "The checkpoint is malformed: {what}."


@dataclass(eq=False)
class BadNote(Malformed):
    """Not a signed note (C2SP signed-note)."""

    what: str
    sentence = "The signed note is malformed: {what}."


@dataclass(eq=False)
class BadPolicy(Malformed):
    """Not a trust policy (C2SP tlog-policy, and one #root line for each log). Line 0 means the file as a whole."""

    line: int
    what: str
    sentence = "The policy is malformed (line {line}): {what}."


@dataclass(eq=False)
class BadSignature(Malformed):
    """A signature by a key that is known and did not make it."""

    key: str
    sentence = "A signature said to be by {key} does not verify."


@dataclass(eq=False)
class BadVKey(Malformed):
    """Not the text of a public key with its name (C2SP signed-note)."""

    what: str
    sentence = "The vkey is malformed: {what}."


@dataclass(eq=False)
class CardTwice(Malformed):
    """A hand holds each card once."""

    card: str
    sentence = "The card {card} is there twice."


@dataclass(eq=False)
class NotACard(Malformed):
    """Neither a card's number nor its notation."""

    text: str
    sentence = "{text!r} is not a card."


@dataclass(eq=False)
class NotAHand(Malformed):
    """A hand is a 52-bit mask."""

    text: str
    sentence = "{text!r} is not a hand of cards."


@dataclass(eq=False)
class NotAnOrigin(Malformed):
    """A log's origin: 1 to 255 bytes of visible ASCII, no space, no plus sign."""

    text: str
    sentence = "{text!r} is not an origin: 1 to 255 visible ASCII characters without space and plus."


@dataclass(eq=False)
class NotAPack(Malformed):
    """A pack has each of the 52 cards once."""

    count: int
    distinct: int
    sentence = "This is not a pack of 52: {count} cards, {distinct} of them different cards of the game."


@dataclass(eq=False)
class NotAPreset(Malformed):
    """Table rules go by name: classic, house, traditional."""

    text: str
    sentence = "{text!r} is not a preset of table rules: classic, house or traditional."


@dataclass(eq=False)
class NotASuit(Malformed):
    """Neither a suit's letter nor its symbol."""

    text: str
    sentence = "{text!r} is not a suit."


@dataclass(eq=False)
class NotATarget(Malformed):
    """A game goes to 7, 5 or 3 points (G12)."""

    target: int
    sentence = "A game goes to 7, 5 or 3 points, not to {target}."


@dataclass(eq=False)
class NotSigned(Malformed):
    """A note without a signature of any key that would do."""

    by: str
    sentence = "There is no signature by {by}."


@dataclass(eq=False)
class OutOfRange(Malformed):
    """A number outside the bounds that its format gives it."""

    name: str
    value: int
    least: int
    most: int
    sentence = "{name} is {value}: it must be {least} to {most}."


@dataclass(eq=False)
class RoundNotOfPurpose(Malformed):
    """A draw has round 0, a deal round 1 or later."""

    purpose: str
    round: int
    sentence = "A {purpose} cannot be of round {round}: a draw is of round 0, a deal of 1 or later."


@dataclass(eq=False)
class StreamUsedUp(Malformed):
    """The shuffle met the end of its stream of bytes. There is no fallback."""

    used: int
    sentence = "The stream of {used} bytes ended before the pack was shuffled."


@dataclass(eq=False)
class ThrowingWhileSilent(Malformed):
    """A silent table has no throwing (H5, H6)."""

    sentence = "A silent table can have no throwing."


@dataclass(eq=False)
class WrongLength(Malformed):
    """A field of fixed length is shorter or longer."""

    name: str
    length: int
    expected: int
    sentence = "{name} has length {length}: it must be {expected}."


class Rule(HokmError):
    """Well-formed, but the rules of the game refuse it as things stand."""


class Conflict(HokmError):
    """Something else came first: look again and decide anew."""


class Unknown(HokmError):
    """It names something that does not exist."""


@dataclass(eq=False)
class OutOfTree(Unknown):
    """A leaf or an older tree that a tree of this size does not contain."""

    asked: int
    size: int
    sentence = "A tree of {size} leaves does not contain {asked}."


@dataclass(eq=False)
class UnknownLog(Unknown):
    """A log that the reader's policy does not name."""

    origin: str
    sentence = "The policy names no log {origin!r}."


class NotSignedIn(HokmError):
    """The caller has not shown who it is."""


class NotYourSeat(HokmError):
    """The caller is known, and may not do this."""


class Busy(HokmError):
    """It cannot be done now: the same request may succeed later."""
