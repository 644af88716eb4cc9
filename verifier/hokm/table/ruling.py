# SPDX-License-Identifier: Apache-2.0
"""With what content a ruling stands: it follows from the entries before it.

What does not follow from public entries comes in as `Supply`: the house has it from its own secrets, the verifier from
the entry that it holds against the rule.
"""

from __future__ import annotations

from dataclasses import dataclass

from hokm.cards import Card
from hokm.deal import Context, Purpose, commit_set, draw, game_id
from hokm.events import (
    Anchor,
    Carried,
    CarriedSeat,
    CeremonyOpened,
    CeremonyVoided,
    CommitSetClosed,
    Dealt,
    EarlyTurned,
    GameEndCause,
    GameEnded,
    GameStarted,
    HakemDrawn,
    MiddleTurned,
    RoundRevealed,
    Ruling,
    SeatKind,
    SeatTaken,
    ServerFault,
    ServerFaultCause,
    SignedMove,
    StoodIn,
    TeaBegan,
    TeaEnded,
    TimedOut,
    UnturnedLay,
    VoidCause,
    WaitingTea,
)
from hokm.rules import (
    BySide,
    first_hakem,
    game_winner,
    next_hakem,
    points,
    round_winner,
    score_after,
    timeout_card,
    timeout_trump,
)
from hokm.table.due import RulingKind, fault_of_house, stand_in_wanted
from hokm.table.hands import NO_HANDS, Hands
from hokm.table.present import all_persons_absent, all_persons_left, resigned_side, seated
from hokm.table.state import Between, Ceremony, Round, Table, Tea

NO_ANCHOR = Anchor(0, b"")


@dataclass(frozen=True, slots=True)
class Supply:
    """What a ruling needs besides the public entries."""

    numbers: tuple[bytes | None, ...] = (None,) * 5
    """The numbers of this ceremony or round that are there, the house's last."""
    hands: Hands = NO_HANDS
    laid: tuple[tuple[Card, bytes], ...] = ()
    """Card and salt of the lays that a ruling opens, in the order in which they were laid (H2)."""
    join: SignedMove | None = None
    """A stand-in's Join."""
    house_commitment: bytes = b""
    anchor: Anchor = NO_ANCHOR


NO_SUPPLY = Supply()


def rule(table: Table, kind: RulingKind, supply: Supply = NO_SUPPLY) -> Ruling:
    """The ruling of that kind as it must stand in the next entry.

    The kind is one that is `due` or `overdue`, and `supply` has what that kind needs: the numbers that have come, the
    hands for TimedOut and MiddleTurned, the lays that are opened, the Join of a stand-in. Raises `StreamUsedUp` where
    the numbers of a draw make no deck.

    For a StoodIn that is not due but the house's word (cause AWAY), make the entry's content by hand.
    """
    stage = table.stage
    if kind is GameStarted:
        return _game_started(table)
    if kind is CeremonyOpened:
        return _ceremony_opened(table, supply)
    if kind is CommitSetClosed:
        assert isinstance(stage, Ceremony)
        return CommitSetClosed(commit_set(stage.ctx, five_commitments(stage)))
    if kind is CeremonyVoided:
        return _ceremony_voided(table, supply)
    if kind is HakemDrawn:
        return _hakem_drawn(table, supply)
    if kind is Dealt:
        return Dealt()
    if kind is TimedOut:
        return _timed_out(table, supply.hands)
    if kind is MiddleTurned:
        assert supply.hands.middle is not None
        return MiddleTurned(supply.hands.middle)
    if kind is EarlyTurned:
        return _early_turned(table, supply)
    if kind is TeaBegan or kind is TeaEnded:
        return kind()
    if kind is StoodIn:
        wanted = stand_in_wanted(table)
        assert wanted is not None
        assert supply.join is not None
        return StoodIn(wanted[0], supply.join, wanted[1])
    if kind is RoundRevealed:
        return _round_revealed(table, _five(supply), supply.laid)
    if kind is GameEnded:
        if isinstance(stage, Between) and stage.ending is not None:
            return stage.ending
        return GameEnded(GameEndCause.ABANDONED, None)
    assert kind is ServerFault
    assert isinstance(stage, Ceremony)
    cause = fault_of_house(stage)
    assert cause is not None
    return fault(table, cause, supply.numbers)


def fault(
    table: Table,
    cause: ServerFaultCause,
    numbers: tuple[bytes | None, ...],
    laid: tuple[tuple[Card, bytes], ...] = (),
) -> ServerFault:
    """How the house says that it failed.

    In a ceremony it names the seats whose step is missing and shows the numbers that are there, the house's last,
    like a void: that deal is dead, and anybody may see what was thrown away. In a round that a revoked key has signed
    so far it shows all five and opens the lays, as the RoundRevealed would have done, or nothing where one is lost.
    Whether it may say so is `may_fault`'s.
    """
    stage = table.stage
    if isinstance(stage, Round) and cause is ServerFaultCause.KEY_REVOKED:
        five = tuple(number for number in numbers if number is not None)
        if len(five) == 5 and len(laid) == len(stage.unturned):
            return ServerFault(cause, numbers=five, unturned=unturned(stage, laid))
    if not isinstance(stage, Ceremony):
        return ServerFault(cause)
    come = [(seat, number) for seat in range(4) if stage.revealed[seat] and (number := numbers[seat]) is not None]
    return ServerFault(cause, seats=stage.missing, house_number=numbers[4] or b"", received=tuple(come))


def five_commitments(ceremony: Ceremony) -> tuple[bytes, ...]:
    """All five commitments, the house's last, of a ceremony that has them."""
    given = tuple(commitment for commitment in ceremony.commitments if commitment is not None)
    assert len(given) == 4
    return (*given, ceremony.house_commitment)


def next_context(table: Table) -> Context:
    """The ctx of the ceremony that is to be opened next, at a table that is between two."""
    stage = table.stage
    assert isinstance(stage, Between)
    return Context(table.game_id, stage.purpose, stage.round, stage.attempt)


def _game_started(table: Table) -> GameStarted:
    seats = tuple(SeatTaken(place.kind, place.public_key, place.join_nonce) for place in seated(table))
    kinds = [0 if seat.kind is SeatKind.PERSON else 1 for seat in seats]
    keys, nonces = [seat.public_key for seat in seats], [seat.join_nonce for seat in seats]
    return GameStarted(game_id(table.house.origin, table.server_nonce, kinds, keys, nonces), seats)


def _ceremony_opened(table: Table, supply: Supply) -> CeremonyOpened:
    context = next_context(table)
    return CeremonyOpened(
        context.to_bytes(),
        None if context.purpose is Purpose.DRAW else table.hakem,
        table.score,
        table.rules_hash,
        tuple(place.holder for place in table.places),
        supply.house_commitment,
        supply.anchor,
    )


def _ceremony_voided(table: Table, supply: Supply) -> CeremonyVoided:
    stage = table.stage
    assert isinstance(stage, Ceremony)
    house_number = supply.numbers[4]
    assert house_number is not None
    cause = VoidCause.NO_COMMITMENT if stage.commit_set is None else VoidCause.NO_NUMBER
    come = []
    for seat in range(4):
        number = supply.numbers[seat]
        if stage.revealed[seat]:
            assert number is not None
            come.append((seat, number))
    return CeremonyVoided(cause, stage.missing, house_number, tuple(come))


def _hakem_drawn(table: Table, supply: Supply) -> HakemDrawn:
    stage = table.stage
    assert isinstance(stage, Ceremony)
    assert stage.commit_set is not None
    numbers = _five(supply)
    start, deck = draw(stage.commit_set, numbers)
    hakem, _ = first_hakem(table.rules.first_hakem, deck, start)
    return HakemDrawn(numbers, hakem)


def _timed_out(table: Table, known: Hands) -> TimedOut:
    """What the policy timeout-1 does for the seat in turn."""
    stage = table.stage
    assert isinstance(stage, Round)
    seat = stage.turn
    if stage.trump is None:
        assert known.five is not None
        return TimedOut(seat, trump=int(timeout_trump(known.five)))
    hand = known.dealt[seat]
    assert hand is not None
    return TimedOut(seat, card=timeout_card(hand & ~stage.played, stage.led, stage.trump))


def fits_policy(table: Table, content: TimedOut) -> bool:
    """Whether the policy can have done this, as far as it can be seen without the hand."""
    stage = table.stage
    assert isinstance(stage, Round)
    if content.seat != stage.turn:
        return False
    if stage.trump is None:
        return content.trump is not None and content.card is None
    return content.trump is None and content.card is not None and not stage.played >> content.card & 1


def _early_turned(table: Table, supply: Supply) -> EarlyTurned:
    stage = table.stage
    assert isinstance(stage, Round)
    ((card, salt),) = supply.laid
    return EarlyTurned(stage.turn, card, salt)


def unturned(round_: Round, laid: tuple[tuple[Card, bytes], ...]) -> tuple[UnturnedLay, ...]:
    """The lays that did not turn over, each with its card and salt."""
    return tuple(
        UnturnedLay(lay.seat, lay.trick, card, salt) for lay, (card, salt) in zip(round_.unturned, laid, strict=True)
    )


def _round_revealed(table: Table, numbers: tuple[bytes, ...], laid: tuple[tuple[Card, bytes], ...]) -> RoundRevealed:
    stage = table.stage
    assert isinstance(stage, Round)
    winner = round_winner(stage.tricks)
    won = points(stage.hakem, stage.tricks)
    score = score_after(table.score, winner, won)
    follower = None
    if winner is not None and ending_after_round(table, score) is None:
        follower = next_hakem(stage.hakem, winner, table.rules.hakem_passes)
    return RoundRevealed(numbers, unturned(stage, laid), winner, stage.tricks, won, score, follower, carried(table))


def ending_after_round(table: Table, score: BySide) -> GameEnded | None:
    """How the game ends with a round that is over, given the score after it; None where it goes on."""
    winner = game_winner(score, table.rules.target)
    if winner is not None:
        return GameEnded(GameEndCause.TARGET, winner)
    loser = resigned_side(table)
    if loser is not None:
        return GameEnded(GameEndCause.RESIGNED, 1 - loser)
    if all_persons_left(table) or all_persons_absent(table):
        return GameEnded(GameEndCause.ABANDONED, None)
    return None


def carried(table: Table) -> Carried:
    """What a later round depends on, as things stand."""
    seats = []
    for place in table.places:
        stand_in = place.stand_in
        seats.append(
            CarriedSeat(
                absent=place.absent is not None,
                left=place.left,
                stand_in_key=b"" if stand_in is None else stand_in.public_key,
                missed=place.missed,
                tea_asked=place.tea_asked,
                player_moves=place.signing.moves,
                stand_in_moves=0 if stand_in is None else stand_in.signing.moves,
            )
        )
    return Carried(tuple(seats), table.faults, _waiting(table.tea))


def _waiting(tea_: Tea | None) -> WaitingTea | None:
    """A tea that has not begun; one that is drunk is over before a round is revealed."""
    if tea_ is None:
        return None
    assert tea_.pause is None
    return WaitingTea(tea_.seat, tea_.ask.opened, tea_.ask.since_ms, tea_.yes)


def _five(supply: Supply) -> tuple[bytes, ...]:
    numbers = tuple(number for number in supply.numbers if number is not None)
    assert len(numbers) == 5
    return numbers
