# SPDX-License-Identifier: Apache-2.0
"""What the signed bodies are called where they are signed, and how long they may be."""

from __future__ import annotations

from typing import Final

MOVE_TYPE: Final = "application/vnd.hokm.move.v1+protobuf"
EVENT_TYPE: Final = "application/vnd.hokm.event.v1+protobuf"
HAND_TYPE: Final = "application/vnd.hokm.hand.v1+protobuf"
KEYS_TYPE: Final = "application/vnd.hokm.keys.v1+protobuf"

MOST_MOVE_BYTES: Final = 2048
MOST_EVENT_BYTES: Final = 16384
