# SPDX-License-Identifier: Apache-2.0
"""What is wrong with the bytes or words themselves."""

from __future__ import annotations

from hokm.errors.tree import HokmError


class Malformed(HokmError):
    """The bytes or words themselves are wrong: the same request can never succeed."""


class AwayNotBelowHalfTurn(Malformed):
    """Someone away must be stood in for well before the deadline, or not at all (0)."""

    away_seconds: int
    turn_seconds: int
    sentence = "away_seconds, {away_seconds}, is not less than half of turn_seconds, {turn_seconds}; 0 is off."


class BadCheckpoint(Malformed):
    """Not the text of a checkpoint (C2SP tlog-checkpoint)."""

    what: str
    sentence = "The checkpoint is malformed: {what}."


class BadManifest(Malformed):
    """An entry of the stream "keys" that does not count, or does not follow from those before it."""

    version: int
    what: str
    sentence = "The key manifest of version {version} does not count: {what}."


class BadEvidence(Malformed):
    """Not a file of evidence."""

    what: str
    sentence = "The evidence cannot be read: {what}."


class BadNote(Malformed):
    """Not a signed note (C2SP signed-note)."""

    what: str
    sentence = "The signed note is malformed: {what}."


class BadPolicy(Malformed):
    """Not a trust policy (C2SP tlog-policy, and one #root line for each log). Line 0 means the file as a whole."""

    line: int
    what: str
    sentence = "The policy is malformed (line {line}): {what}."


class BadProof(Malformed):
    """Not a proof file."""

    what: str
    sentence = "The proof cannot be read: {what}."


class BadRecord(Malformed):
    """Not the record of a game."""

    what: str
    sentence = "The record cannot be read: {what}."


class BadSignature(Malformed):
    """A signature by a key that is known and did not make it."""

    key: str
    sentence = "A signature said to be by {key} does not verify."


class BadTile(Malformed):
    """Not the path of a tile or bundle of the log, or not what stands under one (C2SP tlog-tiles)."""

    path: str
    what: str
    sentence = "The tile {path!r} is malformed: {what}."


class BadTlogProof(Malformed):
    """Not a proof that an entry is in a log (C2SP tlog-proof)."""

    what: str
    sentence = "The proof of inclusion cannot be read: {what}."


class BadVKey(Malformed):
    """Not the text of a public key with its name (C2SP signed-note)."""

    what: str
    sentence = "The vkey is malformed: {what}."


class CardTwice(Malformed):
    """A hand holds each card once."""

    card: str
    sentence = "The card {card} is there twice."


class Missing(Malformed):
    """A part that a message cannot do without."""

    name: str
    sentence = "{name} is missing."


class NotACard(Malformed):
    """Neither a card's number nor its notation."""

    text: str
    sentence = "{text!r} is not a card."


class NotAnEntry(Malformed):
    """Not the frame of a log entry: HKE1, length, event, key id, signature."""

    what: str
    sentence = "The entry is malformed: {what}."


class NotAnOrigin(Malformed):
    """A log's origin: 1 to 255 bytes of visible ASCII, no space, no plus sign."""

    text: str
    sentence = "{text!r} is not an origin: 1 to 255 visible ASCII characters without space and plus."


class NotAPack(Malformed):
    """A pack has each of the 52 cards once."""

    count: int
    distinct: int
    sentence = "This is not a pack of 52: {count} cards, {distinct} of them different cards of the game."


class NotAPreset(Malformed):
    """Table rules go by name: classic, house, traditional."""

    text: str
    sentence = "{text!r} is not a preset of table rules: classic, house or traditional."


class NotAscending(Malformed):
    """A list that has one order, and has another or something twice."""

    name: str
    sentence = "{name} is not in ascending order, each once."


class NotASuit(Malformed):
    """Neither a suit's letter nor its symbol."""

    text: str
    sentence = "{text!r} is not a suit."


class NotATarget(Malformed):
    """A game goes to 7, 5 or 3 points (G12)."""

    target: int
    sentence = "A game goes to 7, 5 or 3 points, not to {target}."


class NotCanonical(Malformed):
    """Not protobuf, or a message spelled in another than its one canonical way."""

    name: str
    sentence = "The bytes of the {name} are not protobuf in its one canonical form."


class NotSigned(Malformed):
    """A note without a signature of any key that would do."""

    by: str
    sentence = "There is no signature by {by} with a key that is trusted here."


class NotUnderstood(Malformed):
    """It says nothing, or something that only a later version may know: nobody here can say what it means."""

    name: str
    what: str
    sentence = "The {name} is not understood here: {what}."


class NotInTree(Malformed):
    """An entry whose proof of inclusion does not lead to the root."""

    index: int
    size: int
    sentence = "Nothing shows that the entry is at {index} in the tree of {size} leaves."


class OutOfRange(Malformed):
    """A number outside the bounds that its format gives it."""

    name: str
    value: int
    least: int
    most: int
    sentence = "{name} is {value}: it must be {least} to {most}."


class RoundNotOfPurpose(Malformed):
    """A draw has round 0, a deal round 1 or later."""

    purpose: str
    round: int
    sentence = "A {purpose} cannot be of round {round}: a draw is of round 0, a deal of 1 or later."


class SharedKey(Malformed):
    """Each key has one role, and stands once."""

    key: str
    one: str
    other: str
    sentence = "The key {key} is {one} and {other}: each key has one role."


class StreamUsedUp(Malformed):
    """The shuffle met the end of its stream of bytes. There is no fallback."""

    used: int
    sentence = "The stream of {used} bytes ended before the pack was shuffled."


class ThrowingWhileSilent(Malformed):
    """A silent table has no throwing (H5, H6)."""

    sentence = "A silent table can have no throwing."


class TileNotOfTree(Malformed):
    """A tile or a bundle of other hashes than those that make the root."""

    path: str
    size: int
    sentence = "The file {path} is not that of the tree of {size} leaves: what it holds does not make the root."


class TooLong(Malformed):
    """More bytes than its format allows."""

    name: str
    length: int
    most: int
    sentence = "The {name} has {length} bytes: it may have {most}."


class WrongLength(Malformed):
    """A field of fixed length is shorter or longer."""

    name: str
    length: int
    expected: int
    sentence = "{name} has length {length}: it must be {expected}."
