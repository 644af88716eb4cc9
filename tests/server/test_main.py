# SPDX-License-Identifier: Apache-2.0
"""The program `hokm-server`: it starts by itself, says when it is ready, fails in one sentence, and ends when told."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from hokm.policy import Policy

PROGRAM = [sys.executable, "-m", "hokm_server"]


@contextmanager
def started(var: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """A server that is ready, with the lines that it said; stopped at the end if it still runs."""
    command = [*PROGRAM, "serve", "--var", str(var), "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        try:
            assert program.stdout is not None
            lines = [program.stdout.readline().rstrip() for _ in range(6)]
            assert lines[0], program.communicate()[1]
            yield program, lines
        finally:
            if program.poll() is None:
                program.kill()


def failing(*arguments: str | Path, environment: dict[str, str] | None = None) -> tuple[int, str]:
    """Status and standard error of a call that fails at once."""
    done = subprocess.run(
        [*PROGRAM, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
        env=os.environ | (environment or {}),
    )
    assert done.stdout == ""
    return done.returncode, done.stderr


def refused(var: Path, *options: str, environment: dict[str, str] | None = None) -> tuple[int, str]:
    """Status and the one sentence of a start that fails."""
    status, said = failing("serve", "--var", var, "--port", "0", "--no-bots", *options, environment=environment)
    assert said.startswith("hokm-server: ")
    assert said.count("\n") == 1, said
    assert "Traceback" not in said
    return status, said.removeprefix("hokm-server: ").rstrip()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a server that has run and was stopped, with another origin than the default."""
    var = tmp_path_factory.mktemp("house") / "var"
    with started(var, "--no-bots", "--origin", "house.example/hokm") as (program, _):
        program.send_signal(signal.SIGTERM)
        assert program.wait(10) == 0
    return var


@pytest.fixture
def var(house: Path, tmp_path: Path) -> Path:
    """A copy of those files."""
    return Path(shutil.copytree(house, tmp_path / "var"))


# Start and stop.


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_first_start_makes_everything_and_a_stop_leaves_it_whole(tmp_path: Path, number: signal.Signals) -> None:
    """Keys, policy, log and head; nothing on the standard error, and the status 0."""
    var = tmp_path / "deep" / "var"
    with started(var, "--no-bots") as (program, lines):
        assert lines[0].startswith("ready on 127.0.0.1:")
        host, port = lines[0].removeprefix("ready on ").split(":")
        socket.create_connection((host, int(port)), 5).close()
        assert (var / "keys").stat().st_mode & 0o777 == 0o700
        assert Policy.parse((var / "policy").read_bytes()).logs[0].vkey.name == "localhost/hokm"
        program.send_signal(number)
        rest, said = program.communicate(timeout=10)
        assert (program.returncode, rest, said) == (0, "", "")


def test_the_line_that_it_prints_brings_a_player_in(tmp_path: Path) -> None:
    """As it stands there."""
    with started(tmp_path / "the house", "--no-bots") as (_, lines):
        words = shlex.split(lines[2].removeprefix("  play    "))
        program = shutil.which(words[0])
        play = [program or "", *words[1:]]
        came = subprocess.run(play, capture_output=True, text=True, input="", check=False, cwd=tmp_path)
    assert came.stderr == "No table has a free seat: --open opens a new one, and --bots 1,2,3 fills it with bots.\n"


def test_the_house_that_is_there_states_its_origin(var: Path) -> None:
    """A second start needs no more than the directory."""
    with started(var, "--no-bots") as (_, lines):
        assert "house.example/hokm" in lines[1]


def test_another_origin_than_that_of_the_house_is_refused(var: Path) -> None:
    """Wherever it is stated."""
    for options, environment in (
        (["--origin", "other.example/hokm"], {}),
        ([], {"HOKM_SERVER_ORIGIN": "other.example/hokm"}),
        (["--origin", "localhost/hokm"], {}),
    ):
        status, said = refused(var, *options, environment=environment)
        assert status == 1
        assert "a log keeps its name for ever" in said


def test_it_is_ready_soon(house: Path, tmp_path: Path) -> None:
    """Within a second where nothing else runs; ten times that is never right."""
    began = time.monotonic()
    with started(Path(shutil.copytree(house, tmp_path / "var")), "--no-bots"):
        assert time.monotonic() - began < 10


def test_a_kill_leaves_a_house_that_starts_again(var: Path) -> None:
    """Whenever it comes."""
    with started(var, "--no-bots") as (program, _):
        program.kill()
        program.wait()
    with started(var, "--no-bots"):
        pass


# The bots.


def test_the_bots_end_when_the_server_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it was stopped or killed: the end of a pipe tells them."""
    (tmp_path / "hokm_client").mkdir()
    (tmp_path / "hokm_client" / "__init__.py").touch()
    (tmp_path / "hokm_client" / "__main__.py").write_text(
        "import os, stat, sys\n"
        "assert stat.S_ISFIFO(os.fstat(0).st_mode)\n"
        "open(os.environ['TOLD'], 'a').write(f'{os.getpid()} {sys.argv[1:]}\\n')\n"
        "sys.stdin.read()\n"
        "open(os.environ['TOLD'], 'a').write('ended\\n')\n"
    )
    told = tmp_path / "told"
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("TOLD", str(told))
    for end in (signal.SIGTERM, signal.SIGKILL):
        told.write_text("")
        with started(tmp_path / "var") as (program, lines):
            first = until(lambda: told.read_text()).splitlines()[0]
            address = lines[0].removeprefix("ready on ")
            assert first.endswith(f"['bots', '--server', '{address}', '--var', '{tmp_path / 'var'}']")
            program.send_signal(end)
            program.wait(10)
        until(lambda: "ended" in told.read_text())


def test_the_bots_are_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a pause, and the server says so."""
    (tmp_path / "hokm_client").mkdir()
    (tmp_path / "hokm_client" / "__init__.py").touch()
    (tmp_path / "hokm_client" / "__main__.py").write_text(
        "import os\nopen(os.environ['TOLD'], 'a').write('here\\n')\nraise SystemExit(7)\n"
    )
    told = tmp_path / "told"
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("TOLD", str(told))
    told.touch()
    with started(tmp_path / "var") as (program, _):
        until(lambda: told.read_text().count("here") == 2)
        program.terminate()
        said = program.communicate(timeout=10)[1]
    assert "the bots have ended with status 7" in said


def until(found: Callable[[], object], seconds: float = 10) -> str:
    """What this gives once it gives something."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := found():
            return str(value)
        time.sleep(0.02)
    raise AssertionError("it did not come")


# Starts that fail.


def test_a_port_in_use(var: Path) -> None:
    """One sentence."""
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        status, said = refused(var, "--port", str(port))
    assert status == 1
    assert said == f"The server cannot listen at 127.0.0.1:{port}: another program listens there."


def test_a_second_server_with_the_same_files(var: Path) -> None:
    """It is told who was first."""
    with started(var, "--no-bots") as (program, _):
        status, said = refused(var)
        assert status == 1
        assert f"is served already, by process {program.pid}" in said


def remove(path: Path) -> None:
    """Take a file or directory away."""
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def newer(path: Path) -> None:
    """Say that a later server has written the file."""
    with closing(sqlite3.connect(path)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]
        found = {
            name: connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0]
            for name in names
        }
        for name in names:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE meta SET schema_version = 99")
        for sql in found.values():
            connection.execute(sql)
        connection.commit()


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda var: remove(var / "keys"), "the keys that write it are gone"),
        (lambda var: remove(var / "keys" / "event.key"), "event.key cannot be read"),
        (lambda var: (var / "keys" / "log.key").chmod(0o644), "log.key is open to others"),
        (lambda var: (var / "keys").chmod(0o755), "keys is open to others"),
        (lambda var: (var / "keys" / "seal.key").write_text("nothing\n"), "seal.key is malformed"),
        (lambda var: remove(var / "head"), "the head file"),
        (lambda var: (var / "head").write_text("nothing"), "head"),
        (lambda var: remove(var / "log.db"), "older copy of the database"),
        (lambda var: (var / "log.db").write_bytes(b"not a database, and long enough " * 200), "log.db"),
        (lambda var: newer(var / "log.db"), "use the newer server"),
    ],
    ids=[
        "keys gone",
        "key gone",
        "key open to others",
        "keys open to others",
        "key malformed",
        "head gone",
        "head malformed",
        "log gone",
        "log no database",
        "log of a newer server",
    ],
)
def test_files_that_are_not_as_they_must_be(var: Path, spoil: Callable[[Path], object], sentence: str) -> None:
    """One sentence each, the status 1, and the log is as it was."""
    spoil(var)
    log = var / "log.db"
    before = log.read_bytes() if log.exists() else None
    status, said = refused(var)
    assert status == 1
    assert sentence in said
    if before is not None and not before.startswith(b"SQLite"):
        assert log.read_bytes() == before


def test_a_log_that_another_program_holds(var: Path) -> None:
    """It waits a little, and then says so."""
    with closing(sqlite3.connect(var / "log.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        status, said = refused(var, environment={"HOKM_SERVER_BUSY_MS": "50"})
    assert status == 1
    assert "is locked by another program" in said


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_cannot_be_written(var: Path) -> None:
    """The database, or the directory it is in."""
    var.chmod(0o500)
    try:
        assert "read-only" in refused(var)[1]
    finally:
        var.chmod(0o700)


def test_a_directory_that_cannot_be_made(tmp_path: Path) -> None:
    """A file is in its way."""
    (tmp_path / "file").touch()
    status, said = refused(tmp_path / "file" / "var")
    assert status == 1
    assert said.endswith("cannot be made: Not a directory.")


@pytest.mark.parametrize(
    ("options", "environment", "sentence"),
    [
        (["--port", "many"], {}, "port cannot be 'many'"),
        (["--port", "70000"], {}, "port cannot be '70000'"),
        (["--origin", "a b"], {}, "origin cannot be 'a b'"),
        (["--tls-key", "x"], {}, "tls_certificate"),
        ([], {"HOKM_SERVER_PROT": "1"}, "no setting 'prot'"),
        (["--config", "/nowhere.toml"], {}, "/nowhere.toml cannot be read"),
    ],
)
def test_settings_that_cannot_be(
    tmp_path: Path, options: list[str], environment: dict[str, str], sentence: str
) -> None:
    """The status 2, and nothing was made."""
    status, said = refused(tmp_path / "var", *options, environment=environment)
    assert status == 2
    assert sentence in said
    assert not (tmp_path / "var").exists()


def test_a_command_that_is_none() -> None:
    """The status 2, by argparse."""
    assert failing("play")[0] == 2
    assert failing()[0] == 2


def test_a_missing_extra_is_said_in_a_sentence(tmp_path: Path) -> None:
    """With how to get it."""
    hide = "import sys; sys.modules['sqlalchemy'] = None; from hokm_server.__main__ import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", hide, "serve", "--var", str(tmp_path / "var"), "--port", "0"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert (
        done.stderr
        == "hokm-server: The package sqlalchemy is not installed: hokm[server], the extra for servers, brings it.\n"
    )


def test_help_imports_little() -> None:
    """No gRPC, no database, no cryptography."""
    look = (
        "import sys\n"
        "from hokm_server.__main__ import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print([name for name in ('grpc', 'sqlalchemy', 'cryptography', 'asyncio', 'google') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
