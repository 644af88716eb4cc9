# SPDX-License-Identifier: Apache-2.0
"""Ceremonies that somebody misses, and games that end before their time: every void, fault and ending."""

from __future__ import annotations

import pytest

from hokm.errors import (
    AlreadyResigned,
    GameIsOver,
    OnlyPersonsResign,
    SeatStoodIn,
    TooManyProtests,
    WrongPhase,
)
from hokm.events import (
    CeremonyVoided,
    Commit,
    GameEndCause,
    GameEnded,
    Leave,
    NameTrump,
    Protest,
    ProtestOnly,
    ProtestReason,
    Resign,
    Return,
    RoundRevealed,
    SeatKind,
    ServerFault,
    ServerFaultCause,
    StandInCause,
    StoodIn,
    VoidCause,
)
from hokm.rules import TableRules
from hokm.table import Ceremony, Over, Table, to_act
from tests.server.room import (
    BOT,
    BOTS,
    PERSON,
    SHORT,
    TWO_AND_BOTS,
    Room,
    committing,
    dealt,
    in_turn,
    is_over,
    playing,
    revealing,
)

PATIENT = TableRules(target=3, away_seconds=0)
"""Nobody counts as away."""
TURN = 30_000


def missed(table: Table) -> list[int]:
    """By seat, the deadlines missed in a row."""
    return [place.missed for place in table.places]


# The ceremony.


async def let_ceremony_pass(room: Room, table_id: bytes) -> None:
    """Until every open step has ended."""
    await room.turn(max(open_.deadline_ms for _, open_ in to_act(room.table(table_id))) - room.clock.ms)


async def commit_but(room: Room, table_id: bytes, *silent: int) -> None:
    """All but these do their step."""
    table = await room.play(table_id, lambda table: committing(table) or revealing(table))
    assert isinstance(table.stage, Ceremony)
    closed = table.stage.commit_set
    while True:
        stage = room.table(table_id).stage
        assert isinstance(stage, Ceremony)
        able = [seat for seat, _ in to_act(room.table(table_id)) if seat not in silent]
        if not able or stage.commit_set != closed:
            return
        await room.decide(table_id, able[0])


async def test_who_has_signed_nothing_and_misses_the_first_commit_is_absent(room: Room) -> None:
    """NO_SIGN, at once, and it is no miss; the ceremony begins again with a stand-in."""
    table_id, players = await room.seat_four(PATIENT)
    await commit_but(room, table_id, 2)
    await let_ceremony_pass(room, table_id)
    content = room.last(table_id)
    assert isinstance(content, CeremonyVoided)
    assert (content.cause, content.seats, content.numbers) == (VoidCause.NO_COMMITMENT, (2,), ())
    assert missed(room.table(table_id)) == [0] * 4
    await room.stand_in(table_id, 2)
    assert room.kinds(table_id)[-2:] == ["StoodIn", "CeremonyOpened"]
    stood_in = room.events(table_id)[-2].content
    assert isinstance(stood_in, StoodIn)
    assert stood_in.cause is StandInCause.NO_SIGN
    await room.play(table_id, playing)
    if in_turn(room.table(table_id)) != 2:
        await room.act(table_id, players[2], Return())
    await room.finish(table_id)


async def test_a_seat_that_does_not_commit_is_held_for_the_rest_of_that_ceremony(room: Room) -> None:
    """In a deal, where it has signed before: HELD, one miss, and the player has the seat again when it is dealt."""
    table_id, players = await room.seat_four(PATIENT)
    await room.play(table_id, lambda table: table.round == 1 and committing(table))
    await commit_but(room, table_id, 1)
    await let_ceremony_pass(room, table_id)
    await room.stand_in(table_id, 1)
    stood_in = room.events(table_id)[-2].content
    assert isinstance(stood_in, StoodIn)
    assert stood_in.cause is StandInCause.HELD
    assert room.table(table_id).attempt == 1
    assert missed(room.table(table_id)) == [0, 1, 0, 0]
    stage = room.table(table_id).stage
    assert isinstance(stage, Ceremony)
    with pytest.raises(SeatStoodIn):
        await room.act(table_id, players[1], Commit(room.octets()))
    await room.play(table_id, dealt)
    assert room.holder(table_id, 1) is players[1]
    await room.finish(table_id)


async def test_two_who_do_not_commit_are_held_one_after_the_other(room: Room) -> None:
    """Each with a StoodIn of its own before the next ceremony."""
    table_id, _ = await room.seat_four(PATIENT)
    await room.play(table_id, lambda table: table.round == 1 and committing(table))
    await commit_but(room, table_id, 0, 3)
    await let_ceremony_pass(room, table_id)
    for seat in (0, 3):
        assert room.tables.wanted.kind(table_id, seat) is SeatKind.STAND_IN
        await room.stand_in(table_id, seat)
    assert room.kinds(table_id)[-3:] == ["StoodIn", "StoodIn", "CeremonyOpened"]
    await room.finish(table_id)


async def test_a_side_that_does_not_reveal_twice_loses(room: Room) -> None:
    """One fault a ceremony; with the second the other side has won."""
    table_id, _ = await room.seat_four(PATIENT)
    for fault in (1, 2):
        await room.play(table_id, revealing)
        await commit_but(room, table_id, 0, 2)
        await let_ceremony_pass(room, table_id)
        assert room.table(table_id).faults == (fault, 0)
        content = next(event.content for event in room.events(table_id)[::-1] if type(event.content) is CeremonyVoided)
        assert (content.cause, content.seats) == (VoidCause.NO_NUMBER, (0, 2))
        assert [seat for seat, _ in content.numbers] == [1, 3]
        if fault == 1:
            assert not is_over(room.table(table_id))
    assert room.last(table_id) == GameEnded(GameEndCause.FORFEIT, 1)


async def test_both_sides_that_do_not_reveal_twice_lose(room: Room) -> None:
    """Nobody wins; two of one side in one ceremony are one fault of it."""
    table_id, _ = await room.seat_four(PATIENT)
    for _ in range(2):
        await room.play(table_id, revealing)
        await let_ceremony_pass(room, table_id)
    assert room.last(table_id) == GameEnded(GameEndCause.FORFEIT, None)
    assert room.table(table_id).faults == (2, 2)


async def test_faults_are_kept_over_rounds(room: Room) -> None:
    """One in the draw and one in a later deal make two."""
    table_id, _ = await room.seat_four(PATIENT)
    await room.play(table_id, revealing)
    await commit_but(room, table_id, 3)
    await let_ceremony_pass(room, table_id)
    await room.play(table_id, lambda table: table.round == 2 and revealing(table))
    await commit_but(room, table_id, 1)
    await let_ceremony_pass(room, table_id)
    assert room.last(table_id) == GameEnded(GameEndCause.FORFEIT, 0)


async def test_a_bot_that_does_not_commit_is_stood_in_for(room: Room) -> None:
    """The persons' steps are not open before the last bot's commitment, so nobody else is named."""
    table_id, _ = await room.seat_four(PATIENT, TWO_AND_BOTS)
    await commit_but(room, table_id, 1, 0, 2)
    await let_ceremony_pass(room, table_id)
    content = room.last(table_id)
    assert isinstance(content, CeremonyVoided)
    assert content.seats == (1,)
    await room.finish(table_id)


async def test_a_bots_missing_number_is_the_houses_fault(room: Room) -> None:
    """Whoever else is missing; the game ends, and shows what was thrown away."""
    table_id, _ = await room.seat_four(PATIENT, TWO_AND_BOTS)
    await room.play(table_id, revealing)
    await commit_but(room, table_id, 1, 2)
    await let_ceremony_pass(room, table_id)
    content = room.last(table_id)
    assert isinstance(content, ServerFault)
    assert (content.cause, content.seats) == (ServerFaultCause.NO_NUMBER, (1, 2))
    assert [seat for seat, _ in content.received] == [0, 3]


async def test_a_stand_ins_missing_commitment_is_the_houses_fault(room: Room) -> None:
    """It was held by the operator's own program."""
    table_id, _ = await room.seat_four(PATIENT)
    await commit_but(room, table_id, 2)
    await let_ceremony_pass(room, table_id)
    await room.stand_in(table_id, 2)
    await let_ceremony_pass(room, table_id)
    content = room.last(table_id)
    assert isinstance(content, ServerFault)
    assert content.cause is ServerFaultCause.NO_COMMITMENT


async def test_who_leaves_in_a_ceremony_does_so_at_its_end(room: Room) -> None:
    """Commit and Reveal are still taken; then a stand-in is due. Who returns before that has not left."""
    table_id, players = await room.seat_four(PATIENT)
    await room.play(table_id, lambda table: table.round == 1 and committing(table))
    await room.act(table_id, players[1], Leave())
    await room.act(table_id, players[2], Leave())
    await room.act(table_id, players[2], Return())
    await room.play(table_id, dealt)
    assert room.tables.wanted.kind(table_id, 1) is SeatKind.STAND_IN
    await room.step(table_id)
    content = room.last(table_id)
    assert isinstance(content, StoodIn)
    assert (content.seat, content.cause) == (1, StandInCause.LEFT)
    assert room.holder(table_id, 2) is players[2]
    await room.finish(table_id)


# The end of a game before its time.


async def test_the_game_is_abandoned_when_all_persons_have_left(room: Room) -> None:
    """In a round with its numbers, at once; nobody wins."""
    table_id, players = await room.seat_four(PATIENT, TWO_AND_BOTS)
    await room.play(table_id, playing)
    await room.act(table_id, players[0], Leave())
    await room.stand_in(table_id, 0)
    await room.act(table_id, players[2], Leave())
    assert room.kinds(table_id)[-3:] == ["Leave", "RoundRevealed", "GameEnded"]
    assert room.last(table_id) == GameEnded(GameEndCause.ABANDONED, None)


async def test_the_game_is_abandoned_when_all_persons_leave_in_a_ceremony(room: Room) -> None:
    """Without waiting for its end."""
    table_id, players = await room.seat_four(PATIENT, TWO_AND_BOTS)
    await room.play(table_id, committing)
    for seat in (0, 2):
        await room.act(table_id, players[seat], Leave())
    assert room.kinds(table_id)[-2:] == ["Leave", "GameEnded"]


async def test_the_game_is_abandoned_when_a_round_ends_with_every_person_absent(room: Room) -> None:
    """Stand-ins finish the round, and nothing comes after it."""
    table_id, players = await room.seat_four(SHORT, TWO_AND_BOTS)
    await room.play(table_id, playing)
    while any(room.table(table_id).places[seat].absent is None for seat in (0, 2)):
        turn = in_turn(room.table(table_id))
        if turn in (0, 2) and room.holder(table_id, turn) is players[turn]:
            await room.turn(10_000)
            await room.stand_in(table_id, turn)
        else:
            await room.step(table_id)
    await room.finish(table_id)
    assert room.kinds(table_id)[-2:] == ["RoundRevealed", "GameEnded"]
    assert room.last(table_id) == GameEnded(GameEndCause.ABANDONED, None)
    assert room.table(table_id).round == 1


async def test_a_game_of_bots_goes_on_without_persons(room: Room) -> None:
    """It was opened for bots alone."""
    table_id, players = await room.seat_four(PATIENT, BOTS)
    await room.play(table_id, playing)
    for player in players:
        await room.act(table_id, player, Leave())
        await room.stand_in(table_id, player.seat)
    table = await room.finish(table_id)
    assert isinstance(table.stage, Over)
    assert isinstance(table.stage.ending, GameEnded)
    assert table.stage.ending.cause is GameEndCause.TARGET


async def test_a_side_resigns_when_every_person_of_it_says_so_in_one_round(room: Room) -> None:
    """The score stays; what one said in an earlier round does not count."""
    table_id, players = await room.seat_four(PATIENT)
    with pytest.raises(WrongPhase):
        await room.act(table_id, players[1], Resign())
    await room.play(table_id, playing)
    await room.act(table_id, players[1], Resign())
    with pytest.raises(AlreadyResigned):
        await room.act(table_id, players[1], Resign())
    await room.play(table_id, lambda table: table.round == 2 and playing(table))
    await room.act(table_id, players[3], Resign())
    assert not is_over(room.table(table_id))
    score = room.table(table_id).score
    await room.act(table_id, players[1], Resign())
    assert room.kinds(table_id)[-3:] == ["Resign", "RoundRevealed", "GameEnded"]
    assert room.last(table_id) == GameEnded(GameEndCause.RESIGNED, 0)
    assert room.table(table_id).score == score


async def test_a_person_resigns_for_its_bot_partner_too(room: Room) -> None:
    """A bot does not resign, and is not asked."""
    table_id, players = await room.seat_four(PATIENT, (PERSON, PERSON, BOT, PERSON))
    await room.play(table_id, dealt)
    with pytest.raises(OnlyPersonsResign):
        await room.act(table_id, players[2], Resign())
    await room.act(table_id, players[0], Resign())
    assert room.last(table_id) == GameEnded(GameEndCause.RESIGNED, 1)


async def test_the_deciding_card_is_final(room: Room) -> None:
    """Leaving afterwards is refused: the game is over."""
    table_id, players = await room.seat_four(PATIENT)
    table = await room.finish(table_id)
    revealed = room.events(table_id)[-2].content
    assert isinstance(revealed, RoundRevealed)
    assert table.score == revealed.score
    with pytest.raises(GameIsOver):
        await room.act(table_id, players[0], Leave())


# Protests.


async def test_a_seat_protests_three_times_a_round(room: Room) -> None:
    """In a ceremony and in a round together; a stand-in does not take that from the player."""
    table_id, players = await room.seat_four(PATIENT)
    await room.play(table_id, lambda table: table.round == 1 and committing(table))
    ctx = room.table(table_id).stage.ctx  # type: ignore[union-attr]
    await room.act(table_id, players[0], ProtestOnly(), protest=Protest(ctx, ProtestReason.BAD_CHAIN))
    await room.play(table_id, playing)
    await room.act(table_id, players[0], ProtestOnly(), protest=Protest(ctx, ProtestReason.DENIED_MOVE))
    await room.act(table_id, players[0], Leave())
    await room.stand_in(table_id, 0)
    await room.act(table_id, players[0], ProtestOnly(), protest=Protest(ctx, ProtestReason.CLOCK))
    with pytest.raises(TooManyProtests):
        await room.act(table_id, players[0], ProtestOnly(), protest=Protest(ctx, ProtestReason.CLOCK))
    await room.finish(table_id)


async def test_a_move_may_carry_a_protest(room: Room) -> None:
    """As often as it likes."""
    table_id, _ = await room.seat_four(PATIENT)
    await room.play(table_id, dealt)
    ctx = room.table(table_id).stage.ceremony.ctx  # type: ignore[union-attr]
    hakem = room.holder(table_id, in_turn(room.table(table_id)))
    await room.act(table_id, hakem, NameTrump(2), protest=Protest(ctx, ProtestReason.CLOCK))
    await room.finish(table_id)
