# SPDX-License-Identifier: Apache-2.0
"""The entries of a proof walked along without asking who signed them: for those who tell, count or draw a game.

Steps 1 and 5 to 12 are made, the signatures and the log left out. What comes out hangs together and follows the
rules, and may still be made up from beginning to end.
"""

from __future__ import annotations

from typing import NamedTuple

from hokm.checkpoint import Checkpoint
from hokm.entry import leaf, parse_entry
from hokm.errors import HokmError
from hokm.events import Event, TableOpened
from hokm.keys import read_manifest
from hokm.policy import Endorsed
from hokm.table import Table
from hokm.verify.codes import Code, Step
from hokm.verify.ground import Ground, Signatures, is_complete, link, roles
from hokm.verify.reading import Reading, read
from hokm.verify.report import refusal, refusal_by
from hokm.verify.walk import Walk


class Retraced(NamedTuple):
    """A proof and the tables that its entries make."""

    reading: Reading
    steps: tuple[tuple[Table, Event, Table], ...]
    """Each entry with the table before and after it, but the first of a stream and those of an opening."""
    end: Table


def retrace(octets: bytes) -> Retraced:
    """Walk along the entries of a proof file. Raises `Refused`."""
    reading = read(octets)
    leaves, opening_leaves = link(reading)
    first = (reading.opening or reading.events)[0].content
    if not isinstance(first, TableOpened):
        raise refusal(Code.NOT_THE_BEGINNING, 0, found=type(first).__name__, expected="TableOpened")
    try:
        manifests = tuple(read_manifest(parse_entry(item.entry).body) for item in reading.proof.manifests)
    except HokmError as error:
        raise refusal_by(error, step=Step.HOUSE) from None
    named = [
        manifest
        for manifest, item in zip(manifests, reading.proof.manifests, strict=True)
        if leaf(item.entry) == first.manifest_leaf
    ]
    if not named:
        raise refusal(Code.EVENT_KEY_UNKNOWN, 0)
    unseen = Endorsed(Checkpoint.parse(reading.note.text), (), True)
    ground = Ground(
        reading=reading,
        manifest=named[0],
        house_keys=roles(manifests, reading.proof.roots),
        endorsed=unseen,
        anchors={},
        leaves=leaves,
        opening_leaves=opening_leaves,
        is_complete=is_complete(reading),
        house_signatures=0,
    )
    steps: list[tuple[Table, Event, Table]] = []
    walk = Walk(ground, Signatures.NONE)
    walk.walk(lambda before, event, after: steps.append((before, event, after)))
    return Retraced(reading, tuple(steps), walk.table)
