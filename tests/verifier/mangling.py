# SPDX-License-Identifier: Apache-2.0
"""Things with something knocked out of place at random: bytes, pieces of JSON, and what base64 stands for."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from hokm.notation import read_base64, write_base64


def mangle(octets: bytes, rng: random.Random) -> bytes:
    """These bytes with one or two changes; they may come out as they were."""
    for _ in range(rng.choice((1, 1, 1, 2))):
        octets = _change(octets, rng)
    return octets


def _change(octets: bytes, rng: random.Random) -> bytes:
    if not octets:
        return rng.randbytes(3)
    start = rng.randrange(len(octets))
    end = min(len(octets), start + rng.choice((1, 1, 2, 8, 64, 1000)))
    before, piece, after = octets[:start], octets[start:end], octets[end:]
    match rng.randrange(7):
        case 0 | 1:
            return before + bytes([octets[start] ^ 1 << rng.randrange(8)]) + octets[start + 1 :]
        case 2:
            return before + after
        case 3:
            return before + piece + piece + after
        case 4:
            return before + rng.randbytes(len(piece)) + after
        case 5:
            other = rng.randrange(len(octets))
            return before + octets[other : other + len(piece)] + after
        case _:
            return before


def mangle_json(octets: bytes, rng: random.Random) -> bytes:
    """A JSON file with a value dropped, doubled, exchanged for another of the file, or mangled in itself."""
    whole = json.loads(octets)
    holder, key = rng.choice([*_places(whole)])
    match rng.randrange(6):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(key, holder[key])
        case 2 if isinstance(holder, list):
            rng.shuffle(holder)
        case 3:
            other_holder, other_key = rng.choice([*_places(whole)])
            holder[key], other_holder[other_key] = other_holder[other_key], holder[key]
        case _:
            holder[key] = _mangled_value(holder[key], rng)
    return json.dumps(whole).encode()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place where a value stands in another."""
    match value:
        case dict():
            keys: list[Any] = list(value)
        case list():
            keys = list(range(len(value)))
        case _:
            return
    for key in keys:
        yield value, key
        yield from _places(value[key])


def _mangled_value(value: Any, rng: random.Random) -> Any:
    match value:
        case int():
            return rng.choice((value + 1, value - 1, value * 2, 2**63, -value, str(value)))
        case str():
            octets = read_base64(value) if value.isascii() else None
            if octets:
                return write_base64(mangle(octets, rng))
            return mangle(value.encode(), rng).decode(errors="replace")
        case _:
            return rng.choice((None, True, [], {}, "", 0))
