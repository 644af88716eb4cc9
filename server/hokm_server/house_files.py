# SPDX-License-Identifier: Apache-2.0
"""The files of a house, made where there is no house yet: its directory, its keys, and the policy beside them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hokm.errors import system_words
from hokm_server import house_keys
from hokm_server.clock import Clock
from hokm_server.config import Settings
from hokm_server.errors import DirectoryUnusable, KeyFileMissing
from hokm_server.house_keys import HouseKeys


def keys_of(settings: Settings, clock: Clock, entropy: Callable[[int], bytes]) -> HouseKeys:
    """The keys of the house, made where there is neither key nor log, and the policy in its place.

    Raises `DirectoryUnusable`, and what `house_keys` raises: `KeyFileMissing` also where a log has lost its keys, for
    with others it could not go on.
    """
    if settings.keys.exists():
        keys = house_keys.load(settings.keys, settings.origin)
    elif settings.database.exists():
        raise KeyFileMissing(str(settings.keys), "there is a log, and the keys that write it are gone")
    else:
        _make_directory(settings.var)
        keys = house_keys.create(settings.keys, settings.origin, clock.now_ms(), entropy=entropy)
    if not _holds(settings.policy, keys.policy.format()):
        keys.write_policy(settings.policy)
    return keys


def _make_directory(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DirectoryUnusable(str(path), system_words(error)) from error


def _holds(path: Path, octets: bytes) -> bool:
    try:
        return path.read_bytes() == octets
    except OSError:
        return False
