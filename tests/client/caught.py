# SPDX-License-Identifier: Apache-2.0
"""How a house is caught: what a desk finds in an update, and forged entries to find."""

from __future__ import annotations

from typing import Any

import pytest

from hokm.complaint import Verdict, judge
from hokm.events import SignedMove
from hokm.evidence import Evidence
from hokm.v1 import tables_service_pb2 as pb
from hokm_client.fraud import Fraud, Scene, write_evidence
from hokm_client.keeping import Keeping
from tests.client.evening import Evening


def caught(evening: Evening, update: pb.TableUpdate) -> Fraud:
    """What the desk finds in an update."""
    with pytest.raises(Fraud) as found:
        evening.desk.take(update, evening.house.now_ms)
    assert evening.desk.fraud is found.value
    judge_evidence(evening, found.value)
    return found.value


def judge_evidence(evening: Evening, fraud: Fraud) -> None:
    """The file that the client keeps shows the fraud to a stranger exactly where the client says so."""
    stream = evening.desk.stream
    scene = Scene(evening.house.origin, stream.id, evening.manifests().entries, (), stream.entries)
    evidence = Evidence.parse(write_evidence(fraud, scene, evening.house.now_ms))
    judgement = judge(evidence, evening.house.policy)
    assert (judgement.verdict is Verdict.PROVED) == fraud.proves, (fraud, judgement)


def entry_of(evening: Evening, kind: type, nth: int = 0) -> int:
    """The version of the nth ruling, or move with an act, of that kind."""
    versions = [
        event.version
        for event in evening.game.events
        if isinstance(event.content.move.act if isinstance(event.content, SignedMove) else event.content, kind)
    ]
    return versions[nth]


def content_of(evening: Evening, version: int) -> Any:
    """What an entry says; the test knows of what kind it is."""
    return evening.game.events[version].content


def with_entry(evening: Evening, entry: bytes, version: int) -> pb.TableUpdate:
    """An update of one entry."""
    return pb.TableUpdate(table_id=evening.game.id, first_version=version, entries=[entry])


def reader_before(evening: Evening, version: int) -> Evening:
    """A desk that has read a game up to, not including, that version."""
    reader = Evening((0,), game=evening.game, keeping=Keeping(None))
    reader.desk.take(reader.update(0, version), reader.house.now_ms)
    return reader


def ends_its_round(evening: Evening, how: str) -> None:
    """The numbers of the round become public: it is played out, or the game ends because the key was revoked."""
    if how == "played out":
        evening.play_game()
    else:
        evening.revoke()
        evening.learn()
        evening.feed()


ROUND_ENDS = pytest.mark.parametrize("how", ["played out", "key revoked"])
