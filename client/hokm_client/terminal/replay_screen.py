# SPDX-License-Identifier: Apache-2.0
"""A moment of a replay as a picture: the four seats below each other, each with its hand, and its card of the trick.

Three lines for each seat: who it is, what it still holds, and how its card came. A terminal too narrow for the longest
hand gets sentences.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

from hokm.cards import SUIT_MASKS, SUITS, Hand
from hokm.languages import Language
from hokm.record import By
from hokm.rules import SEATS, BySide, Seat
from hokm_client.terminal.bidi import Bidi
from hokm_client.terminal.felt import lying
from hokm_client.terminal.replay_told import is_cut, news, seconds, told
from hokm_client.terminal.replay_words import replay_words
from hokm_client.terminal.replayed import Position, Replay
from hokm_client.terminal.rows import CARD_ON, Ink, Piece, Style
from hokm_client.terminal.screen import LEAST_WIDTH, MOST_WIDTH
from hokm_client.terminal.view import held
from hokm_client.terminal.words import number, suit_name, symbol, words

_CARD_CELLS: Final = 6


def draw(
    replay: Replay,
    language: Language,
    width: int,
    height: int = sys.maxsize,
    *,
    bidi: Bidi = Bidi.SHAPED,
    colour: bool = True,
) -> list[str]:
    """The picture, from top to bottom, and which keys there are; a low terminal does without its last lines."""
    ink = Ink(colour, bidi, language.rtl)
    width = min(width, MOST_WIDTH)
    keys = _sentence(replay_words(language).keys, width, ink, Style.FAINT)
    return [*picture(replay, language, width, ink)[: max(0, height - len(keys))], *keys]


def picture(replay: Replay, language: Language, width: int, ink: Ink) -> list[str]:
    """The picture without the keys."""
    if width < LEAST_WIDTH:
        return [line for sentence in told(replay, language) for line in _sentence(sentence, width, ink)]
    rule = ink.row([(0, ink.symbols("─" * width, Style.FAINT))])
    lines = [*_top(replay, language, width, ink), rule]
    for seat in SEATS:
        lines += _seat(replay, seat, language, width, ink)
    lines.append(rule)
    for sentence in news(replay, language):
        lines += _sentence(sentence, width, ink, Style.BOLD)
    return lines


def _sentence(text: str, width: int, ink: Ink, style: Style = Style.PLAIN) -> list[str]:
    return [ink.row([ink.start(line, width)]) for line in ink.paragraph(text, width, style)]


def _top(replay: Replay, language: Language, width: int, ink: Ink) -> list[str]:
    catalogue, all_words, position = replay_words(language), words(language), replay.position
    title = [catalogue.in_round.format(round=number(language, replay.played.round))]
    if position.number:
        title.append(catalogue.trick.format(trick=number(language, position.number)))
    trumps = _trumps(position.trump, language, ink)
    taken = sum(piece.cells for piece in trumps)
    first = ink.piece(all_words.between.join(title), width - 1 - taken, Style.BOLD)
    tricks = ink.piece(_by_side(catalogue.tricks, position.tricks, language), width)
    second = [ink.start(tricks, width)]
    if replay.score_before is not None:
        score = _by_side(catalogue.score, replay.score_before, language)
        second.append(ink.end(ink.piece(score, max(0, width - tricks.cells - 1)), width))
    return [ink.row([ink.start(first, width), *ink.flow(trumps, width - taken, width)]), ink.row(second)]


def _trumps(trump: int | None, language: Language, ink: Ink) -> list[Piece]:
    if trump is None:
        return [ink.piece(words(language).trumps_unnamed, LEAST_WIDTH)]
    named = ink.piece(words(language).trumps.format(suit=suit_name(language, trump)) + " ", LEAST_WIDTH, Style.BOLD)
    return [named, ink.symbols(f" {SUITS[trump].symbol} ", CARD_ON[trump])]


def _by_side(template: str, counts: BySide, language: Language) -> str:
    even, odd = (number(language, count) for count in counts)
    return template.format(even=even, odd=odd)


def _seat(replay: Replay, seat: Seat, language: Language, width: int, ink: Ink) -> Iterator[str]:
    """Three lines, the card at the end of them."""
    position, between = replay.position, words(language).between
    room = width - _CARD_CELLS - 1
    card = None if position.trick is None else position.trick.card_of(seat)
    name = ink.piece(between.join(_called(replay, seat, language)), room, Style.BOLD)
    hand = [] if position.hands is None else ink.flow(_hand(position.hands[seat], language, ink), 0, width)
    came = ink.piece(between.join(_came(position, seat, language)), room)
    beside = ([ink.start(name, width)], hand, [ink.start(came, width)])
    for placed, line in zip(beside, lying(card, language, ink), strict=True):
        yield ink.row([*placed, ink.end(line, width)])


def _called(replay: Replay, seat: Seat, language: Language) -> Iterator[str]:
    """Who it is."""
    catalogue, seats = replay_words(language), replay.record.seats
    yield catalogue.seat.format(seat=number(language, seat))
    if seat == replay.me:
        yield catalogue.you
    elif seat < len(seats) and seats[seat].kind in catalogue.kinds:
        yield catalogue.kinds[seats[seat].kind]
    if seat == replay.played.hakem:
        yield words(language).hakem


def _hand(hand: Hand, language: Language, ink: Ink) -> Iterator[Piece]:
    """The cards by suits, in the direction of reading: of thirteen none is left out in the least width."""
    for suit in SUITS:
        cards = held(hand & SUIT_MASKS[suit])
        if not cards:
            continue
        yield ink.symbols(suit.symbol, CARD_ON[suit])
        for card in cards:
            rank = symbol(language, card).removesuffix(suit.symbol)
            yield ink.symbols(f"{rank} " if ink.rtl else f" {rank}", CARD_ON[suit])
        yield ink.symbols(" ")


def _came(position: Position, seat: Seat, language: Language) -> Iterator[str]:
    """How its card came, and whether it took the trick."""
    catalogue, trick = replay_words(language), position.trick
    if trick is None or trick.card_of(seat) is None:
        return
    place = seat - trick.leader & 3
    way = position.came[place]
    if place == 0:
        yield catalogue.leads
    elif is_cut(position, seat):
        yield catalogue.cuts
    if way in catalogue.came:
        yield catalogue.came[way]
    if way in (By.PLAYER, By.POLICY):
        yield seconds(position.think_ms[place], language)
    if position.taker == seat:
        yield catalogue.takes
