# SPDX-License-Identifier: Apache-2.0
"""A player: what any Python program sits down with.

    async with Player.connect("localhost:7465", identity=Path("me.key"), policy=Path("var/policy")) as player:
        table_id = await player.open_table(TableRules(target=3), bots=(1, 2, 3))
        sitting = await player.sit(table_id, seat=0, choose=choose)
        ending = await sitting.over

`choose` is given a `Question` and gives back a `NameTrump` or a `Play`, at once or as a coroutine. Everything else
happens by itself: joining, committing, revealing, checking every entry, every card and the log, coming back after the
way to the server broke or the server was started again. Where the server contradicts itself `over` raises `Fraud`, and
the evidence has been saved.

Nothing here waits for time to pass: a seat acts when something has come.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hokm.entry import parse_entry
from hokm.errors import BadProof, SeatNotFree
from hokm.events import SeatKind, TableOpened
from hokm.policy import Policy
from hokm.proof import Proof
from hokm.rules import SEATS, TableRules
from hokm.rules import Seat as SeatNumber
from hokm.signing import SigningKey
from hokm.table import first_free, is_free, seat_of
from hokm.v1 import tables_service_pb2 as pb
from hokm.wire import read_event
from hokm_client.connection import Connection
from hokm_client.desk import Desk
from hokm_client.errors import NoFreeSeat, StrangeAnswer
from hokm_client.fraud import Fraud, Scene, save_evidence
from hokm_client.identity import read_or_make_identity
from hokm_client.keeping import Keeping
from hokm_client.machine import THIS_MACHINE, Machine
from hokm_client.play_stream import PlayStream
from hokm_client.published import PublishedLog
from hokm_client.question import Question
from hokm_client.seat import Seat
from hokm_client.sitting import Besides, Choose, Sitting
from hokm_client.stream import Step, Stream
from hokm_client.tableside import Tableside
from hokm_client.trust import Manifests, read_policy
from hokm_client.witnessed import Head, Witnessed

if TYPE_CHECKING:
    from hokm.verify import Report

logger = logging.getLogger(__name__)


class Player:
    """A program that plays: one identity, one connection, any number of seats."""

    def __init__(
        self,
        connection: Connection,
        policy: Policy,
        keeping: Keeping,
        *,
        evidence: Path | None = None,
        checks_log: bool = True,
    ) -> None:
        """See `connect`, which makes one with everything that belongs to it."""
        self.connection = connection
        self.stream = PlayStream(connection, keeping.flush)
        self.keeping = keeping
        self.policy = policy
        self._evidence = evidence
        self._checks_log = checks_log
        self._manifests: Manifests | None = None
        self._log = PublishedLog(connection, policy, keeping, self._log_caught)
        self._witnessed = Witnessed()
        self._sides: dict[bytes, Tableside] = {}
        self._opening: dict[bytes, asyncio.Lock] = {}
        self._first: dict[bytes, bytes] = {}
        """The first entries of tables that were opened here, and at which nobody of ours has sat down yet."""

    @classmethod
    @asynccontextmanager
    async def connect(
        cls,
        address: str,
        *,
        identity: SigningKey | Path,
        policy: Policy | Path,
        state: Path | None = None,
        certificates: bytes | None = None,
        patient: bool = False,
        checks_log: bool = True,
        machine: Machine = THIS_MACHINE,
    ) -> AsyncIterator[Player]:
        """A player at the server of that address, signed in.

        `identity` is a key or its file, which is made where it is missing. `policy` says whom to trust. What must
        survive a crash is kept in the directory `state`, evidence too; without one nothing does. `certificates` in
        PEM turn TLS on, empty bytes for those of the system. `patient` waits for a server that does not answer yet.
        `checks_log`: what closes a round or a game is looked for in the published log, which must only grow; the
        house's own bots need not ask their own house. `machine` gives time and chance.
        """
        trusted = read_policy(policy) if isinstance(policy, Path) else policy  # before a key is made for nothing
        key = read_or_make_identity(identity, machine.entropy) if isinstance(identity, Path) else identity
        keeping = Keeping(state)
        connection = Connection(
            address,
            key,
            machine,
            certificates=certificates,
            is_trusted_origin=lambda origin: any(log.vkey.name == origin for log in trusted.logs),
        )
        evidence = None if state is None else state / "evidence"
        player = cls(connection, trusted, keeping, evidence=evidence, checks_log=checks_log)
        try:
            await (connection.sign_in_at_last() if patient else connection.token())
            yield player
        finally:
            for side in tuple(player._sides.values()):
                side.stop()
            await player.stream.close()
            await connection.close()
            keeping.close()

    @property
    def key(self) -> SigningKey:
        """The identity."""
        return self.connection.key

    # Tables.

    async def open_table(self, rules: TableRules, bots: Sequence[SeatNumber] = (), *, private: bool = False) -> bytes:
        """A new table with these rules; the house's bots are asked into those seats. Its id.

        A `private` one is in no list; `join_code` tells what others need to sit down. Raises `StrangeAnswer` where the
        table was opened by other rules than these.
        """
        opened = await self.connection.open_table(rules, bots, private=private)
        if _opening_of(opened.entry).rules != rules:
            raise StrangeAnswer("it has opened the table by other rules than those that were asked for")
        self._first[opened.table_id] = opened.entry
        return opened.table_id

    async def quick_seat(self, rules: TableRules) -> bytes:
        """The id of a table with exactly these rules that has a free seat, or of a new one; see `sit`.

        Raises `SeatedElsewhere`, and `StrangeAnswer` where it has other rules.
        """
        table_id = await self.connection.quick_seat(rules)
        first = self._first[table_id] = await self._first_entry(table_id)
        if _opening_of(first).rules != rules:
            raise StrangeAnswer("the table has other rules than those that were asked for")
        return table_id

    async def rematch(self, game: bytes) -> tuple[bytes, SeatNumber]:
        """The rematch of a game that this identity has played, and the seat which it had and has again; see `sit`.

        Raises `NotOfThatGame`, `NotOverYet`, and `StrangeAnswer` where the table is another one's rematch or has other
        rules.
        """
        before = await self.connection.table(game)
        seats = [seat for seat in SEATS if before.seats[seat].public_key == self.key.public]
        opened = await self.connection.rematch(game)
        opening, asked = _opening_of(opened.entry), _opening_of(await self._first_entry(game))
        if not seats or (opening.rematch_of, opening.rules) != (game, asked.rules):
            raise StrangeAnswer("the table is not the rematch that was asked for")
        self._first[opened.table_id] = opened.entry
        return opened.table_id, seats[0]

    async def join_code(self, table_id: bytes) -> str:
        """What others need to sit down at a private table, as the server tells who sits there or opened it."""
        return (await self.connection.table(table_id)).join_code

    async def sit(
        self,
        table_id: bytes,
        seat: SeatNumber | None = None,
        *,
        choose: Choose | None = None,
        watch: Callable[[Step], None] | None = None,
        kind: SeatKind = SeatKind.PERSON,
        key: SigningKey | None = None,
        delay: Callable[[Question], float] | None = None,
        stays: bool = True,
        besides: Besides | None = None,
        join_code: str = "",
    ) -> Sitting:
        """Take a seat, the first free one where none is named, or take up again the one that the key has.

        `watch` is told of every entry from the first on. `key` is another key than the identity: an operator's
        program gives each of its bots one. `join_code`: that of a private table which somebody else has opened.

        Raises what the Join is refused for, as are `SeatNotFree` where somebody else has the seat and `SeatedElsewhere`
        where the key has one at another table, and `NoFreeSeat` where none was named and all are taken.
        """
        key = key or self.key
        side = await self._tableside(table_id, watch)
        table = side.desk.stream.there
        taken = seat_of(table, key.public)
        number = taken if taken is not None else seat if seat is not None else first_free(table)
        if number is None:
            raise NoFreeSeat
        if taken is None and kind is SeatKind.PERSON and not is_free(table, number):
            raise SeatNotFree(number)
        mind = Seat(side.desk.stream, number, key, self.keeping, self.connection.machine.entropy)
        mind.join_code = join_code or side.desk.join_code
        sitting = side.sit(mind, choose, delay, stays, besides)
        if taken is None:
            try:
                await sitting.act(mind.join(kind))
            except BaseException:
                side.remove(sitting)
                raise
        side.attach()  # once more, now with the seat
        sitting.pump()
        return sitting

    async def throw(self, table_id: bytes, seat: SeatNumber, at: SeatNumber, thing: pb.Thing.ValueType) -> None:
        """Throw a thing from one's own seat at another (H5). Raises what it is refused for."""
        await self.connection.throw(table_id, seat, at, thing)

    async def watch(self, table_id: bytes, watch: Callable[[Step], None]) -> Tableside:
        """Follow a table without sitting at it: every entry is checked and told."""
        return await self._tableside(table_id, watch)

    async def _tableside(self, table_id: bytes, watch: Callable[[Step], None] | None) -> Tableside:
        async with self._opening.setdefault(table_id, asyncio.Lock()):
            side = self._sides.get(table_id)
            if side is None:
                side = await self._open_side(table_id, watch)
            elif watch is not None:
                side.desk.on_step.append(watch)
        await asyncio.shield(side.ready)
        return side

    async def _open_side(self, table_id: bytes, watch: Callable[[Step], None] | None) -> Tableside:
        first = self._first.get(table_id) or await self._first_entry(table_id)
        summary = await self.connection.table(table_id)
        desk = Desk(await self._stream(table_id, first))
        desk.ready_at(summary.version)
        desk.on_step.append(self._witnessed.see)
        desk.join_code = summary.join_code
        if watch is not None:
            desk.on_step.append(watch)
        side = Tableside(
            desk,
            self.stream,
            self.connection.machine.now_ms,
            save=self.save,
            forget=self.forget,
            learn=self._learn,
            check=self._log.check_published if self._checks_log else None,
        )
        self._sides[table_id] = side
        self._first.pop(table_id, None)
        side.attach()
        side.take(pb.TableUpdate(table_id=table_id, entries=[first]))
        return side

    async def _first_entry(self, table_id: bytes) -> bytes:
        for entry in await self.connection.entries(table_id, 0, 1):
            return entry
        raise StrangeAnswer("a table without a first entry")

    async def _stream(self, table_id: bytes, first: bytes) -> Stream:
        """A stream under the manifest that its first entry names."""
        content = _opening_of(first)
        manifests = self._manifests
        if manifests is None:
            manifests = self._manifests = Manifests(self.policy, self.connection.origin)
        found = manifests.of(content.manifest_leaf)
        if found is None:
            await self._learn_keys(manifests)
            found = manifests.of(content.manifest_leaf)
        if found is None:
            raise StrangeAnswer("the table names a key manifest that the root has not signed")
        return Stream(table_id, found, self.policy)

    async def _learn(self, stream: Stream) -> None:
        """Let a stream know of the manifests that there are now."""
        assert self._manifests is not None
        await self._learn_keys(self._manifests)
        stream.learn(self._manifests)

    async def _learn_keys(self, manifests: Manifests) -> None:
        keys = await self.connection.keys()
        manifests.learn(keys.manifests, keys.roots)

    async def proof(self, table_id: bytes, number: int | None = None) -> bytes:
        """The proof file of that round, or of the whole game where none is named. Not verified by being here.

        The log that it is from is checked first, and its checkpoint must be of the same tree; raises what `check_log`
        raises, and what the proof is refused for.
        """
        await self.check_log()
        if number is None:
            proof = await self.connection.game_proof(table_id)
        else:
            proof = await self.connection.round_proof(table_id, number)
        with contextlib.suppress(BadProof):  # whoever judges it will say so
            await self._log.hold((await asyncio.to_thread(Proof.parse, proof)).checkpoint.encode())
        return proof

    async def verify(self, table_id: bytes, number: int | None = None) -> Report:
        """Fetch the proof of that round, or of the whole game, and verify it by this player's own policy.

        It must tell what this player has seen.
        """
        from hokm.verify import Wishes, verify

        proof = await self.proof(table_id, number)
        return await asyncio.to_thread(
            verify, proof, self.policy, Wishes(mine=self.key.public, head=self.head(table_id, number))
        )

    def head(self, table_id: bytes, number: int | None = None) -> Head | None:
        """The last entry of that round, or of the game, that this player has seen itself: its version and its leaf.

        Of a game that was not followed in this run it is the one that the last signed move vouches for.
        """
        head = self._witnessed.head(table_id, number)
        if head is None and number is None:
            kept = self.keeping.last_move(table_id, self.key.public)
            return None if kept is None else (kept.seen_version, kept.seen_hash)
        return head

    def forget(self, side: Tableside) -> None:
        """A table of which nothing more comes."""
        table_id = side.desk.stream.id
        if self._sides.get(table_id) is side:
            del self._sides[table_id]
            self._opening.pop(table_id, None)
        self.stream.detach(table_id)

    # The log.

    async def check_log(self) -> int:
        """Hold the latest checkpoint against the last one that was seen; its size.

        Raises `Fraud`, the evidence saved: then nothing is signed any more at any table.
        """
        return await self._log.check()

    async def check_published(self, table_id: bytes, version: int, entry: bytes) -> None:
        """Wait until an entry is in the published log, which the house promised by signing it.

        By itself a player does so with what closes a round or a game. Raises `Fraud` where that promise is broken, the
        evidence saved.
        """
        try:
            await self._log.check_published(table_id, version, entry)
        except Fraud as fraud:
            if fraud is not self._log.fraud:
                self.save(fraud, None)
            raise

    def _log_caught(self, fraud: Fraud) -> None:
        """The log itself was caught, and all tables are in it."""
        self.save(fraud, None)
        for side in tuple(self._sides.values()):
            side.renounce(fraud)

    def save(self, fraud: Fraud, stream: Stream | None) -> None:
        """Save the evidence of a fraud, where this player keeps anything."""
        if self._evidence is None:
            logger.warning("%s", fraud)
            return
        known = self._manifests
        manifests, roots = ((), ()) if known is None else (known.entries, known.roots)
        table_id, entries = (bytes(16), []) if stream is None else (stream.id, stream.entries)
        try:
            scene = Scene(self.connection.origin, table_id, manifests, roots, entries)
            path = save_evidence(self._evidence, fraud, scene, self.connection.machine.now_ms())
        except OSError as error:
            logger.error("%s; the evidence could not be saved: %s", fraud, error)
        else:
            logger.warning("%s; evidence: %s", fraud, path)


def _opening_of(first: bytes) -> TableOpened:
    """What a table's first entry says. Raises `StrangeAnswer` where it opens none."""
    content = read_event(parse_entry(first).body).content
    if not isinstance(content, TableOpened):
        raise StrangeAnswer("a table that does not begin with TableOpened")
    return content
