# SPDX-License-Identifier: Apache-2.0
"""The program `hokm-audit`: reads a published log, and believes neither its house nor its site.

hokm-audit fetch URL --table ID [--round N]    rebuild a proof file from the tiles of the log alone
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hokm.errors import HokmError

FAILED: Final = 1
WRONG_USAGE: Final = 2

_EXTRA_PACKAGES: Final = {"httpx", "matplotlib", "rich", "scipy"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; the status to end with."""
    asked = _parser().parse_args(arguments)
    try:
        return _do(asked)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _EXTRA_PACKAGES:
            raise
        return _say(f"The package {package} is not installed: hokm[audit] brings it.", FAILED)
    except KeyboardInterrupt:
        return _say("Interrupted.", 128 + signal.SIGINT)
    except HokmError as error:
        return _say(str(error), FAILED)


def _do(asked: argparse.Namespace) -> int:
    match asked.command:
        case "fetch":
            return _fetch(asked)
        case command:
            raise AssertionError(command)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hokm-audit",
        description="Reads a published log of Hokm, and believes neither its house nor its site.",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    fetch = commands.add_parser("fetch", help="rebuild a proof file from the tiles of the log alone")
    _add_log(fetch)
    fetch.add_argument("--table", required=True, metavar="ID", type=_table_id, help="32 hex digits")
    fetch.add_argument("--round", type=int, metavar="N", help="one round of it; without, the whole game")
    fetch.add_argument("--out", metavar="FILE", type=Path, help="where to put it (TABLE-N.json or TABLE-game.json)")
    return parser


def _add_log(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("url", metavar="URL", help="where the log is published, such as https://example.org/log")
    parser.add_argument("--policy", required=True, metavar="FILE", type=Path, help="whom you trust")


def _table_id(text: str) -> bytes:
    octets = bytes.fromhex(text)
    if len(octets) != 16:
        raise ValueError
    return octets


# fetch


def _fetch(asked: argparse.Namespace) -> int:
    from hokm_audit.files import read_policy, write_durably
    from hokm_audit.finding import find_proof
    from hokm_audit.published import latest
    from hokm_audit.sites import keys_on, site_at

    policy = read_policy(asked.policy)
    with site_at(asked.url) as fetch:
        proof = find_proof(latest(fetch, policy), keys_on(fetch), asked.table, asked.round)
    out = asked.out or Path(f"{asked.table.hex()}-{asked.round or 'game'}.json")
    write_durably(out, proof.format())
    print(f"{out}: rebuilt from the tiles of {asked.url}; hokm-verify {out} --policy {asked.policy} says if it is true")
    return 0


def _say(sentence: str, status: int) -> int:
    print(f"hokm-audit: {sentence}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
