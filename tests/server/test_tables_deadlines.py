# SPDX-License-Identifier: Apache-2.0
"""What happens when a seat does not act, by a clock turned by hand: the policy, stand-ins, and coming back."""

from __future__ import annotations

import pytest

from hokm.cards import hand_of
from hokm.errors import (
    AlreadyBack,
    AlreadyLeft,
    KeyNotNew,
    NotAbsent,
    NotAnOperator,
    NotYourTurn,
    SeatNotFree,
    SeatNotYours,
    SeatStoodIn,
    StandInNotDue,
    TooManyReturns,
)
from hokm.events import (
    Join,
    Leave,
    Play,
    Return,
    SeatKind,
    StandInCause,
    StoodIn,
    TimedOut,
)
from hokm.rules import TableRules, timeout_card, timeout_trump
from hokm.table import Round, Table, to_act
from hokm_server.draft import NOTHING_BESIDE
from hokm_server.live import Made
from tests.server.room import (
    BOT,
    BOTS,
    PERSON,
    SHORT,
    Room,
    Seated,
    dealt,
    in_turn,
    playing,
)

PATIENT = TableRules(target=3, away_seconds=0)
"""Nobody counts as away."""
TURN = 30_000


def missed(table: Table) -> list[int]:
    """By seat, the deadlines missed in a row."""
    return [place.missed for place in table.places]


# Trumps and cards.


async def test_the_house_names_trumps_by_its_policy_at_the_deadline(room: Room) -> None:
    """Not a millisecond before."""
    table_id, _ = await room.seat_four(PATIENT)
    await room.play(table_id, dealt)
    hakem, five = in_turn(room.table(table_id)), room.live(table_id).secrets.hands.five
    assert five is not None
    await room.turn(TURN - 1)
    assert dealt(room.table(table_id))
    await room.turn(1)
    assert room.last(table_id) == TimedOut(hakem, trump=int(timeout_trump(five)))
    assert missed(room.table(table_id))[hakem] == 1


async def test_the_house_plays_a_card_by_its_policy_at_the_deadline(room: Room) -> None:
    """The lowest legal card that is no trump; the next seat's time begins then."""
    table_id, _ = await room.seat_four(PATIENT)
    await room.play(table_id, playing)
    await room.step(table_id)
    stage = room.table(table_id).stage
    assert isinstance(stage, Round)
    assert stage.trump is not None
    legal = room.legal(table_id)
    await room.turn(TURN)
    card = timeout_card(hand_of(tuple(legal)), stage.led, stage.trump)
    assert room.last(table_id) == TimedOut(stage.turn, card=card)
    after = room.table(table_id).stage
    assert isinstance(after, Round)
    assert after.decision is not None
    assert after.decision.deadline_ms == room.clock.ms + TURN


async def test_a_move_counts_until_its_last_millisecond(room: Room) -> None:
    """One millisecond later the house has acted."""
    table_id, _ = await room.seat_four(PATIENT)
    await room.play(table_id, playing)
    await room.turn(TURN - 1)
    await room.step(table_id)
    player = room.holder(table_id, in_turn(room.table(table_id)))
    late = room.signed(table_id, player, Play(room.some_card(table_id)))
    room.clock.ms += TURN  # the alarm has not rung yet
    with pytest.raises(NotYourTurn):
        await room.send(table_id, player, late)
    assert isinstance(room.last(table_id), TimedOut)


async def test_who_missed_a_deadline_has_half_the_time_until_it_acts(room: Room) -> None:
    """The hakem, who misses the naming of trumps, and then leads in time."""
    table_id, _ = await room.seat_four(PATIENT)
    await room.play(table_id, dealt)
    hakem = in_turn(room.table(table_id))
    await room.turn(TURN)
    assert to_act(room.table(table_id))[0][1].length_ms == TURN // 2
    await room.step(table_id)
    assert missed(room.table(table_id))[hakem] == 0
    await room.play(table_id, lambda table: playing(table) and in_turn(table) == hakem)
    assert to_act(room.table(table_id))[0][1].length_ms == TURN


async def absent(room: Room, table_id: bytes) -> int:
    """Have the hakem miss trumps and lead: the seat that wants a stand-in."""
    await room.play(table_id, dealt)
    hakem = in_turn(room.table(table_id))
    await room.turn(TURN)
    await room.turn(TURN // 2)
    assert room.tables.wanted.kind(table_id, hakem) is SeatKind.STAND_IN
    return hakem


async def test_two_deadlines_missed_in_a_row_bring_a_stand_in(room: Room) -> None:
    """A StoodIn is due: nothing goes on without it, and who waits for it is answered after it."""
    table_id, _ = await room.seat_four(PATIENT)
    hakem = await absent(room, table_id)
    before = room.table(table_id)
    player = room.holder(table_id, in_turn(before))
    answers: list[object] = []
    move = room.signed(table_id, player, Play(room.some_card(table_id)))
    room.tables.act(player.viewer, table_id, move, NOTHING_BESIDE, answers.append)
    await room.settle()
    assert (answers, room.table(table_id)) == ([], before)
    await room.stand_in(table_id, hakem)
    await room.settle()
    player.moves += 1
    assert room.kinds(table_id)[-2:] == ["StoodIn", "Play"]
    assert isinstance(answers[0], Made)
    content = room.events(table_id)[-2].content
    assert isinstance(content, StoodIn)
    assert (content.seat, content.cause) == (hakem, StandInCause.MISSED)
    assert room.tables.wanted.kind(table_id, hakem) is None
    await room.finish(table_id)


async def test_a_deadline_passes_also_while_a_stand_in_is_waited_for(room: Room) -> None:
    """Nothing is lost by that: it is acted upon right after the StoodIn, and is the seat's own in turn."""
    table_id, _ = await room.seat_four(PATIENT)
    hakem = await absent(room, table_id)
    await room.turn(10 * TURN)
    assert room.kinds(table_id)[-1] == "TimedOut"
    await room.stand_in(table_id, hakem)
    assert room.kinds(table_id)[-2:] == ["StoodIn", "TimedOut"]
    await room.finish(table_id)


async def test_only_an_operators_new_bot_stands_in_where_one_is_wanted(room: Room) -> None:
    """Each other Join is refused with its reason, and the stand-in comes after it all the same."""
    table_id, players = await room.seat_four(PATIENT)
    hakem = await absent(room, table_id)
    before = room.entries(table_id)

    async def refused(player: Seated, seat: int, error: type[Exception], **join: object) -> None:
        fields = {"kind": BOT, "public_key": player.key.public, "join_nonce": room.octets()} | join
        with pytest.raises(error):
            await room.act(table_id, player, Join(**fields), seat=seat)  # type: ignore[arg-type]
        assert room.entries(table_id) == before

    bot = room.somebody(hakem, BOT)
    await refused(bot, (hakem + 1) % 4, StandInNotDue)
    await refused(bot, hakem, SeatNotYours, kind=PERSON)
    person = room.somebody(hakem)
    await refused(person, hakem, NotAnOperator)
    await refused(person, hakem, SeatNotFree, kind=PERSON)
    player = Seated(hakem, BOT, players[hakem].key, room.operator)
    await refused(player, hakem, KeyNotNew)
    house = Seated(hakem, BOT, room.keys.event, room.operator)
    await refused(house, hakem, KeyNotNew)
    await room.stand_in(table_id, hakem)
    await room.finish(table_id)


async def test_a_stand_in_has_its_seat_to_itself(room: Room) -> None:
    """The player's card is refused until it has returned; the player has the next decision then."""
    table_id, players = await room.seat_four(PATIENT)
    seat = await absent(room, table_id)
    await room.stand_in(table_id, seat)
    await room.play(table_id, lambda table: playing(table) and in_turn(table) == seat)
    player = players[seat]
    with pytest.raises(SeatStoodIn):
        await room.act(table_id, player, Play(room.some_card(table_id)))
    await room.act(table_id, player, Return())
    with pytest.raises(AlreadyBack):
        await room.act(table_id, player, Return())
    assert room.holder(table_id, seat) is not player
    await room.step(table_id)
    assert room.holder(table_id, seat) is player
    with pytest.raises(NotAbsent):
        await room.act(table_id, player, Return())
    await room.finish(table_id)


async def test_who_returns_while_others_decide_is_in_control_at_once(room: Room) -> None:
    """No decision of the seat is open that the stand-in could still make."""
    table_id, players = await room.seat_four(PATIENT)
    seat = await absent(room, table_id)
    await room.stand_in(table_id, seat)
    await room.play(table_id, lambda table: playing(table) and in_turn(table) != seat)
    await room.act(table_id, players[seat], Return())
    assert room.holder(table_id, seat) is players[seat]
    assert missed(room.table(table_id))[seat] == 0
    await room.finish(table_id)


async def test_a_seat_returns_three_times_a_round(room: Room) -> None:
    """The fourth time it is refused; in the next round it may again."""
    table_id, players = await room.seat_four(PATIENT)
    await room.play(table_id, playing)
    seat = (in_turn(room.table(table_id)) + 2) % 4
    for _ in range(3):
        await room.act(table_id, players[seat], Leave())
        await room.stand_in(table_id, seat)
        await room.act(table_id, players[seat], Return())
    await room.act(table_id, players[seat], Leave())
    await room.stand_in(table_id, seat)
    with pytest.raises(AlreadyLeft):
        await room.act(table_id, players[seat], Leave())
    with pytest.raises(TooManyReturns):
        await room.act(table_id, players[seat], Return())
    await room.play(table_id, lambda table: table.round == 2 and playing(table))
    await room.act(table_id, players[seat], Return())
    await room.finish(table_id)


# Away.


async def away(room: Room, rules: TableRules = SHORT) -> tuple[bytes, int]:
    """A table at which a person without a stream is waited for."""
    table_id, _ = await room.seat_four(rules)
    await room.play(table_id, dealt)
    return table_id, in_turn(room.table(table_id))


async def test_who_shows_no_sign_of_life_is_stood_in_for(room: Room) -> None:
    """After away_seconds a stand-in is wanted; it has the time that is left, and it is no miss."""
    table_id, hakem = await away(room)
    await room.turn(9_999)
    assert room.tables.wanted.kind(table_id, hakem) is None
    with pytest.raises(StandInNotDue):
        await room.stand_in(table_id, hakem)
    await room.turn(1)
    assert room.tables.wanted.kind(table_id, hakem) is SeatKind.STAND_IN
    deadline = to_act(room.table(table_id))[0][1].deadline_ms
    await room.stand_in(table_id, hakem)
    content = room.last(table_id)
    assert isinstance(content, StoodIn)
    assert content.cause is StandInCause.AWAY
    assert to_act(room.table(table_id))[0][1].deadline_ms == deadline
    assert missed(room.table(table_id))[hakem] == 0
    await room.finish(table_id)


async def test_who_comes_back_in_time_keeps_the_seat(room: Room) -> None:
    """By a stream or by any move, also a refused one; then the ten seconds begin again."""
    table_id, hakem = await away(room)
    player = room.holder(table_id, hakem)
    await room.turn(10_000)
    with pytest.raises(NotAbsent):
        await room.act(table_id, player, Return())
    assert room.tables.wanted.kind(table_id, hakem) is None
    with pytest.raises(StandInNotDue):
        await room.stand_in(table_id, hakem)
    await room.turn(9_999)
    outbox = room.watch(table_id, player.viewer, [hakem])
    await room.turn(5_000)
    assert room.tables.wanted.kind(table_id, hakem) is None
    room.tables.unwatch(outbox)
    assert room.tables.wanted.kind(table_id, hakem) is None
    await room.step(table_id)
    await room.finish(table_id)


async def test_who_has_a_stream_is_not_away(room: Room) -> None:
    """Until it closes: then after ten seconds."""
    table_id, hakem = await away(room)
    outbox = room.watch(table_id, room.holder(table_id, hakem).viewer, [hakem])
    await room.turn(15_000)
    assert room.tables.wanted.kind(table_id, hakem) is None
    room.tables.unwatch(outbox)
    await room.turn(10_000)
    assert room.tables.wanted.kind(table_id, hakem) is SeatKind.STAND_IN


async def test_somebody_elses_stream_is_no_sign_of_life(room: Room) -> None:
    """A watcher's, the operator's, or that of a key which gave the seat back before the game."""
    table_id = await room.open()
    former = room.somebody(0)
    await room.join(table_id, former)
    room.watch(table_id, former.viewer, [0])
    await room.act(table_id, former, Leave())
    await room.sit(table_id)
    for viewer in (room.operator, former.viewer):
        room.watch(table_id, viewer)
    seat = 0
    await room.play(table_id, lambda table: playing(table) and in_turn(table) == seat)
    await room.turn(10_000)
    assert room.tables.wanted.kind(table_id, seat) is SeatKind.STAND_IN
    await room.stand_in(table_id, seat)
    await room.finish(table_id)


async def test_the_deadline_ends_the_chance_to_stand_in_for_the_away(room: Room) -> None:
    """From then on the house has acted; nobody is wanted any more."""
    table_id, hakem = await away(room)
    await room.turn(TURN)
    assert room.kinds(table_id)[-1] == "TimedOut"
    assert room.tables.wanted.kind(table_id, hakem) is None
    with pytest.raises(StandInNotDue):
        await room.stand_in(table_id, hakem)


async def test_nobody_is_away_in_a_ceremony_nor_where_it_is_off(room: Room) -> None:
    """Nor is a bot."""
    table_id, _ = await room.seat_four(PATIENT)
    await room.turn(TURN - 1)
    assert room.tables.wanted.after(0) == []
    await room.play(table_id, dealt)
    await room.turn(TURN - 1)
    assert room.tables.wanted.after(0) == []
    bots, _ = await room.seat_four(SHORT, BOTS)
    await room.play(bots, dealt)
    await room.turn(TURN - 1)
    assert not [seat for seat in range(4) if room.tables.wanted.kind(bots, seat)]
