# SPDX-License-Identifier: Apache-2.0
"""The border of the tree of errors: what a caller is told of an exception, and what only the diagnostics are.

A `HokmError` becomes a google.rpc.Status in the trailer ``grpc-status-details-bin``: one code for its kind, its
sentence as the message, and an ErrorInfo with its reason, the domain and its facts. The client makes the same error
of it again, so only what `hokm.errors` defines is told. Errors of the server's own things name paths of its machine,
and any other exception is a bug of ours: of both the caller learns a code, and the diagnostics the traceback.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, aclosing, nullcontext
from inspect import isasyncgenfunction
from typing import Any, Final, NoReturn, TypeAlias

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from hokm import errors
from hokm.errors import HokmError, NotUnderstood, is_shared

logger = logging.getLogger(__name__)

DOMAIN: Final = "hokm"
"""Whose reasons they are, in every ErrorInfo."""

DETAILS_KEY: Final = "grpc-status-details-bin"

MOST_FACT: Final = 256
"""Characters of one fact that are told: a caller's own words come back in some, and a trailer has 8 KiB at most."""

MOST_MESSAGE: Final = 512

CODES: Final[dict[type[HokmError], grpc.StatusCode]] = {
    errors.Malformed: grpc.StatusCode.INVALID_ARGUMENT,
    errors.Rule: grpc.StatusCode.FAILED_PRECONDITION,
    errors.Conflict: grpc.StatusCode.ABORTED,
    errors.Unknown: grpc.StatusCode.NOT_FOUND,
    errors.NotSignedIn: grpc.StatusCode.UNAUTHENTICATED,
    errors.NotYourSeat: grpc.StatusCode.PERMISSION_DENIED,
    errors.Busy: grpc.StatusCode.UNAVAILABLE,
    errors.TableBusy: grpc.StatusCode.RESOURCE_EXHAUSTED,
    errors.TooManyAttached: grpc.StatusCode.RESOURCE_EXHAUSTED,
    errors.TooManyCalls: grpc.StatusCode.RESOURCE_EXHAUSTED,
    errors.TooManyOpened: grpc.StatusCode.RESOURCE_EXHAUSTED,
    errors.TooManyProofs: grpc.StatusCode.RESOURCE_EXHAUSTED,
    errors.TooManyTables: grpc.StatusCode.RESOURCE_EXHAUSTED,
    errors.TooManyWaiting: grpc.StatusCode.RESOURCE_EXHAUSTED,
}
"""The code of each kind, and of those errors that have another than their kind."""

_TOLD_NOTHING: Final = "The server failed at this. What happened is in its diagnostics."
_NOT_NOW: Final = "The server cannot do this now. The same request may succeed later."


def code_of(kind: type[HokmError]) -> grpc.StatusCode:
    """The status code of an error class: that of the nearest class above it in `CODES`, else INTERNAL."""
    return next((CODES[above] for above in kind.__mro__ if above in CODES), grpc.StatusCode.INTERNAL)


def is_told(error: HokmError) -> bool:
    """Whether callers may see this error: they know its class too."""
    return is_shared(type(error)) and code_of(type(error)) is not grpc.StatusCode.INTERNAL


def told(text: str, most: int) -> str:
    """As much of a text as goes into a trailer, in characters that UTF-8 can write."""
    clean = text.encode("utf-8", "replace").decode()
    return clean if len(clean) <= most else clean[: most - 1] + "…"


def facts_told(error: HokmError) -> dict[str, str]:
    """The facts of an error, each cut to `MOST_FACT` characters."""
    return {name: told(fact, MOST_FACT) for name, fact in error.facts.items()}


def status_of(error: HokmError) -> Status:
    """The google.rpc.Status of an error that `is_told`."""
    info = ErrorInfo(reason=error.reason, domain=DOMAIN, metadata=facts_told(error))
    detail = AnyMessage()
    detail.Pack(info)
    number: int = code_of(type(error)).value[0]
    return Status(code=number, message=told(str(error), MOST_MESSAGE), details=[detail])


# The guard.

Behaviour = Callable[..., Any]
Reader = Callable[[bytes], Any]
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
LetIn: TypeAlias = "Callable[[Context], AbstractContextManager[object]]"
Continuation: TypeAlias = "Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]]"


class Guard(grpc.aio.ServerInterceptor):
    """What stands around every call, of all four shapes: exceptions go out as this module says, never as text.

    Without it grpc.aio sends the text of an exception that escapes. What says that the call is over already, a
    cancellation or an abort, passes.
    """

    def __init__(self, let_in: LetIn = nullcontext) -> None:
        """`let_in` is around a call as long as it lasts, and may refuse it."""
        self._let_in = let_in

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> Handler | None:
        """The guarded method, where there is one of this name."""
        handler = await continuation(handler_call_details)
        if handler is None:  # gRPC says UNIMPLEMENTED
            return handler
        method = handler_call_details.method
        match handler.request_streaming, handler.response_streaming:
            case False, False:
                make, behaviour = grpc.unary_unary_rpc_method_handler, handler.unary_unary
            case False, True:
                make, behaviour = grpc.unary_stream_rpc_method_handler, handler.unary_stream
            case True, False:
                make, behaviour = grpc.stream_unary_rpc_method_handler, handler.stream_unary
            case _:
                make, behaviour = grpc.stream_stream_rpc_method_handler, handler.stream_stream
        assert behaviour is not None
        generates = handler.response_streaming and isasyncgenfunction(behaviour)
        guarded = (_guarded_generator if generates else _guarded)(method, behaviour, self._let_in)
        read = handler.request_deserializer
        if read is not None:
            read = _reading_streams(read) if handler.request_streaming else _reading(read)
        return make(guarded, read, handler.response_serializer)


def _guarded(method: str, behaviour: Behaviour, let_in: LetIn) -> Behaviour:
    async def guarded(request: object, context: Context) -> object:
        try:
            with let_in(context):
                return await behaviour(_checked(request), context)
        except Exception as error:
            await _tell(method, error, context)

    return guarded


def _guarded_generator(method: str, behaviour: Behaviour, let_in: LetIn) -> Behaviour:
    async def guarded(request: object, context: Context) -> AsyncIterator[object]:
        try:
            with let_in(context):
                async with aclosing(behaviour(_checked(request), context)) as responses:
                    async for response in responses:
                        yield response
        except Exception as error:
            await _tell(method, error, context)

    return guarded


async def _tell(method: str, error: Exception, context: Context) -> NoReturn:
    """End the call as the error asks. Where it is over already, there is nobody to tell.

    What can not be sent or received any more (`InternalError`) says that the caller has gone, and may say so before
    the context does.
    """
    if isinstance(error, grpc.aio.AbortError):
        raise error
    over = context.done()
    if isinstance(error, grpc.aio.InternalError) and not over:
        with contextlib.suppress(grpc.aio.InternalError):
            await context.abort(grpc.StatusCode.CANCELLED)
        raise asyncio.CancelledError
    status = status_of(error) if isinstance(error, HokmError) and is_told(error) else None
    if status is None and not (over and isinstance(error, grpc.aio.BaseError)):  # no answer reaches who has gone
        logger.error("%s failed", method, exc_info=error)
    if over:
        raise asyncio.CancelledError
    if status is not None:
        trailer = ((DETAILS_KEY, status.SerializeToString()),)
        await context.abort(code_of(type(error)), status.message, trailer)  # type: ignore[arg-type]
    if isinstance(error, errors.Busy):
        await context.abort(grpc.StatusCode.UNAVAILABLE, _NOT_NOW)
    await context.abort(grpc.StatusCode.INTERNAL, _TOLD_NOTHING)


# Requests that are no message of their type. gRPC would tell the exception that the reader raises.


def _reading(read: Reader) -> Reader:
    """A reader for a single request, which gRPC calls outside of the guarded call: the error takes its place."""

    def reading(octets: bytes) -> object:
        try:
            return read(octets)
        except DecodeError:
            return _unreadable()

    return reading


def _reading_streams(read: Reader) -> Reader:
    """A reader for requests of a stream, which gRPC calls within the guarded call."""

    def reading(octets: bytes) -> object:
        try:
            return read(octets)
        except DecodeError:
            raise _unreadable() from None

    return reading


def _checked(request: object) -> object:
    """What the behaviour is given as request. Raises `NotUnderstood`."""
    if isinstance(request, NotUnderstood):
        raise request
    return request


def _unreadable() -> NotUnderstood:
    return NotUnderstood("request", "it is not a message of this call")
