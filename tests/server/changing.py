# SPDX-License-Identifier: Apache-2.0
"""A room whose house changes its keys: on the disk, as the program does it, taken up by a new start."""

from __future__ import annotations

from hokm_server import house_keys, rotation
from hokm_server.key_files import KeyFiles, Role
from tests.server.room import ORIGIN, Room


def key_files(room: Room) -> KeyFiles:
    """Where the keys of the room are."""
    return KeyFiles(room.folder / "keys")


async def rotate(room: Room, *roles: Role) -> None:
    """New keys for these roles, and a new start."""
    files = key_files(room)
    rotation.rotate(files, files, ORIGIN, set(roles), room.clock.ms, entropy=room.octets)
    await take_up(room)


async def revoke(room: Room, event_key: bytes) -> None:
    """That event key may sign no more; and a new start."""
    files = key_files(room)
    rotation.revoke(files, files, ORIGIN, event_key, room.clock.ms, entropy=room.octets)
    await take_up(room)


async def take_up(room: Room) -> None:
    """Start again with the keys that are there."""
    room.keys = house_keys.load(room.folder / "keys", ORIGIN)
    await room.restart()
