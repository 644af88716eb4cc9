# SPDX-License-Identifier: Apache-2.0
"""The entries of a proof walked along without asking who signed them: for those who tell, count or draw a game.

Steps 1 and 5 to 12 are made, the signatures and the log left out. What comes out hangs together and follows the
rules, and may still be made up from beginning to end.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from hokm.checkpoint import Checkpoint
from hokm.events import Event
from hokm.keys import KeyManifest
from hokm.merkle import EMPTY_ROOT
from hokm.policy import Endorsed
from hokm.table import Table
from hokm.verify.codes import Code
from hokm.verify.ground import Ground, is_complete, link, place_of_manifest, roles
from hokm.verify.reading import Reading, read
from hokm.verify.report import refusal
from hokm.verify.walk import Walk
from hokm.verify.wishes import Signatures

_UNSEEN: Final = Endorsed(Checkpoint("nowhere", 0, EMPTY_ROOT), (), True)
"""In place of a checkpoint, where none is looked at."""


class Retraced(NamedTuple):
    """A proof and the tables that its entries make."""

    reading: Reading
    steps: tuple[tuple[Table, Event, Table], ...]
    """Each entry with the table before and after it, but the first of a stream and those of an opening."""
    end: Table


def retrace(octets: bytes) -> Retraced:
    """Walk along the entries of a proof file. Raises `Refused`."""
    reading = read(octets)
    manifest = reading.manifests[place_of_manifest(reading)]
    if manifest is None:
        raise refusal(Code.EVENT_KEY_UNKNOWN, 0)
    return walk_unlogged(reading, manifest, Signatures.NONE)


def walk_unlogged(
    reading: Reading, manifest: KeyManifest, signatures: Signatures, root: bytes | None = None
) -> Retraced:
    """Walk along entries under this manifest, wherever they are from; `root` is the house's. Raises `Refused`."""
    leaves, opening_leaves = link(reading)
    ground = Ground(
        reading=reading,
        manifest=manifest,
        house_keys=roles([*filter(None, reading.manifests)], root, reading.proof.roots),
        endorsed=_UNSEEN,
        anchors={},
        leaves=leaves,
        opening_leaves=opening_leaves,
        is_complete=is_complete(reading),
        house_signatures=0,
    )
    steps: list[tuple[Table, Event, Table]] = []
    walk = Walk(ground, signatures)
    walk.walk(lambda before, event, after: steps.append((before, event, after)))
    return Retraced(reading, tuple(steps), walk.table)
