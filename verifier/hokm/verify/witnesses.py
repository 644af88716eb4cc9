# SPDX-License-Identifier: Apache-2.0
"""Whether witnesses saw a commit set before any number of it was shown, at a table with the option `witnessed`.

The entry brings a signed checkpoint with cosignatures, and the proof that the CommitSetClosed is in its tree. By whose
cosignatures it counts is the reader's to say, as with the checkpoint of the proof. That the tree is the one which the
proof is about rests on the same witnesses: none of them cosigns two that do not grow out of each other.
"""

from __future__ import annotations

from hokm.checkpoint import Checkpoint
from hokm.errors import HokmError
from hokm.events import CommitSetWitnessed
from hokm.merkle import check_inclusion
from hokm.note import Note
from hokm.policy import Endorsed, Policy
from hokm.verify.codes import Code
from hokm.verify.report import refusal


def check_witnessed(
    content: CommitSetWitnessed, version: int, closed: bytes, origin: str, policy: Policy | None
) -> Endorsed:
    """The checkpoint, with who has cosigned it; `closed` is the leaf of the CommitSetClosed. Raises `Refused`.

    Where there is no policy the signatures are left out.
    """
    try:
        note = Note.parse(content.checkpoint.encode())
        seen = Endorsed(Checkpoint.parse(note.text), (), True) if policy is None else policy.endorse(note)
    except HokmError as error:
        raise refusal(Code.SET_NOT_PUBLISHED, version, why=error) from None
    checkpoint = seen.checkpoint
    if checkpoint.origin != origin:
        raise refusal(Code.SET_NOT_PUBLISHED, version, why=f"it is of the log {checkpoint.origin}.")
    if not check_inclusion(closed, content.index, checkpoint.size, content.inclusion, checkpoint.root):
        raise refusal(Code.SET_NOT_COVERED, version, index=content.index, size=checkpoint.size)
    if not seen.quorum_met:
        raise refusal(Code.SET_QUORUM_NOT_MET, version, cosignatures=len(seen.cosignatures))
    return seen
