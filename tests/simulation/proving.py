# SPDX-License-Identifier: Apache-2.0
"""Proofs of games in memory, as the house would make them: at a checkpoint of this moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hokm.events import CeremonyOpened, GameStarted
from hokm.proof import AnchorProof, Inclusion, ManifestProof, Proof, ProofKind

if TYPE_CHECKING:
    from tests.simulation.game import Game


def prove(game: Game, kind: ProofKind, number: int | None, first: int, last: int) -> Proof:
    """The proof of these entries of its stream, the last one included."""
    house = game.house
    house.wait(2000)
    size = len(house.leaves)
    starts = game.versions(GameStarted)
    proved = sorted({*starts, last})
    opening = tuple(game.entries[: starts[0] + 1]) if first else ()
    return Proof(
        kind=kind,
        origin=house.origin,
        table=game.id,
        round=number,
        manifests=tuple(ManifestProof(entry, at, house.inclusion(at, size)) for entry, at in house.manifests),
        roots=tuple(key.public for key in house.root_keys[1:-1]),
        opening=opening,
        first_version=first,
        entries=tuple(game.entries[first : last + 1]),
        inclusion=tuple(
            Inclusion(version, game.places[version], house.inclusion(game.places[version], size)) for version in proved
        ),
        anchors=tuple(
            AnchorProof(version, note, house.consistency(_anchor_size(game, version), size))
            for version, note in sorted(game.anchors.items())
            if first <= version <= last
        ),
        checkpoint=house.publish(),
    )


def _anchor_size(game: Game, version: int) -> int:
    content = game.events[version].content
    assert isinstance(content, CeremonyOpened)
    return content.anchor.size
