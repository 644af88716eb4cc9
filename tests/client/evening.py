# SPDX-License-Identifier: Apache-2.0
"""An evening in memory: a house that is a value, and seats of ours that play at its table and believe nothing.

What the house sends is made here, so that a test can have it send something else: `tamper` is given every update
before the desk is.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

from hokm.deal import deal, packets_of
from hokm.events import (
    CeremonyOpened,
    CommitSetClosed,
    Dealt,
    Event,
    NameTrump,
    Reveal,
    Ruling,
    SignedMove,
    TimedOut,
)
from hokm.hand import HandNote, sign_hand, write_hand
from hokm.rules import TableRules
from hokm.signing import SigningKey
from hokm.table import Ceremony, LaidCard, Over, Round, Seating, Table, decide, may_witness, signer, to_act, vouch
from hokm.v1 import tables_service_pb2 as pb
from hokm.wire import read_move, write_event
from hokm_client.bot import random_legal
from hokm_client.desk import Desk
from hokm_client.keeping import Keeping
from hokm_client.seat import Seat
from hokm_client.stream import Stream
from hokm_client.trust import Manifests
from tests.simulation import Game, TestHouse
from tests.simulation.game import SHORT

Tamper = Callable[[pb.TableUpdate], pb.TableUpdate]


class Dealing(NamedTuple):
    """A deal that was made."""

    ctx: bytes
    hakem: int
    packets: tuple[tuple[tuple[int, ...], ...], ...]
    """`[packet][seat]`"""


class Evening:
    """One game, some seats of which are ours."""

    def __init__(
        self,
        ours: Sequence[int] = (0,),
        *,
        seed: int = 1,
        rules: TableRules = SHORT,
        keeping: Keeping | None = None,
        game: Game | None = None,
    ) -> None:
        """`game` is one that goes on, with a desk that knows nothing of it yet."""
        self.game = game or Game(TestHouse(seed=seed), rules)
        self.house = self.game.house
        self.chance = random.Random(seed)
        self.keeping = keeping or Keeping(None)
        self.tamper: Tamper = lambda update: update
        self.acts: list[pb.SignedAct] = []
        """What our seats have sent."""
        self.withheld = False
        """What our seats send does not arrive."""
        keys = self.manifests().of(self.house.manifest_leaf)
        assert keys is not None
        self.desk = Desk(Stream(self.game.id, keys, self.house.policy))
        for number in ours:
            key = self.game.players[number].key
            self.desk.seats.append(Seat(self.desk.stream, number, key, self.keeping, self.chance.randbytes))

    @property
    def seat(self) -> Seat:
        """The first of our seats."""
        return self.desk.seats[0]

    @property
    def table(self) -> Table:
        """As the house has it."""
        return self.game.table

    def hand(self, seat: int) -> int:
        """The cards of a seat in this deal, as dealt: the house knows them."""
        hand = self.game.hands.dealt[seat]
        assert hand is not None
        return hand

    def manifests(self) -> Manifests:
        """Those that there are now."""
        manifests = Manifests(self.house.policy, self.house.origin)
        manifests.learn([entry for entry, _ in self.house.manifests])
        return manifests

    def learn(self) -> None:
        """Let the desk know of the manifests that there are now."""
        self.desk.stream.learn(self.manifests())

    # What the house does.

    def revoke(self, **changes: object) -> None:
        """The event key is revoked, and the new one ends the game; `changes` are those of a liar."""
        house = self.house
        revoked, house.event_key = house.event_key.public, house.new_key()
        house.write_manifest((revoked,), root=house.first_root)
        self.game.end_by_new_key(**changes)

    def sit(self) -> None:
        """All four join; ours sign their Joins themselves."""
        ours = {seat.number: seat for seat in self.desk.seats}
        self.feed()
        for number, player in enumerate(self.game.players):
            self.house.wait(500)
            if number in ours:
                self.send(ours[number].sign(ours[number].join(player.kind), self.house.now_ms))
            else:
                self.game.join(number, player)
            self.feed()
        self.game.settle()
        self.feed()

    def update(self, first: int, upto: int | None = None) -> pb.TableUpdate:
        """The entries from that version on, with the hand notes of our seats that they released."""
        entries = self.game.entries[first:upto]
        update = pb.TableUpdate(table_id=self.game.id, first_version=first, entries=entries)
        for version in range(first, first + len(entries)):
            for seat in self.desk.seats:
                for packet in self.released(seat.number, version):
                    update.hands.append(self.note(seat.number, packet, version))
        return update

    def feed(self) -> None:
        """Send what the desk has not had."""
        version = self.desk.version
        first = 0 if version is None else version + 1
        update = self.tamper(self.update(first))
        if update.entries or update.hands:
            self.desk.take(update, self.house.now_ms)

    def released(self, seat: int, version: int) -> tuple[int, ...]:
        """The packets of a seat that an entry releases."""
        content = self.game.events[version].content
        named = isinstance(content, SignedMove) and isinstance(content.move.act, NameTrump)
        named = named or (isinstance(content, TimedOut) and content.trump is not None)
        if not named and not isinstance(content, Dealt):
            return ()
        dealing = self.dealing(version)
        assert dealing is not None
        at_once = seat == dealing.hakem or self.game.rules.open_first_packet
        if named:
            return (2, 3) if at_once else (1, 2, 3)
        return (1,) if at_once else ()

    def note(
        self, seat: int, packet: int, version: int, *, cards: Sequence[int] = (), key: SigningKey | None = None
    ) -> pb.SignedHandNote:
        """A hand note, right in all that is not given."""
        opened = self.dealing(version)
        assert opened is not None
        ctx, packets = opened.ctx, opened.packets
        note = HandNote(
            ctx, seat, packet, tuple(cards) or packets[packet - 1][seat], version, self.game.leaves[version]
        )
        body = write_hand(note)
        return pb.SignedHandNote(note=body, signature=sign_hand(body, key or self.game.event_key))

    def dealing(self, version: int) -> Dealing | None:
        """The deal that an entry is of."""
        events = self.game.events[: version + 1]
        opened = [event.content for event in events if isinstance(event.content, CeremonyOpened)]
        closed = [event.content for event in events if isinstance(event.content, CommitSetClosed)]
        if not opened or opened[-1].hakem is None or not closed:
            return None
        ctx, hakem = opened[-1].ctx, opened[-1].hakem
        numbers = [self.game.numbers.get((ctx, seat)) for seat in range(5)]
        if None in numbers:
            return None
        deck = deal(closed[-1].commit_set, [number for number in numbers if number is not None])
        return Dealing(ctx, hakem, packets_of(deck, hakem, self.game.rules.packets))

    def send(self, act: pb.SignedAct) -> None:
        """A move of ours arrives at the house, which logs it."""
        self.acts.append(act)
        if self.withheld:
            return
        game = self.game
        signed = SignedMove(read_move(act.move), act.move, act.signature)
        game.settle()
        vouch(game.table, signed.move)
        laid = LaidCard(act.early.card, act.early.salt) if act.HasField("early") else None
        decide(game.table, signed.move, game.now_ms, game.hands, laid)
        key = signer(game.table, signed.move)
        game.moved[key] += 1
        game.signers[act.signature] = key
        if isinstance(signed.move.act, Reveal):
            stage = game.table.stage
            assert isinstance(stage, Ceremony)
            game.numbers[stage.ctx, signed.move.seat] = act.number
        game.log(signed)
        if laid is not None:
            game.laid[game.table.version] = laid.card, laid.salt

    def forged(self, version: int, content: SignedMove | Ruling | None = None, **changes: object) -> bytes:
        """The entry of that version with something in it changed, signed by the house."""
        event: Event = self.game.events[version]
        event = event._replace(**changes)  # type: ignore[arg-type]
        if content is not None:
            event = event._replace(content=content)
        return self.house.sign_event(write_event(event), self.game.event_key)

    # Stretches.

    def step(self) -> None:
        """Somebody who is to act does so: one of ours if one is. Witnesses come where they are waited for."""
        self.game.settle()
        if may_witness(self.table, self.game.now_ms):
            self.game.witness()
        self.feed()
        for seat in self.desk.seats:
            if (act := seat.automatic()) is None:
                question = seat.asks()
                act = None if question is None else random_legal(question, self.chance)
            if act is not None:
                self.send(seat.sign(act, self.house.now_ms))
                self.game.settle()
                self.feed()
                return
        ours = {seat.number for seat in self.desk.seats}
        waiting = [seat for seat, _ in to_act(self.game.table) if seat not in ours]
        assert waiting, "nobody is to act"
        self.act_for(waiting[0])
        self.game.settle()
        self.feed()

    def act_for(self, seat: int) -> None:
        """A seat that is not ours does what it is to do."""
        self.house.wait(700)
        match self.game.table.stage:
            case Ceremony(commit_set=None):
                self.game.commit(seat)
            case Ceremony():
                self.game.reveal(seat)
            case Round(trump=None):
                self.game.name_trump()
            case _:
                self.game.play()

    def until(self, reached: Callable[[Table], bool]) -> None:
        """Play on until the table is so."""
        if isinstance(self.table.stage, Seating):
            self.sit()
        while not reached(self.table):
            self.step()

    def play_game(self) -> None:
        """To the end."""
        self.until(lambda table: isinstance(table.stage, Over))


def in_ceremony(purpose: int, *, closed: bool) -> Callable[[Table], bool]:
    """The table is in a ceremony of that purpose, its set closed or not."""

    def reached(table: Table) -> bool:
        stage = table.stage
        return isinstance(stage, Ceremony) and stage.purpose == purpose and (stage.commit_set is not None) == closed

    return reached


def in_tricks(table: Table) -> bool:
    """Trumps are made, and cards are played."""
    return isinstance(table.stage, Round) and table.stage.trump is not None
