# SPDX-License-Identifier: Apache-2.0
"""Forged signatures, seats, contexts, seen heads and numbers of moves (step 6)."""

from __future__ import annotations

from collections.abc import Callable

from hokm.events import (
    GameStarted,
    Join,
    Leave,
    Move,
    Play,
    SeatKind,
    StoodIn,
)
from hokm.verify import Code
from tests.simulation.forge import Draft, Forgery
from tests.simulation.house import TestHouse
from tests.verifier.forging import (
    Forged,
    forged,
    within,
)


def changed_play(nth: int = 9, **fields: object) -> Callable[[Forgery], Draft]:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Play, nth)
        draft.edit(**fields)
        return draft

    return change


@forged(6, Code.PLAYER_SIGNATURE)
def a_card_that_the_house_played_itself() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Play, 9)
        draft.signer = TestHouse(seed=96).operator_key
        return draft

    return within("plain", change)


@forged(6, Code.PLAYER_SIGNATURE)
def a_join_by_somebody_else() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Join, 2)
        draft.signer = TestHouse(seed=96).operator_key
        return draft

    return within("plain", change)


@forged(6, Code.PLAYER_SIGNATURE)
def a_stand_in_that_did_not_join_itself() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(StoodIn)
        draft.signer = TestHouse(seed=96).operator_key
        return draft

    return within("troubled", change)


@forged(6, "SEEN_OTHER")
def a_card_played_upon_another_history() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Play, 9)
        draft.seen_hash = bytes(32)
        return draft

    return within("plain", change)


@forged(6, "SEEN_OTHER")
def a_stand_in_that_saw_another_history() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(StoodIn)
        draft.seen_hash = bytes(32)
        return draft

    return within("troubled", change)


@forged(6, Code.OTHER_GAME_ID)
def a_game_with_an_id_of_its_own() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(GameStarted)
        draft.edit(game_id=bytes(32))
        return draft

    return within("plain", change)


@forged(6, Code.OTHER_SEATS)
def seats_that_changed_places() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(GameStarted)
        assert isinstance(draft.content, GameStarted)
        first, second, *rest = draft.content.seats
        draft.edit(seats=(second, first, *rest))
        return draft

    return within("plain", change)


@forged(6, Code.OTHER_SEAT_JOINED)
def a_stand_in_that_joined_another_seat() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(StoodIn)
        content = draft.content
        assert isinstance(content, StoodIn)
        draft.edit(join=content.join._replace(move=content.join.move._replace(seat=content.seat ^ 1)))
        return draft

    return within("troubled", change)


@forged(6, "WRONG_GAME")
def a_card_of_another_game() -> Forged:
    return within("plain", changed_play(game_id=bytes(32)))


@forged(6, "WRONG_CONTEXT")
def a_card_of_another_round() -> Forged:
    return within("plain", changed_play(round=2))


@forged(6, "WRONG_CONTEXT")
def a_stand_in_of_another_attempt() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(StoodIn)
        content = draft.content
        assert isinstance(content, StoodIn)
        draft.edit(join=content.join._replace(move=content.join.move._replace(attempt=7)))
        return draft

    return within("troubled", change)


@forged(6, "NUMBER_NOT_NEXT")
def a_move_that_was_left_out() -> Forged:
    return within("plain", changed_play(number=99))


@forged(6, "SEEN_NOT_YET")
def a_player_who_saw_what_was_still_to_come() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Play, 9)
        draft.edit(seen_version=forgery.drafts.index(draft))
        draft.seen_hash = bytes(32)
        return draft

    return within("plain", change)


@forged(6, "SEEN_FELL")
def a_player_who_forgot_what_was_seen_before() -> Forged:
    return within("plain", changed_play(seen_version=0))


@forged(6, "STALE_MOVE")
def a_card_kept_for_a_later_turn() -> Forged:
    # The seat protests, having seen nothing new, and then plays upon what it saw then.
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Play, 9)
        assert isinstance(draft.content, Move)
        draft.edit(seen_version=draft.content.seen_version - 1)
        return draft

    return within("plain", change)


@forged(6, "SEAT_NOT_FREE")
def a_seat_that_is_taken_twice() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Join, 2)
        draft.edit(seat=0)
        return draft

    return within("plain", change)


@forged(6, "ALREADY_SEATED")
def a_key_with_two_seats() -> Forged:
    def change(forgery: Forgery) -> Draft:
        first, draft = forgery.draft(Join, 0), forgery.draft(Join, 2)
        assert isinstance(first.content, Move)
        assert isinstance(first.content.act, Join)
        draft.edit(public_key=first.content.act.public_key, number=1)
        draft.signer = first.signer
        return draft

    return within("plain", change)


@forged(6, "SEAT_IS_FREE")
def a_seat_that_acts_before_anybody_sits_there() -> Forged:
    def change(forgery: Forgery) -> Draft:
        first, draft = forgery.draft(Join, 0), forgery.draft(Join, 1)
        assert isinstance(draft.content, Move)
        draft.content = draft.content._replace(act=Leave(), seat=3)
        draft.signer = first.signer
        return draft

    return within("plain", change)


@forged(6, "KEY_NOT_NEW")
def a_player_who_has_the_event_key() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Join, 2)
        draft.edit(public_key=forgery.game.event_key.public)
        draft.signer = forgery.game.event_key
        return draft

    return within("plain", change)


@forged(6, "KEY_NOT_NEW")
def a_stand_in_with_a_players_key() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(StoodIn)
        content = draft.content
        assert isinstance(content, StoodIn)
        player = forgery.game.players[3].key
        move = content.join.move
        assert isinstance(move.act, Join)
        draft.edit(join=content.join._replace(move=move._replace(act=move.act._replace(public_key=player.public))))
        draft.signer = player
        return draft

    return within("troubled", change)


@forged(6, "SHARED_KEY")
def a_player_who_has_a_key_of_the_operator() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(Join, 2)
        key = forgery.game.house.operator_key
        draft.edit(public_key=key.public)
        draft.signer = key
        return draft

    return within("plain", change)


@forged(6, "SHARED_KEY")
def a_stand_in_that_has_the_root_key() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(StoodIn)
        content = draft.content
        assert isinstance(content, StoodIn)
        key = forgery.game.house.first_root
        move = content.join.move
        assert isinstance(move.act, Join)
        draft.edit(join=content.join._replace(move=move._replace(act=move.act._replace(public_key=key.public))))
        draft.signer = key
        return draft

    return within("troubled", change)


@forged(6, "NOT_A_BOT")
def a_stand_in_that_joins_as_a_person() -> Forged:
    def change(forgery: Forgery) -> Draft:
        draft = forgery.draft(StoodIn)
        content = draft.content
        assert isinstance(content, StoodIn)
        move = content.join.move
        assert isinstance(move.act, Join)
        person = move._replace(act=move.act._replace(kind=SeatKind.PERSON))
        draft.edit(join=content.join._replace(move=person))
        return draft

    return within("troubled", change)
