# SPDX-License-Identifier: Apache-2.0
"""Signed notes: read as written, mutations refused, signatures of known keys only."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hokm.errors import BadNote, BadSignature, NotSigned
from hokm.note import MOST_BYTES, MOST_SIGNATURES, Note, NoteSignature, sign_text, verify_note
from hokm.signing import SignatureType, SigningKey, VKey
from tests import vector_files
from tests.verifier.test_signing import names

KEY = SigningKey(bytes(32))
VKEY = VKey("example.org/a", SignatureType.ED25519, KEY.public)
OTHER = SigningKey(bytes([1]) * 32)
OTHER_VKEY = VKey("example.org/b", SignatureType.ED25519, OTHER.public)

texts = st.text(
    st.one_of(
        st.just("\n"), st.characters(exclude_categories=["Cs"], exclude_characters=[chr(code) for code in range(32)])
    )
)
signatures = st.builds(NoteSignature, names, st.binary(min_size=4, max_size=4), st.binary(min_size=1, max_size=80))
notes = st.builds(Note, texts.map(lambda text: text + "\n"), st.lists(signatures, min_size=1, max_size=4).map(tuple))


def signed(text: str) -> Note:
    return Note(text, (sign_text(text, VKEY.name, KEY),))


PUBLISHED = vector_files.document("public/notes/notes.json")["notes"]


@pytest.mark.parametrize("case", PUBLISHED, ids=lambda case: case["id"])
def test_published_notes(case: dict[str, Any]) -> None:
    """Notes of other programs are read, written back, and good; with one letter of the text changed they are not."""
    octets = case["note"].encode()
    note = Note.parse(octets)
    assert note.format() == octets
    vkeys = [VKey.parse(text) for text in case["vkeys"]]
    of_text = [vkey for vkey in vkeys if vkey.signature_type is SignatureType.ED25519]
    assert verify_note(note, of_text) == tuple(of_text)
    assert {vkey.name for vkey in of_text} <= set(case["valid_for"])
    with pytest.raises(BadSignature):
        verify_note(Note("X" + note.text[1:], note.signatures), of_text)


@given(notes)
def test_a_note_is_read_as_it_was_written(note: Note) -> None:
    """parse is the inverse of format, whatever empty lines the text has."""
    assert Note.parse(note.format()) == note


@given(notes, st.integers(0), st.one_of(st.just(b""), st.binary(min_size=1, max_size=1)))
def test_a_note_has_one_spelling(note: Note, where: int, octet: bytes) -> None:
    """With a byte replaced or removed it is refused, or another note's own spelling."""
    octets = note.format()
    place = where % len(octets)
    mangled = octets[:place] + octet + octets[place + 1 :]
    try:
        other = Note.parse(mangled)
    except BadNote:
        return
    assert other.format() == mangled


GOOD = signed("text\n").format()
LINE = GOOD.split(b"\n")[2]


@pytest.mark.parametrize(
    "octets",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"text\n", id="no signatures, no empty line"),
        pytest.param(b"text\n\n", id="no signatures"),
        pytest.param(b"text\n" + LINE + b"\n", id="no empty line"),
        pytest.param(GOOD[:-1], id="last newline missing"),
        pytest.param(GOOD + b"\n", id="an empty line more"),
        pytest.param(GOOD + b"rest\n", id="something after the signatures"),
        pytest.param(b"\n" + LINE + b"\n", id="no text"),
        pytest.param(GOOD.replace(b"\n", b"\r\n"), id="carriage returns"),
        pytest.param(GOOD.replace(b"text", b"te\txt"), id="tab in the text"),
        pytest.param(GOOD.replace(b"text", b"te\0xt"), id="zero in the text"),
        pytest.param(GOOD.replace(b"text", b"te\xffxt"), id="not UTF-8"),
        pytest.param(GOOD.replace(b"text", b"te\xed\xa0\x80xt"), id="surrogate"),
        pytest.param(GOOD.replace("—".encode(), b"-"), id="hyphen"),
        pytest.param(GOOD.replace("— ".encode(), "—".encode()), id="no space after the dash"),
        pytest.param(GOOD.replace("— ".encode(), "—  ".encode()), id="two spaces after the dash"),
        pytest.param(GOOD.replace(b"/a ", b"/a  "), id="two spaces after the name"),
        pytest.param(GOOD.replace(b"/a ", b"+a "), id="plus in the name"),
        pytest.param(GOOD.replace(b"/a ", "\u00a0a ".encode()), id="space of another kind in the name"),
        pytest.param(GOOD[:-1] + b" \n", id="space at the end"),
        pytest.param(GOOD[:-2] + b"\n", id="padding missing"),
        pytest.param("text\n\n— a \n".encode(), id="signature empty"),
        pytest.param("text\n\n— a AAAAAA==\n".encode(), id="key id alone"),
    ],
)
def test_what_is_no_note(octets: bytes) -> None:
    """Each of these faults is refused."""
    assert Note.parse(GOOD).format() == GOOD
    with pytest.raises(BadNote):
        Note.parse(octets)


def test_limits() -> None:
    """A hundred signatures and a million bytes are taken, one more is not."""
    line = NoteSignature("a", bytes(4), b"s")
    most = Note("text\n", (line,) * MOST_SIGNATURES).format()
    assert len(Note.parse(most).signatures) == MOST_SIGNATURES
    with pytest.raises(BadNote, match="101 signatures"):
        Note.parse(most + (line.format() + "\n").encode())
    longest = b"x" * (MOST_BYTES - len(GOOD)) + GOOD
    assert Note.parse(longest).format() == longest
    with pytest.raises(BadNote, match="more than"):
        Note.parse(b"x" + longest)


def test_who_signed() -> None:
    """Of several known keys those that signed are named; a note of none of them is refused."""
    note = signed("text\n")
    both = Note(note.text, (*note.signatures, sign_text(note.text, OTHER_VKEY.name, OTHER)))
    assert verify_note(both, [OTHER_VKEY, VKEY]) == (OTHER_VKEY, VKEY)
    assert verify_note(note, [OTHER_VKEY, VKEY]) == (VKEY,)
    with pytest.raises(NotSigned, match=r"no signature by example\.org/b"):
        verify_note(note, [OTHER_VKEY])
    with pytest.raises(NotSigned):
        verify_note(note, [])


def test_unknown_lines_are_passed_over() -> None:
    """A line that shares only the name or only the id with a known key is of an unknown key."""
    note = signed("text\n")
    nonsense = [NoteSignature(VKEY.name, bytes(4), b"x"), NoteSignature("other", VKEY.key_id, b"x")]
    assert verify_note(Note(note.text, (*nonsense, *note.signatures)), [VKEY]) == (VKEY,)
    with pytest.raises(NotSigned):
        verify_note(Note(note.text, tuple(nonsense)), [VKEY])


@pytest.mark.parametrize("first", [True, False])
def test_a_bad_line_of_a_known_key_spoils_the_note(first: bool) -> None:
    """Before or after a good line, of the same key or of another."""
    note = signed("text\n")
    for vkey in (VKEY, OTHER_VKEY):
        bad = NoteSignature(vkey.name, vkey.key_id, bytes(64))
        lines = (bad, *note.signatures) if first else (*note.signatures, bad)
        with pytest.raises(BadSignature, match=vkey.name):
            verify_note(Note(note.text, lines), [VKEY, OTHER_VKEY])
