# SPDX-License-Identifier: Apache-2.0
"""`hokm-verify`: say of proof files whether they are true, with two public keys and no network.

Whatever is only needed for one way of asking is imported when that way is asked for, so that help comes at once.
"""

from __future__ import annotations

import argparse
import io
import signal
import sys
from collections.abc import Sequence

from hokm.statuses import UNREADABLE, VERIFIED
from hokm.unread import nobody_reads_on

EXITS = """\
exit status:
  0  verified (with warnings too, unless --strict)
  1  rejected
  2  unreadable, or wrong usage
  3  incomplete: what is there is true, the end is missing
  4  verified with warnings, and --strict was asked for
Of several proofs the worst decides: 1, then 2, 3, 4, 0.

`hokm-verify show PROOF... [--lang en|fa] [--policy FILE]` tells what was played instead: see `hokm-verify show --help`.
`hokm-verify record PROOF [--out FILE] [--policy FILE]` writes it as JSON for programs: see `hokm-verify record --help`.
`hokm-verify inclusion PROOF [--out FILE] [--policy FILE]` writes its place in the log as other tools read it.
`hokm-verify evidence FILE --policy FILE [--tiles DIR]` judges a complaint: see `hokm-verify evidence --help`.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; its exit status."""
    asked = list(sys.argv[1:] if arguments is None else arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="namereplace")  # where a terminal knows no ♠ it is named, and nothing fails
    try:
        match asked:
            case ["show", *rest]:
                status = _show(rest)
            case ["record", *rest]:
                status = _record(rest)
            case ["inclusion", *rest]:
                status = _inclusion(rest)
            case ["evidence", *rest]:
                status = _evidence(rest)
            case _:
                status = _verify(asked)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _say("Interrupted.", 128 + signal.SIGINT)
    except BrokenPipeError:
        return nobody_reads_on()
    return status


def _say(sentence: str, status: int) -> int:
    print(f"hokm-verify: {sentence}", file=sys.stderr)
    return status


# hokm-verify PROOF…


def _verify(arguments: Sequence[str]) -> int:
    asked = _parser().parse_args(arguments)
    if asked.explain and not asked.proofs:
        from hokm.explained import EXPLAINED

        print(EXPLAINED[asked.lang], end="")
        return VERIFIED
    if not asked.proofs:
        return _say("Name at least one proof file; --help says more.", UNREADABLE)
    if asked.policy is None:
        return _say("Name the policy, which says whom you trust, with --policy FILE; --help says more.", UNREADABLE)
    if asked.head is not None and len(asked.proofs) > 1:
        return _say("--head is the expected head of one proof.", UNREADABLE)
    from hokm.judging import judge_files

    return judge_files(asked)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hokm-verify",
        description="Say of proofs of rounds and games whether they are true. No network, no server, only the files.",
        epilog=EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("proofs", nargs="*", metavar="PROOF", help="a proof file of a round or of a game")
    parser.add_argument("--policy", metavar="FILE", help="whom you trust: the log, its root key, witnesses, a quorum")
    said = parser.add_mutually_exclusive_group()
    said.add_argument("--short", action="store_true", help="one line for each proof, then each warning once")
    said.add_argument("--json", action="store_true", help="print the reports as one JSON object for each line")
    parser.add_argument(
        "--every-signature", action="store_true", help="check the house's signature under every entry too"
    )
    parser.add_argument("--mine", metavar="KEY", help="is your number in? your public key, as `hokm key` prints it")
    parser.add_argument("--head", metavar="VERSION:LEAF", help="an entry that must be there, its leaf in hex")
    parser.add_argument("--explain", action="store_true", help="say in plain words what is proved and what is not")
    parser.add_argument("--lang", choices=("en", "fa"), default="en", help="the language of --explain (%(default)s)")
    parser.add_argument("--strict", action="store_true", help="exit with 4 where there are warnings")
    return parser


# hokm-verify show PROOF


def _show(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="hokm-verify show",
        description="Tell what was played, as people would: the deal, trumps, every trick and the result.",
        allow_abbrev=False,
    )
    parser.add_argument("proofs", nargs="+", metavar="PROOF", help="a proof file of a round or of a game")
    parser.add_argument("--lang", choices=("en", "fa"), default="en", help="English or Persian (default: %(default)s)")
    parser.add_argument("--policy", metavar="FILE", help="verify the proof first, and tell it only if it is verified")
    asked = parser.parse_args(arguments)
    from hokm.judging import show_files

    return show_files(asked.proofs, asked.lang, asked.policy)


# hokm-verify record PROOF


def _record(arguments: Sequence[str]) -> int:
    what = "Write what was played as JSON, without what proves it: hands, tricks, think times and the result."
    asked = _maker("record", what).parse_args(arguments)
    from hokm.judging import make_file
    from hokm.record import record

    return make_file(asked.proof, asked.out, asked.policy, lambda octets: record(octets).format())


def _maker(name: str, description: str) -> argparse.ArgumentParser:
    """Of a command that writes something that is made of a proof."""
    parser = argparse.ArgumentParser(prog=f"hokm-verify {name}", description=description, allow_abbrev=False)
    parser.add_argument("proof", metavar="PROOF", help="a proof file of a round or of a game")
    parser.add_argument("--out", metavar="FILE", help="where to put it (standard output)")
    parser.add_argument("--policy", metavar="FILE", help="verify the proof first, and write only if it is verified")
    return parser


# hokm-verify inclusion PROOF


def _inclusion(arguments: Sequence[str]) -> int:
    what = "Write that the last entry is in the log, as tools know it that know nothing of the game (C2SP tlog-proof)."
    asked = _maker("inclusion", what).parse_args(arguments)
    from hokm.judging import make_file
    from hokm.tlog_proof import tlog_proof

    return make_file(asked.proof, asked.out, asked.policy, lambda octets: tlog_proof(octets).format())


# hokm-verify evidence FILE

EVIDENCE_EXITS = """\
exit status:
  0  proved: no house that keeps the rules signs this
  1  not proved: it shows nothing against the house
  2  unreadable, or wrong usage
  3  cannot be said: something is missing that would decide it
"""


def _evidence(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="hokm-verify evidence",
        description="Judge a complaint: whether the evidence that a client kept shows to others what a house did.",
        epilog=EVIDENCE_EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("evidence", metavar="FILE", help="a file of evidence")
    parser.add_argument("--policy", metavar="FILE", required=True, help="whom you trust, as for proofs")
    parser.add_argument("--tiles", metavar="DIR", help="the files of the published log: checkpoint and tile/...")
    parser.add_argument("--json", action="store_true", help="print the judgement as one JSON object")
    asked = parser.parse_args(arguments)
    from hokm.hearing import hear

    return hear(asked)


if __name__ == "__main__":
    sys.exit(main())
