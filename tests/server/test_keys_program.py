# SPDX-License-Identifier: Apache-2.0
"""`hokm-server keys` beside a server that runs, and what a start makes of it; no line ever holds a secret."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from hokm.policy import Policy
from hokm.v1 import log_service_pb2
from hokm.v1.log_service_pb2_grpc import LogServiceStub
from tests.server.test_main import PROGRAM, failing, started

ORIGIN = "made.example/hokm"


@pytest.fixture
def var(tmp_path: Path) -> Iterator[Path]:
    """The files of a house that has its keys, none of which any call has shown."""
    said.clear()
    var = tmp_path / "var"
    keys(var, "create", "--origin", ORIGIN)
    yield var
    secrets = [path.read_text().split()[-1] for path in (var / "keys").iterdir() if path.suffix in (".key", ".secret")]
    assert len(secrets) >= 7
    assert not [secret for secret in secrets if secret in "".join(said)]


said: list[str] = []
"""By the calls of one test."""


def keys(var: Path, *arguments: str) -> str:
    """What a call about keys says."""
    done = subprocess.run(
        [*PROGRAM, "keys", *arguments, "--var", str(var)], capture_output=True, text=True, check=False, timeout=20
    )
    assert (done.returncode, done.stderr) == (0, "")
    said.append(done.stdout)
    return done.stdout


def listed(var: Path) -> dict[str, str]:
    """What each key is for, by its file."""
    return dict(line.split("  ")[-1].split(": ") for line in keys(var, "list").splitlines())


def serve(var: Path, *options: str, open_table: bool = False) -> None:
    """A server starts, a table is opened or not, and it stops."""
    with started(var, "--no-bots", *options) as (program, lines):
        address = lines[0].removeprefix("ready on ")
        if open_table:
            opening = [sys.executable, "-m", "hokm_client", "open", "--server", address, "--var", str(var)]
            subprocess.run(opening, capture_output=True, check=True, timeout=20)
        program.send_signal(signal.SIGTERM)
        assert program.wait(10) == 0


def test_keys_are_made_once(var: Path) -> None:
    """And told, with what each is for."""
    assert listed(var) == {
        "event.key": "signs new tables and 0 open games",
        "log.key": "signs checkpoints",
        "operator.key": "lets the house's own bots in",
        "root.key": "signs manifests",
    }
    status, sentence = failing("keys", "create", "--var", var)
    assert status == 1
    assert "keys in" in sentence


def test_keys_change_while_a_game_goes_on(var: Path) -> None:
    """It is told until when the old key is needed; revoked, it is not needed after the next start."""
    serve(var, open_table=True)
    assert "manifest 1 is the newest" in keys(var, "rotate", "event", "log")
    found = listed(var)
    assert found["event.key"] == "signs 1 open game"
    assert found["event-1.key"] == "signs new tables and 0 open games"
    assert found["log.key"] == "signs them too, while the policy names it"
    assert found["log-1.key"] == "signs checkpoints"
    serve(var)
    (old,) = (line.split()[2] for line in keys(var, "list").splitlines() if line.endswith(" signs 1 open game"))
    keys(var, "revoke", old)
    assert listed(var)["event.key"] == "revoked, 1 open game to be ended"
    serve(var)
    assert listed(var)["event.key"] == "revoked, it may go"
    (var / "keys" / "event.key").unlink()
    serve(var)
    assert "event.key is not here" in listed(var)


def test_a_server_takes_keys_up_when_it_is_told_to(var: Path) -> None:
    """At the same address; a signal that comes with keys that are none leaves it as it is."""
    with started(var, "--no-bots") as (program, lines):
        assert program.stdout is not None
        for count in (1, 2):
            keys(var, "rotate", "event")
            program.send_signal(signal.SIGUSR1)
            assert [program.stdout.readline().rstrip() for _ in lines] == lines
            assert len(logged(lines[0].removeprefix("ready on "))) == count + 1
        policy = (var / "keys" / "policy").read_bytes()
        (var / "keys" / "policy").write_bytes(b"nothing\n")
        program.send_signal(signal.SIGUSR1)
        assert program.stderr is not None
        assert "the keys are not taken up" in program.stderr.readline()
        assert len(logged(lines[0].removeprefix("ready on "))) == 3
        (var / "keys" / "policy").write_bytes(policy)
        program.send_signal(signal.SIGTERM)
        assert program.communicate(timeout=10) == ("", "")
        assert program.returncode == 0


def logged(address: str) -> list[bytes]:
    """The manifests of the server there."""
    with grpc.insecure_channel(address) as channel:
        return list(LogServiceStub(channel).GetKeys(log_service_pb2.GetKeysRequest(), timeout=10).manifests)


def test_the_policy_is_kept_by_lines_and_published(var: Path) -> None:
    """Both copies are one."""
    keys(var, "rotate", "log")
    text = keys(var, "policy")
    assert text == (var / "policy").read_text() == (var / "keys" / "policy").read_text()
    old = Policy.parse(text.encode()).logs[-1].vkey.format()
    keys(var, "policy", "--drop", old, "--add", "# the old key is gone")
    text = keys(var, "policy")
    assert old not in text
    assert "# the old key is gone\n" in text
    assert text == (var / "policy").read_text()
    assert listed(var)["log.key"] == "signs nothing any more, it may go"


def test_a_root_key_is_handed_over(var: Path) -> None:
    """The one before it is of no use then."""
    keys(var, "rotate", "root")
    found = listed(var)
    assert (found["root.key"], found["root-1.key"]) == ("handed over", "signs manifests")
    serve(var)


def test_locked_keys_serve_where_the_passphrase_is(tmp_path: Path) -> None:
    """Named by an option or a setting; without it the start says what is missing, and never what it is."""
    var, passphrase = tmp_path / "var", tmp_path / "passphrase"
    passphrase.touch(0o600)
    passphrase.write_text("a secret word\n")
    keys(var, "create", "--origin", ORIGIN)
    assert "must be a passphrase" in failing("keys", "lock", "--var", var)[1]
    assert "seal.key" in keys(var, "lock", "--passphrase-file", str(passphrase))
    serve(var, "--passphrase-file", str(passphrase))
    environment = {"HOKM_SERVER_PASSPHRASE_FILE": str(passphrase)}
    assert failing("serve", "--var", var, "--port", "0", "--no-bots")[1].endswith("(--passphrase-file).\n")
    passphrase.write_text("another\n")
    status, sentence = failing("serve", "--var", var, "--port", "0", "--no-bots", environment=environment)
    assert status == 1
    assert "does not open with this passphrase" in sentence
    assert "another" not in sentence


def test_nobody_need_read_on(var: Path) -> None:
    """Behind a pipe that was closed, such as `| head`, it ends in silence."""
    reading, writing = os.pipe()
    os.close(reading)
    asked = [*PROGRAM, "keys", "list", "--var", str(var)]
    done = subprocess.run(asked, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=20, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["rotate"], 2, "usage"),
        (["rotate", "operator"], 2, "invalid choice"),
        (["revoke", "no key"], 1, "is none of this house's"),
        (["revoke", "00" * 32], 1, "is none of this house's"),
        (["rotate", "event", "--root", "/nowhere"], 1, "root.key cannot be read"),
        (["policy", "--quorum", "nobody"], 1, "The policy is malformed"),
        (["list", "--origin", "other.example/hokm"], 1, "keeps its name for ever"),
    ],
)
def test_what_cannot_be_is_one_sentence(var: Path, arguments: list[str], status: int, sentence: str) -> None:
    """And nothing has changed."""
    before = keys(var, "list")
    found, text = failing("keys", *arguments, "--var", str(var))
    assert found == status
    assert sentence in text
    assert "Traceback" not in text
    assert keys(var, "list") == before
