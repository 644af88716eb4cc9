# SPDX-License-Identifier: Apache-2.0
"""The step of every build (wheel and editable) that compiles the .proto files before the files are gathered.

A source archive carries the .proto files and no stubs: whoever builds it compiles them again.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parent))


class ProtoBuildHook(BuildHookInterface):  # type: ignore[misc, type-arg, unused-ignore]
    """hatchling asks for a class; all it does is call `generate`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, unless it is the source archive that is made; a real wheel carries the .proto files too."""
        if self.target_name != "wheel":
            return
        from generate import HERE, PACKAGE, generate

        generate()
        if version == "standard":
            protos = sorted((HERE / PACKAGE).glob("*.proto"))
            build_data["force_include"].update({str(path): str(PACKAGE / path.name) for path in protos})
