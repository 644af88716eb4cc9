# SPDX-License-Identifier: Apache-2.0
"""What `hokm-verify` does with the files that it is given: read, verify, print, and judge them all together.

Nothing that a file holds, is, or lacks makes it fail otherwise than with one sentence. Many files are verified in
several processes.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import stat
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TextIO, TypeVar

from hokm.errors import BadProof, BadTlogProof, HokmError, system_words
from hokm.policy import MOST_BYTES as MOST_POLICY_BYTES
from hokm.policy import Policy
from hokm.proof import MOST_GAME_BYTES
from hokm.signing import VKey
from hokm.statuses import INCOMPLETE, REJECTED, UNREADABLE, VERIFIED, WITH_WARNINGS
from hokm.verify import Finding, Line, Report, Signatures, Step, Verdict, Wishes, verify
from hokm.verify.report import Refused

STATUS: Final = {
    Verdict.REJECTED: REJECTED,
    Verdict.UNREADABLE: UNREADABLE,
    Verdict.INCOMPLETE: INCOMPLETE,
    Verdict.WITH_WARNINGS: WITH_WARNINGS,
    Verdict.VERIFIED: VERIFIED,
}
"""Of the worst verdict first."""

T = TypeVar("T")

FEW: Final = 4
"""Files up to so many are verified in this process: others take longer to start than they save."""


class WrongUsage(Exception):
    """The words on the command line, or a policy, are wrong; the text is the sentence to print."""


class Task(NamedTuple):
    """What is wanted of one file."""

    path: str
    policy: Policy
    wishes: Wishes


def judge_files(asked: argparse.Namespace) -> int:
    """Verify the files of the command line and print their reports: the exit status."""
    try:
        policy = read_policy(asked.policy)
        wishes = Wishes(
            signatures=Signatures.ALL if asked.every_signature else Signatures.PLAYERS,
            mine=None if asked.mine is None else read_key(asked.mine),
            head=None if asked.head is None else read_head(asked.head),
        )
    except WrongUsage as wrong:
        print(f"hokm-verify: {wrong}", file=sys.stderr)
        return UNREADABLE
    tasks = [Task(path, policy, wishes) for path in asked.proofs]
    verdicts: Counter[Verdict] = Counter()
    warnings: dict[str, list[Finding]] = {}
    for task, report in zip(tasks, _reports(tasks), strict=True):
        verdicts[report.verdict] += 1
        for code in dict.fromkeys(warning.code for warning in report.warnings):
            warnings.setdefault(code, []).append(next(found for found in report.warnings if found.code == code))
        if asked.json:
            print(json.dumps({"proof": task.path} | report.as_json(), ensure_ascii=False))
        elif asked.short:
            print(line_of(task.path, report))
        else:
            print("\n".join(page(task.path, report)), end="\n\n" if len(tasks) > 1 else "\n")
        sys.stdout.flush()
    if not asked.json and len(tasks) > 1:
        print(tally(verdicts))
    if asked.short and warnings:
        print("\n".join(each_once(warnings)))
    if asked.explain and not asked.json:
        from hokm.explained import EXPLAINED

        print("\n" + EXPLAINED[asked.lang], end="")
    worst = _worst(verdicts)
    return STATUS[worst] if worst is not Verdict.WITH_WARNINGS or asked.strict else VERIFIED


def _worst(verdicts: Collection[Verdict]) -> Verdict:
    return next(verdict for verdict in STATUS if verdict in verdicts)


def _reports(tasks: Sequence[Task]) -> Iterator[Report]:
    """The reports in the order of the tasks."""
    workers = min(len(tasks), os.cpu_count() or 1)
    if len(tasks) <= FEW or workers == 1:
        yield from map(report_on, tasks)
        return
    from concurrent.futures import ProcessPoolExecutor

    # Ctrl-C reaches every process of a terminal: this one answers it, and takes the others down with it.
    pool = ProcessPoolExecutor(workers, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN))
    try:
        yield from pool.map(report_on, tasks, chunksize=max(1, min(16, len(tasks) // (4 * workers))))
    finally:
        pool.shutdown(cancel_futures=True)


def report_on(task: Task) -> Report:
    """The report on one file, whatever it is."""
    try:
        return verify(read_file(task.path, MOST_GAME_BYTES), task.policy, task.wishes)
    except WrongUsage as wrong:
        return _unreadable(str(wrong))
    except Exception as error:
        return _unreadable(_own_failure(error))


def _unreadable(sentence: str) -> Report:
    """The report on a file that nothing can be said of."""
    error = BadProof(sentence)
    fault = Finding(Step.FORMAT, error.reason, sentence, None, error.facts)
    lines = (Line(Step.FORMAT, "refused", f"{error.reason}: {sentence}"),)
    rest = tuple(Line(step, "not reached", "not reached") for step in Step if step is not Step.FORMAT)
    return Report(Verdict.UNREADABLE, lines + rest, fault)


def _own_failure(error: Exception) -> str:
    """What to say where this program and not the file is at fault."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{type(error).__name__} in line {place.lineno} of {os.path.basename(place.filename)}"
    return f"hokm-verify itself failed over it, which is no verdict on the file ({where})."


def show_files(paths: Sequence[str], language: str, policy_path: str | None) -> int:
    """Tell what was played in each: the exit status."""
    from hokm.languages import Language
    from hokm.telling import tell

    try:
        policy = None if policy_path is None else read_policy(policy_path)
    except WrongUsage as wrong:
        print(f"hokm-verify: {wrong}", file=sys.stderr)
        return UNREADABLE
    verdicts = set()
    for place, path in enumerate(paths):
        if place:
            print()
        verdict, lines = _read_out(path, policy, lambda octets: [*tell(octets, Language(language))], sys.stdout)
        verdicts.add(verdict)
        if lines is not None:
            print("\n".join(lines))
            print()
            print(_how_far(path, policy, verdict, "told"))
    worst = _worst(verdicts)
    return VERIFIED if worst is Verdict.WITH_WARNINGS else STATUS[worst]


def make_file(path: str, out: str | None, policy_path: str | None, make: Callable[[bytes], bytes]) -> int:
    """Write what is made of a proof file: the exit status."""
    try:
        policy = None if policy_path is None else read_policy(policy_path)
        verdict, octets = _read_out(path, policy, make, sys.stderr)
        if octets is not None and out is not None:
            write_file(out, octets)
    except WrongUsage as wrong:
        print(f"hokm-verify: {wrong}", file=sys.stderr)
        return UNREADABLE
    if octets is not None and out is None:
        print(octets.decode(), end="")
    if octets is not None:
        print(f"hokm-verify: {_how_far(path, policy, verdict, 'written')}", file=sys.stderr)
    return VERIFIED if verdict is Verdict.WITH_WARNINGS else STATUS[verdict]


def _how_far(path: str, policy: Policy | None, verdict: Verdict, done: str) -> str:
    """Whether what was done with a file rests on a verification."""
    if policy is None:
        return f"{path}: {done}, not verified: name a policy with --policy FILE."
    return f"{path}: {verdict.value}"


def _read_out(
    path: str, policy: Policy | None, make: Callable[[bytes], T], complain_to: TextIO
) -> tuple[Verdict, T | None]:
    """What is made of a file's proof, and its verdict; nothing is made of a proof that is false or none.

    Where there is no policy, what hangs together passes for verified.
    """
    try:
        octets = read_file(path, MOST_GAME_BYTES)
        report = None if policy is None else verify(octets, policy)
        if report is not None and report.verdict in (Verdict.REJECTED, Verdict.UNREADABLE):
            print("\n".join(page(path, report)), file=complain_to)
            return report.verdict, None
        return Verdict.VERIFIED if report is None else report.verdict, make(octets)
    except WrongUsage as wrong:
        print(f"hokm-verify: {wrong}", file=sys.stderr)
        return Verdict.UNREADABLE, None
    except Refused as refused:
        finding = refused.finding
        print(f"hokm-verify: {path}: {finding.where}{finding.sentence} ({finding.code})", file=sys.stderr)
        return (Verdict.UNREADABLE if finding.step is Step.FORMAT else Verdict.REJECTED), None
    except (BadProof, BadTlogProof) as error:
        print(f"hokm-verify: {path}: {error} ({error.reason})", file=sys.stderr)
        return Verdict.UNREADABLE, None
    except Exception as error:
        print(f"hokm-verify: {path}: {_own_failure(error)}", file=sys.stderr)
        return Verdict.UNREADABLE, None


# Reading.


def read_file(path: str, most: int) -> bytes:
    """The bytes of an ordinary file. Raises `WrongUsage` with a sentence."""
    try:
        with open(path, "rb") as file:
            # A pipe is read like a file; a folder cannot be opened, and a device would never end.
            if stat.S_ISCHR(os.fstat(file.fileno()).st_mode) or stat.S_ISBLK(os.fstat(file.fileno()).st_mode):
                raise WrongUsage(f"{path} is a device, not a file.")
            octets = file.read(most + 1)
    except OSError as error:
        raise WrongUsage(f"{path} cannot be read: {system_words(error).lower()}.") from None
    except ValueError:
        raise WrongUsage("A file name holds what no file name may hold.") from None
    if len(octets) > most:
        raise WrongUsage(f"{path} has more than {most} bytes.")
    return octets


def write_file(path: str, octets: bytes) -> None:
    """Put them into a file. Raises `WrongUsage` with a sentence."""
    try:
        with open(path, "wb") as file:
            file.write(octets)
    except OSError as error:
        raise WrongUsage(f"{path} cannot be written: {system_words(error).lower()}.") from None
    except ValueError:
        raise WrongUsage("A file name holds what no file name may hold.") from None


def read_policy(path: str) -> Policy:
    """The policy of a file. Raises `WrongUsage` with a sentence."""
    try:
        return Policy.parse(read_file(path, MOST_POLICY_BYTES))
    except HokmError as error:
        raise WrongUsage(f"{path}: {error}") from None


def read_key(text: str) -> bytes:
    """A player's key, 64 hex digits or a vkey. Raises `WrongUsage` with a sentence."""
    if "+" in text:
        try:
            return VKey.parse(text).public_key
        except HokmError as error:
            raise WrongUsage(f"--mine: {error}") from None
    key = _hex(text)
    if key is None:
        raise WrongUsage("--mine wants a public key, 64 hex digits or a vkey; `hokm key` prints yours.")
    return key


def read_head(text: str) -> tuple[int, bytes]:
    """A version and a leaf. Raises `WrongUsage` with a sentence."""
    version, _, leaf = text.partition(":")
    octets = _hex(leaf)
    if octets is None or not (version.isascii() and version.isdecimal() and len(version) < 19):
        raise WrongUsage("--head wants VERSION:LEAF, a number and 64 hex digits, such as 17:3f…")
    return int(version), octets


def _hex(text: str) -> bytes | None:
    """The 32 bytes of 64 hex digits, else None."""
    if len(text) != 64 or not all(digit in "0123456789abcdefABCDEF" for digit in text):
        return None
    return bytes.fromhex(text)


# Printing.


def line_of(path: str, report: Report) -> str:
    """A report in one line: the verdict, the file, and what is wrong with it if anything is."""
    fault = report.fault
    why = "" if fault is None else f": {_printable(f'{fault.code}: {fault.where}{fault.sentence}')}"
    return f"{report.verdict.value:{_WIDEST}}  {_printable(path)}{why}"


def tally(verdicts: Mapping[Verdict, int]) -> str:
    """How many proofs there are of each verdict, the worst first."""
    told = [f"{verdicts[verdict]} {verdict.value}" for verdict in STATUS if verdict in verdicts]
    return f"{sum(verdicts.values())} proofs: {', '.join(told)}"


def each_once(warnings: Mapping[str, Sequence[Finding]]) -> Iterator[str]:
    """What the warnings of several reports mean: the first of each code, and in how many reports it is."""
    yield "warnings:"
    for code, found in warnings.items():
        alike = len({one.sentence for one in found}) == 1
        rest = f" ({'in' if alike else 'the first of those in'} {len(found)} proofs)" if len(found) > 1 else ""
        yield f" - {code}: {_printable(found[0].sentence)}{rest}"


_WIDEST: Final = max(len(verdict.value) for verdict in Verdict)

_MARKS: Final = {"ok": "ok", "warning": "warning", "incomplete": "incomplete", "refused": "REFUSED"}


_INTACT: Final = {
    True: "yes, nothing here was changed, left out or put in",
    False: "no",
}
_COMPLETE: Final = {
    True: "yes, it goes to its closing entry",
    False: "no, the end is missing",
    None: "not said of what is not intact",
}


def page(path: str, report: Report) -> Iterator[str]:
    """The report as lines of text."""
    yield f"{_printable(path)}: {report.verdict.value}"
    for line in report.lines:
        if line.outcome == "not reached":
            continue
        yield f"  {line.step:2} {line.step.title}, {_MARKS[line.outcome]}: {_printable(line.says)}"
    behind = [line.step for line in report.lines if line.outcome == "not reached"]
    if behind:
        first = f"steps {behind[0]} to" if len(behind) > 1 else "step"
        yield f"     {first} {behind[-1]} not reached"
    if report.fault is not None and report.fault.facts and report.fault.step is not Step.FORMAT:
        yield "     facts: " + ", ".join(f"{name} {_printable(fact)}" for name, fact in report.fault.facts.items())
    yield f"  intact: {_INTACT[report.intact]}"
    yield f"  complete: {_COMPLETE[report.complete]}"
    for title, several in (
        ("warnings", tuple(f"{warning.code}: {warning.where}{warning.sentence}" for warning in report.warnings)),
        ("what happened besides play", report.notes),
        ("your own number", report.mine),
        ("not proved", report.not_proved),
    ):
        if several:
            yield f"  {title}:"
            yield from (f"   - {_printable(item)}" for item in several)


def _printable(text: str) -> str:
    """What a terminal may be sent: control characters, of which a file is free to hold any, as escapes."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
