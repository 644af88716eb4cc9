# SPDX-License-Identifier: Apache-2.0
"""A log whose key changes: readers of either key read every checkpoint while they change over, and none is signed anew
differently."""

from __future__ import annotations

from pathlib import Path

import pytest

from hokm.checkpoint import verify_checkpoint
from hokm.errors import NotSigned
from hokm.note import Note
from hokm.signing import SignatureType, SigningKey, VKey
from hokm_server.errors import CheckpointUnreadable
from hokm_server.log import Log
from tests.server.stores import ORIGIN, batch, opened

OLD, NEW = SigningKey(b"\x01" * 32), SigningKey(b"\x02" * 32)


def is_read_by(note: bytes, key: SigningKey) -> bool:
    """Whether a reader who trusts this key alone reads the checkpoint."""
    try:
        verify_checkpoint(Note.parse(note), [VKey(ORIGIN, SignatureType.ED25519, key.public)])
    except NotSigned:
        return False
    return True


def test_both_keys_sign_while_readers_change_over(tmp_path: Path) -> None:
    """Then the new one alone; and what was signed before is given by the keys of the day, with the same text."""
    with opened(tmp_path / "log.db") as store:
        log = Log(store, tmp_path / "head", ORIGIN, OLD)
        log.append([batch(1, 0)])
        first = log.publish()
        assert (is_read_by(first.note, OLD), is_read_by(first.note, NEW)) == (True, False)
        log = Log(store, tmp_path / "head", ORIGIN, NEW, OLD)
        log.append([batch(1, 1)])
        both = log.publish()
        assert (is_read_by(both.note, OLD), is_read_by(both.note, NEW)) == (True, True)
        log = Log(store, tmp_path / "head", ORIGIN, NEW, former=[OLD.public])
        log.append([batch(1, 2)])
        assert log.publish().checkpoint.size == 3
        assert not is_read_by(log.published.note, OLD)
        for published in (first, both):
            again = log.checkpoint(published.checkpoint.size)
            assert is_read_by(again.note, NEW)
            assert is_read_by(again.note, OLD)
            assert Note.parse(again.note).text == Note.parse(published.note).text
        assert log.checkpoint(3).note == log.published.note


def test_a_log_that_does_not_know_its_former_key_is_refused(tmp_path: Path) -> None:
    """A key of its own is not enough to go on with what somebody else signed."""
    with opened(tmp_path / "log.db") as store:
        log = Log(store, tmp_path / "head", ORIGIN, OLD)
        log.append([batch(1, 0)])
        log.publish()
        with pytest.raises(CheckpointUnreadable):
            Log(store, tmp_path / "head", ORIGIN, NEW)
