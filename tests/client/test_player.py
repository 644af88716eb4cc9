# SPDX-License-Identifier: Apache-2.0
"""Players at real servers, over real sockets: whole games, and whatever happens to the way and to the server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from pathlib import Path

import pytest

from hokm.errors import NotOfThatGame, SeatedElsewhere, SeatKept, SeatNotFree, WrongJoinCode
from hokm.events import GameEnded, Play, Return, Reveal, RoundRevealed, SignedMove, StandInCause, StoodIn
from hokm.rules import TableRules
from hokm.table import Over, Round, Seating
from hokm.v1 import tables_service_pb2 as pb
from hokm.verify import Verdict
from hokm_client.bot import Decided, random_legal, sensible
from hokm_client.errors import NoFreeSeat, SeatGone, TakenOver, Unreachable
from hokm_client.fraud import Fraud, FraudKind
from hokm_client.player import Player
from hokm_client.question import Question
from hokm_client.sitting import Sitting
from hokm_client.stream import Step
from hokm_server.feed import WATCHERS
from tests.client.visits import Lies, Way, guest, house, house_bots, liar, new_key

SHORT = TableRules(target=3)
QUICK = TableRules(target=3, turn_seconds=2, away_seconds=0)


def by_chance(seed: int = 1):  # type: ignore[no-untyped-def]
    """A player who plays any legal card."""
    chance = random.Random(seed)
    return lambda question: random_legal(question, chance)


async def test_four_persons_play_a_game_that_verifies(tmp_path: Path) -> None:
    """Four programs that trust nobody play over sockets; the last entry is published, and the proofs verify."""
    async with house(tmp_path) as found, contextlib.AsyncExitStack() as guests:
        players = [await guests.enter_async_context(guest(found.address, tmp_path)) for _ in range(4)]
        table_id = await players[0].open_table(SHORT)
        sittings = [await player.sit(table_id, choose=by_chance(seat)) for seat, player in enumerate(players)]
        assert [sitting.number for sitting in sittings] == [0, 1, 2, 3]
        endings = {await sitting.over for sitting in sittings}
        assert len(endings) == 1
        table = sittings[0].table
        entry = (await players[0].connection.entries(table_id, table.version))[0]
        await players[0].check_published(table_id, table.version, entry)
        reports = [await players[1].verify(table_id, number) for number in (None, *range(1, table.round + 1))]
        # A warning remains: no witness has cosigned this log.
        assert {report.verdict for report in reports} == {Verdict.WITH_WARNINGS}, reports
        assert all(report.mine for report in reports)


async def test_a_coroutine_may_choose_and_a_watcher_is_told_everything(tmp_path: Path) -> None:
    """A person thinks; whoever watches sees every entry from the first on."""
    seen: list[Step] = []

    async def think(question: Question) -> Decided:
        await asyncio.sleep(0)
        return sensible(question, random.Random(1))

    async with house(tmp_path) as found, house_bots(found.address, tmp_path), guest(found.address, tmp_path) as player:
        table_id = await player.open_table(SHORT, (0, 1, 3))
        sitting = await player.sit(table_id, 2, choose=think, watch=seen.append)
        ending = await sitting.over
        assert isinstance(ending, GameEnded)
    assert [step.event.version for step in seen] == [*range(len(seen))]
    assert isinstance(seen[-1].after.stage, Over)


async def test_a_table_that_the_server_is_too_busy_for_is_attached_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once the player's other streams have let go of it."""
    key, busy = new_key(), asyncio.Event()

    async with house(tmp_path) as found, contextlib.AsyncExitStack() as guests:

        async def enter(stack: contextlib.AsyncExitStack) -> Player:
            return await stack.enter_async_context(
                Player.connect(found.address, identity=key, policy=tmp_path / "policy")
            )

        late = await enter(guests)
        attach_later = late.stream.attach_later

        def told(table_id: bytes) -> None:
            busy.set()
            attach_later(table_id)

        monkeypatch.setattr(late.stream, "attach_later", told)
        table_id = await late.open_table(SHORT)
        async with contextlib.AsyncExitStack() as others:
            for _ in range(WATCHERS):
                await (await enter(others)).watch(table_id, lambda step: None)
            watching = asyncio.create_task(late.watch(table_id, lambda step: None))
            await busy.wait()
        await watching


async def test_bots_alone_play_while_somebody_watches(tmp_path: Path) -> None:
    """Sixteen tables at once, each checked by who watches it."""
    over: asyncio.Queue[bytes] = asyncio.Queue()

    def watch(step: Step) -> None:
        if isinstance(step.after.stage, Over):
            over.put_nowait(step.after.id)

    async with house(tmp_path) as found, house_bots(found.address, tmp_path), guest(found.address, tmp_path) as player:
        opened = {await player.open_table(SHORT, (0, 1, 2, 3)) for _ in range(16)}
        for table_id in opened:
            await player.watch(table_id, watch)
        ended = {await over.get() for _ in opened}
    assert ended == opened


async def test_a_taken_seat_is_refused_with_its_reason(tmp_path: Path) -> None:
    """The error that the server raised is raised here."""
    async with house(tmp_path) as found, guest(found.address, tmp_path) as one, guest(found.address, tmp_path) as two:
        table_id = await one.open_table(SHORT)
        await one.sit(table_id, 1)
        with pytest.raises(SeatNotFree):
            await two.sit(table_id, 1)
        assert (await two.sit(table_id)).number == 0


async def test_two_quick_seats_are_at_one_table(tmp_path: Path) -> None:
    """Of the rules that were asked for; other rules are another table, which a list finds by them."""
    async with house(tmp_path) as found, guest(found.address, tmp_path) as one, guest(found.address, tmp_path) as two:
        table_id, same = await asyncio.gather(one.quick_seat(SHORT), two.quick_seat(SHORT))
        assert table_id == same
        sitting, other = [await player.sit(table_id) for player in (one, two)]
        assert {sitting.number, other.number} == {0, 1}
        with pytest.raises(SeatedElsewhere):
            await one.quick_seat(TableRules(target=3, tea=True))
        await sitting.leave()
        lively = await one.quick_seat(TableRules(target=3, tea=True))
        assert [table.table_id for table in await two.connection.list_tables(having=pb.RulesWanted(tea=True))] == [
            lively
        ]


async def test_a_rematch_has_the_same_players_in_their_seats(tmp_path: Path) -> None:
    """One who was there opens it, the others find it; the bots come by themselves, and it is played to the end."""
    async with (
        house(tmp_path) as found,
        house_bots(found.address, tmp_path),
        guest(found.address, tmp_path) as one,
        guest(found.address, tmp_path) as two,
        guest(found.address, tmp_path) as foe,
    ):
        game = await one.open_table(SHORT, (0, 3))
        first = [await player.sit(game, seat, choose=by_chance()) for player, seat in ((one, 2), (two, 1))]
        await asyncio.gather(*[sitting.over for sitting in first])
        asked = await asyncio.gather(one.rematch(game), two.rematch(game))
        table_id = asked[0][0]
        assert list(asked) == [(table_id, 2), (table_id, 1)]
        with pytest.raises(SeatKept):
            await foe.sit(table_id, 2)
        with pytest.raises(NotOfThatGame):
            await foe.rematch(game)
        again = [
            await player.sit(table_id, seat, choose=by_chance())
            for player, (_, seat) in zip((one, two), asked, strict=True)
        ]
        await asyncio.gather(*[sitting.over for sitting in again])


async def test_friends_sit_down_at_a_private_table_with_its_code(tmp_path: Path) -> None:
    """Who opened it needs none; whoever does not bring it is refused, and may come back with it."""
    async with house(tmp_path) as found, contextlib.AsyncExitStack() as guests:
        host, friend, foe = [await guests.enter_async_context(guest(found.address, tmp_path)) for _ in range(3)]
        table_id = await host.open_table(SHORT, private=True)
        await host.sit(table_id)
        code = await host.join_code(table_id)
        for player in (friend, foe):
            with pytest.raises(WrongJoinCode):
                await player.sit(table_id)
        assert (await friend.sit(table_id, join_code=code)).number == 1
        assert await foe.join_code(table_id) == ""
        assert await foe.connection.list_tables() == []


async def test_a_seat_is_changed_by_leaving_and_sitting_down_again(tmp_path: Path) -> None:
    """Before the start, as often as the table takes; the game is played from the last one."""
    async with house(tmp_path) as found, house_bots(found.address, tmp_path), guest(found.address, tmp_path) as player:
        table_id = await player.open_table(SHORT)
        for seat in (0, 2, 0):
            sitting = await player.sit(table_id, seat, choose=by_chance())
            await sitting.leave()
        sitting = await player.sit(table_id, 3, choose=by_chance())
        await player.connection.call_bots(table_id, (0, 1, 2))
        assert isinstance(await sitting.over, GameEnded)
        assert [place.public_key == player.key.public for place in sitting.table.places] == [False] * 3 + [True]


async def test_of_two_that_want_one_seat_one_gets_it(tmp_path: Path) -> None:
    """Whoever else sits down there: the entry of another's Join is no answer to one's own."""
    async with house(tmp_path) as found, guest(found.address, tmp_path) as one, guest(found.address, tmp_path) as two:
        for _ in range(8):
            table_id = await one.open_table(SHORT)
            for player in (one, two):
                await player.watch(table_id, lambda step: None)
            sat = await asyncio.gather(one.sit(table_id, 2), two.sit(table_id, 2), return_exceptions=True)
            assert sum(isinstance(result, SeatNotFree) for result in sat) == 1
            (sitting,) = [result for result in sat if isinstance(result, Sitting)]
            await sitting.leave()


async def test_a_game_that_has_begun_has_no_free_seat(tmp_path: Path) -> None:
    """Neither while it goes on nor when it is over."""
    begun, over = asyncio.Event(), asyncio.Event()

    def watch(step: Step) -> None:
        if not isinstance(step.after.stage, Seating):
            begun.set()
        if isinstance(step.after.stage, Over):
            over.set()

    async with house(tmp_path) as found, house_bots(found.address, tmp_path), guest(found.address, tmp_path) as player:
        table_id = await player.open_table(SHORT, (0, 1, 2, 3))
        await player.watch(table_id, watch)
        for reached in (begun, over):
            await reached.wait()
            with pytest.raises(SeatNotFree):
                await player.sit(table_id, 0)
            with pytest.raises(NoFreeSeat):
                await player.sit(table_id)


async def test_a_seat_is_given_back_before_the_start(tmp_path: Path) -> None:
    """Leave frees the seat, and another takes it."""
    async with house(tmp_path) as found, guest(found.address, tmp_path) as one, guest(found.address, tmp_path) as two:
        table_id = await one.open_table(SHORT)
        sitting = await one.sit(table_id, 0)
        await sitting.leave()
        with pytest.raises(SeatGone):
            await sitting.over
        assert (await two.sit(table_id, 0)).number == 0


async def test_a_stand_in_plays_for_who_left_until_the_return(tmp_path: Path) -> None:
    """The house's bots stand in; the player comes back with the same identity and plays on."""
    seen: list[Step] = []
    async with (
        house(tmp_path) as found,
        house_bots(found.address, tmp_path),
        guest(found.address, tmp_path, "ali") as ali,
        guest(found.address, tmp_path) as other,
    ):
        table_id = await ali.open_table(TableRules(target=7), (1, 3))
        playing = asyncio.Event()

        def watch(step: Step) -> None:
            seen.append(step)
            if isinstance(step.after.stage, Round) and step.after.stage.trump is not None:
                playing.set()

        slow = await other.sit(table_id, 2, choose=by_chance(2))
        sitting = await ali.sit(table_id, 0, choose=by_chance(3), watch=watch)
        await playing.wait()
        await sitting.leave()
        back = await ali.sit(table_id, choose=by_chance(4))
        assert back.number == 0
        await back.act(Return())
        ending = await back.over
        assert ending == await slow.over
    stood_in = [step.event.content for step in seen if isinstance(step.event.content, StoodIn)]
    assert any(content.cause is StandInCause.LEFT and content.seat == 0 for content in stood_in)


async def test_who_missed_two_deadlines_comes_back_by_itself(tmp_path: Path) -> None:
    """A program that hung is stood in for, and returns as soon as it can."""
    hung = asyncio.Event()

    async def hang(question: Question) -> Decided:
        if not hung.is_set() and isinstance(question.table.stage, Round) and not question.names_trumps:
            await asyncio.sleep(60)
        return random_legal(question, random.Random(1))

    seen: list[Step] = []

    def watch(step: Step) -> None:
        seen.append(step)
        if isinstance(step.event.content, StoodIn):
            hung.set()

    async with house(tmp_path) as found, house_bots(found.address, tmp_path), guest(found.address, tmp_path) as player:
        table_id = await player.open_table(QUICK, (1, 2, 3))
        sitting = await player.sit(table_id, 0, choose=hang, watch=watch)
        assert isinstance(await sitting.over, GameEnded)
    moves = [step.event.content.move for step in seen if isinstance(step.event.content, SignedMove)]
    acts = [type(move.act) for move in moves if move.seat == 0]
    assert Return in acts
    assert Play in acts[acts.index(Return) :]


# The way and the server.


async def test_no_server_is_one_sentence(tmp_path: Path) -> None:
    """Nobody answers there."""
    async with house(tmp_path) as found:
        address = found.address
    with pytest.raises(Unreachable, match=r"refused|No such|unavailable"):
        async with guest(address, tmp_path):
            pass


@pytest.mark.parametrize("seed", range(3))
async def test_games_go_on_over_a_way_that_breaks(tmp_path: Path, seed: int) -> None:
    """The way is cut again and again; nothing is lost, nothing is played twice, and the game ends."""
    chance = random.Random(seed)
    async with house(tmp_path) as found, contextlib.AsyncExitStack() as guests:
        way = await guests.enter_async_context(Way(found.address))
        players = [await guests.enter_async_context(guest(way.address, tmp_path)) for _ in range(4)]
        table_id = await players[0].open_table(TableRules(target=3, away_seconds=0))
        count = 0

        def cut(step: Step) -> None:
            nonlocal count
            if chance.random() < 0.05 and count < 12:
                count += 1
                asyncio.get_running_loop().call_soon(way.cut)

        sittings = [
            await player.sit(table_id, seat, choose=by_chance(seat), watch=cut if seat == 0 else None)
            for seat, player in enumerate(players)
        ]
        endings = {await sitting.over for sitting in sittings}
        assert len(endings) == 1
        assert isinstance(endings.pop(), GameEnded)
    assert count


async def test_a_server_that_was_started_again_is_taken_up_by_itself(tmp_path: Path) -> None:
    """Stopped in the middle of a game and started at the same address: bots and player play on."""
    seen: list[Step] = []
    far = asyncio.Event()

    def watch(step: Step) -> None:
        seen.append(step)
        if isinstance(step.event.content, RoundRevealed):
            far.set()

    async with contextlib.AsyncExitStack() as stack:
        async with house(tmp_path) as found:
            address, port = found.address, found.port
            await stack.enter_async_context(house_bots(address, tmp_path))
            player = await stack.enter_async_context(guest(address, tmp_path))
            table_id = await player.open_table(TableRules(target=5, away_seconds=0), (1, 2, 3))
            sitting = await player.sit(table_id, 0, choose=by_chance(), watch=watch)
            await far.wait()
        assert not sitting.over.done()
        async with house(tmp_path, port):
            assert isinstance(await sitting.over, GameEnded)
    assert [step.event.version for step in seen] == [*range(len(seen))]


async def test_bots_that_were_started_again_take_up_their_seats(tmp_path: Path) -> None:
    """Keys, numbers and unanswered moves are on the disk: other bots of the same directory go on."""
    begun = asyncio.Event()

    def watch(step: Step) -> None:
        if isinstance(step.event.content, SignedMove) and isinstance(step.event.content.move.act, Reveal):
            begun.set()

    async with house(tmp_path) as found, guest(found.address, tmp_path) as player:
        async with house_bots(found.address, tmp_path):
            table_id = await player.open_table(TableRules(target=5), (1, 2, 3))
            sitting = await player.sit(table_id, 0, choose=by_chance(), watch=watch)
            await begun.wait()
        async with house_bots(found.address, tmp_path):
            assert isinstance(await sitting.over, GameEnded)


async def test_a_player_who_was_started_again_plays_on(tmp_path: Path) -> None:
    """The same identity and directory: the seat is taken up, the cards come again, the numbers are kept."""
    async with house(tmp_path) as found, house_bots(found.address, tmp_path):
        cards = asyncio.Event()

        def watch(step: Step) -> None:
            if isinstance(step.after.stage, Round) and len(step.after.stage.history) == 2:
                cards.set()

        async with guest(found.address, tmp_path, "ali") as player:
            table_id = await player.open_table(SHORT, (1, 2, 3))
            await player.sit(table_id, 0, choose=by_chance(), watch=watch)
            await cards.wait()
        async with guest(found.address, tmp_path, "ali") as player:
            sitting = await player.sit(table_id, choose=by_chance())
            assert sitting.number == 0
            assert isinstance(await sitting.over, GameEnded)


async def test_the_newest_stream_of_a_player_takes_the_seat_over(tmp_path: Path) -> None:
    """The same identity from another program: the first is told so and stops."""
    async with house(tmp_path) as found, guest(found.address, tmp_path) as first:
        table_id = await first.open_table(SHORT)
        sitting = await first.sit(table_id, 0)
        async with Player.connect(found.address, identity=first.key, policy=tmp_path / "policy") as second:
            again = await second.sit(table_id)
            assert again.number == 0
            with pytest.raises(TakenOver):
                await sitting.over


# A server that lies.


async def test_a_lie_on_the_stream_is_caught_and_kept(tmp_path: Path) -> None:
    """An entry that was changed on the way ends the game for this player, with evidence on its disk."""

    def lie(response: pb.PlayResponse) -> pb.PlayResponse:
        for update in response.updates:
            for place, entry in enumerate(update.entries):
                if update.first_version + place == 12:
                    update.entries[place] = entry[:-1] + bytes([entry[-1] ^ 1])
        return response

    async with (
        house(tmp_path) as found,
        house_bots(found.address, tmp_path),
        liar(found.address, Lies(lie)) as address,
        guest(address, tmp_path, "ali") as player,
    ):
        table_id = await player.open_table(SHORT, (1, 2, 3))
        sitting = await player.sit(table_id, 0, choose=by_chance())
        with pytest.raises(Fraud) as caught:
            await sitting.over
    assert caught.value.kind is FraudKind.BAD_SIGNATURE
    (evidence,) = (tmp_path / "guests" / "ali" / "evidence").iterdir()
    assert json.loads(evidence.read_text())["version"] == 12


async def test_an_entry_left_out_on_the_stream_is_caught(tmp_path: Path) -> None:
    """Nothing is stepped over."""

    def lie(response: pb.PlayResponse) -> pb.PlayResponse:
        for update in response.updates:
            if update.first_version <= 14 < update.first_version + len(update.entries):
                del update.entries[:]
        return response

    async with (
        house(tmp_path) as found,
        house_bots(found.address, tmp_path),
        liar(found.address, Lies(lie)) as address,
        guest(address, tmp_path) as player,
    ):
        table_id = await player.open_table(SHORT, (1, 2, 3))
        sitting = await player.sit(table_id, 0, choose=by_chance())
        with pytest.raises(Fraud) as caught:
            await asyncio.wait_for(asyncio.shield(sitting.over), 20)
    assert caught.value.kind is FraudKind.GAP
