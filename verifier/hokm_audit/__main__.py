# SPDX-License-Identifier: Apache-2.0
"""The program `hokm-audit`: reads a published log, and believes neither its house nor its site.

What each of its commands needs is imported when it is asked for.
"""

from __future__ import annotations

import argparse
import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hokm.errors import HokmError
from hokm.signing import fault_of_name
from hokm.unread import nobody_reads_on

FAILED: Final = 1
FAULTY: Final = 1
WRONG_USAGE: Final = 2
UNFINISHED: Final = 3

_STATUSES: Final = """\
exit status:
  0  read to the latest checkpoint, and nothing stands against the log
  1  something stands against it, now or before: nothing is signed any more
  2  wrong usage
  3  not finished: the site, the witnesses or this machine failed; what was reached is kept, and it goes on from there
"""

_EXTRA_PACKAGES: Final = {"httpx", "matplotlib", "rich", "scipy"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; the status to end with."""
    asked = _parser().parse_args(arguments)
    try:
        status = _do(asked)
        sys.stdout.flush()
        return status
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _EXTRA_PACKAGES:
            raise
        return _say(f"The package {package} is not installed: hokm[audit] brings it.", FAILED)
    except BrokenPipeError:
        return nobody_reads_on()
    except KeyboardInterrupt:
        return _say("Interrupted.", 128 + signal.SIGINT)
    except HokmError as error:
        return _say(str(error), FAILED)


def _do(asked: argparse.Namespace) -> int:
    match asked.command:
        case "follow":
            return _follow(asked)
        case "report":
            return _report(asked)
        case "fetch":
            return _fetch(asked)
        case "mirror":
            return _mirror(asked)
        case command:
            raise AssertionError(command)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hokm-audit",
        description="Reads a published log of Hokm, and believes neither its house nor its site.",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    follow = commands.add_parser(
        "follow",
        help="read a log on to its latest checkpoint, and replay every game",
        epilog=_STATUSES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_log(follow)
    _add_state(follow)
    follow.add_argument(
        "--name", help="sign as this auditor, such as auditor.example.org/1; the key is made if need be"
    )
    follow.add_argument("--workers", type=int, metavar="N", help="processes that replay (one for each processor)")
    follow.add_argument("--json", action="store_true", help="say what was found as one JSON object, and draw no bar")
    report = commands.add_parser("report", help="write a page with pictures, and tables, of what was followed")
    _add_policy(report)
    _add_state(report)
    report.add_argument("--out", metavar="DIR", type=Path, default=Path("audit-report"), help="where to (%(default)s)")
    report.add_argument("--picture", action="store_true", help="besides, the main figures as one picture, report.png")
    fetch = commands.add_parser("fetch", help="rebuild a proof file from the tiles of the log alone")
    _add_log(fetch)
    fetch.add_argument("--table", required=True, metavar="ID", type=_table_id, help="32 hex digits")
    fetch.add_argument("--round", type=_round, metavar="N", help="one round of it; without, the whole game")
    fetch.add_argument("--out", metavar="FILE", type=Path, help="where to put it (TABLE-N.json or TABLE-game.json)")
    mirror = commands.add_parser("mirror", help="fetch the files of a log into a directory, as evidence or for later")
    _add_log(mirror)
    mirror.add_argument("--out", required=True, metavar="DIR", type=Path, help="where to")
    return parser


def _add_log(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("url", metavar="URL", help="where the log is published, such as https://example.org/log")
    _add_policy(parser)


def _add_policy(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--policy", required=True, metavar="FILE", type=Path, help="whom you trust")


def _add_state(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--state", metavar="DIR", type=Path, default=Path("var/audit"), help="what it knows of the log (%(default)s)"
    )


def _table_id(text: str) -> bytes:
    if not re.fullmatch("[0-9a-fA-F]{32}", text):
        raise argparse.ArgumentTypeError("a table's id is 32 hex digits")
    return bytes.fromhex(text)


def _round(text: str) -> int:
    if not re.fullmatch("[0-9]{1,10}", text) or not 1 <= int(text) < 2**32:
        raise argparse.ArgumentTypeError("rounds are counted from 1")
    return int(text)


# follow


def _follow(asked: argparse.Namespace) -> int:
    import json
    import os
    import time

    from hokm_audit.auditing import Auditor
    from hokm_audit.files import read_policy
    from hokm_audit.progress import bar, no_bar
    from hokm_audit.sites import site_at
    from hokm_audit.telling import page
    from hokm_audit.workers import replaying

    if asked.name is not None and (fault := fault_of_name(asked.name)) is not None:
        return _say(f"--name: {fault}.", WRONG_USAGE)
    auditor = Auditor(
        asked.state, read_policy(asked.policy), asked.name, os.urandom, lambda: time.time_ns() // 1_000_000
    )
    drawn = no_bar if asked.json or not sys.stderr.isatty() else bar
    try:
        with (
            site_at(asked.url) as site,
            replaying(max(1, asked.workers or os.cpu_count() or 1)) as replay,
            drawn() as progress,
        ):
            outcome = auditor.audit(site, replay, progress)
    except HokmError as error:
        if asked.json:
            print(json.dumps({"problem": {"reason": error.reason, "sentence": str(error)}}))
        return _say(str(error), UNFINISHED)
    print(json.dumps(outcome.as_json(), ensure_ascii=False) if asked.json else "\n".join(page(outcome)))
    return 0 if outcome.is_followed and not outcome.faults else FAULTY


# report


def _report(asked: argparse.Namespace) -> int:
    from hokm_audit.auditing import open_ledger, outcome_of
    from hokm_audit.files import read_policy
    from hokm_audit.reporting import report

    ledger = open_ledger(asked.state, read_policy(asked.policy))
    try:
        outcome = outcome_of(ledger)
        files = report(ledger, outcome, asked.out, picture=asked.picture)
    finally:
        ledger.close()
    print(f"{files[0]}, and {len(files) - 1} files with its tables beside it")
    return FAULTY if outcome.faults else 0


# fetch


def _fetch(asked: argparse.Namespace) -> int:
    from hokm_audit.files import read_policy, write_durably
    from hokm_audit.finding import find_proof
    from hokm_audit.published import latest
    from hokm_audit.sites import keys_on, site_at

    policy = read_policy(asked.policy)
    with site_at(asked.url) as site:
        proof = find_proof(latest(site, policy), keys_on(site.fetch), asked.table, asked.round)
    out = asked.out or Path(f"{asked.table.hex()}-{asked.round or 'game'}.json")
    write_durably(out, proof.format())
    print(f"{out}: rebuilt from the tiles of {asked.url}; hokm-verify {out} --policy {asked.policy} says if it is true")
    return 0


# mirror


def _mirror(asked: argparse.Namespace) -> int:
    from hokm_audit.files import read_policy
    from hokm_audit.mirroring import mirror
    from hokm_audit.progress import bar, no_bar
    from hokm_audit.published import latest
    from hokm_audit.sites import site_at

    policy = read_policy(asked.policy)
    with site_at(asked.url) as site, (bar if sys.stderr.isatty() else no_bar)() as progress:
        log = latest(site, policy)
        count = mirror(log, asked.out, progress)
    print(f"{asked.out}: {count} files of {log.checkpoint.origin} at size {log.size}")
    return 0


def _say(sentence: str, status: int) -> int:
    print(f"hokm-audit: {sentence}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
