# SPDX-License-Identifier: Apache-2.0
"""Witnesses are asked for each checkpoint: what they sign is kept, and what they do otherwise holds nobody up."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from hokm.checkpoint import cosign
from hokm.note import Note
from hokm.policy import Group, Policy, Witness
from hokm.policy import Log as PolicyLog
from hokm.signing import SignatureType, SigningKey, VKey
from hokm.witness import AddCheckpoint
from hokm_audit.memory import Memory
from hokm_audit.witness_site import witness_site
from hokm_audit.witnessing import Witness as RealWitness
from hokm_server.cosigned import can_reach_quorum
from hokm_server.cosigning import MOST_ANSWER_BYTES, Cosigning
from hokm_server.log import Log
from hokm_server.publisher import Publisher
from tests.server.stores import ORIGIN, batch, opened
from tests.server.test_log import KEY, VKEY

Answer = Callable[[httpx.Request], httpx.Response]

NAMES = ("one", "two", "three")
KEYS = {name: SigningKey(name.encode().ljust(32)) for name in NAMES}
VKEYS = {name: VKey(f"{name}.example/w", SignatureType.COSIGNATURE, key.public) for name, key in KEYS.items()}


def policy(threshold: int) -> Policy:
    """Three witnesses, of which so many are wanted; 0 is no quorum."""
    witnesses = tuple(Witness(name, VKEYS[name], f"http://{name}.example/") for name in NAMES)
    group = Group("most", threshold or 1, NAMES)
    return Policy((PolicyLog(VKEY),), (), witnesses, (group,), "most" if threshold else None)


def test_a_quorum_is_reached_by_who_can_be_asked() -> None:
    """A witness without a URL does not count."""
    wanted = policy(2)
    one, two, three = wanted.witnesses
    assert can_reach_quorum(wanted)
    assert can_reach_quorum(replace(wanted, witnesses=(one, two, replace(three, url=None))))
    assert not can_reach_quorum(replace(wanted, witnesses=(one, replace(two, url=None), replace(three, url=None))))
    assert not can_reach_quorum(policy(0))


class Town:
    """The witnesses, each at its address, in place of the network."""

    def __init__(self, folder: Path) -> None:
        self._sites = {}
        self._memories = []
        for name in NAMES:
            memory = Memory(folder / f"{name}.memory", folder / f"{name}.key")
            real = RealWitness(VKEYS[name].name, KEYS[name], [VKEY], memory, lambda: 1_800_000_000)
            self._sites[name] = httpx.ASGITransport(witness_site(real))
            self._memories.append(memory)
        self.instead: dict[str, Answer] = {}
        """What answers in the place of a witness."""
        self.asked: list[tuple[str, int, int]] = []
        """Every question: whom, from which size, to which."""
        self.gone: set[str] = set()
        """Those that never answer."""

    async def answer(self, request: httpx.Request) -> httpx.Response:
        """The answer of whom it was sent to."""
        name = request.url.host.partition(".")[0]
        body = AddCheckpoint.parse(request.content)
        self.asked.append((name, body.old_size, int(body.note.text.split("\n")[1])))
        if name in self.gone:
            await asyncio.Event().wait()
        if name in self.instead:
            return self.instead[name](request)
        return await self._sites[name].handle_async_request(request)

    def close(self) -> None:
        """Close what they remember by."""
        for memory in self._memories:
            memory.close()


@asynccontextmanager
async def town(folder: Path) -> AsyncIterator[Town]:
    """Witnesses that remember, also from one log to the next."""
    found = Town(folder)
    try:
        yield found
    finally:
        found.close()


@asynccontextmanager
async def cosigned(
    folder: Path, town: Town, threshold: int, other: Policy | None = None
) -> AsyncIterator[tuple[Log, Publisher]]:
    """A log whose checkpoints are taken to the witnesses."""
    trusted = other or policy(threshold)
    with opened(folder / "log.db") as store:
        log = Log(store, folder / "head", ORIGIN, KEY, policy=trusted)
        publisher = Publisher(log, seconds=0.005)
        cosigning = Cosigning(
            log, publisher, trusted, seconds=2.0, again_seconds=0.01, transport=httpx.MockTransport(town.answer)
        )
        tasks = [asyncio.create_task(work) for work in (publisher.run(), cosigning.run())]
        try:
            async with asyncio.timeout(30):
                yield log, publisher
        finally:
            for task in reversed(tasks):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task


def cosigners(note: bytes, trusted: Policy) -> set[str]:
    """Who has cosigned it, by name."""
    return {
        cosignature.witness.name.partition(".")[0] for cosignature in trusted.endorse(Note.parse(note)).cosignatures
    }


async def test_a_checkpoint_gets_its_quorum(tmp_path: Path) -> None:
    """Each later one from the size before; what was witnessed is found again after a start."""
    async with town(tmp_path) as witnesses:
        async with cosigned(tmp_path, witnesses, 3) as (log, publisher):
            assert log.witnessed is None
            for version in range(5):
                log.append([batch(1, version)])
                found = await publisher.wait_witnessed(version)
                assert found.checkpoint == log.published.checkpoint
                assert cosigners(found.note, policy(3)) == set(NAMES)
                assert found == log.witnessed == log.published == log.checkpoint(version + 1)
        assert [old for name, old, _ in witnesses.asked if name == "one"] == [0, 1, 2, 3, 4]
        async with cosigned(tmp_path, witnesses, 3) as (log, _):
            assert log.witnessed == found


async def test_without_a_quorum_in_the_policy_nobody_waits(tmp_path: Path) -> None:
    """Cosignatures are kept all the same, and nothing is called witnessed."""
    async with town(tmp_path) as witnesses, cosigned(tmp_path, witnesses, 0) as (log, publisher):
        log.append([batch(1, 0)])
        assert (await publisher.wait_witnessed(0)).checkpoint.size == 1
        while cosigners(log.published.note, policy(0)) != set(NAMES):
            await asyncio.sleep(0.005)
        assert log.witnessed is None


async def test_a_witness_that_is_gone_holds_nobody_up(tmp_path: Path) -> None:
    """Two of three are enough, and one request of the third is on its way at a time."""
    async with town(tmp_path) as witnesses:
        witnesses.gone.add("three")
        async with cosigned(tmp_path, witnesses, 2) as (log, publisher):
            for version in range(5):
                log.append([batch(1, version)])
                assert cosigners((await publisher.wait_witnessed(version)).note, policy(2)) == {"one", "two"}
        assert len([name for name, _, _ in witnesses.asked if name == "three"]) == 1


async def test_without_a_quorum_of_witnesses_the_log_goes_on(tmp_path: Path) -> None:
    """It is published; who waits for witnesses waits until they are back, and no entry is missing then."""
    async with town(tmp_path) as witnesses, cosigned(tmp_path, witnesses, 2) as (log, publisher):
        witnesses.instead |= {name: lambda _: httpx.Response(503) for name in ("two", "three")}
        log.append([batch(1, 0)])
        waits = asyncio.create_task(publisher.wait_witnessed(0))
        for version in range(1, 6):
            log.append([batch(1, version)])
            assert (await publisher.wait_published(version)).checkpoint.size > version
        assert not waits.done()
        assert log.witnessed is None
        witnesses.instead.clear()
        assert (await waits).checkpoint.size == 6


async def test_a_log_that_has_forgotten_what_it_asked_is_told(tmp_path: Path) -> None:
    """After a start it begins from 0, and the witness says which size it remembers."""
    async with town(tmp_path) as witnesses:
        for start in range(2):
            async with cosigned(tmp_path, witnesses, 3) as (log, publisher):
                log.append([batch(1, start)])
                await publisher.wait_witnessed(start)
        assert [(old, size) for name, old, size in witnesses.asked if name == "two"][-1] == (1, 2)


async def test_a_witness_that_has_seen_more_is_told_of(tmp_path: Path, expected_errors: list[str]) -> None:
    """Somebody wrote this log elsewhere, or brought back an older copy of it."""
    expected_errors.append(r"has cosigned this log at size 9, and it is published up to 1")
    async with town(tmp_path) as witnesses, cosigned(tmp_path, witnesses, 2) as (log, publisher):
        witnesses.instead["one"] = lambda _: httpx.Response(
            409, content=b"9\n", headers={"content-type": "text/x.tlog.size"}
        )
        log.append([batch(1, 0)])
        assert cosigners((await publisher.wait_witnessed(0)).note, policy(2)) == {"two", "three"}


def encoded(request: httpx.Request) -> httpx.Response:
    """The right answer, compressed: a short one could become a very long one."""
    right = by("one")(request)
    return httpx.Response(200, content=gzip.compress(right.content), headers={"content-encoding": "gzip"})


def by(name: str, text: str | None = None) -> Answer:
    """The cosignature of that witness, of another checkpoint if one is given."""

    def answer(request: httpx.Request) -> httpx.Response:
        note = AddCheckpoint.parse(request.content).note
        checkpoint = policy(0).endorse(note).checkpoint
        line = cosign(checkpoint, VKEYS["one"].name, KEYS[name], 1).format()
        return httpx.Response(200, text=text if text is not None else line + "\n")

    return answer


@pytest.mark.parametrize("url", ["http://\udc80", "http://one/\udc80"])
async def test_a_url_that_nobody_answers_at_is_told_once(
    tmp_path: Path, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A policy may have any octets there; the others are asked."""
    trusted = policy(2)
    one, *others = trusted.witnesses
    odd = replace(trusted, witnesses=(replace(one, url=url), *others))
    async with town(tmp_path) as witnesses, cosigned(tmp_path, witnesses, 2, odd) as (log, publisher):
        for version in range(3):
            log.append([batch(1, version)])
            await publisher.wait_witnessed(version)
    told = [record.getMessage() for record in caplog.records]
    assert [line for line in told if line.startswith("The witness one.example/w does not cosign: ")] == told
    assert len(told) == 1


@pytest.mark.parametrize(
    "answer",
    [
        by("two"),
        by("one", text=""),
        by("one", text="— one.example/w AAAA\n"),
        by("one", text=f"— one.example/w {'A' * 100}\n"),
        lambda _: httpx.Response(200, content=bytes(MOST_ANSWER_BYTES + 1)),
        encoded,
        lambda _: httpx.Response(302, headers={"location": "http://two.example/add-checkpoint"}),
        lambda _: httpx.Response(404),
        lambda _: httpx.Response(409, content=b"-1\n", headers={"content-type": "text/x.tlog.size"}),
        lambda _: httpx.Response(409, content=b"0\n", headers={"content-type": "text/x.tlog.size"}),
    ],
)
async def test_no_other_answer_is_kept(tmp_path: Path, answer: Answer, caplog: pytest.LogCaptureFixture) -> None:
    """Another key, no signature, another host, too much: it is said once that the witness does not cosign."""
    async with town(tmp_path) as witnesses, cosigned(tmp_path, witnesses, 2) as (log, publisher):
        witnesses.instead["one"] = answer
        for version in range(3):
            log.append([batch(1, version)])
            found = await publisher.wait_witnessed(version)
            assert cosigners(found.note, policy(2)) == {"two", "three"}
    told = [record.getMessage() for record in caplog.records if "one.example" in record.getMessage()]
    assert len(told) == 1
    assert told[0].startswith("The witness one.example/w does not cosign: ")
