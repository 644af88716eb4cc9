# SPDX-License-Identifier: Apache-2.0
"""One spelling for every message and bounds for every field: how signed bytes become values, and values bytes.

Protobuf lets one message be spelled in many ways. Signed bytes are hashed and kept as they came, so exactly one
spelling of each message is read here, that which `write_message` makes:

- fields in ascending number, each that is not repeated once, no two of one `oneof`;
- no default value (0, false, empty) where the field has no presence;
- the shortest varint for each number, and numbers that fit the field;
- repeated numbers packed; text in UTF-8; no group;
- no field that is not known here, at any depth, and nothing behind the last.

A message that says the same otherwise is `NotCanonical`; one that may say something to a later reader is
`NotUnderstood`; both are found by writing again what was read, without the unknown fields, and comparing. (There
are no maps and no floats in signed messages, for which protobuf would promise no one spelling.)

A `Record` is a message and the frozen value that it stands for, field by field. Every field is held to its bounds
both ways: what cannot be read cannot be written. An error names the field.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final, Generic, NoReturn, TypeVar

from google.protobuf.message import DecodeError, Message

from hokm.deal import check_context
from hokm.errors import Malformed, Missing, NotAscending, NotCanonical, NotUnderstood, OutOfRange, TooLong, WrongLength

M = TypeVar("M", bound=Message)
T = TypeVar("T")

MOST_U32: Final = 2**32 - 1
MOST_U64: Final = 2**64 - 1


# Messages.


def read_message(kind: type[M], body: bytes, most: int, name: str) -> M:
    """The message that `body` spells, in at most so many bytes; `name` says in errors what it was to be.

    Raises `TooLong` before anything else is looked at, `NotCanonical`, `NotUnderstood`.
    """
    if len(body) > most:
        raise TooLong(name, len(body), most)
    try:
        message = kind.FromString(body)
    except (DecodeError, ValueError):  # protobuf's slow twin in pure Python has the second for text that is not UTF-8
        raise NotCanonical(name) from None
    message.DiscardUnknownFields()
    if message.SerializeToString() != body:
        _say_why(kind, body, name)
    return message


def _say_why(kind: type[M], body: bytes, name: str) -> NoReturn:
    message = kind.FromString(body)
    whole = message.SerializeToString()
    message.DiscardUnknownFields()
    if message.SerializeToString() != whole:
        raise NotUnderstood(name, "it has a field that is not known here")
    raise NotCanonical(name)


def write_message(message: Message, most: int, name: str) -> bytes:
    """The one spelling of a message. Raises `TooLong`."""
    body = message.SerializeToString()
    if len(body) > most:
        raise TooLong(name, len(body), most)
    return body


# Fields.


@dataclass(frozen=True, slots=True)
class Field:
    """What one field may hold: from the message to the value, and back; both are given the field's name."""

    read: Callable[[str, Any], Any]
    write: Callable[[str, Any], Any]
    has_presence: bool = False
    """Whether a message can tell "not there" from the default."""
    may_lack: bool = False
    """Whether it may be "not there": then the value is None."""


def _checked(check: Callable[[str, Any], Any]) -> Field:
    return Field(check, check)


def _as_it_is(name: str, value: Any) -> Any:
    return value


def octets(length: int, *, or_none: bool = False) -> Field:
    """Bytes, exactly so many; `or_none`: or none at all."""

    def check(name: str, value: bytes) -> bytes:
        if len(value) != length and (value or not or_none):
            raise WrongLength(name, len(value), length)
        return value

    return _checked(check)


def number(least: int, most: int) -> Field:
    """A number within these bounds."""

    def check(name: str, value: int) -> int:
        if not least <= value <= most:
            raise OutOfRange(name, value, least, most)
        return value

    return _checked(check)


def one_of(*choices: IntEnum) -> Field:
    """One of these members of an enum. A number that the enum does not have is `NotUnderstood`, and 0 too."""
    others = {int(member) for member in type(choices[0])}
    known = {int(choice): choice for choice in choices}

    def check(name: str, value: int) -> IntEnum:
        choice = known.get(value)
        if choice is None:
            if value in others:
                raise OutOfRange(name, value, min(known), max(known))
            raise NotUnderstood(name, f"its value {value} is not known here" if value else "it is not set")
        return choice

    return _checked(check)


def several(item: Field, least: int, most: int) -> Field:
    """A tuple of so many."""

    def count(name: str, items: Any) -> int:
        length = len(items)
        if not least <= length <= most:
            if least == most:
                raise WrongLength(name, length, least)
            raise OutOfRange(f"count of {name}", length, least, most)
        return length

    def read(name: str, items: Any) -> tuple[Any, ...]:
        count(name, items)
        if item.read is _as_it_is:
            return tuple(items)
        try:
            return tuple([item.read(name, value) for value in items])
        except Malformed:
            for place, value in enumerate(items):  # again, to say which of them it is
                item.read(f"{name}[{place}]", value)
            raise

    def write(name: str, items: Any) -> list[Any]:
        count(name, items)
        return [item.write(f"{name}[{place}]", value) for place, value in enumerate(items)]

    return Field(read, write)


def exactly(count: int, item: Field, *, or_none: bool = False) -> Field:
    """A tuple of exactly so many; `or_none`: or of none at all."""
    exact = several(item, count, count)
    if not or_none:
        return exact
    return Field(
        lambda name, items: exact.read(name, items) if items else (),
        lambda name, items: exact.write(name, items) if items else [],
    )


def ascending(items: Field, by: Callable[[Any], int] = int) -> Field:
    """The same, if each is greater than the one before."""

    def in_order(name: str, values: Any) -> Any:
        places = [by(value) for value in values]
        if places != sorted(set(places)):
            raise NotAscending(name)
        return values

    return Field(
        lambda name, message: in_order(name, items.read(name, message)),
        lambda name, values: items.write(name, in_order(name, values)),
    )


def optional(field: Field) -> Field:
    """The same, or nothing: None."""
    return Field(
        field.read,
        lambda name, value: None if value is None else field.write(name, value),
        has_presence=True,
        may_lack=True,
    )


def _check_context(name: str, ctx: bytes) -> bytes:
    check_context(ctx)
    return ctx


def _check_text(name: str, text: str) -> str:
    if not text:
        raise Missing(name)
    return text


def _unsigned(most: int) -> Field:
    """A number of so many bits: protobuf reads no other."""
    return Field(_as_it_is, number(0, most).write)


FLAG: Final = _checked(_as_it_is)
TEXT: Final = _checked(_check_text)
"""Not empty."""
U32: Final = _unsigned(MOST_U32)
U64: Final = _unsigned(MOST_U64)
SEAT: Final = number(0, 3)
SIDE: Final = number(0, 1)
SUIT: Final = number(0, 3)
CARD: Final = number(0, 51)
HASH: Final = octets(32)
"""A hash, a root, a commitment; keys, nonces, numbers, salts and game ids have the same length."""
KEY: Final = HASH
CONTEXT: Final = _checked(_check_context)
"""41 bytes with a purpose and the round that goes with it."""
BY_SIDE: Final = exactly(2, U32)


# Records.


@dataclass(frozen=True, slots=True)
class Record(Generic[T]):
    """A kind of message and the kind of value that it stands for, both ways."""

    kind: type[T]
    read: Callable[[Any], T]
    write: Callable[[T], Any]

    def read_by(self, read: Callable[[Any], T]) -> Record[T]:
        """The same, read by a function that does so faster."""
        return Record(self.kind, read, self.write)

    def field(self) -> Field:
        """A field that holds one of these."""
        return Field(lambda name, message: self.read(message), lambda name, value: self.write(value), has_presence=True)


def record(kind: type[T], message: type[Message], /, **named: Field) -> Record[T]:
    """The record of a kind of value and a message, whose fields have the value's names in the value's order."""
    assert (*named,) == kind.__match_args__  # type: ignore[attr-defined]
    assert named.keys() <= {*message.DESCRIPTOR.fields_by_name}
    fields = [
        (name, None if field.read is _as_it_is else field.read, field.has_presence, field.may_lack)
        for name, field in named.items()
    ]

    def read(message: Any) -> T:
        values: list[Any] = []
        for name, check, has_presence, may_lack in fields:
            if has_presence and not message.HasField(name):
                if not may_lack:
                    raise Missing(name)
                values.append(None)
            elif check is None:
                values.append(getattr(message, name))
            else:
                values.append(check(name, getattr(message, name)))
        return kind(*values)

    def write(value: T) -> Any:
        return message(**{name: field.write(name, getattr(value, name)) for name, field in named.items()})

    if fields:
        return Record(kind, read, write)
    only = kind()
    return Record(kind, lambda message: only, write)
