# SPDX-License-Identifier: Apache-2.0
"""Forged proofs that are not in the log, or not in the order of the log (step 3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hokm.events import (
    Anchor,
    CeremonyOpened,
)
from hokm.proof import Inclusion, ManifestProof, Proof
from hokm.verify import Code
from tests.simulation.forge import Draft, Forgery
from tests.simulation.house import TestHouse
from tests.simulation.stories import story
from tests.verifier.forging import (
    Forged,
    beside,
    flipped,
    forged,
    within,
)


@forged(3, Code.NOT_INCLUDED)
def an_entry_at_another_place() -> Forged:
    def change(proof: Proof) -> Proof:
        start, last = proof.inclusion
        return replace(proof, inclusion=(start, replace(last, index=last.index - 1)))

    return beside("plain", change, len(story("plain").entries) - 1)


@forged(3, Code.NOT_INCLUDED)
def an_entry_that_the_log_does_not_have() -> Forged:
    game = story("plain")
    last = flipped(game.entries[-1])
    return beside("plain", lambda proof: replace(proof, entries=(*proof.entries[:-1], last)), len(game.entries) - 1)


@forged(3, Code.MANIFEST_NOT_INCLUDED)
def a_manifest_that_the_log_does_not_have() -> Forged:
    def change(proof: Proof) -> Proof:
        (manifest,) = proof.manifests
        return replace(proof, manifests=(replace(manifest, inclusion=manifest.inclusion[:-1]),))

    return beside("plain", change)


@forged(3, Code.INCLUSION_MISSING)
def no_proof_of_the_start() -> Forged:
    return beside("plain", lambda proof: replace(proof, inclusion=proof.inclusion[1:]), 5)


@forged(3, Code.INCLUSION_MISSING)
def no_proof_of_the_end() -> Forged:
    last = len(story("plain").entries) - 1
    return beside("plain", lambda proof: replace(proof, inclusion=proof.inclusion[:1]), last)


@forged(3, Code.INCLUSION_OF_NOTHING)
def a_proof_of_an_entry_that_is_not_there() -> Forged:
    def change(proof: Proof) -> Proof:
        return replace(proof, inclusion=(proof.inclusion[0], replace(proof.inclusion[1], version=9999)))

    return beside("plain", change, 9999)


@forged(3, Code.INCLUSION_OF_NOTHING)
def the_same_proof_twice() -> Forged:
    return beside("plain", lambda proof: replace(proof, inclusion=proof.inclusion[:1] * 2), 5)


# The order of the log. A manifest is named by a number below zero: the first is -1.


def in_the_order(name: str, order: Callable[[list[int]], list[int]], version: int | None) -> Forged:
    """A story whose manifests and entries are in the log in another order than they were written."""
    forgery = Forgery(story(name))
    log = TestHouse(seed=forgery.game.house.seed)
    log.leaves, log.nodes = [], {}
    log.append(b"other")
    anchor, note = Anchor(1, log.checkpoint().root), log.publish()
    for draft in forgery.drafts:
        if isinstance(draft.content, CeremonyOpened):
            draft.anchor, draft.anchor_note = anchor, note
    if name == "revoked":
        forgery.drafts[-1].house_acts = (lambda house: house.rotate(revoke=True),)
    written = forgery.write()
    logged = dict(enumerate(written.entries))
    logged |= {-place: entry for place, (entry, _) in enumerate(written.house.manifests, 1)}
    log.now_ms = written.house.now_ms
    places = {item: log.append(logged[item]) for item in order(sorted(logged))}
    proof, size = written.game_proof(), len(log.leaves)

    def there(item: int) -> tuple[int, tuple[bytes, ...]]:
        return places[item], log.inclusion(places[item], size)

    proof = replace(
        proof,
        manifests=tuple(ManifestProof(item.entry, *there(-place)) for place, item in enumerate(proof.manifests, 1)),
        inclusion=tuple(Inclusion(item.version, *there(item.version)) for item in proof.inclusion),
        anchors=tuple(replace(item, consistency=log.consistency(anchor.size, size)) for item in proof.anchors),
        checkpoint=log.publish(),
    )
    return Forged(proof, log.policy, version)


@forged(3, Code.PLACES_OUT_OF_ORDER)
def a_stream_whose_end_is_in_the_log_before_its_beginning() -> Forged:
    last = len(story("plain").entries) - 1
    return in_the_order("plain", lambda items: [-1, *reversed([item for item in items if item >= 0])], last)


@forged(3, Code.PLACES_OUT_OF_ORDER)
def a_table_that_is_in_the_log_before_the_manifest_that_it_names() -> Forged:
    return in_the_order("plain", lambda items: [*[item for item in items if item >= 0], -1], 5)


@forged(3, Code.PLACES_OUT_OF_ORDER)
def a_manifest_in_the_log_among_the_seats_of_the_table_that_names_it() -> Forged:
    return in_the_order("plain", lambda items: [0, 1, 2, 3, -1, *[item for item in items if item > 3]], 5)


@forged(3, Code.PLACES_OUT_OF_ORDER)
def two_manifests_that_are_in_the_log_the_wrong_way_round() -> Forged:
    return in_the_order("revoked", lambda items: items, None)


@forged(3, Code.PLACES_OUT_OF_ORDER)
def an_end_by_a_new_key_that_the_log_has_only_later() -> Forged:
    last = len(story("revoked").entries) - 1
    return in_the_order("revoked", lambda items: [-1, *[item for item in items if item >= 0], -2], last)


@forged(3, Code.ANCHOR_MISSING)
def a_ceremony_without_its_anchor() -> Forged:
    def change(proof: Proof) -> Proof:
        return replace(proof, anchors=proof.anchors[:-1])

    return beside("plain", change, story("plain").versions(CeremonyOpened)[-1])


@forged(3, Code.ANCHOR_OF_NOTHING)
def an_anchor_of_a_card() -> Forged:
    def change(proof: Proof) -> Proof:
        moved = replace(proof.anchors[0], version=proof.anchors[0].version + 1)
        return replace(proof, anchors=(moved, *proof.anchors[1:]))

    return beside("plain", change, story("plain").versions(CeremonyOpened)[0] + 1)


@forged(3, Code.ANCHOR_DIFFERS)
def an_anchor_that_is_another_checkpoint_of_the_log() -> Forged:
    def change(proof: Proof) -> Proof:
        first, second, *rest = proof.anchors
        return replace(proof, anchors=(first, replace(second, checkpoint=first.checkpoint), *rest))

    return beside("plain", change, story("plain").versions(CeremonyOpened)[1])


@forged(3, Code.NOT_CONSISTENT)
def an_anchor_that_the_tree_did_not_grow_out_of() -> Forged:
    def change(proof: Proof) -> Proof:
        first, second, *rest = proof.anchors
        return replace(proof, anchors=(first, replace(second, consistency=second.consistency[1:]), *rest))

    return beside("plain", change, story("plain").versions(CeremonyOpened)[1])


@forged(3, Code.NOT_CONSISTENT)
def an_anchor_in_a_second_history_of_the_same_log() -> Forged:
    game = story("plain")
    other = TestHouse(seed=game.house.seed)
    other.append(b"a second history")
    note, anchor = other.publish(time_ms=game.house.now_ms - 60_000), Anchor(len(other.leaves), other.checkpoint().root)

    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(CeremonyOpened)
        draft.anchor, draft.anchor_note = anchor, note
        return draft

    return within("plain", change)
