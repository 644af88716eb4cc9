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
    """The enumerated reason of an error class: its name in capitals with underscores, ``NotACard`` too."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[a-z]A)(?=[A-Z])", "_", kind.__name__).upper()


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
class BadManifest(Malformed):
    """An entry of the stream "keys" that does not count, or does not follow from those before it."""

    version: int
    what: str
    sentence = "The key manifest of version {version} does not count: {what}."


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
class BadProof(Malformed):
    """Not a proof file."""

    what: str
    sentence = "The proof cannot be read: {what}."


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
class Missing(Malformed):
    """A part that a message cannot do without."""

    name: str
    sentence = "{name} is missing."


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
class NotAnEntry(Malformed):
    """Not the frame of a log entry: HKE1, length, event, key id, signature."""

    what: str
    sentence = "The entry is malformed: {what}."


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
class NotAscending(Malformed):
    """A list that has one order, and has another or something twice."""

    name: str
    sentence = "{name} is not in ascending order, each once."


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
class NotCanonical(Malformed):
    """Not protobuf, or a message spelled in another than its one canonical way."""

    name: str
    sentence = "The bytes of the {name} are not protobuf in its one canonical form."


@dataclass(eq=False)
class NotSigned(Malformed):
    """A note without a signature of any key that would do."""

    by: str
    sentence = "There is no signature by {by}."


@dataclass(eq=False)
class NotUnderstood(Malformed):
    """It says nothing, or something that only a later version may know: nobody here can say what it means."""

    name: str
    what: str
    sentence = "The {name} is not understood here: {what}."


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
class SharedKey(Malformed):
    """Each key has one role, and stands once."""

    key: str
    one: str
    other: str
    sentence = "The key {key} is {one} and {other}: each key has one role."


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
class TooLong(Malformed):
    """More bytes than its format allows."""

    name: str
    length: int
    most: int
    sentence = "The {name} has {length} bytes: it may have {most}."


@dataclass(eq=False)
class WrongLength(Malformed):
    """A field of fixed length is shorter or longer."""

    name: str
    length: int
    expected: int
    sentence = "{name} has length {length}: it must be {expected}."


class Rule(HokmError):
    """Well-formed, but the rules of the game refuse it as things stand."""


@dataclass(eq=False)
class AlreadyBack(Rule):
    """The player has returned and takes over with the next decision."""

    seat: int
    sentence = "Seat {seat} has returned already."


@dataclass(eq=False)
class AlreadyCommitted(Rule):
    """One commitment of a seat in a ceremony."""

    seat: int
    sentence = "Seat {seat} has committed in this ceremony."


@dataclass(eq=False)
class AlreadyLeft(Rule):
    """The player's last word is Leave."""

    seat: int
    sentence = "Seat {seat} has left already."


@dataclass(eq=False)
class AlreadyResigned(Rule):
    """One Resign of a seat in a round."""

    seat: int
    sentence = "Seat {seat} has resigned in this round."


@dataclass(eq=False)
class AlreadyRevealed(Rule):
    """One Reveal of a seat in a ceremony."""

    seat: int
    sentence = "Seat {seat} has revealed in this ceremony."


@dataclass(eq=False)
class AlreadySeated(Rule):
    """One key has at most one seat at a table."""

    seat: int
    sentence = "This key sits in seat {seat} already."


@dataclass(eq=False)
class CardNotHeld(Rule):
    """A card is played from the hand."""

    card: str
    sentence = "{card} is not in the hand."


@dataclass(eq=False)
class CommitmentCopied(Rule):
    """All five commitments of a ceremony differ."""

    seat: int
    sentence = "Seat {seat} sent a commitment that is there already."


@dataclass(eq=False)
class DeadlinePassed(Rule):
    """A decision is taken before its deadline."""

    time_ms: int
    deadline_ms: int
    sentence = "It is {time_ms}, and the time to decide was over at {deadline_ms}."


@dataclass(eq=False)
class GameIsOver(Rule):
    """Nothing follows the last entry of a stream."""

    version: int
    sentence = "The game is over with entry {version}."


@dataclass(eq=False)
class KeyNotNew(Rule):
    """The four seats, the house and every stand-in have keys of their own."""

    public_key: str
    sentence = "The key {public_key} is used in this game already."


@dataclass(eq=False)
class MustFollowSuit(Rule):
    """Follow the suit led if you can (G8)."""

    card: str
    led: str
    sentence = "{card} cannot be played: {led} was led and the hand holds it."


@dataclass(eq=False)
class NotABot(Rule):
    """A stand-in joins as a bot."""

    seat: int
    sentence = "Who stands in for seat {seat} must join as a bot."


@dataclass(eq=False)
class NotAbsent(Rule):
    """Only who is absent can return."""

    seat: int
    sentence = "Seat {seat} is not absent."


@dataclass(eq=False)
class NotOpenYet(Rule):
    """Persons commit after the last bot has."""

    seat: int
    sentence = "The step of seat {seat} is not open yet."


@dataclass(eq=False)
class NotOverYet(Rule):
    """What is to be proved ends with its last entry, and that is not there. Round 0 means the game."""

    table: str
    round: int
    sentence = "Round {round} (0 means the game) of table {table} is not over yet: it can be proved when it is."


@dataclass(eq=False)
class NotYourTurn(Rule):
    """Seats decide in turn."""

    seat: int
    sentence = "It is not the turn of seat {seat}."


@dataclass(eq=False)
class NothingProtested(Rule):
    """The act carries nothing but its protest."""

    sentence = "A move that only protests must carry a protest."


@dataclass(eq=False)
class NumberNotOpened(Rule):
    """The number beside a Reveal opens the seat's commitment."""

    seat: int
    sentence = "The number of seat {seat} does not open its commitment."


@dataclass(eq=False)
class OnlyPersonsResign(Rule):
    """Bots do not resign."""

    seat: int
    sentence = "Seat {seat} is no person's."


@dataclass(eq=False)
class RuleNotBuilt(Rule):
    """A switch that this version cannot play by yet."""

    rule: str
    sentence = "This server cannot play by {rule} yet."


@dataclass(eq=False)
class RuleOff(Rule):
    """The act belongs to a house rule that this table does not play by."""

    rule: str
    sentence = "This table does not play by {rule}."


@dataclass(eq=False)
class SeatIsFree(Rule):
    """Nobody sits there."""

    seat: int
    sentence = "Seat {seat} is free."


@dataclass(eq=False)
class SeatNotFree(Rule):
    """Somebody sits there."""

    seat: int
    sentence = "Seat {seat} is taken."


@dataclass(eq=False)
class SeatStoodIn(Rule):
    """A stand-in decides until its player has returned."""

    seat: int
    sentence = "A stand-in plays seat {seat}: return first."


@dataclass(eq=False)
class StandInNotDue(Rule):
    """A stand-in takes a seat only when it is wanted there."""

    seat: int
    sentence = "No stand-in is wanted in seat {seat}."


@dataclass(eq=False)
class TooManyProtests(Rule):
    """A seat protests a few times in a round."""

    seat: int
    most: int
    sentence = "Seat {seat} has protested {most} times in this round."


@dataclass(eq=False)
class TooManyReturns(Rule):
    """A seat returns a few times in a round."""

    seat: int
    most: int
    sentence = "Seat {seat} has returned {most} times in this round."


@dataclass(eq=False)
class WrongCommitSet(Rule):
    """A Reveal is over the set that is closed."""

    given: str
    closed: str
    sentence = "The Reveal is over the set {given}, and the closed one is {closed}."


@dataclass(eq=False)
class WrongPhase(Rule):
    """The act belongs to another phase of the game."""

    phase: str
    sentence = "This cannot be done in the phase {phase}."


class Conflict(HokmError):
    """Something else came first: look again and decide anew."""


@dataclass(eq=False)
class NumberNotNext(Conflict):
    """A key's moves are numbered without a gap, and a number is used once."""

    number: int
    expected: int
    sentence = "The move has number {number}, and the next of this key is {expected}."


@dataclass(eq=False)
class SeenFell(Conflict):
    """What a key has seen never falls."""

    seen_version: int
    before: int
    sentence = "The move has seen version {seen_version}, an earlier move of its key version {before}."


@dataclass(eq=False)
class SeenNotYet(Conflict):
    """A move has seen an entry that is there."""

    seen_version: int
    version: int
    sentence = "The move has seen version {seen_version}, and the last is {version}."


@dataclass(eq=False)
class SeenOther(Conflict):
    """A move names the leaf of the entry that it has seen."""

    seen_version: int
    seen_hash: str
    sentence = "{seen_hash} is not the leaf of version {seen_version}."


@dataclass(eq=False)
class StaleMove(Conflict):
    """A move has seen the entry that opened the decision which it answers."""

    seen_version: int
    opened: int
    sentence = "The move has seen version {seen_version}, and what it answers was opened by version {opened}."


@dataclass(eq=False)
class VersionTaken(Conflict):
    """An entry is appended behind the last of its stream, and another one came first."""

    version: int
    last: int
    sentence = "Version {version} cannot be appended: the last of the stream is {last}."


@dataclass(eq=False)
class WrongContext(Conflict):
    """A move names round and attempt of the last ceremony that was opened."""

    round: int
    attempt: int
    expected_round: int
    expected_attempt: int
    sentence = (
        "The move is of round {round}, attempt {attempt}; "
        "the table is in round {expected_round}, attempt {expected_attempt}."
    )


@dataclass(eq=False)
class WrongGame(Conflict):
    """A move names its game."""

    given: str
    expected: str
    sentence = "The move is of game {given}, and this is {expected}."


class Unknown(HokmError):
    """It names something that does not exist."""


@dataclass(eq=False)
class OutOfTree(Unknown):
    """A leaf or an older tree that a tree of this size does not contain."""

    asked: int
    size: int
    sentence = "A tree of {size} leaves does not contain {asked}."


@dataclass(eq=False)
class UnknownCheckpoint(Unknown):
    """A size at which no checkpoint was published."""

    size: int
    sentence = "No checkpoint of size {size} was published."


@dataclass(eq=False)
class UnknownEntry(Unknown):
    """A table or a version that the log does not hold."""

    table: str
    version: int
    sentence = "The log holds no version {version} of table {table}."


@dataclass(eq=False)
class UnknownLog(Unknown):
    """A log that the reader's policy does not name."""

    origin: str
    sentence = "The policy names no log {origin!r}."


@dataclass(eq=False)
class UnknownRound(Unknown):
    """A round that was not played."""

    round: int
    rounds: int
    sentence = "Round {round} was not played: the game has {rounds}."


@dataclass(eq=False)
class UnknownTable(Unknown):
    """No such table."""

    table: str
    sentence = "There is no table {table}."


@dataclass(eq=False)
class UnknownVersion(Unknown):
    """An entry that is not there yet."""

    version: int
    last: int
    sentence = "Version {version} is not there: the last is {last}."


class NotSignedIn(HokmError):
    """The caller has not shown who it is."""


@dataclass(eq=False)
class ChallengeExpired(NotSignedIn):
    """A challenge is signed within its minutes."""

    expires_ms: int
    time_ms: int
    sentence = "The challenge was good until {expires_ms}, and it is {time_ms}: ask for another."


@dataclass(eq=False)
class ChallengeInvalid(NotSignedIn):
    """Not a challenge that this server made for this key."""

    sentence = "This is no challenge of this server for this key."


@dataclass(eq=False)
class ChallengeNotSigned(NotSignedIn):
    """A challenge is signed together with the origin, by the key that it was made for."""

    public_key: str
    sentence = "The key {public_key} has not signed this origin and challenge."


@dataclass(eq=False)
class NoToken(NotSignedIn):
    """The call brings no token."""

    sentence = "This call needs a token: sign in, and send the metadata `authorization: Bearer TOKEN`."


@dataclass(eq=False)
class TokenExpired(NotSignedIn):
    """A token is good for some minutes."""

    expires_ms: int
    time_ms: int
    sentence = "The token was good until {expires_ms}, and it is {time_ms}: sign in again."


@dataclass(eq=False)
class TokenInvalid(NotSignedIn):
    """Not a token that this server made."""

    sentence = "This is no token of this server."


class NotYourSeat(HokmError):
    """The caller is known, and may not do this."""


@dataclass(eq=False)
class NotAnOperator(NotYourSeat):
    """Bots, stand-ins and what is wanted are the operator's."""

    sentence = "This is for the operator's programs only."


@dataclass(eq=False)
class SeatNotYours(NotYourSeat):
    """Acts and cards of a seat are its player's."""

    seat: int
    sentence = "Seat {seat} is not yours."


class Busy(HokmError):
    """It cannot be done now: the same request may succeed later."""


@dataclass(eq=False)
class LogNotWritable(Busy):
    """The entry could not be made durable, so it was not made."""

    why: str
    sentence = "The server cannot write its log now ({why}): nothing was changed."


@dataclass(eq=False)
class NotPublished(Busy):
    """The entry is in the log, and no published checkpoint covers it yet."""

    position: int
    size: int
    sentence = "The entry at {position} is not in the published log of size {size} yet: ask again in a second."


@dataclass(eq=False)
class TableBusy(Busy):
    """More moves wait for one table than it takes."""

    most: int
    sentence = "{most} moves are waiting for this table already."


@dataclass(eq=False)
class TooManyTables(Busy):
    """More tables than the server holds."""

    most: int
    sentence = "This server holds {most} tables already."


@dataclass(eq=False)
class TooManyWaiting(Busy):
    """More is waiting to be written than the server takes."""

    most: int
    sentence = "{most} entries are waiting to be written already."
