# SPDX-License-Identifier: Apache-2.0
"""The program `hokm`, as it is typed: answers, statuses, and one sentence where something fails."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from hokm_client.__main__ import main
from hokm_client.identity import read_or_make_identity
from hokm_server import rotation
from tests.client.visits import house


async def typed(*arguments: str) -> tuple[int, str, str]:
    """Status, output and diagnostics of the program."""
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "hokm_client", *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await program.communicate()
    assert program.returncode is not None
    return program.returncode, out.decode(), err.decode()


async def test_a_table_is_opened_listed_and_joined_by_token(tmp_path: Path) -> None:
    """open prints an id, list shows it, token prints one line that a program can send."""
    async with house(tmp_path) as found:
        where = ("--server", found.address, "--var", str(tmp_path))
        status, opened, said = await typed("open", *where, "--target", "3", "--turn-seconds", "5", "--bots", "1,2")
        assert (status, said) == (0, "")
        assert len(bytes.fromhex(opened.strip())) == 16
        status, listed, _ = await typed("list", *where, "--free")
        assert status == 0
        assert opened.strip() in listed
        assert "free 0,1,2,3" in listed
        status, token, _ = await typed("token", *where)
        assert status == 0
        assert len(token.split()) == 1
        status, _, said = await typed("proof", *where, opened.strip())
        assert status == 1
        assert said.count("\n") == 1
    assert (tmp_path / "players" / "me.key").exists()


async def test_a_key_is_printed_as_the_verifier_takes_it(tmp_path: Path) -> None:
    """The public one; where there is none, none is made."""
    status, out, said = await typed("key", "--var", str(tmp_path))
    assert (status, out) == (1, "")
    assert "me.key" in said
    assert not (tmp_path / "players").exists()
    key = read_or_make_identity(tmp_path / "players" / "me.key", secrets.token_bytes)
    assert await typed("key", "--var", str(tmp_path)) == (0, key.public.hex() + "\n", "")


async def test_an_error_is_told_in_the_language_of_the_player(tmp_path: Path) -> None:
    """Before there is any game."""
    status, _, said = await typed("play", "--policy", str(tmp_path / "nothing"), "--lang", "fa", "--var", str(tmp_path))
    assert status == 1
    assert "فایل اعتماد" in said
    status, _, said = await typed("local", "--players", "me", "--lang", "fa", "--var", "/proc/nope")
    assert (status, said.count("\n")) == (1, 1)


async def test_no_tables_are_a_sentence_beside_the_list(tmp_path: Path) -> None:
    """The list is empty, for programs; persons are told."""
    async with house(tmp_path) as found:
        status, out, said = await typed("list", "--server", found.address, "--var", str(tmp_path))
        assert (status, out) == (0, "")
        assert "hokm play --open" in said


async def test_a_policy_of_another_house_is_named_as_such(tmp_path: Path) -> None:
    """It is more often the wrong policy than a wrong server."""
    other = rotation.create(tmp_path / "keys", "example.org/hokm", 0, entropy=secrets.token_bytes)
    (tmp_path / "policy").write_bytes(other.public.policy_file)
    async with house(tmp_path / "house") as found:
        status, _, said = await typed("list", "--server", found.address, "--var", str(tmp_path))
    assert status == 1
    assert "the policy of another house" in said


async def test_what_cannot_be_is_one_sentence(tmp_path: Path) -> None:
    """No server, no policy, no key: status 1 and one line."""
    async with house(tmp_path) as found:
        address = found.address
        wrong = await typed("list", "--server", address, "--policy", str(tmp_path / "nothing"))
        assert wrong[0] == 1
        assert "nothing" in wrong[2]
        exposed = tmp_path / "open.key"
        exposed.write_bytes(b"1" * 32)
        exposed.chmod(0o644)
        seen = await typed("list", "--server", address, "--var", str(tmp_path), "--identity", str(exposed))
        assert seen[0] == 1
        assert "0600" in seen[2]
    away = await typed("list", "--server", address, "--var", str(tmp_path))
    assert away[0] == 1
    for _, out, err in (wrong, seen, away):
        assert out == ""
        assert err.count("\n") == 1, err


@pytest.mark.parametrize(
    "arguments",
    [
        ["local", "--var", "/proc/nothing"],
        ["local", "--players", "bots", "--var", "{full}"],
        ["play", "--var", "{var}", "--identity", "/proc/nothing/me.key"],
        ["play", "--var", "{var}", "--tls", "{var}/nothing.pem"],
        ["list", "--var", "{var}", "--tls", "{var}/nothing.pem"],
    ],
    ids=str,
)
async def test_a_file_that_cannot_be_used_is_one_sentence(tmp_path: Path, arguments: list[str]) -> None:
    """The file's name and what the system says of it; no traceback."""
    (tmp_path / "full" / "server.log").mkdir(parents=True)
    status, _, said = await typed(*(word.format(var=tmp_path, full=tmp_path / "full") for word in arguments))
    assert status == 1
    assert said.count("\n") == 1, said
    assert said.startswith("/")


@pytest.mark.parametrize(
    "arguments",
    [
        *([], ["dance"], ["list", "--colour"], ["open", "--bots", "4"], ["open", "--bots", "one"], ["proof", "xyz"]),
        *(["proof", "ab" * 16, "--round", word] for word in ("-1", "0", "4294967296", "one")),
        *(["bots", "--delay-ms", "9-1"], ["bots", "--delay-ms", "soon"], ["play", "--table", "12"]),
    ],
    ids=str,
)
def test_wrong_usage_is_status_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """argparse says which word is wrong."""
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("usage: hokm")
    assert not re.search("_[a-z]+ value", said), "the name of a function of ours"


def test_help_needs_no_extra() -> None:
    """The commands are named without gRPC: nothing heavy is imported to say what there is."""
    program = (
        "import sys, json\n"
        "from hokm_client.__main__ import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print('\\n' + json.dumps(sorted(name for name in sys.modules if '.' not in name)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    imported = set(json.loads(done.stdout.splitlines()[-1]))
    assert not imported & {"grpc", "google", "cryptography", "nacl", "asyncio", "sqlite3"}


def test_a_missing_extra_is_one_sentence(tmp_path: Path) -> None:
    """Without gRPC the program says what to install."""
    program = (
        "import sys\nsys.modules['grpc'] = None\nfrom hokm_client.__main__ import main\nsys.exit(main(['list']))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "The package grpc is not installed: hokm[client], the extra for players, brings it.\n"
