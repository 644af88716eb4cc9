# SPDX-License-Identifier: Apache-2.0
"""The witness over HTTP (C2SP tlog-witness): what each of its answers and refusals is there.

POST /add-checkpoint    200 with the line of the cosignature; else a status, and the sentence that says why:
                        400 not such a request · 403 not signed by the log · 404 a log that is not known
                        409 not the latest size (that size as text/x.tlog.size), or another root at that size
                        413 too long · 422 the proof does not show that the tree has grown
GET /                   one line for the policy of whoever relies on this witness
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from hokm.errors import BadSignature, HokmError, Malformed, NotSigned, UnknownLog
from hokm.witness import MOST_BYTES, NotGrown, NotOldSize, OtherRoot
from hokm_audit.witnessing import Witness

logger = logging.getLogger(__name__)

STATUSES: Final[dict[type[HokmError], int]] = {
    NotSigned: 403,
    BadSignature: 403,
    UnknownLog: 404,
    NotOldSize: 409,
    OtherRoot: 409,
    NotGrown: 422,
    Malformed: 400,
}
"""The status of each refusal; a class above others comes after them."""

_SIZE: Final = "text/x.tlog.size"
SECONDS: Final = 3.0
"""How long a request may take to come. Most have less than 4 KiB."""


def witness_site(witness: Witness) -> Starlette:
    """The application that answers for this witness."""

    async def add_checkpoint(request: Request) -> Response:
        try:
            async with asyncio.timeout(SECONDS):
                octets = await _body(request)
        except TimeoutError:
            return _says(408, f"The request did not come within {SECONDS:.0f} seconds.")
        if octets is None:
            return _says(413, f"A request has at most {MOST_BYTES} bytes.")
        try:
            cosignature = await run_in_threadpool(witness.add_checkpoint, octets)
        except NotOldSize as error:
            return Response(f"{error.size}\n", 409, {"content-type": _SIZE})
        except HokmError as error:
            return _refusal(error)
        return PlainTextResponse(cosignature.format() + "\n")

    async def about(_: Request) -> Response:
        name = witness.vkey.name
        origins = ", ".join(sorted({log.name for log in witness.logs}))
        return PlainTextResponse(f"hokm-witness {name} of {origins}\nits vkey: {witness.vkey.format()}\n")

    return Starlette(
        routes=[Route("/add-checkpoint", add_checkpoint, methods=["POST"]), Route("/", about, methods=["GET"])]
    )


async def _body(request: Request) -> bytes | None:
    """The body; None where it is longer than any request."""
    octets = bytearray()
    try:
        async for chunk in request.stream():
            octets += chunk
            if len(octets) > MOST_BYTES:
                return None
    except ClientDisconnect:
        pass  # nobody is there to hear what is wrong with it
    return bytes(octets)


def _refusal(error: HokmError) -> Response:
    """What a caller is told of it. Of a failure of the witness itself that is nothing but that there is one."""
    for kind, status in STATUSES.items():
        if isinstance(error, kind):
            return _says(status, str(error))
    logger.error("%s", error)
    return _says(503, "The witness cannot answer now.")


def _says(status: int, sentence: str) -> Response:
    return PlainTextResponse(sentence + "\n", status)
