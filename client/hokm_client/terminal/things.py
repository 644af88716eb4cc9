# SPDX-License-Identifier: Apache-2.0
"""What can be thrown (H5)."""

from __future__ import annotations

from enum import IntEnum


class Thing(IntEnum):
    """The values are those on the wire."""

    TOMATO = 1
    SLIPPER = 2
    ROSE = 3
    POMEGRANATE = 4
    CUSHION = 5
    SUGAR_CUBE = 6
    SUNFLOWER_SEEDS = 7
    PAPER_PLANE = 8
    SNOWBALL = 9
    SOCK = 10
    WATERMELON = 11
    CONFETTI = 12
    AUBERGINE = 13
    RUBBER_DUCK = 14
