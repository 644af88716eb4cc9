# SPDX-License-Identifier: Apache-2.0
"""Cold start: how long a command takes before it does anything, beside bare Python in the same run.

`--quick` sees that it works, with figures of no meaning.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.cold import ENVIRONMENT, cold
from bench.report import Row, is_quick, tell


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the verifier's help text and a server that has never been started."""
    takes = 1 if is_quick(__doc__, arguments) else 7
    bare, helped = cold("-c", "", takes=takes).wall, cold("-m", "hokm", "--help", takes=takes).wall
    with tempfile.TemporaryDirectory() as folder:
        first = _until_ready(Path(folder))
        again = _until_ready(Path(folder))
    tell(
        "Cold start: milliseconds",
        [
            Row("hokm-verify --help", helped, "ms", bare, "bare Python", "must 60, goal 35; 3 x"),
            Row("server ready, first start", first, "ms", bare, "bare Python"),
            Row("server ready, later", again, "ms", bare, "bare Python", "must 1000, goal 500"),
        ],
    )


def _until_ready(var: Path) -> float:
    """From the start of the process to the line that says that it answers."""
    command = [sys.executable, "-m", "hokm_server", "serve", "--var", str(var), "--port", "0", "--no-bots"]
    begun = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=ENVIRONMENT) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        taken = time.perf_counter() - begun
        server.terminate()
        server.wait(10)
    assert line.startswith(b"ready on "), line
    return 1000 * taken


if __name__ == "__main__":
    main()
