# SPDX-License-Identifier: Apache-2.0
"""Moves that come twice, and moves that must not count: each gets its one answer, and nothing else changes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from hokm.deal import commitment
from hokm.errors import (
    AlreadyCommitted,
    AlreadyRevealed,
    AlreadySeated,
    BadSignature,
    CardNotHeld,
    CommitmentCopied,
    GameIsOver,
    HokmError,
    KeyNotNew,
    MustFollowSuit,
    NotAbsent,
    NotAnOperator,
    NothingProtested,
    NotOpenYet,
    NotYourTurn,
    NumberNotNext,
    NumberNotOpened,
    RuleOff,
    SeatIsFree,
    SeatNotFree,
    SeatNotYours,
    SeenFell,
    SeenNotYet,
    SeenOther,
    StaleMove,
    TableBusy,
    UnknownTable,
    WrongCommitSet,
    WrongContext,
    WrongGame,
    WrongPhase,
)
from hokm.events import (
    AskTea,
    Commit,
    Join,
    Leave,
    NameTrump,
    PickUp,
    Play,
    ProtestOnly,
    Ready,
    Resign,
    Return,
    Reveal,
    Run,
    SignedMove,
)
from hokm.rules import TableRules
from hokm.table import Ceremony, Round, open_decision, to_act
from hokm_server.auth import Viewer
from hokm_server.draft import NOTHING_BESIDE, Beside
from hokm_server.live import KEPT_ENTRIES, MOST_WAITING, Made
from tests.server.room import (
    BOT,
    PERSON,
    TWO_AND_BOTS,
    Room,
    Seated,
    committing,
    dealt,
    in_turn,
    is_over,
    playing,
    revealing,
)

# The same bytes again.


class Sent:
    """Everything that was sent and answered in a room."""

    def __init__(self, room: Room) -> None:
        self.moves: list[tuple[Seated, SignedMove, Beside, Made]] = []
        self._send = room.send
        room.send = self.send  # type: ignore[method-assign]

    async def send(
        self,
        table_id: bytes,
        player: Seated,
        signed: SignedMove,
        beside: Beside = NOTHING_BESIDE,
        viewer: Viewer | None = None,
    ) -> Made:
        """Send, and remember."""
        made = await self._send(table_id, player, signed, beside, viewer)
        self.moves.append((player, signed, beside, made))
        return made

    async def all_again(self, room: Room, table_id: bytes) -> None:
        """Everything again: the same answers, and nothing changes."""
        before = room.table(table_id)
        for player, signed, beside, made in self.moves:
            again = await self._send(table_id, player, signed, beside)
            assert again[:2] == made[:2]
        assert room.table(table_id) == before


async def eventful_game(room: Room, each: Callable[[bytes], Awaitable[None]]) -> bytes:
    """A game in which seats change hands, with something done after each of its phases."""
    table_id = await room.open()
    fickle = room.somebody(3)
    await room.join(table_id, fickle)
    await room.act(table_id, fickle, Leave())
    await each(table_id)
    players = await room.sit(table_id, TWO_AND_BOTS)
    await each(table_id)
    await room.play(table_id, revealing)
    await each(table_id)
    await room.play(table_id, dealt)
    await each(table_id)
    await room.play(table_id, playing)
    for _ in range(2):
        await room.act(table_id, players[0], Leave())
        await room.stand_in(table_id, 0)
        await room.play(table_id, lambda table: playing(table) and in_turn(table) == 0)
        await room.step(table_id)
        await room.act(table_id, players[0], Return())
    await each(table_id)
    await room.play(table_id, lambda table: table.round == 2 and committing(table))
    await each(table_id)
    await room.finish(table_id)
    await each(table_id)
    return table_id


async def test_the_same_bytes_get_the_same_answer_in_every_phase(room: Room) -> None:
    """Of every move of the game so far, whoever has the seat by now; nothing is done twice."""
    sent = Sent(room)
    await eventful_game(room, lambda table_id: sent.all_again(room, table_id))
    assert len(sent.moves) > 100


async def test_the_same_bytes_get_the_same_answer_after_a_restart(room: Room) -> None:
    """Out of the log, also when the game is over."""
    sent = Sent(room)

    async def restart(table_id: bytes) -> None:
        await room.restart()
        await sent.all_again(room, table_id)

    await eventful_game(room, restart)


async def test_the_same_bytes_are_answered_while_a_stand_in_is_waited_for(room: Room) -> None:
    """A Leave pressed twice is answered twice, at once."""
    table_id, players = await room.seat_four()
    await room.play(table_id, playing)
    leave = room.signed(table_id, players[1], Leave())
    first = await room.send(table_id, players[1], leave)
    again = await room.send(table_id, players[1], leave)
    assert (again.version, again.entry) == (first.version, first.entry)
    players[1].moves += 1
    await room.finish(table_id)


async def test_moves_that_come_at_once_act_once(room: Room) -> None:
    """Ten copies of a card in one instant, with another card of the same number among them."""
    table_id, _ = await room.seat_four()
    await room.play(table_id, playing)
    player = room.holder(table_id, in_turn(room.table(table_id)))
    one, other, *_ = (room.signed(table_id, player, Play(card)) for card in room.legal(table_id))
    before = room.table(table_id).version
    sends = [room.send(table_id, player, signed) for signed in (one, one, other, *[one] * 8)]
    answers = await asyncio.gather(*sends, return_exceptions=True)
    assert isinstance(answers[2], NotYourTurn | NumberNotNext)
    made = [answer for answer in answers if isinstance(answer, Made)]
    assert len(made) == 10
    assert {(each.version, each.entry) for each in made} == {(before + 1, room.entries(table_id)[-1])}
    player.moves += 1
    await room.finish(table_id)


async def test_several_seats_commit_and_reveal_at_once(room: Room) -> None:
    """A move is not stale because others came between."""
    table_id, players = await room.seat_four()
    stage = room.table(table_id).stage
    assert isinstance(stage, Ceremony)
    made = await asyncio.gather(
        *(room.act(table_id, player, Commit(room.commitment(player, stage.ctx))) for player in players)
    )
    assert [each.version for each in made] == [7, 8, 9, 10]
    stage = room.table(table_id).stage
    assert isinstance(stage, Ceremony)
    assert stage.commit_set is not None
    reveal = Reveal(stage.ctx, stage.commit_set)
    await asyncio.gather(*(room.act(table_id, player, reveal, Beside(player.numbers[stage.ctx])) for player in players))
    assert room.kinds(table_id)[-2:] == ["HakemDrawn", "CeremonyOpened"]
    await room.finish(table_id)


async def test_only_so_many_moves_of_one_caller_wait_for_a_table(room: Room) -> None:
    """One more is refused, and can come again later; they keep out nobody else's, least of all the stand-in."""
    table_id, players = await room.seat_four()
    await room.play(table_id, playing)
    await room.act(table_id, players[0], Leave())
    answers: list[object] = []
    for _ in range(MOST_WAITING + 1):
        signed = room.signed(table_id, players[1], ProtestOnly())
        room.tables.act(players[1].viewer, table_id, signed, NOTHING_BESIDE, answers.append)
    assert [type(answer) for answer in answers] == [TableBusy]
    signed = room.signed(table_id, players[2], Leave())
    room.tables.act(players[2].viewer, table_id, signed, NOTHING_BESIDE, lambda made: None)
    players[2].moves += 1
    await room.stand_in(table_id, 0)
    await room.settle()
    assert len(answers) == MOST_WAITING + 1
    assert room.kinds(table_id)[-2:] == ["StoodIn", "Leave"]
    await room.finish(table_id)


async def test_a_refused_move_reads_nothing(room: Room) -> None:
    """Neither a stranger's nor a player's: refusing costs the same however long the log is."""
    table_id, players = await room.seat_four(TableRules(target=7))
    await room.play(table_id, lambda table: table.version > 2 * KEPT_ENTRIES)
    live = room.live(table_id)
    first = room.signed(table_id, players[0], Leave(), number=0)
    read: list[int] = []

    def older(table_id: bytes, version: int, most: int) -> list[bytes]:
        read.append(version)
        return room.store.entries_of(table_id, version, most)

    live.older = older
    stranger = room.somebody(0)
    with pytest.raises(SeatNotYours):
        await room.send(table_id, players[0], first, viewer=stranger.viewer)
    with pytest.raises(NumberNotNext):
        await room.send(table_id, players[0], first)
    assert not read


# What must not count.


class Hostile:
    """Moves that must be refused: at each the table stays what it was."""

    def __init__(self, room: Room, table_id: bytes) -> None:
        self.room = room
        self.table_id = table_id
        self.tried = 0

    async def refused(
        self, error: type[HokmError] | tuple[type[HokmError], ...], player: Seated, act: object, **how: object
    ) -> None:
        """Refused for that reason, and nothing changes: not memory, not the log, not what is sealed or wanted."""
        room, table_id = self.room, self.table_id
        before = (room.table(table_id), room.entries(table_id), room.live(table_id).secrets, room.store.wanted())
        sealed = room.store.sealed(table_id)
        beside = Beside(how.pop("beside", b""))  # type: ignore[arg-type]
        viewer = how.pop("viewer", None)
        signed = room.signed(table_id, player, act, **how)  # type: ignore[arg-type]
        with pytest.raises(error) as refusal:
            await room.send(table_id, player, signed, beside, viewer)  # type: ignore[arg-type]
        assert isinstance(refusal.value, HokmError)
        assert str(refusal.value)
        await room.settle()
        after = (room.table(table_id), room.entries(table_id), room.live(table_id).secrets, room.store.wanted())
        assert after == before
        assert room.store.sealed(table_id) == sealed
        self.tried += 1

    async def heads(self, player: Seated, act: object, number: bytes = b"") -> None:
        """An act that would be taken, under every head that is wrong, and by everybody who may not."""
        room, table = self.room, self.room.table(self.table_id)
        other = room.by_key[table.places[(player.seat + 1) % 4].holder.public_key]
        stranger = room.somebody(player.seat)
        decision = open_decision(table, player.seat)
        assert decision is not None
        wrong: list[tuple[type[HokmError], dict[str, object]]] = [
            (WrongGame, {"game_id": bytes(32)}),
            (WrongGame, {"game_id": room.octets()}),
            (WrongContext, {"round": table.round + 1}),
            (WrongContext, {"attempt": table.attempt + 1}),
            (NumberNotNext, {"number": player.moves + 1}),
            (NumberNotNext, {"number": player.moves - 1}),
            (SeenNotYet, {"seen_version": table.version + 1}),
            (SeenOther, {"seen_hash": bytes(32)}),
            (BadSignature, {"key": stranger.key}),
            (BadSignature, {"key": other.key}),
            (BadSignature, {"key": room.keys.event}),
        ]
        if decision.opened:
            stale = decision.opened - 1
            seen: dict[str, object] = {"seen_version": stale, "seen_hash": room.live(self.table_id).leaf(stale)}
            fell = stale < table.places[player.seat].signing.seen
            wrong.append((SeenFell, seen) if fell else (StaleMove, seen))
        for error, head in wrong:
            await self.refused(error, player, act, beside=number, **head)
        foreign = [stranger.viewer, other.viewer if other.kind is PERSON else stranger.viewer]
        if player.kind is PERSON:
            foreign.append(room.operator)
        for viewer in foreign:
            await self.refused(SeatNotYours, player, act, beside=number, viewer=viewer)


async def test_no_hostile_move_changes_a_table(room: Room) -> None:
    """In every phase of a game that goes on to its end all the same."""
    table_id = await room.open(TableRules(target=3, away_seconds=0))
    hostile = Hostile(room, table_id)
    await _while_seating(room, hostile)
    players = [room.by_key[place.public_key] for place in room.table(table_id).places]
    await _while_committing(room, hostile, players)
    await _while_revealing(room, hostile, players)
    await room.play(table_id, lambda table: table.round == 1 and revealing(table))
    await _while_revealing(room, hostile, players)
    await room.play(table_id, dealt)
    await _while_naming(room, hostile, players)
    await room.play(table_id, playing)
    for _ in range(6):
        await _while_playing(room, hostile, players)
        await room.step(table_id)
    await room.finish(table_id)
    for player in players:
        for act in (Play(0), Leave(), Resign(), Return(), Commit(room.octets())):
            with pytest.raises(GameIsOver):
                await room.act(table_id, player, act)
    assert hostile.tried > 100


async def _while_seating(room: Room, hostile: Hostile) -> None:
    table_id = hostile.table_id
    await room.join(table_id, zero := room.somebody(0))
    one, bot = room.somebody(1), room.somebody(1, BOT)

    def join(player: Seated, key: bytes = b"", kind: object = None) -> Join:
        return Join(kind or player.kind, key or player.key.public, room.octets())  # type: ignore[arg-type]

    await hostile.refused(SeatNotFree, room.somebody(0), join(one := room.somebody(0)), key=one.key, viewer=one.viewer)
    one = room.somebody(1)
    await hostile.refused(AlreadySeated, zero, join(zero), seat=1)
    await hostile.refused(NumberNotNext, zero, join(zero), seat=1, number=0)
    await hostile.refused(NotAnOperator, bot, join(bot), viewer=one.viewer)
    await hostile.refused(SeatNotYours, one, join(one), viewer=zero.viewer)
    await hostile.refused(SeatNotYours, one, join(one), viewer=room.operator)
    await hostile.refused(BadSignature, one, join(one), key=zero.key)
    await hostile.refused(WrongGame, one, join(one), game_id=room.octets())
    await hostile.refused(WrongContext, one, join(one), round=1)
    await hostile.refused(SeenOther, one, join(one), seen_hash=bytes(32))
    await hostile.refused(SeenNotYet, one, join(one), seen_version=9)
    house = Seated(1, PERSON, room.keys.event, Viewer(room.keys.event.public, False))
    await hostile.refused(KeyNotNew, house, join(house))
    await hostile.refused(SeatIsFree, one, Leave())
    for act in (Play(0), NameTrump(0), Commit(room.octets()), Return(), Resign()):
        await hostile.refused((WrongPhase, NotAbsent), zero, act)
    await hostile.refused(NothingProtested, zero, ProtestOnly())
    for seat in (1, 2, 3):
        await room.join(table_id, room.somebody(seat, BOT if seat & 1 else PERSON))


async def _while_committing(room: Room, hostile: Hostile, players: list[Seated]) -> None:
    table_id = hostile.table_id
    stage = room.table(table_id).stage
    assert isinstance(stage, Ceremony)
    bots = [player for player in players if player.kind is BOT]
    persons = [player for player in players if player.kind is PERSON]
    for person in persons:
        if bots:
            await hostile.refused(NotOpenYet, person, Commit(room.octets()))
    await hostile.refused(CommitmentCopied, bots[0], Commit(stage.house_commitment))
    await hostile.heads(bots[0], Commit(room.commitment(bots[0], stage.ctx)))
    for bot in bots:
        await room.decide(table_id, bot.seat)
    copied = room.commitment(bots[0], stage.ctx)
    person = persons[0]
    await hostile.refused(CommitmentCopied, person, Commit(copied))
    await hostile.refused(AlreadyCommitted, bots[0], Commit(room.octets()))
    await hostile.heads(person, Commit(room.commitment(person, stage.ctx)))
    await hostile.refused(WrongPhase, person, Reveal(stage.ctx, bytes(32)), beside=bytes(32))
    for act in (Play(3), NameTrump(0), Resign()):
        await hostile.refused(WrongPhase, person, act)
    late = room.somebody(0)
    await hostile.refused(SeatNotFree, late, Join(PERSON, late.key.public, room.octets()))
    await room.play(table_id, revealing)


async def _while_revealing(room: Room, hostile: Hostile, players: list[Seated]) -> None:
    table_id = hostile.table_id
    stage = room.table(table_id).stage
    assert isinstance(stage, Ceremony)
    assert stage.commit_set is not None
    one, other = players[0], players[1]
    reveal, number = Reveal(stage.ctx, stage.commit_set), one.numbers[stage.ctx]
    for beside in (b"", bytes(32), number[:31], number + b"\0", other.numbers[stage.ctx], room.octets()):
        await hostile.refused(NumberNotOpened, one, reveal, beside=beside)
    await hostile.refused(WrongCommitSet, one, Reveal(stage.ctx, bytes(32)), beside=number)
    another = stage.ctx[:-1] + bytes([stage.ctx[-1] + 1])
    await hostile.refused(WrongCommitSet, one, Reveal(another, stage.commit_set), beside=number)
    await hostile.refused(WrongPhase, one, Commit(room.octets()))
    await hostile.heads(one, reveal, number)
    await room.decide(table_id, one.seat)
    await hostile.refused(AlreadyRevealed, one, reveal, beside=number)


async def _while_naming(room: Room, hostile: Hostile, players: list[Seated]) -> None:
    table_id = hostile.table_id
    hakem = in_turn(room.table(table_id))
    await hostile.refused(NotYourTurn, players[(hakem + 1) % 4], NameTrump(0))
    await hostile.refused(WrongPhase, players[hakem], Play(0))
    await hostile.heads(players[hakem], NameTrump(0))


async def _while_playing(room: Room, hostile: Hostile, players: list[Seated]) -> None:
    table_id = hostile.table_id
    stage = room.table(table_id).stage
    assert isinstance(stage, Round)
    live = room.live(table_id)
    turn, legal = stage.turn, room.legal(table_id)
    hand = live.secrets.hands.dealt[turn]
    assert hand is not None
    player = players[turn]
    held = [card for card in range(52) if hand >> card & 1]
    not_held = next(card for card in range(52) if card not in held)
    await hostile.refused(CardNotHeld, player, Play(not_held))
    for card in held:
        if stage.played >> card & 1:
            await hostile.refused(CardNotHeld, player, Play(card))
        elif card not in legal:
            await hostile.refused(MustFollowSuit, player, Play(card))
            break
    for card in stage.trick:
        await hostile.refused(CardNotHeld, player, Play(card))
    after = players[(turn + 1) % 4]
    await hostile.refused(NotYourTurn, after, Play(legal[0]))
    await hostile.refused(WrongPhase, player, NameTrump(1))
    for act in (AskTea(), Ready(), PickUp(), Run((12, 11, 10))):
        await hostile.refused(RuleOff, player, act)
    await hostile.heads(player, Play(legal[0]))


async def test_the_key_of_a_seat_alone_is_not_enough(room: Room) -> None:
    """Who has signed in with another key cannot bring the move of a person, even one rightly signed."""
    table_id, players = await room.seat_four()
    player = players[to_act(room.table(table_id))[0][0]]
    stage = room.table(table_id).stage
    assert isinstance(stage, Ceremony)
    signed = room.signed(table_id, player, Commit(room.commitment(player, stage.ctx)))
    for viewer in (room.operator, players[1].viewer):
        with pytest.raises(SeatNotYours):
            await room.send(table_id, player, signed, viewer=viewer)
    await room.send(table_id, player, signed)


async def test_a_move_is_of_one_table(room: Room) -> None:
    """Signed for one game it does nothing at another, also where the very same keys sit."""
    first, players = await room.seat_four()
    stage = room.table(first).stage
    assert isinstance(stage, Ceremony)
    player = players[0]
    signed = room.signed(first, player, Commit(commitment(stage.ctx, 0, player.key.public, room.octets())))
    await room.finish(first)
    second = await room.open()
    for player in players:
        player.moves = 0
        await room.join(second, player)
    with pytest.raises((WrongGame, SeenOther)):
        await room.send(second, players[0], signed)
    await room.finish(second)


async def test_there_is_no_move_at_a_table_that_there_is_not(room: Room) -> None:
    """Ids of another length, the stream of keys, and one that nobody has opened."""
    table_id, players = await room.seat_four()
    signed = room.signed(table_id, players[0], Leave())
    for other in (b"", bytes(16), room.octets(16), table_id[:15], table_id + b"\0"):
        with pytest.raises(UnknownTable):
            await room.send(other, players[0], signed)


async def test_an_old_number_with_other_bytes_is_refused(room: Room) -> None:
    """Every number of the game, at its end too, where the game is over."""
    table_id, players = await room.seat_four()
    await room.play(table_id, playing)
    hostile = Hostile(room, table_id)
    player = room.holder(table_id, in_turn(room.table(table_id)))
    for number in range(player.moves):
        await hostile.refused(NumberNotNext, player, Play(room.legal(table_id)[0]), number=number)
    await room.finish(table_id)
    assert is_over(room.table(table_id))
    with pytest.raises(GameIsOver):
        await room.send(table_id, players[0], room.signed(table_id, players[0], Leave(), number=1))
