# SPDX-License-Identifier: Apache-2.0
"""Named tuples that are told apart by their kind, as dataclasses are."""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T")


def distinct(kind: type[T]) -> type[T]:
    """Named tuples of this kind equal none of another: as tuples, `Leave()` and `Return()` would be the same."""

    def is_same(self: Any, other: object) -> bool:
        return type(other) is kind and tuple.__eq__(self, other)

    def is_other(self: Any, other: object) -> bool:
        return not is_same(self, other)

    kind.__eq__, kind.__ne__, kind.__hash__ = is_same, is_other, tuple.__hash__  # type: ignore[method-assign,assignment]
    return kind
