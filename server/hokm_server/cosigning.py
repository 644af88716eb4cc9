# SPDX-License-Identifier: Apache-2.0
"""Asking the witnesses: each checkpoint that was published is taken to them, and what they sign is kept (C2SP
tlog-witness).

A round is about one checkpoint, the latest. All witnesses of the policy that have a URL are asked at once, and it ends
when the quorum is met or all have answered; then comes the next checkpoint. So the cosignatures of a round are under
one checkpoint, and one witness that is slow or gone holds nobody up: it has a bounded time, goes on with its own
request beside later rounds, and is asked again when that is over. While somebody's line is missing under the last
checkpoint of a quiet log, it is asked for again.

A witness goes on from the size that it cosigned last. Which that is, it is remembered to have said here, and it says so
(409) where it remembers another one.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

import httpx

from hokm.checkpoint import verify_cosignatures
from hokm.errors import HokmError
from hokm.notation import read_decimal
from hokm.note import Note, NoteSignature
from hokm.policy import Policy
from hokm.signing import VKey
from hokm.witness import AddCheckpoint
from hokm_server.errors import WitnessAhead, WitnessRefused
from hokm_server.log import Log, Published
from hokm_server.publisher import Publisher

logger = logging.getLogger(__name__)

SECONDS: Final = 5.0
"""What a witness may take to answer, a second question included."""
AGAIN_SECONDS: Final = 5.0
"""After which a witness that has not cosigned the latest checkpoint is asked again."""
MOST_ANSWER_BYTES: Final = 64 * 1024

_SIZE_TYPE: Final = "text/x.tlog.size"


@dataclass(slots=True)
class Asked:
    """A witness, and what is known of it."""

    vkey: VKey
    url: str
    size: int = 0
    """The checkpoint that it cosigned last."""
    request: asyncio.Task[None] | None = None
    """The one that is on its way."""
    silent: bool = False
    """Its last answer was none, or no good one."""

    @property
    def is_free(self) -> bool:
        """Whether it can be asked."""
        return self.request is None or self.request.done()


class Cosigning:
    """The witnesses of one policy, asked from a task of the event loop."""

    def __init__(
        self,
        log: Log,
        publisher: Publisher,
        policy: Policy,
        *,
        seconds: float = SECONDS,
        again_seconds: float = AGAIN_SECONDS,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """`transport` takes the requests in place of the network."""
        self._log = log
        self._publisher = publisher
        self._seconds = seconds
        self._again_seconds = again_seconds
        self._transport = transport
        self._witnesses = [Asked(seen.vkey, seen.url.rstrip("/")) for seen in policy.witnesses if seen.url is not None]

    async def run(self) -> None:
        """Ask until the task is cancelled. Without a witness that has a URL there is nothing to do."""
        if not self._witnesses:
            return
        async with httpx.AsyncClient(
            transport=self._transport,
            timeout=self._seconds,
            trust_env=False,
            headers={"accept-encoding": "identity"},
        ) as http:
            try:
                while True:
                    published = self._log.published
                    if published.checkpoint.size:
                        await self._round(http, published)
                    await self._wait_for_work(published)
            finally:
                requests = [asked.request for asked in self._witnesses if asked.request is not None]
                for request in requests:
                    request.cancel()
                await asyncio.gather(*requests, return_exceptions=True)

    async def _round(self, http: httpx.AsyncClient, published: Published) -> None:
        size = published.checkpoint.size
        for asked in self._witnesses:
            if asked.is_free and asked.size < size:
                asked.request = asyncio.create_task(self._ask(http, asked, published))
        pending = {asked.request for asked in self._witnesses if asked.request is not None and not asked.is_free}
        while pending and not self._is_witnessed(size):
            _, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)

    async def _wait_for_work(self, published: Published) -> None:
        """Until there is a later checkpoint, or until some witness is to be asked for this one again."""
        missing = any(asked.size < published.checkpoint.size for asked in self._witnesses)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._again_seconds if missing else None):
                await self._publisher.wait_after(published)

    def _is_witnessed(self, size: int) -> bool:
        witnessed = self._log.witnessed
        return witnessed is not None and witnessed.checkpoint.size >= size

    async def _ask(self, http: httpx.AsyncClient, asked: Asked, published: Published) -> None:
        """Have one witness cosign, or say once that it does not."""
        try:
            async with asyncio.timeout(self._seconds):
                line = await self._cosignature(http, asked, published)
                await asyncio.to_thread(self._log.cosign, published.checkpoint, asked.vkey, line)
        except (TimeoutError, httpx.HTTPError, httpx.InvalidURL, UnicodeError, HokmError) as error:
            if not asked.silent:
                level = logging.ERROR if isinstance(error, WitnessAhead) else logging.WARNING
                why = str(error) if isinstance(error, HokmError) else type(error).__name__
                logger.log(level, "The witness %s does not cosign: %s", asked.vkey.name, why)
            asked.silent = True
            return
        if asked.silent:
            logger.warning("The witness %s cosigns again", asked.vkey.name)
        asked.silent, asked.size = False, published.checkpoint.size
        self._publisher.cosignature_came()

    async def _cosignature(self, http: httpx.AsyncClient, asked: Asked, published: Published) -> NoteSignature:
        """The line by which this witness cosigns this checkpoint, verified.

        Raises `WitnessAhead`, `WitnessRefused`, what a line or note that is malformed raises, and what httpx raises.
        """
        checkpoint, name = published.checkpoint, asked.vkey.name
        status, kind, octets = await self._post(http, asked, published)
        if status == httpx.codes.CONFLICT and kind == _SIZE_TYPE:
            size = read_decimal(octets.decode("ascii", "replace").removesuffix("\n"))
            if size is None:
                raise WitnessRefused(name, "it names no size that could be one")
            if size > checkpoint.size:
                raise WitnessAhead(name, size, checkpoint.size)
            asked.size = size
            status, kind, octets = await self._post(http, asked, published)
        if status != httpx.codes.OK:
            raise WitnessRefused(name, f"it answers with the status {status}")
        answer = Note.parse(checkpoint.format().encode() + b"\n" + octets)
        if not verify_cosignatures(answer, [asked.vkey]):
            raise WitnessRefused(name, "its answer has no cosignature by the key in the policy")
        return next(line for line in answer.signatures if line.is_by(asked.vkey))

    async def _post(self, http: httpx.AsyncClient, asked: Asked, published: Published) -> tuple[int, str, bytes]:
        """Status, content type and body of the answer to add-checkpoint, from the size that it cosigned last."""
        _, proof = await asyncio.to_thread(self._log.consistency, asked.size, published.checkpoint.size)
        request = AddCheckpoint(asked.size, tuple(proof), Note.parse(published.note))
        async with http.stream("POST", f"{asked.url}/add-checkpoint", content=request.format()) as answer:
            if "content-encoding" in answer.headers:  # a few bytes of it could become very many
                raise WitnessRefused(asked.vkey.name, "its answer is encoded, which was not asked for")
            octets = await _at_most(MOST_ANSWER_BYTES, answer.aiter_bytes())
            if octets is None:
                raise WitnessRefused(asked.vkey.name, f"its answer has more than {MOST_ANSWER_BYTES} bytes")
            return answer.status_code, answer.headers.get("content-type", "").partition(";")[0], octets


async def _at_most(most: int, pieces: AsyncIterator[bytes]) -> bytes | None:
    """All pieces together, None where they are longer."""
    octets = bytearray()
    async for piece in pieces:
        octets += piece
        if len(octets) > most:
            return None
    return bytes(octets)
