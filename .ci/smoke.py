# SPDX-License-Identifier: Apache-2.0
"""The first minutes of a stranger with the wheel and no extras: import it, find the .proto files, verify proofs."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from importlib.metadata import distributions, entry_points, version
from importlib.resources import files
from pathlib import Path

import hokm

PROOFS = Path(__file__).resolve().parents[1] / "tests" / "proofs"


def main() -> None:
    """Exit with a sentence at the first thing that is not as it should be."""
    installed = {(found.metadata["Name"] or "").lower() for found in distributions()}
    extra = installed & {"grpcio", "sqlalchemy", "pynacl", "httpx", "starlette", "matplotlib"}
    if extra:
        sys.exit(f"The base install brought {', '.join(sorted(extra))}.")

    modules = [found.name for found in pkgutil.walk_packages(hokm.__path__, "hokm.")]
    for name in modules:
        if not name.endswith(("_pb2_grpc", "__main__")):
            importlib.import_module(name)

    contract = files("hokm") / "v1"
    protos = [found.name for found in contract.iterdir() if found.name.endswith(".proto")]
    messages = [name for name in modules if name.endswith("_pb2")]
    if not protos or len(messages) != len(protos):
        sys.exit(f"The wheel has {len(protos)} .proto files and {len(messages)} compiled ones.")

    for script in entry_points(group="console_scripts"):
        if script.module.split(".")[0] not in ("hokm", "hokm_audit", "hokm_server", "hokm_client"):
            continue
        run = ran(script.name, "--help")
        if "Traceback" in run.stderr:
            sys.exit(f"{script.name} --help ends in a traceback:\n{run.stderr}")

    verdict("plain-2.json", 0, "VERIFIED")
    verdict("plain-not_held.json", 1, "REJECTED", "CARD_NOT_HELD: entry 129: ")
    told("en", "Round 2")
    told("fa", "دور ۲")
    print(f"hokm {version('hokm')}, protobuf {version('protobuf')}: {len(modules)} modules, {len(protos)} .proto files")


def ran(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """An installed program, run among the golden proofs."""
    path = Path(sys.executable).with_name(program)
    return subprocess.run([path, *arguments], cwd=PROOFS, capture_output=True, encoding="utf-8")


def verdict(proof: str, status: int, word: str, besides: str = "") -> None:
    """`hokm-verify` comes to that verdict, and says so."""
    run = ran("hokm-verify", proof, "--policy", "plain.policy")
    first = run.stdout.partition("\n")[0]
    if run.returncode != status or not first.endswith(f": {word}") or besides not in run.stdout or run.stderr:
        sys.exit(
            f"hokm-verify {proof} is not {word} {besides}, but ends with {run.returncode}:\n{run.stdout}{run.stderr}"
        )


def told(language: str, words: str) -> None:
    """`hokm-verify show` tells what was played."""
    run = ran("hokm-verify", "show", "plain-2.json", "--lang", language)
    if run.returncode or words not in run.stdout or run.stderr:
        sys.exit(f"hokm-verify show in {language} ends with {run.returncode}:\n{run.stdout}{run.stderr}")


if __name__ == "__main__":
    main()
