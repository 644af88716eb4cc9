# SPDX-License-Identifier: Apache-2.0
"""The program `hokm-witness`: a witness that anyone can run, against any log of C2SP's formats.

It prints ``ready on URL`` and the line by which a policy names it, and answers until it is stopped. It ends with 0
when it was stopped, 1 when it failed, 2 when it was called in a way that cannot be; each failure is one sentence.
"""

from __future__ import annotations

import argparse
import os
import socket
import sys
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hokm.errors import HokmError
from hokm.signing import VKey, fault_of_name

if TYPE_CHECKING:
    from hokm_audit.witnessing import Witness

FAILED: Final = 1
WRONG_USAGE: Final = 2

_EXTRA_PACKAGES: Final = {"starlette", "uvicorn"}
_GRACE_SECONDS: Final = 5
"""More than a request may take to come."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; the status to end with."""
    asked = _parser().parse_args(arguments)
    try:
        logs = _logs(asked.log, asked.policy)
    except HokmError as error:
        return _say(str(error), WRONG_USAGE)
    if (fault := fault_of_name(asked.name)) is not None:
        return _say(f"--name: {fault}.", WRONG_USAGE)
    if not logs:
        return _say("Name at least one log: --log VKEY, or the policy that names it, --policy FILE.", WRONG_USAGE)
    try:
        return _serve(asked, logs)
    except ModuleNotFoundError as error:
        if error.name not in _EXTRA_PACKAGES:
            raise
        return _say(f"The package {error.name} is not installed: hokm[audit] brings it.", FAILED)
    except HokmError as error:
        return _say(str(error), FAILED)
    except OSError as error:
        return _say(f"{asked.host}:{asked.port} cannot be listened at: {error.strerror}.", FAILED)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hokm-witness",
        description="Cosigns the checkpoints of logs that only grow, and of no others (C2SP tlog-witness).",
        epilog="Key and memory are made at the first start, and belong together: with a memory brought back from a "
        "copy, or with none, the key could cosign two histories.",
        allow_abbrev=False,
    )
    parser.add_argument("--name", required=True, help="name of its key, for ever, such as witness.example.org/1")
    parser.add_argument("--log", action="append", default=[], metavar="VKEY", help="a log to cosign; may be repeated")
    parser.add_argument("--policy", metavar="FILE", type=Path, help="cosign the logs that this policy names")
    parser.add_argument("--key", metavar="FILE", type=Path, default=Path("var/witness/key"), help="(%(default)s)")
    parser.add_argument("--memory", metavar="FILE", type=Path, default=Path("var/witness/memory"), help="(%(default)s)")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (%(default)s: this machine only)")
    parser.add_argument("--port", type=int, default=7468, help="port (%(default)s); 0 lets the system choose one")
    return parser


def _logs(vkeys: Sequence[str], policy: Path | None) -> list[VKey]:
    from hokm_audit.files import read_policy

    logs = [VKey.parse(text) for text in vkeys]
    if policy is not None:
        logs += [log.vkey for log in read_policy(policy).logs]
    return logs


def _serve(asked: argparse.Namespace, logs: Sequence[VKey]) -> int:
    import logging
    import time

    from hokm_audit.key_file import key_of
    from hokm_audit.memory import Memory
    from hokm_audit.witnessing import Witness

    logging.basicConfig(format="hokm-witness: %(message)s", stream=sys.stderr)
    memory = Memory(asked.memory, asked.key)
    try:
        key = key_of(asked.key, "witness", os.urandom)
        witness = Witness(asked.name, key, logs, memory, lambda: int(time.time()))
        family = socket.AF_INET6 if ":" in asked.host else socket.AF_INET
        with socket.create_server((asked.host, asked.port), family=family) as listening:
            _answer(witness, listening)
    finally:
        memory.close()
    return 0


def _answer(witness: Witness, listening: socket.socket) -> None:
    """Answer at that socket until a signal comes."""
    import signal

    import uvicorn

    from hokm_audit.witness_connection import Connection
    from hokm_audit.witness_site import witness_site

    config = uvicorn.Config(
        witness_site(witness),
        http=partial(Connection, held=Counter()),  # type: ignore[arg-type]
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="error",  # what strangers do wrong is not told
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    host, port = listening.getsockname()[:2]
    url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    line = f"witness {_short(witness.vkey.name)} {witness.vkey.format()} {url}"
    print(f"ready on {url}\nfor a policy: {line}", flush=True)
    for number in (signal.SIGINT, signal.SIGTERM):  # uvicorn raises it again when it has stopped
        signal.signal(number, lambda *_: None)
    uvicorn.Server(config).run([listening])


def _short(name: str) -> str:
    """A name for a policy, of the first letters of a key's."""
    return name.split("/")[0].split(".")[0] or "witness"


def _say(sentence: str, status: int) -> int:
    print(f"hokm-witness: {sentence}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
