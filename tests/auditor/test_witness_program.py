# SPDX-License-Identifier: Apache-2.0
"""`hokm-witness` over real sockets: its answers by the protocol, its start and end, and what it knows after a kill."""

from __future__ import annotations

import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from hokm.witness import MOST_BYTES
from tests.auditor.witnesses import NAME, Program, asked, command, cosigned_at, lie, log_key, log_of, running

HOUSE = log_of(400)


@pytest.fixture
def witness(tmp_path: Path) -> Iterator[Program]:
    """One that answers and has cosigned nothing."""
    with running(tmp_path, log_key(HOUSE)) as program:
        yield program


def test_each_answer_is_that_of_the_protocol(witness: Program) -> None:
    """200, 400, 403, 404, 409 and 422, with the bodies that go with them."""
    good = asked(HOUSE, 0, 30)
    answer = witness.ask(good)
    assert answer.status_code == 200
    assert answer.text.count("\n") == 1
    assert cosigned_at(good, answer.text, witness.vkey) > 1_700_000_000

    behind = witness.ask(asked(HOUSE, 10, 40))
    assert (behind.status_code, behind.text, behind.headers["content-type"]) == (409, "30\n", "text/x.tlog.size")
    assert witness.ask(lie(HOUSE, 30)).status_code == 409

    other = log_of(60, seed=2)
    other.origin, other.log_key = HOUSE.origin, HOUSE.log_key
    assert witness.ask(asked(other, 30, 40)).status_code == 422
    other.log_key = other.event_key
    assert witness.ask(asked(other, 30, 40)).status_code == 403
    other.origin = "example.org/unknown"
    assert witness.ask(asked(other, 0, 40)).status_code == 404

    url = witness.url + "/add-checkpoint"
    assert httpx.post(url, content=b"old 30\n\nnothing", trust_env=False).status_code == 400
    assert httpx.post(url, content=bytes(MOST_BYTES + 1), trust_env=False).status_code == 413
    assert httpx.get(url, trust_env=False).status_code == 405
    assert witness.ask(asked(HOUSE, 30, 400)).status_code == 200


def test_a_disk_that_fails_is_no_fault_of_the_log(tmp_path: Path) -> None:
    """The caller is told to come again, and the operator what happened."""
    with running(tmp_path, log_key(HOUSE)) as witness:
        (tmp_path / "memory").unlink()
        assert witness.ask(asked(HOUSE, 0, 30)).status_code == 503
        witness.popen.send_signal(signal.SIGTERM)
        _, said = witness.popen.communicate(timeout=30)
    assert said.startswith("hokm-witness: The memory ")


def test_it_says_who_it_is(witness: Program) -> None:
    """To whoever opens its address."""
    assert witness.vkey.format() in httpx.get(witness.url, trust_env=False).text


def test_it_ends_with_nought_when_it_is_told_to(witness: Program) -> None:
    """While somebody keeps a connection open, too."""
    address = urlsplit(witness.url)
    assert address.port is not None
    with socket.create_connection(("127.0.0.1", address.port)) as connection:
        connection.sendall(b"POST /add-checkpoint HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nold 3")
        assert witness.ask(asked(HOUSE, 0, 30)).status_code == 200
        witness.popen.send_signal(signal.SIGTERM)
        _, said = witness.popen.communicate(timeout=30)
    assert witness.popen.returncode == 0, said
    assert "Traceback" not in said


def test_killed_at_any_moment_it_never_takes_back_what_it_signed(tmp_path: Path) -> None:
    """What somebody has a cosignature of is remembered: nothing smaller is cosigned after it."""
    size = 1
    with running(tmp_path, log_key(HOUSE)) as witness:
        assert witness.ask(asked(HOUSE, 0, size)).status_code == 200
    for life in range(4):
        with running(tmp_path, log_key(HOUSE)) as witness:
            behind = witness.ask(asked(HOUSE, 0, 399))
            assert behind.status_code == 409
            known = int(behind.text)
            assert known >= size
            size = known
            threading.Timer(0.05 * (life + 1), witness.popen.kill).start()
            try:
                while size < 399 and witness.ask(asked(HOUSE, size, size + 1)).status_code == 200:
                    size += 1
            except httpx.TransportError:
                pass  # it was killed: whether that one was cosigned, nobody knows
            witness.popen.kill()
    with running(tmp_path, log_key(HOUSE)) as witness:
        assert int(witness.ask(asked(HOUSE, 0, 400)).text) >= size


# Starting.


def refused(*words: str) -> tuple[int, str]:
    """Status and the one sentence of a start that fails."""
    done = subprocess.run(words, capture_output=True, text=True, timeout=30, check=False)
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    return done.returncode, done.stderr


def test_a_start_that_cannot_be_is_refused_in_a_sentence(tmp_path: Path) -> None:
    """No log, no key of a log, a name that is none, a memory that is lost, an address that is taken."""
    log = log_key(HOUSE).format()
    assert refused(*command(tmp_path)) == (
        2,
        "hokm-witness: Name at least one log: --log VKEY, or the policy that names it, --policy FILE.\n",
    )
    assert refused(*command(tmp_path, "--log", "nobody"))[0] == 2
    assert refused(*command(tmp_path, "--policy", str(tmp_path / "none")))[0] == 2
    assert refused(*command(tmp_path, "--log", log, "--name", "two words"))[0] == 2
    with running(tmp_path, log_key(HOUSE)) as witness:
        port = str(urlsplit(witness.url).port)
        status, said = refused(*command(tmp_path, "--log", log, "--port", port))
        assert (status, port in said) == (1, True)
    (tmp_path / "memory").unlink()
    status, said = refused(*command(tmp_path, "--log", log))
    assert (status, "has forgotten" in said) == (1, True)


def test_a_policy_names_the_logs(tmp_path: Path) -> None:
    """It prints its own line for one."""
    policy = tmp_path / "policy"
    policy.write_bytes(HOUSE.policy.format())
    words = command(tmp_path, "--policy", str(policy))
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline().startswith("ready on http://127.0.0.1:")
        assert program.stdout.readline().startswith(f"for a policy: witness witness {NAME}+")
        program.kill()
