# SPDX-License-Identifier: Apache-2.0
"""What came too late: something else came first."""

from __future__ import annotations

from hokm.errors.tree import HokmError


class Conflict(HokmError):
    """Something else came first: look again and decide anew."""


class NumberNotNext(Conflict):
    """A key's moves are numbered without a gap, and a number is used once."""

    number: int
    expected: int
    sentence = "The move has number {number}, and the next of this key is {expected}."


class SeenFell(Conflict):
    """What a key has seen never falls."""

    seen_version: int
    before: int
    sentence = "The move has seen version {seen_version}, an earlier move of its key version {before}."


class SeenNotYet(Conflict):
    """A move has seen an entry that is there."""

    seen_version: int
    version: int
    sentence = "The move has seen version {seen_version}, and the last is {version}."


class SeenOther(Conflict):
    """A move names the leaf of the entry that it has seen."""

    seen_version: int
    seen_hash: str
    sentence = "{seen_hash} is not the leaf of version {seen_version}."


class StaleMove(Conflict):
    """A move has seen the entry that opened the decision which it answers."""

    seen_version: int
    opened: int
    sentence = "The move has seen version {seen_version}, and what it answers was opened by version {opened}."


class VersionTaken(Conflict):
    """An entry is appended behind the last of its stream, and another one came first."""

    version: int
    last: int
    sentence = "Version {version} cannot be appended: the last of the stream is {last}."


class WrongContext(Conflict):
    """A move names round and attempt of the last ceremony that was opened."""

    round: int
    attempt: int
    expected_round: int
    expected_attempt: int
    sentence = (
        "The move is of round {round}, attempt {attempt}; "
        "the table is in round {expected_round}, attempt {expected_attempt}."
    )


class WrongGame(Conflict):
    """A move names its game."""

    given: str
    expected: str
    sentence = "The move is of game {given}, and this is {expected}."
