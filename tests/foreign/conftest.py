# SPDX-License-Identifier: Apache-2.0
"""A house to visit: a server process and its bots, which answer at once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest

from tests.audit import audit_files


@dataclass(frozen=True)
class House:
    """Where a server listens, and its files."""

    address: str
    var: Path

    @property
    def policy(self) -> Path:
        """Whom a visitor trusts."""
        return self.var / "policy"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A house that is open for the tests of one file."""
    folder = tmp_path_factory.mktemp("house")
    var = folder / "var"
    with ExitStack() as stack:
        said = stack.enter_context((folder / "diagnostics").open("ab"))
        server = _start(stack, said, "hokm_server", "serve", "--var", var, "--port", "0", "--no-bots")
        assert server.stdout is not None
        line = server.stdout.readline()
        assert line.startswith(b"ready on "), (folder / "diagnostics").read_text()
        address = line.split()[-1].decode()
        _start(stack, said, "hokm_client", "bots", "--server", address, "--var", var, "--delay-ms", "0-0")
        yield House(address, var)
    audit_files(var)


def _start(stack: ExitStack, said: IO[bytes], module: str, *arguments: str | Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", module, *map(str, arguments)]
    program = stack.enter_context(
        subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said)
    )
    stack.callback(program.terminate)
    return program
