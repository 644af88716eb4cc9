# SPDX-License-Identifier: Apache-2.0
"""What a witness does with a checkpoint that it is sent (C2SP tlog-witness), its memory passed in.

A witness remembers of each log the latest checkpoint that it cosigned, and cosigns another one only if its tree begins
with that one's. So whoever sees its cosignature knows that the log has shown the witness no other history. What it is
asked (add-checkpoint)::

    old <size of the latest checkpoint that it cosigned, decimal>
    <a hash of the consistency proof from there, base64>
    <more such lines, 63 at most>
    <an empty line>
    <the new checkpoint, a signed note>

Reading and verifying need no memory; `succeed` does, and from it until the new checkpoint is remembered nothing else
may be remembered of that log.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from hokm.checkpoint import Checkpoint, verify_checkpoint
from hokm.errors import Conflict, Malformed, UnknownLog
from hokm.merkle import EMPTY_ROOT, HASH_BYTES, check_consistency
from hokm.notation import MOST, read_base64, read_decimal, write_base64
from hokm.note import Note
from hokm.signing import VKey

MOST_BYTES: Final = 64 * 1024
"""Of a request. The proof takes 3 KiB of it at most."""
MOST_HASHES: Final = 63

_OLD: Final = "old "


# What stands against a cosignature, besides what makes no note or no checkpoint. None of it is of the API of games.


class BadRequest(Malformed):
    """Not what a witness can be asked."""

    what: str
    sentence = "The request is malformed: {what}."


class NotOldSize(Conflict):
    """The request goes on from another size than that of the latest checkpoint that was cosigned."""

    size: int
    sentence = "The latest checkpoint that was cosigned has size {size}."


class OtherRoot(Conflict):
    """Two checkpoints of one size: whoever has both signatures can prove that the log lies."""

    size: int
    sentence = "The checkpoint of size {size} that was cosigned has another root."


class NotGrown(Malformed):
    """The proof does not show that the new tree begins with the old one."""

    old_size: int
    size: int
    sentence = "The proof does not show that the tree of {size} leaves grew out of that of {old_size}."


@dataclass(frozen=True, slots=True)
class AddCheckpoint:
    """A request, nothing of it verified by being here. One that exists is well-formed."""

    old_size: int
    """From 0 to 2^63 - 1."""
    proof: tuple[bytes, ...]
    """32 bytes each."""
    note: Note

    def __post_init__(self) -> None:
        if not 0 <= self.old_size <= MOST:
            raise BadRequest("the old size is out of range")
        if len(self.proof) > MOST_HASHES or any(len(node) != HASH_BYTES for node in self.proof):
            raise BadRequest(f"the proof is not at most {MOST_HASHES} hashes of {HASH_BYTES} bytes")

    @classmethod
    def parse(cls, octets: bytes) -> Self:
        """Read the body of a request. Raises `BadRequest`, `BadNote`."""
        if len(octets) > MOST_BYTES:
            raise BadRequest(f"it has more than {MOST_BYTES} bytes")
        head, between, note = octets.partition(b"\n\n")
        try:
            first, *lines = head.decode("ascii").split("\n")
        except UnicodeDecodeError:
            raise BadRequest("the lines before the checkpoint are not ASCII") from None
        if not between:
            raise BadRequest("there is no empty line before the checkpoint")
        old_size = read_decimal(first.removeprefix(_OLD)) if first.startswith(_OLD) else None
        if old_size is None:
            raise BadRequest("it does not begin with the word old, a space and a size")
        proof = [read_base64(line) for line in lines]
        return cls(old_size, tuple(node or b"" for node in proof), Note.parse(note))

    def format(self) -> bytes:
        """The body that `parse` reads."""
        lines = [f"{_OLD}{self.old_size}", *map(write_base64, self.proof)]
        return "".join(line + "\n" for line in lines).encode() + b"\n" + self.note.format()


def verify_sender(request: AddCheckpoint, logs: Sequence[VKey]) -> Checkpoint:
    """The checkpoint that a log of these keys wants to have cosigned.

    Raises `BadCheckpoint`; `UnknownLog`; `NotSigned` or `BadSignature` if the log did not sign it; `BadRequest` if the
    old size is above its own.
    """
    origin = Checkpoint.parse(request.note.text).origin
    keys = [vkey for vkey in logs if vkey.name == origin]
    if not keys:
        raise UnknownLog(origin)
    checkpoint = verify_checkpoint(request.note, keys)
    if request.old_size > checkpoint.size:
        raise BadRequest("the old size is above that of the checkpoint")
    return checkpoint


def succeed(request: AddCheckpoint, checkpoint: Checkpoint, latest: Checkpoint | None) -> None:
    """See that `checkpoint` may come after the latest one that was cosigned, None where there was none.

    Raises `NotOldSize`, `OtherRoot`, `NotGrown`.
    """
    size, root = (0, EMPTY_ROOT) if latest is None else (latest.size, latest.root)
    if request.old_size != size:
        raise NotOldSize(size)
    if checkpoint.size == size and checkpoint.root != root:
        raise OtherRoot(size)
    if not check_consistency(size, root, checkpoint.size, checkpoint.root, request.proof):
        raise NotGrown(size, checkpoint.size)
