# SPDX-License-Identifier: Apache-2.0
"""A signed note: a text and the signatures of keys with names (C2SP signed-note).

As bytes, in UTF-8 with no control character but the newline::

    <text, any lines, the last one ended by a newline>
    <an empty line>
    — <key name> <base64 of key id[4] || signature>
    <more such lines>

The text ends before the last empty line; a signature is over the text, its last newline included. The name and
the key id together say which key is meant. Lines of unknown keys are passed over; a line of a known key that
does not verify spoils the note.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from hokm.errors import BadNote, BadSignature, NotSigned
from hokm.notation import read_base64, write_base64
from hokm.signing import KEY_ID_BYTES, SignatureType, SigningKey, VKey, fault_of_name, key_id, verify

MOST_BYTES = 1_000_000
MOST_SIGNATURES = 100

_DASH = "— "
_NOT_IN_TEXT = re.compile(r"[\x00-\x09\x0b-\x1f\ud800-\udfff]")


def is_text(text: str) -> bool:
    """Whether `text` can be that of a note: ends in a newline, has no other control character, fits in UTF-8."""
    return text.endswith("\n") and not _NOT_IN_TEXT.search(text)


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """One signature line, not verified by being here. One that exists is well-formed."""

    name: str
    key_id: bytes
    """4 bytes."""
    signature: bytes
    """At least 1 byte; what it holds depends on the type of the key."""

    def __post_init__(self) -> None:
        if (fault := fault_of_name(self.name)) is not None:
            raise BadNote(fault)
        if len(self.key_id) != KEY_ID_BYTES or not self.signature:
            raise BadNote("a signature is too short")

    @classmethod
    def parse(cls, line: str) -> Self:
        """Read one line, given without its newline. Raises `BadNote`."""
        match line.removeprefix(_DASH).split(" "):
            case [name, packed] if line.startswith(_DASH):
                octets = read_base64(packed)
            case _:
                raise BadNote("a signature line is not a dash, a key name and base64 with one space between")
        if octets is None:
            raise BadNote("a signature is not base64")
        return cls(name, octets[:KEY_ID_BYTES], octets[KEY_ID_BYTES:])

    def format(self) -> str:
        """The line that `parse` reads, without its newline."""
        return f"{_DASH}{self.name} {write_base64(self.key_id + self.signature)}"

    def is_by(self, vkey: VKey) -> bool:
        """Whether the line says that this key made it. Only `verify` can tell."""
        return self.name == vkey.name and self.key_id == vkey.key_id


@dataclass(frozen=True, slots=True)
class Note:
    """A text with its signatures, none of them verified by being here. One that exists is well-formed."""

    text: str
    """Ends in a newline."""
    signatures: tuple[NoteSignature, ...]
    """At least one, in the order of their lines."""

    def __post_init__(self) -> None:
        if not is_text(self.text):
            raise BadNote("the text does not end in a newline, or holds what a note's text may not")
        if not 1 <= len(self.signatures) <= MOST_SIGNATURES:
            raise BadNote(f"it has {len(self.signatures)} signatures, not 1 to {MOST_SIGNATURES}")

    @classmethod
    def parse(cls, octets: bytes) -> Self:
        """Read a note, of at most `MOST_BYTES`. Raises `BadNote`."""
        if len(octets) > MOST_BYTES:
            raise BadNote(f"it has more than {MOST_BYTES} bytes")
        try:
            whole = octets.decode()
        except UnicodeDecodeError:
            raise BadNote("it is not UTF-8") from None
        end = whole.rfind("\n\n")
        if end < 0 or not whole.endswith("\n"):
            raise BadNote("it has no empty line before complete signature lines")
        lines = whole[end + 2 :].split("\n")[:-1]
        return cls(whole[: end + 1], tuple(map(NoteSignature.parse, lines[: MOST_SIGNATURES + 1])))

    def format(self) -> bytes:
        """The bytes that `parse` reads."""
        return (self.text + "\n" + "".join(line.format() + "\n" for line in self.signatures)).encode()


def sign_text(text: str, name: str, key: SigningKey) -> NoteSignature:
    """The line by which `key`, called `name`, signs `text` (type 01)."""
    return NoteSignature(name, key_id(name, SignatureType.ED25519, key.public), key.sign(text.encode()))


def verify_note(note: Note, vkeys: Iterable[VKey]) -> tuple[VKey, ...]:
    """Those of `vkeys`, all of type 01, that signed the note: at least one.

    Raises `BadSignature` if a line of one of them does not verify, `NotSigned` if there is none.
    """
    candidates = tuple(vkeys)
    signed_by = tuple(vkey for vkey in candidates if _signed(note, vkey))
    if not signed_by:
        raise NotSigned(" or ".join(sorted({vkey.name for vkey in candidates})) or "the log")
    return signed_by


def _signed(note: Note, vkey: VKey) -> bool:
    assert vkey.signature_type is SignatureType.ED25519
    signatures = {line.signature for line in note.signatures if line.is_by(vkey)}
    if not all(verify(vkey.public_key, note.text.encode(), signature) for signature in signatures):
        raise BadSignature(vkey.name)
    return bool(signatures)
