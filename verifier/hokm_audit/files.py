# SPDX-License-Identifier: Apache-2.0
"""Files that are either the old one or the new one, whole, whenever the machine stops; and private keys in them.

A private key is one line, ``hokm-v1 <role> <base64 of 32 bytes>``, in a file that only its owner may read.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from hokm.errors import system_words
from hokm.notation import read_base64, write_base64
from hokm.policy import MOST_BYTES, Policy
from hokm.signing import SEED_BYTES, SigningKey
from hokm_audit.errors import FileUnusable, KeyExposed, KeyMalformed

_MOST_KEY_BYTES = 200


@contextlib.contextmanager
def failures_of(path: Path) -> Iterator[None]:
    """Whatever the system says against it is a `FileUnusable`."""
    try:
        yield
    except OSError as error:
        raise FileUnusable(str(path), system_words(error)) from error


def write_durably(path: Path, octets: bytes, mode: int = 0o644) -> None:
    """Put `octets` into the file `path`. Raises `FileUnusable`, and then the old file is still there."""
    beside = path.with_name(path.name + ".new")
    with failures_of(path):
        beside.unlink(missing_ok=True)
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with open(descriptor, "wb") as file:
            file.write(octets)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        directory = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)


def read_policy(path: Path) -> Policy:
    """The policy of a file. Raises `FileUnusable`, `BadPolicy`."""
    with failures_of(path), open(path, "rb") as file:
        return Policy.parse(file.read(MOST_BYTES + 1))


def key_of(path: Path, role: str, entropy: Callable[[int], bytes]) -> SigningKey:
    """The key of that role in a file, which is made where there is none.

    Raises `FileUnusable`, `KeyExposed`, `KeyMalformed`.
    """
    if not path.exists():
        with failures_of(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_durably(path, f"hokm-v1 {role} {write_base64(entropy(SEED_BYTES))}\n".encode(), 0o600)
    with failures_of(path), open(path, "rb") as file:
        if os.fstat(file.fileno()).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise KeyExposed(str(path))
        octets = file.read(_MOST_KEY_BYTES)
    start = f"hokm-v1 {role} ".encode()
    seed = read_base64(octets.removeprefix(start).removesuffix(b"\n")) if octets.startswith(start) else None
    if seed is None or len(seed) != SEED_BYTES:
        raise KeyMalformed(str(path), role)
    return SigningKey(seed)
