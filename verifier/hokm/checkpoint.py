# SPDX-License-Identifier: Apache-2.0
"""A checkpoint: what the log says its tree is, signed by the log and cosigned by witnesses.

The text (C2SP tlog-checkpoint)::

    <origin: which log>
    <size of the tree, decimal>
    <root of the tree, base64 of 32 bytes>
    <extension lines, if any>

It travels as a signed note. The log signs the text itself, under the origin as key name. A witness that has seen
this tree grow out of every earlier one it saw cosigns it with the time (C2SP tlog-cosignature, cosignature/v1);
its signature line holds time u64 || signature[64], and what it signs is::

    cosignature/v1
    time <seconds since 1970, decimal>
    <the text of the checkpoint>
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from hokm.errors import BadCheckpoint, BadSignature
from hokm.merkle import HASH_BYTES
from hokm.notation import MOST, is_origin, read_base64, read_decimal, write_base64
from hokm.note import Note, NoteSignature, is_text, sign_text, verify_note
from hokm.signing import SIGNATURE_BYTES, SignatureType, SigningKey, VKey, key_id, verify

_TIME_BYTES = 8


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A log, a size and a root; not proved by being here. One that exists is well-formed."""

    origin: str
    size: int
    """Leaves, from 0 to 2^63 - 1."""
    root: bytes
    """32 bytes."""
    extensions: tuple[str, ...] = ()
    """Lines that mean nothing here, without their newlines."""

    def __post_init__(self) -> None:
        if not is_origin(self.origin):
            raise BadCheckpoint("the origin is not 1 to 255 visible ASCII characters without a plus")
        if not 0 <= self.size <= MOST:
            raise BadCheckpoint("the size is out of range")
        if len(self.root) != HASH_BYTES:
            raise BadCheckpoint(f"the root has {len(self.root)} bytes, not {HASH_BYTES}")
        if not all(line and "\n" not in line and is_text(line + "\n") for line in self.extensions):
            raise BadCheckpoint("an extension line is empty, or holds a control character")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the text of a checkpoint, its last newline included. Raises `BadCheckpoint`."""
        match text.split("\n"):
            case [origin, size_line, root_line, *extensions, ""]:
                size, root = read_decimal(size_line), read_base64(root_line)
            case _:
                raise BadCheckpoint("it is not at least three lines, each ended by a newline")
        if size is None:
            raise BadCheckpoint("the size is not a decimal number below 2^63")
        if root is None:
            raise BadCheckpoint("the root is not base64")
        return cls(origin, size, root, tuple(extensions))

    def format(self) -> str:
        """The text that `parse` reads."""
        lines = (self.origin, str(self.size), write_base64(self.root), *self.extensions)
        return "".join(line + "\n" for line in lines)


def sign_checkpoint(checkpoint: Checkpoint, key: SigningKey) -> Note:
    """The checkpoint signed by the log's key."""
    text = checkpoint.format()
    return Note(text, (sign_text(text, checkpoint.origin, key),))


def verify_checkpoint(note: Note, logs: Iterable[VKey]) -> Checkpoint:
    """The checkpoint that the note holds, signed by one of these keys of the log.

    Raises `BadCheckpoint`; `BadSignature`; `NotSigned`, also where the key that signed has another name than the
    origin.
    """
    checkpoint = Checkpoint.parse(note.text)
    verify_note(note, (vkey for vkey in logs if vkey.name == checkpoint.origin))
    return checkpoint


# Cosignatures.


@dataclass(frozen=True, slots=True)
class Cosignature:
    """A cosignature that was verified."""

    witness: VKey
    time: int
    """When the witness says it signed: seconds since 1970."""


def cosign(checkpoint: Checkpoint, name: str, key: SigningKey, time: int) -> NoteSignature:
    """The line by which the witness `name` cosigns, at `time` in seconds since 1970."""
    assert 0 <= time <= MOST
    signature = key.sign(_cosigned(checkpoint.format(), time))
    hint = key_id(name, SignatureType.COSIGNATURE, key.public)
    return NoteSignature(name, hint, time.to_bytes(_TIME_BYTES) + signature)


def verify_cosignatures(note: Note, witnesses: Iterable[VKey]) -> tuple[Cosignature, ...]:
    """The cosignatures on the note by these witnesses, in their order; a witness may have made several.

    Raises `BadSignature` if a line of one of them does not verify. That the note holds a checkpoint is for
    `verify_checkpoint`.
    """
    return tuple(
        Cosignature(witness, _time_of(note.text, line.signature, witness))
        for witness in witnesses
        for line in dict.fromkeys(note.signatures)
        if line.is_by(witness)
    )


def _time_of(text: str, timestamped: bytes, witness: VKey) -> int:
    assert witness.signature_type is SignatureType.COSIGNATURE
    time, signature = int.from_bytes(timestamped[:_TIME_BYTES]), timestamped[_TIME_BYTES:]
    if (
        len(timestamped) != _TIME_BYTES + SIGNATURE_BYTES
        or time > MOST
        or not verify(witness.public_key, _cosigned(text, time), signature)
    ):
        raise BadSignature(witness.name)
    return time


def _cosigned(text: str, time: int) -> bytes:
    return f"cosignature/v1\ntime {time}\n{text}".encode()
