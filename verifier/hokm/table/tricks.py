# SPDX-License-Identifier: Apache-2.0
"""A round from its deal to its last card: trumps, tricks, and what the house rules H1 to H3 do to them."""

from __future__ import annotations

from hokm.cards import Card, hand_of
from hokm.events import EarlyTurned, LayEarly, TimedOut
from hokm.rules import TRICKS_BETWEEN_LAYS, Seat, TableRules, partner_of, round_winner, trick_winner
from hokm.table.seats import in_control, missed, replaced, turn_ended, with_place
from hokm.table.state import (
    NO_LAYS,
    Ceremony,
    Extra,
    Lay,
    Place,
    Round,
    Table,
    Trick,
    next_in_turn,
)


def dealt(table: Table) -> Table:
    """The hakem is to make trumps."""
    ceremony, hakem = table.stage, table.hakem
    assert isinstance(ceremony, Ceremony)
    assert hakem is not None
    decision = next_in_turn(hakem, table.places, table.rules, table.version, table.time_ms)
    extra = Extra() if has_extra(table.rules) else None
    return table._replace(stage=Round(ceremony, hakem, None, hakem, (), 0, (0, 0), (), decision, extra))


def has_extra(rules: TableRules) -> bool:
    """Whether a round has more to remember than the plain game."""
    return rules.partners_middle or rules.coming_early or rules.runs


def trump_made(table: Table, suit: int) -> Table:
    """Trumps are named or turned up; the hakem is to lead."""
    stage = table.stage
    assert isinstance(stage, Round)
    table = turn_ended(table, stage.hakem)
    decision = next_in_turn(stage.hakem, table.places, table.rules, table.version, table.time_ms)
    return table._replace(stage=stage._replace(trump=suit, decision=decision))


def card_played(table: Table, places: tuple[Place, ...], seat: Seat, card: Card, version: int, time_ms: int) -> Table:
    """The table after a card, however it was chosen: version, time and places are those of that entry."""
    stage = table.stage
    assert type(stage) is Round
    assert stage.trump is not None
    if places[seat].back:
        places = replaced(places, seat, in_control(places[seat]))
    leader, trick, tricks, history = stage.leader, (*stage.trick, card), stage.tricks, stage.history
    winner, is_over = None, False
    if len(trick) == 4:
        winner = trick_winner(trick, leader, stage.trump)
        even, odd = tricks
        tricks = (even, odd + 1) if winner & 1 else (even + 1, odd)
        history = (*history, Trick(leader, trick, winner))
        leader, trick = winner, ()
        is_over = round_winner(tricks) is not None
    decision = None
    if not is_over:
        turn = leader + len(trick) & 3
        decision = next_in_turn(turn, places, table.rules, version, time_ms)
    extra = stage.extra
    if extra is not None:
        extra = _beside_card(stage, extra, seat, winner, version)
    played = stage.played | 1 << card
    after = Table(
        table.house,
        table.id,
        table.rules,
        table.rules_hash,
        table.server_nonce,
        version,
        time_ms,
        table.game_id,
        places,
        table.score,
        table.faults,
        table.hakem,
        table.round,
        table.attempt,
        table.spent_keys,
        Round(stage.ceremony, stage.hakem, stage.trump, leader, trick, played, tricks, history, decision, extra),
        table.spent_lays,
        table.tea,
    )
    return after if extra is None or not extra.run else run_goes_on(after)


def timed_out(table: Table, content: TimedOut) -> Table:
    """The policy has made trumps or played a card, and the seat has missed a deadline."""
    seat = content.seat
    table = with_place(table, seat, missed(table.places[seat]))
    if content.trump is not None:
        return trump_made(table, content.trump)
    assert content.card is not None
    return card_played(table, table.places, seat, content.card, table.version, table.time_ms)


def round_over(table: Table) -> Table:
    """The round ends before a side has seven tricks: its open decision falls away."""
    assert isinstance(table.stage, Round)
    places = tuple(in_control(place) for place in table.places)
    return table._replace(places=places, stage=table.stage._replace(decision=None))


# The house rules.


def _beside_card(before: Round, extra: Extra, seat: Seat, winner: Seat | None, version: int) -> Extra:
    """What a card does besides lying there; `winner` is the seat that has taken the trick with it, if one has."""
    if not before.trick:
        extra = extra._replace(lead=version)
    if extra.middle is not None and seat == partner_of(before.hakem):
        extra = extra._replace(middle=None)  # with the partner's first card it is in the hand like any other
    if winner is not None:
        extra = extra._replace(laid=NO_LAYS)
        if winner != before.leader:
            extra = extra._replace(run=(), seen=extra.seen | hand_of(extra.run))
    return extra


def middle_called(table: Table) -> Table:
    """The hakem has called the partner's middle; it is turned up with the next entry."""
    stage = table.stage
    assert isinstance(stage, Round)
    assert stage.extra is not None
    return table._replace(stage=stage._replace(extra=stage.extra._replace(called=True)))


def middle_turned(table: Table, card: Card) -> Table:
    """The partner's middle lies open and makes trumps."""
    stage = table.stage
    assert isinstance(stage, Round)
    assert stage.extra is not None
    extra = stage.extra._replace(called=False, middle=card, seen=1 << card)
    return trump_made(table._replace(stage=stage._replace(extra=extra)), card // 13)


def picked_up(table: Table) -> Table:
    """The partner's middle is in the hand."""
    stage = table.stage
    assert isinstance(stage, Round)
    assert stage.extra is not None
    return table._replace(stage=stage._replace(extra=stage.extra._replace(middle=None)))


def laid_early(table: Table, seat: Seat, act: LayEarly) -> Table:
    """A card lies face down. If it is the partner's middle, all have seen it go."""
    stage = table.stage
    assert isinstance(stage, Round)
    extra = stage.extra
    assert extra is not None
    lay = Lay(table.version, seat, stage.trick_number, act.commitment)
    extra = extra._replace(
        lays=replaced(extra.lays, seat, lay),
        laid=replaced(extra.laid, seat, extra.laid[seat] + 1),
        middle=None if act.open_middle else extra.middle,
    )
    return table._replace(stage=stage._replace(extra=extra), spent_lays=table.spent_lays | {act.commitment})


def taken_back(table: Table, seat: Seat) -> Table:
    """The face-down card is in the hand again."""
    stage = table.stage
    assert isinstance(stage, Round)
    extra = stage.extra
    assert extra is not None
    lay = extra.lays[seat]
    assert lay is not None
    extra = extra._replace(lays=replaced(extra.lays, seat, None), taken_back=(*extra.taken_back, lay))
    return table._replace(stage=stage._replace(extra=extra))


def early_turned(table: Table, content: EarlyTurned) -> Table:
    """The turn has come to a seat that had laid: its card is played."""
    stage, seat = table.stage, content.seat
    assert isinstance(stage, Round)
    extra = stage.extra
    assert extra is not None
    again = stage.trick_number + TRICKS_BETWEEN_LAYS
    extra = extra._replace(lays=replaced(extra.lays, seat, None), again=replaced(extra.again, seat, again))
    table = table._replace(stage=stage._replace(extra=extra), spent_lays=table.spent_lays | {content.salt})
    return card_played(table, table.places, seat, content.card, table.version, table.time_ms)


def run_led(table: Table, seat: Seat, cards: tuple[Card, ...]) -> Table:
    """Several cards lie open; the first of them leads."""
    stage = table.stage
    assert isinstance(stage, Round)
    assert stage.extra is not None
    table = table._replace(stage=stage._replace(extra=stage.extra._replace(run=cards[1:])))
    return card_played(table, table.places, seat, cards[0], table.version, table.time_ms)


def run_goes_on(table: Table) -> Table:
    """The next card of a run leads by itself, once a trick is over that its leader took, unless tea comes first."""
    stage = table.stage
    assert isinstance(stage, Round)
    extra = stage.extra
    assert extra is not None
    if stage.decision is None:
        return table._replace(stage=stage._replace(extra=extra._replace(run=())))
    if stage.trick or (table.tea is not None and table.tea.is_granted(table.time_ms)):
        return table
    card, *rest = extra.run
    turn = stage.leader + 1 & 3
    stage = stage._replace(
        trick=(card,),
        played=stage.played | 1 << card,
        decision=next_in_turn(turn, table.places, table.rules, table.version, table.time_ms),
        extra=extra._replace(run=tuple(rest), lead=table.version),
    )
    return table._replace(stage=stage)
