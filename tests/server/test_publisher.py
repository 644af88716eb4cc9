# SPDX-License-Identifier: Apache-2.0
"""The publisher: about every second, at once when somebody waits, and once more at the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from hokm_server import log as log_module
from hokm_server.files import write_durably
from hokm_server.log import Log, Published
from hokm_server.publisher import Publisher
from hokm_server.store import Store
from tests.server.stores import batch
from tests.server.test_log import logged


@asynccontextmanager
async def running(directory: Path, seconds: float) -> AsyncIterator[tuple[Store, Log, Publisher]]:
    """A publisher at work, stopped at the end."""
    with logged(directory) as (store, log):
        publisher = Publisher(log, seconds=seconds)
        task = asyncio.create_task(publisher.run())
        try:
            yield store, log, publisher
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


def looks(log: Log) -> asyncio.Queue[Published]:
    """What every publishing from now on finds to be the latest checkpoint."""
    found: asyncio.Queue[Published] = asyncio.Queue()
    publish, loop = log.publish, asyncio.get_running_loop()

    def look() -> Published:
        published = publish()
        loop.call_soon_threadsafe(found.put_nowait, published)
        return published

    log.publish = look  # type: ignore[method-assign]
    return found


async def test_entries_are_published_by_themselves(tmp_path: Path) -> None:
    """With nobody waiting for it."""
    async with running(tmp_path, 0.02) as (_, log, _):
        found = looks(log)
        log.append([batch(1, 0, 5)])
        async with asyncio.timeout(10):
            while (await found.get()).checkpoint.size < 5:
                pass
    assert log.published.checkpoint.size == 5


async def test_who_waits_for_an_entry_does_not_wait_for_the_second(tmp_path: Path) -> None:
    """Several may wait; each gets a checkpoint that covers its entry."""
    async with running(tmp_path, 3600) as (_, log, publisher):
        log.append([batch(1, 0, 5)])
        waits = [asyncio.create_task(publisher.wait_published(position)) for position in (0, 4, 5)]
        async with asyncio.timeout(10):
            assert (await waits[0]).checkpoint.size == 5
            assert (await waits[1]).checkpoint.size == 5
            log.append([batch(1, 5)])
            publisher.publish_soon()
            assert (await waits[2]).checkpoint.size == 6


async def test_a_quiet_log_gets_no_checkpoints(tmp_path: Path) -> None:
    """Only one for each growth."""
    async with running(tmp_path, 0.005) as (_, log, _):
        found = looks(log)
        before = log.published
        for _ in range(5):
            assert await asyncio.wait_for(found.get(), 10) is before


async def test_stopping_publishes_what_is_there(tmp_path: Path) -> None:
    """Nothing durable stays unpublished by a stop."""
    async with running(tmp_path, 3600) as (_, log, _):
        await asyncio.sleep(0)
        log.append([batch(1, 0, 5)])
    assert log.published.checkpoint.size == 5


async def test_a_publishing_that_fails_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected_errors: list[str]
) -> None:
    """It is told in the diagnostics, and who waits goes on waiting."""
    expected_errors.append("The log was not published: The head file")
    fails = [True, True]

    def full(path: Path, octets: bytes) -> None:
        if fails:
            fails.pop()
            raise OSError(28, "No space left on device")
        write_durably(path, octets)

    async with running(tmp_path, 0.005) as (_, log, publisher):
        monkeypatch.setattr(log_module, "write_durably", full)
        log.append([batch(1, 0)])
        async with asyncio.timeout(10):
            assert (await publisher.wait_published(0)).checkpoint.size == 1
