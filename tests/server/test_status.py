# SPDX-License-Identifier: Apache-2.0
"""The border of the tree of errors, and the guard around calls of all four shapes, over a real socket."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from io import StringIO
from typing import Any, NamedTuple

import grpc
import pytest
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from hokm import errors
from hokm.errors import HokmError, MustFollowSuit, NotACard, is_shared
from hokm.v1.log_service_pb2 import GetCheckpointRequest, GetCheckpointResponse
from hokm_server import diagnostics
from hokm_server import errors as own
from hokm_server.status import DETAILS_KEY, DOMAIN, MOST_FACT, Guard, code_of, is_told, status_of

KINDS = {
    errors.Malformed: grpc.StatusCode.INVALID_ARGUMENT,
    errors.Rule: grpc.StatusCode.FAILED_PRECONDITION,
    errors.Conflict: grpc.StatusCode.ABORTED,
    errors.Unknown: grpc.StatusCode.NOT_FOUND,
    errors.NotSignedIn: grpc.StatusCode.UNAUTHENTICATED,
    errors.NotYourSeat: grpc.StatusCode.PERMISSION_DENIED,
    errors.Busy: grpc.StatusCode.UNAVAILABLE,
}

USED_UP = {
    *("TableBusy", "TooManyAttached", "TooManyCalls", "TooManyOpened", "TooManyProofs", "TooManyTables"),
    "TooManyWaiting",
}
"""Those of Busy where the caller, or all callers together, want too much."""


def tree(above: type[HokmError]) -> Iterator[type[HokmError]]:
    """All classes below one."""
    for kind in above.__subclasses__():
        yield kind
        yield from tree(kind)


LEAVES = sorted(set(tree(HokmError)) - set(KINDS), key=lambda kind: kind.__name__)
TOLD = [kind for kind in LEAVES if is_shared(kind)]
OWN = [kind for kind in LEAVES if kind.__module__ == "hokm_server.errors"]


def example(kind: type[HokmError]) -> HokmError:
    """An error of this class with some facts."""
    return kind(*(7 if type_ == "int" else "seven" for type_ in kind.fields.values()))


def info_of(status: Status) -> ErrorInfo:
    """The one detail of a status."""
    (detail,) = status.details
    info = ErrorInfo()
    assert detail.Unpack(info)
    return info


@pytest.mark.parametrize("kind", TOLD, ids=lambda kind: kind.__name__)
def test_every_error_has_the_code_of_its_kind_and_says_reason_and_facts(kind: type[HokmError]) -> None:
    """One kind each, one code each; reason, domain, facts and sentence are all in the status."""
    (above,) = (known for known in KINDS if known in kind.__mro__)
    wanted = grpc.StatusCode.RESOURCE_EXHAUSTED if kind.__name__ in USED_UP else KINDS[above]
    error = example(kind)
    assert is_told(error)
    status = status_of(error)
    assert code_of(kind) is wanted
    assert status.code == wanted.value[0]
    assert status.message == str(error)
    info = info_of(status)
    assert (info.reason, info.domain, dict(info.metadata)) == (error.reason, DOMAIN, error.facts)


@pytest.mark.parametrize("kind", OWN, ids=lambda kind: kind.__name__)
def test_errors_of_the_servers_own_things_are_not_told(kind: type[HokmError]) -> None:
    """They name paths of its machine."""
    assert not is_told(example(kind))


def test_there_are_errors_to_walk_over() -> None:
    """The two lists above are not empty, and an error without a kind is not told."""
    assert len(TOLD) > 60
    assert len(OWN) > 20
    assert not is_told(HokmError())


def test_a_callers_own_words_come_back_cut() -> None:
    """A trailer has 8 KiB at most, so a fact is not longer than `MOST_FACT`, whatever is in it."""
    status = status_of(NotACard("\udc80" + "خ" * 10_000))
    assert len(info_of(status).metadata["text"]) == MOST_FACT
    assert len(status.SerializeToString()) < 4096


# The guard.

SECRET = "the ace of spades is with seat 3"
SHAPES = ("UnaryUnary", "UnaryStream", "StreamUnary", "StreamStream", "WritingStream")
Raise = Callable[[], None]


class Calls:
    """A service with one method of each shape, the last of them a coroutine that writes; each fails as it is told."""

    def __init__(self) -> None:
        self.fail: Raise = lambda: None
        self.waits = False
        self.waiting: asyncio.Future[asyncio.Task[Any]] = asyncio.get_running_loop().create_future()
        """The task of a call that waits for its caller to go."""
        self.cancelled = False
        self.at_the_end: Raise = lambda: None

    async def unary(self, request: Any, context: Any) -> GetCheckpointResponse:
        self.fail()
        return GetCheckpointResponse(checkpoint="one")

    async def unary_stream(self, request: Any, context: Any) -> AsyncIterator[GetCheckpointResponse]:
        yield GetCheckpointResponse(checkpoint="one")
        self.fail()
        if self.waits:
            task = asyncio.current_task()
            assert task is not None
            self.waiting.set_result(task)
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled = True
                self.at_the_end()
                raise

    async def stream_unary(self, requests: Any, context: Any) -> GetCheckpointResponse:
        async for _ in requests:
            pass
        self.fail()
        return GetCheckpointResponse(checkpoint="one")

    async def stream_stream(self, requests: Any, context: Any) -> AsyncIterator[GetCheckpointResponse]:
        async for _ in requests:
            yield GetCheckpointResponse(checkpoint="one")
        self.fail()

    async def writing_stream(self, requests: Any, context: Any) -> None:
        while await context.read() is not grpc.aio.EOF:
            await context.write(GetCheckpointResponse(checkpoint="one"))
        self.fail()

    def handlers(self) -> grpc.GenericRpcHandler:
        """The five of them as the service `t`."""
        read, write = GetCheckpointRequest.FromString, GetCheckpointResponse.SerializeToString
        return grpc.method_handlers_generic_handler(
            "t",
            {
                "UnaryUnary": grpc.unary_unary_rpc_method_handler(self.unary, read, write),
                "UnaryStream": grpc.unary_stream_rpc_method_handler(self.unary_stream, read, write),
                "StreamUnary": grpc.stream_unary_rpc_method_handler(self.stream_unary, read, write),
                "StreamStream": grpc.stream_stream_rpc_method_handler(self.stream_stream, read, write),
                "WritingStream": grpc.stream_stream_rpc_method_handler(self.writing_stream, read, write),
            },
        )


class Served(NamedTuple):
    """The service, and a way to it."""

    calls: Calls
    channel: Any  # the typed one cannot send bytes that are no message


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    """The service behind a guard, on a port of its own."""
    calls = Calls()
    server = grpc.aio.server(interceptors=[Guard()])
    server.add_generic_rpc_handlers((calls.handlers(),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield Served(calls, channel)
    await server.stop(None)


async def call(channel: Any, shape: str, octets: bytes = b"") -> list[str]:
    """Call one method with these bytes as the request; what it answers."""
    name, read = f"/t/{shape}", GetCheckpointResponse.FromString
    match shape:
        case "UnaryStream":
            answers = [each async for each in channel.unary_stream(name, None, read)(octets)]
        case "StreamUnary":
            answers = [await channel.stream_unary(name, None, read)(iter([octets]))]
        case "StreamStream" | "WritingStream":
            answers = [each async for each in channel.stream_stream(name, None, read)(iter([octets]))]
        case _:
            answers = [await channel.unary_unary(name, None, read)(octets)]
    return [answer.checkpoint for answer in answers]


def raising(error: BaseException) -> Raise:
    """What raises that."""

    def fail() -> None:
        raise error

    return fail


def told_by(error: grpc.aio.AioRpcError) -> Status:
    """The status in the trailer of a call that failed."""
    trailer = dict(error.trailing_metadata() or ())
    status = Status()
    status.ParseFromString(trailer[DETAILS_KEY])
    return status


@pytest.mark.parametrize("shape", SHAPES)
async def test_what_goes_well_goes_through(served: Served, shape: str) -> None:
    """The guard changes no answer."""
    assert await call(served.channel, shape) == ["one"]


@pytest.mark.parametrize("shape", SHAPES)
async def test_an_error_of_the_tree_is_told(served: Served, shape: str) -> None:
    """Code, sentence, reason, domain and facts arrive."""
    served.calls.fail = raising(MustFollowSuit("AS", "H"))
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call(served.channel, shape)
    assert caught.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert caught.value.details() == "AS cannot be played: H was led and the hand holds it."
    info = info_of(told_by(caught.value))
    assert (info.reason, info.domain, dict(info.metadata)) == ("MUST_FOLLOW_SUIT", "hokm", {"card": "AS", "led": "H"})


@pytest.mark.parametrize("shape", SHAPES)
async def test_a_bug_tells_nothing_and_is_in_the_diagnostics(
    served: Served, shape: str, expected_errors: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    """INTERNAL without a word of the exception; the traceback is logged, with its frames and without its words."""
    expected_errors.append(f"/t/{shape} failed")
    served.calls.fail = raising(KeyError(SECRET))
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call(served.channel, shape)
    assert caught.value.code() is grpc.StatusCode.INTERNAL
    assert SECRET not in repr(caught.value)
    assert "KeyError" not in repr(caught.value)
    (record,) = (record for record in caplog.records if record.levelno == logging.ERROR)
    line = diagnostics.JsonLines().format(record)
    assert "\n" not in line
    assert SECRET not in line
    assert json.loads(line)["exception"].endswith("in fail\n    raise error\nKeyError\n")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (own.DatabaseCorrupt("/secret/path", "x"), grpc.StatusCode.INTERNAL),
        (own.DatabaseFull("/secret/path", "x"), grpc.StatusCode.UNAVAILABLE),
    ],
)
async def test_the_servers_own_errors_are_in_the_diagnostics_only(
    served: Served, error: HokmError, code: grpc.StatusCode, expected_errors: list[str]
) -> None:
    """No path of the machine goes out; whether it may be tried again does."""
    expected_errors.append("/t/UnaryUnary failed")
    served.calls.fail = raising(error)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call(served.channel, "UnaryUnary")
    assert caught.value.code() is code
    assert "secret" not in repr(caught.value)


@pytest.mark.parametrize("shape", SHAPES)
async def test_bytes_that_are_no_request_are_malformed(served: Served, shape: str) -> None:
    """The caller learns that, and nothing is logged: it is not our bug."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call(served.channel, shape, b"\xff\xff\xff")
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert info_of(told_by(caught.value)).reason == "NOT_UNDERSTOOD"


async def test_a_method_that_is_not_there_is_unimplemented(served: Served) -> None:
    """The guard leaves that to gRPC."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call(served.channel, "Nothing")
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_a_caller_who_goes_is_no_error(served: Served) -> None:
    """The behaviour is cancelled, and nothing is logged."""
    await go(served)
    assert served.calls.cancelled


async def test_an_error_after_the_caller_has_gone_is_told_to_nobody(served: Served) -> None:
    """Neither is it logged, least of all with its words, by gRPC."""
    served.calls.at_the_end = raising(MustFollowSuit("AS", "H"))
    await go(served)
    assert served.calls.cancelled


@pytest.mark.parametrize("shape", SHAPES)
async def test_what_cannot_be_sent_says_that_the_caller_has_gone(served: Served, shape: str) -> None:
    """It may say so before the call itself knows. Nobody is told, and nothing is logged: the call is cancelled."""
    served.calls.fail = raising(grpc.aio.InternalError())
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call(served.channel, shape)
    assert caught.value.code() is grpc.StatusCode.CANCELLED


async def test_a_bug_after_the_caller_has_gone_is_in_the_diagnostics(
    served: Served, expected_errors: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Without its words."""
    expected_errors.append("/t/UnaryStream failed")
    served.calls.at_the_end = raising(KeyError(SECRET))
    await go(served)
    assert len(caplog.records) == 1
    assert SECRET not in diagnostics.JsonLines().format(caplog.records[0])


async def go(served: Served) -> None:
    """Call, and go while the behaviour waits; returns when gRPC is done with the call."""
    served.calls.waits = True
    stream = served.channel.unary_stream("/t/UnaryStream")(b"")
    await stream.read()
    task = await served.calls.waiting
    stream.cancel()
    await asyncio.wait([task])


# The diagnostics.


def test_diagnostics_write_one_line_of_json_for_a_record() -> None:
    """With time, level, logger and message; words of the server's own errors and of the system stand in it."""
    stream = StringIO()
    writer = logging.StreamHandler(stream)
    writer.setFormatter(diagnostics.JsonLines())
    logger = logging.Logger("hokm_server.here")
    logger.addHandler(writer)
    try:
        try:
            raise FileNotFoundError(2, "whatever", "/some/path")
        except OSError as error:
            raise own.DatabaseMissing("var/hokm.sqlite", "gone") from error
    except own.DatabaseMissing:
        logger.warning("two\nlines", exc_info=True)
    first, rest = stream.getvalue().split("\n")
    assert rest == ""
    said = json.loads(first)
    assert (said["level"], said["logger"], said["message"]) == ("WARNING", "hokm_server.here", "two\nlines")
    assert said["time"].endswith("Z")
    assert "FileNotFoundError: No such file or directory\n" in said["exception"]
    assert "/some/path" not in said["exception"].replace('raise FileNotFoundError(2, "whatever", "/some/path")', "")
    assert said["exception"].endswith("The database var/hokm.sqlite cannot be opened: gone.\n")
