# SPDX-License-Identifier: Apache-2.0
"""The files of a house, made where there is no house yet: its directory, its keys, and the policy beside them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hokm.errors import system_words
from hokm_server import house_keys, rotation
from hokm_server.clock import Clock
from hokm_server.config import Settings
from hokm_server.errors import DirectoryUnusable, KeyFileMissing, KeysUnwritable
from hokm_server.files import write_durably
from hokm_server.house_keys import HouseKeys
from hokm_server.key_files import read_passphrase
from hokm_server.passphrase import Passphrase


def keys_of(settings: Settings, clock: Clock, entropy: Callable[[int], bytes]) -> HouseKeys:
    """The keys of the house, made where there is neither key nor log, and the policy in its place.

    Raises `DirectoryUnusable`, and what `house_keys` raises: `KeyFileMissing` also where a log has lost its keys, for
    with others it could not go on.
    """
    passphrase = passphrase_of(settings, entropy)
    if settings.keys.exists():
        keys = house_keys.load(settings.keys, settings.origin, passphrase)
    elif settings.database.exists():
        raise KeyFileMissing(str(settings.keys), "there is a log, and the keys that write it are gone")
    else:
        _make_directory(settings.var)
        now_ms = clock.now_ms()
        keys = rotation.create(settings.keys, settings.origin, now_ms, entropy=entropy, passphrase=passphrase)
    publish_policy(settings, keys.public.policy_file)
    return keys


def passphrase_of(settings: Settings, entropy: Callable[[int], bytes]) -> Passphrase | None:
    """The passphrase that the settings name a file of. Raises what `read_passphrase` raises."""
    if settings.passphrase_file is None:
        return None
    return Passphrase(read_passphrase(settings.passphrase_file), entropy=entropy)


def publish_policy(settings: Settings, octets: bytes) -> None:
    """Put the policy where readers find it. Raises `KeysUnwritable`."""
    if _holds(settings.policy, octets):
        return
    try:
        write_durably(settings.policy, octets)
    except OSError as error:
        raise KeysUnwritable(str(settings.policy), system_words(error)) from error


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
