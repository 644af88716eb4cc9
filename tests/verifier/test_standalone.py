# SPDX-License-Identifier: Apache-2.0
"""The base install verifies: nothing but `cryptography` and `protobuf` is ever asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

GOLDEN = Path(__file__).resolve().parents[1] / "proofs"

PROGRAM = """
import importlib.abc, sys

BASE = {"hokm", "cryptography", "google", "_cffi_backend", "cffi"}  # cffi comes with cryptography

class OnlyTheBase(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in BASE and top not in sys.stdlib_module_names and not top.startswith("__editable__"):
            raise ModuleNotFoundError(f"No module named {name!r} in the base install", name=name)
        if name.startswith(("google.rpc", "google.api")):
            raise ModuleNotFoundError(f"No module named {name!r} in the base install", name=name)
        return None

sys.meta_path.insert(0, OnlyTheBase())
from hokm.__main__ import main
from hokm.signing import BACKEND
assert BACKEND == "cryptography"
sys.exit(main(sys.argv[1:]))
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", PROGRAM, *arguments], cwd=GOLDEN, capture_output=True, text=True)


@pytest.mark.parametrize("name", ["plain-1", "troubled-game", "revoked-game"])
def test_the_base_install_verifies(name: str) -> None:
    """With every signature, and many files at once."""
    policy = f"{name.partition('-')[0]}.policy"
    done = run(f"{name}.json", "--policy", policy, "--every-signature")
    assert (done.returncode, done.stderr) == (0, "")
    many = run(*[f"{name}.json"] * 6, "--policy", policy, "--json")
    assert (many.returncode, many.stderr) == (0, "")


@pytest.mark.parametrize("language", ["en", "fa"])
def test_the_base_install_tells(language: str) -> None:
    """In both languages."""
    done = run("show", "troubled-game.json", "--lang", language)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_block_blocks() -> None:
    """Other packages are there, and out of reach."""
    blocked = PROGRAM.replace("from hokm.__main__", "import nacl\nfrom hokm.__main__")
    done = subprocess.run([sys.executable, "-c", blocked], capture_output=True, text=True)
    assert "in the base install" in done.stderr
