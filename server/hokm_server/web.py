# SPDX-License-Identifier: Apache-2.0
"""The published log over HTTP: static resources that anybody may read, keep and pass on (C2SP tlog-tiles).

    /                          what this is
    /checkpoint                the latest checkpoint, with the cosignatures that it has by now
    /checkpoint/witnessed      the latest that has the policy's quorum
    /checkpoint/<size>         an earlier one
    /tile/…                    tiles of hashes and bundles of entries
    /keys                      {"manifests": [base64 of an entry …], "roots": [base64 of 32 bytes …]}
    /policy                    for readers
    /proof/<table>             the proof file of a game, by its id in hexadecimal
    /proof/<table>/<round>     that of a round

GET and HEAD only. What never changes may be kept for a year, everything else for moments; what is refused, not at all.
A refusal is a status and the reason, nothing more. Each caller, who is known here by the connection, and each address
has a share of the requests that are answered at a time, and the store is read by turns.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from typing import Final, ParamSpec, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hokm.errors import Busy, HokmError, Malformed, NotWitnessed, TooManyCalls, Unknown
from hokm.notation import MOST, read_decimal, write_base64
from hokm.tiles import Tile
from hokm_server.log import Log
from hokm_server.proofs import Proofs
from hokm_server.public_keys import PublicKeys
from hokm_server.shares import Caller, Share
from hokm_server.store import STREAM_BYTES
from hokm_server.turns import Turns
from hokm_server.web_connection import caller_at

READERS: Final = 4
"""Who may read the store at a time."""
REQUESTS: Final = 16
"""Of one connection at a time."""
REQUESTS_OF_ADDRESS: Final = 256

FOR_EVER: Final = "public, max-age=31536000, immutable"
FOR_A_MOMENT: Final = "public, max-age=1"
FOR_A_MINUTE: Final = "public, max-age=60"
_NOT_AT_ALL: Final = "no-store"

_TEXT: Final = "text/plain; charset=utf-8"
_OCTETS: Final = "application/octet-stream"
_JSON: Final = "application/json"
_ALWAYS: Final = {"access-control-allow-origin": "*", "x-content-type-options": "nosniff"}

P = ParamSpec("P")
T = TypeVar("T")


class Web:
    """The resources of one log."""

    def __init__(self, log: Log, keys: PublicKeys, proofs: Proofs) -> None:
        self._log = log
        self._keys = keys
        self._proofs = proofs
        self._turns = Turns(READERS)
        self._requests = Share(REQUESTS, REQUESTS_OF_ADDRESS, TooManyCalls)

    def site(self) -> Starlette:
        """The application that answers with them."""
        resources = {
            "/": self._about,
            "/checkpoint": self._latest,
            "/checkpoint/witnessed": self._witnessed,
            "/checkpoint/{size}": self._checkpoint,
            "/tile/{rest:path}": self._tile,
            "/keys": self._public_keys,
            "/policy": self._policy,
            "/proof/{table}": self._proof,
            "/proof/{table}/{round}": self._proof,
        }
        routes = [Route(path, self._guarded(answer), methods=["GET"]) for path, answer in resources.items()]
        return Starlette(routes=routes)

    def _guarded(self, answer: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        async def guarded(request: Request) -> Response:
            try:
                with self._requests.held_by(_caller(request)):
                    response = await answer(request)
            except HokmError as error:
                response = _says(f"{error.reason}\n".encode(), _TEXT, _NOT_AT_ALL, _status(error))
            response.headers.update(_ALWAYS)
            return response

        return guarded

    async def _about(self, _: Request) -> Response:
        line = f"The log {self._log.published.checkpoint.origin} of hokm/v1, in tiles: /checkpoint, /policy, /keys.\n"
        return _says(line.encode(), _TEXT, FOR_A_MINUTE)

    async def _latest(self, _: Request) -> Response:
        return _says(self._log.published.note, _TEXT, FOR_A_MOMENT)

    async def _witnessed(self, _: Request) -> Response:
        witnessed = self._log.witnessed
        if witnessed is None:
            size = self._log.published.checkpoint.size
            raise NotWitnessed(size - 1, size)
        return _says(witnessed.note, _TEXT, FOR_A_MOMENT)

    async def _checkpoint(self, request: Request) -> Response:
        published = await self._read(request, self._log.checkpoint, _number(request.path_params["size"]))
        return _says(published.note, _TEXT, FOR_A_MOMENT)

    async def _tile(self, request: Request) -> Response:
        tile = Tile.parse(f"tile/{request.path_params['rest']}")
        return _says(await self._read(request, self._log.file, tile), _OCTETS, FOR_EVER)

    async def _public_keys(self, _: Request) -> Response:
        found = {
            "manifests": [write_base64(entry) for entry in self._keys.entries],
            "roots": [write_base64(root) for root in self._keys.roots],
        }
        return _says(json.dumps(found).encode() + b"\n", _JSON, FOR_A_MINUTE)

    async def _policy(self, _: Request) -> Response:
        return _says(self._keys.policy_file, _TEXT, FOR_A_MINUTE)

    async def _proof(self, request: Request) -> Response:
        table_id = _table_id(request.path_params["table"])
        if "round" in request.path_params:
            number = _number(request.path_params["round"], 2**32 - 1)
            file = await self._proofs.round(_caller(request), table_id, number)
        else:
            file = await self._proofs.game(_caller(request), table_id)
        return _says(file, _JSON, FOR_A_MINUTE)

    async def _read(self, request: Request, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Read the store in a thread, when it is the caller's turn."""
        async with self._turns.of(_caller(request)):
            return await asyncio.to_thread(read, *args, **kwargs)


def _says(octets: bytes, kind: str, kept: str, status: int = 200) -> Response:
    return Response(octets, status, {"content-type": kind, "cache-control": kept})


def _status(error: HokmError) -> int:
    """What a refusal is in HTTP."""
    match error:
        case Malformed():
            return 400
        case Unknown():
            return 404
        case Busy() if error.reason.startswith("TOO_MANY_"):
            return 429
        case Busy():
            return 503
        case _:  # a rule: the round or the game is not over yet
            return 409


def _number(text: str, most: int = MOST) -> int:
    number = read_decimal(text)
    if number is None or number > most:
        raise HTTPException(404)
    return number


def _table_id(text: str) -> bytes:
    if not re.fullmatch(f"[0-9a-f]{{{2 * STREAM_BYTES}}}", text):
        raise HTTPException(404)
    return bytes.fromhex(text)


def _caller(request: Request) -> Caller:
    assert request.client is not None
    return caller_at(*request.client)
