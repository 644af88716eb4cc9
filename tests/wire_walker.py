# SPDX-License-Identifier: Apache-2.0
"""Protobuf's wire format walked by hand: a second opinion on what is canonical, and every way not to be.

It takes from the contract which fields there are, and nothing from protobuf's own parser and serializer.
`fault_of` says what is wrong with a spelling; `respellings` gives, for a canonical one, spellings that say the same
or more and must all be refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from google.protobuf.descriptor import FieldDescriptor

VARINT, FIXED64, LENGTH, GROUP, END_GROUP, FIXED32 = range(6)

NUMBERS = {
    FieldDescriptor.TYPE_UINT32: 32,
    FieldDescriptor.TYPE_UINT64: 64,
    FieldDescriptor.TYPE_BOOL: 1,
    FieldDescriptor.TYPE_ENUM: 32,
}
"""The types of number that the contract uses, with their bits."""


Kind: TypeAlias = Any
"""The descriptor of a message, of whichever of protobuf's implementations."""


class Fault(Exception):
    """Why a spelling is not canonical."""


Parts: TypeAlias = list[tuple[int, int, Any]]
"""Number, wire type and payload of each field: a number, bytes, or for a message its own parts."""


# Walking.


def fault_of(kind: Kind, body: bytes) -> str | None:
    """What is not canonical about the bytes of such a message, or None."""
    try:
        walk(kind, body)
    except Fault as fault:
        return str(fault)
    return None


def walk(kind: Kind, body: bytes) -> Parts:
    """The parts of a canonical message. Raises `Fault`."""
    parts: Parts = []
    place, last = 0, 0
    chosen = set()
    while place < len(body):
        tag, place = take_varint(body, place)
        number, wire_type = tag >> 3, tag & 7
        field = kind.fields_by_number.get(number)
        if field is None:
            raise Fault("unknown field")
        if number < last or (number == last and not (field.is_repeated and field.type not in NUMBERS)):
            raise Fault("order")
        last = number
        if field.containing_oneof is not None:
            if field.containing_oneof.name in chosen:
                raise Fault("two of one oneof")
            chosen.add(field.containing_oneof.name)
        if field.type in NUMBERS and not field.is_repeated:
            if wire_type != VARINT:
                raise Fault("wire type")
            value, place = take_varint(body, place)
            check_number(field, value)
            if value == 0 and not field.has_presence:
                raise Fault("default")
            parts.append((number, wire_type, value))
            continue
        if wire_type != LENGTH:
            raise Fault("wire type")
        length, place = take_varint(body, place)
        payload = body[place : place + length]
        place += length
        if len(payload) != length:
            raise Fault("cut off")
        if not payload and not field.has_presence and not (field.is_repeated and field.type not in NUMBERS):
            raise Fault("default")
        parts.append((number, wire_type, walk_payload(field, payload)))
    return parts


def walk_payload(field: FieldDescriptor, payload: bytes) -> Any:
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        assert field.message_type is not None
        return walk(field.message_type, payload)
    if field.type in NUMBERS:
        place = 0
        while place < len(payload):
            value, place = take_varint(payload, place)
            check_number(field, value)
    elif field.type == FieldDescriptor.TYPE_STRING:
        try:
            payload.decode()
        except UnicodeDecodeError:
            raise Fault("not UTF-8") from None
    else:
        assert field.type == FieldDescriptor.TYPE_BYTES
    return payload


def take_varint(octets: bytes, place: int) -> tuple[int, int]:
    value = 0
    for count in range(10):
        if place >= len(octets):
            raise Fault("cut off")
        octet = octets[place]
        place += 1
        value |= (octet & 0x7F) << 7 * count
        if octet < 0x80:
            if count and not octet:
                raise Fault("overlong varint")
            if value >= 1 << 64:
                break
            return value, place
    raise Fault("varint past 64 bits")


def check_number(field: FieldDescriptor, value: int) -> None:
    if field.type == FieldDescriptor.TYPE_ENUM:  # an int32: negative ones are sign-extended to 64 bits
        value = value if value < 1 << 31 else (1 << 64) - 1 - value
        if value < 1 << 31:
            return
    if value >= 1 << NUMBERS[field.type]:
        raise Fault("past the field's bits")


# Spelling.


def varint(value: int, extra: int = 0) -> bytes:
    """A varint; `extra` bytes longer than it need be."""
    octets = []
    while True:
        octets.append(value & 0x7F | 0x80)
        value >>= 7
        if not value:
            break
    octets += [0x80] * extra
    octets[-1] &= 0x7F
    return bytes(octets)


def spell_part(number: int, wire_type: int, payload: Any, tag: int = 0, length: int = 0, value: int = 0) -> bytes:
    """One field; tag, length or value so many bytes longer than need be."""
    head = varint(number << 3 | wire_type, tag)
    if wire_type == VARINT:
        return head + varint(payload, value)
    octets = spell(payload) if isinstance(payload, list) else payload
    return head + varint(len(octets), length) + octets


def spell(parts: Parts) -> bytes:
    return b"".join(spell_part(*part) for part in parts)


# Every other way to say it.


def respellings(kind: Kind, body: bytes) -> Iterator[tuple[str, bytes]]:
    """Spellings that are not canonical, of a canonical one, each with the fault that it has, at every depth."""
    parts = walk(kind, body)
    assert spell(parts) == body
    yield from _faults_here(kind, parts)
    for place, (number, wire_type, payload) in enumerate(parts):
        before, after = spell(parts[:place]), spell(parts[place + 1 :])
        if isinstance(payload, list):
            inner = kind.fields_by_number[number].message_type
            assert inner is not None
            for fault, spelled in respellings(inner, spell(payload)):
                yield f"{fault} in {inner.name}", before + spell_part(number, wire_type, spelled) + after


def _faults_here(kind: Kind, parts: Parts) -> Iterator[tuple[str, bytes]]:
    whole = spell(parts)
    unknown = max(kind.fields_by_number, default=0) + 1
    for wire_type, payload in ((VARINT, b"\x00"), (FIXED64, bytes(8)), (LENGTH, b"\x00"), (FIXED32, bytes(4))):
        yield "unknown field", whole + varint(unknown << 3 | wire_type) + payload
        yield "unknown field first", varint(unknown << 3 | wire_type) + payload + whole
    yield "group", whole + varint(unknown << 3 | GROUP) + varint(unknown << 3 | END_GROUP)
    yield "group without end", whole + varint(unknown << 3 | GROUP)
    yield "end of a group", whole + varint(unknown << 3 | END_GROUP)
    yield "field 0", whole + b"\x00\x00"
    for tail in (b"\x00", b"\x80", b"\xff" * 11):
        yield "trailing bytes", whole + tail
    for place, part in enumerate(parts):
        number, wire_type, payload = part
        field = kind.fields_by_number[number]
        before, after = spell(parts[:place]), spell(parts[place + 1 :])
        tag = number << 3 | wire_type
        yield "overlong tag", before + spell_part(*part, tag=1) + after
        yield "group", before + varint(number << 3 | GROUP) + varint(number << 3 | END_GROUP) + after
        yield "wire type", before + varint(number << 3 | FIXED32) + bytes(4) + after
        yield "tag past 32 bits", before + varint(tag + (1 << 32)) + spell_part(*part)[len(varint(tag)) :] + after
        if wire_type == VARINT:
            yield "overlong varint", before + spell_part(*part, value=1) + after
            yield "wire type", before + spell_part(number, LENGTH, varint(payload)) + after
            if NUMBERS[field.type] < 64 and payload:
                more = payload + (1 << 32) if NUMBERS[field.type] == 32 else 2
                yield "past the field's bits", before + spell_part(number, VARINT, more) + after
        else:
            yield "overlong length", before + spell_part(*part, length=1) + after
            yield "cut off", spell(parts[: place + 1])[:-1]
        if not field.is_repeated or field.type in NUMBERS:
            yield "twice", before + 2 * spell_part(*part) + after
        if field.type in NUMBERS and field.is_repeated:
            yield from ((fault, before + spelled + after) for fault, spelled in _unpacked(number, payload))
        if field.type == FieldDescriptor.TYPE_STRING:
            yield "not UTF-8", before + spell_part(number, LENGTH, payload + b"\xff") + after
        if place and parts[place - 1][0] != number:
            swapped = [*parts[: place - 1], part, parts[place - 1], *parts[place + 1 :]]
            yield "order", spell(swapped)
    yield from _additions(kind, parts)


def _unpacked(number: int, payload: bytes) -> Iterator[tuple[str, bytes]]:
    values, place = [], 0
    while place < len(payload):
        value, place = take_varint(payload, place)
        values.append(value)
    yield "unpacked", b"".join(spell_part(number, VARINT, value) for value in values)
    packs = [b"".join(map(varint, half)) for half in (values[:1], values[1:])]
    yield "packed in two", b"".join(spell_part(number, LENGTH, pack) for pack in packs)
    yield "overlong varint", spell_part(number, LENGTH, b"".join(varint(value, 1) for value in values))
    yield "past the field's bits", spell_part(number, LENGTH, b"".join(varint(value + (1 << 32)) for value in values))


def _additions(kind: Kind, parts: Parts) -> Iterator[tuple[str, bytes]]:
    there = {number for number, _, _ in parts}
    for number, field in kind.fields_by_number.items():
        at = sum(other < number for other, _, _ in parts)
        if number in there:
            continue
        wire_type = VARINT if field.type in NUMBERS and not field.is_repeated else LENGTH
        default = spell_part(number, wire_type, 0 if wire_type == VARINT else b"")
        added = spell(parts[:at]) + default + spell(parts[at:])
        if not field.has_presence and not (field.is_repeated and field.type not in NUMBERS):
            yield "default", added
        oneof = field.containing_oneof
        if oneof is not None and any(other.number in there for other in oneof.fields):
            yield "two of one oneof", added
