# SPDX-License-Identifier: Apache-2.0
"""The steps of a verification, and every code by which one of them refuses or warns.

A code belongs to one step. Where what is wrong is an error of the project's one tree (`errors`), its reason is the
code, and `step_of` says of which step: a card that does not follow suit is `MUST_FOLLOW_SUIT`, step 10, here as at
the table.
"""

from __future__ import annotations

from enum import IntEnum, StrEnum
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


class Code(StrEnum):
    """What a step finds that is no error of the tree. The value is the code in the report."""

    # 1
    RULE_NOT_BUILT = "RULE_NOT_BUILT"
    # 2
    OTHER_ORIGIN = "OTHER_ORIGIN"
    QUORUM_NOT_MET = "QUORUM_NOT_MET"
    # 3
    NOT_INCLUDED = "NOT_INCLUDED"
    MANIFEST_NOT_INCLUDED = "MANIFEST_NOT_INCLUDED"
    INCLUSION_MISSING = "INCLUSION_MISSING"
    INCLUSION_OF_NOTHING = "INCLUSION_OF_NOTHING"
    PLACES_OUT_OF_ORDER = "PLACES_OUT_OF_ORDER"
    ANCHOR_MISSING = "ANCHOR_MISSING"
    ANCHOR_OF_NOTHING = "ANCHOR_OF_NOTHING"
    ANCHOR_DIFFERS = "ANCHOR_DIFFERS"
    NOT_CONSISTENT = "NOT_CONSISTENT"
    # 4
    EVENT_KEY_UNKNOWN = "EVENT_KEY_UNKNOWN"
    EVENT_KEY_REVOKED = "EVENT_KEY_REVOKED"
    OTHER_KEY_ID = "OTHER_KEY_ID"
    HOUSE_SIGNATURE = "HOUSE_SIGNATURE"
    # 5
    OTHER_TABLE = "OTHER_TABLE"
    VERSION_GAP = "VERSION_GAP"
    BROKEN_LINK = "BROKEN_LINK"
    NOT_THE_BEGINNING = "NOT_THE_BEGINNING"
    NOT_THE_ROUND_BEFORE = "NOT_THE_ROUND_BEFORE"
    ENTRY_AFTER_END = "ENTRY_AFTER_END"
    NO_SUCH_ROUND = "NO_SUCH_ROUND"
    NO_CLOSING_ENTRY = "NO_CLOSING_ENTRY"
    OTHER_HEAD = "OTHER_HEAD"
    HEAD_NOT_REACHED = "HEAD_NOT_REACHED"
    # 6
    PLAYER_SIGNATURE = "PLAYER_SIGNATURE"
    SEEN_OTHER = "SEEN_OTHER"
    OTHER_GAME_ID = "OTHER_GAME_ID"
    OTHER_SEATS = "OTHER_SEATS"
    OTHER_SEAT_JOINED = "OTHER_SEAT_JOINED"
    # 7
    CEREMONY_OUT_OF_ORDER = "CEREMONY_OUT_OF_ORDER"
    CEREMONY_DIFFERS = "CEREMONY_DIFFERS"
    COMMIT_SET_DIFFERS = "COMMIT_SET_DIFFERS"
    NUMBER_DOES_NOT_OPEN = "NUMBER_DOES_NOT_OPEN"
    # 8
    VOID_DIFFERS = "VOID_DIFFERS"
    FAULT_DIFFERS = "FAULT_DIFFERS"
    # 9
    OTHER_HAKEM_DRAWN = "OTHER_HAKEM_DRAWN"
    # 10
    OUT_OF_ORDER = "OUT_OF_ORDER"
    POLICY_DIFFERS = "POLICY_DIFFERS"
    STAND_IN_DIFFERS = "STAND_IN_DIFFERS"
    NOT_AWAY = "NOT_AWAY"
    NOT_REOPENED = "NOT_REOPENED"
    MIDDLE_DIFFERS = "MIDDLE_DIFFERS"
    EARLY_DIFFERS = "EARLY_DIFFERS"
    EARLY_DOES_NOT_OPEN = "EARLY_DOES_NOT_OPEN"
    # 11
    RESULT_IMPOSSIBLE = "RESULT_IMPOSSIBLE"
    RESULT_DIFFERS = "RESULT_DIFFERS"
    ENDING_DIFFERS = "ENDING_DIFFERS"
    # 12
    TIME_FELL = "TIME_FELL"
    BEFORE_DEADLINE = "BEFORE_DEADLINE"
    DEADLINE_IGNORED = "DEADLINE_IGNORED"
    BEFORE_ANCHOR = "BEFORE_ANCHOR"
    AFTER_CHECKPOINT = "AFTER_CHECKPOINT"

    # Warnings.
    NO_QUORUM = "NO_QUORUM"
    NOT_WITNESSED = "NOT_WITNESSED"
    ANCHOR_WITHOUT_QUORUM = "ANCHOR_WITHOUT_QUORUM"
    HEAD_NOT_SHOWN = "HEAD_NOT_SHOWN"
    SIGNATURES_NOT_CHECKED = "SIGNATURES_NOT_CHECKED"
    DEAL_NOT_PROVEN = "DEAL_NOT_PROVEN"
    SERVER_FAULT = "SERVER_FAULT"
    STAND_IN_NUMBER = "STAND_IN_NUMBER"
    NO_INDEPENDENT_CONTRIBUTION = "NO_INDEPENDENT_CONTRIBUTION"
    TIMES_NOT_WITNESSED = "TIMES_NOT_WITNESSED"
    MINE_NOT_IN = "MINE_NOT_IN"


SAID: Final[dict[Code, tuple[Step, str]]] = {
    Code.RULE_NOT_BUILT: (Step.FORMAT, "The table plays by {rule}, which this verifier does not know yet."),
    Code.OTHER_ORIGIN: (Step.CHECKPOINT, "The proof is of the log {proof}, its checkpoint of {checkpoint}."),
    Code.QUORUM_NOT_MET: (
        Step.CHECKPOINT,
        "The cosignatures on the checkpoint, {cosignatures} of known witnesses, are not the quorum of the policy.",
    ),
    Code.NOT_INCLUDED: (Step.INCLUSION, "The entry is not at place {index} of the tree."),
    Code.MANIFEST_NOT_INCLUDED: (Step.INCLUSION, "Key manifest {manifest} is not at place {index} of the tree."),
    Code.INCLUSION_MISSING: (Step.INCLUSION, "There is no inclusion proof of this entry, {entry}."),
    Code.INCLUSION_OF_NOTHING: (Step.INCLUSION, "An inclusion proof is of an entry that is not there, or is double."),
    Code.PLACES_OUT_OF_ORDER: (
        Step.INCLUSION,
        "The places {earlier} and {later} in the tree are not in the order, or too near, for the entries there.",
    ),
    Code.ANCHOR_MISSING: (Step.INCLUSION, "The checkpoint that this ceremony comes after is not in the proof."),
    Code.ANCHOR_OF_NOTHING: (Step.INCLUSION, "An anchor is of an entry that opens no ceremony, or is double."),
    Code.ANCHOR_DIFFERS: (
        Step.INCLUSION,
        "The ceremony comes after the tree of size {named}, the checkpoint in the proof is another, of size {shown}.",
    ),
    Code.NOT_CONSISTENT: (
        Step.INCLUSION,
        "The tree of size {size} did not grow out of that of size {old} which the ceremony comes after.",
    ),
    Code.EVENT_KEY_UNKNOWN: (Step.HOUSE, "The table was opened under a key manifest that is not in the proof."),
    Code.EVENT_KEY_REVOKED: (
        Step.HOUSE,
        "Manifest {manifest}, earlier in the log than this entry, has revoked the key that signed it.",
    ),
    Code.OTHER_KEY_ID: (Step.HOUSE, "The entry names another key than the house's event key."),
    Code.HOUSE_SIGNATURE: (Step.HOUSE, "The house's signature under this entry does not verify."),
    Code.OTHER_TABLE: (Step.CHAIN, "The entry is of the table {table}."),
    Code.VERSION_GAP: (Step.CHAIN, "Version {expected} should stand here, and {found} does."),
    Code.BROKEN_LINK: (Step.CHAIN, "The entry does not follow from the one before it: it names another leaf."),
    Code.NOT_THE_BEGINNING: (Step.CHAIN, "The stream does not begin as one does: {found} instead of {expected}."),
    Code.NOT_THE_ROUND_BEFORE: (
        Step.CHAIN,
        "The proof of a later round begins with the RoundRevealed before it, this one with {found}.",
    ),
    Code.ENTRY_AFTER_END: (Step.CHAIN, "An entry stands after {end}, which is the last of what is to be proved."),
    Code.NO_SUCH_ROUND: (Step.CHAIN, "The stream is over, and round {round} has not been revealed."),
    Code.NO_CLOSING_ENTRY: (Step.CHAIN, "The end is missing: the last entry here is {found}, not {expected}."),
    Code.OTHER_HEAD: (Step.CHAIN, "The entry is not the one that was expected at this version."),
    Code.HEAD_NOT_REACHED: (Step.CHAIN, "The proof ends before version {expected}, which was expected."),
    Code.PLAYER_SIGNATURE: (Step.PLAYERS, "The move is not signed by the key {key}, which holds seat {seat}."),
    Code.SEEN_OTHER: (
        Step.PLAYERS,
        "The player signed having seen another entry of version {seen_version} than the one in the proof.",
    ),
    Code.OTHER_GAME_ID: (Step.PLAYERS, "The game id is not that of this log, this opening and these seats."),
    Code.OTHER_SEATS: (Step.PLAYERS, "The seats of the game are not those that were joined."),
    Code.OTHER_SEAT_JOINED: (Step.PLAYERS, "The stand-in joined seat {joined}, and is put into seat {seat}."),
    Code.CEREMONY_OUT_OF_ORDER: (Step.CEREMONY, "{found} stands where {expected} must."),
    Code.CEREMONY_DIFFERS: (Step.CEREMONY, "The ceremony is opened with another {field} than the entries before give."),
    Code.COMMIT_SET_DIFFERS: (Step.CEREMONY, "The set that is closed is not that of the five commitments."),
    Code.NUMBER_DOES_NOT_OPEN: (Step.CEREMONY, "The number of {whose} is not the one that was committed to."),
    Code.VOID_DIFFERS: (Step.VOIDS, "The ceremony is voided with other {field} than the entries before give."),
    Code.FAULT_DIFFERS: (Step.VOIDS, "The house's fault is not {cause}: the entries before do not bear it out."),
    Code.OTHER_HAKEM_DRAWN: (Step.DECK, "The numbers make seat {expected} hakem, not seat {found}."),
    Code.OUT_OF_ORDER: (Step.MOVES, "{found} stands where {expected} must."),
    Code.POLICY_DIFFERS: (Step.MOVES, "At the deadline the rule gives {expected}, and the house chose {found}."),
    Code.STAND_IN_DIFFERS: (
        Step.MOVES,
        "A stand-in is due for seat {expected_seat} ({expected_cause}), and comes for seat {seat} ({cause}).",
    ),
    Code.NOT_AWAY: (Step.MOVES, "The house may not call seat {seat} away here, or not yet."),
    Code.NOT_REOPENED: (Step.MOVES, "The decisions that begin anew have not all run out, or did begin anew before."),
    Code.MIDDLE_DIFFERS: (Step.MOVES, "The partner's middle is {expected}, and {found} is turned up."),
    Code.EARLY_DIFFERS: (Step.MOVES, "A card of seat {expected} turns over here, not of seat {found}."),
    Code.EARLY_DOES_NOT_OPEN: (
        Step.MOVES,
        "The card that seat {seat} laid in trick {trick} is not {card} with this salt.",
    ),
    Code.RESULT_IMPOSSIBLE: (
        Step.RESULT,
        "No round after which the game goes on ends with this {field}: {found}.",
    ),
    Code.RESULT_DIFFERS: (Step.RESULT, "The round has another {field}: {expected}, not {found}."),
    Code.ENDING_DIFFERS: (Step.RESULT, "The game ends otherwise: {expected}, not {found}."),
    Code.TIME_FELL: (Step.TIMES, "The time of the entry is before that of the entry before it."),
    Code.BEFORE_DEADLINE: (Step.TIMES, "{found} stands {early_ms} ms before the deadline that brings it."),
    Code.DEADLINE_IGNORED: (Step.TIMES, "A deadline has passed, and {found} stands where {expected} must."),
    Code.BEFORE_ANCHOR: (
        Step.TIMES,
        "The entry says it is {early_ms} ms older than the log that it comes after.",
    ),
    Code.AFTER_CHECKPOINT: (Step.TIMES, "The entry says it is {late_ms} ms younger than a log that it is in."),
    Code.NO_QUORUM: (Step.CHECKPOINT, "Your policy wants no witness: a second history cannot be excluded."),
    Code.NOT_WITNESSED: (Step.CHECKPOINT, "No witness of your policy has cosigned the checkpoint."),
    Code.ANCHOR_WITHOUT_QUORUM: (
        Step.CHECKPOINT,
        "The checkpoint that this ceremony comes after lacks your policy's quorum.",
    ),
    Code.HEAD_NOT_SHOWN: (Step.CHAIN, "The expected version {expected} is not among the entries of this proof."),
    Code.SIGNATURES_NOT_CHECKED: (Step.PLAYERS, "Signatures on entries and moves were not checked, as was asked."),
    Code.DEAL_NOT_PROVEN: (
        Step.DECK,
        "Deal not proven: round {round} was dealt and its numbers were never revealed. It counts against the server.",
    ),
    Code.SERVER_FAULT: (
        Step.VOIDS,
        "The house ended the game by its own fault ({cause}), which counts against it.",
    ),
    Code.STAND_IN_NUMBER: (
        Step.INDEPENDENCE,
        "In {deal}, attempt {attempt}, the number of seat {seat}, a person's, came from a stand-in of the operator.",
    ),
    Code.NO_INDEPENDENT_CONTRIBUTION: (
        Step.INDEPENDENCE,
        "No independent contribution: in {deal} no person's own number took part.",
    ),
    Code.TIMES_NOT_WITNESSED: (Step.TIMES, "No cosignature bounds the times: {which}."),
    Code.MINE_NOT_IN: (Step.INDEPENDENCE, "Your own number is not in {deal}."),
}

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
