# SPDX-License-Identifier: Apache-2.0
"""Whole games by all house rules, against what is public: whatever a player tries, it can foresee the answer.

A player here knows the entries of the table, as a spectator sees them, and the cards that its own stream brought. Each
move, sensible or not, is first decided with that alone: the server takes it if it may be made, and else refuses it for
the very same reason and changes nothing. When a game is over the verifier judges it, and the next one begins.
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from hokm.cards import cards_of, hand_of
from hokm.deal import early_commitment
from hokm.entry import parse_entry
from hokm.errors import HokmError, SeatNotYours
from hokm.events import (
    Act,
    AnswerTea,
    AskTea,
    CallMiddle,
    Commit,
    LayEarly,
    Leave,
    NameTrump,
    PickUp,
    Play,
    Ready,
    Resign,
    Return,
    Reveal,
    Run,
    SeatKind,
    SignedMove,
    TakeBack,
)
from hokm.rules import FirstHakem, HakemPasses, Packets, TableRules, partner_of, runs_of
from hokm.table import (
    Ceremony,
    House,
    LaidCard,
    Round,
    Table,
    evolve,
    may_play,
    opened,
    stand_in_wanted,
    to_act,
)
from hokm.v1 import tables_service_pb2 as pb
from hokm.verify import Verdict
from hokm.wire import read_event
from hokm_server.draft import NOTHING_BESIDE, Beside
from hokm_server.live import Made
from tests.server.foresight import Client, told
from tests.server.readers import WATCHER, Reader
from tests.server.room import PERSONS, TWO_AND_BOTS, Room, Seated, is_over

SEATS: Final = st.integers(0, 3)
CARDS: Final = st.integers(0, 51)
RULES: Final = st.builds(
    TableRules,
    first_hakem=st.sampled_from(FirstHakem),
    packets=st.sampled_from(Packets),
    open_first_packet=st.booleans(),
    hakem_passes=st.sampled_from(HakemPasses),
    target=st.just(3),
    turn_seconds=st.just(30),
    **{switch: st.just(True) for switch in ("partners_middle", "coming_early", "runs", "tea", "throwing")},
)


PAUSE_MS: Final = 300
"""Before an honest step."""


class GamesAtRandom(RuleBasedStateMachine):
    """One room, one table at a time, and four players who try things."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        self.room: Room
        self.table_id = b""
        self.table: Table
        """As a spectator sees it."""
        self.house: House
        self.spectator: Reader
        self.seen = 0
        self.players: list[Seated] = []
        self.clients: dict[bytes, Client] = {}
        """By the key that decides: the four players, and who stands in now."""
        self.made: list[tuple[Seated, SignedMove, Beside, Made]] = []

    def run(self, call: Coroutine[Any, Any, Any]) -> Any:
        """Wait for it and what it brought about; stand-ins come where they are due, and all streams are read."""

        async def settled() -> Any:
            try:
                return await call
            finally:
                await self.room.settle()
                await self._look()

        return self.loop.run_until_complete(settled())

    async def _look(self) -> None:
        await self._watch()
        while (wanted := stand_in_wanted(self.table)) is not None:
            player = await self.room.stand_in(self.table_id, wanted[0])
            self.clients[player.key.public] = Client(self.room, self.table_id, player)
            await self._watch()
        for key, client in tuple(self.clients.items()):
            holds = key == self.holder(client.player.seat)
            if client.player not in self.players and not holds:
                del self.clients[key]
                continue
            if client.is_taken_over and holds:
                client.reader.attach()
            await client.read()

    async def _watch(self) -> None:
        """See what the spectator sees."""
        await self.spectator.read()
        for entry in self.spectator.entries[self.seen :]:
            event = read_event(parse_entry(entry).body)
            self.table = opened(self.house, event) if event.version == 0 else evolve(self.table, event)
            self.seen += 1

    @initialize(
        seed=st.integers(0, 2**32),
        rules=RULES,
        kinds=st.sampled_from((PERSONS, PERSONS, TWO_AND_BOTS)),
        steps=st.sampled_from((0, 10, 17, 19, 25, 50, 80)),
    )
    def open(self, seed: int, rules: TableRules, kinds: tuple[SeatKind, ...], steps: int) -> None:
        """Four sit down, and so many steps are made."""

        async def make() -> None:
            self.room = Room(Path(self.folder.name), seed)
            self.players = [self.room.somebody(seat, kind) for seat, kind in enumerate(kinds)]
            await self._begin(rules)

        self.loop.run_until_complete(make())
        self.play_on(steps)

    async def _begin(self, rules: TableRules) -> None:
        self.table_id = await self.room.open(rules)
        self.house = self.room.table(self.table_id).house
        self.spectator, self.seen = Reader(self.room, self.table_id, WATCHER), 0
        self.made.clear()
        for player in self.players:
            player.moves = 0
            await self.room.join(self.table_id, player)
        self.clients = {player.key.public: Client(self.room, self.table_id, player) for player in self.players}
        await self._look()

    # What a player tries.

    def attempt(self, seat: int, act: Act, laid: LaidCard | None = None, *, holder: bool = False) -> bool:
        """Let a player, or who holds its seat, do something: whether that was taken, as it must be foreseen."""
        client = self.clients[self.holder(seat) if holder else self.players[seat].key.public]
        player = client.player
        signed = self.room.signed(self.table_id, player, act)
        foreseen = client.foresee(self.table, signed.move, self.room.clock.ms, laid)
        beside = NOTHING_BESIDE if laid is None else Beside(early=(laid.card, laid.salt))
        if isinstance(act, Reveal):
            beside = Beside(player.numbers[act.ctx])
        entries = self.room.entries(self.table_id)
        try:
            made = self.run(self.room.send(self.table_id, player, signed, beside))
        except HokmError as error:
            refused: HokmError | None = error
        else:
            refused = None
        assert told(refused) == told(foreseen)
        if refused is not None:
            assert self.room.entries(self.table_id) == entries
            return False
        player.moves += 1
        self.made.append((player, signed, beside, made))
        return True

    def holder(self, seat: int) -> bytes:
        """The key that decides for a seat now."""
        return self.table.places[seat].holder.public_key

    def hand(self, seat: int) -> list[int]:
        """The cards that its player has."""
        stage = self.table.stage
        played = stage.played if isinstance(stage, Round) else 0
        return list(cards_of(self.clients[self.players[seat].key.public].hand(self.table) & ~played))

    @rule(seat=SEATS, card=CARDS)
    def play_any_card(self, seat: int, card: int) -> None:
        """Held or not, in turn or not."""
        self.attempt(seat, Play(card))

    @rule(seat=SEATS, pick=CARDS)
    def play_an_own_card(self, seat: int, pick: int) -> None:
        """In turn or not."""
        if hand := self.hand(seat):
            self.attempt(seat, Play(hand[pick % len(hand)]))

    @rule(seat=SEATS, pick=CARDS, length=st.integers(2, 7))
    def run_of_a_suit(self, seat: int, pick: int, length: int) -> None:
        """The highest cards of a suit that the player has, a run or not."""
        if hand := self.hand(seat):
            suit = [card for card in hand[::-1] if card // 13 == hand[pick % len(hand)] // 13]
            if len(suit) > 1:
                self.attempt(seat, Run(tuple(suit[:length])))

    @rule(seat=SEATS, top=CARDS, length=st.integers(2, 7))
    def run_of_any_cards(self, seat: int, top: int, length: int) -> None:
        """Whoever has them."""
        self.attempt(seat, Run(tuple((top - place) % 52 for place in range(length))))

    @rule(
        seat=SEATS, pick=CARDS, own=st.sampled_from((True, True, True, False)), lies=st.booleans(), again=st.booleans()
    )
    def come_early(self, seat: int, pick: int, own: bool, lies: bool, again: bool) -> None:
        """With a card of the player's or not, the truth of the middle or not, a salt that is new or not."""
        stage, hand = self.table.stage, self.hand(seat)
        if not isinstance(stage, Round):
            self.attempt(seat, LayEarly(bytes(32), False), LaidCard(pick, bytes(32)))
            return
        salts = self.clients[self.players[seat].key.public].salts
        self.lay(
            stage,
            seat,
            hand[pick % len(hand)] if own and hand else pick,
            salts[-1] if again and salts else self.room.octets(),
            lies=lies and pick % 4 == 0,
        )

    def lay(self, stage: Round, seat: int, card: int, salt: bytes, *, lies: bool = False) -> None:
        """A card face down."""
        salts = self.clients[self.players[seat].key.public].salts
        made = early_commitment(stage.ceremony.ctx, stage.trick_number, seat, card, salt)
        is_middle = stage.extra is not None and stage.extra.middle == card
        if self.attempt(seat, LayEarly(made, is_middle is not lies), LaidCard(card, salt, frozenset(salts))):
            salts.append(salt)

    @rule(
        seat=SEATS,
        act=st.sampled_from(
            (
                CallMiddle(),
                PickUp(),
                TakeBack(),
                AskTea(),
                AnswerTea(True),
                AnswerTea(False),
                Ready(),
                *map(NameTrump, range(4)),
            )
        ),
    )
    def try_besides(self, seat: int, act: Act) -> None:
        """Whether it is the time for it or not."""
        self.attempt(seat, act)

    @rule(seat=SEATS, act=st.sampled_from((Leave(), Return(), Return(), Resign())))
    def say(self, seat: int, act: Act) -> None:
        """A player's own word. Those of one seat stay, so that there is a game."""
        if seat or isinstance(act, Return):
            self.attempt(seat, act)

    @rule(seat=SEATS, at=SEATS, thing=st.sampled_from(pb.Thing.values()))
    def throw(self, seat: int, at: int, thing: pb.Thing.ValueType) -> None:
        """It lands, for all alike, or nothing comes."""
        player, before = self.players[seat], self.room.entries(self.table_id)
        chunks: list[bytes] = []

        async def thrown() -> None:
            with contextlib.suppress(HokmError):
                self.room.tables.throw(player.viewer, self.table_id, seat, at, thing)
            chunks.extend([await reader.read() for reader in self.readers()])

        self.run(thrown())
        assert len(set(chunks)) == 1
        assert self.room.entries(self.table_id) == before

    @precondition(lambda self: self.made)
    @rule(which=st.integers(0, 1 << 16))
    def press_twice(self, which: int) -> None:
        """The same bytes as at any time before get the same answer."""
        player, signed, beside, made = self.made[which % len(self.made)]
        before = self.room.entries(self.table_id)
        again = self.run(self.room.send(self.table_id, player, signed, beside))
        assert (again.version, again.entry) == (made.version, made.entry)
        assert self.room.entries(self.table_id) == before

    # What honest players do, and time.

    @rule(steps=st.integers(1, 40))
    def play_on(self, steps: int) -> None:
        """Honest steps, by who holds the seats."""
        for _ in range(steps):
            if is_over(self.table):
                return
            self.step()

    def step(self) -> None:
        """The next thing that somebody has to do."""
        clock = self.room.clock
        if any(alarm.ms <= clock.ms + PAUSE_MS for alarm in clock.alarms):
            self.run(self.room.turn(PAUSE_MS))
            return
        clock.ms += PAUSE_MS
        table, stage = self.table, self.table.stage
        if table.is_pausing:
            assert table.tea is not None
            assert table.tea.pause is not None
            self.run(self.room.turn(max(0, table.tea.pause.deadline_ms - clock.ms)))
            return
        if isinstance(stage, Round) and self.room.rng.random() < 0.4:
            self.besides(stage)
            return
        seat = to_act(table)[0][0]
        client = self.clients[self.holder(seat)]
        match stage:
            case Ceremony(commit_set=None):
                act: Act = Commit(self.room.commitment(client.player, stage.ctx))
            case Ceremony(commit_set=bytes(commit_set)):
                act = Reveal(stage.ctx, commit_set)
            case Round(trump=None):
                trumps: list[Act] = [CallMiddle(), *map(NameTrump, range(4))]
                act = self.room.rng.choice(trumps)
            case _:
                assert isinstance(stage, Round)
                act = Play(self.room.rng.choice(list(cards_of(may_play(stage, client.hand(table))))))
        assert self.attempt(seat, act, holder=True)

    def besides(self, stage: Round) -> None:
        """What one may do out of turn, or in place of a card, mostly when it is the time for it."""
        chance, seat = self.room.rng, self.room.rng.randrange(4)
        match chance.choice(("run", "run", "early", "early", "back", "middle", "tea")):
            case "run" if stage.trump is not None and not stage.trick:
                if runs := runs_of(hand_of(self.hand(stage.turn)), stage.trump, stage.played):
                    self.attempt(stage.turn, Run(chance.choice(runs)))
            case "early" if stage.trick:
                if legal := list(cards_of(may_play(stage, hand_of(self.hand(seat))))):
                    self.lay(stage, seat, chance.choice(legal), self.room.octets())
            case "back":
                self.attempt(seat, TakeBack())
            case "middle":
                self.attempt(partner_of(stage.hakem), PickUp())
            case "tea":
                self.attempt(seat, AskTea() if self.table.tea is None else AnswerTea(chance.random() < 0.8))

    @rule(ms=st.sampled_from((1, 1_000, 1_000, 10_000, 20_000, 30_000)))
    def time_passes(self, ms: int) -> None:
        """Whatever deadlines bring."""
        self.run(self.room.turn(ms))

    @rule(down_ms=st.sampled_from((0, 20_000)))
    def restart(self, down_ms: int) -> None:
        """The server is down for so long; the streams of those who are still there go on where they broke."""

        async def again() -> None:
            await self.room.restart(down_ms)
            for reader in self.readers():
                with contextlib.suppress(SeatNotYours):  # who stood in, and does no more
                    reader.attach()

        self.run(again())

    @precondition(lambda self: is_over(self.table))
    @rule(rules=RULES)
    def judge_and_play_again(self, rules: TableRules) -> None:
        """The verifier has nothing against it; the same players sit down at another table."""
        self.judge()
        self.loop.run_until_complete(self._begin(rules))

    def judge(self) -> None:
        """A game that is over."""
        report = self.loop.run_until_complete(self.room.audit_table(self.table_id))
        assert report.verdict in (Verdict.VERIFIED, Verdict.WITH_WARNINGS)

    # What is true at any time.

    def readers(self) -> list[Reader]:
        """Everybody at the end of a stream."""
        return [self.spectator, *(client.reader for client in self.clients.values() if not client.is_taken_over)]

    @invariant()
    def all_see_the_same_table(self) -> None:
        """The spectator, the players and the server."""
        if not self.table_id:
            return
        assert self.table == self.room.table(self.table_id)
        for reader in self.readers():
            assert reader.entries == self.spectator.entries

    def teardown(self) -> None:
        """Every game is played to its end, and judged."""
        try:
            if self.table_id:
                while not is_over(self.table):
                    self.step()
                self.judge()
                self.loop.run_until_complete(self.room.stop())
        finally:
            self.loop.run_until_complete(self.loop.shutdown_default_executor())
            self.loop.close()
            self.folder.cleanup()


ANY: Final = settings(deadline=None, suppress_health_check=list(HealthCheck), stateful_step_count=30)


def test_whatever_players_try_its_answer_can_be_foreseen() -> None:
    """A few games."""
    run_state_machine_as_test(GamesAtRandom, settings=settings(ANY, max_examples=5))


@pytest.mark.soak
def test_whatever_players_try_for_long() -> None:
    """A few thousand."""
    run_state_machine_as_test(GamesAtRandom, settings=settings(ANY, max_examples=2_000, stateful_step_count=80))
