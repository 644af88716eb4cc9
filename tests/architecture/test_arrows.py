# SPDX-License-Identifier: Apache-2.0
"""The shape of the house: who imports whom, and how each file opens."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = [
    ROOT / folder for folder in ("verifier/hokm", "verifier/hokm_audit", "server/hokm_server", "client/hokm_client")
]
STUBS = ROOT / "verifier/hokm/v1"
SOURCES = [path for package in PACKAGES for path in sorted(package.rglob("*.py")) if STUBS not in path.parents]
OTHERS = [path for folder in ("proto", "tests", "bench") for path in sorted((ROOT / folder).rglob("*.py"))]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_the_arrows_between_modules_point_one_way() -> None:
    """The contracts of [tool.importlinter] are kept."""
    run = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_verifier_loads_no_network_and_no_database() -> None:
    """Importing all of hokm, compiled messages included, brings in neither grpc nor sqlalchemy."""
    program = """
import importlib, pkgutil, sys, hokm
for module in pkgutil.walk_packages(hokm.__path__, "hokm."):
    if not module.name.endswith(("_pb2_grpc", "__main__")):
        importlib.import_module(module.name)
others = {"grpc", "sqlalchemy", "asyncio", "httpx", "hokm_audit", "hokm_server", "hokm_client"}
print(*sorted(others & set(sys.modules)))
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


@pytest.mark.parametrize("path", [path for path in SOURCES if PACKAGES[0] in path.parents], ids=name)
def test_the_verifier_does_not_import_the_stubs_of_services(path: Path) -> None:
    """`hokm.v1.*_pb2_grpc` is for server and client: it needs grpcio."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                assert not [alias.name for alias in names if alias.name.endswith("_pb2_grpc")]


@pytest.mark.parametrize("path", SOURCES + OTHERS, ids=name)
def test_a_file_opens_with_its_licence_and_says_what_it_is(path: Path) -> None:
    """The SPDX line comes first, then the docstring of the module."""
    text = path.read_text("utf-8")
    assert text.startswith("# SPDX-License-Identifier: Apache-2.0\n")
    assert ast.get_docstring(ast.parse(text))
