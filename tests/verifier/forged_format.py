# SPDX-License-Identifier: Apache-2.0
"""Forged proofs whose entries cannot be read (step 1); what is in the file itself is in `test_proof`."""

from __future__ import annotations

from dataclasses import replace

from hokm.entry import parse_entry
from hokm.events import (
    Dealt,
)
from hokm.proof import Proof
from tests.simulation.forge import Draft, Forgery
from tests.verifier.forging import (
    Forged,
    beside,
    forged,
    within,
)


@forged(1, "NOT_UNDERSTOOD")
def an_entry_with_a_field_that_is_not_known() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Dealt)
        body = parse_entry(forgery.game.entries[forgery.drafts.index(draft)]).body
        draft.body = body + b"\xf8\x3f\x01"
        return draft

    return within("plain", change)


@forged(1, "NOT_CANONICAL")
def an_entry_that_is_spelled_otherwise() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Dealt)
        body = parse_entry(forgery.game.entries[forgery.drafts.index(draft)]).body
        draft.body = body[18:] + body[:18]  # the table's id comes last
        return draft

    return within("plain", change)


@forged(1, "NOT_AN_ENTRY")
def an_entry_in_another_frame() -> Forged:
    def change(proof: Proof) -> Proof:
        return replace(proof, entries=(proof.entries[0], b"HKE2" + proof.entries[1][4:], *proof.entries[2:]))

    return beside("plain", change, 1)
