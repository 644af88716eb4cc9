# SPDX-License-Identifier: Apache-2.0
"""The table on the screen: ten rows with four seats around them, and before each seat what lies there.

That is the card that it has played, or the back of one laid face down; and below or above it, small, what lies open
besides: the partner's middle, and what has not led yet of a run. Who holds a seat, hakem, turn and whose card is the
best are words beside it, and so is what the small cards are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from hokm.cards import Card, suit_of
from hokm.languages import Language
from hokm.rules import Seat, partner_of
from hokm_client.terminal.bidi import apart, cells, clean
from hokm_client.terminal.customs import customs
from hokm_client.terminal.rows import CARD_ON, Ink, Piece, Style, centred
from hokm_client.terminal.view import Place, Seated, Sitter, View, place
from hokm_client.terminal.words import symbol, words

_NOTHING_THERE: Final = "–"
"""Where a card may come to lie. A dot would look like a Persian zero."""

_CARD_CELLS: Final = 6


def table(view: View, language: Language, width: int, ink: Ink) -> list[str]:
    """The ten rows, all of one width."""
    centre = width // 2
    zone = centre - _CARD_CELLS // 2 - 2  # what is beside the cards in the middle
    at_left, at_right = zone // 2, width - zone + zone // 2
    rows: list[list[tuple[int, Piece]]] = [[] for _ in range(10)]
    me, right, partner, left = view.around()
    between = at_right - at_left - _CARD_CELLS - 2  # what is between the cards at the sides
    for seat, row, row_beside, middle, room in (
        (partner, 1, 4, centre, between),
        (right, 4, 7, at_right, zone),
        (left, 4, 7, at_left, zone),
        (me, 6, 5, centre, between),
    ):
        for line, piece in enumerate(_card(view, seat, language, ink)):
            rows[row + line].append(centred(piece, middle))
        rows[row_beside] += _side_by_side(_small(open_before(view, seat), language, ink), middle, room, ink)
    rows[0].append(centred(_one_line(view, partner, language, width, ink), centre))
    rows[9].append(centred(_one_line(view, me, language, width, ink), centre))
    for seat, middle in ((right, at_right), (left, at_left)):
        for line, piece in enumerate(_three_lines(view, seat, language, zone, ink), start=1):
            rows[line].append(centred(piece, middle))
    return [ink.row(row) for row in rows]


def _card(view: View, seat: Seat, language: Language, ink: Ink) -> list[Piece]:
    card = None if view.trick is None else view.trick.card_of(seat)
    if card is None and seat in view.face_down:
        return [ink.symbols(line) for line in ("┌────┐", "│░░░░│", "└────┘")]
    return lying(card, language, ink)


def lying(card: Card | None, language: Language, ink: Ink) -> list[Piece]:
    """Three lines: the card as it lies on the table, or the place where none does."""
    if card is None:
        return [ink.symbols(line, Style.FAINT) for line in ("", _NOTHING_THERE, "")]
    style = CARD_ON[suit_of(card)]
    return [ink.symbols(line, style) for line in ("┌────┐", f"│{symbol(language, card):^4}│", "└────┘")]


def open_before(view: View, seat: Seat) -> tuple[Card, ...]:
    """The cards that lie open before a seat without having been played: the middle (H1), the rest of a run (H3)."""
    middle = view.hakem is not None and seat == partner_of(view.hakem) and view.middle is not None
    leads = view.trick is not None and seat == view.trick.leader
    return (*((view.middle,) if middle and view.middle is not None else ()), *(view.run if leads else ()))


def _small(cards: Iterable[Card], language: Language, ink: Ink) -> list[Piece]:
    return [ink.symbols(f" {symbol(language, card)} ", CARD_ON[suit_of(card)]) for card in cards]


def _side_by_side(pieces: list[Piece], middle: int, room: int, ink: Ink) -> list[tuple[int, Piece]]:
    """Pieces around a column from left to right; where there is no room for all, an ellipsis for the last ones."""
    if sum(piece.cells for piece in pieces) > room:
        while pieces and sum(piece.cells for piece in pieces) > room - 1:
            pieces = pieces[:-1]
        pieces = [*pieces, ink.symbols("…")]
    column = middle - sum(piece.cells for piece in pieces) // 2
    placed = []
    for piece in pieces:
        placed.append((column, piece))
        column += piece.cells
    return placed


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
    return [*marks, *_customary_marks(view, seat, language)]


def _customary_marks(view: View, seat: Seat, language: Language) -> list[str]:
    """What the cards are that lie before a seat by the house rules."""
    catalogue = customs(language)
    lies_open = open_before(view, seat)
    marks = [catalogue.face_down] if seat in view.face_down else []
    marks += [catalogue.middle_open] if view.middle in lies_open else []
    return [*marks, *([catalogue.run_open] if set(view.run) & set(lies_open) else [])]


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
