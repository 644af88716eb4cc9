# SPDX-License-Identifier: Apache-2.0
"""Tables that play by the house rules H1 to H4: through restarts, and with face-down cards that stay so.

Every log is judged by the verifier when its test ends.
"""

from __future__ import annotations

from collections import Counter

import pytest

from hokm.errors import EarlyNotOpened
from hokm.events import CallMiddle, EarlyTurned, LayEarly, ServerFault, ServerFaultCause
from hokm.table import Over, Round, Table, may_play, open_decision
from tests.server.lively import LIVELY, Lively
from tests.server.room import Room, is_over

USED_BY_ALL = ("CallMiddle", "LayEarly", "TakeBack", "AskTea", "AnswerTea", "Ready")


async def test_lively_games_go_on_through_restarts(room: Room) -> None:
    """A server that starts again every few moves deals the same, and every face-down card turns over."""
    used: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for _ in range(4):
        table_id, _ = await room.seat_four(LIVELY)
        lively = Lively(room, table_id)
        while not is_over(room.table(table_id)):
            await lively.step()
            if room.rng.random() < 0.15:
                table = room.table(table_id)
                secrets = None if is_over(table) else room.live(table_id).secrets
                await room.restart()
                if secrets is not None:
                    assert room.live(table_id).secrets == secrets
                    assert table.tea is not None or room.table(table_id) == table
        used += lively.used
        kinds += Counter(room.kinds(table_id))
    assert [what for what in USED_BY_ALL if not used[what]] == []
    assert [what for what in ("MiddleTurned", "EarlyTurned", "TeaBegan", "TeaEnded") if not kinds[what]] == []


async def led(room: Room) -> tuple[bytes, Lively, int, int]:
    """A table at which a card is led; a seat that may come early, and a card that it may lay."""
    table_id, _ = await room.seat_four(LIVELY)
    table = await room.play(table_id, lambda table: isinstance(table.stage, Round) and len(table.stage.trick) == 1)
    assert isinstance(table.stage, Round)
    seat = table.stage.turn + 2 & 3
    hand = room.live(table_id).secrets.hands.dealt[seat]
    assert hand is not None
    legal = may_play(table.stage, hand)
    return table_id, Lively(room, table_id), seat, legal.bit_length() - 1


async def test_a_face_down_card_is_sealed_until_it_turns_over(room: Room) -> None:
    """Its box is there from its lay on, and gone with the entry that shows it."""
    table_id, lively, seat, card = await led(room)
    await lively.lay(room.holder(table_id, seat), card)
    assert [name.seat for name in room.store.sealed(table_id) if name.lay] == [seat]
    await room.play(table_id, lambda table: isinstance(table.stage, Round) and not table.stage.trick)
    assert [name for name in room.store.sealed(table_id) if name.lay] == []
    turned = [event.content for event in room.events(table_id) if isinstance(event.content, EarlyTurned)]
    assert [(each.seat, each.card) for each in turned] == [(seat, card)]


async def test_a_lay_that_comes_without_its_card_is_refused(room: Room) -> None:
    """The house must be able to turn it over."""
    table_id, _, seat, _ = await led(room)
    before = room.entries(table_id)
    with pytest.raises(EarlyNotOpened):
        await room.act(table_id, room.holder(table_id, seat), LayEarly(bytes(32), False))
    assert room.entries(table_id) == before


async def test_a_face_down_card_that_is_lost_is_the_houses_fault(room: Room, expected_errors: list[str]) -> None:
    """Like a number."""
    expected_errors.append("a sealed face-down card of table")
    table_id, lively, seat, card = await led(room)
    await lively.lay(room.holder(table_id, seat), card)
    (name,) = [name for name in room.store.sealed(table_id) if name.lay]
    await room.stop()
    room.start_without(table_id, name)
    await room.settle()
    stage = room.table(table_id).stage
    assert stage == Over(ServerFault(ServerFaultCause.SEALED_LOST))


async def test_the_middle_releases_all_cards(room: Room) -> None:
    """Before it nobody but the hakem has a card; it is the entry that makes trumps."""
    table_id, players = await room.seat_four(LIVELY)
    table = await room.play(table_id, lambda table: isinstance(table.stage, Round))
    assert isinstance(table.stage, Round)
    hakem = table.stage.hakem
    await room.act(table_id, players[hakem], CallMiddle())
    assert room.kinds(table_id)[-2:] == ["CallMiddle", "MiddleTurned"]
    first, rest = room.live(table_id).releases
    assert [seat for seat, _ in first.packets] == [hakem]
    assert (rest.version, len(rest.packets)) == (room.table(table_id).version, 11)
    after = room.table(table_id).stage
    assert isinstance(after, Round)
    assert after.extra is not None
    assert after.extra.middle == room.live(table_id).secrets.hands.middle


async def test_clocks_stand_at_tea_also_while_the_server_is_down(room: Room) -> None:
    """Tea ends after its three minutes, and whoever was to play has the time that was left."""
    table_id, _ = await room.seat_four(LIVELY)
    lively = Lively(room, table_id)
    await room.play(table_id, lambda table: isinstance(table.stage, Round))
    await room.turn(4000)
    await lively._tea()
    asked = room.table(table_id)
    assert asked.tea is not None
    left = left_ms(asked, asked.time_ms)
    await room.turn(20_000 - 1)
    assert not room.table(table_id).is_pausing
    await room.turn(1)
    table = room.table(table_id)
    assert table.is_pausing
    await room.restart(down_ms=60_000)
    assert room.table(table_id).is_pausing
    await room.turn(120_000)
    table = room.table(table_id)
    assert room.kinds(table_id)[-1] == "TeaEnded"
    assert left_ms(table, table.time_ms) == left - 20_000


def left_ms(table: Table, now_ms: int) -> int:
    """How long whoever is in turn may still think."""
    assert isinstance(table.stage, Round)
    decision = open_decision(table, table.stage.turn)
    assert decision is not None
    return decision.deadline_ms - now_ms
