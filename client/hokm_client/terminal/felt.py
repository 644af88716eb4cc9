# SPDX-License-Identifier: Apache-2.0
"""The table on the screen: ten rows with four seats around them, and before each seat the card that it has played.

Who holds a seat, hakem, turn and whose card is the best are words beside it.
"""

from __future__ import annotations

from typing import Final

from hokm.cards import Card, suit_of
from hokm.languages import Language
from hokm.rules import Seat
from hokm_client.terminal.bidi import apart, cells, clean
from hokm_client.terminal.rows import CARD_ON, Ink, Piece, Style, centred
from hokm_client.terminal.view import Place, Seated, Sitter, Trick, View, place
from hokm_client.terminal.words import symbol, words

_NOTHING_THERE: Final = "–"
"""Where a card may come to lie. A dot would look like a Persian zero."""

_CARD_CELLS: Final = 6


def table(view: View, language: Language, width: int, ink: Ink) -> list[str]:
    centre = width // 2
    zone = centre - _CARD_CELLS // 2 - 2  # what is beside the cards in the middle
    at_left, at_right = zone // 2, width - zone + zone // 2
    rows: list[list[tuple[int, Piece]]] = [[] for _ in range(10)]
    me, right, partner, left = view.around()
    trick = view.trick or Trick(me)
    for seat, row, middle in (
        (partner, 1, centre),
        (right, 4, at_right),
        (left, 4, at_left),
        (me, 6, centre),
    ):
        for line, piece in enumerate(_card(trick.card_of(seat), language, ink)):
            rows[row + line].append(centred(piece, middle))
    rows[0].append(centred(_one_line(view, partner, language, width, ink), centre))
    rows[9].append(centred(_one_line(view, me, language, width, ink), centre))
    for seat, middle in ((right, at_right), (left, at_left)):
        for line, piece in enumerate(_three_lines(view, seat, language, zone, ink), start=1):
            rows[line].append(centred(piece, middle))
    return [ink.row(row) for row in rows]


def _card(card: Card | None, language: Language, ink: Ink) -> list[Piece]:
    if card is None:
        return [ink.symbols(line, Style.FAINT) for line in ("", _NOTHING_THERE, "")]
    style = CARD_ON[suit_of(card)]
    return [ink.symbols(line, style) for line in ("┌────┐", f"│{symbol(language, card):^4}│", "└────┘")]


def _one_line(view: View, seat: Seat, language: Language, width: int, ink: Ink) -> Piece:
    told = words(language).between.join((_called(view, seat, language), *_marks(view, seat, language)))
    return ink.piece(told, width, _look(view, seat))


def _three_lines(view: View, seat: Seat, language: Language, width: int, ink: Ink) -> list[Piece]:
    """Who it is, then the marks, as many to a line as find room."""
    lines = [""]
    for mark in _marks(view, seat, language):
        longer = f"{lines[-1]}{words(language).between}{mark}" if lines[-1] else mark
        if cells(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(mark)
    look = _look(view, seat)
    return [ink.piece(line, width, look) for line in (_called(view, seat, language), *lines[:2])]


def _look(view: View, seat: Seat) -> Style:
    return Style.TURN if seat in view.awaited else Style.PLAIN


def _called(view: View, seat: Seat, language: Language) -> str:
    label = words(language).labels[place(seat, view.me)]
    name = clean(view.seats[seat].name).strip()
    return f"{label}{words(language).between}{apart(name, language.rtl)}" if name else label


def _marks(view: View, seat: Seat, language: Language) -> list[str]:
    """What is to be said of a seat, in words: who holds it, hakem, turn, whether its card is the best."""
    catalogue = words(language)
    seated = view.seats[seat]
    marks = _holder(seated, place(seat, view.me), language)
    if view.hakem == seat:
        marks.insert(0, catalogue.hakem)
    if seat == view.turn:
        marks.append(catalogue.to_play[place(seat, view.me)])
    elif seat in view.awaited:
        marks.append(catalogue.awaited)
    if view.trick is not None and view.trick.cards and view.trump is not None and view.trick.winner(view.trump) == seat:
        marks.append(catalogue.ahead)
    return marks


def _holder(seated: Seated, where: Place, language: Language) -> list[str]:
    catalogue = words(language)
    if seated.absent:
        return [catalogue.absent, catalogue.stand_in]
    match seated.sitter:
        case Sitter.FREE:
            return [catalogue.free]
        case Sitter.BOT:
            return [catalogue.bot]
        case Sitter.STAND_IN:
            return [catalogue.stand_in]
        case Sitter.PERSON:
            return [] if where is Place.ME or seated.name.strip() else [catalogue.person]
