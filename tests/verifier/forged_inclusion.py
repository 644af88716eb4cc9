# SPDX-License-Identifier: Apache-2.0
"""Forged proofs that are not in the log, or not in the order of the log (step 3)."""

from __future__ import annotations

from dataclasses import replace

from hokm.events import (
    Anchor,
    CeremonyOpened,
)
from hokm.proof import Inclusion, Proof
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


@forged(3, Code.PLACES_OUT_OF_ORDER)
def a_stream_whose_end_is_in_the_log_before_its_beginning() -> Forged:
    game = story("plain")
    forgery = Forgery(game)
    log = TestHouse(seed=game.house.seed)
    early = log.publish()
    anchor = Anchor(len(log.leaves), log.checkpoint().root)
    for place in (forgery.find(CeremonyOpened, nth) for nth in range(len(game.versions(CeremonyOpened)))):
        forgery.drafts[place].anchor = anchor
        forgery.drafts[place].anchor_note = early
    written = forgery.write()
    log.now_ms = written.house.now_ms
    places = {version: log.append(written.entries[version]) for version in reversed(range(len(written.entries)))}
    proof = written.game_proof()
    size = len(log.leaves)
    inclusion = tuple(
        Inclusion(item.version, places[item.version], log.inclusion(places[item.version], size))
        for item in proof.inclusion
    )
    manifests = tuple(replace(item, inclusion=log.inclusion(item.index, size)) for item in proof.manifests)
    anchors = tuple(replace(item, consistency=log.consistency(anchor.size, size)) for item in proof.anchors)
    proof = replace(proof, inclusion=inclusion, manifests=manifests, anchors=anchors, checkpoint=log.publish())
    return Forged(proof, log.policy, len(written.entries) - 1)


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
