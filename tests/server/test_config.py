# SPDX-License-Identifier: Apache-2.0
"""Settings: where each comes from, and that nothing wrong passes in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from hokm_server.config import Settings, load
from hokm_server.errors import BadSetting, SettingsUnreadable, UnknownSetting


def written(directory: Path, text: str) -> Path:
    path = directory / "server.toml"
    path.write_text(text)
    return path


def test_nothing_said_is_the_default() -> None:
    """And a foreign name in the environment is none of ours."""
    assert load({}, {"HOME": "/root", "HOKM_LANG": "fa"}) == Settings()


def test_the_command_line_comes_before_the_environment_before_the_file(tmp_path: Path) -> None:
    """Each setting on its own."""
    file = written(tmp_path, 'port = 1\nhost = "::1"\nbots = false\nvar = "there"\n')
    settings = load({"port": "3"}, {"HOKM_SERVER_PORT": "2", "HOKM_SERVER_HOST": "0.0.0.0"}, file)
    assert settings == Settings(port=3, host="0.0.0.0", bots=False, var=Path("there"))
    assert settings.database == Path("there/log.db")


@pytest.mark.parametrize("name", ["prot", "database", "HOST", ""])
def test_a_setting_that_does_not_exist_is_refused(tmp_path: Path, name: str) -> None:
    """In each of the three, with where it was found."""
    with pytest.raises(UnknownSetting, match="command line"):
        load({name: "1"}, {})
    with pytest.raises(UnknownSetting, match="environment"):
        load({}, {f"HOKM_SERVER_{name}X": "1"})
    if name:
        with pytest.raises(UnknownSetting, match="toml"):
            load({}, {}, written(tmp_path, f"{name} = 1\n"))
    with pytest.raises(UnknownSetting, match="toml"):
        load({}, {}, written(tmp_path, "[server]\nport = 1\n"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("port", "65536"),
        ("port", "-1"),
        ("port", " 1"),
        ("port", "1_0"),
        ("port", ""),
        ("bots", "yes"),
        ("origin", "with space"),
        ("origin", "a+b"),
        ("origin", ""),
        ("host", ""),
        ("publish_ms", "0"),
        ("most_tables", "0"),
        ("address_percent", "0"),
        ("address_percent", "101"),
        ("tls_key", ""),
        ("tls_key", "key.pem"),
        ("tls_certificate", "certificate.pem"),
    ],
)
def test_a_value_that_cannot_be_is_refused(name: str, text: str) -> None:
    """By kind, by bounds, and where two go together."""
    with pytest.raises(BadSetting):
        load({name: text}, {})


@pytest.mark.parametrize(
    "line", ['port = "1"', "port = true", "port = 1.0", "bots = 1", "host = 1", "var = 1", "tls_key = ''"]
)
def test_the_file_gives_values_of_the_right_kind(tmp_path: Path, line: str) -> None:
    """No number in quotes, no true for 1."""
    with pytest.raises(BadSetting):
        load({}, {}, written(tmp_path, line))


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    """Missing, not TOML, not UTF-8."""
    with pytest.raises(SettingsUnreadable, match="No such file"):
        load({}, {}, tmp_path / "nowhere.toml")
    with pytest.raises(SettingsUnreadable):
        load({}, {}, written(tmp_path, "port"))
    (tmp_path / "server.toml").write_bytes(b"\xff")
    with pytest.raises(SettingsUnreadable):
        load({}, {}, tmp_path / "server.toml")


def test_certificate_and_key_go_together() -> None:
    """Both, or none."""
    settings = load({"tls_key": "key.pem", "tls_certificate": "certificate.pem"}, {})
    assert (settings.tls_key, settings.tls_certificate) == (Path("key.pem"), Path("certificate.pem"))


def test_an_address_has_its_part_of_everything() -> None:
    """By percent, and never nothing."""
    assert Settings(address_percent=25).of_address(10_000) == 2_500
    assert Settings(address_percent=100).of_address(10_000) == 10_000
    assert Settings(address_percent=1).of_address(1) == 1
