# SPDX-License-Identifier: Apache-2.0
"""One rule for table ids: every method that takes one answers the same to what is none."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import Descriptor

from hokm.events import Leave, Move
from hokm.v1 import log_service_pb2 as log_pb
from hokm.v1 import tables_service_pb2 as pb
from hokm.wire import write_move
from tests.server.callers import Caller, Visit, error_of, told_by, visiting

KEYS = bytes(16)
NOWHERE = bytes(15) + b"\x01"
MOVE = write_move(Move(bytes(32), 0, 0, 0, 0, 0, bytes(32), None, Leave()))


def act(table_id: bytes) -> pb.SignedAct:
    """A move there, well made."""
    return pb.SignedAct(table_id=table_id, move=MOVE, signature=bytes(64))


ASKING: dict[str, Callable[[bytes], Any]] = {
    "TablesService.GetTable": lambda table_id: pb.GetTableRequest(table_id=table_id),
    "TablesService.CallBots": lambda table_id: pb.CallBotsRequest(table_id=table_id, seats=[0]),
    "TablesService.Act": lambda table_id: pb.ActRequest(act=act(table_id)),
    "TablesService.Throw": lambda table_id: pb.ThrowRequest(table_id=table_id, at=1, thing=pb.THING_ROSE),
    "TablesService.Watch": lambda table_id: pb.WatchRequest(table_id=table_id),
    "LogService.GetEntries": lambda table_id: log_pb.GetEntriesRequest(table_id=table_id),
    "LogService.GetInclusionProof": lambda table_id: log_pb.GetInclusionProofRequest(table_id=table_id),
    "LogService.GetRoundProof": lambda table_id: log_pb.GetRoundProofRequest(table_id=table_id, round=1),
    "LogService.GetGameProof": lambda table_id: log_pb.GetGameProofRequest(table_id=table_id),
}
"""Every method that takes a table id, but Play, which answers refusals on its stream."""

ASKED_OF_THE_LOG = ("LogService.GetEntries", "LogService.GetInclusionProof")
"""Those that take a stream, so also that of the key manifests."""


@pytest.fixture
async def visit(tmp_path: Path) -> AsyncIterator[Visit]:
    """A fresh server."""
    async with visiting(tmp_path / "var") as visit:
        visit.callers = [await visit.enter(Caller(0))]
        yield visit


async def refused(visit: Visit, method: str, table_id: bytes) -> tuple[grpc.StatusCode, str, dict[str, str]]:
    """What a method answers to that id."""
    service, _, name = method.partition(".")
    stub = visit.tables if service == "TablesService" else visit.log
    return told_by(await error_of(getattr(stub, name)(ASKING[method](table_id), metadata=visit.callers[0].metadata)))


def takes_one(message: Descriptor) -> bool:
    """Whether a request has a table id in it, at any depth."""
    return any(
        field.name in ("table_id", "detach") or (field.message_type is not None and takes_one(field.message_type))
        for field in message.fields
    )


def test_no_method_is_left_out() -> None:
    """As the contract has them."""
    services = [pb.DESCRIPTOR.services_by_name["TablesService"], log_pb.DESCRIPTOR.services_by_name["LogService"]]
    assert {*ASKING, "TablesService.Play"} == {
        f"{service.name}.{method.name}"
        for service in services
        for method in service.methods
        if takes_one(method.input_type)
    }


@pytest.mark.parametrize("method", ASKING)
async def test_what_is_no_id_is_malformed(visit: Visit, method: str) -> None:
    """Empty, too short and too long; the facts say how long an id is."""
    for length in (0, 1, 15, 17, 1000):
        assert await refused(visit, method, bytes(length)) == (
            grpc.StatusCode.INVALID_ARGUMENT,
            "WRONG_LENGTH",
            {"name": "table_id", "length": str(length), "expected": "16"},
        )


@pytest.mark.parametrize("method", ASKING)
async def test_what_is_no_table_is_unknown(visit: Visit, method: str) -> None:
    """Sixteen bytes that are nobody's id; sixteen zero bytes too, but where the log itself is asked."""
    for table_id in [NOWHERE] if method in ASKED_OF_THE_LOG else [NOWHERE, KEYS]:
        assert await refused(visit, method, table_id) == (
            grpc.StatusCode.NOT_FOUND,
            "UNKNOWN_TABLE",
            {"table": table_id.hex()},
        )


async def test_a_play_stream_says_the_same(visit: Visit) -> None:
    """Of what is attached, acted at and detached; nothing is said where what is detached was not attached."""
    asked = [
        pb.PlayRequest(attach=[pb.Attach(table_id=table_id)], acts=[act(table_id)], detach=[table_id])
        for table_id in (b"", NOWHERE, KEYS)
    ]
    answers = [answer async for answer in visit.tables.Play(iter(asked), metadata=visit.callers[0].metadata)]
    refusals = [
        (bytes(update.table_id), refusal.reason, bool(refusal.move_hash))
        for answer in answers
        for update in answer.updates
        for refusal in update.refusals
    ]
    assert refusals == [
        (b"", "WRONG_LENGTH", False),
        (b"", "WRONG_LENGTH", True),
        (b"", "WRONG_LENGTH", False),
        (NOWHERE, "UNKNOWN_TABLE", False),
        (NOWHERE, "UNKNOWN_TABLE", True),
        (KEYS, "UNKNOWN_TABLE", False),
        (KEYS, "UNKNOWN_TABLE", True),
    ]
