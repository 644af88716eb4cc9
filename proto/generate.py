# SPDX-License-Identifier: Apache-2.0
"""The compiler of the contract: proto/hokm/v1/*.proto in, the Python package `hokm.v1` out.

Run it as a program (``make proto``), or let a build call `generate`; both make the same files in
verifier/hokm/v1/, which are built and never committed:

    x_pb2.py, x_pb2.pyi             messages of x.proto; they need `protobuf` and nothing else
    x_pb2_grpc.py, x_pb2_grpc.pyi   stubs and servicers, only for a file with a service; they need `grpcio`

Files are written whole beside their place and then moved into it, and only where they changed, so that a
build may run while something else imports the package. What no .proto file makes any more is removed.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

HERE = Path(__file__).resolve().parent
OUT = HERE.parent / "verifier"
PACKAGE = Path("hokm", "v1")

MARK = "# SPDX-License-Identifier: Apache-2.0\n"
INIT = MARK + '"""The messages of the wire and of the log, compiled from the .proto files of the same names."""\n'


def generate(protos: Path = HERE, out: Path = OUT) -> tuple[Path, ...]:
    """Compile every .proto of ``protos``/hokm/v1 into ``out``/hokm/v1 and give the files that belong there.

    Raises `SystemExit` with a sentence when the compiler refuses or is not installed.
    """
    sources = sorted((protos / PACKAGE).glob("*.proto"))
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch)
        if sources:
            _compile(protos, sources, made)
        package = made / PACKAGE
        package.mkdir(parents=True, exist_ok=True)
        (package / "__init__.py").write_text(INIT, encoding="utf-8")
        return _install(package, out / PACKAGE)


def _compile(protos: Path, sources: list[Path], made: Path) -> None:
    try:
        from grpc_tools import protoc
    except ImportError:
        sys.exit("The .proto files are compiled with grpcio-tools, which is not installed here: run `make proto`.")
    services = [source for source in sources if re.search(r"^service\s", source.read_text("utf-8"), re.MULTILINE)]
    roots = [f"-I{protos}", f"-I{files('grpc_tools') / '_proto'}"]
    runs = [("--python_out={}", "--mypy_out=quiet:{}"), ("--grpc_python_out={}", "--mypy_grpc_out=quiet:{}")]
    for outs, inputs in zip(runs, (sources, services), strict=True):
        if not inputs:
            continue
        plugins = [f"--plugin=protoc-gen-{name}={_plugin(name)}" for name in ("mypy", "mypy_grpc")]
        arguments = [*roots, *plugins, *(out.format(made) for out in outs), *map(str, inputs)]
        if protoc.main(["protoc", *arguments]) != 0:
            sys.exit("The .proto files did not compile; the compiler's own words are above.")


def _plugin(name: str) -> str:
    """Where mypy-protobuf's program is: beside this interpreter, or on the path that a build has set."""
    program = f"protoc-gen-{name}"
    found = shutil.which(program, path=os.path.dirname(sys.executable)) or shutil.which(program)
    if found is None:
        sys.exit(f"The stubs are typed by {program} of mypy-protobuf, which is not installed here: run `make proto`.")
    return found


def _install(made: Path, home: Path) -> tuple[Path, ...]:
    home.mkdir(parents=True, exist_ok=True)
    kept = []
    for source in sorted(path for path in made.iterdir() if path.is_file()):
        target = home / source.name
        text = source.read_bytes()
        if not target.exists() or target.read_bytes() != text:
            draft = home / f".{source.name}.{os.getpid()}"
            draft.write_bytes(text)
            draft.replace(target)
        kept.append(target)
    for path in home.glob("*.py*"):
        if not path.name.startswith(".") and path not in kept:
            path.unlink(missing_ok=True)
    return tuple(kept)


if __name__ == "__main__":
    for made in generate():
        print(made.relative_to(HERE.parent))
