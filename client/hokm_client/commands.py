# SPDX-License-Identifier: Apache-2.0
"""Commands that a player can paste into a shell: a program by its name where the shell finds it, else by its path."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path


def program(name: str) -> str:
    """How a program of this installation is called from here."""
    if shutil.which(name) is not None:
        return name
    path = Path(sys.executable).with_name(name)
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def command(name: str, *words: str) -> str:
    """The program with these words behind it."""
    return shlex.join([program(name), *words])


def who(var: Path, identity: Path) -> list[str]:
    """The words that say which player calls a program, and where the files are; none where both are the usual ones."""
    words = [] if var == Path("var") else ["--var", str(var)]
    if identity != var / "players" / f"{identity.stem}.key":
        return [*words, "--identity", str(identity)]
    return words if identity.stem == "me" else [*words, "--as", identity.stem]
