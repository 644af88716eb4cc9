# SPDX-License-Identifier: Apache-2.0
"""Something to be read in place of the table: help, rules, a story. Below it stands what the table waits for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hokm.languages import Language
from hokm_client.terminal import say
from hokm_client.terminal.bidi import Bidi, clean
from hokm_client.terminal.notices import notices
from hokm_client.terminal.rows import Ink, Style
from hokm_client.terminal.screen import MOST_WIDTH, prompt_line
from hokm_client.terminal.view import View


@dataclass(frozen=True, slots=True)
class Page:
    """What is to be read, and how far it has been."""

    sentences: tuple[str, ...]
    title: str = ""
    """Under a title there are gaps between the sentences, as there are around each that takes more than a line."""
    read: int = 0
    """Lines of it."""


def draw_page(
    page: Page, view: View, language: Language, width: int, height: int, *, bidi: Bidi, colour: bool
) -> tuple[list[str], Page | None]:
    """As much of it as there is room for, the line that is typed last; and what is left to be turned to, if anything.

    With it stands the newest message, and whose turn it is.
    """
    ink = Ink(colour, bidi, language.rtl)
    within = min(width, MOST_WIDTH)

    def lines(sentence: str, style: Style = Style.PLAIN) -> list[str]:
        return [ink.row([ink.start(line, within)]) for line in ink.paragraph(sentence, within, style)] or [""]

    text, before = (lines(page.title, Style.BOLD) if page.title else []), 0
    for paragraph in map(lines, page.sentences):
        gap = page.title or max(before, len(paragraph)) > 1
        text += [*([""] if text and gap else []), *paragraph]
        before = len(paragraph)
    table = [line for message in view.messages[-1:] for line in lines(clean(message), Style.BOLD)]
    table += lines(" ".join(say.turn(view, language)), Style.BOLD)
    table += lines(say.prompt(view, language), Style.FAINT) if view.is_tea_time else []
    room = max(1, height - len(table) - 3)
    shown, rest = text[page.read : page.read + room], page.read + room < len(text)
    while len(shown) > 1 and not shown[-1]:
        shown.pop()
    hint = notices(language).next_page if rest else notices(language).press_enter
    typed = prompt_line(view.typed, language, width, bidi)[0]
    picture = [*shown, "", *table, *lines(hint, Style.FAINT)[:1], typed]
    return picture[-height:], replace(page, read=page.read + room) if rest else None
