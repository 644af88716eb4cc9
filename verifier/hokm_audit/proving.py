# SPDX-License-Identifier: Apache-2.0
"""A proof file out of what a published log holds: the same bytes that the house's own would have at that checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hokm.entry import parse_entry
from hokm.errors import Malformed, OutOfTree, UnknownCheckpoint
from hokm.events import CeremonyOpened, Event, GameStarted, RoundRevealed
from hokm.proof import AnchorProof, Inclusion, ManifestProof, Proof, ProofKind
from hokm.wire import read_event
from hokm_audit.errors import NotProvable
from hokm_audit.published import PublishedLog


class Placed(NamedTuple):
    """An entry, and where it is in the tree."""

    place: int
    entry: bytes


class House(NamedTuple):
    """What the log holds of the house's keys."""

    manifests: tuple[Placed, ...]
    """By version."""
    roots: tuple[bytes, ...]
    """Later root keys, of which each signed a manifest; 32 bytes each."""


# What follows raises `NotProvable` where the log's own entries stand against it, and what `PublishedLog` raises.


def game_proof(log: PublishedLog, house: House, table: bytes, stream: Sequence[Placed]) -> Proof:
    """The proof of a game, or of as much of it as there is. `stream` is all of it, from version 0."""
    return _proof(log, house, table, stream, None, 0)


def round_proof(log: PublishedLog, house: House, table: bytes, stream: Sequence[Placed], round_: int) -> Proof | None:
    """The proof of a round; None where `stream`, from version 0 on, does not close it."""
    closing = [version for version, event in enumerate(map(_event, stream)) if type(event.content) is RoundRevealed]
    if not 1 <= round_ <= len(closing):
        return None
    first = closing[round_ - 2] if round_ > 1 else 0
    return _proof(log, house, table, stream[: closing[round_ - 1] + 1], round_, first)


def _proof(
    log: PublishedLog, house: House, table: bytes, stream: Sequence[Placed], round_: int | None, first: int
) -> Proof:
    events = [*map(_event, stream)]
    last = len(stream) - 1
    starts = [version for version, event in enumerate(events) if type(event.content) is GameStarted]
    anchors = [
        (version, event.content.anchor.size)
        for version, event in enumerate(events)
        if version >= first and isinstance(event.content, CeremonyOpened)
    ]
    log.expect_notes(size for _, size in anchors)
    try:
        anchored = tuple(AnchorProof(version, log.note_of(size), log.consistency(size)) for version, size in anchors)
    except (UnknownCheckpoint, OutOfTree) as error:
        raise NotProvable(str(error)) from error
    return Proof(
        kind=ProofKind.GAME if round_ is None else ProofKind.ROUND,
        origin=log.checkpoint.origin,
        table=table,
        round=round_,
        manifests=tuple(
            ManifestProof(placed.entry, placed.place, log.inclusion(placed.place)) for placed in house.manifests
        ),
        roots=house.roots,
        opening=tuple(placed.entry for placed in stream[: starts[0] + 1]) if first else (),
        first_version=first,
        entries=tuple(placed.entry for placed in stream[first:]),
        inclusion=tuple(
            Inclusion(version, stream[version].place, log.inclusion(stream[version].place))
            for version in sorted({*starts, last})
        ),
        anchors=anchored,
        checkpoint=log.note,
    )


def _event(placed: Placed) -> Event:
    try:
        return read_event(parse_entry(placed.entry).body)
    except Malformed as error:
        raise NotProvable(str(error)) from error
