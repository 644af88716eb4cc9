# SPDX-License-Identifier: Apache-2.0
"""Tables under whatever players, clocks and crashes do: nothing is lost, nothing is stuck, every log is proved."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

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

from hokm.errors import HokmError
from hokm.events import (
    Act,
    AnswerTea,
    Commit,
    Join,
    LayEarly,
    Leave,
    NameTrump,
    Play,
    Protest,
    ProtestOnly,
    ProtestReason,
    Ready,
    Resign,
    Return,
    Reveal,
    Run,
    SeatKind,
)
from hokm.rules import FirstHakem, HakemPasses, Packets, TableRules
from hokm.table import Ceremony, Round, Seating, expires_ms, stand_in_wanted, to_act
from hokm_server.draft import NO_SECRETS, NOTHING_BESIDE, Beside
from tests.server.lively import Lively
from tests.server.room import BOT, BOTS, PERSONS, TWO_AND_BOTS, Room, Seated, is_over

SEATS = st.integers(0, 3)

RULES = st.builds(
    TableRules,
    first_hakem=st.sampled_from(FirstHakem),
    packets=st.sampled_from(Packets),
    open_first_packet=st.booleans(),
    hakem_passes=st.sampled_from(HakemPasses),
    target=st.just(3),
    turn_seconds=st.just(30),
    away_seconds=st.sampled_from((0, 10)),
    partners_middle=st.booleans(),
    coming_early=st.booleans(),
    runs=st.booleans(),
    tea=st.booleans(),
)


class TablesAtRandom(RuleBasedStateMachine):
    """One room, one table at a time, and anything that can come to it."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        self.room: Room
        self.table_id = b""

    def run(self, call: Coroutine[Any, Any, Any]) -> Any:
        """Wait for it, and for whatever it brought about."""

        async def settled() -> Any:
            outcome = await call
            await self.room.settle()
            return outcome

        return self.loop.run_until_complete(settled())

    @initialize(
        seed=st.integers(0, 2**32),
        witnessed=st.booleans(),
        rules=RULES,
        kinds=st.sampled_from((PERSONS, TWO_AND_BOTS, BOTS)),
        steps=st.sampled_from((0, 9, 17, 18, 20, 45, 60, 90)),
    )
    def open(self, seed: int, witnessed: bool, rules: TableRules, kinds: tuple[SeatKind, ...], steps: int) -> None:
        """A table at which so many steps were made, or as many as its game had; in a room with witnesses it waits."""
        rules = replace(rules, witnessed=witnessed)

        async def make() -> None:
            self.room = Room(Path(self.folder.name), seed, witnessed=witnessed)
            self.table_id, _ = await self.room.seat_four(rules, kinds)
            for _ in range(steps):
                if not is_over(self.room.table(self.table_id)):
                    await self.next_step()

        self.loop.run_until_complete(make())

    @precondition(lambda self: is_over(self.room.table(self.table_id)))
    @rule(rules=RULES, kinds=st.sampled_from((PERSONS, TWO_AND_BOTS, BOTS)), seats=st.integers(0, 4))
    def open_another(self, rules: TableRules, kinds: tuple[SeatKind, ...], seats: int) -> None:
        """A table where so many sit down."""
        rules = replace(rules, witnessed=self.room.witnesses is not None)

        async def make() -> None:
            self.table_id = await self.room.open(rules)
            for seat in range(seats):
                await self.room.join(self.table_id, self.room.somebody(seat, kinds[seat]))

        self.run(make())

    # What honest players do.

    @rule(steps=st.integers(1, 30))
    def play_on(self, steps: int) -> None:
        """Honest steps, stand-ins too."""

        async def play() -> None:
            for _ in range(steps):
                table = self.room.table(self.table_id)
                if is_over(table) or isinstance(table.stage, Seating):
                    return
                await self.next_step()

        self.run(play())

    async def next_step(self) -> None:
        """The next decision, a stand-in, or a player at tea who is ready."""
        table = self.room.table(self.table_id)
        if table.is_pausing and stand_in_wanted(table) is None:
            await Lively(self.room, self.table_id).drink()
        else:
            await self.room.step(self.table_id)

    @precondition(lambda self: isinstance(self.room.table(self.table_id).stage, Ceremony | Round))
    @rule(times=st.integers(1, 4))
    def use_house_rules(self, times: int) -> None:
        """Something besides, or the middle; what the rules of the table have switched off is refused."""
        for _ in range(times):
            table = self.room.table(self.table_id)
            if not table.places or is_over(table) or stand_in_wanted(table) is not None:
                return
            self.run(Lively(self.room, self.table_id).something_else())

    @rule()
    def step_of_any_seat(self) -> None:
        """Of those that are to decide, somebody."""
        table = self.room.table(self.table_id)
        open_ = to_act(table)
        if open_ and stand_in_wanted(table) is None:
            self.run(self.room.decide(self.table_id, self.room.rng.choice(open_)[0]))

    @precondition(lambda self: isinstance(self.room.table(self.table_id).stage, Seating))
    @rule(seat=SEATS, kind=st.sampled_from((SeatKind.PERSON, BOT)))
    def sit_down(self, seat: int, kind: SeatKind) -> None:
        """Where the seat is free."""
        with contextlib.suppress(HokmError):
            self.run(self.room.join(self.table_id, self.room.somebody(seat, kind)))

    @rule(
        seat=SEATS,
        act=st.sampled_from((Leave(), Return(), Resign(), ProtestOnly(), Leave(), Return())),
    )
    def say(self, seat: int, act: Act) -> None:
        """A player's own word: taken or refused, or waiting where a stand-in is due."""
        player = self.player(seat)
        if player is None or stand_in_wanted(self.room.table(self.table_id)) is not None:
            return
        protest = None
        if isinstance(act, ProtestOnly):
            protest = Protest(bytes(32) + b"\x02" + (1).to_bytes(4) + bytes(4), ProtestReason.CLOCK)
        with contextlib.suppress(HokmError):
            self.run(self.room.act(self.table_id, player, act, protest=protest))

    @rule()
    def stand_in(self) -> None:
        """Wherever the server wants one, also for who is away."""
        for seat in range(4):
            if self.room.tables.wanted.kind(self.table_id, seat) is SeatKind.STAND_IN:
                self.run(self.room.stand_in(self.table_id, seat))
                return

    # What others do.

    @rule(
        by=SEATS,
        beside=st.sampled_from((0, 0, 0, 1, 2)),
        what=st.integers(0, 9),
        card=st.integers(0, 51),
        skew=st.sampled_from((0, 0, 0, -1, 1)),
    )
    def try_anything(self, by: int, beside: int, what: int, card: int, skew: int) -> None:
        """Any act in any seat, with a head that may be wrong: if it is taken it counts."""
        player = self.player(by)
        table = self.room.table(self.table_id)
        if player is None or stand_in_wanted(table) is not None:
            return
        ceremony = table.stage if isinstance(table.stage, Ceremony) else None
        ctx = bytes(32) + b"\x01" + bytes(8) if ceremony is None else ceremony.ctx
        closed = ceremony.commit_set if ceremony is not None else None
        acts: tuple[Act, ...] = (
            Play(card),
            NameTrump(card % 4),
            Commit(self.room.commitment(player, ctx)),
            Reveal(ctx, closed or self.room.octets()),
            Join(player.kind, player.key.public, self.room.octets()),
            Return(),
            LayEarly(self.room.octets(), bool(card % 2)),
            Run((card, card - card % 13, card)),
            Ready(),
            AnswerTea(bool(card % 2)),
        )
        version = max(0, table.version + skew) if skew < 0 else table.version
        head: dict[str, object] = {"seen_version": version, "number": max(0, player.moves + max(0, skew))}
        if version != table.version and not is_over(table):
            head["seen_hash"] = self.room.live(self.table_id).leaf(version)
        before = table, self.room.entries(self.table_id)
        try:
            signed = self.room.signed(self.table_id, player, acts[what], seat=(by + beside) % 4, **head)
            self.run(self.room.send(self.table_id, player, signed, Beside(player.numbers.get(ctx, b""))))
            player.moves += 1
        except HokmError:
            assert (self.room.table(self.table_id), self.room.entries(self.table_id)) == before

    @rule(seat=SEATS)
    def watch(self, seat: int) -> None:
        """A player comes with a stream."""
        player = self.player(seat)
        if player is not None and self.room.table(self.table_id).places:
            self.room.watch(self.table_id, player.viewer, [seat])

    @rule()
    def all_streams_close(self) -> None:
        """Everybody's network is gone."""
        live = self.room.tables._live.get(self.table_id)
        for subscription in tuple(live.feed.subscriptions) if live is not None else ():
            self.room.tables.unwatch(subscription.outbox)

    # What time and machines do.

    @rule(ms=st.sampled_from((1, 5_000, 9_999, 10_000, 15_000, 29_999, 30_000, 60_000, 3_600_000)))
    def time_passes(self, ms: int) -> None:
        """Whatever alarms there are ring."""
        self.run(self.room.turn(ms))

    @precondition(lambda self: self.room.witnesses is None)  # whose clocks are not
    @rule(ms=st.sampled_from((1_000, 60_000)))
    def the_clock_is_set_back(self, ms: int) -> None:
        """No entry shows it."""
        self.room.clock.ms -= ms

    @precondition(lambda self: self.room.witnesses is not None)
    @rule()
    def the_witnesses_are_gone(self) -> None:
        """Until somebody waits for them."""
        self.room.witnesses.there.clear()  # type: ignore[union-attr]

    @rule(down_ms=st.sampled_from((0, 0, 10_000, 30_000, 120_000)))
    def restart(self, down_ms: int) -> None:
        """The server is down for so long."""
        self.run(self.room.restart(down_ms))

    @rule()
    def crash(self) -> None:
        """The next step is lost on its way to the disk, and made again."""
        table = self.room.table(self.table_id)
        if not to_act(table) or stand_in_wanted(table) is not None:
            return
        before = self.room.entries(self.table_id)
        player = self.room.holder(self.table_id, to_act(table)[0][0])
        signed = self.room.signed(self.table_id, player, Leave())
        self.room.lose_writes()
        self.room.tables.act(player.viewer, self.table_id, signed, NOTHING_BESIDE, lambda made: None)
        self.run(self.room.restart())
        assert self.room.entries(self.table_id)[: len(before)] == before

    # What is true at any time.

    def player(self, seat: int) -> Seated | None:
        """Who joined that seat."""
        table = self.room.table(self.table_id)
        places = table.stage.places if isinstance(table.stage, Seating) else table.places
        place = places[seat] if places else None
        return None if place is None else self.room.by_key[place.public_key]

    @invariant()
    def memory_is_what_the_log_gives(self) -> None:
        """Nothing more and nothing less."""
        if self.table_id:
            assert self.room.folded(self.table_id) == self.room.table(self.table_id)

    @invariant()
    def somebody_can_go_on(self) -> None:
        """A stand-in is wanted, or a deadline will pass and its alarm rings then at the latest."""
        if not self.table_id or is_over(table := self.room.table(self.table_id)):
            return
        wanted = stand_in_wanted(table)
        if wanted is not None:
            assert self.room.tables.wanted.kind(self.table_id, wanted[0]) is SeatKind.STAND_IN
            return
        expires, alarm = expires_ms(table), self.room.live(self.table_id).alarm
        assert expires is not None
        assert alarm in self.room.clock.alarms
        assert alarm is not None
        assert alarm.ms <= expires

    @invariant()
    def confidences_are_those_of_the_ceremony(self) -> None:
        """In memory and sealed on the disk: its numbers, as far as they have come, what is face down, and no others."""
        if not self.table_id or is_over(table := self.room.table(self.table_id)):
            return
        secrets, sealed = self.room.live(self.table_id).secrets, self.room.store.sealed(self.table_id)
        ceremony = table.stage.ceremony if isinstance(table.stage, Round) else table.stage
        if not isinstance(ceremony, Ceremony):
            assert (secrets, sealed) == (NO_SECRETS, {})
            return
        numbers = [seat for seat in range(4) if ceremony.revealed[seat]] + [4]
        lays = [(lay.seat, lay.version) for lay in table.stage.unturned] if isinstance(table.stage, Round) else []
        assert [seat for seat in range(5) if secrets.numbers[seat] is not None] == numbers
        assert [version for version, _ in secrets.laid] == [version for _, version in lays]
        assert sorted(sealed) == sorted((ceremony.ctx, *name) for name in [*((seat, 0) for seat in numbers), *lays])

    def teardown(self) -> None:
        """The verifier judges every log."""
        try:
            if self.table_id:
                self.loop.run_until_complete(self.room.audit())
                self.loop.run_until_complete(self.room.stop())
        finally:
            self.loop.run_until_complete(self.loop.shutdown_default_executor())
            self.loop.close()
            self.folder.cleanup()


ANY = settings(deadline=None, suppress_health_check=list(HealthCheck), stateful_step_count=40)


def test_whatever_comes_tables_go_on_and_are_proved() -> None:
    """A few dozen evenings."""
    run_state_machine_as_test(TablesAtRandom, settings=settings(ANY, max_examples=15))


@pytest.mark.soak
def test_whatever_comes_for_long() -> None:
    """A few thousand."""
    run_state_machine_as_test(TablesAtRandom, settings=settings(ANY, max_examples=3_000, stateful_step_count=80))
