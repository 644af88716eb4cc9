# SPDX-License-Identifier: Apache-2.0
"""docs/write-a-client.md is true: its bytes are those of the vectors and of the code, and what it names is there."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hokm import deal
from hokm.errors import HokmError, NotCanonical, NotUnderstood
from hokm.events import Play
from hokm.signing import SigningKey, pae
from hokm.wire import read_move

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs/write-a-client.md"
TEXT = GUIDE.read_text("utf-8")
SPEC = (ROOT / "verifier/SPEC.md").read_text("utf-8")
NODE = ROOT / "client/examples/node"


def examples() -> dict[str, dict[str, str]]:
    """Blocks of `name value` lines by their titles; an indented line goes on with the value above it."""
    blocks = re.findall(r"^```text (\S+)\n(.*?)\n```$", TEXT, re.MULTILINE | re.DOTALL)
    lines = {title: re.findall(r"^(\S+) +(.*(?:\n +.*)*)", block, re.MULTILINE) for title, block in blocks}
    return {title: {name: re.sub(r"\s", "", value) for name, value in found} for title, found in lines.items()}


EXAMPLES = examples()


def vectors() -> dict[str, dict[str, Any]]:
    """All that the vectors give and expect, by id."""
    found = [
        json.loads(line)
        for name in ("framing", "ceremony")
        for line in (ROOT / f"tests/vectors/{name}.jsonl").read_text().splitlines()
    ]
    return {vector["id"]: vector["input"] | vector["output"] for vector in found}


def octets(title: str, name: str) -> bytes:
    """A value of an example."""
    return bytes.fromhex(EXAMPLES[title][name])


@pytest.mark.parametrize("title", [title for title in EXAMPLES if title != "spelling"])
def test_an_example_is_the_vector_of_its_name(title: str) -> None:
    """Value by value; `commitment_2` is the third of the vector's `commitments`."""
    vector = vectors()[title]
    for name, value in EXAMPLES[title].items():
        several, _, place = name.rpartition("_")
        wanted = vector[name] if name in vector else vector[f"{several}s"][int(place)]
        assert value == str(wanted), name


def test_the_signature_is_over_the_encoding() -> None:
    title = "framing-s003"
    signed = pae(EXAMPLES[title]["type"], octets(title, "body"))
    assert octets(title, "pae") == signed
    assert octets(title, "signature") == SigningKey(octets(title, "seed")).sign(signed)


def test_the_commitments_and_their_set_are_made_again() -> None:
    title = "ceremony-s001"
    ctx = octets(title, "ctx")
    made = deal.commitment(ctx, 0, octets(title, "holder_key_0"), octets(title, "number_0"))
    assert octets(title, "commitment_0") == made
    five = [octets(title, f"commitment_{seat}") for seat in range(5)]
    assert octets(title, "commit_set") == deal.commit_set(ctx, five)


def test_the_early_card_is_bound_so() -> None:
    title = "framing-s029"
    trick, seat, card = (int(EXAMPLES[title][name]) for name in ("trick", "seat", "card"))
    made = deal.early_commitment(octets(title, "ctx"), trick, seat, card, octets(title, "salt"))
    assert octets(title, "commitment") == made


def test_one_spelling_is_read_and_the_others_are_refused() -> None:
    """For the reason that the text gives."""
    move = read_move(octets("spelling", "play"))
    assert (move.act, move.seat, move.round) == (Play(51), 0, 0)
    refused: dict[str, type[HokmError]] = {"default": NotCanonical, "order": NotCanonical, "unknown": NotUnderstood}
    assert EXAMPLES["spelling"].keys() == {"play", *refused}
    for name, error in refused.items():
        with pytest.raises(error):
            read_move(octets("spelling", name))


def test_every_file_reason_and_section_that_it_names_is_there() -> None:
    """Of the client in Node; of SPEC.md; and every place that a link leads to."""
    files = {path.name for path in NODE.rglob("*.mjs") if "node_modules" not in path.parts}
    assert set(re.findall(r"`(\w+\.mjs)`", TEXT)) <= files
    assert set(re.findall(r"`([A-Z]+(?:_[A-Z]+)+)`", TEXT)) <= set(re.findall(r"`([A-Z]+(?:_[A-Z]+)+)`", SPEC))
    sections = set(re.findall(r"^#+ (\d+(?:\.\d+)?) ", SPEC, re.MULTILINE))
    assert set(re.findall(r"\((\d+(?:\.\d+)?)(?:, `[A-Z]|\))", TEXT)) <= sections
    anchors = {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings()}
    for link in re.findall(r"\]\(([^)]+)\)", TEXT):
        path, _, anchor = link.partition("#")
        assert (GUIDE.parent / path).exists() if path else anchor in anchors, link


def headings() -> list[str]:
    """All but the title."""
    return re.findall(r"^##+ (.*)$", TEXT, re.MULTILINE)


def test_the_verifier_has_the_options() -> None:
    """Those of the command that it ends with."""
    told = subprocess.run([sys.executable, "-m", "hokm", "--help"], capture_output=True, text=True, check=True).stdout
    (command,) = re.findall(r"^```sh\nhokm-verify (.*)\n```$", TEXT, re.MULTILINE)
    options = re.findall(r"--\w+", command)
    assert len(options) == 3
    assert all(option in told for option in options)
