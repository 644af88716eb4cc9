# SPDX-License-Identifier: Apache-2.0
"""Step 1: a proof file and everything in it as values, or why it cannot be read.

Nothing is believed here, but that the bytes are what their formats say: JSON, notes, frames, manifests and events.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hokm.checkpoint import Checkpoint
from hokm.entry import Entry, leaf, parse_entry
from hokm.errors import BadManifest, BadNote, HokmError, Malformed, SharedKey
from hokm.events import CeremonyOpened, Event, ServerFault, ServerFaultCause, TableOpened
from hokm.keys import KeyManifest, read_manifest
from hokm.note import Note
from hokm.proof import Proof
from hokm.verify.codes import Step
from hokm.verify.report import refusal_by
from hokm.wire import read_event


class Reading(NamedTuple):
    """Step 1: what the file says."""

    proof: Proof
    opening: tuple[Event, ...]
    """In the proof of a later round."""
    events: tuple[Event, ...]
    frames: tuple[Entry, ...]
    """Of `opening` and then of `events`."""
    manifests: tuple[KeyManifest | None, ...]
    """By their places in the proof; None where one can be read and cannot count, which the fourth step says."""
    note: Note | None
    """The checkpoint's; None where entries came without a proof that they are in the log."""
    anchor_notes: tuple[Note, ...] = ()

    @property
    def last(self) -> int:
        """The last version here."""
        return self.proof.first_version + len(self.events) - 1

    def after(self, version: int) -> tuple[Event, ...]:
        """The events after that version."""
        return self.events[version + 1 - self.proof.first_version :]

    def numbered(self) -> Iterator[tuple[int, Event]]:
        """All events, each with the version that belongs to its place."""
        yield from enumerate(self.opening)
        yield from enumerate(self.events, self.proof.first_version)

    def at(self, version: int) -> tuple[bytes, Event] | None:
        """Entry and event where a version should stand; None where none does."""
        proof = self.proof
        if version < len(self.opening):
            return proof.opening[version], self.opening[version]
        if proof.first_version <= version <= self.last:
            return proof.entries[version - proof.first_version], self.events[version - proof.first_version]
        return None

    def ceremony_at(self, version: int) -> CeremonyOpened | None:
        """The CeremonyOpened of that version among the entries; None where another one stands, or none."""
        there = self.at(version) if version >= self.proof.first_version else None
        return there[1].content if there is not None and isinstance(there[1].content, CeremonyOpened) else None

    @property
    def opened_under(self) -> int | None:
        """The place of the manifest that the table was opened under; None where the proof does not have it."""
        first = (self.opening or self.events)[0].content
        if not isinstance(first, TableOpened):
            return None
        named = (place for place, item in enumerate(self.proof.manifests) if leaf(item.entry) == first.manifest_leaf)
        return next(named, None)

    @property
    def is_ended_by_new_key(self) -> bool:
        """The last entry says that the key of the ones before it is revoked."""
        last = self.events[-1].content
        return isinstance(last, ServerFault) and last.cause is ServerFaultCause.KEY_REVOKED


def read(octets: bytes) -> Reading:
    """Read the proof and everything in it. Raises `Refused`."""
    try:
        proof = Proof.parse(octets)
        note, anchor_notes = _note(proof.checkpoint), tuple(_note(anchor.checkpoint) for anchor in proof.anchors)
    except HokmError as error:
        raise refusal_by(error, step=Step.FORMAT) from None
    return _contents(proof, note, anchor_notes)


def read_unlogged(proof: Proof) -> Reading:
    """The same of entries that nobody says are in the log: checkpoints and places in the tree are not looked at.

    Raises `Refused`.
    """
    return _contents(proof, None)


def _contents(proof: Proof, note: Note | None, anchor_notes: tuple[Note, ...] = ()) -> Reading:
    frames: list[Entry] = []
    opening = _events(proof.opening, 0, frames)
    events = _events(proof.entries, proof.first_version, frames)
    return Reading(proof, opening, events, tuple(frames), _manifests(proof), note, anchor_notes)


def _manifests(proof: Proof) -> tuple[KeyManifest | None, ...]:
    manifests: list[KeyManifest | None] = []
    for item in proof.manifests:
        try:
            manifests.append(read_manifest(parse_entry(item.entry).body))
        except (BadManifest, SharedKey):
            manifests.append(None)
        except HokmError as error:
            raise refusal_by(error, step=Step.FORMAT) from None
    return tuple(manifests)


def _note(text: str) -> Note:
    try:
        octets = text.encode()
    except UnicodeEncodeError:
        raise BadNote("it holds what UTF-8 cannot write") from None
    note = Note.parse(octets)
    Checkpoint.parse(note.text)
    return note


def _events(entries: Sequence[bytes], first: int, frames: list[Entry]) -> tuple[Event, ...]:
    events = []
    for place, octets in enumerate(entries):
        try:
            frame = parse_entry(octets)
            events.append(read_event(frame.body))
        except Malformed as error:
            raise refusal_by(error, first + place, Step.FORMAT) from None
        frames.append(frame)
    return tuple(events)
