# SPDX-License-Identifier: Apache-2.0
"""The first minute of a stranger with the wheel and no extras: import it, find the .proto files, run the tools."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from importlib.metadata import distributions, entry_points, version
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import hokm


def main() -> None:
    """Exit with a sentence at the first thing that is not as it should be."""
    installed = {(found.metadata["Name"] or "").lower() for found in distributions()}
    extra = installed & {"grpcio", "sqlalchemy", "pynacl"}
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
        if script.module.split(".")[0] not in ("hokm", "hokm_server", "hokm_client"):
            continue
        if find_spec(script.module) is None:
            print(f"{script.name}: {script.module} is not written yet")
            continue
        program = Path(sys.executable).with_name(script.name)
        run = subprocess.run([program, "--help"], capture_output=True, text=True)
        if "Traceback" in run.stderr:
            sys.exit(f"{script.name} --help ends in a traceback:\n{run.stderr}")
    print(f"hokm {version('hokm')}, protobuf {version('protobuf')}: {len(modules)} modules, {len(protos)} .proto files")


if __name__ == "__main__":
    main()
