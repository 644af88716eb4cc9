# SPDX-License-Identifier: Apache-2.0
"""What a witness decides: read as written, from the log alone, and nothing but what grew out of what it cosigned."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hokm.checkpoint import Checkpoint, sign_checkpoint
from hokm.errors import BadNote, BadSignature, HokmError, NotSigned, UnknownLog
from hokm.merkle import EMPTY_ROOT
from hokm.note import Note, NoteSignature
from hokm.signing import SignatureType, SigningKey, VKey
from hokm.witness import (
    MOST_BYTES,
    AddCheckpoint,
    BadRequest,
    NotGrown,
    NotOldSize,
    OtherRoot,
    succeed,
    verify_sender,
)
from tests.simulation import TestHouse

HOUSE = TestHouse()
for _ in range(40):
    HOUSE.append(HOUSE.octets())
LOG = VKey(HOUSE.origin, SignatureType.ED25519, HOUSE.log_key.public)

NOTE = Note("example.org/log\n7\n" + "A" * 43 + "=\n", (NoteSignature("example.org/log", bytes(4), bytes(64)),))
requests = st.builds(
    AddCheckpoint,
    st.integers(0, 2**63 - 1),
    st.lists(st.binary(min_size=32, max_size=32), max_size=63).map(tuple),
    st.just(NOTE),
)


def asked(old: int, new: int) -> AddCheckpoint:
    """What the house asks of a witness that has seen `old` leaves."""
    return AddCheckpoint(old, HOUSE.consistency(old, new), Note.parse(HOUSE.publish(new, cosigners=0).encode()))


# Reading.


@given(requests)
def test_a_request_is_read_as_it_was_written(request: AddCheckpoint) -> None:
    """parse is the inverse of format."""
    assert AddCheckpoint.parse(request.format()) == request


@given(requests, st.integers(0), st.binary(max_size=2))
def test_a_request_has_one_spelling(request: AddCheckpoint, where: int, octets: bytes) -> None:
    """With a byte replaced it is refused, or another request's own spelling."""
    written = request.format()
    place = where % len(written)
    mangled = written[:place] + octets + written[place + 1 :]
    try:
        other = AddCheckpoint.parse(mangled)
    except HokmError:
        return
    assert other.format() == mangled


GOOD_NOTE = NOTE.format().decode()
HASH = "A" * 43 + "=\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        f"old 3\n{GOOD_NOTE}",
        f"old 03\n\n{GOOD_NOTE}",
        f"old -3\n\n{GOOD_NOTE}",
        f"old  3\n\n{GOOD_NOTE}",
        f"old 3 \n\n{GOOD_NOTE}",
        f"Old 3\n\n{GOOD_NOTE}",
        f"3\n\n{GOOD_NOTE}",
        f"old ٣\n\n{GOOD_NOTE}",
        f"old {2**63}\n\n{GOOD_NOTE}",
        f"old 3\nAAAA\n\n{GOOD_NOTE}",
        f"old 3\n{HASH.replace('=', '')}\n{GOOD_NOTE}",
        f"old 3\r\n\n{GOOD_NOTE}",
        f"old 3\n{HASH * 64}\n{GOOD_NOTE}",
        f"old 3\n\n{GOOD_NOTE}{' ' * MOST_BYTES}",
    ],
)
def test_what_is_no_request_is_refused(text: str) -> None:
    """Each for what it says about itself."""
    with pytest.raises((BadRequest, BadNote)):
        AddCheckpoint.parse(text.encode())


def test_sixty_three_hashes_are_taken() -> None:
    """As many as a tree can need."""
    assert len(AddCheckpoint.parse(f"old 3\n{HASH * 63}\n{GOOD_NOTE}".encode()).proof) == 63


# Who sends it.


def test_a_checkpoint_of_a_known_log_is_taken() -> None:
    """By the key of its name, whoever else signed it too."""
    request = asked(0, 10)
    foreign = NoteSignature("example.org/other", bytes(4), bytes(64))
    both = dataclasses.replace(request, note=Note(request.note.text, (foreign, *request.note.signatures)))
    assert verify_sender(both, [LOG]) == HOUSE.checkpoint(10)


def test_what_a_known_log_did_not_sign_is_refused() -> None:
    """Unknown, not signed, or signed wrongly: three refusals."""
    request = asked(0, 10)
    with pytest.raises(UnknownLog):
        verify_sender(request, [VKey("example.org/other", SignatureType.ED25519, HOUSE.log_key.public)])
    with pytest.raises(NotSigned):
        verify_sender(request, [VKey(HOUSE.origin, SignatureType.ED25519, SigningKey(bytes(32)).public)])
    (line,) = request.note.signatures
    false = dataclasses.replace(line, signature=bytes(64))
    with pytest.raises(BadSignature):
        verify_sender(dataclasses.replace(request, note=Note(request.note.text, (false,))), [LOG])


def test_the_old_size_is_not_above_the_new() -> None:
    """Whoever asks has mistaken one for the other."""
    with pytest.raises(BadRequest):
        verify_sender(dataclasses.replace(asked(0, 10), old_size=11), [LOG])


# What it comes after.


@pytest.mark.parametrize(("old", "new"), [(0, 0), (0, 1), (0, 44), (1, 44), (7, 8), (20, 20), (44, 44)])
def test_what_grew_is_cosigned(old: int, new: int) -> None:
    """From nothing, from anything smaller, and the same again."""
    succeed(asked(old, new), HOUSE.checkpoint(new), HOUSE.checkpoint(old) if old else None)


def test_another_old_size_is_answered_with_the_right_one() -> None:
    """Whether it is too low or too high, and at the first question."""
    for size, old in ((0, 5), (5, 0), (9, 5)):
        with pytest.raises(NotOldSize) as caught:
            succeed(asked(old, 20), HOUSE.checkpoint(20), HOUSE.checkpoint(size) if size else None)
        assert caught.value.size == size


def other_root(size: int) -> tuple[AddCheckpoint, Checkpoint]:
    """The log's signature under another tree of that size."""
    checkpoint = Checkpoint(HOUSE.origin, size, bytes(32))
    return AddCheckpoint(size, (), sign_checkpoint(checkpoint, HOUSE.log_key)), checkpoint


@pytest.mark.parametrize("size", [0, 9])
def test_two_roots_of_one_size_are_a_lie(size: int) -> None:
    """Of size 0 too, of which there is one root."""
    request, checkpoint = other_root(size)
    latest = HOUSE.checkpoint(size)
    assert (latest.root == EMPTY_ROOT) == (size == 0)
    with pytest.raises(OtherRoot):
        succeed(request, checkpoint, latest)


@pytest.mark.parametrize("old", [0, 6, 9])
def test_what_did_not_grow_is_refused(old: int) -> None:
    """With a proof too short, too long, of another tree; and for equal sizes with any proof at all."""
    good = asked(old, 9)
    proofs = {(), (*good.proof, bytes(32)), good.proof[:-1], tuple(bytes(32) for _ in good.proof)} - {good.proof}
    for proof in proofs:
        with pytest.raises(NotGrown):
            succeed(dataclasses.replace(good, proof=proof), HOUSE.checkpoint(9), HOUSE.checkpoint(old))
