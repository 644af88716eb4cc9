# SPDX-License-Identifier: Apache-2.0
"""What a reader wants besides the proof, the policy and a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Signatures(Enum):
    """Which signatures are checked."""

    NONE = "none"
    """None but those under the proof's checkpoint: to measure the rest, or where somebody else has checked them."""
    PLAYERS = "players"
    """Every player's; of the house's those that the chain does not fix."""
    ALL = "all"
    """Every one."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """All of it; nothing by default."""

    signatures: Signatures = Signatures.PLAYERS
    mine: bytes | None = None
    """The reader's own key in this game."""
    head: tuple[int, bytes] | None = None
    """A version and the leaf that it must have."""


NO_WISHES = Wishes()
