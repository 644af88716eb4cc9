# SPDX-License-Identifier: Apache-2.0
"""What `hokm-verify evidence` does with the files that it is given: read, judge, print."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
from typing import Final

from hokm.complaint import Judgement, Verdict, judge
from hokm.errors import HokmError
from hokm.evidence import Evidence
from hokm.judging import WrongUsage, read_file, read_policy
from hokm.policy import Policy
from hokm.proof import MOST_GAME_BYTES
from hokm.statuses import INCOMPLETE, REJECTED, UNREADABLE, VERIFIED

STATUS: Final = {Verdict.PROVED: VERIFIED, Verdict.NOT_PROVED: REJECTED, Verdict.OPEN: INCOMPLETE}

_MOST_TILE_BYTES: Final = 1 << 25
"""256 entries at their longest."""


def hear(asked: argparse.Namespace) -> int:
    """Judge the complaint of the command line and print what comes of it: the exit status."""
    try:
        policy = read_policy(asked.policy)
        evidence = Evidence.parse(read_file(asked.evidence, MOST_GAME_BYTES))
        judgement = _judge(evidence, policy, asked.tiles)
    except (WrongUsage, HokmError) as wrong:
        print(f"hokm-verify: {wrong}", file=sys.stderr)
        return UNREADABLE
    if asked.json:
        print(json.dumps({"evidence": asked.evidence, "kind": evidence.kind} | judgement._asdict(), ensure_ascii=False))
    else:
        print("\n".join(page(asked.evidence, evidence, judgement)))
    return STATUS[judgement.verdict]


def _judge(evidence: Evidence, policy: Policy, tiles: str | None) -> Judgement:
    """With the files of a log in a directory, if one is named; its checkpoint too, where the evidence has none."""
    if tiles is None:
        return judge(evidence, policy)

    def fetch(path: str) -> bytes:
        return read_file(os.path.join(tiles, *path.split("/")), _MOST_TILE_BYTES)

    checkpoint = os.path.join(tiles, "checkpoint")
    if "entry" in evidence.exhibits and "checkpoint" not in evidence.exhibits and os.path.exists(checkpoint):
        exhibits = {**evidence.exhibits, "checkpoint": read_file(checkpoint, _MOST_TILE_BYTES)}
        evidence = dataclasses.replace(evidence, exhibits=exhibits)
    return judge(evidence, policy, fetch)


def page(path: str, evidence: Evidence, judgement: Judgement) -> list[str]:
    """The judgement for people. What the file says in words is not repeated: anybody may have written it."""
    code = "" if judgement.code is None else f" ({judgement.code})"
    return [
        ascii(path)[1:-1],
        f"  said      {ascii(evidence.kind)[1:-1]} at entry {evidence.version} of table {evidence.table.hex()}",
        f"  log       {ascii(evidence.origin)[1:-1]}",
        f"  shown     {len(evidence.entries)} entries, {len(evidence.manifests)} key manifests, "
        + (", ".join(ascii(name)[1:-1] for name in evidence.exhibits) or "no exhibit"),
        f"  found     {judgement.sentence}{code}",
        str(judgement.verdict),
    ]
