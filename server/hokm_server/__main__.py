# SPDX-License-Identifier: Apache-2.0
"""The program `hokm-server`: reads what it is told by command line and environment, and serves until it is stopped.

Its own output is for whoever started it: one line ``ready on HOST:PORT`` when it answers, and how to join. Diagnostics
go to the standard error, a line of JSON each. It ends with 0 when it was stopped, 1 when it failed, 2 when it was
called in a way that cannot be; each failure is one sentence.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # every command imports only what it needs
    from asyncio import AbstractEventLoop

    from hokm_server.config import Settings

FAILED = 1
WRONG_USAGE = 2

_STATED = (
    *("var", "origin", "passphrase_file", "host", "port", "web_port", "tls_certificate", "tls_key"),
    *("publish_ms", "most_calls", "most_tables", "address_percent"),
)
"""Options that are settings by the same name."""

_EXTRA_PACKAGES = {"grpc", "grpc_health", "grpc_reflection", "google", "httpx", "sqlalchemy", "starlette", "uvicorn"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; the status to end with."""
    asked = _parser().parse_args(arguments)
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what gRPC would write there is said in our words
    from hokm.unread import nobody_reads_on

    try:
        status = _do(asked, os.environ)
        sys.stdout.flush()
        return status
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _EXTRA_PACKAGES:
            raise
        return _say(f"The package {package} is not installed: hokm[server], the extra for servers, brings it.", FAILED)
    except BrokenPipeError:
        return nobody_reads_on()
    except KeyboardInterrupt:  # a second one, while it was stopping
        return FAILED


def _do(asked: argparse.Namespace, environment: Mapping[str, str]) -> int:
    from hokm.errors import HokmError
    from hokm_server.errors import BadSetting, SettingsUnreadable, UnknownSetting

    try:
        settings = _settings(asked, environment)
        match asked.command:
            case "serve":
                return _serve(settings, asked.level, asked.until_input_ends)
            case "check":
                return _check(settings)
            case _:
                return _keys(asked, settings)
    except (BadSetting, SettingsUnreadable, UnknownSetting) as error:
        return _say(str(error), WRONG_USAGE)
    except HokmError as error:
        return _say(str(error), FAILED)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hokm-server",
        description="Serves tables of Hokm, and writes the log of what happens there.",
        epilog="Each option is also a setting by its name: HOKM_SERVER_PORT=7465 in the environment, "
        "or port = 7465 in a file (--config). Files of the house, by default in ./var: keys/ (secret), "
        "policy (what players and verifiers trust), the log and its head.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    serve = commands.add_parser("serve", help="serve until stopped; keys and log are made where there are none")
    _add_settings(serve)
    serve.add_argument("--host", help="address to listen at (127.0.0.1: this machine only)")
    serve.add_argument("--port", help="port to listen at (7465); 0 lets the system choose one")
    serve.add_argument("--web-port", metavar="PORT", help="port for the log over HTTP (the one after that)")
    serve.add_argument("--no-web", action="store_true", help="do not serve the log over HTTP")
    serve.add_argument("--tls-certificate", metavar="FILE", help="chain of certificates in PEM")
    serve.add_argument("--tls-key", metavar="FILE", help="its key")
    serve.add_argument("--publish-ms", metavar="MS", help="how long entries may wait for a checkpoint (1000)")
    serve.add_argument("--most-calls", metavar="N", help="calls at a time, streams among them (20000)")
    serve.add_argument("--most-tables", metavar="N", help="tables that are not over (10000)")
    serve.add_argument(
        "--address-percent", metavar="P", help="of both, what one address may hold (25); 100 behind a proxy"
    )
    serve.add_argument("--no-bots", action="store_true", help="do without the house's own bots and stand-ins")
    serve.add_argument("--until-input-ends", action="store_true", help="stop when standard input, a pipe, is closed")
    serve.add_argument("--level", default="WARNING", choices=("DEBUG", "INFO", "WARNING", "ERROR"), help="diagnostics")
    check = commands.add_parser("check", help="derive everything again from the entries, and say what differs")
    _add_settings(check)
    _add_keys(commands.add_parser("keys", help="make, list and change the keys of the house, and its policy"))
    return parser


def _add_keys(parser: argparse.ArgumentParser) -> None:
    """What can be done with keys."""
    whats = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    create = whats.add_parser("create", help="make them")
    listed = whats.add_parser("list", help="show the public keys, never a secret, and what each is for now")
    rotate = whats.add_parser("rotate", help="make new ones; games that are not over go on under theirs")
    rotate.add_argument("roles", nargs="+", choices=("event", "log", "root"), metavar="event|log|root")
    revoke = whats.add_parser("revoke", help="let an event key sign nothing any more; its open games end")
    revoke.add_argument("key", help="the event key, in hex, as `list` shows it")
    policy = whats.add_parser("policy", help="show what readers trust, or change it")
    policy.add_argument("--add", action="append", default=[], metavar="LINE", help="a line more, such as a witness")
    policy.add_argument("--drop", action="append", default=[], metavar="WORD", help="drop the lines with this word")
    policy.add_argument("--quorum", metavar="NAME", help="the witness or group that must cosign, or none")
    for changing in (rotate, revoke):
        changing.add_argument("--root", type=Path, metavar="DIR", help="where the root keys are, if not beside them")
    lock = whats.add_parser("lock", help="put secrets that lie open under the passphrase")
    for each in (create, listed, rotate, revoke, policy, lock):
        _add_settings(each)


def _add_settings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--var", metavar="DIR", help="directory of the house's files (var)")
    parser.add_argument("--origin", help="name of the log, for ever (localhost/hokm)")
    parser.add_argument("--config", metavar="FILE", type=Path, help="settings in TOML")
    parser.add_argument("--passphrase-file", metavar="FILE", help="holds the passphrase that locks the secrets")


def _settings(asked: argparse.Namespace, environment: Mapping[str, str]) -> Settings:
    """The settings that hold. Where nothing states the origin, the house that is there states it."""
    from dataclasses import replace

    from hokm.policy import Policy
    from hokm_server.config import Settings, load

    stated = {name: getattr(asked, name) for name in _STATED if getattr(asked, name, None) is not None}
    if getattr(asked, "no_bots", False):
        stated["bots"] = "false"
    if getattr(asked, "no_web", False):
        stated["web"] = "false"
    settings = load(stated, environment, asked.config)
    if settings.origin != Settings().origin or "origin" in stated or "HOKM_SERVER_ORIGIN" in environment:
        return settings
    try:
        policy = Policy.parse((settings.keys / "policy").read_bytes())
    except Exception:  # whatever is wrong with it, its reader says so
        return settings
    return replace(settings, origin=policy.logs[0].vkey.name) if policy.logs else settings


# serve


def _serve(settings: Settings, level: str, until_input_ends: bool) -> int:
    import asyncio

    from hokm_server import diagnostics
    from hokm_server.until_stopped import serve_until_stopped

    diagnostics.write_to(sys.stderr, level)
    sys.setswitchinterval(0.0002)  # for the writer's thread, beside a busy loop
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        cause = runner.run(serve_until_stopped(settings, until_input_ends=until_input_ends))
    return _say(f"The log could not be written any more: {cause}", FAILED) if cause else 0


def _loop_factory() -> Callable[[], AbstractEventLoop] | None:
    """That of uvloop where it is installed."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


# check


def _check(settings: Settings) -> int:
    import contextlib

    from hokm_server.check import check
    from hokm_server.key_files import KeyFiles
    from hokm_server.public_keys import read_public
    from hokm_server.store import Store

    public = read_public(KeyFiles(settings.keys), settings.origin)
    with contextlib.closing(Store(settings.database, settings.origin)) as store:
        found = check(store, settings.head, public)
    for fault in found.faults:
        print(fault)
    print(found)
    return FAILED if found.faults else 0


# keys


def _keys(asked: argparse.Namespace, settings: Settings) -> int:
    from hokm_server.clock import SystemClock
    from hokm_server.keys_program import run

    for line in run(asked, settings, SystemClock(), os.urandom):
        print(line)
    return 0


def _say(sentence: str, status: int) -> int:
    print(f"hokm-server: {sentence}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
