# SPDX-License-Identifier: Apache-2.0
"""The two languages in which people are told something. The words themselves are with whoever tells."""

from __future__ import annotations

from enum import StrEnum


class Language(StrEnum):
    """In which words."""

    EN = "en"
    FA = "fa"

    @property
    def rtl(self) -> bool:
        """Whether it is written from right to left."""
        return self is Language.FA
