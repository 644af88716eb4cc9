# SPDX-License-Identifier: Apache-2.0
"""`hokm-verify`, as a person or a script meets it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hokm.__main__ import main
from hokm.errors import OutOfRange
from hokm.judging import each_once
from hokm.policy import Policy, root_name
from hokm.record import GameRecord, record
from hokm.signing import SignatureType, VKey
from hokm.tlog_proof import TlogProof
from hokm.verify import Finding, Report, Step, Verdict, Wishes, verify
from tests.simulation.stories import story

pytestmark = pytest.mark.usefixtures("here")


def run(*arguments: str) -> int:
    """The exit status, in this process."""
    try:
        return main([*arguments])
    except SystemExit as stop:  # argparse's way
        return int(stop.code or 0)


# Verdicts.


@pytest.mark.parametrize(
    ("file", "status", "verdict"),
    [
        ("good.json", 0, Verdict.VERIFIED),
        ("game.json", 0, Verdict.VERIFIED),
        ("forged.json", 1, Verdict.REJECTED),
        ("text.json", 2, Verdict.UNREADABLE),
        ("missing.json", 2, Verdict.UNREADABLE),
        (".", 2, Verdict.UNREADABLE),
        ("/dev/zero", 2, Verdict.UNREADABLE),
        ("\0", 2, Verdict.UNREADABLE),
        ("cut.json", 3, Verdict.INCOMPLETE),
    ],
)
def test_the_verdict_is_the_exit_status(
    file: str, status: int, verdict: Verdict, capsys: pytest.CaptureFixture[str]
) -> None:
    """And the first line of the report."""
    assert run(file, "--policy", "plain.policy") == status
    shown, errors = capsys.readouterr()
    assert shown.splitlines()[0].endswith(f": {verdict.value}")
    assert errors == ""


def test_warnings_are_told_and_strict_takes_them_as_failures(capsys: pytest.CaptureFixture[str]) -> None:
    """0, and with --strict 4."""
    assert run("warned.json", "--policy", "troubled.policy") == 0
    assert "STAND_IN_NUMBER: entry " in capsys.readouterr().out
    assert run("warned.json", "--policy", "troubled.policy", "--strict") == 4
    assert run("good.json", "--policy", "plain.policy", "--strict") == 0


def test_one_line_for_each_step(capsys: pytest.CaptureFixture[str]) -> None:
    """Numbered, with what it checked."""
    run("good.json", "--policy", "plain.policy")
    lines = capsys.readouterr().out.splitlines()
    for step in Step:
        assert lines[step].startswith(f"  {step:2} {step.title}, ok: ")


def test_a_rejection_names_code_entry_and_facts(capsys: pytest.CaptureFixture[str]) -> None:
    """What is wrong, and where."""
    run("forged.json", "--policy", "plain.policy")
    shown = capsys.readouterr().out
    last = len(story("plain").entries) - 1
    assert f"11 result, REFUSED: ENDING_DIFFERS: entry {last}: The game ends otherwise: " in shown
    assert "facts: expected TARGET, won by the even seats, found TARGET, won by the odd seats" in shown
    assert "steps 12 to 13 not reached" in shown


@pytest.mark.parametrize(
    ("words", "intact", "complete"),
    [
        (["good.json"], True, True),
        (["cut.json"], True, False),
        (["good.json", "--head", "9999:" + "00" * 32], True, False),
        (["forged.json"], False, None),
        (["text.json"], False, None),
    ],
)
def test_intact_and_complete_are_two_lines(
    words: list[str], intact: bool, complete: bool | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """An end that is missing is another thing than a lie; of what is a lie nobody says whether it has its end."""
    run(*words, "--policy", "plain.policy")
    shown = capsys.readouterr().out
    assert f"\n  intact: {'yes' if intact else 'no'}" in shown
    assert f"\n  complete: { {True: 'yes', False: 'no', None: 'not said'}[complete] }" in shown
    run(*words, "--policy", "plain.policy", "--json")
    report = json.loads(capsys.readouterr().out)
    assert (report["intact"], report["complete"]) == (intact, complete)


@pytest.mark.parametrize(
    ("files", "status"),
    [
        (("good.json", "forged.json", "text.json", "cut.json"), 1),
        (("text.json", "cut.json", "good.json"), 2),
        (("good.json", "cut.json"), 3),
        (("good.json", "game.json"), 0),
        (("good.json",) * 9, 0),
        ((*("good.json",) * 9, "forged.json"), 1),
    ],
)
def test_of_several_proofs_the_worst_decides(
    files: tuple[str, ...], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their reports come in the order in which they were named, also where several processes make them."""
    assert run(*files, "--policy", "plain.policy", "--json") == status
    assert [json.loads(line)["proof"] for line in capsys.readouterr().out.splitlines()] == list(files)


def test_a_failure_of_its_own_is_no_verdict_on_a_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file counts as unreadable, which says that nothing can be said; the others are reported as ever."""

    def fails_over_whole_games(octets: bytes, policy: Policy, wishes: Wishes) -> Report:
        assert b'"kind": "round"' in octets
        return verify(octets, policy, wishes)

    monkeypatch.setattr("hokm.judging.verify", fails_over_whole_games)
    assert run("game.json", "good.json", "--policy", "plain.policy", "--short") == 2
    shown, errors = capsys.readouterr()
    failed, good, _ = shown.splitlines()
    assert failed.startswith("UNREADABLE")
    assert "hokm-verify itself failed over it" in failed
    assert "AssertionError in line " in failed
    assert good.startswith("VERIFIED")
    assert errors == ""


def test_a_failure_while_telling_is_said_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And what can be told of the others is told."""

    def fails(octets: bytes, language: object) -> object:
        raise OutOfRange("round", 1, 2, 3)

    monkeypatch.setattr("hokm.telling.tell", fails)
    assert run("show", "good.json", "game.json") == 2
    shown, errors = capsys.readouterr()
    assert shown.strip() == ""
    assert errors.count("hokm-verify itself failed over it") == 2


# JSON.


def test_json_says_all_that_the_text_says(capsys: pytest.CaptureFixture[str]) -> None:
    """One object on one line; the same keys whatever the verdict."""
    shapes = []
    for file in ("good.json", "forged.json", "text.json", "cut.json"):
        run(file, "--policy", "plain.policy", "--json")
        (line,) = capsys.readouterr().out.splitlines()
        report = json.loads(line)
        shapes.append([*report])
        assert [step["step"] for step in report["steps"]] == [*range(1, 14)]
        assert {step["outcome"] for step in report["steps"]} <= {
            "ok",
            "warning",
            "incomplete",
            "refused",
            "not reached",
        }
        assert (report["fault"] is None) == (report["verdict"] == "VERIFIED")
        if report["fault"] is not None:
            assert [*report["fault"]] == ["step", "code", "entry", "facts", "sentence"]
    assert (
        shapes
        == [
            [
                "proof",
                "verdict",
                "intact",
                "complete",
                "subject",
                "steps",
                "fault",
                "warnings",
                "notes",
                "mine",
                "not_proved",
            ]
        ]
        * 4
    )


def test_the_contract_names_every_key_of_the_json(capsys: pytest.CaptureFixture[str]) -> None:
    """In section 10.6, and no other."""
    spec = (Path(__file__).resolve().parents[2] / "verifier" / "SPEC.md").read_text()
    section = spec[spec.index("### 10.6") : spec.index("### 10.7")]
    run("game.json", "--policy", "plain.policy", "--json")
    report = json.loads(capsys.readouterr().out)
    seat, step = report["subject"]["seats"][0], report["steps"][0]
    fault = Finding(Step.FORMAT, "", "").as_json()
    assert set(re.findall(r"`(\w+)`", section)) == {*report, *report["subject"], *seat, *step, *fault}
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == [*report]


# What a reader wants besides.


def test_mine(capsys: pytest.CaptureFixture[str]) -> None:
    """A key in hex, or as a vkey; not one at all is wrong usage."""
    key = story("plain").players[1].key.public
    for text in (key.hex(), key.hex().upper(), VKey("me", SignatureType.ED25519, key).format()):
        assert run("good.json", "--policy", "plain.policy", "--mine", text) == 0
        assert "your own number is in the deal of round 2" in capsys.readouterr().out
    for text in ("", "me", "me+00+AA", key.hex()[1:], "zz" * 32, "٣" * 64):
        assert run("good.json", "--policy", "plain.policy", "--mine", text) == 2
        assert capsys.readouterr().err.startswith("hokm-verify: --mine")


def test_head(capsys: pytest.CaptureFixture[str]) -> None:
    """An entry that must be there. Behind the end of a game there is none; of a round it may be still to come."""
    game = story("plain")
    assert run("game.json", "--policy", "plain.policy", "--head", f"20:{game.leaves[20].hex()}") == 0
    assert run("game.json", "--policy", "plain.policy", "--head", f"21:{game.leaves[20].hex()}") == 1
    assert run("game.json", "--policy", "plain.policy", "--head", f"9999:{game.leaves[20].hex()}") == 1
    assert run("good.json", "--policy", "plain.policy", "--head", f"9999:{game.leaves[20].hex()}") == 3
    capsys.readouterr()
    for text in ("", "20", "20:", ":" + game.leaves[20].hex(), "-1:" + "00" * 32, "٢:" + "00" * 32, "1" * 30 + ":00"):
        assert run("game.json", "--policy", "plain.policy", f"--head={text}") == 2
        assert capsys.readouterr().err.startswith("hokm-verify: --head")
    two = ("good.json", "game.json", "--policy", "plain.policy", "--head", f"20:{game.leaves[20].hex()}")
    assert run(*two) == 2


def test_every_signature(capsys: pytest.CaptureFixture[str]) -> None:
    """All entries, not two."""
    run("game.json", "--policy", "plain.policy")
    assert " 2 signatures of the house" in capsys.readouterr().out
    run("game.json", "--policy", "plain.policy", "--every-signature")
    assert f" {len(story('plain').entries)} signatures of the house" in capsys.readouterr().out


def test_explain(capsys: pytest.CaptureFixture[str]) -> None:
    """In plain words, with a proof or without."""
    assert run("--explain") == 0
    alone = capsys.readouterr().out
    assert alone.startswith("What is proved when a proof is VERIFIED")
    assert run("good.json", "--policy", "plain.policy", "--explain") == 0
    assert capsys.readouterr().out.endswith(alone)
    for verdict in Verdict:
        assert f"  {verdict.value} " in alone


def test_explain_in_persian(capsys: pytest.CaptureFixture[str]) -> None:
    """The same parts in Persian."""
    run("--explain")
    english = capsys.readouterr().out
    assert run("--explain", "--lang", "fa") == 0
    persian = capsys.readouterr().out
    assert "چه چیزی ثابت نشده است" in persian
    assert persian.count("\n\n") == english.count("\n\n")
    for verdict in Verdict:
        assert f"  {verdict.value} " in persian


def test_several_proofs_end_with_a_tally(capsys: pytest.CaptureFixture[str]) -> None:
    """How many of each verdict, the worst first; one proof needs none."""
    run("good.json", "forged.json", "text.json", "good.json", "--policy", "plain.policy")
    assert capsys.readouterr().out.splitlines()[-1] == "4 proofs: 1 REJECTED, 1 UNREADABLE, 2 VERIFIED"
    run("good.json", "--policy", "plain.policy")
    assert "proofs:" not in capsys.readouterr().out


def test_short_is_a_line_for_each_proof(capsys: pytest.CaptureFixture[str]) -> None:
    """With what is wrong, then the tally, then each warning once."""
    assert run("warned.json", "warned.json", "text.json", "--policy", "troubled.policy", "--short") == 2
    first, second, third, tally, title, *warnings = capsys.readouterr().out.splitlines()
    assert first == second == "VERIFIED WITH WARNINGS  warned.json"
    assert third.startswith("UNREADABLE              text.json: BAD_PROOF: ")
    assert tally == "3 proofs: 1 UNREADABLE, 2 VERIFIED WITH WARNINGS"
    assert title == "warnings:"
    assert [warning.partition(":")[0] for warning in warnings] == [" - STAND_IN_NUMBER"]
    assert warnings[0].endswith(" (in 2 proofs)")
    assert run("good.json", "--policy", "plain.policy", "--short") == 0
    assert capsys.readouterr().out == "VERIFIED                good.json\n"


def test_short_says_where_proofs_differ_in_a_warning() -> None:
    """One sentence stands for all: whether it is that of each, or of the first alone."""
    one, other = (Finding(Step.INDEPENDENCE, "CODE", f"In deal {round_no}.") for round_no in (1, 2))
    assert [*each_once({"CODE": [one, one]})][1:] == [" - CODE: In deal 1. (in 2 proofs)"]
    assert [*each_once({"CODE": [one, other]})][1:] == [" - CODE: In deal 1. (the first of those in 2 proofs)"]


# Wrong usage.


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("good.json",),
        ("good.json", "--policy"),
        ("good.json", "--policy", "missing"),
        ("good.json", "--policy", "."),
        ("good.json", "--policy", "good.json"),
        ("good.json", "--policy", "/dev/zero"),
        ("good.json", "--polic", "plain.policy"),
        ("good.json", "--policy", "plain.policy", "--unknown"),
        ("show",),
        ("show", "good.json", "--lang", "xx"),
        ("show", "missing.json"),
        ("show", "text.json"),
        ("show", "good.json", "--policy", "missing"),
        ("record",),
        ("record", "good.json", "game.json"),
        ("record", "missing.json"),
        ("record", "good.json", "--policy", "missing"),
        ("record", "good.json", "--out", "."),
    ],
)
def test_wrong_usage_is_answered_with_one_sentence(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """Status 2, nothing but the sentence (and what argparse says of usage), no traceback."""
    assert run(*arguments) == 2
    shown, errors = capsys.readouterr()
    assert shown == ""
    assert len([line for line in errors.splitlines() if line.startswith("hokm-verify")]) == 1
    assert "Traceback" not in errors


def test_a_policy_without_its_root_is_wrong_usage(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """None, and two."""
    lines = (folder / "plain.policy").read_text().splitlines(keepends=True)
    without = [line for line in lines if not line.startswith("#root")]
    name = root_name(story("plain").house.origin)
    other = VKey(name, SignatureType.ED25519, story("troubled").house.first_root.public)
    twice = [*lines, f"#root {other.format()}\n"]
    for changed in (without, twice):
        (folder / "changed.policy").write_text("".join(changed))
        assert run("good.json", "--policy", "changed.policy") == 2
        assert "changed.policy: The policy is malformed" in capsys.readouterr().err


def test_a_file_cannot_speak_to_the_terminal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Control characters of a file, or of its name, are shown as escapes."""
    whole = json.loads((folder / "good.json").read_text())
    (folder / "bad\x1b[2J.json").write_text(json.dumps(whole | {"origin": "\x1b[2J\x07"}))
    assert run("bad\x1b[2J.json", "--policy", "plain.policy") == 1
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "\\x1b[2J" in shown


# Show.


def test_show_tells_the_round_in_english(capsys: pytest.CaptureFixture[str]) -> None:
    """Deal, trumps, each trick, result; and whether it was verified."""
    assert run("show", "good.json") == 0
    told = capsys.readouterr().out
    stage = story("plain").events
    assert stage
    assert "Round 2. Seat " in told
    assert told.count(" was dealt ") == 4
    assert " names " in told
    assert told.count("Trick ") >= 7
    assert "The round goes to the " in told
    assert told.splitlines()[-1] == "good.json: told, not verified: name a policy with --policy FILE."
    assert run("show", "good.json", "--policy", "plain.policy") == 0
    assert capsys.readouterr().out.splitlines()[-1] == "good.json: VERIFIED"


def test_show_tells_the_round_in_persian(capsys: pytest.CaptureFixture[str]) -> None:
    """The same in Persian words and digits."""
    assert run("show", "good.json", "--lang", "fa") == 0
    told = capsys.readouterr().out
    assert "دور ۲. حاکم صندلی " in told
    assert told.count("برگ‌های صندلی ") == 4
    assert " را حکم کرد." in told
    assert told.count("دست ") >= 7
    assert "این دور را " in told


@pytest.mark.parametrize("name", ["troubled", "forfeited", "resigned", "abandoned", "lost", "never_started", "revoked"])
@pytest.mark.parametrize("language", ["en", "fa"])
def test_show_tells_every_story(name: str, language: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever happened; and how it ended."""
    (folder / "story.json").write_bytes(story(name).game_proof().format())
    assert run("show", "story.json", "--lang", language) == 0
    assert "{" not in capsys.readouterr().out


def test_show_tells_several(capsys: pytest.CaptureFixture[str]) -> None:
    """One after the other; the worst decides the status."""
    assert run("show", "good.json", "cut.json", "--policy", "plain.policy") == 3
    told = capsys.readouterr().out
    assert told.index("good.json: VERIFIED") < told.index("cut.json: INCOMPLETE")
    assert run("show", "good.json", "forged.json") == 1


def test_show_does_not_tell_what_is_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    """Neither with a policy nor without: the entries must hang together."""
    assert run("show", "forged.json") == 1
    shown, errors = capsys.readouterr()
    assert shown == ""
    assert "ENDING_DIFFERS" in errors
    assert run("show", "forged.json", "--policy", "plain.policy") == 1
    assert "Trick" not in capsys.readouterr().out
    assert run("show", "cut.json", "--policy", "plain.policy") == 3
    assert "Here the proof ends" in capsys.readouterr().out


# Record.


def test_record_writes_what_was_played(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """To the standard output or into a file; whether it was verified is said beside it."""
    made = record((folder / "good.json").read_bytes())
    assert run("record", "good.json") == 0
    written, said = capsys.readouterr()
    assert GameRecord.parse(written.encode()) == made
    assert said == "hokm-verify: good.json: written, not verified: name a policy with --policy FILE.\n"
    assert run("record", "good.json", "--policy", "plain.policy", "--out", "made.json") == 0
    assert GameRecord.parse((folder / "made.json").read_bytes()) == made
    assert capsys.readouterr() == ("", "hokm-verify: good.json: VERIFIED\n")


def test_record_writes_nothing_of_what_is_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    """The report goes where sentences go."""
    for policy in ((), ("--policy", "plain.policy")):
        assert run("record", "forged.json", *policy) == 1
        shown, errors = capsys.readouterr()
        assert shown == ""
        assert "ENDING_DIFFERS" in errors
    assert run("record", "cut.json", "--policy", "plain.policy") == 3


# Inclusion.


def test_inclusion_writes_where_the_last_entry_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As text that other tools read; what is no proof, or does not reach its last entry, is one sentence."""
    assert run("inclusion", "good.json", "--policy", "plain.policy") == 0
    written, said = capsys.readouterr()
    assert said == "hokm-verify: good.json: VERIFIED\n"
    made = TlogProof.parse(written.encode())
    assert made.verify(made.extra or b"", story("plain").house.policy).quorum_met
    for path in ("cut.json", "text.json"):
        assert run("inclusion", path) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
