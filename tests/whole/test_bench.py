# SPDX-License-Identifier: Apache-2.0
"""The measurements run: each program of bench/ that can be quick about it, with figures of no meaning."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BENCHES = ["append", "audit", "log_bytes", "million", "start", "tables", "verify"]


@pytest.mark.parametrize("bench", BENCHES)
def test_a_measurement_runs(bench: str, tmp_path: Path) -> None:
    """It ends well and tells figure and floor."""
    run = subprocess.run(
        [sys.executable, f"bench/bench_{bench}.py", "--quick"],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "BENCH_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "ratio" in run.stdout
    assert not run.stderr
