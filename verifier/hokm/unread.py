# SPDX-License-Identifier: Apache-2.0
"""Standard output that nobody reads on from, as behind `| head`: an end like another, and no error."""

from __future__ import annotations

import os
import signal
import sys


def nobody_reads_on() -> int:
    """The status to end with; what is still buffered goes nowhere, for Python writes it out when all is over."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    return 128 + signal.SIGPIPE
