# SPDX-License-Identifier: Apache-2.0
"""The settings of a server, and where they come from: the command line before the environment before a file.

The file is TOML with the names of `Settings`; in the environment a name is in capitals behind HOKM_SERVER_, as in
HOKM_SERVER_PORT. A name that is not a setting is refused in each of them, for it is most often one misspelt.
Nothing here reads the environment: it is handed in.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, cast, get_type_hints

from hokm.errors import system_words
from hokm.notation import is_origin
from hokm_server.errors import BadSetting, SettingsUnreadable, UnknownSetting

PREFIX = "HOKM_SERVER_"

Value: TypeAlias = str | int | bool | Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings, checked. Raises `BadSetting` at construction."""

    var: Path = Path("var")
    """Where database, head and keys are."""
    host: str = "127.0.0.1"
    """The address to listen at."""
    port: int = 7465
    """0 lets the system choose one."""
    web: bool = True
    """Whether the published log is served over HTTP, too."""
    web_port: int | None = None
    """For that, at the same address; the one after `port` where it is not stated. 0 lets the system choose one."""
    origin: str = "localhost/hokm"
    """The name of the log, for ever: 1 to 255 visible ASCII characters without space and plus."""
    tls_certificate: Path | None = None
    """A chain of certificates in PEM; without it and its key the server speaks in plain text."""
    tls_key: Path | None = None
    passphrase_file: Path | None = None
    """Where the passphrase stands that the secrets of the house are locked by; without it they lie open."""
    bots: bool = True
    """Whether the house's own bots and stand-ins play."""
    publish_ms: int = 1_000
    """How long entries may wait for a checkpoint."""
    most_calls: int = 20_000
    """Calls at a time, streams among them."""
    most_tables: int = 10_000
    """Running tables."""
    most_waiting: int = 10_000
    """Batches that may wait for the disk."""
    address_percent: int = 25
    """How much of all calls and tables those may hold together that come from one address.

    100 where everybody comes through one proxy.
    """
    busy_ms: int = 5_000
    """How long another program may hold the database."""

    def __post_init__(self) -> None:
        if not is_origin(self.origin):
            raise BadSetting("origin", self.origin, "1 to 255 visible ASCII characters without space and plus")
        if not self.host:
            raise BadSetting("host", self.host, "an address is wanted")
        if (self.tls_certificate is None) != (self.tls_key is None):
            missing = "tls_key" if self.tls_key is None else "tls_certificate"
            raise BadSetting(missing, "", "a certificate and its key go together")
        for name, least, most in (
            ("port", 0, 65_535),
            ("web_port", 0, 65_535),
            ("publish_ms", 10, 10_000),
            ("most_calls", 1, 10_000_000),
            ("most_tables", 1, 10_000_000),
            ("most_waiting", 1, 10_000_000),
            ("address_percent", 1, 100),
            ("busy_ms", 0, 600_000),
        ):
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise BadSetting(name, str(value), f"{least} to {most}")

    def of_address(self, most: int) -> int:
        """How much of so much those may hold together that come from one address."""
        return max(1, most * self.address_percent // 100)

    @property
    def port_of_web(self) -> int:
        """Where to serve the log over HTTP; 0 lets the system choose."""
        if self.web_port is not None:
            return self.web_port
        return self.port + 1 if 0 < self.port < 65_535 else 0

    @property
    def database(self) -> Path:
        """The file of the log."""
        return self.var / "log.db"

    @property
    def head(self) -> Path:
        """The file of the last checkpoint."""
        return self.var / "head"

    @property
    def keys(self) -> Path:
        """The directory of the house's keys."""
        return self.var / "keys"

    @property
    def policy(self) -> Path:
        """The file that readers trust by."""
        return self.var / "policy"


def load(arguments: Mapping[str, str], environment: Mapping[str, str], file: Path | None = None) -> Settings:
    """Settings from all three; what is nowhere has its default.

    Raises `BadSetting`, `SettingsUnreadable`, `UnknownSetting`.
    """
    found: dict[str, Value] = {}
    if file is not None:
        found |= _from_file(file)
    named = {name.removeprefix(PREFIX).lower(): text for name, text in environment.items() if name.startswith(PREFIX)}
    found |= _from_texts(named, "the environment")
    found |= _from_texts(arguments, "the command line")
    return Settings(**found)  # type: ignore[arg-type]


def _kind(hint: object) -> type:
    """Of a setting that may be stated or not, what it is when it is."""
    return next((kind for kind in (Path, int) if hint == kind | None), cast(type, hint))


_KINDS = {name: _kind(hint) for name, hint in get_type_hints(Settings).items()}

_WANTED = {bool: "true or false", int: "a whole number", Path: "a path", str: "a text"}


def _from_texts(texts: Mapping[str, str], source: str) -> dict[str, Value]:
    return {name: _of_text(name, text, _known(name, source)) for name, text in texts.items()}


def _from_file(path: Path) -> dict[str, Value]:
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise SettingsUnreadable(str(path), system_words(error)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsUnreadable(str(path), str(error)) from error
    return {name: _of_toml(name, value, _known(name, str(path))) for name, value in table.items()}


def _known(name: str, source: str) -> type:
    if name not in _KINDS:
        raise UnknownSetting(name, source)
    return _KINDS[name]


def _of_text(name: str, text: str, kind: type) -> Value:
    if kind is int and re.fullmatch("[0-9]{1,9}", text):
        return int(text)
    if kind is bool and text in ("true", "false"):
        return text == "true"
    if kind is Path and text:
        return Path(text)
    if kind is str:
        return text
    raise BadSetting(name, text, f"it is to be {_WANTED[kind]}")


def _of_toml(name: str, value: object, kind: type) -> Value:
    if kind is Path and isinstance(value, str) and value:
        return Path(value)
    if kind is not Path and type(value) is kind:
        return cast(Value, value)
    raise BadSetting(name, str(value), f"it is to be {_WANTED[kind]}")
