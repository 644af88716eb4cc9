# SPDX-License-Identifier: Apache-2.0
"""What is typed for the house rules: every word in both languages, and what is refused before it goes to the seat."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hokm.cards import parse_card, parse_cards, parse_hand
from hokm.events import AnswerTea, AskTea, CallMiddle, PickUp, Play, Ready, Run, TakeBack
from hokm.languages import Language
from hokm.rules import HOUSE
from hokm_client.question import ComeEarly
from hokm_client.terminal.slips import Slip, slip_sentence
from hokm_client.terminal.things import Thing
from hokm_client.terminal.typed import Ask, Command, read
from hokm_client.terminal.typed_customs import Throw
from hokm_client.terminal.view import Connection, Phase, Seated, Sitter, Tea, TeaStep, View
from tests.client.terminal.screens import PLAYING, VIEWS

HERE = replace(PLAYING, rules=HOUSE)
NAMING = replace(VIEWS["trumps"], rules=HOUSE)
LEADING = replace(HERE, trick=None, hand=parse_hand("AS KS QS AH KH JH 2D"), legal=parse_hand("AS KS QS AH KH JH 2D"))
ASKED = replace(HERE, tea=Tea(1, TeaStep.ASKED, (), (0, 2, 3), 12))
TEA = replace(HERE, awaited=(), legal=0, tea=Tea(1, TeaStep.DRUNK, (), (0,), 170))


@pytest.mark.parametrize(
    ("text", "view", "act"),
    [
        *((text, NAMING, CallMiddle()) for text in ("middle", "call middle", "the middle", "وسط", "وسط یار")),
        *((text, HERE, PickUp()) for text in ("pick up", "pickup", "بردار", "برمی‌دارم")),
        *((text, HERE, ComeEarly(parse_card("9S"))) for text in ("early 3", "early 9s", "زود ۳", "زود نه پیک را")),
        *((text, HERE, ComeEarly(parse_card("TH"))) for text in ("early 10 hearts", "come early 4", "زود ۱۰ دل")),
        *((text, HERE, TakeBack()) for text in ("take back", "takeback", "پس می‌گیرم", "پس")),
        *((text, HERE, AskTea()) for text in ("tea", "چای", "چایی")),
        *((text, TEA, Ready()) for text in ("ready", "آماده", "آماده‌ام")),
        *((text, ASKED, AnswerTea(True)) for text in ("yes", "بله")),
        *((text, ASKED, AnswerTea(False)) for text in ("no", "نه")),
        *((text, LEADING, Run(parse_cards("AS KS QS"))) for text in ("run as ks qs", "run 1 2 3", "run 1, ks, 3")),
        ("ردیف آس پیک شاه پیک بی‌بی پیک", LEADING, Run(parse_cards("AS KS QS"))),
        ("run ace of hearts, king of hearts", LEADING, Run(parse_cards("AH KH"))),
        ("ردیف ۴ ۵", LEADING, Run(parse_cards("AH KH"))),
        *((text, HERE, Throw(3, Thing.ROSE)) for text in ("throw rose left", "throw a rose at left", "پرتاب گل چپ")),
        *((text, HERE, Throw(2, Thing.SLIPPER)) for text in ("throw partner slipper", "پرتاب دمپایی یار")),
        ("پرت دمپایی به یارم", HERE, Throw(2, Thing.SLIPPER)),
        ("throw sugar cube right", HERE, Throw(1, Thing.SUGAR_CUBE)),
        ("پرتاب موشک کاغذی به حریف راست", HERE, Throw(1, Thing.PAPER_PLANE)),
    ],
)
def test_words_of_the_house_rules(text: str, view: View, act: object) -> None:
    """In both languages, cards by name or number, and idle words between."""
    assert read(text, view) == act


AWAY = (Seated(Sitter.STAND_IN, absent=True), *PLAYING.seats[1:])


@pytest.mark.parametrize(
    ("text", "view", "slip"),
    [
        ("middle", VIEWS["trumps"], Slip("RULE_OFF", {"rule": "partners_middle"})),
        ("early 3", PLAYING, Slip("RULE_OFF", {"rule": "coming_early"})),
        ("run 1 2", PLAYING, Slip("RULE_OFF", {"rule": "runs"})),
        ("tea", PLAYING, Slip("RULE_OFF", {"rule": "tea"})),
        ("throw rose left", PLAYING, Slip("RULE_OFF", {"rule": "throwing"})),
        ("middle", replace(NAMING, hakem=1, awaited=(1,)), Slip("NOT_THE_HAKEM")),
        ("middle", HERE, Slip("MIDDLE_TOO_LATE")),
        ("middle", replace(HERE, phase=Phase.CEREMONY), Slip("NO_CARDS_NOW")),
        ("early", HERE, Slip("EARLY_WHAT")),
        ("early 1 2", HERE, Slip("EARLY_WHAT")),
        ("early 14", HERE, Slip("NO_SUCH_NUMBER", {"number": "14", "most": "10"})),
        ("early KC", HERE, Slip("CARD_NOT_HELD", {"card": "KC"})),
        ("early soon", HERE, Slip("NO_SUCH_WORD", {"text": "soon"})),
        ("early 3", NAMING, Slip("NO_CARDS_NOW")),
        ("take back", NAMING, Slip("NO_CARDS_NOW")),
        ("run", LEADING, Slip("RUN_OF_WHAT")),
        ("run 1 2", replace(LEADING, awaited=(2,)), Slip("NOT_YOUR_TURN")),
        ("run 9 10", HERE, Slip("NOT_ON_LEAD")),
        ("run 2 1 3", LEADING, Slip("NOT_A_RUN", {"cards": "KS AS QS"})),
        ("run 1 2", LEADING, Slip("NOT_A_RUN", {"cards": "AS KS"})),
        ("run 4 6", LEADING, Slip("NOT_A_RUN", {"cards": "AH JH"})),
        ("run 1 2 3", NAMING, Slip("NO_CARDS_NOW")),
        ("run 1 2 3", replace(LEADING, awaited=(), tea=TEA.tea), Slip("TEA_IS_SERVED")),
        ("AC", TEA, Slip("TEA_IS_SERVED")),
        ("throw rose", HERE, Slip("THROW_WHAT")),
        ("throw left", HERE, Slip("THROW_WHAT")),
        ("throw", HERE, Slip("THROW_WHAT")),
        ("throw piano left", HERE, Slip("NO_SUCH_THING", {"text": "piano"})),
        ("throw rose me", HERE, Slip("NOT_AT_YOURSELF")),
        ("yes", HERE, Slip("NOTHING_ASKED")),
        ("no", replace(ASKED, tea=Tea(0, TeaStep.ASKED, (), (1, 2, 3), 12)), Slip("NOTHING_ASKED")),
        ("yes", replace(ASKED, connection=Connection.LOST), Slip("NOT_CONNECTED")),
        ("tea", replace(HERE, connection=Connection.LOST), Slip("NOT_CONNECTED")),
        ("tea", replace(HERE, seats=AWAY), Slip("STAND_IN_PLAYS")),
        ("tea", replace(VIEWS["seating"], rules=HOUSE), Slip("NO_GAME")),
        ("tea", replace(VIEWS["game-over"], rules=HOUSE), Slip("GAME_IS_OVER")),
    ],
)
def test_slips_of_the_house_rules(text: str, view: View, slip: Slip) -> None:
    """With a sentence of their own in both languages."""
    assert read(text, view) == slip
    for language in Language:
        sentence = slip_sentence(slip, language)
        assert sentence
        assert slip.reason not in sentence
        assert not any(fact in sentence for fact in ("partners_middle", "KS AS QS"))


def test_a_question_of_the_program_comes_before_tea() -> None:
    """Who is asked whether to leave answers that; tea is asked for after it."""
    leave = read("leave", ASKED)
    assert isinstance(leave, Ask)
    assert read("no", ASKED, leave.asked) is Command.CANCELLED
    assert read("yes", ASKED, leave.asked) == leave.asked


def test_cards_are_played_while_tea_is_asked_for() -> None:
    """Nothing waits for the answers."""
    assert read("AC", ASKED) == Play(parse_card("AC"))
