# SPDX-License-Identifier: Apache-2.0
"""What only a view of a whole log can find, each by its code: faults, with which nothing is cosigned, and warnings."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple


class Code(Enum):
    """Whether it is a fault, and the sentence over its facts."""

    FORKED = True, "The checkpoint of size {size} does not go on from that of size {seen}: the log has two histories."
    NOT_AN_ENTRY = True, "This leaf is not an entry of the log: {what}"
    MANIFEST_REFUSED = True, "The key manifest does not count: {what}"
    PLACE_TAKEN = True, "Table {table} has a second entry of version {version}."
    VERSION_GAP = True, "Table {table} goes on with version {version}, and {expected} was next."
    AFTER_END = True, "Table {table} goes on with version {version} behind its end."
    REFUSED = True, "Table {table} does not follow from its entries: {reason}: {sentence}"
    UNPROVABLE = True, "Table {table} cannot be proved: {what}"
    REUSED = True, "A {kind} of table {table}, version {version}, stood in table {other}, version {at}, before."
    TWO_ROLES = True, "The key {key} is a {role} in table {table}, and was a {other} before."

    ROLLED_BACK = False, "The site shows size {size}, and has shown {seen}: its head was rolled back, or it is stale."
    LATE = False, "Table {table}, version {version}, came into the log {seconds} seconds behind later entries."
    IN_FUTURE = False, "Table {table}, version {version}, has a time {seconds} seconds from now."

    def __init__(self, is_fault: bool, sentence: str) -> None:
        self.is_fault = is_fault
        self.sentence = sentence


class Finding(NamedTuple):
    """One thing found."""

    code: Code
    place: int | None
    """In the log; None where it is about more than one entry."""
    facts: dict[str, str]

    @property
    def sentence(self) -> str:
        """It in words."""
        return self.code.sentence.format(**self.facts)

    def as_json(self) -> dict[str, Any]:
        """It as JSON values."""
        return {"code": self.code.name, "place": self.place, "facts": self.facts, "sentence": self.sentence}


def found(code: Code, place: int | None = None, /, **facts: object) -> Finding:
    """The finding of a code with its facts."""
    texts = {name: value.hex() if isinstance(value, bytes) else str(value) for name, value in facts.items()}
    return Finding(code, place, texts)
