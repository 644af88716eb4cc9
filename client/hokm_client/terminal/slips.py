# SPDX-License-Identifier: Apache-2.0
"""What a player typed that cannot be done, and how that is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hokm.languages import Language
from hokm_client.terminal.words import refusal


@dataclass(frozen=True, slots=True)
class Slip:
    """Nothing was done, and why: a reason and its facts, as in the tree of errors."""

    reason: str
    facts: Mapping[str, str] = field(default_factory=dict)


def slip_sentence(slip: Slip, language: Language) -> str:
    """Why nothing was done."""
    return refusal(language, slip.reason, slip.facts)
