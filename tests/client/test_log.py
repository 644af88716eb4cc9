# SPDX-License-Identifier: Apache-2.0
"""A server whose log lies, met over real sockets while a game is played: it is caught with nothing asked of anybody."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hokm.checkpoint import Checkpoint, sign_checkpoint
from hokm.entry import parse_entry
from hokm.events import GameEnded, NameTrump, Play, ProtestOnly, ProtestReason, SignedMove
from hokm.note import Note
from hokm.proof import Proof
from hokm.rules import TableRules
from hokm.signing import SigningKey
from hokm.v1 import log_service_pb2
from hokm.verify import Verdict
from hokm.verify.codes import Code
from hokm.wire import read_event
from hokm_client.bot import random_legal
from hokm_client.checking import check_proof
from hokm_client.errors import Unreachable
from hokm_client.fraud import Fraud, FraudKind
from hokm_client.player import Player
from hokm_client.question import Question
from hokm_client.stream import Step
from tests.client.visits import Lies, guest, house, house_bots, liar

SHORT = TableRules(target=3)


def evidence_of(var: Path, name: str) -> list[dict[str, object]]:
    """All that a guest has saved."""
    return [json.loads(path.read_text()) for path in sorted((var / "guests" / name / "evidence").iterdir())]


def by_chance(seed: int = 1):  # type: ignore[no-untyped-def]
    """A player who plays any legal card."""
    chance = random.Random(seed)
    return lambda question: random_legal(question, chance)


# Nothing is asked.


async def test_a_game_is_over_when_its_last_entry_is_published(tmp_path: Path) -> None:
    """Then the checkpoint that holds it is kept, for the next run to go on from."""
    async with house(tmp_path) as found, house_bots(found.address, tmp_path), guest(found.address, tmp_path) as player:
        table_id = await player.open_table(SHORT, (1, 2, 3))
        sitting = await player.sit(table_id, 0, choose=by_chance())
        assert isinstance(await sitting.over, GameEnded)
        kept = player.keeping.checkpoint(player.connection.origin)
        assert kept is not None
        size = Checkpoint.parse(Note.parse(kept).text).size
        index, _ = await player.connection.inclusion(table_id, sitting.table.version, size)
        assert index < size


# Heads.


class Heads:
    """Checkpoints as they come, the first few of which are passed on as they are."""

    def __init__(self, key: SigningKey, honest: int, lie: Callable[[Checkpoint, Checkpoint], Checkpoint]) -> None:
        """`lie` is given the last honest one and the one that is now; `key` is the log's."""
        self._key = key
        self._left = honest
        self._lie = lie
        self._last: Checkpoint | None = None

    def __call__(self, answer: bytes) -> bytes:
        """The answer to GetCheckpoint."""
        message = log_service_pb2.GetCheckpointResponse.FromString(answer)
        now = Checkpoint.parse(Note.parse(message.checkpoint.encode()).text)
        if self._left:
            if self._last is None or now.size > self._last.size:
                self._left -= 1
                self._last = now
            return answer
        assert self._last is not None
        note = sign_checkpoint(self._lie(self._last, now), self._key)
        return log_service_pb2.GetCheckpointResponse(checkpoint=note.format().decode()).SerializeToString()


def another_root(last: Checkpoint, now: Checkpoint) -> Checkpoint:
    """Two roots for one size."""
    return Checkpoint(last.origin, last.size, bytes(32))


def another_past(last: Checkpoint, now: Checkpoint) -> Checkpoint:
    """A greater tree that does not begin with the one before."""
    return Checkpoint(last.origin, last.size + 1, bytes(32))


def a_shorter_log(last: Checkpoint, now: Checkpoint) -> Checkpoint:
    """A tree that has lost its last leaf."""
    return Checkpoint(last.origin, last.size - 1, last.root)


@pytest.mark.parametrize(
    ("lie", "kind", "proves"),
    [
        (another_root, FraudKind.TWO_HEADS, True),
        (another_past, FraudKind.TWO_HEADS, False),
        (a_shorter_log, FraudKind.BAD_CHECKPOINT, False),
    ],
)
async def test_two_heads_are_seen_at_the_end_of_a_round(
    tmp_path: Path, lie: Callable[[Checkpoint, Checkpoint], Checkpoint], kind: FraudKind, proves: bool
) -> None:
    """Nobody asks for it: the game is given up, and both heads are kept."""
    async with contextlib.AsyncExitStack() as stack:
        found = await stack.enter_async_context(house(tmp_path))
        await stack.enter_async_context(house_bots(found.address, tmp_path))
        heads = Lies(answered={"GetCheckpoint": Heads(found.keys.log, 2, lie)})
        address = await stack.enter_async_context(liar(found.address, heads))
        player = await stack.enter_async_context(guest(address, tmp_path, "ali"))
        table_id = await player.open_table(TableRules(target=7), (1, 2, 3))
        sitting = await player.sit(table_id, 0, choose=by_chance())
        with pytest.raises(Fraud) as caught:
            await sitting.over
        assert (caught.value.kind, caught.value.proves) == (kind, proves)
        with pytest.raises(Fraud):
            await player.proof(table_id, 1)
    (evidence,) = evidence_of(tmp_path, "ali")
    assert evidence["kind"] == kind
    assert isinstance(evidence["exhibits"], dict)
    assert evidence["exhibits"].keys() == {"checkpoint", "other"}


async def test_two_heads_are_protested_and_no_table_is_believed(tmp_path: Path) -> None:
    """Before a proof is fetched the log is looked at; all tables are in it, and nothing else is signed."""
    thinking: asyncio.Queue[None] = asyncio.Queue()

    async def think(question: Question) -> NameTrump | Play:
        thinking.put_nowait(None)
        never: asyncio.Future[NameTrump | Play] = asyncio.get_running_loop().create_future()
        return await never

    async with contextlib.AsyncExitStack() as stack:
        found = await stack.enter_async_context(house(tmp_path))
        await stack.enter_async_context(house_bots(found.address, tmp_path))
        heads = Lies(answered={"GetCheckpoint": Heads(found.keys.log, 1, another_root)})
        address = await stack.enter_async_context(liar(found.address, heads))
        player = await stack.enter_async_context(guest(address, tmp_path))
        table_id, other = [await player.open_table(SHORT, (1, 2, 3)) for _ in range(2)]
        sitting = await player.sit(table_id, 0, choose=think)
        watched = await player.watch(other, lambda _: None)
        await thinking.get()
        await player.check_log()
        with pytest.raises(Fraud):
            await player.proof(table_id, 1)
        with pytest.raises(Fraud):
            await sitting.over
        assert await last_word(player, table_id) is ProtestReason.BAD_CHAIN
        assert watched.desk.fraud is not None


async def last_word(player: Player, table_id: bytes) -> ProtestReason | None:
    """What the last move of a player protests, once it is a protest and nothing else."""
    while True:
        moves = [move for move in map(_signed, await player.connection.entries(table_id, 0)) if move is not None]
        own = [signed.move for signed in moves if signed.move.seat == 0]
        if isinstance(own[-1].act, ProtestOnly):
            return own[-1].protest.reason if own[-1].protest else None


def _signed(entry: bytes) -> SignedMove | None:
    content = read_event(parse_entry(entry).body).content
    return content if isinstance(content, SignedMove) else None


async def test_a_head_of_an_earlier_run_is_remembered(tmp_path: Path) -> None:
    """A log that was cut while nobody looked is caught when the player comes back."""
    async with house(tmp_path) as found:
        async with guest(found.address, tmp_path, "ali") as player:
            await player.open_table(SHORT)
            await found.publisher.wait_published(1)
            await player.check_log()
        heads = Lies(answered={"GetCheckpoint": Heads(found.keys.log, 1, a_shorter_log)})
        async with liar(found.address, heads) as address, guest(address, tmp_path, "ali") as player:
            await player.check_log()
            with pytest.raises(Fraud) as caught:
                await player.check_log()
    assert caught.value.kind is FraudKind.BAD_CHECKPOINT


# Proofs.


@pytest.mark.parametrize("lie", [another_root, a_shorter_log, another_past])
async def test_a_proof_of_another_tree(tmp_path: Path, lie: Callable[[Checkpoint, Checkpoint], Checkpoint]) -> None:
    """The checkpoint in a proof is held against the last one that was seen, be it older or newer."""

    async with contextlib.AsyncExitStack() as stack:
        found = await stack.enter_async_context(house(tmp_path))
        await stack.enter_async_context(house_bots(found.address, tmp_path))

        def of_another_tree(answer: bytes) -> bytes:
            message = log_service_pb2.GetGameProofResponse.FromString(answer)
            proof = Proof.parse(message.piece)
            now = Checkpoint.parse(Note.parse(proof.checkpoint.encode()).text)
            note = sign_checkpoint(replace(lie(now, now), root=bytes(32)), found.keys.log).format().decode()
            message.piece = replace(proof, checkpoint=note).format()
            return message.SerializeToString()

        lies = Lies(answered={"GetGameProof": of_another_tree})
        address = await stack.enter_async_context(liar(found.address, lies))
        player = await stack.enter_async_context(guest(address, tmp_path, "ali"))
        table_id = await player.open_table(SHORT, (1, 2, 3))
        sitting = await player.sit(table_id, 0, choose=by_chance())
        await sitting.over
        with pytest.raises(Fraud) as caught:
            await player.proof(table_id)
    assert caught.value.kind is FraudKind.TWO_HEADS
    assert [evidence["kind"] for evidence in evidence_of(tmp_path, "ali")] == [FraudKind.TWO_HEADS]


@pytest.mark.parametrize("number", [None, 1])
async def test_a_proof_of_another_history_than_the_one_that_was_seen(tmp_path: Path, number: int | None) -> None:
    """The player's own head goes into the verification; here the house and its proof agree, and it saw another game."""
    steps: list[Step] = []
    async with house(tmp_path) as found, house_bots(found.address, tmp_path), guest(found.address, tmp_path) as player:
        table_id = await player.open_table(SHORT, (1, 2, 3))
        sitting = await player.sit(table_id, 0, choose=by_chance(), watch=steps.append)
        await sitting.over
        assert (await player.verify(table_id, number)).verdict is Verdict.WITH_WARNINGS
        for step in steps:
            player._witnessed.see(step._replace(leaf=bytes(32)))
        report = await player.verify(table_id, number)
        checked = await check_proof(player, table_id, number, tmp_path / "proofs", tmp_path / "policy")
    assert report.fault is not None
    assert report.fault.code == Code.OTHER_HEAD.name
    assert checked.verdict == Verdict.REJECTED


# Promises.


def of_another(request: bytes) -> bytes:
    """Ask for the entry of a table that there is not."""
    asked = log_service_pb2.GetInclusionProofRequest.FromString(request)
    asked.table_id = bytes(16)[:-1] + b"\1"
    return asked.SerializeToString()


def of_a_tree_to_come(request: bytes) -> bytes:
    """Ask by a size that was not published."""
    asked = log_service_pb2.GetInclusionProofRequest.FromString(request)
    asked.tree_size = 1 << 40
    return asked.SerializeToString()


def of_the_place_before(answer: bytes) -> bytes:
    """Show another place of the tree."""
    shown = log_service_pb2.GetInclusionProofResponse.FromString(answer)
    shown.index -= 1
    return shown.SerializeToString()


@pytest.mark.parametrize(
    "lies",
    [
        Lies(asked={"GetInclusionProof": of_another}),
        Lies(asked={"GetInclusionProof": of_a_tree_to_come}),
        Lies(answered={"GetInclusionProof": of_the_place_before}),
    ],
    ids=["UnknownEntry", "OutOfTree", "another place"],
)
async def test_a_promise_is_broken_whatever_is_said_instead(
    tmp_path: Path, lies: Lies, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that has signed an entry and says that there is no such entry is caught like one that says nothing."""
    monkeypatch.setattr("hokm_client.published.PROMISE_SECONDS", 0.5)
    async with (
        house(tmp_path) as found,
        liar(found.address, lies) as address,
        guest(address, tmp_path, "ali") as player,
    ):
        table_id = await player.open_table(SHORT)
        (entry,) = await player.connection.entries(table_id, 0)
        with pytest.raises(Fraud) as caught:
            await player.check_published(table_id, 0, entry)
    assert (caught.value.kind, caught.value.proves) == (FraudKind.BROKEN_PROMISE, False)
    assert [evidence["kind"] for evidence in evidence_of(tmp_path, "ali")] == [FraudKind.BROKEN_PROMISE]


async def test_a_last_entry_that_is_not_published_is_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The game was over, and the house denies its end: `over` says so, and the evidence holds the whole stream."""
    monkeypatch.setattr("hokm_client.published.PROMISE_SECONDS", 0.5)
    async with contextlib.AsyncExitStack() as stack:
        found = await stack.enter_async_context(house(tmp_path))
        await stack.enter_async_context(house_bots(found.address, tmp_path))
        address = await stack.enter_async_context(liar(found.address, Lies(asked={"GetInclusionProof": of_another})))
        player = await stack.enter_async_context(guest(address, tmp_path, "ali"))
        table_id = await player.open_table(SHORT, (1, 2, 3))
        sitting = await player.sit(table_id, 0, choose=by_chance())
        with pytest.raises(Fraud) as caught:
            await sitting.over
    assert caught.value.kind is FraudKind.BROKEN_PROMISE
    (evidence,) = evidence_of(tmp_path, "ali")
    assert evidence["table"] == table_id.hex()


async def test_a_server_that_is_away_has_broken_no_promise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is nothing to be told while it does not answer; that it is away is what is told in the end."""
    monkeypatch.setattr("hokm_client.published.PROMISE_SECONDS", 0.5)
    async with contextlib.AsyncExitStack() as stack:
        async with house(tmp_path) as found:
            player = await stack.enter_async_context(guest(found.address, tmp_path))
            table_id = await player.open_table(SHORT)
            (entry,) = await player.connection.entries(table_id, 0)
        with pytest.raises(Unreachable):
            await player.check_published(table_id, 0, entry)
