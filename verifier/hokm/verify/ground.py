# SPDX-License-Identifier: Apache-2.0
"""All up to step 5. Of its own are steps 4, the house's keys, and 5, that the entries are one chain.

None of this knows the game. What comes out is a `Ground`: events in order, of which no later step has to ask again
where they come from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hokm.entry import ZERO_HASH, leaf, signed_by
from hokm.errors import HokmError
from hokm.events import (
    Event,
    GameEnded,
    GameStarted,
    RoundRevealed,
    ServerFault,
    SignedMove,
    TableOpened,
)
from hokm.keys import KeyManifest, check_manifests
from hokm.policy import Endorsed, Policy
from hokm.proof import ProofKind
from hokm.verify.codes import Code, Step
from hokm.verify.logged import endorse, include
from hokm.verify.reading import Reading, read
from hokm.verify.report import Finding, found, refusal, refusal_by
from hokm.verify.wishes import Signatures, Wishes


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
    policy: Policy | None = None
    """Whom the reader trusts; None where no signature is to be looked at."""


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
    manifest = manifests[place_of_manifest(reading)]
    revoking = _revoking(reading, manifest, manifests)
    count = 0
    key, hint = manifest.event_key, manifest.event_key_id
    entries = [*reading.numbered()]
    for place, (frame, (version, event)) in enumerate(zip(reading.frames, entries, strict=True)):
        is_last = place == len(entries) - 1
        if is_last and reading.is_ended_by_new_key:
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


def place_of_manifest(reading: Reading) -> int:
    """The place of the manifest that the table was opened under. Raises `Refused`."""
    first = (reading.opening or reading.events)[0].content
    if not isinstance(first, TableOpened):
        raise refusal(Code.NOT_THE_BEGINNING, 0, found=_name(first), expected="TableOpened")
    named = reading.opened_under
    if named is None:
        raise refusal(Code.EVENT_KEY_UNKNOWN, 0)
    return named


def roles(manifests: Sequence[KeyManifest], root: bytes | None, later_roots: Iterable[bytes]) -> dict[bytes, str]:
    """The keys of these manifests and of those who signed them, each with its role; `root` is the first, if known.

    Whoever makes a file chooses what it calls a later root: one whose hash no manifest names has no role.
    """
    named = {manifest.next_root_hash for manifest in manifests}
    known = {key: role for manifest in manifests for key, role in manifest.roles()}
    known |= {key: "root key" for key in later_roots if hashlib.sha256(key).digest() in named}
    return known if root is None else known | {root: "root key"}


def _revoking(reading: Reading, manifest: KeyManifest, manifests: tuple[KeyManifest, ...]) -> KeyManifest | None:
    """The manifest that revoked this stream's key. Raises `Refused` where an ordinary last entry is behind it."""
    proof = reading.proof
    places = {item.version: item.index for item in proof.inclusion}
    for later, item in zip(manifests, proof.manifests, strict=True):
        if manifest.event_key not in later.revoked_keys:
            continue
        if not reading.is_ended_by_new_key and item.index < places.get(reading.last, item.index):
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


def lay(octets: bytes, policy: Policy, wishes: Wishes, warnings: list[Finding]) -> Ground:
    """Steps 1 to 5. Raises `Refused`."""
    reading = read(octets)
    complete = is_complete(reading)
    endorsed, anchors = endorse(reading, policy, wishes.signatures, warnings)
    include(reading, endorsed.checkpoint, anchors, complete)
    manifest, manifests, count = vouch_for_house(reading, policy, wishes.signatures)
    leaves, opening_leaves = link(reading)
    if wishes.head is not None:
        _expect_head(reading, leaves, opening_leaves, wishes.head, complete, warnings)
    house_keys = roles(manifests, policy.root_key(reading.proof.origin).public_key, reading.proof.roots)
    trusted = None if wishes.signatures is Signatures.NONE else policy
    return Ground(reading, manifest, house_keys, endorsed, anchors, leaves, opening_leaves, complete, count, trusted)


def _expect_head(
    reading: Reading,
    leaves: Sequence[bytes],
    opening_leaves: Sequence[bytes],
    head: tuple[int, bytes],
    is_complete: bool,
    warnings: list[Finding],
) -> None:
    version, expected = head
    first = reading.proof.first_version
    if version > reading.last:
        if is_complete and reading.proof.kind is ProofKind.GAME:
            raise refusal(Code.OTHER_HEAD, version)  # nothing stands behind the end of a game
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
