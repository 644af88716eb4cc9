# SPDX-License-Identifier: Apache-2.0
"""The writer: nothing waits without need, everything is answered once, and what was answered is on the disk."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from hokm.errors import HokmError, LogNotWritable, TooManyWaiting, VersionTaken
from hokm_server.errors import DatabaseCorrupt, DatabaseFull
from hokm_server.store import Batch, Outcome
from hokm_server.writer import Writer
from tests.server.stores import ORIGIN, batch, entry, opened, stream


class Gate:
    """An `append` that notes the transactions, and lets one through when it is told to."""

    def __init__(self) -> None:
        self.transactions: list[list[Batch]] = []
        self.open = threading.Semaphore(0)
        self.error: Exception | None = None

    def append(self, batches: Sequence[Batch]) -> list[Outcome]:
        """Note the transaction, wait for the gate, and take everything."""
        self.transactions.append(list(batches))
        self.open.acquire()
        if self.error is not None:
            raise self.error
        return list(range(len(batches)))

    async def entered(self, count: int) -> None:
        """So many transactions have begun."""
        while len(self.transactions) < count:
            await asyncio.sleep(0.001)


async def test_what_came_during_a_commit_is_the_next_one() -> None:
    """The first batch is committed at once, alone; all that come meanwhile go together, in order."""
    gate = Gate()
    writer = Writer(gate.append, asyncio.get_running_loop())
    answers: list[int | HokmError] = []
    writer.submit(batch(0, 0), answers.append)
    await gate.entered(1)
    for table in range(1, 6):
        writer.submit(batch(table, 0), answers.append)
    assert answers == []
    gate.open.release()
    await gate.entered(2)
    await asyncio.sleep(0)
    assert answers == [0]
    gate.open.release()
    await writer.close()
    assert answers == [0, 0, 1, 2, 3, 4]
    assert gate.transactions == [[batch(0, 0)], [batch(table, 0) for table in range(1, 6)]]


async def test_answers_come_in_the_event_loop_after_the_commit(tmp_path: Path) -> None:
    """Positions of what is then in the store, and a conflict for the batch that met one."""
    with opened(tmp_path / "log.db") as store:
        writer = Writer(store.append, asyncio.get_running_loop())
        answers: list[int | HokmError] = []
        threads: set[threading.Thread] = set()
        done = asyncio.Event()

        def take(answer: int | HokmError) -> None:
            threads.add(threading.current_thread())
            answers.append(answer)
            if len(answers) == 4:
                done.set()

        for each in (batch(1, 0, 2), batch(2, 0), batch(1, 1), batch(1, 2)):
            writer.submit(each, take)
        await done.wait()
        await writer.close()
        assert threads == {threading.main_thread()}
        assert [answer for answer in answers if isinstance(answer, int)] == [0, 2, 3]
        assert isinstance(answers[2], VersionTaken)
        assert store.size == 4


async def test_closing_writes_what_was_taken(tmp_path: Path) -> None:
    """Everything submitted is answered before `close` returns, and nothing more is taken."""
    with opened(tmp_path / "log.db") as store:
        writer = Writer(store.append, asyncio.get_running_loop())
        answers: list[int | HokmError] = []
        for version in range(500):
            writer.submit(batch(1, version), answers.append)
        await writer.close()
        assert answers == list(range(500))
        with pytest.raises(LogNotWritable, match="CLOSED"):
            writer.submit(batch(1, 500), answers.append)
        await writer.close()
        assert store.size == 500


async def test_no_more_wait_than_may() -> None:
    """The bound is on what waits; what is being written does not count."""
    gate = Gate()
    writer = Writer(gate.append, asyncio.get_running_loop(), most_waiting=3)
    answers: list[int | HokmError] = []
    writer.submit(batch(0, 0), answers.append)
    await gate.entered(1)
    for table in range(1, 4):
        writer.submit(batch(table, 0), answers.append)
    with pytest.raises(TooManyWaiting):
        writer.submit(batch(4, 0), answers.append)
    gate.open.release(2)
    await writer.close()
    assert len(answers) == 4


async def test_a_full_disk_is_told_to_each_and_passes(expected_errors: list[str]) -> None:
    """Each batch of the transaction hears that it is not there; the next transaction is tried again."""
    expected_errors.append("2 batches were not written: .* cannot grow")
    gate = Gate()
    writer = Writer(gate.append, asyncio.get_running_loop())
    answers: list[int | HokmError] = []
    writer.submit(batch(0, 0), answers.append)
    await gate.entered(1)
    writer.submit(batch(1, 0), answers.append)
    writer.submit(batch(2, 0), answers.append)
    gate.open.release()
    await gate.entered(2)
    gate.error = DatabaseFull("log.db", "no room")
    gate.open.release()
    while len(answers) < 3:
        await asyncio.sleep(0.001)
    gate.error = None
    writer.submit(batch(1, 0), answers.append)
    gate.open.release()
    await writer.close()
    assert [answer.facts if isinstance(answer, LogNotWritable) else answer for answer in answers] == [
        0,
        {"why": "DATABASE_FULL"},
        {"why": "DATABASE_FULL"},
        0,
    ]


@pytest.mark.parametrize(
    ("error", "why"), [(DatabaseCorrupt("log.db", "torn page"), "DATABASE_CORRUPT"), (ZeroDivisionError(), "BUG")]
)
async def test_what_does_not_pass_stops_the_writer(error: Exception, why: str, expected_errors: list[str]) -> None:
    """All that wait and all that come hear of it, and so does who started the writer."""
    expected_errors.append("not written any more")
    gate = Gate()
    causes: list[Exception] = []
    writer = Writer(gate.append, asyncio.get_running_loop(), stopped=causes.append)
    answers: list[int | HokmError] = []
    writer.submit(batch(0, 0), answers.append)
    await gate.entered(1)
    writer.submit(batch(1, 0), answers.append)
    gate.error = error
    gate.open.release()
    while not causes:
        await asyncio.sleep(0.001)
    with pytest.raises(LogNotWritable, match=why):
        writer.submit(batch(2, 0), answers.append)
    await writer.close()
    assert causes == [error]
    assert [answer.facts for answer in answers if isinstance(answer, LogNotWritable)] == [{"why": why}] * 2


async def test_a_failure_of_one_answer_does_not_hold_back_the_others(expected_errors: list[str]) -> None:
    """It is a bug of who asked; the others of the transaction are answered all the same."""
    expected_errors.append("What was to follow an append failed")
    gate = Gate()
    writer = Writer(gate.append, asyncio.get_running_loop())
    answers: list[int | HokmError] = []

    def fail(_: int | HokmError) -> None:
        raise ZeroDivisionError

    gate.open.release(2)
    writer.submit(batch(0, 0), fail)
    writer.submit(batch(1, 0), answers.append)
    await writer.close()
    assert len(answers) == 1


KILLED = """
import asyncio, sys
from pathlib import Path
from hokm_server.store import Store
from hokm_server.writer import Writer
from tests.server.stores import batch

async def main():
    store = Store(Path(sys.argv[1]), sys.argv[2])
    writer = Writer(store.append, asyncio.get_running_loop())
    def play(table, version):
        def done(answer):
            sys.stdout.write(f"{table} {version} {answer}\\n")
            sys.stdout.flush()
            play(table, version + 3)
        writer.submit(batch(table, version, 3), done)
    for table in range(1, 17):
        play(table, 0)
    await asyncio.sleep(3600)

asyncio.run(main())
"""


@pytest.mark.parametrize("lines", [1, 17, 200, 900])
def test_killed_at_any_moment_nothing_acknowledged_is_lost(tmp_path: Path, lines: int) -> None:
    """After kill -9 every answered batch is there, whole, and so is each that was not answered and is there."""
    path = tmp_path / "log.db"
    root = Path(__file__).parents[2]
    server = subprocess.Popen([sys.executable, "-c", KILLED, path, ORIGIN], stdout=subprocess.PIPE, text=True, cwd=root)
    with server:
        assert server.stdout is not None
        answered = [server.stdout.readline() for _ in range(lines)]
        server.kill()
        answered += [line for line in server.stdout if line.endswith("\n")]
    with opened(path) as store:
        for line in answered:
            table, version, position = map(int, line.split())
            assert [store.position(stream(table), version + each) for each in range(3)] == [
                position,
                position + 1,
                position + 2,
            ]
        for table in range(1, 17):
            found = store.entries_of(stream(table), 0, 100_000)
            assert len(found) % 3 == 0
            assert found == [entry(table, version) for version in range(len(found))]
        assert len(store.entries_between(0, 1_000_000)) == store.size
        store.examine()
