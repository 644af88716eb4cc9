# SPDX-License-Identifier: Apache-2.0
"""One game or round given to the verifier, in whatever process: its verdict, what it uses up, and its record."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, NamedTuple

from hokm.events import (
    CeremonyOpened,
    CeremonyVoided,
    Commit,
    Dealt,
    Event,
    GameStarted,
    HakemDrawn,
    Join,
    LayEarly,
    Reopened,
    RoundRevealed,
    ServerFault,
    SignedMove,
    StoodIn,
    TableOpened,
    TimedOut,
)
from hokm.policy import Policy
from hokm.proof import Proof
from hokm.record import record_of
from hokm.table import Table
from hokm.verify import Report, Verdict, verify
from hokm.verify.retrace import Retraced, retrace


class Task(NamedTuple):
    """What is to be replayed."""

    proof: Proof
    policy: Policy


class Claim(NamedTuple):
    """A value that may stand once in a log."""

    kind: str
    value: bytes
    version: int


class Replayed(NamedTuple):
    """What came of it."""

    table: bytes
    round: int | None
    """None for a game."""
    fault: tuple[str, str, int | None] | None
    """Code, sentence and version of what it is refused by."""
    claims: tuple[Claim, ...]
    roles: tuple[tuple[bytes, str], ...]
    """Keys of players and stand-ins, with what they are."""
    counts: Counter[str]
    record: bytes
    """Of a game: see `unpack`."""


def replay(task: Task) -> Replayed:
    """Replay one."""
    octets = task.proof.format()
    report = verify(octets, task.policy)
    table, round_ = task.proof.table, task.proof.round
    if report.verdict not in (Verdict.VERIFIED, Verdict.WITH_WARNINGS):
        fault = report.fault
        assert fault is not None
        return Replayed(table, round_, (fault.code, fault.sentence, fault.version), (), (), Counter(), b"")
    traced = retrace(octets)
    events = (*traced.reading.opening, *traced.reading.events)
    claims = tuple(claim for event in events for claim in _claims(event))
    roles = tuple(role for event in events for role in _roles(event))
    if round_ is not None:
        return Replayed(table, round_, None, claims, roles, Counter(), b"")
    return Replayed(table, None, None, claims, roles, _counts(events, report), _pack(traced))


def _claims(event: Event) -> Iterator[Claim]:
    content, version = event.content, event.version
    match content:
        case SignedMove():
            act = content.move.act
            if isinstance(act, Commit | LayEarly):
                yield Claim("commitment", act.commitment, version)
        case TableOpened():
            yield Claim("server nonce", content.server_nonce, version)
        case GameStarted():
            yield Claim("game id", content.game_id, version)
        case CeremonyOpened():
            yield Claim("commitment", content.house_commitment, version)
        case HakemDrawn() | RoundRevealed() | ServerFault() | CeremonyVoided():
            for number in _numbers(content):
                yield Claim("number", number, version)
        case StoodIn():
            act = content.join.move.act
            assert isinstance(act, Join)
            yield Claim("stand-in's key", act.public_key, version)
        case _:
            pass


def _numbers(content: HakemDrawn | RoundRevealed | ServerFault | CeremonyVoided) -> Iterator[bytes]:
    """All numbers that become public with a ruling."""
    match content:
        case CeremonyVoided():
            yield content.house_number
            yield from (number for _, number in content.numbers)
        case ServerFault():
            yield from (*content.numbers, *(number for _, number in content.received))
            if content.house_number:
                yield content.house_number
        case _:
            yield from content.numbers


def _roles(event: Event) -> Iterator[tuple[bytes, str]]:
    content = event.content
    if isinstance(content, SignedMove) and isinstance(content.move.act, Join):
        yield content.move.act.public_key, "player's key"
    elif isinstance(content, StoodIn) and isinstance(content.join.move.act, Join):
        yield content.join.move.act.public_key, "stand-in's key"


_COUNTED = {
    CeremonyOpened: "ceremonies",
    HakemDrawn: "draws",
    Dealt: "deals",
    CeremonyVoided: "voids",
    RoundRevealed: "rounds",
    Reopened: "reopened",
    ServerFault: "faults of the server",
}


def _counts(events: tuple[Event, ...], report: Report) -> Counter[str]:
    counts = Counter({"games": 1})
    counts.update(_COUNTED[type(event.content)] for event in events if type(event.content) in _COUNTED)
    counts.update(f"warning {code}" for code in {warning.code for warning in report.warnings})
    return counts


# The record.


class Trouble(NamedTuple):
    """What went wrong at a seat, or at the house (seat None)."""

    what: str
    """``no commitment``, ``no number``, ``missed``, ``stood in``, ``server fault``, ``reopened``."""
    seat: int | None
    key: str | None
    """Of the seat's player, in hex."""
    standing: str | None = None
    """``ahead``, ``level`` or ``behind``: the seat's side in the score."""


def _pack(traced: Retraced) -> bytes:
    troubles = [trouble for before, event, _ in traced.steps for trouble in _troubles(before, event)]
    told = {"record": asdict(record_of(traced)), "troubles": troubles}
    return zlib.compress(json.dumps(told, separators=(",", ":")).encode(), 1)


def unpack(octets: bytes) -> tuple[dict[str, Any], list[Trouble]]:
    """The fields of a game's record as JSON values, and its troubles."""
    told = json.loads(zlib.decompress(octets))
    return told["record"], [Trouble(*each) for each in told["troubles"]]


def _troubles(before: Table, event: Event) -> Iterator[Trouble]:
    content = event.content
    match content:
        case CeremonyVoided(cause, seats):
            for seat in seats:
                yield _of_seat(before, cause.name.lower().replace("_", " "), seat)
        case TimedOut():
            yield _of_seat(before, "missed", content.seat)
        case StoodIn():
            yield _of_seat(before, "stood in", content.seat)
        case Reopened():
            yield Trouble("reopened", None, None)
        case ServerFault():
            yield Trouble("server fault", None, None)
        case _:
            pass


def _of_seat(table: Table, what: str, seat: int) -> Trouble:
    lead = table.score[seat % 2] - table.score[1 - seat % 2]
    standing = "ahead" if lead > 0 else "behind" if lead < 0 else "level"
    return Trouble(what, seat, table.places[seat].public_key.hex(), standing)
