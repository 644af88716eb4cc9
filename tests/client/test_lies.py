# SPDX-License-Identifier: Apache-2.0
"""A server that answers, over real sockets, what no answer can be: nobody waits for ever, and nobody falls over."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from hokm.entry import parse_entry
from hokm.events import GameEnded, ProtestOnly, SignedMove
from hokm.rules import TableRules
from hokm.v1 import tables_service_pb2 as pb
from hokm.wire import read_event
from hokm_client.bot import random_legal
from hokm_client.errors import StrangeAnswer
from hokm_client.fraud import Fraud, FraudKind
from tests.client.visits import Lies, guest, house, house_bots, liar

SHORT = TableRules(target=3)


# Tables.


async def test_a_table_opened_by_other_rules_is_not_taken(tmp_path: Path) -> None:
    """What was asked for is held against the table's first entry."""

    def longer(request: bytes) -> bytes:
        asked = pb.OpenTableRequest.FromString(request)
        asked.rules.target = 7
        return asked.SerializeToString()

    async with (
        house(tmp_path) as found,
        liar(found.address, Lies(asked={"OpenTable": longer})) as address,
        guest(address, tmp_path) as player,
    ):
        with pytest.raises(StrangeAnswer, match="other rules"):
            await player.open_table(SHORT)


async def test_a_table_opened_with_the_entry_of_another_is_caught(tmp_path: Path) -> None:
    """What OpenTable answers is the first entry of the stream, and is checked like all others."""
    async with house(tmp_path) as found, guest(found.address, tmp_path) as honest:
        (entry,) = await honest.connection.entries(await honest.open_table(SHORT), 0)

        def of_the_other(answer: bytes) -> bytes:
            opened = pb.OpenTableResponse.FromString(answer)
            opened.entry = entry
            return opened.SerializeToString()

        lies = Lies(answered={"OpenTable": of_the_other})
        async with liar(found.address, lies) as address, guest(address, tmp_path) as player:
            table_id = await player.open_table(SHORT)
            with pytest.raises(Fraud) as caught:
                await player.sit(table_id, 0)
    assert caught.value.kind is FraudKind.BAD_ENTRY


# Lists.


def and_so_on(answer: bytes) -> bytes:
    """There is always one more page."""
    page = pb.ListTablesResponse.FromString(answer)
    page.next_page_token = "more"
    return page.SerializeToString()


def and_nothing_on(answer: bytes) -> bytes:
    """There is always one more page, and nothing is on it."""
    return pb.ListTablesResponse(next_page_token="more").SerializeToString()


def three_seats(answer: bytes) -> bytes:
    """One seat is missing."""
    page = pb.ListTablesResponse.FromString(answer)
    del page.tables[0].seats[3]
    return page.SerializeToString()


@pytest.mark.parametrize("lie", [and_so_on, and_nothing_on, three_seats])
async def test_a_list_of_tables_that_can_be_none(
    tmp_path: Path, lie: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has an end, and every table in it has four seats."""
    monkeypatch.setattr("hokm_client.answers.MOST_TABLES", 3)

    def same_page(request: bytes) -> bytes:
        return pb.ListTablesRequest(page_size=100).SerializeToString()

    lies = Lies(asked={"ListTables": same_page}, answered={"ListTables": lie})
    async with (
        house(tmp_path) as found,
        liar(found.address, lies) as address,
        guest(address, tmp_path) as player,
    ):
        await player.open_table(SHORT)
        with pytest.raises(StrangeAnswer):
            await player.connection.list_tables()


# Ends.


@pytest.mark.parametrize("end", [pb.STREAM_END_GAME_OVER, pb.STREAM_END_DETACHED, pb.STREAM_END_BEHIND, 77])
async def test_a_game_is_not_over_because_its_stream_ends(tmp_path: Path, end: pb.StreamEnd.ValueType) -> None:
    """Entries say that it is over, no word beside them: the table is attached again, and the game played."""
    told: list[pb.StreamEnd.ValueType] = []

    def lie(response: pb.PlayResponse) -> pb.PlayResponse:
        for update in response.updates:
            if update.first_version >= 5 and update.entries and not told:
                told.append(end)
                update.end = end
        return response

    chance = random.Random(1)
    async with (
        house(tmp_path) as found,
        house_bots(found.address, tmp_path),
        liar(found.address, Lies(lie)) as address,
        guest(address, tmp_path) as player,
    ):
        table_id = await player.open_table(SHORT, (1, 2, 3))
        sitting = await player.sit(table_id, 0, choose=lambda question: random_legal(question, chance))
        assert isinstance(await sitting.over, GameEnded)
    assert told


async def test_a_stream_that_ends_again_and_again_is_given_up(tmp_path: Path) -> None:
    """The player is told instead of waiting for ever."""

    def lie(response: pb.PlayResponse) -> pb.PlayResponse:
        for update in tuple(response.updates):
            response.updates.extend([pb.TableUpdate(table_id=update.table_id, end=pb.STREAM_END_DETACHED)] * 4)
        return response

    async with (
        house(tmp_path) as found,
        liar(found.address, Lies(lie)) as address,
        guest(address, tmp_path) as player,
    ):
        table_id = await player.open_table(SHORT)
        sitting = await player.sit(table_id, 0)
        with pytest.raises(StrangeAnswer):
            await sitting.over


# A fraud while a move is unanswered.


async def test_a_protest_is_logged_behind_the_move_that_was_on_its_way(tmp_path: Path) -> None:
    """The way changes an entry while the player's card is unanswered: its answer comes, then the protest goes out."""

    def lie(response: pb.PlayResponse) -> pb.PlayResponse:
        for update in response.updates:
            for place, entry in enumerate(update.entries):
                if update.first_version + place >= 5 and own_move(entry):
                    update.entries[place] = entry[:-1] + bytes([entry[-1] ^ 1])
        return response

    async with (
        house(tmp_path) as found,
        house_bots(found.address, tmp_path),
        liar(found.address, Lies(lie)) as address,
        guest(address, tmp_path) as player,
    ):
        table_id = await player.open_table(SHORT, (1, 2, 3))
        sitting = await player.sit(table_id, 0)
        with pytest.raises(Fraud):
            await sitting.over
        while not any(map(is_protest, await player.connection.entries(table_id, 0))):
            pass


async def test_an_answer_that_never_comes_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then nothing is signed besides the move that is out, and the player is told."""
    monkeypatch.setattr("hokm_client.tableside.ANSWER_SECONDS", 0.1)

    def lie(response: pb.PlayResponse) -> pb.PlayResponse:
        for update in response.updates:
            if any(map(own_move, update.entries)) and update.first_version >= 5:
                del update.entries[:]
                update.entries.append(b"nothing")
        return response

    async with (
        house(tmp_path) as found,
        house_bots(found.address, tmp_path),
        liar(found.address, Lies(lie)) as address,
        guest(address, tmp_path) as player,
    ):
        table_id = await player.open_table(SHORT, (1, 2, 3))
        sitting = await player.sit(table_id, 0)
        with pytest.raises(Fraud):
            await sitting.over
        assert sitting.seat.unanswered is not None


def own_move(entry: bytes) -> bool:
    """A move of seat 0."""
    content = read_event(parse_entry(entry).body).content
    return isinstance(content, SignedMove) and content.move.seat == 0


def is_protest(entry: bytes) -> bool:
    """A protest of seat 0 that is nothing else."""
    content = read_event(parse_entry(entry).body).content
    return isinstance(content, SignedMove) and isinstance(content.move.act, ProtestOnly)
