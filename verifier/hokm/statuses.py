# SPDX-License-Identifier: Apache-2.0
"""What `hokm-verify` exits with. Of several proofs the worst decides, in the order REJECTED, 2, 3, 4, VERIFIED."""

from __future__ import annotations

from typing import Final

VERIFIED: Final = 0
REJECTED: Final = 1
UNREADABLE: Final = 2
"""Wrong usage too."""
INCOMPLETE: Final = 3
WITH_WARNINGS: Final = 4
"""With --strict only; else these are VERIFIED."""
