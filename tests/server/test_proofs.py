# SPDX-License-Identifier: Apache-2.0
"""Proof files made on demand: they wait for the log to be published, not for ever, and take the work in turns."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import grpc
import pytest

from hokm.checkpoint import cosign, verify_cosignatures
from hokm.errors import NotPublished, NotWitnessed
from hokm.note import Note
from hokm.policy import Policy, Witness
from hokm.proof import Proof, ProofKind
from hokm.signing import SignatureType, SigningKey, VKey
from hokm.table import Over
from hokm.v1 import log_service_pb2 as pb
from hokm_server.log import Log, Published
from hokm_server.proofs import WAITED_FOR, Kept, Name, Proofs, Span
from hokm_server.publisher import Publisher
from hokm_server.shares import Caller
from hokm_server.store import Batch, Store
from tests.server.callers import Visit, stranger, told_by, visiting
from tests.simulation.game import Game
from tests.simulation.house import TestHouse

SOMEBODY = Caller("somebody", "here")


class Place(NamedTuple):
    """A log with one finished game in it that is not published yet."""

    game: Game
    log: Log
    publisher: Publisher
    proofs: Proofs


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    """The game is of the simulated house: only its anchors are not of this log, and there are none before the draw."""
    game = Game(TestHouse(cosigners=0, threshold=0))
    while not isinstance(game.table.stage, Over):
        game.time_out()
    store = Store(tmp_path / "log.db", game.house.origin)
    log = Log(store, tmp_path / "head", game.house.origin, SigningKey(b"l" * 32))
    log.append([Batch(game.id, 0, game.entries)])
    publisher = Publisher(log, seconds=0.01)
    yield Place(game, log, publisher, Proofs(store, log, publisher, seconds=0.2))
    store.close()


async def test_a_proof_has_the_log_published(place: Place) -> None:
    """Whoever asks first brings the checkpoint about."""
    running = asyncio.create_task(place.publisher.run())
    try:
        proof = Proof.parse(await place.proofs.game(SOMEBODY, place.game.id))
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
    assert (proof.kind, proof.entries) == (ProofKind.GAME, tuple(place.game.entries))
    assert [item.version for item in proof.inclusion] == [len(place.game.entries) - 1]
    assert proof.checkpoint.encode() == place.log.published.note


async def test_a_log_that_is_not_published_is_not_waited_for_for_ever(place: Place) -> None:
    """The caller is told to ask again."""
    with pytest.raises(NotPublished):
        await place.proofs.game(SOMEBODY, place.game.id)


async def test_where_witnesses_are_wanted_a_proof_waits_for_them(place: Place, tmp_path: Path) -> None:
    """Then it is over the checkpoint that they have cosigned, also when there is a later one."""
    key = SigningKey(b"w" * 32)
    vkey = VKey("witness.example", SignatureType.COSIGNATURE, key.public)
    policy = Policy((), (), (Witness("one", vkey),), (), "one")
    (tmp_path / "witnessed").mkdir()
    with contextlib.closing(Store(tmp_path / "witnessed/log.db", place.game.house.origin)) as store:
        log = Log(store, tmp_path / "witnessed/head", place.game.house.origin, SigningKey(b"l" * 32), policy=policy)
        log.append([Batch(place.game.id, 0, place.game.entries)])
        proofs = Proofs(store, log, Publisher(log), seconds=0.05)
        checkpoint = log.publish().checkpoint
        with pytest.raises(NotWitnessed):
            await proofs.game(SOMEBODY, place.game.id)
        log.cosign(checkpoint, vkey, cosign(checkpoint, vkey.name, key, 1))
        log.append([Batch(bytes(15) + b"\1", 0, Game(TestHouse(cosigners=0, threshold=0)).entries)])
        log.publish()
        proof = Proof.parse(await proofs.game(SOMEBODY, place.game.id))
    assert policy.is_met_by(one.witness for one in verify_cosignatures(Note.parse(proof.checkpoint.encode()), [vkey]))


async def test_many_who_ask_at_once_are_all_answered(place: Place) -> None:
    """Each with the same bytes; and so is who asks later, when there is another checkpoint."""
    place.log.publish()
    files = await asyncio.gather(*(place.proofs.game(SOMEBODY, place.game.id) for _ in range(9)))
    other = Game(TestHouse(cosigners=0, threshold=0))
    place.log.append([Batch(bytes(15) + b"\1", 0, other.entries)])
    place.log.publish()
    files.append(await place.proofs.game(SOMEBODY, place.game.id))
    assert len(set(files)) == 1


def test_files_are_kept_as_long_as_there_is_room() -> None:
    """Those that nobody has asked for go first."""
    kept = Kept(30)
    first, second, third, fourth = (Name(b"table", number, 0) for number in range(4))
    for name in (first, second, third):
        kept.put(name, bytes(10))
    assert kept.get(first) == bytes(10)
    kept.put(fourth, bytes(15))
    assert [kept.get(name) is not None for name in (first, second, third, fourth)] == [True, False, False, True]
    kept.put(fourth, bytes(31))
    assert kept.get(fourth) is None
    assert kept._bytes == 0


# Over a real socket.


async def test_whoever_asks_for_many_proofs_waits_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many at a time, and with each that is made for it somebody else has had one, who asked later."""
    may_work, makes = threading.Event(), Proofs._make
    working: list[Proofs] = []

    def make(proofs: Proofs, table_id: bytes, span: Span, published: Published) -> bytes:
        working.append(proofs)
        may_work.wait()
        return makes(proofs, table_id, span, published)

    monkeypatch.setattr(Proofs, "_make", make)
    monkeypatch.setattr(Kept, "get", lambda kept, name: None)
    came: list[str] = []

    async def ask(who: str, visit: Visit, table_id: bytes) -> None:
        async for _ in visit.log.GetGameProof(pb.GetGameProofRequest(table_id=table_id)):
            pass
        came.append(who)

    async with visiting(tmp_path) as visit, stranger(visit) as other:
        table_id = await visit.seat_four()
        await visit.play_game()
        asking = {asyncio.create_task(ask("greedy", visit, table_id)) for _ in range(WAITED_FOR + 1)}
        (refused,), asking = await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)
        asking.add(asyncio.create_task(ask("other", other, table_id)))
        while not working or len(working[0]._waited_for._by_holder) < 2:
            await asyncio.sleep(0)
        may_work.set()
        await asyncio.gather(*asking)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        refused.result()
    facts = {"most": str(WAITED_FOR)}
    assert told_by(caught.value) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_PROOFS", facts)
    assert came.index("other") < len(came) // 2
