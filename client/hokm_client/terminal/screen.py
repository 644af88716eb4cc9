# SPDX-License-Identifier: Apache-2.0
"""The screen: a `View` as lines of text, none wider than the terminal.

I sit at the bottom, my partner at the top, the seat that plays after me on the right and the one before me on the
left: on a screen as at a table, in every language. Words and numbers run in the direction of the language.

Nothing is told by colour alone: a suit has its symbol and its name, a card that may be played stands in brackets, and
hakem, turn, absence and whose card is the best are words. `draw` makes the picture, `tell` the same as sentences, one
on each line, for a screen reader or a terminal too narrow for the picture. A terminal too low for all of the picture
gets what matters most of it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from enum import IntEnum
from typing import Final, NamedTuple

from hokm.cards import SUITS, Card, suit_of
from hokm.languages import Language
from hokm_client.terminal import felt, say, say_customs
from hokm_client.terminal.bidi import Bidi, cells, clean, clip, leftward
from hokm_client.terminal.customs import customs
from hokm_client.terminal.rows import CARD_OFF, CARD_ON, Ink, Piece, Style
from hokm_client.terminal.view import Connection, Deal, Phase, Place, View, held, place
from hokm_client.terminal.words import card_name, listed, number, suit_name, symbol, words

LEAST_WIDTH: Final = 44
"""Narrower terminals get sentences."""
MOST_WIDTH: Final = 100
"""Wider ones are not filled: a table should be seen at one glance."""

PROMPT: Final = "> "
_PROMPT_FROM_THE_RIGHT: Final = " <"

MESSAGES: Final = 3
"""So many of the newest messages are shown."""


class _Worth(IntEnum):
    """What a low terminal does without: the first of these first, and never the last."""

    OLDEST_MESSAGE = 0
    OLD_MESSAGE = 1
    GAP_BELOW_HAND = 2
    GAP_ABOVE_HAND = 3
    LAST_TRICK = 4
    SEEN = 5
    WELL = 6
    HINT = 7
    RULE = 8
    SUIT_NAME = 9
    ALL_ELSE = 10


class _Row(NamedTuple):
    """One line of the picture."""

    worth: _Worth
    line: str


def draw(
    view: View,
    language: Language,
    width: int,
    height: int = sys.maxsize,
    *,
    bidi: Bidi = Bidi.SHAPED,
    colour: bool = True,
) -> list[str]:
    """The picture, from top to bottom, the line that is typed last.

    With `colour` False there is no escape sequence in it.
    """
    typed = prompt_line(view.typed, language, width, bidi)[0]
    if width < LEAST_WIDTH:
        return _fitting(_rows(_Worth.ALL_ELSE, [*tell(view, language, width, bidi=bidi), typed]), height)
    ink = Ink(colour, bidi, language.rtl)
    width = min(width, MOST_WIDTH)
    rule = _Row(_Worth.RULE, ink.row([(0, ink.symbols("─" * width, Style.FAINT))]))
    rows = [*_top(view, language, width, ink), rule]
    rows += _rows(_Worth.ALL_ELSE, felt.table(view, language, width, ink))
    rows += [rule, *_rows(_Worth.ALL_ELSE, _turn(view, language, width, ink))]
    rows += _rows(_Worth.ALL_ELSE, _tea(view, language, width, ink))
    rows += _rows(_Worth.LAST_TRICK, _last(view, language, width, ink))
    rows += _rows(_Worth.SEEN, _seen(view, language, width, ink))
    rows += _rows(_Worth.ALL_ELSE, _menu(view, language, width, ink) if _names_trumps(view) else [])
    rows += _rows(_Worth.HINT, _customary(view, language, width, ink))
    rows.append(_Row(_Worth.GAP_ABOVE_HAND, ""))
    if view.hand:
        rows += _hand(view, language, width, ink)
        rows.append(_Row(_Worth.GAP_BELOW_HAND, ""))
    for age, message in reversed([*enumerate(reversed(view.messages[-MESSAGES:]))]):
        worth = (_Worth.ALL_ELSE, _Worth.OLD_MESSAGE, _Worth.OLDEST_MESSAGE)[age]
        rows += _rows(worth, _sentence(clean(message), width, ink, Style.BOLD))
    hint = _Worth.ALL_ELSE if view.asked else _Worth.HINT
    rows += _rows(hint, _sentence(say.prompt(view, language), width, ink, Style.FAINT))
    rows.append(_Row(_Worth.ALL_ELSE, typed))
    return _fitting(rows, height)


def prompt_line(typed: str, language: Language, width: int, bidi: Bidi) -> tuple[str, int]:
    """The line that is typed, and the column, from 1, of the next letter.

    It goes from the right in Persian, where this program sets the letters; a terminal that turns them round itself
    would put its cursor somewhere else.
    """
    width = min(width, MOST_WIDTH)
    text = clip(clean(typed), max(0, width - len(PROMPT) - 1))
    if not language.rtl or bidi is not Bidi.SHAPED:
        line = PROMPT + Ink(False, bidi, False).symbols(text).written
        return line, cells(line) + 1
    line = Ink(False, bidi, True).piece(text, width).written + _PROMPT_FROM_THE_RIGHT
    left = max(0, width - cells(line))
    return " " * left + line, max(1, left)


def _rows(worth: _Worth, lines: Iterable[str]) -> list[_Row]:
    return [_Row(worth, line) for line in lines]


def _fitting(rows: list[_Row], height: int) -> list[str]:
    """So many lines: the first, which names trumps, and what is worth most of the others, the lowest where all is."""
    for worth in _Worth:
        if len(rows) > height and worth is not _Worth.ALL_ELSE:
            rows = [row for row in rows if row.worth is not worth]
    lines = [row.line for row in rows]
    return lines if len(lines) <= height else [lines[0], *lines[len(lines) - height + 1 :]]


def _sentence(text: str, width: int, ink: Ink, style: Style = Style.PLAIN) -> list[str]:
    """A sentence in as many lines as it needs, each at the side where the language begins."""
    return [ink.row([ink.start(line, width)]) for line in ink.paragraph(text, width, style)]


def tell(view: View, language: Language, width: int | None = None, *, bidi: Bidi = Bidi.NONE) -> list[str]:
    """The same in sentences, without any escape sequence; wrapped only if there is a width."""
    ink = Ink(False, bidi, language.rtl)
    sentences = [*say.situation(view, language), *(clean(message) for message in view.messages[-MESSAGES:])]
    sentences.append(say.prompt(view, language))
    if width is None:
        return [ink.row([(0, ink.piece(sentence, sys.maxsize))]) for sentence in sentences]
    width = max(width, 2)  # for one wide character
    to_the_right = language.rtl and bidi is not Bidi.NONE
    return [
        ink.row([ink.start(line, width) if to_the_right else (0, line)])
        for sentence in sentences
        for line in ink.paragraph(sentence, width)
    ]


# Above the table: the game, trumps, score, tricks, and whether all is well.


def _top(view: View, language: Language, width: int, ink: Ink) -> list[_Row]:
    trumps = _trumps(view, language, ink)
    taken = sum(piece.cells for piece in trumps)
    between = words(language).between
    name = f"{words(language).game}{between}{say.round_line(view, language)}"
    title = ink.piece(name, width - 1 - taken, Style.BOLD)
    counts = [] if view.phase is Phase.SEATING else [say.score_line(view, language), say.tricks_line(view, language)]
    score = ink.piece(between.join(counts), width)
    well = _wellness(view, language, width, ink)
    first = ink.row([ink.start(title, width), *ink.flow(trumps, width - taken, width)])
    if score.cells + 1 + well.cells <= width:
        return _rows(_Worth.ALL_ELSE, [first, ink.row([ink.start(score, width), ink.end(well, width)])])
    worth = _Worth.ALL_ELSE if well.style is Style.WARNING else _Worth.WELL
    lines = [first, ink.row([ink.start(score, width)])]
    return [*_rows(_Worth.ALL_ELSE, lines), _Row(worth, ink.row([ink.start(well, width)]))]


def _trumps(view: View, language: Language, ink: Ink) -> list[Piece]:
    if view.trump is None:
        return [ink.piece(words(language).trumps_unnamed, 24)] if view.hakem is not None else []
    named = ink.piece(words(language).trumps.format(suit=suit_name(language, view.trump)) + " ", 24, Style.BOLD)
    return [named, ink.symbols(f" {SUITS[view.trump].symbol} ", CARD_ON[view.trump])]


def _wellness(view: View, language: Language, width: int, ink: Ink) -> Piece:
    catalogue = words(language)
    if view.connection is not Connection.UP:
        return ink.piece(catalogue.connections[view.connection], width, Style.WARNING)
    if view.deal is Deal.NONE:
        return ink.piece(catalogue.connections[view.connection], width, Style.FAINT)
    style = Style.WARNING if view.deal is Deal.WRONG else Style.FAINT
    return ink.piece(catalogue.deals[view.deal], width, style)


# Below the table: whose turn, the last trick, my cards.


def _turn(view: View, language: Language, width: int, ink: Ink) -> list[str]:
    look = Style.BOLD if view.turn == view.me else Style.PLAIN
    return _sentence(" ".join(say.turn(view, language)), width, ink, look)


def _last(view: View, language: Language, width: int, ink: Ink) -> list[str]:
    if view.last is None or view.trump is None or not view.last.cards:
        return []
    catalogue = words(language)
    cards = catalogue.comma.join(
        f"{catalogue.short[place(seat, view.me)]} {leftward(symbol(language, card))}"
        for seat, card in view.last.plays()
    )
    taken = catalogue.takes[place(view.last.winner(view.trump), view.me)]
    return _sentence(f"{catalogue.last_trick}: {cards}. {taken}", width, ink, Style.FAINT)


def _tea(view: View, language: Language, width: int, ink: Ink) -> list[str]:
    """A tea that is asked for or granted; where it is drunk it is all that the table waits for."""
    told = [] if view.is_tea_time else say_customs.tea(view, language)
    return _sentence(" ".join(told), width, ink, Style.BOLD) if told else []


def _seen(view: View, language: Language, width: int, ink: Ink) -> list[str]:
    """My own face-down card, and what all have seen of the hands."""
    catalogue, line = customs(language), ""
    if view.laid is not None:
        line = " ".join(
            (catalogue.lies_face_down[Place.ME], catalogue.laid.format(card=card_name(language, view.laid)))
        )
    parts = [catalogue.marked] if say_customs.seen_in_hand(view, view.me) else []
    for seat in view.around()[1:]:
        cards = [leftward(symbol(language, card)) for card in held(say_customs.seen_in_hand(view, seat))]
        parts += [" ".join((words(language).short[place(seat, view.me)], *cards))] if cards else []
    if parts:
        line += f" {catalogue.all_have_seen}: {words(language).comma.join(parts)}."
    return _sentence(line.strip(), width, ink, Style.FAINT) if line else []


def _names_trumps(view: View) -> bool:
    return view.phase is Phase.TRUMPS and view.my_turn


def _menu(view: View, language: Language, width: int, ink: Ink) -> list[str]:
    """The four suits with their numbers."""
    pieces: list[Piece] = [ink.piece(f"{words(language).menu}:", 12, Style.BOLD)]
    for suit in SUITS:
        pieces.append(ink.piece(f"  {number(language, suit + 1)} {suit_name(language, suit)} ", 16))
        pieces.append(ink.symbols(f" {suit.symbol} ", CARD_ON[suit]))
    if sum(piece.cells for piece in pieces) > width:
        return [ink.row(ink.flow(pieces[at : at + 4], 0, width)) for at in range(1, 9, 4)]
    return [ink.row(ink.flow(pieces, 0, width))]


def _customary(view: View, language: Language, width: int, ink: Ink) -> list[str]:
    """What I may do now by the house rules in place of naming trumps or playing one card."""
    catalogue = customs(language)
    if _names_trumps(view) and view.rules.partners_middle:
        return _sentence(catalogue.or_middle, width, ink, Style.FAINT)
    runs = [listed(language, [leftward(symbol(language, card)) for card in run]) for run in view.runs]
    told = catalogue.may_run.format(runs=words(language).semicolon.join(runs))
    return _sentence(told, width, ink, Style.FAINT) if runs else []


_SLOT: Final = 6
_SEEN: Final = "*"
"""Behind a card of mine that all have seen."""


def _hand(view: View, language: Language, width: int, ink: Ink) -> list[_Row]:
    """Three rows for as many suits as find room: their names, the cards, and the numbers to type.

    A card that may be played stands in brackets; numbers are there while cards are played.
    """
    cards = held(view.hand)
    groups: list[list[tuple[int, Card]]] = []
    for index, card in enumerate(cards, start=1):
        if not groups or suit_of(groups[-1][-1][1]) != suit_of(card) or len(groups[-1]) * _SLOT + _SLOT > width:
            groups.append([])
        groups[-1].append((index, card))
    rows: list[_Row] = []
    names: list[tuple[int, Piece]] = []
    faces: list[tuple[int, Piece]] = []
    numbers: list[tuple[int, Piece]] = []
    column = 0

    def finish() -> None:
        for worth, placed in (
            (_Worth.SUIT_NAME, names),
            (_Worth.ALL_ELSE, faces),
            (_Worth.ALL_ELSE, numbers),
        ):
            if placed:
                rows.append(_Row(worth, ink.row(placed)))
                placed.clear()

    for group in groups:
        name = ink.piece(suit_name(language, suit_of(group[0][1])), width)
        room = max(len(group) * _SLOT, name.cells + 1)
        if column and column + room > width + 1:
            finish()
            column = 0
        names += ink.flow([name], column, width)
        for step, (index, card) in enumerate(group):
            at = column + step * _SLOT
            face = _face(card, view, language, ink)
            is_seen = view.seen[view.me] >> card & 1
            faces += ink.flow([face, ink.symbols(_SEEN)] if is_seen else [face], at, width)
            if view.phase is Phase.TRICKS:
                below = f"{number(language, index):^{face.cells}}"
                numbers += ink.flow([ink.symbols(below, Style.FAINT)], at, width)
        column += room
    finish()
    return rows


def _face(card: Card, view: View, language: Language, ink: Ink) -> Piece:
    text = symbol(language, card)
    if view.legal >> card & 1:
        return ink.symbols(f"[{text}]", CARD_ON[suit_of(card)])
    waiting = view.phase is not Phase.TRICKS or not view.my_turn
    return ink.symbols(f" {text} ", (CARD_ON if waiting else CARD_OFF)[suit_of(card)])
