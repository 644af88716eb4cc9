# SPDX-License-Identifier: Apache-2.0
"""A whole server out of its settings: every part built in order, and stopped in reverse.

    keys → store → log → publisher → witnesses → writer → tables → services → addresses → bots

So at the end the bots go first; then nobody new is let in and what runs is cut off; then nothing more is decided; then
what was decided becomes durable; then it is published; then the files are closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hokm.events import Anchor
from hokm_server.auth import Auth
from hokm_server.challenges import Challenges
from hokm_server.check import quick_check
from hokm_server.clock import Clock
from hokm_server.config import Settings
from hokm_server.cosigned import can_reach_quorum
from hokm_server.door import Door
from hokm_server.errors import KeysDisagree, PackageMissing
from hokm_server.house_bots import bots_command, keep_running
from hokm_server.house_files import keys_of
from hokm_server.house_keys import HouseKeys
from hokm_server.invitation import address_here
from hokm_server.log import Log
from hokm_server.log_service import LogService
from hokm_server.proofs import Proofs
from hokm_server.publisher import Publisher
from hokm_server.sealing import SealKey
from hokm_server.server import Services, address_of, create_server, credentials_of, listen
from hokm_server.sign_in import SignInService
from hokm_server.signets import signets_of
from hokm_server.store import KEYS_STREAM, Batch, Store
from hokm_server.tables import Tables
from hokm_server.tables_service import TablesService
from hokm_server.web import Web
from hokm_server.web_server import MOST_CONNECTIONS, answering
from hokm_server.witnesses import Witnesses
from hokm_server.writer import Writer

logger = logging.getLogger(__name__)

GRACE_SECONDS: Final = 0.25
"""How long calls may go on when the server ends. Streams never end by themselves, so it is short."""


@dataclass(frozen=True, slots=True)
class Serving:
    """A server that answers."""

    host: str
    port: int
    keys: HouseKeys
    tables: Tables
    log: Log
    publisher: Publisher
    web_port: int | None
    """Where the log is served over HTTP, if it is."""
    failed: asyncio.Future[Exception]
    """Has the cause once the log can no longer be written."""

    @property
    def address(self) -> str:
        """Where it listens, `host:port`."""
        return address_of(self.host, self.port)

    @property
    def address_here(self) -> str:
        """Where programs on this machine reach it."""
        return address_here(self.host, self.port)


@contextlib.asynccontextmanager
async def serving(settings: Settings, clock: Clock, entropy: Callable[[int], bytes]) -> AsyncIterator[Serving]:
    """A server that answers until the context ends; keys and database are made where there are none.

    `entropy` gives so many random bytes that nobody can foresee.

    Raises the errors of `hokm_server.errors` where it cannot start, and leaves nothing open then.
    """
    loop = asyncio.get_running_loop()
    failed: asyncio.Future[Exception] = loop.create_future()
    credentials = None
    if settings.tls_certificate is not None and settings.tls_key is not None:
        credentials = credentials_of(settings.tls_certificate, settings.tls_key)
    if settings.bots and importlib.util.find_spec("hokm_client") is None:
        raise PackageMissing("hokm_client", "client")
    keys = keys_of(settings, clock, entropy)
    async with contextlib.AsyncExitStack() as stack:
        store = Store(settings.database, keys.origin, busy_seconds=settings.busy_ms / 1000)
        stack.callback(store.close)
        former = keys.public.log_keys
        log = Log(store, settings.head, keys.origin, *keys.log_keys, former=former, policy=keys.policy)
        for fault in quick_check(store, log):
            logger.error("The database is not what its entries make: %s", fault)
        log_manifests(store, log, keys, settings.keys)
        publisher = Publisher(log, seconds=settings.publish_ms / 1000)
        await stack.enter_async_context(_running(publisher.run()))
        if any(witness.url is not None for witness in keys.policy.witnesses):
            from hokm_server.cosigning import Cosigning  # what it asks with takes long to import

            await stack.enter_async_context(_running(Cosigning(log, publisher, keys.policy).run()))
        writer = Writer(
            log.append, loop, most_waiting=settings.most_waiting, stopped=lambda cause: _tell(failed, cause)
        )
        stack.push_async_callback(writer.close)
        tables = Tables(
            store=store,
            writer=writer,
            clock=clock,
            entropy=entropy,
            signets=signets_of(keys),
            seal_key=SealKey(keys.seal, entropy=entropy),
            anchor=lambda: _anchor(log),
            witnesses=Witnesses(log, publisher.wait_witnessed) if can_reach_quorum(keys.policy) else None,
            most_tables=settings.most_tables,
            most_of_address=settings.of_address(settings.most_tables),
        )
        stack.callback(tables.stop)
        tables.start()
        auth = Auth(keys.token_secret, [keys.operator.public], clock)
        door = Door(auth, settings.most_calls, settings.of_address(settings.most_calls), tables.is_player)
        proofs = Proofs(store, log, publisher, keys.public.roots)
        services = Services(
            SignInService(Challenges(keys.origin, clock, entropy), auth),
            TablesService(tables, door.viewer),
            LogService(store, log, keys.public, proofs, door.caller),
        )
        listening = create_server(
            services,
            settings.host,
            settings.port,
            credentials=credentials,
            let_in=door.let_in,
            most_calls=settings.most_calls,
        )
        stack.push_async_callback(listening.stop, GRACE_SECONDS)
        web_port = None
        if settings.web:
            site, tls = Web(log, keys.public, proofs).site(), (settings.tls_certificate, settings.tls_key)
            most = settings.of_address(MOST_CONNECTIONS)
            web = answering(site, settings.host, settings.port_of_web, *tls, most_of_address=most)
            web_port = await stack.enter_async_context(web)
        found = Serving(settings.host, listening.port, keys, tables, log, publisher, web_port, failed)
        bots_address = found.address_here
        if settings.bots and credentials is not None:  # a door for the bots alone: this machine needs no certificate
            bots_address = address_of("127.0.0.1", listen(listening.server, "127.0.0.1", 0))
        await listening.start()
        if settings.bots:
            await stack.enter_async_context(_running(keep_running(bots_command(bots_address, str(settings.var)))))
        yield found


def log_manifests(store: Store, log: Log, keys: HouseKeys, directory: Path) -> None:
    """See that the log says by which keys it is written, before anything else is: a manifest that is new is published.

    Raises `KeysDisagree` where the log says something else.
    """
    entries = keys.public.entries
    logged = store.entries_of(KEYS_STREAM, 0, len(entries) + 1)
    if logged != [*entries[: len(logged)]]:
        raise KeysDisagree(str(directory), "the log has other manifests")
    if new := entries[len(logged) :]:
        log.append([Batch(KEYS_STREAM, len(logged), new)])
        log.publish()


def _anchor(log: Log) -> Anchor:
    checkpoint = log.anchor
    return Anchor(checkpoint.size, checkpoint.root)


def _tell(failed: asyncio.Future[Exception], cause: Exception) -> None:
    if not failed.done():
        failed.set_result(cause)


@contextlib.asynccontextmanager
async def _running(work: object) -> AsyncIterator[None]:
    """Run this beside whatever is done here, and cancel it at the end."""
    assert asyncio.iscoroutine(work)
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
