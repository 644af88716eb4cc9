# SPDX-License-Identifier: Apache-2.0
"""Everything that can be wrong with what a caller sent, as one tree of errors.

Each error is one enumerated reason with its facts: the class is the reason (`MustFollowSuit` is
`MUST_FOLLOW_SUIT` everywhere: in Python, on the wire, in a report), its fields are the facts, and its
`sentence` says both in plain English. The seven kinds say what the caller can do about it; the server maps
them to gRPC status codes in one place and the client maps them back to this tree.

An exception that is not a `HokmError` is a bug of ours.
"""

from __future__ import annotations

import os
import re
from typing import ClassVar, dataclass_transform


@dataclass_transform(eq_default=False)
class HokmError(Exception):
    """The root of the tree. The fields that a class names are its facts, `sentence` is a format string over them.

    They are given in order or by name, as to a dataclass. (Which these are not, because to make a hundred of those
    takes longer than to verify a round.)
    """

    sentence: ClassVar[str] = "Something is wrong."
    fields: ClassVar[dict[str, str]] = {}
    """The type of each fact by its name, as it is written."""

    def __init_subclass__(cls) -> None:
        inherited = [base.fields for base in reversed(cls.__bases__) if issubclass(base, HokmError)]
        cls.fields = {name: kind for fields in (*inherited, cls.__annotations__) for name, kind in fields.items()}

    def __init__(self, *facts: object, **named: object) -> None:
        given = dict(zip(self.fields, facts, strict=False), **named)
        if given.keys() != self.fields.keys() or len(facts) + len(named) != len(given):
            raise TypeError(f"{type(self).__name__} is made with {', '.join(self.fields) or 'no facts'}")
        super().__init__(*given.values())
        vars(self).update(given)

    @property
    def reason(self) -> str:
        """The enumerated reason, such as ``MUST_FOLLOW_SUIT``."""
        return reason_of(type(self))

    @property
    def facts(self) -> dict[str, str]:
        """The facts by field name, as text."""
        return {name: str(getattr(self, name)) for name in self.fields}

    def __str__(self) -> str:
        return self.sentence.format(**self.facts)


def reason_of(kind: type[HokmError]) -> str:
    """The enumerated reason of an error class: its name in capitals with underscores, ``NotACard`` too."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[a-z]A)(?=[A-Z])", "_", kind.__name__).upper()


def system_words(error: OSError) -> str:
    """What the system says of a failure, without the path: the error that stands for it names that."""
    return os.strerror(error.errno) if error.errno else str(error)


# The seven kinds.


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
    sentence = "There is no signature by {by}."


class NotUnderstood(Malformed):
    """It says nothing, or something that only a later version may know: nobody here can say what it means."""

    name: str
    what: str
    sentence = "The {name} is not understood here: {what}."


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


class Rule(HokmError):
    """Well-formed, but the rules of the game refuse it as things stand."""


class AlreadyAnswered(Rule):
    """One answer of a seat to one ask for tea (H4)."""

    seat: int
    sentence = "Seat {seat} has answered already."


class AlreadyBack(Rule):
    """The player has returned and takes over with the next decision."""

    seat: int
    sentence = "Seat {seat} has returned already."


class AlreadyCommitted(Rule):
    """One commitment of a seat in a ceremony."""

    seat: int
    sentence = "Seat {seat} has committed in this ceremony."


class AlreadyLaid(Rule):
    """A seat has at most one card face down (H2)."""

    seat: int
    sentence = "A card of seat {seat} lies face down already."


class AlreadyLeft(Rule):
    """The player's last word is Leave."""

    seat: int
    sentence = "Seat {seat} has left already."


class AlreadyReady(Rule):
    """One Ready of a seat in one tea (H4)."""

    seat: int
    sentence = "Seat {seat} is ready already."


class AlreadyResigned(Rule):
    """One Resign of a seat in a round."""

    seat: int
    sentence = "Seat {seat} has resigned in this round."


class AlreadyRevealed(Rule):
    """One Reveal of a seat in a ceremony."""

    seat: int
    sentence = "Seat {seat} has revealed in this ceremony."


class AlreadySeated(Rule):
    """One key has at most one seat at a table."""

    seat: int
    sentence = "This key sits in seat {seat} already."


class CardNotHeld(Rule):
    """A card is played from the hand."""

    card: str
    sentence = "{card} is not in the hand."


class CommitmentCopied(Rule):
    """All five commitments of a ceremony differ."""

    seat: int
    sentence = "Seat {seat} sent a commitment that is there already."


class DeadlinePassed(Rule):
    """A decision is taken before its deadline."""

    time_ms: int
    deadline_ms: int
    sentence = "It is {time_ms}, and the time to decide was over at {deadline_ms}."


class EarlyNotOpened(Rule):
    """Card and salt beside a LayEarly open its commitment (H2)."""

    seat: int
    sentence = "The card and salt of seat {seat} do not open the commitment."


class EarlySpent(Rule):
    """Each lay of a game has a commitment and a salt of its own (H2)."""

    seat: int
    sentence = "Seat {seat} used this commitment or salt before in this game."


class GameIsOver(Rule):
    """Nothing follows the last entry of a stream."""

    version: int
    sentence = "The game is over with entry {version}."


class KeyNotNew(Rule):
    """The four seats, the house and every stand-in have keys of their own."""

    public_key: str
    sentence = "The key {public_key} is used in this game already."


class MiddleMistold(Rule):
    """A LayEarly says truly whether its card is the partner's middle that lies open (H1, H2)."""

    seat: int
    sentence = "Seat {seat} says wrongly whether the face-down card is the open middle."


class MustFollowSuit(Rule):
    """Follow the suit led if you can (G8)."""

    card: str
    led: str
    sentence = "{card} cannot be played: {led} was led and the hand holds it."


class MustWait(Rule):
    """Whoever came early waits three whole tricks (H2)."""

    seat: int
    trick: int
    again: int
    sentence = "It is trick {trick}, and seat {seat} may come early again in trick {again}."


class NotAtYourself(Rule):
    """Things are thrown at others (H5)."""

    seat: int
    sentence = "Seat {seat} cannot throw at itself."


class NotABot(Rule):
    """A stand-in joins as a bot."""

    seat: int
    sentence = "Who stands in for seat {seat} must join as a bot."


class NotARun(Rule):
    """A run is ace, king and queen of a plain suit, or the top of the unplayed trumps, the highest first (H3)."""

    cards: str
    sentence = "{cards} is no run."


class NotAbsent(Rule):
    """Only who is absent can return."""

    seat: int
    sentence = "Seat {seat} is not absent."


class NotLed(Rule):
    """Nobody comes early before a card is led (H2)."""

    sentence = "Nothing has been led yet."


class NotOnLead(Rule):
    """A run is led (H3)."""

    seat: int
    sentence = "Seat {seat} is not on lead."


class NotOpenYet(Rule):
    """Persons commit after the last bot has."""

    seat: int
    sentence = "The step of seat {seat} is not open yet."


class NotOverYet(Rule):
    """What is to be proved ends with its last entry, and that is not there. Round 0 means the game."""

    table: str
    round: int
    sentence = "Round {round} (0 means the game) of table {table} is not over yet: it can be proved when it is."


class NotYourTurn(Rule):
    """Seats decide in turn."""

    seat: int
    sentence = "It is not the turn of seat {seat}."


class NoTeaAsked(Rule):
    """An answer is to another player's ask for tea that is still open (H4)."""

    seat: int
    sentence = "There is no ask for tea that seat {seat} could answer."


class NothingLaid(Rule):
    """What is taken back lies face down (H2)."""

    seat: int
    sentence = "No card of seat {seat} lies face down."


class NothingProtested(Rule):
    """The act carries nothing but its protest."""

    sentence = "A move that only protests must carry a protest."


class NothingToPickUp(Rule):
    """The partner's middle is picked up by the hakem's partner while it lies open (H1)."""

    seat: int
    sentence = "There is no open card that seat {seat} could pick up."


class NumberNotOpened(Rule):
    """The number beside a Reveal opens the seat's commitment."""

    seat: int
    sentence = "The number of seat {seat} does not open its commitment."


class OnlyPersonsResign(Rule):
    """Bots do not resign."""

    seat: int
    sentence = "Seat {seat} is no person's."


class RuleNotBuilt(Rule):
    """A switch that this version cannot play by yet."""

    rule: str
    sentence = "The table rule {rule} is not known in this version yet."


class RuleOff(Rule):
    """The act belongs to a house rule that this table does not play by."""

    rule: str
    sentence = "This table does not play by {rule}."


class SeatIsFree(Rule):
    """Nobody sits there."""

    seat: int
    sentence = "Seat {seat} is free."


class SeatNotFree(Rule):
    """Somebody sits there."""

    seat: int
    sentence = "Seat {seat} is taken."


class SeatStoodIn(Rule):
    """A stand-in decides until its player has returned."""

    seat: int
    sentence = "A stand-in plays seat {seat}: return first."


class StandInNotDue(Rule):
    """A stand-in takes a seat only when it is wanted there."""

    seat: int
    sentence = "No stand-in is wanted in seat {seat}."


class StandInsTakeNoTea(Rule):
    """Tea is for players: a stand-in neither asks for it nor answers (H4)."""

    seat: int
    sentence = "A stand-in holds seat {seat}, and tea is for players."


class TeaIsServed(Rule):
    """While tea is drunk nobody plays (H4)."""

    sentence = "The game pauses for tea."


class TeaNotServed(Rule):
    """Ready is said at tea (H4)."""

    sentence = "Nobody is at tea."


class TeaSpent(Rule):
    """Each player may ask for tea once in a game (H4)."""

    seat: int
    sentence = "Seat {seat} has asked for tea in this game."


class TeaWaiting(Rule):
    """One tea at a time (H4)."""

    sentence = "A tea is asked for, granted or drunk already."


class TooManyLays(Rule):
    """Three lays of a seat in one trick (H2)."""

    seat: int
    most: int
    sentence = "Seat {seat} has laid {most} times in this trick."


class TooManyProtests(Rule):
    """A seat protests a few times in a round."""

    seat: int
    most: int
    sentence = "Seat {seat} has protested {most} times in this round."


class TooManyThrows(Rule):
    """Three throws of a seat in one trick (H5)."""

    seat: int
    most: int
    sentence = "Seat {seat} has thrown {most} times in this trick."


class TooManyReturns(Rule):
    """A seat returns a few times in a round."""

    seat: int
    most: int
    sentence = "Seat {seat} has returned {most} times in this round."


class TurnHasCome(Rule):
    """A card is laid face down before the seat's turn (H2)."""

    seat: int
    sentence = "The turn of seat {seat} has come."


class WrongCommitSet(Rule):
    """A Reveal is over the set that is closed."""

    given: str
    closed: str
    sentence = "The Reveal is over the set {given}, and the closed one is {closed}."


class WrongPhase(Rule):
    """The act belongs to another phase of the game."""

    phase: str
    sentence = "This cannot be done in the phase {phase}."


class Conflict(HokmError):
    """Something else came first: look again and decide anew."""


class NumberNotNext(Conflict):
    """A key's moves are numbered without a gap, and a number is used once."""

    number: int
    expected: int
    sentence = "The move has number {number}, and the next of this key is {expected}."


class SeenFell(Conflict):
    """What a key has seen never falls."""

    seen_version: int
    before: int
    sentence = "The move has seen version {seen_version}, an earlier move of its key version {before}."


class SeenNotYet(Conflict):
    """A move has seen an entry that is there."""

    seen_version: int
    version: int
    sentence = "The move has seen version {seen_version}, and the last is {version}."


class SeenOther(Conflict):
    """A move names the leaf of the entry that it has seen."""

    seen_version: int
    seen_hash: str
    sentence = "{seen_hash} is not the leaf of version {seen_version}."


class StaleMove(Conflict):
    """A move has seen the entry that opened the decision which it answers."""

    seen_version: int
    opened: int
    sentence = "The move has seen version {seen_version}, and what it answers was opened by version {opened}."


class VersionTaken(Conflict):
    """An entry is appended behind the last of its stream, and another one came first."""

    version: int
    last: int
    sentence = "Version {version} cannot be appended: the last of the stream is {last}."


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


class WrongGame(Conflict):
    """A move names its game."""

    given: str
    expected: str
    sentence = "The move is of game {given}, and this is {expected}."


class Unknown(HokmError):
    """It names something that does not exist."""


class OutOfTree(Unknown):
    """A leaf or an older tree that a tree of this size does not contain."""

    asked: int
    size: int
    sentence = "A tree of {size} leaves does not contain {asked}."


class UnknownCheckpoint(Unknown):
    """A size at which no checkpoint was published."""

    size: int
    sentence = "No checkpoint of size {size} was published."


class UnknownEntry(Unknown):
    """A table or a version that the log does not hold."""

    table: str
    version: int
    sentence = "The log holds no version {version} of table {table}."


class UnknownLog(Unknown):
    """A log that the reader's policy does not name."""

    origin: str
    sentence = "The policy names no log {origin!r}."


class UnknownRound(Unknown):
    """A round that was not played."""

    round: int
    rounds: int
    sentence = "Round {round} was not played: the game has {rounds}."


class UnknownTable(Unknown):
    """No such table."""

    table: str
    sentence = "There is no table {table}."


class UnknownVersion(Unknown):
    """An entry that is not there yet."""

    version: int
    last: int
    sentence = "Version {version} is not there: the last is {last}."


class NotSignedIn(HokmError):
    """The caller has not shown who it is."""


class ChallengeExpired(NotSignedIn):
    """A challenge is signed within its minutes."""

    expires_ms: int
    time_ms: int
    sentence = "The challenge was good until {expires_ms}, and it is {time_ms}: ask for another."


class ChallengeInvalid(NotSignedIn):
    """Not a challenge that this server made for this key."""

    sentence = "This is no challenge of this server for this key."


class ChallengeNotSigned(NotSignedIn):
    """A challenge is signed together with the origin, by the key that it was made for."""

    public_key: str
    sentence = "The key {public_key} has not signed this origin and challenge."


class ChallengeUsed(NotSignedIn):
    """A challenge is answered once, and before very many younger ones are."""

    sentence = "This challenge was answered before, or too many younger ones were: ask for another."


class NoToken(NotSignedIn):
    """The call brings no token."""

    sentence = "This call needs a token: sign in, and send the metadata `authorization: Bearer TOKEN`."


class TokenExpired(NotSignedIn):
    """A token is good for some minutes."""

    expires_ms: int
    time_ms: int
    sentence = "The token was good until {expires_ms}, and it is {time_ms}: sign in again."


class TokenInvalid(NotSignedIn):
    """Not a token that this server made."""

    sentence = "This is no token of this server."


class NotYourSeat(HokmError):
    """The caller is known, and may not do this."""


class NotAnOperator(NotYourSeat):
    """Bots, stand-ins and what is wanted are the operator's."""

    sentence = "This is for the operator's programs only."


class NotAtTable(NotYourSeat):
    """Bots are called by who opened the table or sits there."""

    sentence = "You have no seat at this table and have not opened it: its players call the bots."


class SatDownTooOften(NotYourSeat):
    """Before the start one caller, or all of one address together, make so many moves at a table besides leaving it."""

    most: int
    sentence = "You, or your address, have made {most} moves at this table and it has not started: leave it to others."


class SeatNotYours(NotYourSeat):
    """Acts and cards of a seat are its player's."""

    seat: int
    sentence = "Seat {seat} is not yours."


class Busy(HokmError):
    """It cannot be done now: the same request may succeed later."""


class LogNotWritable(Busy):
    """The entry could not be made durable, so it was not made."""

    why: str
    sentence = "The server cannot write its log now ({why}): nothing was changed."


class NotPublished(Busy):
    """The entry is in the log, and no published checkpoint covers it yet."""

    position: int
    size: int
    sentence = "The entry at {position} is not in the published log of size {size} yet: ask again in a second."


class TableBusy(Busy):
    """More moves wait for one table than it takes."""

    most: int
    sentence = "{most} moves are waiting for this table already."


class TooManyCalls(Busy):
    """One caller, or all of one address together, have at most so many calls at a time."""

    most: int
    sentence = "You, or your address, have {most} calls open already: end some."


class TooManyOpened(Busy):
    """One caller, or all of one address together, have opened at most so many tables that are not over."""

    most: int
    sentence = "You, or your address, have opened {most} tables that are not over yet."


class TooManyProofs(Busy):
    """One caller, or all of one address together, wait for at most so many proof files at a time."""

    most: int
    sentence = "You, or your address, wait for {most} proof files already: ask again when they have come."


class TooManyTables(Busy):
    """More tables than the server holds."""

    most: int
    sentence = "This server holds {most} tables already."


class TooManyWaiting(Busy):
    """More is waiting to be written than the server takes."""

    most: int
    sentence = "{most} entries are waiting to be written already."
