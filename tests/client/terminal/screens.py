# SPDX-License-Identifier: Apache-2.0
"""The views whose screens are kept as text in the folder `screens`; run as a program it writes them anew.

python -m tests.client.terminal.screens
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from hokm.cards import parse_card, parse_cards, parse_hand
from hokm.languages import Language
from hokm.rules import HOUSE
from hokm_client.storyteller import chapter
from hokm_client.terminal import say_customs, screen
from hokm_client.terminal.bidi import Bidi
from hokm_client.terminal.page import Page, draw_page
from hokm_client.terminal.view import Connection, Deal, Ending, Phase, Seated, Sitter, Step, Tea, TeaStep, Trick, View
from hokm_client.terminal.words import words

FOLDER: Final = Path(__file__).with_name("screens")

SEATS: Final = (
    Seated(Sitter.PERSON),
    Seated(Sitter.PERSON, "Reza"),
    Seated(Sitter.BOT),
    Seated(Sitter.STAND_IN, "سارا", absent=True),
)

PLAYING: Final = View(
    me=0,
    seats=SEATS,
    phase=Phase.TRICKS,
    awaited=(0,),
    seconds_left=23,
    round=3,
    hakem=3,
    trump=1,
    hand=parse_hand("AS KS 9S TH 7H 2H QD JD AC 3C"),
    legal=parse_hand("AC 3C"),
    trick=Trick(2, parse_cards("QC 4H")),
    last=Trick(1, parse_cards("TS 2S 3D JS")),
    tricks=(2, 1),
    score=(4, 2),
    deal=Deal.BOUND,
)

_NO_ROUND: Final = replace(
    PLAYING, hand=0, legal=0, trick=None, last=None, trump=None, tricks=(0, 0), seconds_left=30, deal=Deal.NONE
)

_HOUSE: Final = replace(PLAYING, rules=HOUSE)

VIEWS: Final = {
    "seating": View(0, seats=(Seated(Sitter.PERSON), Seated(), Seated(Sitter.BOT), Seated())),
    "commit": replace(_NO_ROUND, phase=Phase.CEREMONY, step=Step.COMMIT, awaited=(0, 1), hakem=None),
    "witness": replace(_NO_ROUND, phase=Phase.CEREMONY, step=Step.WITNESS, awaited=(), hakem=None),
    "trumps": replace(_NO_ROUND, phase=Phase.TRUMPS, hakem=0, hand=parse_hand("AS KS TH QD 3C"), deal=Deal.BOUND),
    "playing": PLAYING,
    "waiting": replace(
        PLAYING,
        awaited=(1,),
        legal=0,
        hakem=2,
        hand=parse_hand("KS 9S TH 7H 2H QD JD AC 3C"),
        trick=Trick(0, parse_cards("AS")),
        messages=("The first.", "The second."),
        typed="kh",
    ),
    "from-seat-3": replace(PLAYING, me=3, awaited=(0,), legal=0, hand=parse_hand("KS"), connection=Connection.LOST),
    "round-over": replace(
        PLAYING,
        phase=Phase.ROUND_OVER,
        awaited=(),
        seconds_left=None,
        hand=0,
        legal=0,
        trick=None,
        tricks=(7, 0),
        score=(7, 2),
        winner=0,
        points=3,
        deal=Deal.PROVED,
    ),
    "game-over": replace(
        PLAYING,
        phase=Phase.GAME_OVER,
        awaited=(),
        seconds_left=None,
        hand=0,
        legal=0,
        trick=None,
        tricks=(3, 7),
        score=(6, 7),
        winner=1,
        points=1,
        ending=Ending.TARGET,
        deal=Deal.WRONG,
    ),
    "middle": replace(
        _HOUSE,
        hakem=2,
        hand=parse_hand("AS KS 9S TH 7H 2H QD JD AC 3C 8D 5S 4S"),
        legal=0,
        awaited=(3,),
        tricks=(0, 0),
        trick=Trick(2, parse_cards("QC")),
        last=None,
        middle=parse_card("TH"),
        seen=(parse_hand("TH"), 0, 0, 0),
        face_down=(0, 1),
        laid=parse_card("3C"),
    ),
    "run": replace(
        _HOUSE,
        hakem=1,
        legal=parse_hand("TH 7H 2H"),
        trick=Trick(1, parse_cards("JH 4H 3H")),
        run=parse_cards("KC QC"),
        played=parse_hand("JH 4H 3H TS 2S 3D JS"),
        seen=(parse_hand("TH"), parse_hand("KC QC AD"), 0, parse_hand("AH")),
        tea=Tea(3, TeaStep.ASKED, (1,), (0, 2), 14),
    ),
    "calling": replace(
        _NO_ROUND,
        rules=HOUSE,
        phase=Phase.TRUMPS,
        hakem=0,
        hand=parse_hand("AS KS TH QD 3C"),
        deal=Deal.BOUND,
    ),
    "leading": replace(
        _HOUSE, hand=parse_hand("AS KS QS TH AH KH 3C"), legal=parse_hand("AS KS QS TH AH KH 3C"), trick=None
    ),
    "tea": replace(
        _HOUSE,
        awaited=(),
        seconds_left=None,
        legal=0,
        trick=None,
        tea=Tea(0, TeaStep.DRUNK, (1,), (0,), 171),
        messages=("A slipper hits the right opponent!",),
    ),
    "tea-granted": replace(_HOUSE, trick=Trick(3, parse_cards("QC")), tea=Tea(1, TeaStep.GRANTED, (0, 2, 3))),
}


def rendered() -> Iterator[tuple[str, str]]:
    """Each file's name and text: the picture without colour, then the same in sentences."""
    for name, view in VIEWS.items():
        for language in Language:
            picture = screen.draw(view, language, 80, bidi=Bidi.SHAPED, colour=False)
            lines = [*picture, "", *screen.tell(view, language)]
            yield f"{name}.{language.value}.txt", _text(lines)
    for language in Language:
        told = chapter(language, 0)
        yield f"story.{language.value}.txt", _pages(Page(told.paragraphs, told.title), VIEWS["tea"], language)
        helped = (*words(language).help, *say_customs.explained(HOUSE, language))
        yield f"help.{language.value}.txt", _pages(Page(helped), VIEWS["run"], language)


def _pages(page: Page | None, view: View, language: Language) -> str:
    lines = []
    while page is not None:
        picture, page = draw_page(page, view, language, 80, 16, bidi=Bidi.SHAPED, colour=False)
        lines += [*picture, ""]
    return _text(lines)


def _text(lines: list[str]) -> str:
    return "".join(f"{line.rstrip()}\n" for line in lines)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in rendered():
        (FOLDER / name).write_text(text, "utf-8")
