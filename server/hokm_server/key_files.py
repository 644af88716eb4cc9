# SPDX-License-Identifier: Apache-2.0
"""The files that the keys of the house are in: one directory, and in it a secret a file.

A secret is one line, in a file of mode 0600 in a directory of mode 0700::

    hokm-v1 <role> <base64 of 32 bytes>
    hokm-v1 <role> locked <base64 of what a passphrase has locked>

The role is in the line so that no key can take another's place. The first key of a role is in `<role>.key`, the next
in `<role>-1.key`, and so on; a file that is in use is never written over.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from hokm.errors import system_words
from hokm.key_line import write_key_line
from hokm.notation import read_base64, write_base64
from hokm.signing import SEED_BYTES
from hokm_server.errors import (
    KeyFileExposed,
    KeyFileMalformed,
    KeyFileMissing,
    KeyLocked,
    KeysExist,
    KeysUnwritable,
    PassphraseWrong,
)
from hokm_server.files import flush_directory, write_durably, write_new
from hokm_server.passphrase import Passphrase

_MOST_BYTES = 1_000_000
"""As many as a policy may have."""
_NAME = re.compile("([a-z]+)(?:-([0-9]+))?[.](?:key|secret)")
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class Role(StrEnum):
    """What a secret is for."""

    EVENT = "event"
    LOG = "log"
    ROOT = "root"
    OPERATOR = "operator"
    HOUSE = "house"
    SEAL = "seal"
    TOKEN = "token"

    def file(self, number: int = 0) -> str:
        """The name of the file that the secret of that number is in, from 0."""
        kind = "secret" if self in (Role.HOUSE, Role.TOKEN) else "key"
        return f"{numbered(self, number)}.{kind}"


def numbered(name: str, number: int) -> str:
    """How the files of one kind are told apart: the first by no number."""
    return f"{name}-{number}" if number else name


@dataclass(frozen=True, slots=True)
class KeyFiles:
    """The files of one directory."""

    directory: Path
    passphrase: Passphrase | None = None
    """Under which secrets lie; one that lies open is taken as it is."""

    def has(self, name: str) -> bool:
        """There is a file of that name."""
        return (self.directory / name).exists()

    def read(self, name: str) -> bytes:
        """What is public in a file. Raises `KeyFileMissing`, `KeyFileMalformed`."""
        return _read(self.directory / name)

    def write(self, name: str, octets: bytes) -> None:
        """Put that into a file, whole or not at all. Raises `KeysUnwritable`."""
        with _writing(self.directory):
            write_durably(self.directory / name, octets, 0o600)

    def secret(self, role: Role, number: int = 0) -> bytes:
        """A secret, 32 bytes.

        Raises `KeyFileMissing`, `KeyFileExposed`, `KeyFileMalformed`; `KeyLocked`, `PassphraseWrong`.
        """
        path = self.directory / role.file(number)
        text = _read(path, secret=True).decode("ascii", "replace")
        locked = False
        match text.removesuffix("\n").split(" "):
            case ["hokm-v1", found, packed] if text.endswith("\n"):
                octets = read_base64(packed)
            case ["hokm-v1", found, "locked", packed] if text.endswith("\n"):
                octets, locked = read_base64(packed), True
            case _:
                raise KeyFileMalformed(str(path), f"it is not one line `hokm-v1 {role} <base64 of 32 bytes>`")
        if found != role:
            raise KeyFileMalformed(str(path), f"it is not for the role {role}")
        if locked and octets is not None:
            octets = self._unlock(path, role, octets)
        if octets is None or len(octets) != SEED_BYTES:
            raise KeyFileMalformed(str(path), f"it does not hold {SEED_BYTES} bytes in base64")
        return octets

    def _unlock(self, path: Path, role: Role, locked: bytes) -> bytes:
        if self.passphrase is None:
            raise KeyLocked(str(path))
        secret = self.passphrase.unlock(role, locked)
        if secret is None:
            raise PassphraseWrong(str(path))
        return secret

    def write_secret(self, role: Role, secret: bytes, number: int) -> None:
        """Put a secret into the file of that number, which nothing needs yet. Raises `KeysUnwritable`."""
        with _writing(self.directory):
            write_durably(self.directory / role.file(number), self._format(role, secret), 0o600)

    def _format(self, role: Role, secret: bytes) -> bytes:
        if self.passphrase is None or role is Role.OPERATOR:  # which programs read that know no passphrase
            return write_key_line(role, secret)
        return f"hokm-v1 {role} locked {write_base64(self.passphrase.lock(role, secret))}\n".encode("ascii")

    def lock(self) -> list[str]:
        """Put every secret under the passphrase that lies open, but the operator's; the names of their files.

        Each file is the old one or the new one, whenever it ends. Raises what `secret` and `write_secret` raise.
        """
        locked = []
        for path in sorted(self.directory.iterdir()):
            found = _NAME.fullmatch(path.name)
            if found is not None and b" locked " not in _read(path, secret=True):
                role, number = Role(found[1]), int(found[2] or 0)
                if role is not Role.OPERATOR:
                    self.write_secret(role, self.secret(role, number), number)
                    locked.append(path.name)
        return locked

    def check(self) -> None:
        """See that nobody else can put a file into the directory. Raises `KeyFileMissing`, `KeyFileExposed`."""
        try:
            _check_mode(self.directory, self.directory.stat())
        except OSError as error:
            raise KeyFileMissing(str(self.directory), system_words(error)) from error

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Let no other program change these files until the context ends. Raises `KeysUnwritable`."""
        with _writing(self.directory):
            descriptor = os.open(self.directory, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def make(self, secrets: dict[tuple[Role, int], bytes], public: dict[str, bytes]) -> None:
        """Make the directory with all these files in it, or nothing. Raises `KeysExist`, `KeysUnwritable`."""
        files = {role.file(number): self._format(role, secret) for (role, number), secret in secrets.items()}
        _write_together(self.directory, files | public)


def read_passphrase(path: Path) -> bytes:
    """The passphrase that is the one line of a file. Raises `KeyFileMissing`, `KeyFileExposed`, `KeyFileMalformed`."""
    octets = _read(path, secret=True).removesuffix(b"\n")
    if not octets or b"\n" in octets:
        raise KeyFileMalformed(str(path), "a passphrase is one line")
    return octets


def _read(path: Path, *, secret: bool = False) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise KeyFileMalformed(str(path), "it is not a file")
            if secret:
                _check_mode(path, found)
            octets = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise KeyFileMissing(str(path), system_words(error)) from error
    if len(octets) > _MOST_BYTES:
        raise KeyFileMalformed(str(path), f"it has more than {_MOST_BYTES} bytes")
    return octets


def _check_mode(path: Path, found: os.stat_result) -> None:
    if found.st_mode & _OTHERS:
        raise KeyFileExposed(str(path), f"{stat.S_IMODE(found.st_mode):04o}")


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise KeysUnwritable(str(path), system_words(error)) from error


def _write_together(directory: Path, files: dict[str, bytes]) -> None:
    if directory.exists():
        raise KeysExist(str(directory))
    try:
        beside = Path(tempfile.mkdtemp(prefix=f".{directory.name}-", dir=directory.parent))  # of mode 0700
        try:
            for name, octets in files.items():
                write_new(beside / name, octets, 0o600)
            flush_directory(beside)
            beside.rename(directory)
        except BaseException:
            shutil.rmtree(beside, ignore_errors=True)
            raise
        flush_directory(directory.parent)
    except OSError as error:
        if directory.exists():
            raise KeysExist(str(directory)) from error
        raise KeysUnwritable(str(directory), system_words(error)) from error
