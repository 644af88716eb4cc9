# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a call, and not with a move: the four other kinds."""

from __future__ import annotations

from hokm.errors.tree import HokmError


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


class NotOfThatGame(NotYourSeat):
    """A rematch is asked for by who has played the game before."""

    sentence = "You have not played that game: a rematch is for its players."


class SatDownTooOften(NotYourSeat):
    """Before the start one caller, or all of one address together, make so many moves at a table besides leaving it."""

    most: int
    sentence = "You, or your address, have made {most} moves at this table and it has not started: leave it to others."


class SeatKept(NotYourSeat):
    """Each seat of a rematch is kept for a while for who had it in the game before."""

    seat: int
    until_ms: int
    sentence = "Seat {seat} is kept for its player of the game before, until {until_ms} ms."


class SeatNotYours(NotYourSeat):
    """Acts and cards of a seat are its player's."""

    seat: int
    sentence = "Seat {seat} is not yours."


class SeatedElsewhere(NotYourSeat):
    """A person has at most one seat on this server."""

    table: str
    sentence = "You have a seat at the table {table}: leave it before you take another."


class WrongJoinCode(NotYourSeat):
    """A person sits down at a private table with its join code."""

    sentence = "This table is private: a seat is had with the join code that its players know."


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


class NotWitnessed(Busy):
    """The entry is published, and no checkpoint that covers it has the quorum of witnesses yet."""

    position: int
    size: int
    sentence = (
        "The entry at {position} is in the published log of size {size}, and too few witnesses have cosigned it yet: "
        "ask again in a second."
    )


class TableBusy(Busy):
    """More moves wait for one table than it takes."""

    most: int
    sentence = "{most} moves are waiting for this table already."


class TooManyAttached(Busy):
    """One caller, or all of one address together, have at most so many tables attached, or one table so often."""

    most: int
    sentence = "You, or your address, have {most} tables attached already, or this table so often: detach some."


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
