# SPDX-License-Identifier: Apache-2.0
"""The pinned packages are those that pyproject.toml asks for, and say nothing of where they were found."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PINS = (ROOT / ".ci/requirements.txt").read_text("utf-8")


def test_every_requirement_is_pinned_within_its_range() -> None:
    """What pyproject.toml asks for, in any extra and in the build, has a pin that satisfies it."""
    pins = re.findall(r"^([\w.-]+)==([\w.]+)", PINS, re.MULTILINE)
    pinned = {canonicalize_name(name): version for name, version in pins}
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    project = pyproject["project"]
    asked = [*project["dependencies"], *pyproject["build-system"]["requires"]]
    for extra in project["optional-dependencies"].values():
        asked += extra
    for requirement in map(Requirement, asked):
        if requirement.name != "hokm":
            version = pinned.get(canonicalize_name(requirement.name))
            assert version is not None, f"{requirement.name} has no pin: run `make pins`"
            assert requirement.specifier.contains(version), f"{requirement}, pinned {version}: run `make pins`"


def test_pins_carry_hashes_and_no_addresses() -> None:
    """Each pin has a hash, and none an address."""
    assert "://" not in PINS
    for pin in re.split(r"\n(?=[\w.-]+==)", PINS)[1:]:
        assert "--hash=sha256:" in pin
