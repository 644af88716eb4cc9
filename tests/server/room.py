# SPDX-License-Identifier: Apache-2.0
"""Tables over a real store and writer, with a clock turned by hand and players that sign for themselves, no network.

Whatever is drawn comes from a seed, so two rooms of one seed do the same, byte for byte, as long as they are asked
the same. At the end of a test `audit` has every log of the room judged by the verifier.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hokm.deal import commitment
from hokm.entry import sign_move
from hokm.errors import HokmError
from hokm.events import (
    Act,
    Anchor,
    Commit,
    Event,
    Join,
    Move,
    NameTrump,
    Play,
    Reveal,
    SeatKind,
    SignedMove,
)
from hokm.rules import TableRules
from hokm.signing import SigningKey
from hokm.table import Ceremony, Over, Round, Table, evolve, may_play, opened, stand_in_wanted, to_act
from hokm.v1 import tables_service_pb2 as pb
from hokm.verify import Report, verify
from hokm.wire import write_move
from hokm_server import rotation
from hokm_server.auth import Viewer
from hokm_server.check import check
from hokm_server.draft import NOTHING_BESIDE, Beside
from hokm_server.errors import DatabaseFull
from hokm_server.feed import Outbox
from hokm_server.live import LiveTable, Made
from hokm_server.log import Log
from hokm_server.sealing import SealKey
from hokm_server.serving import log_manifests
from hokm_server.signets import signets_of
from hokm_server.store import Batch, Outcome, SealName, Store
from hokm_server.tables import Tables
from hokm_server.writer import Writer
from tests.audit import audit_table, events_of, proof_so_far
from tests.server.manual_clock import ManualClock
from tests.server.room_witnesses import RoomWitnesses
from tests.simulation.stories import waiting

ORIGIN = "example.org/room"
PERSON, BOT = SeatKind.PERSON, SeatKind.BOT
PERSONS = (PERSON,) * 4
TWO_AND_BOTS = (PERSON, BOT, PERSON, BOT)
BOTS = (BOT,) * 4

SHORT = TableRules(target=3)


class Seated:
    """A key in a seat, with its numbers, and how its owner has signed in."""

    def __init__(self, seat: int, kind: SeatKind, key: SigningKey, viewer: Viewer) -> None:
        self.seat = seat
        self.kind = kind
        self.key = key
        self.viewer = viewer
        self.moves = 0
        self.numbers: dict[bytes, bytes] = {}


class Room:
    """One server's tables; `restart` is what a crash and a new start leave."""

    def __init__(self, folder: Path, seed: int = 1, *, witnessed: bool = False) -> None:
        """`witnessed`: the policy of the house has witnesses and a quorum of them."""
        self.folder = folder
        self.clock = ManualClock()
        self.rng = random.Random(seed)
        self.keys = rotation.create(folder / "keys", ORIGIN, self.clock.ms, entropy=self.octets)
        self.witnesses = RoomWitnesses(self.new_key, self.clock.now_ms) if witnessed else None
        if self.witnesses is not None:
            public = self.keys.public
            public = replace(public, policy=self.witnesses.within(public.policy))
            self.keys = replace(self.keys, public=public)
        self.operator = Viewer(self.keys.operator.public, True)
        self.by_key: dict[bytes, Seated] = {}
        """Everybody who has ever sat down, and every stand-in."""
        self.opened: list[bytes] = []
        self.appended: list[Batch] = []
        """What has become durable since the start, in order."""
        self.disk_full = False
        self.start()

    def start(self) -> None:
        """Build every part."""
        self.store = Store(self.folder / "hokm.sqlite", ORIGIN)
        keys = self.keys
        former, policy = keys.public.log_keys, keys.policy
        self.log = Log(self.store, self.folder / "head", ORIGIN, *keys.log_keys, former=former, policy=policy)
        log_manifests(self.store, self.log, keys, self.folder)
        self.writer = Writer(self._append, asyncio.get_running_loop())
        self.tables = Tables(
            store=self.store,
            writer=self.writer,
            clock=self.clock,
            entropy=self.octets,
            signets=signets_of(keys),
            seal_key=SealKey(keys.seal, entropy=self.octets),
            anchor=self._anchor,
            witnesses=None if self.witnesses is None else self.witnesses.of(self.log),
        )
        self.tables.start()

    def _append(self, batches: Sequence[Batch]) -> list[Outcome]:
        if self.disk_full:
            raise DatabaseFull(str(self.store.path), "the test says so")
        outcomes = self.log.append(batches)
        self.appended += batches
        return outcomes

    def _anchor(self) -> Anchor:
        checkpoint = self.log.anchor
        return Anchor(checkpoint.size, checkpoint.root)

    def octets(self, count: int = 32) -> bytes:
        """What is drawn in this room."""
        return self.rng.randbytes(count)

    def new_key(self) -> SigningKey:
        """A key drawn in this room."""
        return SigningKey(self.octets())

    async def stop(self) -> None:
        """Take every part down."""
        self.tables.stop()
        await self.writer.close()
        self.store.close()

    async def restart(self, down_ms: int = 0) -> None:
        """Stop and start again from the disk, after so much time."""
        await self.stop()
        self.clock.alarms.clear()
        self.clock.ms += down_ms
        self.start()
        await self.settle()

    def start_without(self, table_id: bytes, name: SealName) -> None:
        """Start from a disk on which one sealed box is gone."""
        store = Store(self.folder / "hokm.sqlite", ORIGIN)
        store.append([Batch(table_id, 0, (), unseal=[name])])
        store.close()
        self.clock.alarms.clear()
        self.start()

    async def crash(self, down_ms: int = 0) -> None:
        """Start again from the disk; what waits for the writer is lost and answered by nobody."""
        self.lose_writes()
        await self.restart(down_ms)

    def lose_writes(self) -> None:
        """From now on nothing reaches the disk, and nobody is told."""
        self.writer.submit = lambda batch, done: None  # type: ignore[method-assign]

    async def crash_with(self, table_id: bytes, player: Seated, act: Act, beside: Beside) -> SignedMove:
        """The same while this move is on its way: nobody answers it, and it has changed nothing. What was sent."""
        before = self.table(table_id), self.entries(table_id), self.store.sealed(table_id)
        signed, answers = self.signed(table_id, player, act), list[object]()
        self.lose_writes()
        self.tables.act(player.viewer, table_id, signed, beside, answers.append)
        await asyncio.sleep(0)
        await self.restart()
        assert answers == []
        assert (self.table(table_id), self.entries(table_id), self.store.sealed(table_id)) == before
        return signed

    async def settle(self) -> None:
        """Wait until nothing is on its way to the disk, or from witnesses."""
        while True:
            if sought := self._sought():
                await asyncio.wait(sought, timeout=10)
            written: asyncio.Future[object] = asyncio.get_running_loop().create_future()
            self.writer.submit(Batch(bytes([1]) * 16, 0, ()), written.set_result)
            await asyncio.wait_for(written, 10)
            if not self._sought() and not any(live.writing for live in self.tables._live.values()):
                return

    async def turn(self, ms: int) -> None:
        """Let time pass; whatever alarms bring becomes durable before the next one rings."""
        end = self.clock.ms + ms
        await self.settle()
        while due := [alarm.ms for alarm in self.clock.alarms if alarm.ms <= end]:
            self.clock.turn(max(0, min(due) - self.clock.ms))
            await self.settle()
        self.clock.turn(end - self.clock.ms)
        await self.settle()

    # What callers do.

    async def open(self, rules: TableRules = SHORT, bots: Sequence[int] = ()) -> bytes:
        """A new table's id."""
        ids: list[bytes] = []
        await self.ask(lambda answer: ids.append(self.tables.open(self.operator, rules, bots, answer)))
        self.opened += ids
        return ids[0]

    async def ask(self, call: Callable[[Callable[[Any], None]], object]) -> Any:
        """What was answered; a HokmError is raised."""
        future: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        call(future.set_result)
        outcome = await asyncio.wait_for(future, 10)
        if isinstance(outcome, HokmError):
            raise outcome
        return outcome

    def table(self, table_id: bytes) -> Table:
        """The table as everybody sees it."""
        return self.tables.table(table_id)

    def live(self, table_id: bytes) -> LiveTable:
        """The table as the server has it in memory."""
        return self.tables._live[table_id]

    def signed(self, table_id: bytes, player: Seated, act: Act, **head: object) -> SignedMove:
        """A move as an honest client signs it, but for what `head` changes; `key` signs."""
        table = self.table(table_id)
        key = head.pop("key", player.key)
        assert isinstance(key, SigningKey)
        fields: dict[str, object] = {
            "game_id": bytes(32) if isinstance(act, Join) else table.game_id,
            "round": table.round,
            "attempt": table.attempt,
            "seat": player.seat,
            "number": player.moves,
            "seen_version": table.version,
            "seen_hash": self.tables.leaf(table_id),
            "protest": None,
            "act": act,
        }
        move = Move(**{**fields, **head})  # type: ignore[arg-type]
        body = write_move(move)
        return SignedMove(move, body, sign_move(body, key))

    async def act(
        self, table_id: bytes, player: Seated, act: Act, beside: Beside = NOTHING_BESIDE, **head: object
    ) -> Made:
        """Do it, and count it."""
        made = await self.send(table_id, player, self.signed(table_id, player, act, **head), beside)
        player.moves += 1
        return made

    async def send(
        self,
        table_id: bytes,
        player: Seated,
        signed: SignedMove,
        beside: Beside = NOTHING_BESIDE,
        viewer: Viewer | None = None,
    ) -> Made:
        """Send signed bytes, as the player or as somebody else."""
        made = await self.ask(self.sending(table_id, player, signed, beside, viewer))
        assert isinstance(made, Made)
        return made

    def sending(
        self,
        table_id: bytes,
        player: Seated,
        signed: SignedMove,
        beside: Beside = NOTHING_BESIDE,
        viewer: Viewer | None = None,
    ) -> Callable[[Callable[[Made | HokmError], None]], None]:
        """The call that sends signed bytes, for `ask`."""
        return lambda answer: self.tables.act(viewer or player.viewer, table_id, signed, beside, answer)

    def somebody(self, seat: int, kind: SeatKind = PERSON) -> Seated:
        """A new key for a seat, known to the room."""
        key = self.new_key()
        viewer = Viewer(key.public, False, f"home of {key.public.hex()}") if kind is PERSON else self.operator
        player = self.by_key[key.public] = Seated(seat, kind, key, viewer)
        return player

    async def join(self, table_id: bytes, player: Seated) -> Made:
        """Sit down."""
        return await self.act(table_id, player, Join(player.kind, player.key.public, self.octets()))

    async def sit(self, table_id: bytes, kinds: Sequence[SeatKind] = PERSONS) -> list[Seated]:
        """Four players at a table, which starts it."""
        seated = [self.somebody(seat, kind) for seat, kind in enumerate(kinds)]
        for player in seated:
            await self.join(table_id, player)
        return seated

    async def seat_four(
        self, rules: TableRules = SHORT, kinds: Sequence[SeatKind] = PERSONS
    ) -> tuple[bytes, list[Seated]]:
        """A table that has started."""
        table_id = await self.open(rules)
        return table_id, await self.sit(table_id, kinds)

    async def stand_in(self, table_id: bytes, seat: int) -> Seated:
        """A stand-in takes a seat where one is wanted."""
        player = self.somebody(seat, BOT)
        await self.join(table_id, player)
        return player

    def holder(self, table_id: bytes, seat: int) -> Seated:
        """Who decides for that seat now."""
        return self.by_key[self.table(table_id).places[seat].holder.public_key]

    async def step(self, table_id: bytes) -> None:
        """The next decision of the table, made as an honest player makes it, or a stand-in where one is due."""
        if waiting(self.table(table_id)):
            await self.seen()
            return
        wanted = stand_in_wanted(self.table(table_id))
        if wanted is not None:
            await self.stand_in(table_id, wanted[0])
            return
        await self.decide(table_id, to_act(self.table(table_id))[0][0])

    async def decide(self, table_id: bytes, seat: int) -> Made:
        """What is open for that seat, decided as an honest player does."""
        act, beside = self.decision(table_id, seat)
        return await self.act(table_id, self.holder(table_id, seat), act, beside)

    def decision(self, table_id: bytes, seat: int) -> tuple[Act, Beside]:
        """What an honest player decides there, and what comes beside it."""
        player, stage = self.holder(table_id, seat), self.table(table_id).stage
        match stage:
            case Ceremony(commit_set=None):
                return Commit(self.commitment(player, stage.ctx)), NOTHING_BESIDE
            case Ceremony(commit_set=bytes(commit_set)):
                return Reveal(stage.ctx, commit_set), Beside(player.numbers[stage.ctx])
            case Round(trump=None):
                return NameTrump(self.rng.randrange(4)), NOTHING_BESIDE
            case Round():
                return Play(self.some_card(table_id)), NOTHING_BESIDE
            case _:
                raise AssertionError(stage)

    def commitment(self, player: Seated, ctx: bytes) -> bytes:
        """To the player's number, drawn once."""
        if ctx not in player.numbers:
            player.numbers[ctx] = self.octets()
        return commitment(ctx, player.seat, player.key.public, player.numbers[ctx])

    def legal(self, table_id: bytes) -> list[int]:
        """The cards that the seat in turn may play."""
        live = self.live(table_id)
        stage = live.there.stage
        assert isinstance(stage, Round)
        hand = live.secrets.hands.dealt[stage.turn]
        assert hand is not None
        legal = may_play(stage, hand)
        return [card for card in range(52) if legal >> card & 1]

    def some_card(self, table_id: bytes) -> int:
        """A card that the seat in turn may play."""
        return self.rng.choice(self.legal(table_id))

    async def play(self, table_id: bytes, until: Callable[[Table], bool]) -> Table:
        """Honest steps until the table is there."""
        while not until(table := self.table(table_id)):
            assert not isinstance(table.stage, Over), table.stage
            await self.step(table_id)
        return table

    async def finish(self, table_id: bytes) -> Table:
        """Honest steps to the end."""
        return await self.play(table_id, is_over)

    def watch(
        self, table_id: bytes, viewer: Viewer, seats: Sequence[int] = (), after: int | None = None, most: int = 1 << 20
    ) -> Outbox:
        """A stream that watches one table."""
        outbox = Outbox(most)
        self.tables.watch(viewer, outbox, table_id, after, seats)
        return outbox

    async def seen(self) -> None:
        """The witnesses come, and see all that waits for them."""
        assert self.witnesses is not None
        self.witnesses.there.set()
        await self.settle()

    def _sought(self) -> list[asyncio.Task[None]]:
        return [] if self.witnesses is None else self.witnesses.sought_by(self.tables)

    # What the log holds.

    def entries(self, table_id: bytes) -> list[bytes]:
        """All entries of a stream, from the disk."""
        return self.store.entries_of(table_id, 0, 100_000)

    def events(self, table_id: bytes) -> list[Event]:
        """What they say."""
        return events_of(self.store, table_id)

    def kinds(self, table_id: bytes) -> list[str]:
        """The name of each act or ruling in the log, in order."""
        return [
            type(event.content.move.act if isinstance(event.content, SignedMove) else event.content).__name__
            for event in self.events(table_id)
        ]

    def last(self, table_id: bytes) -> object:
        """The content of the last entry."""
        return self.events(table_id)[-1].content

    def folded(self, table_id: bytes) -> Table:
        """The table as its entries give it."""
        first, *rest = self.events(table_id)
        table = opened(self.table(table_id).house, first)
        for event in rest:
            table = evolve(table, event)
        return table

    async def audit(self) -> None:
        """Have the verifier judge every log of the room, and hold what is in memory against it."""
        for table_id in self.opened:
            await self.audit_table(table_id)
        assert check(self.store, self.folder / "head", self.keys.public).faults == []

    async def audit_table(self, table_id: bytes) -> Report:
        """One table: the whole stream, and each round that is closed."""
        await self.settle()
        assert self.folded(table_id) == self.table(table_id)
        self.publish()
        return audit_table(self.store, self.log, self.keys.public, table_id)

    def publish(self) -> None:
        """All that is durable, before the witnesses where there are any."""
        if self.witnesses is None:
            self.log.publish()
        else:
            self.witnesses.cosign(self.log)

    async def judge(self, table_id: bytes) -> Report:
        """What the verifier says of the whole stream."""
        await self.settle()
        self.publish()
        return verify(proof_so_far(self.store, self.log, self.keys.public, table_id), self.keys.policy)


def is_over(table: Table) -> bool:
    """The stream has ended."""
    return isinstance(table.stage, Over)


def dealt(table: Table) -> bool:
    """Trumps are to be named."""
    return isinstance(table.stage, Round) and table.stage.trump is None


def playing(table: Table) -> bool:
    """Cards are played."""
    return isinstance(table.stage, Round) and table.stage.trump is not None


def committing(table: Table) -> bool:
    """Commitments are wanted."""
    return isinstance(table.stage, Ceremony) and table.stage.commit_set is None


def revealing(table: Table) -> bool:
    """Numbers are wanted."""
    return isinstance(table.stage, Ceremony) and table.stage.commit_set is not None


def in_turn(table: Table) -> int:
    """The seat whose card or trumps are waited for."""
    assert isinstance(table.stage, Round)
    return table.stage.turn


async def updates(outbox: Outbox) -> list[pb.TableUpdate]:
    """What waits in an outbox, and what was missed before."""
    return list(pb.PlayResponse.FromString(await all_of(outbox)).updates)


async def all_of(outbox: Outbox) -> bytes:
    """The same as bytes."""
    chunks = b""
    while not outbox.is_empty:
        chunk = await outbox.take()
        assert chunk is not None
        chunks += chunk
    return chunks
