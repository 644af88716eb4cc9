# SPDX-License-Identifier: Apache-2.0
"""Checkpoints and cosignatures: read as written, signed by the log under its own name, cosigned with a time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hokm.checkpoint import (
    Checkpoint,
    Cosignature,
    cosign,
    sign_checkpoint,
    verify_checkpoint,
    verify_cosignatures,
)
from hokm.errors import BadCheckpoint, BadNote, BadSignature, NotSigned
from hokm.merkle import EMPTY_ROOT
from hokm.notation import MOST
from hokm.note import Note, NoteSignature
from hokm.signing import SignatureType, SigningKey, VKey
from tests import vector_files

ORIGIN = "example.org/hokm"
KEY = SigningKey(bytes(32))
LOG = VKey(ORIGIN, SignatureType.ED25519, KEY.public)
WITNESS_KEY = SigningKey(bytes([7]) * 32)
WITNESS = VKey("witness.example/w", SignatureType.COSIGNATURE, WITNESS_KEY.public)

origins = st.text(
    st.sampled_from([chr(code) for code in range(0x21, 0x7F) if chr(code) != "+"]), min_size=1, max_size=255
)
lines = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20)
checkpoints = st.builds(
    Checkpoint,
    origins,
    st.integers(0, MOST),
    st.binary(min_size=32, max_size=32),
    st.lists(lines, max_size=3).map(tuple),
)


@given(checkpoints)
def test_a_checkpoint_is_read_as_it_was_written(checkpoint: Checkpoint) -> None:
    """parse is the inverse of format."""
    assert Checkpoint.parse(checkpoint.format()) == checkpoint


@given(checkpoints, st.integers(0), st.one_of(st.just(""), st.sampled_from("\n 0A="), st.characters()))
def test_a_checkpoint_has_one_spelling(checkpoint: Checkpoint, where: int, character: str) -> None:
    """With a character replaced or removed it is refused, or another checkpoint's own spelling."""
    text = checkpoint.format()
    place = where % len(text)
    mangled = text[:place] + character + text[place + 1 :]
    try:
        other = Checkpoint.parse(mangled)
    except BadCheckpoint:
        return
    assert other.format() == mangled


ROOT = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I="


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        f"{ORIGIN}\n5\n",
        f"{ORIGIN}\n5\n{ROOT}",
        f"\n5\n{ROOT}\n",
        f"{ORIGIN}\n05\n{ROOT}\n",
        f"{ORIGIN}\n-5\n{ROOT}\n",
        f"{ORIGIN}\n+5\n{ROOT}\n",
        f"{ORIGIN}\n5 \n{ROOT}\n",
        f"{ORIGIN}\n٥\n{ROOT}\n",
        f"{ORIGIN}\n{2**63}\n{ROOT}\n",
        f"{ORIGIN}\n\n{ROOT}\n",
        f"{ORIGIN}\n5\n\n",
        f"{ORIGIN}\n5\n{ROOT[:-1]}\n",
        f"{ORIGIN}\n5\n{ROOT} \n",
        f"{ORIGIN}\n5\n{ROOT[:-2]}J=\n",
        f"{ORIGIN}\n5\nAAAA\n",
        f"{ORIGIN}\n5\n{ROOT}\n\n",
        f"{ORIGIN}\n5\n{ROOT}\n\nextension\n",
        f"{ORIGIN}\r\n5\r\n{ROOT}\r\n",
        f"a b\n5\n{ROOT}\n",
        f"a+b\n5\n{ROOT}\n",
        f"é\n5\n{ROOT}\n",
        f"{'x' * 256}\n5\n{ROOT}\n",
    ],
)
def test_what_is_no_checkpoint(text: str) -> None:
    """Each of these faults is refused."""
    assert Checkpoint.parse(f"{ORIGIN}\n5\n{ROOT}\n").size == 5
    with pytest.raises(BadCheckpoint):
        Checkpoint.parse(text)


@pytest.mark.parametrize("extension", ["", "two\nlines", "\t", "\r", "\ud800"])
def test_an_extension_is_one_line_that_says_something(extension: str) -> None:
    """Empty ones, several in one and control characters are refused when they are made, too."""
    with pytest.raises(BadCheckpoint):
        Checkpoint(ORIGIN, 0, EMPTY_ROOT, (extension,))


# Signed by the log.


@given(checkpoints)
def test_a_log_signs(checkpoint: Checkpoint) -> None:
    """What the log signed is read back from the note's bytes."""
    note = Note.parse(sign_checkpoint(checkpoint, KEY).format())
    log = VKey(checkpoint.origin, SignatureType.ED25519, KEY.public)
    assert verify_checkpoint(note, [log]) == checkpoint


def test_a_log_signs_under_its_own_name_only() -> None:
    """A good signature by a known key of another name is no signature of this log."""
    checkpoint = Checkpoint("another.example", 5, bytes(32))
    text = checkpoint.format()
    line = NoteSignature(LOG.name, LOG.key_id, KEY.sign(text.encode()))
    with pytest.raises(NotSigned):
        verify_checkpoint(Note(text, (line,)), [LOG])


def test_a_changed_checkpoint_is_refused() -> None:
    """Another size under the old signature."""
    note = sign_checkpoint(Checkpoint(ORIGIN, 5, bytes(32)), KEY)
    with pytest.raises(BadSignature):
        verify_checkpoint(Note(note.text.replace("\n5\n", "\n6\n"), note.signatures), [LOG])


def test_a_note_that_is_no_checkpoint_is_refused() -> None:
    """However well signed."""
    text = "hello\n"
    with pytest.raises(BadCheckpoint):
        verify_checkpoint(Note(text, (NoteSignature(LOG.name, LOG.key_id, KEY.sign(text.encode())),)), [LOG])


# Cosigned by witnesses.


def cosigned(*lines: NoteSignature) -> Note:
    note = sign_checkpoint(Checkpoint(ORIGIN, 5, bytes(32)), KEY)
    return Note(note.text, (*note.signatures, *lines))


@given(checkpoints, st.integers(0, MOST))
def test_a_witness_cosigns(checkpoint: Checkpoint, time: int) -> None:
    """What the witness cosigned is read back with its time, from the note's bytes."""
    note = sign_checkpoint(checkpoint, KEY)
    line = cosign(checkpoint, WITNESS.name, WITNESS_KEY, time)
    whole = Note.parse(Note(note.text, (*note.signatures, line)).format())
    assert verify_cosignatures(whole, [WITNESS]) == (Cosignature(WITNESS, time),)
    assert verify_cosignatures(note, [WITNESS]) == ()


def test_what_a_witness_signs() -> None:
    """The message is that of the C2SP example, time in a line of its own before the text."""
    examples = vector_files.document("public/notes/c2sp_format_examples.json")
    note = Note.parse(examples["cosigned_checkpoint"].encode())
    checkpoint = Checkpoint.parse(note.text)
    line = cosign(checkpoint, "witness.example.com/w1", WITNESS_KEY, 1679315147)
    assert line.signature[:8] == note.signatures[1].signature[:8]
    assert line.signature[8:] == WITNESS_KEY.sign(examples["cosignature_v1_signed_message"].encode())


def test_a_checkpoint_of_the_world() -> None:
    """A real checkpoint with three cosignatures: all verify, at the published time."""
    notes = vector_files.document("public/notes/notes.json")["notes"]
    case = next(case for case in notes if "cosignature_unix_time" in case)
    log, *witnesses = (VKey.parse(text) for text in case["vkeys"])
    note = Note.parse(case["note"].encode())
    checkpoint = verify_checkpoint(note, [log])
    assert (checkpoint.origin, str(checkpoint.size)) == (log.name, note.text.split("\n")[1])
    expected = tuple(Cosignature(witness, case["cosignature_unix_time"]) for witness in witnesses)
    assert verify_cosignatures(note, witnesses) == expected


def test_a_witness_may_cosign_twice() -> None:
    """Both cosignatures are told, in the order of the lines."""
    checkpoint = Checkpoint(ORIGIN, 5, bytes(32))
    note = cosigned(*(cosign(checkpoint, WITNESS.name, WITNESS_KEY, time) for time in (9, 8)))
    assert [seen.time for seen in verify_cosignatures(note, [WITNESS])] == [9, 8]


@pytest.mark.parametrize("fault", ["time", "signature", "short", "long", "plain", "too late", "other checkpoint"])
def test_a_bad_cosignature_spoils_the_note(fault: str) -> None:
    """Of a known witness each line must verify; of an unknown one nobody looks."""
    checkpoint = Checkpoint(ORIGIN, 5, bytes(32))
    good = cosign(checkpoint, WITNESS.name, WITNESS_KEY, 1000).signature
    match fault:
        case "time":
            bad = (1001).to_bytes(8) + good[8:]
        case "signature":
            bad = good[:-1] + bytes([good[-1] ^ 1])
        case "short":
            bad = good[:-1]
        case "long":
            bad = good + b"\0"
        case "plain":
            bad = WITNESS_KEY.sign(checkpoint.format().encode())
        case "too late":
            message = f"cosignature/v1\ntime {2**63}\n{checkpoint.format()}"
            bad = (2**63).to_bytes(8) + WITNESS_KEY.sign(message.encode())
        case _:
            bad = cosign(Checkpoint(ORIGIN, 6, bytes(32)), WITNESS.name, WITNESS_KEY, 1000).signature
    note = cosigned(NoteSignature(WITNESS.name, WITNESS.key_id, bad))
    with pytest.raises(BadSignature, match=WITNESS.name):
        verify_cosignatures(note, [WITNESS])
    assert verify_cosignatures(note, []) == ()
    assert verify_checkpoint(note, [LOG]) == checkpoint


def test_format_examples_of_c2sp() -> None:
    """The published examples are read and written back."""
    examples = vector_files.document("public/notes/c2sp_format_examples.json")
    for octets in (
        examples["cosigned_checkpoint"].encode(),
        examples["add_checkpoint_request"].partition("\n\n")[2].encode(),
    ):
        note = Note.parse(octets)
        assert note.format() == octets
        assert Checkpoint.parse(note.text).format() == note.text
    with pytest.raises(BadNote):
        Note.parse(examples["cosignature_v1_signed_message"].encode())
