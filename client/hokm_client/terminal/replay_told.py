# SPDX-License-Identifier: Apache-2.0
"""What a moment of a replay is, in sentences: what has just come, and what everybody holds where that is new."""

from __future__ import annotations

from collections.abc import Iterator

from hokm.cards import SUIT_MASKS, SUITS, Hand, suit_of
from hokm.languages import Language
from hokm.record import By
from hokm.rules import Seat
from hokm_client.terminal.replay_words import replay_words
from hokm_client.terminal.replayed import Position, Replay
from hokm_client.terminal.view import held
from hokm_client.terminal.words import card_name, listed, number, rank_name, suit_name, words


def told(replay: Replay, language: Language) -> Iterator[str]:
    """All that is new in this moment, for those who do not see the picture."""
    yield from news(replay, language)
    position = replay.position
    if position.trick is None and not position.is_end:
        yield from _hands(position, language)


def news(replay: Replay, language: Language) -> Iterator[str]:
    """What has just come."""
    catalogue, round_, position = replay_words(language), replay.played, replay.position
    if position.is_end:
        yield from _result(replay, language)
    elif position.trick is not None:
        yield card_news(position, language)
        if position.taker is not None:
            even, odd = (number(language, count) for count in position.tricks)
            yield catalogue.taken.format(seat=number(language, position.taker), even=even, odd=odd)
    elif position.trump is not None:
        yield catalogue.names.get(round_.trump_by or By.PLAYER, catalogue.names[By.PLAYER]).format(
            seat=number(language, round_.hakem),
            suit=suit_name(language, position.trump),
            seconds=seconds(round_.trump_think_ms or 0, language),
        )
    else:
        yield catalogue.round.format(round=number(language, round_.round), seat=number(language, round_.hakem))


def card_news(position: Position, language: Language) -> str:
    """The newest card of a trick, who played it and how it came."""
    catalogue, trick = replay_words(language), position.trick
    assert trick is not None
    seat, card = trick.plays()[-1]
    sentence = catalogue.cut if is_cut(position, seat) else catalogue.played
    if seat == trick.leader:
        sentence = catalogue.led
    how = catalogue.how.get(position.came[-1], catalogue.how[By.PLAYER])
    after = seconds(position.think_ms[-1], language)
    return sentence.format(seat=number(language, seat), card=card_name(language, card)) + how.format(seconds=after)


def is_cut(position: Position, seat: Seat) -> bool:
    """Whether that seat has played a trump to another suit."""
    trick = position.trick
    card = None if trick is None else trick.card_of(seat)
    if trick is None or card is None:
        return False
    return suit_of(card) == position.trump != suit_of(trick.cards[0])


def seconds(milliseconds: int, language: Language) -> str:
    """``2.4 s``, rounded down to tenths."""
    catalogue = replay_words(language)
    whole, tenths = (number(language, value) for value in divmod(milliseconds // 100, 10))
    return catalogue.seconds.format(seconds=f"{whole}{catalogue.point}{tenths}")


def _hands(position: Position, language: Language) -> Iterator[str]:
    catalogue = replay_words(language)
    if position.hands is None:
        yield catalogue.unknown
        return
    for seat, hand in enumerate(position.hands):
        template = catalogue.holds if hand else catalogue.holds_none
        yield template.format(seat=number(language, seat), cards=_in_words(hand, language))


def _in_words(hand: Hand, language: Language) -> str:
    """``spades: ace, king; hearts: ten``."""
    parts = []
    for suit in SUITS:
        if cards := held(hand & SUIT_MASKS[suit]):
            ranks = listed(language, [rank_name(language, card) for card in cards])
            parts.append(f"{suit_name(language, suit)}: {ranks}")
    return words(language).semicolon.join(parts)


def _result(replay: Replay, language: Language) -> Iterator[str]:
    catalogue, round_ = replay_words(language), replay.played
    if round_.winner is None:
        yield catalogue.undecided
    else:
        won, lost = (number(language, round_.won[side]) for side in (round_.winner, 1 - round_.winner))
        yield catalogue.won[round_.winner].format(won=won, lost=lost)
        yield from catalogue.points[round_.points - 1 :][: round_.points > 0]
    if round_.score is not None:
        even, odd = (number(language, points) for points in round_.score)
        yield catalogue.score_now.format(even=even, odd=odd)
