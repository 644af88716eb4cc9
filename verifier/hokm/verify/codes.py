# SPDX-License-Identifier: Apache-2.0
"""The steps of a verification, and every code by which one of them refuses or warns.

A code belongs to one step. Where what is wrong is an error of the project's one tree (`errors`), its reason is the
code, and `step_of` says of which step: a card that does not follow suit is `MUST_FOLLOW_SUIT`, step 10, here as at
the table.
"""

from __future__ import annotations

from enum import Enum, IntEnum, unique
from typing import Final

from hokm.errors import (
    AlreadyCommitted,
    AlreadyRevealed,
    AlreadySeated,
    BadManifest,
    BadSignature,
    CommitmentCopied,
    DeadlinePassed,
    HokmError,
    KeyNotNew,
    NotABot,
    NotOpenYet,
    NotSigned,
    NumberNotNext,
    SeatIsFree,
    SeatNotFree,
    SeenFell,
    SeenNotYet,
    SeenOther,
    SharedKey,
    StaleMove,
    StandInNotDue,
    StreamUsedUp,
    UnknownLog,
    WrongCommitSet,
    WrongContext,
    WrongGame,
)


class Step(IntEnum):
    """What is looked at, in this order."""

    FORMAT = 1
    CHECKPOINT = 2
    INCLUSION = 3
    HOUSE = 4
    CHAIN = 5
    PLAYERS = 6
    CEREMONY = 7
    VOIDS = 8
    DECK = 9
    MOVES = 10
    RESULT = 11
    TIMES = 12
    INDEPENDENCE = 13

    @property
    def title(self) -> str:
        return _TITLES[self]


_TITLES: Final = {
    Step.FORMAT: "format and limits",
    Step.CHECKPOINT: "checkpoint and witnesses",
    Step.INCLUSION: "inclusion and consistency",
    Step.HOUSE: "manifest and house signatures",
    Step.CHAIN: "chain",
    Step.PLAYERS: "players' signatures",
    Step.CEREMONY: "ceremonies",
    Step.VOIDS: "voids, protests, missed deadlines",
    Step.DECK: "deck and hands",
    Step.MOVES: "every move decided again",
    Step.RESULT: "result",
    Step.TIMES: "times",
    Step.INDEPENDENCE: "independence",
}


@unique
class Code(Enum):
    """What a step finds that is no error of the tree: the step, and a sentence over the facts. The name is the code."""

    # 2
    OTHER_ORIGIN = Step.CHECKPOINT, "The proof is of the log {proof}, its checkpoint of {checkpoint}."
    QUORUM_NOT_MET = (
        Step.CHECKPOINT,
        "The cosignatures on the checkpoint, {cosignatures} of known witnesses, are not the quorum of the policy.",
    )
    # 3
    NOT_INCLUDED = Step.INCLUSION, "The entry is not at place {index} of the tree."
    MANIFEST_NOT_INCLUDED = Step.INCLUSION, "Key manifest {manifest} is not at place {index} of the tree."
    INCLUSION_MISSING = Step.INCLUSION, "There is no inclusion proof of this entry, {entry}."
    INCLUSION_OF_NOTHING = Step.INCLUSION, "An inclusion proof is of an entry that is not there, or is double."
    PLACES_OUT_OF_ORDER = (
        Step.INCLUSION,
        "The places {earlier} and {later} in the tree are not in the order, or too near, for the entries there.",
    )
    ANCHOR_MISSING = Step.INCLUSION, "The checkpoint that this ceremony comes after is not in the proof."
    ANCHOR_OF_NOTHING = Step.INCLUSION, "An anchor is of an entry that opens no ceremony, or is double."
    ANCHOR_DIFFERS = (
        Step.INCLUSION,
        "The ceremony comes after the tree of size {named}, the checkpoint in the proof is another, of size {shown}.",
    )
    NOT_CONSISTENT = (
        Step.INCLUSION,
        "The tree of size {size} did not grow out of that of size {old} which the ceremony comes after.",
    )
    # 4
    EVENT_KEY_UNKNOWN = Step.HOUSE, "The table was opened under a key manifest that is not in the proof."
    EVENT_KEY_REVOKED = (
        Step.HOUSE,
        "Manifest {manifest}, earlier in the log than this entry, has revoked the key that signed it.",
    )
    OTHER_KEY_ID = Step.HOUSE, "The entry names another key than the house's event key."
    HOUSE_SIGNATURE = Step.HOUSE, "The house's signature under this entry does not verify."
    # 5
    OTHER_TABLE = Step.CHAIN, "The entry is of the table {table}."
    VERSION_GAP = Step.CHAIN, "Version {expected} should stand here, and {found} does."
    BROKEN_LINK = Step.CHAIN, "The entry does not follow from the one before it: it names another leaf."
    NOT_THE_BEGINNING = Step.CHAIN, "The stream does not begin as one does: {found} instead of {expected}."
    NOT_THE_ROUND_BEFORE = (
        Step.CHAIN,
        "The proof of a later round begins with the RoundRevealed before it, this one with {found}.",
    )
    ENTRY_AFTER_END = Step.CHAIN, "An entry stands after {end}, which is the last of what is to be proved."
    NO_SUCH_ROUND = Step.CHAIN, "The stream is over, and round {round} has not been revealed."
    NO_CLOSING_ENTRY = Step.CHAIN, "The end is missing: the last entry here is {found}, not {expected}."
    OTHER_HEAD = Step.CHAIN, "The entry is not the one that was expected at this version."
    HEAD_NOT_REACHED = Step.CHAIN, "The proof ends before version {expected}, which was expected."
    # 6
    PLAYER_SIGNATURE = Step.PLAYERS, "The move is not signed by the key {key}, which holds seat {seat}."
    OTHER_GAME_ID = Step.PLAYERS, "The game id is not that of this log, this opening and these seats."
    OTHER_SEATS = Step.PLAYERS, "The seats of the game are not those that were joined."
    OTHER_SEAT_JOINED = Step.PLAYERS, "The stand-in joined seat {joined}, and is put into seat {seat}."
    # 7
    CEREMONY_OUT_OF_ORDER = Step.CEREMONY, "{found} stands where {expected} must."
    CEREMONY_DIFFERS = Step.CEREMONY, "The ceremony is opened with another {field} than the entries before give."
    COMMIT_SET_DIFFERS = Step.CEREMONY, "The set that is closed is not that of the five commitments."
    SET_NOT_PUBLISHED = (
        Step.CEREMONY,
        "The checkpoint that is to cover the commit set is not one that this log has signed: {why}",
    )
    SET_NOT_COVERED = (
        Step.CEREMONY,
        "The commit set is not at place {index} of the tree of size {size} that witnesses are said to have seen.",
    )
    SET_QUORUM_NOT_MET = (
        Step.CEREMONY,
        "The cosignatures on the checkpoint that covers the commit set, {cosignatures} of known witnesses, "
        "are not the quorum of the policy.",
    )
    NUMBER_DOES_NOT_OPEN = Step.CEREMONY, "The number of {whose} is not the one that was committed to."
    # 8
    VOID_DIFFERS = Step.VOIDS, "The ceremony is voided with other {field} than the entries before give."
    FAULT_DIFFERS = Step.VOIDS, "The house's fault is not {cause}: the entries before do not bear it out."
    # 9
    OTHER_HAKEM_DRAWN = Step.DECK, "The numbers make seat {expected} hakem, not seat {found}."
    # 10
    OUT_OF_ORDER = Step.MOVES, "{found} stands where {expected} must."
    POLICY_DIFFERS = Step.MOVES, "At the deadline the rule gives {expected}, and the house chose {found}."
    STAND_IN_DIFFERS = (
        Step.MOVES,
        "A stand-in is due for seat {expected_seat} ({expected_cause}), and comes for seat {seat} ({cause}).",
    )
    NOT_AWAY = Step.MOVES, "The house may not call seat {seat} away here, or not yet."
    NOT_REOPENED = Step.MOVES, "The decisions that begin anew have not all run out, or did begin anew before."
    MIDDLE_DIFFERS = Step.MOVES, "The partner's middle is {expected}, and {found} is turned up."
    EARLY_DIFFERS = Step.MOVES, "A card of seat {expected} turns over here, not of seat {found}."
    EARLY_DOES_NOT_OPEN = Step.MOVES, "The card that seat {seat} laid in trick {trick} is not {card} with this salt."
    # 11
    RESULT_IMPOSSIBLE = Step.RESULT, "No round after which the game goes on ends with this {field}: {found}."
    RESULT_DIFFERS = Step.RESULT, "The round has another {field}: {expected}, not {found}."
    ENDING_DIFFERS = Step.RESULT, "The game ends otherwise: {expected}, not {found}."
    # 12
    TIME_FELL = Step.TIMES, "The time of the entry is before that of the entry before it."
    BEFORE_DEADLINE = Step.TIMES, "{found} stands {early_ms} ms before the deadline that brings it."
    DEADLINE_IGNORED = Step.TIMES, "A deadline has passed, and {found} stands where {expected} must."
    BEFORE_ANCHOR = Step.TIMES, "The entry says it is {early_ms} ms older than the log that it comes after."
    AFTER_CHECKPOINT = Step.TIMES, "The entry says it is {late_ms} ms younger than a log that it is in."

    # Warnings.
    NO_QUORUM = Step.CHECKPOINT, "Your policy wants no witness: a second history cannot be excluded."
    NOT_WITNESSED = Step.CHECKPOINT, "No witness of your policy has cosigned the checkpoint."
    ANCHOR_WITHOUT_QUORUM = Step.CHECKPOINT, "The checkpoint that this ceremony comes after lacks your policy's quorum."
    SET_NOT_WITNESSED = (
        Step.CEREMONY,
        "No witness of your policy has cosigned the checkpoint that covers the commit set.",
    )
    HEAD_NOT_SHOWN = Step.CHAIN, "The expected version {expected} is not among the entries of this proof."
    SIGNATURES_NOT_CHECKED = Step.PLAYERS, "Signatures on entries and moves were not checked, as was asked."
    DEAL_NOT_PROVEN = (
        Step.DECK,
        "Deal not proven: round {round} was dealt and its numbers were never revealed. It counts against the server.",
    )
    SERVER_FAULT = Step.VOIDS, "The house ended the game by its own fault ({cause}), which counts against it."
    STAND_IN_NUMBER = (
        Step.INDEPENDENCE,
        "In {deal}, attempt {attempt}, the number of seat {seat}, a person's, came from a stand-in of the operator.",
    )
    NO_INDEPENDENT_CONTRIBUTION = (
        Step.INDEPENDENCE,
        "No independent contribution: in {deal} no person's own number took part.",
    )
    TIMES_NOT_WITNESSED = Step.TIMES, "No cosignature bounds the times: {which}."
    MINE_NOT_IN = Step.INDEPENDENCE, "Your own number is not in {deal}."

    @property
    def step(self) -> Step:
        """That refuses or warns by it."""
        return self.value[0]

    @property
    def sentence(self) -> str:
        """A format string over the facts."""
        return self.value[1]


_STEPS: Final[dict[type[HokmError], Step]] = {
    UnknownLog: Step.CHECKPOINT,
    NotSigned: Step.CHECKPOINT,
    BadSignature: Step.CHECKPOINT,
    BadManifest: Step.HOUSE,
    SharedKey: Step.HOUSE,
    WrongGame: Step.PLAYERS,
    WrongContext: Step.PLAYERS,
    NumberNotNext: Step.PLAYERS,
    SeenNotYet: Step.PLAYERS,
    SeenOther: Step.PLAYERS,
    SeenFell: Step.PLAYERS,
    StaleMove: Step.PLAYERS,
    SeatIsFree: Step.PLAYERS,
    SeatNotFree: Step.PLAYERS,
    AlreadySeated: Step.PLAYERS,
    KeyNotNew: Step.PLAYERS,
    NotABot: Step.PLAYERS,
    StandInNotDue: Step.PLAYERS,
    AlreadyCommitted: Step.CEREMONY,
    NotOpenYet: Step.CEREMONY,
    AlreadyRevealed: Step.CEREMONY,
    CommitmentCopied: Step.CEREMONY,
    WrongCommitSet: Step.CEREMONY,
    StreamUsedUp: Step.DECK,
    DeadlinePassed: Step.TIMES,
}


def step_of(kind: type[HokmError]) -> Step:
    """The step that an error refuses in: the tenth, where every move is decided again, unless said otherwise."""
    return _STEPS.get(kind, Step.MOVES)
