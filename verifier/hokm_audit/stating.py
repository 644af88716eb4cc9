# SPDX-License-Identifier: Apache-2.0
"""What an auditor signs: that all rounds closed in the tree of a checkpoint were replayed without error.

Two signed notes, both by one key and under one name: the checkpoint with a cosignature (C2SP tlog-cosignature, type
04), for policies that count this auditor among their witnesses, and the statement in words (type 01)::

    hokm/v1/audit
    <origin>
    <size>
    <root of the tree, base64>
    time <seconds since 1970>
    All rounds that are closed in this tree were replayed without error.
    <how many there are of what>

A key may have both types because neither text can be taken for the other: what a cosignature signs begins with
`cosignature/v1`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from hokm.checkpoint import cosign
from hokm.notation import write_base64
from hokm.note import Note, sign_text
from hokm.signing import SigningKey
from hokm_audit.published import PublishedLog

SENTENCE: Final = "All rounds that are closed in this tree were replayed without error."


class Signed(NamedTuple):
    """Both notes."""

    checkpoint: Note
    statement: Note


def sign(log: PublishedLog, told: str, name: str, key: SigningKey, now_s: int) -> Signed:
    """Sign it at `now_s`; `told` is one line without its newline."""
    checkpoint = log.checkpoint
    note = Note.parse(log.note.encode())
    cosigned = Note(note.text, (*note.signatures, cosign(checkpoint, name, key, now_s)))
    lines = (
        "hokm/v1/audit",
        checkpoint.origin,
        str(checkpoint.size),
        write_base64(checkpoint.root),
        f"time {now_s}",
        SENTENCE,
        told,
    )
    text = "".join(line + "\n" for line in lines)
    return Signed(cosigned, Note(text, (sign_text(text, name, key),)))
