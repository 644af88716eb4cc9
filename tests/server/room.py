# SPDX-License-Identifier: Apache-2.0
"""Tables over a real store and writer, with a clock turned by hand and players that sign for themselves, no network."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from hokm.deal import commitment
from hokm.entry import event_key_id, leaf, parse_entry, sign_move
from hokm.errors import HokmError
from hokm.events import Act, Anchor, Commit, Join, Move, NameTrump, Play, Reveal, SeatKind, SignedMove
from hokm.rules import TableRules
from hokm.signing import SigningKey
from hokm.table import NO_HANDS, Ceremony, House, Over, Round, Table, evolve, may_play, opened
from hokm.wire import read_event, write_move
from hokm_server.auth import Viewer
from hokm_server.draft import Signet
from hokm_server.feed import Outbox
from hokm_server.live import Made
from hokm_server.log import Log
from hokm_server.sealing import SealKey
from hokm_server.store import Store
from hokm_server.tables import Tables
from hokm_server.writer import Writer
from tests.server.manual_clock import ManualClock

ORIGIN = "example.org/room"


class Seated:
    """A key in a seat, with its numbers."""

    def __init__(self, seat: int, kind: SeatKind = SeatKind.PERSON) -> None:
        self.seat = seat
        self.kind = kind
        self.key = SigningKey(os.urandom(32))
        self.moves = 0
        self.numbers: dict[bytes, bytes] = {}
        self.viewer = Viewer(self.key.public, kind is SeatKind.BOT)


class Room:
    """One server's tables; `restart` is what a crash and a new start leave."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = ManualClock()
        self.event_key, self.log_key = SigningKey(os.urandom(32)), SigningKey(os.urandom(32))
        self.seal_key, self.secret = os.urandom(32), os.urandom(32)
        self.signet = Signet(
            House(ORIGIN, self.event_key.public),
            self.event_key,
            event_key_id(ORIGIN, self.event_key.public),
            self.secret,
        )
        self.seats: list[Seated] = []
        self.start()

    def start(self) -> None:
        """Build every part."""
        self.store = Store(self.folder / "hokm.sqlite", ORIGIN)
        self.log = Log(self.store, self.folder / "head", ORIGIN, self.log_key)
        self.writer = Writer(self.log.append, asyncio.get_running_loop())
        self.tables = Tables(
            store=self.store,
            writer=self.writer,
            clock=self.clock,
            entropy=os.urandom,
            signet=self.signet,
            seal_key=SealKey(self.seal_key),
            manifest_leaf=bytes(32),
            anchor=self._anchor,
        )
        self.tables.start()

    def _anchor(self) -> Anchor:
        checkpoint = self.log.published.checkpoint
        return Anchor(checkpoint.size, checkpoint.root)

    async def stop(self) -> None:
        """Take every part down."""
        self.tables.stop()
        await self.writer.close()
        self.store.close()

    async def restart(self) -> None:
        """Stop and start again from the disk."""
        await self.stop()
        self.start()

    # What callers do.

    async def open(self, rules: TableRules | None = None, bots: Sequence[int] = ()) -> bytes:
        """A new table's id."""
        return (await self.ask(lambda answer: self._open(rules or TableRules(), bots, answer)))[0]

    def _open(self, rules: TableRules, bots: Sequence[int], answer: Callable[[object], None]) -> None:
        ids = []
        ids.append(self.tables.open(rules, bots, lambda made: answer((ids[0], made))))

    async def ask(self, call: Callable[[Callable[[object], None]], None]) -> object:
        """What was answered; a HokmError is raised."""
        future = asyncio.get_running_loop().create_future()
        call(lambda outcome: future.done() or future.set_result(outcome))
        outcome = await asyncio.wait_for(future, 10)
        if isinstance(outcome, HokmError):
            raise outcome
        return outcome

    def signed(self, table_id: bytes, player: Seated, act: Act, **head: object) -> SignedMove:
        """A move as an honest client signs it, but for what `head` changes."""
        table = self.tables.table(table_id)
        fields = {
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
        return SignedMove(move, body, sign_move(body, player.key))

    async def act(self, table_id: bytes, player: Seated, act: Act, number: bytes = b"", **head: object) -> Made:
        """Do it, and count it."""
        signed = self.signed(table_id, player, act, **head)
        made = await self.send(table_id, player, signed, number)
        player.moves += 1
        return made

    async def send(self, table_id: bytes, player: Seated, signed: SignedMove, number: bytes = b"") -> Made:
        """Send signed bytes."""
        made = await self.ask(lambda answer: self.tables.act(player.viewer, table_id, signed, number, answer))
        assert isinstance(made, Made)
        return made

    async def sit(self, table_id: bytes, kinds: Sequence[SeatKind] = (SeatKind.PERSON,) * 4) -> list[Seated]:
        """Four players at a table, which starts it."""
        seated = [Seated(seat, kind) for seat, kind in enumerate(kinds)]
        for player in seated:
            await self.act(table_id, player, Join(player.kind, player.key.public, os.urandom(32)))
        return seated

    async def settle(self) -> None:
        """Wait until nothing is on its way to the disk."""
        await self.ask(lambda answer: self.writer.submit(_nothing(), answer))

    async def step(self, table_id: bytes, players: Sequence[Seated]) -> None:
        """The next decision of the table, made as an honest player makes it."""
        stage = self.tables.table(table_id).stage
        match stage:
            case Ceremony(commit_set=None):
                player = players[stage.missing[0]]
                await self.commit(table_id, player, stage.ctx)
            case Ceremony():
                player = players[stage.missing[0]]
                assert stage.commit_set is not None
                number = player.numbers[stage.ctx]
                await self.act(table_id, player, Reveal(stage.ctx, stage.commit_set), number)
            case Round(trump=None):
                await self.act(table_id, players[stage.turn], NameTrump(0))
            case Round():
                await self.act(table_id, players[stage.turn], Play(self.some_card(table_id)))
            case _:
                raise AssertionError(stage)

    async def commit(self, table_id: bytes, player: Seated, ctx: bytes) -> Made:
        """Commit to a fresh number."""
        number = player.numbers.setdefault(ctx, os.urandom(32))
        return await self.act(table_id, player, Commit(commitment(ctx, player.seat, player.key.public, number)))

    def some_card(self, table_id: bytes) -> int:
        """A card that the seat in turn may play."""
        live = self.tables._live[table_id]
        stage = live.there.stage
        assert isinstance(stage, Round)
        hand = live.secrets.hands.dealt[stage.turn]
        assert hand is not None
        legal = may_play(stage, hand)
        return (legal & -legal).bit_length() - 1

    async def play(self, table_id: bytes, players: Sequence[Seated], until: Callable[[Table], bool]) -> Table:
        """Honest steps until the table is there."""
        while not until(table := self.tables.table(table_id)):
            assert not isinstance(table.stage, Over)
            await self.step(table_id, players)
        return table

    # What the log holds.

    def entries(self, table_id: bytes) -> list[bytes]:
        """All entries of a stream, from the disk."""
        return self.store.entries_of(table_id, 0, 100_000)

    def kinds(self, table_id: bytes) -> list[str]:
        """The name of each act or ruling in the log, in order."""
        names = []
        for entry in self.entries(table_id):
            content = read_event(parse_entry(entry).body).content
            names.append(type(content.move.act if isinstance(content, SignedMove) else content).__name__)
        return names

    def folded(self, table_id: bytes) -> Table:
        """The table as its entries give it, each link of the chain looked at."""
        table: Table | None = None
        previous = bytes(32)
        for entry in self.entries(table_id):
            event = read_event(parse_entry(entry).body)
            assert event.previous == previous
            previous = leaf(entry)
            table = opened(self.signet.house, event) if table is None else evolve(table, event)
        assert table is not None
        return table


def _nothing() -> object:
    from hokm_server.store import Batch

    return Batch(bytes([1]) * 16, 0, ())


__all__ = ["NO_HANDS", "Outbox", "Room", "Seated"]
