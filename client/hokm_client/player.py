# SPDX-License-Identifier: Apache-2.0
"""A player: what any Python program sits down with.

    async with Player.connect("localhost:7465", identity=Path("me.key"), policy=Path("var/policy")) as player:
        table_id = await player.open_table(TableRules(target=3), bots=(1, 2, 3))
        sitting = await player.sit(table_id, seat=0, choose=choose)
        ending = await sitting.over

`choose` is given a `View` and gives back a `NameTrump` or a `Play`, at once or as a coroutine. Everything else happens
by itself: joining, committing, revealing, checking every entry and every card, coming back after the way to the server
broke or the server was started again. Where the server contradicts itself `over` raises `Fraud`, and the evidence has
been saved.

Nothing here waits for time to pass: a seat acts when something has come.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import secrets
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hokm.entry import leaf, parse_entry
from hokm.errors import Busy, Conflict, HokmError, NotPublished, Rule, SeatNotYours
from hokm.events import Act, GameEnded, Join, Leave, Return, SeatKind, ServerFault, SignedMove, StoodIn, TableOpened
from hokm.policy import Policy
from hokm.rules import Seat as SeatNumber
from hokm.rules import TableRules
from hokm.signing import SigningKey
from hokm.table import Over, Seating, Table
from hokm.v1 import tables_service_pb2 as pb
from hokm.wire import read_event
from hokm_client.connection import Connection, now_ms
from hokm_client.desk import Desk
from hokm_client.errors import SeatGone, StrangeAnswer, TakenOver
from hokm_client.fraud import Fraud, FraudKind, Scene, save_evidence
from hokm_client.identity import read_or_make_identity
from hokm_client.keeping import Keeping
from hokm_client.seat import Seat
from hokm_client.stream import Step, Stream
from hokm_client.trust import Heads, Manifests, read_policy
from hokm_client.view import View

if TYPE_CHECKING:
    from hokm.verify import Report

logger = logging.getLogger(__name__)

Choose = Callable[[View], "Act | Awaitable[Act]"]
"""What a player decides: `NameTrump` where the view says that it names trumps, else `Play`."""

BUSY_PAUSE: Final = 0.2
"""Seconds before a move is sent again that the server was too busy for."""

PROMISE_SECONDS: Final = 10.0
"""A signed entry is in the published log so soon."""


class Sitting:
    """One seat that this program plays."""

    def __init__(
        self,
        side: Tableside,
        seat: Seat,
        choose: Choose | None,
        *,
        delay: Callable[[View], float] | None = None,
        stays: bool = True,
    ) -> None:
        """`delay` gives the seconds before an answer; `stays`: a seat that is absent comes back by itself."""
        self._side = side
        self._choose = choose
        self._delay = delay
        self._stays = stays
        self._wants: deque[tuple[Act, asyncio.Future[int]]] = deque()
        self._has_held = False
        self._asked = -1
        self._answer: tuple[int, Act] | None = None
        self._asking: asyncio.Task[None] | asyncio.TimerHandle | None = None
        self.seat = seat
        self.over: asyncio.Future[GameEnded | ServerFault] = asyncio.get_running_loop().create_future()
        """How the game ended; raises what ended the sitting before that: `Fraud`, `TakenOver`, `SeatGone`."""
        self.over.add_done_callback(_seen)

    # What a program asks for.

    @property
    def number(self) -> SeatNumber:
        """The seat."""
        return self.seat.number

    @property
    def table(self) -> Table:
        """The table as everybody sees it."""
        return self._side.desk.stream.there

    def act(self, act: Act) -> asyncio.Future[int]:
        """Let an act be made as soon as it can; the version of its entry. Raises what it is refused for.

        It is signed anew as long as something else came first.
        """
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        future.add_done_callback(_seen)
        if self.over.done():
            future.set_exception(SeatGone(self.number))
        else:
            self._wants.append((act, future))
            self.pump()
        return future

    async def leave(self) -> None:
        """Give the seat back, or let a stand-in have it, and stop playing."""
        await self.act(Leave())
        self.stop(SeatGone(self.number))

    def stop(self, error: Exception) -> None:
        """Play this seat no more."""
        self._stop_asking()
        while self._wants:
            _fail(self._wants.popleft()[1], error)
        _fail(self.over, error)
        self._side.remove(self)

    # What comes.

    def pump(self) -> None:
        """Do what is next for this seat, if anything is."""
        seat = self.seat
        if self.over.done() or not self._side.desk.is_ready:
            return
        stage = self._side.desk.stream.there.stage
        if isinstance(stage, Over):
            self._stop_asking()
            self._fail_wants()
            self.over.set_result(stage.ending)
            return
        if seat.holds:
            self._has_held = True
        elif self._has_held and not seat.is_players and seat.unanswered is None:
            self.stop(SeatGone(seat.number))  # a stand-in, and the player is back
            return
        decision = seat.decision
        if self._asking is not None and (decision is None or decision.opened != self._asked):
            self._stop_asking()
        if seat.unanswered is not None:
            return
        act = self._next_act()
        if act is not None:
            self._send(act)

    def acted(self, version: int, act: Act) -> None:
        """An act of this seat has its entry."""
        if not self._wants:
            return
        wanted = self._wants[0][0]
        if wanted == act or (isinstance(wanted, Join) and isinstance(act, Join)):  # of a run before this one
            future = self._wants.popleft()[1]
            if not future.done():
                future.set_result(version)

    def refused(self, act: Act, error: HokmError) -> None:
        """A move of this seat was refused."""
        if isinstance(error, Busy):
            asyncio.get_running_loop().call_later(BUSY_PAUSE, self._send_again)
            return
        if isinstance(error, Conflict):
            self.pump()
            return
        if self._wants and self._wants[0][0] == act:
            _fail(self._wants.popleft()[1], error)
        elif not isinstance(error, Rule):
            self.stop(error)
            return
        self._answer = None
        self.pump()

    def _next_act(self) -> Act | None:
        seat = self.seat
        act = seat.automatic()
        if act is not None:
            return act
        if self._wants:
            return self._wants[0][0]
        if self._stays and seat.returns():
            return Return()
        view = seat.asks()
        if view is None:
            return None
        opened = view.decision.opened
        if self._answer is not None and self._answer[0] == opened:
            return self._answer[1]
        if self._asked != opened:
            self._ask(view)
            if self._answer is not None and self._answer[0] == opened:
                return self._answer[1]
        return None

    def _send(self, act: Act) -> None:
        try:
            signed = self.seat.sign(act, now_ms())
        except Fraud as fraud:
            self._side.caught(fraud)
        except HokmError as error:
            if self._wants and self._wants[0][0] is act:
                _fail(self._wants.popleft()[1], error)
                self.pump()
            else:
                self.stop(error)
        else:
            self._side.send(signed)

    def _send_again(self) -> None:
        if self.seat.unanswered is not None and not self.over.done():
            self._side.send(self.seat.unanswered.act)

    # Asking the player.

    def _ask(self, view: View) -> None:
        if self._choose is None:
            return
        self._asked = view.decision.opened
        if self._delay is not None and (seconds := self._delay(view)) > 0:
            self._asking = asyncio.get_running_loop().call_later(seconds, self._ask_late)
            return
        self._answer_with(view)

    def _ask_late(self) -> None:
        self._asking = None
        view = self.seat.asks()
        if view is not None and view.decision.opened == self._asked:
            self._answer_with(view)
            self.pump()

    def _answer_with(self, view: View) -> None:
        assert self._choose is not None
        try:
            chosen = self._choose(view)
        except Exception as error:
            self.stop(error)
            return
        if inspect.isawaitable(chosen):
            self._asking = asyncio.ensure_future(self._wait_for(view.decision.opened, chosen))
        else:
            self._answer = (view.decision.opened, chosen)

    async def _wait_for(self, opened: int, chosen: Awaitable[Act]) -> None:
        try:
            act = await chosen
        except asyncio.CancelledError:
            raise
        except Exception as error:
            self.stop(error)
            return
        self._asking = None
        self._answer = (opened, act)
        self.pump()

    def _stop_asking(self) -> None:
        if self._asking is not None:
            self._asking.cancel()
            self._asking = None

    def _fail_wants(self) -> None:
        while self._wants:
            _fail(self._wants.popleft()[1], SeatGone(self.number))


class Tableside:
    """One table on the play stream: the desk, and the sittings at it."""

    def __init__(self, player: Player, desk: Desk) -> None:
        self._player = player
        self._nameless = False
        self.desk = desk
        self.sittings: list[Sitting] = []
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.ready.add_done_callback(_seen)
        desk.on_step.append(self._stepped)
        desk.on_refusal = self._refused

    # On the stream.

    def attach(self) -> pb.Attach:
        """After the last checked version; from the deal on where cards of a seat are missing."""
        desk = self.desk
        held = [] if self._nameless else [seat for seat in desk.seats if seat.holds or seat.is_players]
        attach = pb.Attach(table_id=desk.stream.id, seats=sorted({seat.number for seat in held}))
        after = desk.version
        if after is not None:
            if any(seat.lacks_cards for seat in held):
                after = min(after, desk.stream.dealt_at - 1)
            attach.after_version = after
        return attach

    def unanswered(self) -> Sequence[pb.SignedAct]:
        """The moves to be sent again."""
        return self.desk.unanswered()

    def take(self, update: pb.TableUpdate) -> None:
        """Something came for this table."""
        desk = self.desk
        before = desk.version
        try:
            desk.take(update, now_ms())
        except Fraud as fraud:
            self.caught(fraud)
            return
        except HokmError as error:
            self.failed(error)
            return
        if desk.is_ready and not self.ready.done():
            self.ready.set_result(None)
        if desk.version != before and self._nameless:
            self._nameless = False
            self._player.stream.attach(desk.stream.id, self)
        if desk.version != before or update.hands:
            for sitting in tuple(self.sittings):
                sitting.pump()
        if update.end:
            self._ended(update.end)

    def lost(self) -> None:
        """The stream broke."""
        self.desk.lost()

    def failed(self, error: Exception) -> None:
        """Nothing will come any more."""
        _fail(self.ready, error)
        for sitting in tuple(self.sittings):
            sitting.stop(error)
        self._player.forget(self)

    def send(self, act: pb.SignedAct) -> None:
        """Let a move go out."""
        self._player.stream.send(act)

    # Sittings.

    def add(self, sitting: Sitting) -> None:
        """One more seat that this program plays here."""
        self.sittings.append(sitting)
        self.desk.sit(sitting.seat)

    def remove(self, sitting: Sitting) -> None:
        """One less."""
        if sitting in self.sittings:
            self.sittings.remove(sitting)
            self.desk.rise(sitting.seat)

    def caught(self, fraud: Fraud) -> None:
        """The server contradicted itself: the evidence is saved, a protest goes out, and nothing else any more."""
        path = self._player.save(fraud, self.desk.stream)
        logger.warning("%s; evidence: %s", fraud, path)
        self.desk.fraud = fraud
        for sitting in tuple(self.sittings):
            sitting.seat.fraud = fraud
            protest = sitting.seat.protest()
            if protest is not None:
                try:
                    self.send(sitting.seat.sign(protest, now_ms()))
                except HokmError as error:
                    logger.warning("the protest of seat %d was not signed: %s", sitting.number, error)
        self.failed(fraud)

    def _stepped(self, step: Step) -> None:
        content = step.event.content
        signed = content.join if isinstance(content, StoodIn) else content
        if isinstance(signed, SignedMove):
            for sitting in self.sittings:
                if sitting.number == signed.move.seat:
                    sitting.acted(step.event.version, signed.move.act)

    def _refused(self, seat: Seat | None, act: Act | None, error: HokmError) -> None:
        if seat is None:
            if isinstance(error, SeatNotYours) and not self._nameless:
                self._nameless = True  # whose it is, the entries will tell
                self._player.stream.attach(self.desk.stream.id, self)
            elif not isinstance(error, Busy):
                self.failed(error)
            return
        for sitting in tuple(self.sittings):
            if sitting.seat is seat and act is not None:
                sitting.refused(act, error)

    def _ended(self, end: pb.StreamEnd.ValueType) -> None:
        stream = self._player.stream
        if end == pb.STREAM_END_BEHIND:
            stream.attach(self.desk.stream.id, self)
            return
        stream.ended(self.desk.stream.id)
        if end == pb.STREAM_END_TAKEN_OVER:
            number = self.sittings[0].number if self.sittings else 0
            self.failed(TakenOver(number))
        elif end == pb.STREAM_END_GAME_OVER:
            self._player.forget(self)


class Player:
    """A program that plays: one identity, one connection, any number of seats."""

    def __init__(
        self,
        connection: Connection,
        policy: Policy,
        keeping: Keeping,
        *,
        evidence: Path | None = None,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        """See `connect`, which makes one with everything that belongs to it."""
        self.connection = connection
        self.stream = connection.stream
        self.keeping = keeping
        self.policy = policy
        self._evidence = evidence
        self._entropy = entropy
        self._manifests: Manifests | None = None
        self._heads: Heads | None = None
        self._sides: dict[bytes, Tableside] = {}
        self._opening: dict[bytes, asyncio.Lock] = {}

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
    ) -> AsyncIterator[Player]:
        """A player at the server of that address, signed in.

        `identity` is a key or its file, which is made where it is missing. `policy` says whom to trust. What must
        survive a crash is kept in the directory `state`, evidence too; without one nothing does. `certificates` in
        PEM turn TLS on, empty bytes for those of the system. `patient` waits for a server that does not answer yet.
        """
        key = read_or_make_identity(identity) if isinstance(identity, Path) else identity
        trusted = read_policy(policy) if isinstance(policy, Path) else policy
        keeping = Keeping(state)
        connection = Connection(
            address,
            key,
            certificates=certificates,
            is_trusted_origin=lambda origin: any(log.vkey.name == origin for log in trusted.logs),
            before_sending=keeping.flush,
        )
        try:
            async with connection:
                await (connection.sign_in_at_last() if patient else connection.token())
                yield cls(connection, trusted, keeping, evidence=None if state is None else state / "evidence")
        finally:
            keeping.close()

    @property
    def key(self) -> SigningKey:
        """The identity."""
        return self.connection.key

    # Tables.

    async def open_table(self, rules: TableRules, bots: Sequence[SeatNumber] = ()) -> bytes:
        """A new table with these rules; the house's bots are asked into those seats. Its id."""
        table_id, _ = await self.connection.open_table(rules, bots)
        return table_id

    async def sit(
        self,
        table_id: bytes,
        seat: SeatNumber | None = None,
        *,
        choose: Choose | None = None,
        watch: Callable[[Step], None] | None = None,
        kind: SeatKind = SeatKind.PERSON,
        key: SigningKey | None = None,
        delay: Callable[[View], float] | None = None,
        stays: bool = True,
    ) -> Sitting:
        """Take a seat, the first free one where none is named, or take up again the one that the key has.

        `watch` is told of every entry from the first on. `key` is another key than the identity: an operator's
        program gives each of its bots one. Raises what the Join is refused for, `SeatGone` where no seat is free.
        """
        key = key or self.key
        side = await self._tableside(table_id, watch)
        taken = _seat_of(side.desk.stream.there, key.public)
        number = taken if taken is not None else seat if seat is not None else _free_seat(side.desk.stream.there)
        sitting = Sitting(
            side,
            Seat(side.desk.stream, number, key, self.keeping, self._entropy),
            choose,
            delay=delay,
            stays=stays,
        )
        side.add(sitting)
        if sitting.seat.unanswered is not None:
            self.stream.send(sitting.seat.unanswered.act)
        if taken is None:
            try:
                await sitting.act(sitting.seat.join(kind))
            except BaseException:
                side.remove(sitting)
                raise
        self.stream.attach(table_id, side)  # once more, now with the seat
        sitting.pump()
        return sitting

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
        first = await self.connection.entries(table_id, 0, 1)
        summary = await self.connection.table(table_id)
        if not first:
            raise StrangeAnswer("a table without a first entry")
        desk = Desk(await self._stream(table_id, first[0]))
        desk.ready_at(summary.version)
        if watch is not None:
            desk.on_step.append(watch)
        side = Tableside(self, desk)
        self._sides[table_id] = side
        self.stream.attach(table_id, side)
        return side

    async def _stream(self, table_id: bytes, first: bytes) -> Stream:
        """A stream under the manifest that its first entry names."""
        content = read_event(parse_entry(first).body).content
        if not isinstance(content, TableOpened):
            raise StrangeAnswer("a table that does not begin with TableOpened")
        manifests = self._manifests
        if manifests is None:
            manifests = self._manifests = Manifests(self.policy, self.connection.origin)
        found = manifests.of(content.manifest_leaf)
        if found is None:
            manifests.learn(await self.connection.manifests())
            found = manifests.of(content.manifest_leaf)
        if found is None:
            raise StrangeAnswer("the table names a key manifest that the root has not signed")
        manifest, successors = found
        return Stream(table_id, manifest, content.manifest_leaf, successors)

    async def proof(self, table_id: bytes, number: int | None = None) -> bytes:
        """The proof file of that round, or of the whole game where none is named. Not verified by being here."""
        if number is None:
            return await self.connection.game_proof(table_id)
        return await self.connection.round_proof(table_id, number)

    async def verify(self, table_id: bytes, number: int | None = None) -> Report:
        """Fetch the proof of that round, or of the whole game, and verify it by this player's own policy."""
        from hokm.verify import Wishes, verify

        proof = await self.proof(table_id, number)
        return await asyncio.to_thread(verify, proof, self.policy, Wishes(mine=self.key.public))

    def forget(self, side: Tableside) -> None:
        """A table of which nothing more comes."""
        table_id = side.desk.stream.id
        if self._sides.get(table_id) is side:
            del self._sides[table_id]
            self._opening.pop(table_id, None)
        self.stream.detach(table_id)

    # The log.

    async def check_log(self) -> int:
        """Fetch the latest checkpoint and hold it against the last one that was seen; its size.

        Raises `Fraud`, the evidence saved.
        """
        heads = self._heads
        if heads is None:
            origin = self.connection.origin
            heads = self._heads = Heads(self.policy, origin, self.keeping.checkpoint(origin))
        note = await self.connection.checkpoint()
        try:
            checkpoint = heads.read(note).checkpoint
            old = heads.needs_proof(checkpoint)
            proof: Sequence[bytes] = ()
            if old is not None and old < checkpoint.size:
                proof = await self.connection.consistency(old, checkpoint.size)
            heads.take(note, proof)
        except Fraud as fraud:
            self.save(fraud, None)
            raise
        self.keeping.put_checkpoint(heads.origin, note)
        self.keeping.flush()
        return checkpoint.size

    async def check_published(self, table_id: bytes, version: int, entry: bytes) -> None:
        """Wait until an entry is in the published log, which the house promised by signing it.

        Raises `Fraud` where it is not there after `PROMISE_SECONDS`, the evidence saved.
        """
        loop = asyncio.get_running_loop()
        until, pause = loop.time() + PROMISE_SECONDS, 0.1
        while True:
            size = await self.check_log()
            assert self._heads is not None
            try:
                index, hashes = await self.connection.inclusion(table_id, version, size)
            except (Busy, HokmError) as error:
                if not isinstance(error, NotPublished) and loop.time() >= until:
                    raise
            else:
                if self._heads.holds(entry, index, hashes):
                    return
            if loop.time() >= until:
                what = f"entry {version} (leaf {leaf(entry).hex()}) is signed and not in the log"
                fraud = Fraud(FraudKind.BROKEN_PROMISE, version, what, exhibits={"entry": entry})
                self.save(fraud, None)
                raise fraud
            await asyncio.sleep(pause)
            pause = min(2 * pause, 1.0)

    def save(self, fraud: Fraud, stream: Stream | None) -> Path | None:
        """Where the evidence of a fraud was saved; None where this player keeps nothing."""
        if self._evidence is None:
            return None
        manifests = () if self._manifests is None else self._manifests.entries
        table_id, entries = (bytes(16), []) if stream is None else (stream.id, stream.entries)
        try:
            return save_evidence(
                self._evidence, fraud, Scene(self.connection.origin, table_id, manifests, entries), now_ms()
            )
        except OSError as error:
            logger.error("the evidence of a fraud could not be saved: %s", error)
            return None


def _seat_of(table: Table, key: bytes) -> SeatNumber | None:
    """The seat that the key has, as its player or as a stand-in."""
    stage = table.stage
    places = stage.places if isinstance(stage, Seating) else table.places
    for number, place in enumerate(places):
        if place is not None and key in (place.public_key, place.holder.public_key):
            return number
    return None


def _free_seat(table: Table) -> SeatNumber:
    if isinstance(table.stage, Seating):
        for number, place in enumerate(table.stage.places):
            if place is None:
                return number
    raise SeatGone(0)


def _fail(future: asyncio.Future[Any], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)


def _seen(future: asyncio.Future[Any]) -> None:
    """An error that nobody waits for is no noise."""
    if not future.cancelled():
        future.exception()
