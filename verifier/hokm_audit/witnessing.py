# SPDX-License-Identifier: Apache-2.0
"""A witness at work: its key, its memory, the logs that it knows, and one question at a time.

    read → verify → compare with the latest and remember → cosign

A cosignature is made when the checkpoint is remembered on the disk, never before: a witness that is killed in between
has remembered what nobody has a signature for, and does no harm.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial

from hokm.checkpoint import cosign
from hokm.note import NoteSignature
from hokm.signing import SignatureType, SigningKey, VKey
from hokm.witness import AddCheckpoint, OtherRoot, succeed, verify_sender
from hokm_audit.memory import Memory

logger = logging.getLogger(__name__)


class Witness:
    """A witness, for any number of logs. `add_checkpoint` may be called from any thread."""

    def __init__(
        self, name: str, key: SigningKey, logs: Sequence[VKey], memory: Memory, now_s: Callable[[], int]
    ) -> None:
        """`now_s` gives seconds since 1970. Raises `BadVKey`, `MemoryOfAnother`, `MemoryUnusable`."""
        self.vkey = VKey(name, SignatureType.COSIGNATURE, key.public)
        self.logs = tuple(logs)
        self._key = key
        self._memory = memory
        self._now_s = now_s
        memory.belong_to(self.vkey.format())

    def add_checkpoint(self, octets: bytes) -> NoteSignature:
        """Answer one request with a cosignature.

        Raises what `AddCheckpoint.parse`, `verify_sender` and `succeed` raise; `MemoryUnusable`.
        """
        request = AddCheckpoint.parse(octets)
        checkpoint = verify_sender(request, self.logs)
        try:
            self._memory.replace(checkpoint.origin, request.note, partial(succeed, request, checkpoint))
        except OtherRoot as error:
            logger.error("%s has signed two checkpoints of size %d: it lies", checkpoint.origin, error.size)
            self._memory.keep_lie(checkpoint.origin, request.note)
            raise
        return cosign(checkpoint, self.vkey.name, self._key, self._now_s())
