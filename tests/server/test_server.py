# SPDX-License-Identifier: Apache-2.0
"""The services over real sockets: who is let in, what is refused, and a game that is played and proved."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from hokm.checkpoint import verify_checkpoint
from hokm.entry import leaf
from hokm.events import Join, SeatKind
from hokm.merkle import check_consistency, check_inclusion
from hokm.note import Note
from hokm.proof import Proof
from hokm.sign_in import signed_challenge
from hokm.table import Between, Over, Round
from hokm.v1 import log_service_pb2 as log_pb
from hokm.v1 import sign_in_service_pb2 as sign_in_pb
from hokm.v1 import tables_service_pb2 as tables_pb
from hokm.verify import Signatures, Verdict, Wishes, verify
from hokm_server.auth import TOKEN_MS
from hokm_server.config import Settings
from hokm_server.errors import AddressUnusable, DatabaseCorrupt, DatabaseInUse
from hokm_server.log_service import PIECE_BYTES
from hokm_server.server import MOST_REQUEST_BYTES
from hokm_server.until_stopped import serve_until_stopped
from tests.audit import audit_files
from tests.server.callers import Caller, Visit, error_of, served, told_by, visiting
from tests.server.manual_clock import ManualClock

KEYS = bytes(16)
EVERYTHING = Wishes(signatures=Signatures.ALL)


@pytest.fixture
async def visit(tmp_path: Path) -> AsyncIterator[Visit]:
    """A fresh server."""
    async with visiting(tmp_path / "var") as visit:
        yield visit


async def refused(call: Any) -> tuple[grpc.StatusCode, str, dict[str, str]]:
    """Code, reason and facts that a call is refused with."""
    return told_by(await error_of(call))


# Who is let in.


async def test_a_key_signs_in_and_is_known(visit: Visit) -> None:
    """Challenge, signature, token; with the token the tables are there."""
    caller = await visit.enter(Caller(0))
    answer = await visit.tables.ListTables(tables_pb.ListTablesRequest(), metadata=caller.metadata)
    assert list(answer.tables) == []


async def test_a_wrong_signature_is_refused(visit: Visit) -> None:
    """UNAUTHENTICATED, with the reason."""
    key = Caller(0).key
    challenge = await visit.sign_in.GetChallenge(sign_in_pb.GetChallengeRequest(public_key=key.public))
    asked = sign_in_pb.SignInRequest(public_key=key.public, challenge=challenge.challenge, signature=bytes(64))
    code, reason, facts = await refused(visit.sign_in.SignIn(asked))
    assert (code, reason) == (grpc.StatusCode.UNAUTHENTICATED, "CHALLENGE_NOT_SIGNED")
    assert facts == {"public_key": key.public.hex()}
    code, reason, _ = await refused(visit.sign_in.GetChallenge(sign_in_pb.GetChallengeRequest(public_key=b"short")))
    assert (code, reason) == (grpc.StatusCode.INVALID_ARGUMENT, "WRONG_LENGTH")


async def test_a_challenge_buys_one_token(visit: Visit) -> None:
    """Who copies what was sent gets nothing for it."""
    key = Caller(0).key
    challenge = await visit.sign_in.GetChallenge(sign_in_pb.GetChallengeRequest(public_key=key.public))
    signature = key.sign(signed_challenge(challenge.origin, challenge.challenge))
    asked = sign_in_pb.SignInRequest(public_key=key.public, challenge=challenge.challenge, signature=signature)
    assert (await visit.sign_in.SignIn(asked)).token
    code, reason, _ = await refused(visit.sign_in.SignIn(asked))
    assert (code, reason) == (grpc.StatusCode.UNAUTHENTICATED, "CHALLENGE_USED")


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ((), "NO_TOKEN"),
        ((("authorization", "Bearer AAAA"),), "TOKEN_INVALID"),
        ((("authorization", "Basic eDp5"),), "TOKEN_INVALID"),
    ],
)
async def test_nothing_of_a_game_goes_to_who_is_not_signed_in(visit: Visit, metadata: Any, reason: str) -> None:
    """Every call of TablesService is refused before anything is sent, while others play on."""
    table_id = await visit.seat_four()
    signed = tables_pb.SignedAct(table_id=table_id)
    tables, options = visit.tables, {"metadata": metadata}
    calls = [
        tables.OpenTable(tables_pb.OpenTableRequest(), **options),
        tables.ListTables(tables_pb.ListTablesRequest(), **options),
        tables.GetTable(tables_pb.GetTableRequest(table_id=table_id), **options),
        tables.CallBots(tables_pb.CallBotsRequest(table_id=table_id), **options),
        tables.Act(tables_pb.ActRequest(act=signed), **options),
        tables.Watch(tables_pb.WatchRequest(table_id=table_id), **options),
        tables.Play(iter([tables_pb.PlayRequest(attach=[tables_pb.Attach(table_id=table_id)])]), **options),
        tables.WatchWanted(tables_pb.WatchWantedRequest(), **options),
    ]
    for call in calls:
        assert (await refused(call))[:2] == (grpc.StatusCode.UNAUTHENTICATED, reason)


async def test_the_operators_streams_are_for_the_operator(visit: Visit) -> None:
    """Others are told that they are known, and may not."""
    caller = await visit.enter(Caller(0))
    stream = visit.tables.WatchWanted(tables_pb.WatchWantedRequest(), metadata=caller.metadata)
    code, reason, _ = await refused(stream)
    assert (code, reason) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_AN_OPERATOR")


# What the server says of itself.


async def test_it_is_healthy_and_can_be_looked_into(visit: Visit) -> None:
    """Health for each service, and a list of services for programs that know nothing of this project."""
    health: Any = health_pb2_grpc.HealthStub(visit.channel)
    for name in ("", "hokm.v1.SignInService", "hokm.v1.TablesService", "hokm.v1.LogService"):
        answer = await health.Check(health_pb2.HealthCheckRequest(service=name))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
    reflection: Any = reflection_pb2_grpc.ServerReflectionStub(visit.channel)
    asked = [
        reflection_pb2.ServerReflectionRequest(list_services=""),
        reflection_pb2.ServerReflectionRequest(file_containing_symbol="hokm.v1.TablesService"),
    ]
    listed, described = [answer async for answer in reflection.ServerReflectionInfo(iter(asked))]
    assert "hokm.v1.LogService" in {service.name for service in listed.list_services_response.service}
    assert described.file_descriptor_response.file_descriptor_proto


async def test_a_request_that_is_too_large_is_refused(visit: Visit) -> None:
    """RESOURCE_EXHAUSTED, with both sizes, on a call and on a stream; the next call is answered."""
    caller = await visit.enter(Caller(0))
    act = tables_pb.SignedAct(move=bytes(MOST_REQUEST_BYTES))
    for call in (
        visit.tables.Act(tables_pb.ActRequest(act=act), metadata=caller.metadata),
        visit.tables.Play(iter([tables_pb.PlayRequest(acts=[act])]), metadata=caller.metadata),
    ):
        assert (await error_of(call)).code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    await visit.tables.ListTables(tables_pb.ListTablesRequest(), metadata=caller.metadata)


class Pings:
    """A TCP way to a server that counts its answers to pings, frames of HTTP/2 (RFC 9113, 4.1 and 6.7)."""

    def __init__(self, address: str) -> None:
        self.to = address.rsplit(":", 1)
        self.answers: asyncio.Queue[bytes] = asyncio.Queue()

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[str]:
        """The address of this way."""
        async with await asyncio.start_server(self._pass, "127.0.0.1", 0) as server:
            host, port = server.sockets[0].getsockname()
            yield f"{host}:{port}"

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(*self.to)
        await asyncio.gather(self._requests(reader, back), self._answers(there, writer))

    async def _requests(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while octets := await reader.read(1 << 16):
            writer.write(octets)
        writer.close()

    async def _answers(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError):
            while True:
                head = await reader.readexactly(9)
                body = await reader.readexactly(int.from_bytes(head[:3]))
                if head[3:5] == b"\x06\x01":  # PING, ACK
                    self.answers.put_nowait(body)
                writer.write(head + body)
        writer.close()


async def test_a_client_may_look_for_the_server_often(visit: Visit) -> None:
    """Pings every half second, without a call, are answered and do not cost the connection."""
    options = (
        ("grpc.keepalive_time_ms", 500),
        ("grpc.keepalive_timeout_ms", 500),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.http2.min_time_between_pings_ms", 500),
    )
    pings = Pings(visit.found.address)
    async with pings.opened() as address, grpc.aio.insecure_channel(address, options) as channel:
        await channel.channel_ready()
        async with asyncio.timeout(30):
            for _ in range(5):
                await pings.answers.get()
        assert channel.get_state() is grpc.ChannelConnectivity.READY


# The log.


async def test_a_new_log_begins_with_its_keys_and_is_published(visit: Visit) -> None:
    """One manifest, under a signed checkpoint of size 1."""
    note = Note.parse((await visit.log.GetCheckpoint(log_pb.GetCheckpointRequest())).checkpoint.encode())
    keys = visit.found.keys
    checkpoint = verify_checkpoint(note, [log.vkey for log in keys.policy.logs])
    assert checkpoint.size == 1
    (entry,) = (await visit.log.GetEntries(log_pb.GetEntriesRequest(table_id=KEYS))).entries
    assert entry == keys.public.entries[0]
    assert await visit.log.GetKeys(log_pb.GetKeysRequest()) == log_pb.GetKeysResponse(manifests=[entry])
    proof = await visit.log.GetInclusionProof(log_pb.GetInclusionProofRequest(table_id=KEYS, version=0))
    assert check_inclusion(leaf(entry), proof.index, proof.tree_size, list(proof.hashes), checkpoint.root)


async def test_entries_come_in_pages(visit: Visit) -> None:
    """From any version on; none where the next one is asked for, which is how a reader learns that it is at the end."""
    table_id = await visit.seat_four()
    whole = list((await visit.log.GetEntries(log_pb.GetEntriesRequest(table_id=table_id))).entries)
    assert len(whole) > 5
    for first in range(len(whole) + 1):
        asked = log_pb.GetEntriesRequest(table_id=table_id, first_version=first, limit=2)
        assert list((await visit.log.GetEntries(asked)).entries) == whole[first : first + 2]


@pytest.mark.parametrize(
    ("method", "asked", "code", "reason"),
    [
        ("GetEntries", log_pb.GetEntriesRequest(table_id=KEYS, limit=1001), "INVALID_ARGUMENT", "OUT_OF_RANGE"),
        ("GetEntries", log_pb.GetEntriesRequest(table_id=KEYS, first_version=2), "NOT_FOUND", "UNKNOWN_VERSION"),
        (
            "GetEntries",
            log_pb.GetEntriesRequest(table_id=KEYS, first_version=2**64 - 1),
            "NOT_FOUND",
            "UNKNOWN_VERSION",
        ),
        ("GetInclusionProof", log_pb.GetInclusionProofRequest(table_id=KEYS, version=1), "NOT_FOUND", "UNKNOWN_ENTRY"),
        (
            "GetInclusionProof",
            log_pb.GetInclusionProofRequest(table_id=KEYS, version=2**64 - 1),
            "NOT_FOUND",
            "UNKNOWN_ENTRY",
        ),
        ("GetInclusionProof", log_pb.GetInclusionProofRequest(table_id=KEYS, tree_size=9), "NOT_FOUND", "OUT_OF_TREE"),
        ("GetInclusionProof", log_pb.GetInclusionProofRequest(table_id=KEYS, tree_size=0), "NOT_FOUND", "OUT_OF_TREE"),
        ("GetConsistencyProof", log_pb.GetConsistencyProofRequest(old_size=2**64 - 1), "NOT_FOUND", "OUT_OF_TREE"),
        ("GetConsistencyProof", log_pb.GetConsistencyProofRequest(new_size=2), "NOT_FOUND", "OUT_OF_TREE"),
        ("GetRoundProof", log_pb.GetRoundProofRequest(table_id=KEYS), "INVALID_ARGUMENT", "OUT_OF_RANGE"),
    ],
)
async def test_what_the_log_does_not_hold_is_said(
    visit: Visit, method: str, asked: Any, code: str, reason: str
) -> None:
    """Malformed questions and unknown things, each with its own reason."""
    found = await refused(getattr(visit.log, method)(asked))
    assert (found[0].name, found[1]) == (code, reason)


async def test_what_is_not_over_cannot_be_proved_yet(visit: Visit) -> None:
    """And says so, other than what was never played."""
    table_id = await visit.seat_four()
    await visit.play(lambda table: isinstance(table.stage, Round))
    for call, reason in (
        (visit.log.GetRoundProof(log_pb.GetRoundProofRequest(table_id=table_id, round=1)), "NOT_OVER_YET"),
        (visit.log.GetRoundProof(log_pb.GetRoundProofRequest(table_id=table_id, round=2)), "UNKNOWN_ROUND"),
        (visit.log.GetGameProof(log_pb.GetGameProofRequest(table_id=table_id)), "NOT_OVER_YET"),
    ):
        assert (await refused(call))[1] == reason


async def whole(stream: Any) -> bytes:
    """A file that came in pieces."""
    pieces = [answer.piece async for answer in stream]
    assert all(len(piece) <= PIECE_BYTES for piece in pieces)
    return b"".join(pieces)


async def test_a_game_is_played_and_proved(visit: Visit) -> None:
    """Four keys by the stubs alone; then every round and the game are asked for, and each is verified."""
    before = verify_checkpoint(
        Note.parse(visit.found.log.published.note), [log.vkey for log in visit.found.keys.policy.logs]
    )
    table_id = await visit.seat_four()
    rounds = 0
    while not isinstance((await visit.play(lambda table: isinstance(table.stage, Over | Round))).stage, Over):
        await visit.play(lambda table: not isinstance(table.stage, Round))
        rounds += 1
        file = await whole(visit.log.GetRoundProof(log_pb.GetRoundProofRequest(table_id=table_id, round=rounds)))
        assert Proof.parse(file).format() == file
        report = verify(file, visit.found.keys.policy, EVERYTHING)
        assert report.verdict is Verdict.WITH_WARNINGS, report
    file = await whole(visit.log.GetGameProof(log_pb.GetGameProofRequest(table_id=table_id)))
    report = verify(file, visit.found.keys.policy, EVERYTHING)
    assert report.verdict is Verdict.WITH_WARNINGS, report
    assert {warning.code for warning in report.warnings} == {"NO_QUORUM", "NOT_WITNESSED", "TIMES_NOT_WITNESSED"}
    found = await visit.log.GetConsistencyProof(log_pb.GetConsistencyProofRequest(old_size=before.size))
    after = visit.found.log.published.checkpoint
    assert check_consistency(before.size, before.root, found.new_size, after.root, list(found.hashes))
    answer = await visit.tables.GetTable(
        tables_pb.GetTableRequest(table_id=table_id), metadata=visit.callers[0].metadata
    )
    assert answer.table.phase == tables_pb.TABLE_PHASE_OVER
    assert answer.table.round == rounds
    assert max(answer.table.score) >= 3
    assert answer.table.winner == int(answer.table.score[1] > answer.table.score[0])


# Start and stop.


async def test_a_game_goes_on_after_a_stop(tmp_path: Path) -> None:
    """The table is there again with the same entries, tokens are still good, and the next moves are taken."""
    async with visiting(tmp_path / "var") as visit:
        await visit.seat_four()
        await visit.play(lambda table: isinstance(table.stage, Round) and len(table.stage.history) == 3)
        callers, table, leaves = visit.callers, visit.table, visit.leaves
    async with visiting(tmp_path / "var") as visit:
        visit.callers, visit.table, visit.leaves = callers, table, leaves
        await visit.play(lambda table: isinstance(table.stage, Between | Over) or table.round == 2)


async def error_of_rest(stream: Any) -> grpc.aio.AioRpcError:
    """What a stream that is being read ends with."""
    try:
        while await stream.read() is not grpc.aio.EOF:
            pass
    except grpc.aio.AioRpcError as error:
        return error
    raise AssertionError("it ended well")


async def test_a_stop_ends_open_streams_soon(tmp_path: Path) -> None:
    """Who watches is told by the end of the stream, and the server does not wait for who stays."""
    async with AsyncExitStack() as stack:
        found = await stack.enter_async_context(served(Settings(var=tmp_path / "var", port=0, bots=False)))
        async with grpc.aio.insecure_channel(found.address) as channel:
            visit = Visit(found, channel)
            table_id = await visit.seat_four()
            asked = tables_pb.WatchRequest(table_id=table_id)
            stream = visit.tables.Watch(asked, metadata=visit.callers[0].metadata)
            await stream.read()
            reading = asyncio.create_task(error_of_rest(stream))
            async with asyncio.timeout(10):
                await stack.aclose()
            assert (await asyncio.wait_for(reading, 5)).code() is grpc.StatusCode.UNAVAILABLE
    audit_files(tmp_path / "var")


async def test_a_port_in_use_is_one_clear_error(tmp_path: Path) -> None:
    """Also where the other program would share it; and nothing is left open, so that the next start succeeds."""
    async with visiting(tmp_path / "one") as visit:
        asked = Settings(var=tmp_path / "two", port=visit.found.port, bots=False)
        with pytest.raises(AddressUnusable, match=r"cannot listen at 127\.0\.0\.1:\d+: another program listens there"):
            async with served(asked):
                raise AssertionError("two servers at one port")
    async with visiting(tmp_path / "two"):
        pass
    with pytest.raises(AddressUnusable, match="no such host"):
        async with served(Settings(var=tmp_path / "two", host="no.such.host.invalid", bots=False)):
            raise AssertionError("a server nowhere")


async def test_two_servers_cannot_share_a_log(tmp_path: Path) -> None:
    """The second says who was first."""
    async with visiting(tmp_path / "var"):
        with pytest.raises(DatabaseInUse):
            async with served(Settings(var=tmp_path / "var", port=0, bots=False)):
                raise AssertionError("two servers with one log")


async def test_a_stream_outlives_its_token(tmp_path: Path) -> None:
    """It was checked when the stream began, and a player is not cut off in the middle of a game; a new call is."""
    clock = ManualClock()
    async with visiting(tmp_path / "var", clock) as visit:
        old, new = await visit.enter(Caller(0)), Caller(1)
        opened = await visit.tables.OpenTable(tables_pb.OpenTableRequest(), metadata=old.metadata)
        asked = tables_pb.WatchRequest(table_id=opened.table_id)
        stream = visit.tables.Watch(asked, metadata=old.metadata)
        assert list((await stream.read()).update.entries) == [opened.entry]
        clock.turn(TOKEN_MS)
        assert (await refused(visit.tables.Watch(asked, metadata=old.metadata)))[1] == "TOKEN_EXPIRED"
        visit.table = None
        visit.take([opened.entry])
        await visit.enter(new)
        await visit.act(new, Join(SeatKind.PERSON, new.key.public, bytes(32)))
        assert len((await stream.read()).update.entries) == 1
        stream.cancel()


async def test_a_server_that_cannot_write_its_log_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], expected_errors: list[str]
) -> None:
    """The caller is told that nothing was changed; the program ends and has the cause."""
    expected_errors += ["The log is not written any more", "were not written"]
    program = asyncio.create_task(serve_until_stopped(Settings(var=tmp_path / "var", port=0, bots=False)))
    address = ""
    while not address:
        await asyncio.sleep(0.02)
        address = capsys.readouterr().out.partition("ready on ")[2].partition("\n")[0]

    def fail(*_: object) -> None:
        raise DatabaseCorrupt("log.db", "a page is torn")

    monkeypatch.setattr("hokm_server.store.Store.append", fail)
    async with grpc.aio.insecure_channel(address) as channel:
        visit = Visit(None, channel)
        caller = await visit.enter(Caller(0))
        call = visit.tables.OpenTable(tables_pb.OpenTableRequest(), metadata=caller.metadata)
        code, reason, facts = await refused(call)
    assert (code, reason) == (grpc.StatusCode.UNAVAILABLE, "LOG_NOT_WRITABLE")
    assert facts == {"why": "DATABASE_CORRUPT"}
    assert isinstance(await asyncio.wait_for(program, 10), DatabaseCorrupt)
