# SPDX-License-Identifier: Apache-2.0
"""Steps 2 and 3: the log's word for the file.

The log signed the checkpoint, and witnesses saw it; all that is to be proved is in that tree, in its order; and the
tree grew out of the ones that the ceremonies come after.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from hokm.checkpoint import Checkpoint
from hokm.entry import leaf
from hokm.errors import HokmError
from hokm.events import CeremonyOpened, GameStarted
from hokm.merkle import check_consistency, check_inclusion
from hokm.policy import Endorsed, Policy
from hokm.verify.codes import Code, Step
from hokm.verify.reading import Reading
from hokm.verify.report import Finding, found, refusal, refusal_by
from hokm.verify.wishes import Signatures

# Step 2.


def endorse(
    reading: Reading, policy: Policy, signatures: Signatures, warnings: list[Finding]
) -> tuple[Endorsed, dict[int, Endorsed]]:
    """The checkpoint and, by the version of the ceremony, those of the anchors. Raises `Refused`.

    An anchor too many is left alone here: there may be very many, and the next step refuses the first.
    """
    proof = reading.proof
    assert reading.note is not None
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
    anchors: dict[int, Endorsed] = {}
    for anchor, note in zip(proof.anchors, reading.anchor_notes, strict=True):
        version = anchor.version
        if version in anchors or reading.ceremony_at(version) is None:
            continue
        if signatures is Signatures.NONE:
            anchors[version] = Endorsed(Checkpoint.parse(note.text), (), True)
            continue
        try:
            seen = policy.endorse(note)
        except HokmError as error:
            raise refusal_by(error, version, Step.CHECKPOINT) from None
        if seen.checkpoint.origin != origin:
            raise refusal(Code.OTHER_ORIGIN, version, proof=origin, checkpoint=seen.checkpoint.origin)
        if not seen.quorum_met:
            warnings.append(found(Code.ANCHOR_WITHOUT_QUORUM, version))
        anchors[version] = seen
    return endorsed, anchors


# Step 3.


def include(reading: Reading, checkpoint: Checkpoint, anchors: dict[int, Endorsed], is_complete: bool) -> None:
    """Everything is in the one tree, in order, and the tree grew out of every anchor. Raises `Refused`."""
    for count, item in enumerate(reading.proof.manifests):
        if not check_inclusion(leaf(item.entry), item.index, checkpoint.size, item.inclusion, checkpoint.root):
            raise refusal(Code.MANIFEST_NOT_INCLUDED, manifest=count, index=item.index)
    places = _included(reading, checkpoint, is_complete)
    _in_order(places.items())
    _behind_manifests(reading, places)
    for version, event in reading.numbered():
        if isinstance(event.content, GameStarted) and version not in places:
            raise refusal(Code.INCLUSION_MISSING, version, entry="GameStarted")
    if is_complete and reading.last not in places:
        raise refusal(Code.INCLUSION_MISSING, reading.last, entry="the last one")
    _grown(reading, checkpoint, anchors, is_complete)


def _included(reading: Reading, checkpoint: Checkpoint, is_complete: bool) -> dict[int, int]:
    """The places in the tree, by version, of the entries that are proved to be there."""
    places: dict[int, int] = {}
    for inclusion in reading.proof.inclusion:
        version = inclusion.version
        there = reading.at(version)
        if version in places or (there is None and (is_complete or version <= reading.last)):
            raise refusal(Code.INCLUSION_OF_NOTHING, version)
        if there is None:
            continue  # of an end that is missing
        if not check_inclusion(leaf(there[0]), inclusion.index, checkpoint.size, inclusion.hashes, checkpoint.root):
            raise refusal(Code.NOT_INCLUDED, version, index=inclusion.index)
        places[version] = inclusion.index
    return places


def _in_order(places: Iterable[tuple[int, int]], of_keys: bool = False) -> None:
    """Within a stream in order of version: later entries lie at least as much further on in the tree."""
    for (earlier, at), (later, then) in itertools.pairwise(sorted(places)):
        if then - at < later - earlier:
            raise refusal(Code.PLACES_OUT_OF_ORDER, None if of_keys else later, earlier=at, later=then)


def _behind_manifests(reading: Reading, places: dict[int, int]) -> None:
    """A table is opened behind the manifest that it names, and ended by a new key behind the one that brought it.

    Of manifests that do not count the next step speaks.
    """
    indices = [item.index for item in reading.proof.manifests]
    manifests = [*zip(reading.manifests, indices, strict=True)]
    _in_order(((manifest.version, index) for manifest, index in manifests if manifest is not None), of_keys=True)
    named = reading.opened_under
    if named is None:
        return
    _in_order([(-1, indices[named]), *places.items()])
    opened_under, place = reading.manifests[named], places.get(reading.last)
    if opened_under is None or place is None or not reading.is_ended_by_new_key:
        return
    revoking = (index for manifest, index in manifests if manifest and opened_under.event_key in manifest.revoked_keys)
    if (index := next(revoking, place)) > place:
        raise refusal(Code.PLACES_OUT_OF_ORDER, reading.last, earlier=index, later=place)


def _grown(reading: Reading, checkpoint: Checkpoint, anchors: dict[int, Endorsed], is_complete: bool) -> None:
    """Each ceremony has its anchor, and the tree grew out of it."""
    known = set()
    for anchor in reading.proof.anchors:
        version = anchor.version
        if version > reading.last and not is_complete:
            continue  # of an end that is missing
        ceremony = reading.ceremony_at(version)
        if ceremony is None or version in known:
            raise refusal(Code.ANCHOR_OF_NOTHING, version)
        known.add(version)
        named, shown = ceremony.anchor, anchors[version].checkpoint
        if (named.size, named.root) != (shown.size, shown.root):
            raise refusal(Code.ANCHOR_DIFFERS, version, named=named.size, shown=shown.size)
        if not check_consistency(shown.size, shown.root, checkpoint.size, checkpoint.root, anchor.consistency):
            raise refusal(Code.NOT_CONSISTENT, version, old=shown.size, size=checkpoint.size)
    for version, event in enumerate(reading.events, reading.proof.first_version):
        if isinstance(event.content, CeremonyOpened) and version not in known:
            raise refusal(Code.ANCHOR_MISSING, version)
