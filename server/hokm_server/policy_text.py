# SPDX-License-Identifier: Apache-2.0
"""The policy file as an operator keeps it: changed line by line, so that comments and order stay.

A change is taken if what comes out is a policy.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hokm.policy import Policy
from hokm.signing import VKey


def parse_with(octets: bytes, log: VKey) -> tuple[bytes, Policy]:
    """The file and what it says; the log is named in it, or a line is put in beside those of the same name.

    Raises `BadPolicy`.
    """
    policy = Policy.parse(octets)
    if any(other.vkey == log for other in policy.logs):
        return octets, policy
    url = next((other.url for other in policy.logs if other.vkey.name == log.name and other.url), None)
    line = " ".join(item for item in ("log", log.format(), url) if item is not None)
    octets = line.encode(errors="surrogateescape") + b"\n" + octets
    return octets, Policy.parse(octets)


def edited(octets: bytes, add: Sequence[str], drop: Iterable[str], quorum: str | None) -> bytes:
    """The file with other lines, without those that hold a word of `drop`, and with another quorum.

    Raises `BadPolicy`.
    """
    unwanted = set(drop)
    kept = [line for line in _lines(octets) if unwanted.isdisjoint(line.split())]
    ends = [line for line in kept if line.split()[:1] == ["quorum"]]
    if quorum is not None:
        ends = [f"quorum {quorum}"]
    lines = [*(line for line in kept if line.split()[:1] != ["quorum"]), *add, *ends]
    text = "".join(line + "\n" for line in lines).encode(errors="surrogateescape")
    Policy.parse(text)
    return text


def _lines(octets: bytes) -> list[str]:
    return octets.decode(errors="surrogateescape").removesuffix("\n").split("\n")
