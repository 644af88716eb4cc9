# SPDX-License-Identifier: Apache-2.0
"""What the rules refuse as things stand."""

from __future__ import annotations

from hokm.errors.tree import HokmError


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
    """Persons commit after the last bot has; numbers are revealed when witnesses have seen the set, where they must."""

    seat: int
    sentence = "The step of seat {seat} is not open yet."


class NotOverYet(Rule):
    """What is to be proved ends with its last entry, and that is not there. Round 0 means the game."""

    table: str
    round: int
    sentence = "Round {round} (0 means the game) of table {table} is not over yet."


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


class NoWitnessesHere(Rule):
    """A witnessed table is opened where the house can ask a quorum of witnesses."""

    sentence = "This house has no quorum of witnesses whom it can ask, and no table can wait for them here."


class NumberNotOpened(Rule):
    """The number beside a Reveal opens the seat's commitment."""

    seat: int
    sentence = "The number of seat {seat} does not open its commitment."


class OnlyPersonsResign(Rule):
    """Bots do not resign."""

    seat: int
    sentence = "Seat {seat} is no person's."


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
