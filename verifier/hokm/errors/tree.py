# SPDX-License-Identifier: Apache-2.0
"""The root of the tree: what every error has."""

from __future__ import annotations

import os
import re
from typing import ClassVar, dataclass_transform


@dataclass_transform(eq_default=False)
class HokmError(Exception):
    """The root of the tree. The fields that a class names are its facts, `sentence` is a format string over them.

    They are given in order or by name, as to a dataclass. (Which these are not, because to make a hundred of those
    takes longer than to verify a round.)
    """

    sentence: ClassVar[str] = "Something is wrong."
    fields: ClassVar[dict[str, str]] = {}
    """The type of each fact by its name, as it is written."""

    def __init_subclass__(cls) -> None:
        inherited = [base.fields for base in reversed(cls.__bases__) if issubclass(base, HokmError)]
        cls.fields = {name: kind for fields in (*inherited, cls.__annotations__) for name, kind in fields.items()}

    def __init__(self, *facts: object, **named: object) -> None:
        given = dict(zip(self.fields, facts, strict=False), **named)
        if given.keys() != self.fields.keys() or len(facts) + len(named) != len(given):
            raise TypeError(f"{type(self).__name__} is made with {', '.join(self.fields) or 'no facts'}")
        super().__init__(*given.values())
        vars(self).update(given)

    @property
    def reason(self) -> str:
        """The enumerated reason, such as ``MUST_FOLLOW_SUIT``."""
        return reason_of(type(self))

    @property
    def facts(self) -> dict[str, str]:
        """The facts by field name, as text."""
        return {name: str(getattr(self, name)) for name in self.fields}

    def __str__(self) -> str:
        return self.sentence.format(**self.facts)


def reason_of(kind: type[HokmError]) -> str:
    """The enumerated reason of an error class: its name in capitals with underscores, ``NotACard`` too."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[a-z]A)(?=[A-Z])", "_", kind.__name__).upper()


def is_shared(kind: type[HokmError]) -> bool:
    """Whether it is of this package and no program's own: client, server and verifier all know what it means."""
    return kind.__module__.startswith(f"{__package__}.")


def system_words(error: OSError) -> str:
    """What the system says of a failure, without the path: the error that stands for it names that."""
    return os.strerror(error.errno) if error.errno else str(error)
