# SPDX-License-Identifier: Apache-2.0
"""Steps 2 to 5: the log's word for the file, the house's keys, and that the entries are one chain.

None of this knows the game. What comes out is a `Ground`: events in order, of which no later step has to ask again
where they come from.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import NamedTuple

from hokm.checkpoint import Checkpoint
from hokm.entry import leaf, signed_by
from hokm.errors import HokmError
from hokm.events import (
    CeremonyOpened,
    Event,
    GameEnded,
    GameStarted,
    RoundRevealed,
    ServerFault,
    ServerFaultCause,
    SignedMove,
    TableOpened,
)
from hokm.keys import KeyManifest, check_manifests
from hokm.merkle import check_consistency, check_inclusion
from hokm.policy import Endorsed, Policy
from hokm.proof import ProofKind
from hokm.verify.codes import Code, Step
from hokm.verify.reading import Reading, read
from hokm.verify.report import Finding, found, refusal, refusal_by

ZERO_HASH = bytes(32)


class Signatures(Enum):
    """Which signatures are checked."""

    NONE = "none"
    """None but those under the proof's checkpoint: to measure the rest, or where somebody else has checked them."""
    PLAYERS = "players"
    """Every player's; of the house's those that the chain does not fix."""
    ALL = "all"
    """Every one."""


class Ground(NamedTuple):
    """What steps 1 to 5 found."""

    reading: Reading
    manifest: KeyManifest
    """Under which the table was opened."""
    house_keys: dict[bytes, str]
    """The house's keys, each with its role: no player has one of them."""
    endorsed: Endorsed
    anchors: dict[int, Endorsed]
    """By the version of the CeremonyOpened."""
    leaves: tuple[bytes, ...]
    """Of the entries."""
    opening_leaves: tuple[bytes, ...]
    is_complete: bool
    house_signatures: int
    """How many were checked."""


# Step 2.


def endorse(
    reading: Reading, policy: Policy, signatures: Signatures, warnings: list[Finding]
) -> tuple[Endorsed, dict[int, Endorsed]]:
    """The checkpoint and the anchors' checkpoints, signed by the log and seen by the quorum. Raises `Refused`."""
    proof = reading.proof
    anchors = {}
    try:
        endorsed = policy.endorse(reading.note)
    except HokmError as error:
        raise refusal_by(error, step=Step.CHECKPOINT) from None
    origin = endorsed.checkpoint.origin
    if origin != proof.origin:
        raise refusal(Code.OTHER_ORIGIN, proof=proof.origin, checkpoint=origin)
    if not endorsed.quorum_met:
        raise refusal(Code.QUORUM_NOT_MET, cosignatures=len(endorsed.cosignatures))
    if policy.quorum is None:
        warnings.append(found(Code.NO_QUORUM))
    if not endorsed.cosignatures:
        warnings.append(found(Code.NOT_WITNESSED))
    for anchor, note in zip(proof.anchors, reading.anchor_notes, strict=True):
        if signatures is Signatures.NONE:
            anchors[anchor.version] = Endorsed(Checkpoint.parse(note.text), (), True)
            continue
        try:
            seen = policy.endorse(note)
        except HokmError as error:
            raise refusal_by(error, anchor.version, Step.CHECKPOINT) from None
        if seen.checkpoint.origin != origin:
            raise refusal(Code.OTHER_ORIGIN, anchor.version, proof=origin, checkpoint=seen.checkpoint.origin)
        if not seen.quorum_met:
            warnings.append(found(Code.ANCHOR_WITHOUT_QUORUM, anchor.version))
        anchors[anchor.version] = seen
    return endorsed, anchors


# Step 3.


def include(reading: Reading, endorsed: Endorsed, anchors: dict[int, Endorsed], is_complete: bool) -> None:
    """Everything is in the one tree, and the tree grew out of every anchor. Raises `Refused`."""
    proof, checkpoint = reading.proof, endorsed.checkpoint
    size, root = checkpoint.size, checkpoint.root
    for count, item in enumerate(proof.manifests):
        if not check_inclusion(leaf(item.entry), item.index, size, item.inclusion, root):
            raise refusal(Code.MANIFEST_NOT_INCLUDED, manifest=count, index=item.index)
    places: dict[int, int] = {}
    for inclusion in proof.inclusion:
        version = inclusion.version
        there = reading.at(version)
        if version in places or (there is None and (is_complete or version <= reading.last)):
            raise refusal(Code.INCLUSION_OF_NOTHING, version)
        if there is None:
            continue  # of an end that is missing
        if not check_inclusion(leaf(there[0]), inclusion.index, size, inclusion.hashes, root):
            raise refusal(Code.NOT_INCLUDED, version, index=inclusion.index)
        places[version] = inclusion.index
    _in_order(places)
    for version, event in _both(reading):
        if isinstance(event.content, GameStarted) and version not in places:
            raise refusal(Code.INCLUSION_MISSING, version, entry="GameStarted")
    if is_complete and reading.last not in places:
        raise refusal(Code.INCLUSION_MISSING, reading.last, entry="the last one")
    _anchored(reading, checkpoint, anchors, is_complete)


def _in_order(places: dict[int, int]) -> None:
    """Within a stream in order of version: later entries lie at least as much further on in the tree."""
    ordered = sorted(places.items())
    for (earlier, at), (later, then) in itertools.pairwise(ordered):
        if then - at < later - earlier:
            raise refusal(Code.PLACES_OUT_OF_ORDER, later, earlier=at, later=then)


def _anchored(reading: Reading, checkpoint: Checkpoint, anchors: dict[int, Endorsed], is_complete: bool) -> None:
    proof = reading.proof
    known = set()
    for anchor in proof.anchors:
        version = anchor.version
        there = reading.at(version) if version >= proof.first_version else None
        if there is None and not is_complete and version > reading.last:
            continue
        if there is None or not isinstance(there[1].content, CeremonyOpened) or version in known:
            raise refusal(Code.ANCHOR_OF_NOTHING, version)
        known.add(version)
        named, shown = there[1].content.anchor, anchors[version].checkpoint
        if (named.size, named.root) != (shown.size, shown.root):
            raise refusal(Code.ANCHOR_DIFFERS, version, named=named.size, shown=shown.size)
        if not check_consistency(shown.size, shown.root, checkpoint.size, checkpoint.root, anchor.consistency):
            raise refusal(Code.NOT_CONSISTENT, version, old=shown.size, size=checkpoint.size)
    for version, event in enumerate(reading.events, proof.first_version):
        if isinstance(event.content, CeremonyOpened) and version not in known:
            raise refusal(Code.ANCHOR_MISSING, version)


def _both(reading: Reading) -> list[tuple[int, Event]]:
    """Versions, by their place, and events, of the opening and the rest."""
    first = reading.proof.first_version
    return [*enumerate(reading.opening), *enumerate(reading.events, first)]


# Step 4.


def vouch_for_house(
    reading: Reading, policy: Policy, signatures: Signatures
) -> tuple[KeyManifest, tuple[KeyManifest, ...], int]:
    """The manifests count, and the house signed what the chain does not fix. Raises `Refused`."""
    proof = reading.proof
    try:
        root = policy.root_key(proof.origin)
        manifests = check_manifests([item.entry for item in proof.manifests], root, proof.roots)
    except HokmError as error:
        raise refusal_by(error, step=Step.HOUSE) from None
    first = (reading.opening or reading.events)[0].content
    if not isinstance(first, TableOpened):
        raise refusal(Code.NOT_THE_BEGINNING, 0, found=_name(first), expected="TableOpened")
    named = [
        manifest
        for manifest, item in zip(manifests, proof.manifests, strict=True)
        if leaf(item.entry) == first.manifest_leaf
    ]
    if not named:
        raise refusal(Code.EVENT_KEY_UNKNOWN, 0)
    manifest = named[0]
    revoking = _revoking(reading, manifest, manifests)
    count = 0
    last = reading.events[-1].content
    by_new_key = isinstance(last, ServerFault) and last.cause is ServerFaultCause.KEY_REVOKED
    key, hint = manifest.event_key, manifest.event_key_id
    entries = _both(reading)
    for place, (frame, (version, event)) in enumerate(zip(reading.frames, entries, strict=True)):
        is_last = place == len(entries) - 1
        if is_last and by_new_key:
            if revoking is None:
                raise refusal(Code.HOUSE_SIGNATURE, version)
            key, hint = revoking.event_key, revoking.event_key_id
        if frame.key_id != hint:
            raise refusal(Code.OTHER_KEY_ID, version)
        wanted = signatures is Signatures.ALL or (
            signatures is Signatures.PLAYERS and (is_last or type(event.content) is GameStarted)
        )
        if wanted:
            count += 1
            if not signed_by(frame, key, hint):
                raise refusal(Code.HOUSE_SIGNATURE, version)
    return manifest, manifests, count


def roles(manifests: Iterable[KeyManifest], roots: Iterable[bytes]) -> dict[bytes, str]:
    """The keys of these manifests and of those who signed them, each with its role."""
    return {key: role for manifest in manifests for key, role in manifest.roles()} | dict.fromkeys(roots, "root key")


def _revoking(reading: Reading, manifest: KeyManifest, manifests: tuple[KeyManifest, ...]) -> KeyManifest | None:
    """The manifest that revoked this stream's key. Raises `Refused` where an ordinary last entry is behind it."""
    proof = reading.proof
    last = reading.events[-1].content
    is_told = isinstance(last, ServerFault) and last.cause is ServerFaultCause.KEY_REVOKED
    places = {item.version: item.index for item in proof.inclusion}
    for later, item in zip(manifests, proof.manifests, strict=True):
        if manifest.event_key not in later.revoked_keys:
            continue
        if not is_told and item.index < places.get(reading.last, item.index):
            raise refusal(Code.EVENT_KEY_REVOKED, reading.last, manifest=later.version)
        return later
    return None


# Step 5.


def is_complete(reading: Reading) -> bool:
    """Whether the last entry here is one that ends what is to be proved."""
    last = reading.events[-1].content
    if reading.proof.kind is ProofKind.GAME:
        return isinstance(last, GameEnded | ServerFault)
    return isinstance(last, RoundRevealed) and (not reading.opening or len(reading.events) > 1)


def link(reading: Reading) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """The leaves of the entries and of the opening, each linked to the one before. Raises `Refused`."""
    proof = reading.proof
    opening_leaves = _chained(proof.opening, reading.opening, proof.table, 0, ZERO_HASH)
    if proof.opening:
        kinds = [type(event.content) for event in reading.opening]
        if kinds[-1] is not GameStarted or kinds.count(GameStarted) > 1:
            ends = _name(reading.opening[-1].content)
            raise refusal(Code.NOT_THE_BEGINNING, len(kinds) - 1, found=ends, expected="GameStarted at its end")
        if proof.first_version < len(reading.opening):
            raise refusal(
                Code.VERSION_GAP, proof.first_version, expected=len(reading.opening), found=proof.first_version
            )
        if type(reading.events[0].content) is not RoundRevealed:
            found_ = _name(reading.events[0].content)
            raise refusal(Code.NOT_THE_ROUND_BEFORE, proof.first_version, found=found_)
    previous = None if proof.opening else ZERO_HASH
    leaves = _chained(proof.entries, reading.events, proof.table, proof.first_version, previous)
    _ends_once(reading)
    return leaves, opening_leaves


def _chained(
    entries: Sequence[bytes], events: Sequence[Event], table: bytes, version: int, previous: bytes | None
) -> tuple[bytes, ...]:
    """`previous` is None where the first link leads to an entry that is not here."""
    leaves = []
    for entry, event in zip(entries, events, strict=True):
        if event.table != table:
            raise refusal(Code.OTHER_TABLE, version, table=event.table.hex())
        if event.version != version:
            raise refusal(Code.VERSION_GAP, version, expected=version, found=event.version)
        if previous is not None and event.previous != previous:
            raise refusal(Code.BROKEN_LINK, version)
        previous = leaf(entry)
        leaves.append(previous)
        version += 1
    return tuple(leaves)


def _ends_once(reading: Reading) -> None:
    """Nothing stands behind the end of the stream, or behind the round that is proved."""
    proof = reading.proof
    is_round = proof.kind is ProofKind.ROUND
    for event in reading.events[1 if reading.opening else 0 : -1]:
        kind = type(event.content)
        if kind is SignedMove:
            continue
        if kind in (GameEnded, ServerFault) or (is_round and kind is RoundRevealed):
            raise refusal(Code.ENTRY_AFTER_END, event.version + 1, end=kind.__name__)
    last = reading.events[-1].content
    if is_round and isinstance(last, GameEnded | ServerFault):
        raise refusal(Code.NO_SUCH_ROUND, reading.last, round=proof.round)


def not_closed(reading: Reading) -> Finding:
    """What is missing of a proof that is not complete."""
    expected = "GameEnded or ServerFault" if reading.proof.kind is ProofKind.GAME else "the RoundRevealed of the round"
    return found(Code.NO_CLOSING_ENTRY, reading.last, found=_name(reading.events[-1].content), expected=expected)


def _name(content: object) -> str:
    if isinstance(content, SignedMove):
        return type(content.move.act).__name__
    return type(content).__name__


# All five.


def lay(
    octets: bytes, policy: Policy, signatures: Signatures, head: tuple[int, bytes] | None, warnings: list[Finding]
) -> Ground:
    """Steps 1 to 5. Raises `Refused`."""
    reading = read(octets)
    complete = is_complete(reading)
    endorsed, anchors = endorse(reading, policy, signatures, warnings)
    include(reading, endorsed, anchors, complete)
    manifest, manifests, count = vouch_for_house(reading, policy, signatures)
    leaves, opening_leaves = link(reading)
    if head is not None:
        _expect_head(reading, leaves, opening_leaves, head, warnings)
    house_keys = roles(manifests, (policy.root_key(reading.proof.origin).public_key, *reading.proof.roots))
    return Ground(reading, manifest, house_keys, endorsed, anchors, leaves, opening_leaves, complete, count)


def _expect_head(
    reading: Reading,
    leaves: Sequence[bytes],
    opening_leaves: Sequence[bytes],
    head: tuple[int, bytes],
    warnings: list[Finding],
) -> None:
    version, expected = head
    first = reading.proof.first_version
    if version > reading.last:
        return  # said by the last step, where all that is here was found to be true
    if version < len(opening_leaves):
        there = opening_leaves[version]
    elif version < first:
        warnings.append(found(Code.HEAD_NOT_SHOWN, expected=version))
        return
    else:
        there = leaves[version - first]
    if there != expected:
        raise refusal(Code.OTHER_HEAD, version)
