# SPDX-License-Identifier: Apache-2.0
"""JSON from strangers read into records: each value of its kind, each key there once, and nothing that is not known.

A reader of a value is given what the JSON says and, for errors, what it is about. `load` looks at how many values a
text can hold before it makes any, because very many very small ones would take many times the memory of their file.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias, TypeVar

from hokm.notation import MOST, read_base64, read_decimal

T = TypeVar("T")

Read: TypeAlias = Callable[[Any, str], T]


class NotSuch(Exception):
    """What is wrong, as half a sentence: whoever reads a format says it in that format's error."""


# The text.

_MARKS: Final = b",:[{"
_LEAST_FOR_MARK: Final = 12
"""A text has one of these marks in so many bytes at most, however it is set out: hashes and entries are long."""
_FEW_MARKS: Final = 4096
_MOST_OBJECTS: Final = 1 << 15
_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)


def load(octets: bytes) -> Any:
    """The JSON values of a text, of which no object has a key twice and every number is from 0 to 2^63 - 1.

    Each value costs a mark in the text. So where marks are rare, the values take little more memory than the text;
    and where there are many objects, not even the others are made. Raises `NotSuch`.
    """
    if not _is_sparse(octets):
        raise NotSuch("it has more values than any such file of its length")
    try:
        return _decoder().decode(octets.decode())
    except UnicodeDecodeError:
        raise NotSuch("it is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise NotSuch(f"it is not JSON: {error.msg} at character {error.pos}") from None
    except RecursionError:
        raise NotSuch("it is nested too deep") from None


def _is_sparse(octets: bytes) -> bool:
    """Whether a text has few marks for its length. In a string they are letters."""
    most = _FEW_MARKS + len(octets) // _LEAST_FOR_MARK
    if _marks_in(octets) <= most:
        return True
    count = end = 0
    for string in _STRING.finditer(octets):
        count += _marks_in(octets[end : string.start()])
        end = string.end()
        if count > most:
            return False
    return count + _marks_in(octets[end:]) <= most


def _marks_in(octets: bytes) -> int:
    return len(octets) - len(octets.translate(None, _MARKS))


def _decoder() -> json.JSONDecoder:
    """One for each text: it counts."""
    objects = itertools.count(1)

    def make(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(pairs)
        if len(values) < len(pairs):
            raise NotSuch("an object has a key twice")
        if next(objects) > _MOST_OBJECTS:
            raise NotSuch(f"it has more than {_MOST_OBJECTS} objects")
        return values

    return json.JSONDecoder(
        object_pairs_hook=make, parse_int=_whole_number, parse_float=_whole_number, parse_constant=_whole_number
    )


def _whole_number(spelled: str) -> int:
    value = read_decimal(spelled)
    if value is None:
        raise NotSuch(f"{shown(spelled)} is not a whole number from 0 to {MOST}")
    return value


def shown(text: str) -> str:
    """A stranger's text, short and harmless, for an error."""
    return ascii(text if len(text) <= 40 else text[:40] + "…")


# Readers.


def text(value: Any, name: str) -> str:
    """A string."""
    if type(value) is not str:
        raise NotSuch(f"{name} is not a string")
    return value


def text_of(most: int) -> Read[str]:
    """A reader of a string of at most so many characters."""

    def read(value: Any, name: str) -> str:
        if len(text(value, name)) > most:
            raise NotSuch(f"{name} has more than {most} characters")
        return str(value)

    return read


def number(value: Any, name: str) -> int:
    """A whole number from 0 on."""
    if type(value) is not int:
        raise NotSuch(f"{name} is not a number")
    return value


def flag(value: Any, name: str) -> bool:
    """True or false."""
    if type(value) is not bool:
        raise NotSuch(f"{name} is not true or false")
    return value


def octets(value: Any, name: str) -> bytes:
    """Standard base64 of at least one byte."""
    read = read_base64(value) if type(value) is str else None
    if not read:
        raise NotSuch(f"{name} is not standard base64 of at least one byte")
    return read


def table_id(value: Any, name: str) -> bytes:
    """16 bytes as small hex digits."""
    if type(value) is not str or not _TABLE.fullmatch(value):
        raise NotSuch(f"{name} is not 32 small hex digits")
    return bytes.fromhex(value)


_TABLE: Final = re.compile(r"[0-9a-f]{32}")


def exactly(word: str) -> Read[str]:
    """A reader of this one string."""

    def read(value: Any, name: str) -> str:
        if text(value, name) != word:
            raise NotSuch(f"its {name} is {shown(value)}: only {word!r} is known here")
        return word

    return read


def octets_of(least: int, most: int) -> Read[bytes]:
    """A reader of so many bytes in base64."""

    def read(value: Any, name: str) -> bytes:
        found = octets(value, name)
        if not least <= len(found) <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            raise NotSuch(f"{name} has {len(found)} bytes, not {wanted}")
        return found

    return read


def list_of(read: Read[T], most: int) -> Read[tuple[T, ...]]:
    """A reader of a list."""

    def read_list(value: Any, name: str) -> tuple[T, ...]:
        if type(value) is not list:
            raise NotSuch(f"{name} is not a list")
        if len(value) > most:
            raise NotSuch(f"{name} has more than {most} items")
        item = f"an item of {name}"
        return tuple([read(each, item) for each in value])

    return read_list


def fields(
    value: Any, name: str, known: Mapping[str, Read[Any]], may_lack: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """The values of an object that has these keys and no other."""
    if type(value) is not dict:
        raise NotSuch(f"{name} is not an object")
    if "format" in known and "format" in value:  # of a file of another kind this is to be said, and nothing else
        known["format"](value["format"], "format")
    for key in value:
        if key not in known:
            raise NotSuch(f"{name} has the key {shown(key)}, which is not known here")
    for key in known:
        if key not in value and key not in may_lack:
            raise NotSuch(f"{name} has no {key!r}")
    return {key: known[key](each, key) for key, each in value.items()}


def record(kind: Callable[..., T], known: Mapping[str, Read[Any]]) -> Read[T]:
    """A reader of an object with these keys."""
    return lambda value, name: kind(**fields(value, name, known))
