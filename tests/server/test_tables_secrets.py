# SPDX-License-Identifier: Apache-2.0
"""What never goes out before its time: no number, no card of another seat, in no file, stream, line or error.

Two games that differ only in cards hidden from a viewer send that viewer the same bytes, until the difference is
played.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from hokm.cards import PACK
from hokm.deal import deal, packets_of, prk
from hokm.errors import HokmError
from hokm.events import NameTrump, Play
from hokm.rules import Packets, TableRules
from hokm.table import Round
from hokm_server import draft
from tests.server.readers import WATCHER, Reader
from tests.server.room import (
    Room,
    in_turn,
    is_over,
    playing,
    revealing,
)

# Secrets.


def files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file, whole."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        yield path.name, path.read_bytes()


async def test_nothing_shows_what_is_hidden(room: Room, caplog: pytest.LogCaptureFixture) -> None:
    """Before RoundRevealed: no number, nothing made of the numbers, no card of another seat.

    Not in any file, stream, diagnostic line or error; at every step of a game.
    """
    caplog.set_level(logging.DEBUG)
    table_id, players = await room.seat_four()
    watcher = Reader(room, table_id, WATCHER)
    readers = [Reader(room, table_id, player.viewer, (player.seat,)) for player in players]
    refusals: list[str] = []
    steps = 0
    while not is_over(room.table(table_id)):
        await room.step(table_id)
        await watcher.read()
        for reader in readers:
            await reader.read()
        table = room.table(table_id)
        if is_over(table):
            break
        for player in players:
            try:
                await room.act(table_id, player, Play(room.rng.choice(hidden_from(room, table_id, player.seat))))
            except HokmError as error:
                refusals.append(f"{error.reason} {error.facts} {error}")
        if steps % 3 == 0:
            numbers, made, hands = needles(room, table_id)
            public = {name: octets for name, octets in files(room.folder) if not name.endswith(".lock")}
            for needle in (*numbers, *made):
                assert not [name for name, octets in public.items() if needle in octets]
                assert not any(needle in reader.octets for reader in (watcher, *readers))
                assert needle.hex() not in caplog.text
                assert not any(needle.hex() in refusal for refusal in refusals)
            for owner, cards in hands:
                assert not [name for name, octets in public.items() if cards in octets]
                assert cards not in watcher.octets
                assert not any(cards in reader.octets for reader in readers if owner not in reader.seats)
        steps += 1
    assert steps > 50


def hidden_from(room: Room, table_id: bytes, seat: int) -> list[int]:
    """Cards that the seat does not hold; any, where nothing is dealt."""
    hand = room.live(table_id).secrets.hands.dealt[seat] or 0
    return [card for card in PACK if not hand >> card & 1]


def needles(room: Room, table_id: bytes) -> tuple[list[bytes], list[bytes], list[tuple[int, bytes]]]:
    """What must be nowhere: numbers, what is made of them, and packets by seat that are not public."""
    secrets, stage = room.live(table_id).secrets, room.table(table_id).stage
    numbers = [number for number in secrets.numbers if number is not None]
    if not isinstance(stage, Round):
        return numbers, [], []
    assert stage.ceremony.commit_set is not None
    key = prk(stage.ceremony.commit_set, numbers)
    deck = deal(stage.ceremony.commit_set, numbers)
    hands = [(seat, bytes(cards)) for packet in secrets.packets for seat, cards in enumerate(packet) if len(cards) > 3]
    return numbers, [key, bytes(deck)], hands


async def test_what_was_sealed_is_gone_when_it_is_public(room: Room) -> None:
    """The boxes of a ceremony and of a round, out of the table and out of every page of the file."""
    table_id, _ = await room.seat_four()
    boxes: set[bytes] = set()
    while not is_over(room.table(table_id)):
        await room.step(table_id)
        there = room.store.sealed(table_id)
        boxes |= set(there.values())
        secrets = None if is_over(room.table(table_id)) else room.live(table_id).secrets
        ctxs = {name.ctx for name in there}
        assert ctxs == ({secrets.ctx} if secrets is not None and secrets.ctx else set())
        if secrets is not None:
            assert sorted(name.seat for name in there) == [s for s in range(5) if secrets.numbers[s] is not None]
    assert len(boxes) > 10
    await room.restart()
    await room.stop()
    for name, octets in files(room.folder):
        assert not [box for box in boxes if box in octets], name
    room.start()


# Non-interference.


def two_decks(rng: random.Random, hakem: int, hidden: set[int]) -> tuple[list[int], list[int]]:
    """Two packs that differ only in the cards of the hidden seats."""
    one = list(PACK)
    rng.shuffle(one)
    places = packets_of(list(PACK), hakem, Packets.FIVE_FOUR_FOUR)
    of_hidden = [place for packet in places for seat, some in enumerate(packet) if seat in hidden for place in some]
    other = list(one)
    moved = rng.sample(of_hidden, 2) if rng.random() < 0.5 else of_hidden  # a small difference stays hidden for long
    cards = [one[place] for place in moved]
    while other == one:
        rng.shuffle(cards)
        for place, card in zip(moved, cards, strict=True):
            other[place] = card
    return one, other


@pytest.mark.parametrize("viewer", [None, 0, 1, 2, 3], ids=["watcher", "seat 0", "seat 1", "seat 2", "seat 3"])
@pytest.mark.parametrize("is_open", [False, True])
async def test_games_that_differ_in_hidden_cards_look_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, viewer: int | None, is_open: bool
) -> None:
    """Byte for byte, to a watcher and to each seat, refused moves too, until a card that differs is played."""
    seen = 0
    for seed in range(6):
        seen += await _same_until_played(tmp_path / str(seed), monkeypatch, viewer, is_open, seed)
    assert seen > 60


async def _same_until_played(
    folder: Path, monkeypatch: pytest.MonkeyPatch, seat: int | None, is_open: bool, seed: int
) -> int:
    """How many cards were played until the games could be told apart."""
    decks: list[list[int]] = []
    rooms = []
    for name in ("one", "other"):
        (folder / name).mkdir(parents=True)
        rooms.append(Room(folder / name, seed))
    rng = random.Random(seed)

    def use(which: int) -> None:
        monkeypatch.setattr(draft, "deal", lambda commit_set, numbers: decks[which])

    tables, readers = [], []
    for room in rooms:
        table_id, players = await room.seat_four(TableRules(target=3, open_first_packet=is_open))
        await room.play(table_id, lambda table: table.round == 1 and revealing(table))
        for player in players[:3]:
            await room.decide(table_id, player.seat)
        viewer = WATCHER if seat is None else players[seat].viewer
        tables.append(table_id)
        readers.append(Reader(room, table_id, viewer, () if seat is None else (seat,)))
    hakem = rooms[0].table(tables[0]).hakem
    assert hakem is not None
    decks += two_decks(rng, hakem, {0, 1, 2, 3} - {seat})

    async def same() -> None:
        one, other = [await reader.read() for reader in readers]
        assert one == other

    async def both(act: object, by: int, refused: bool = False) -> None:
        outcomes: list[object] = []
        for which, room in enumerate(rooms):
            use(which)
            try:
                await room.act(tables[which], room.holder(tables[which], by), act)  # type: ignore[arg-type]
                outcomes.append(None)
            except HokmError as error:
                outcomes.append((error.reason, error.facts, str(error)))
        assert outcomes[0] == outcomes[1]
        assert (outcomes[0] is not None) == refused

    for which, room in enumerate(rooms):
        use(which)
        await room.decide(tables[which], 3)
    await same()
    await both(NameTrump(seed % 4), hakem)
    await same()
    count = 0
    while playing(rooms[0].table(tables[0])):
        table = rooms[0].table(tables[0])
        turn = in_turn(table)
        common = sorted(set(rooms[0].legal(tables[0])) & set(rooms[1].legal(tables[1])))
        if not common:
            break
        if turn == seat:
            await both(Play(rng.choice(hidden_from(rooms[0], tables[0], seat))), turn, refused=True)
            await same()
        await both(Play(rng.choice(common)), turn)
        await same()
        count += 1
    for room in rooms:
        await room.stop()
    return count
