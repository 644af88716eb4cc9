# SPDX-License-Identifier: Apache-2.0
"""The screen: the kept pictures, the places of the seats, and what no screen may do."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hokm.cards import FULL, PACK, hand_of
from hokm.languages import Language
from hokm.rules import CLASSIC, HOUSE, TRADITIONAL, TableRules
from hokm_client.terminal import screen
from hokm_client.terminal.bidi import LRM, Bidi, cells
from hokm_client.terminal.rows import Style
from hokm_client.terminal.view import Connection, Deal, Ending, Phase, Seated, Sitter, Step, Tea, TeaStep, Trick, View
from hokm_client.terminal.words import words
from tests.client.terminal.screens import FOLDER, PLAYING, VIEWS, rendered

SGR = re.compile(r"\x1b\[[0-9;]*m")

names = st.text(max_size=40) | st.sampled_from(["سارا", "Reza", "عبدالله لاله", "王小明", "אבי (2)", "\x1b[2J"])
seated = st.builds(Seated, st.sampled_from(Sitter), names, st.booleans())
cards = st.permutations(PACK)


@st.composite
def tricks(draw: st.DrawFn, least: int = 0) -> Trick:
    return Trick(draw(st.integers(0, 3)), tuple(draw(cards)[: draw(st.integers(least, 4))]))


some_seats = st.sets(st.integers(0, 3)).map(lambda seats: tuple(sorted(seats)))
teas = st.builds(
    Tea, st.integers(0, 3), st.sampled_from(TeaStep), some_seats, some_seats, st.none() | st.integers(0, 180)
)


@st.composite
def views(draw: st.DrawFn) -> View:
    """Any view at all, reachable or not."""
    hand = hand_of(draw(cards)[: draw(st.integers(0, 13))])
    return View(
        me=draw(st.integers(0, 3)),
        seats=draw(st.tuples(seated, seated, seated, seated)),
        phase=draw(st.sampled_from(Phase)),
        step=draw(st.none() | st.sampled_from(Step)),
        awaited=tuple(draw(st.sets(st.integers(0, 3)))),
        seconds_left=draw(st.none() | st.integers(-1, 3600)),
        round=draw(st.integers(0, 13)),
        rules=draw(st.sampled_from((CLASSIC, HOUSE, TRADITIONAL, TableRules(target=3)))),
        hakem=draw(st.none() | st.integers(0, 3)),
        trump=draw(st.none() | st.integers(0, 3)),
        hand=hand,
        legal=hand & draw(st.integers(0, FULL)),
        trick=draw(st.none() | tricks()),
        last=draw(st.none() | tricks(least=4)),
        played=draw(st.integers(0, FULL)),
        middle=draw(st.none() | st.integers(0, 51)),
        face_down=tuple(draw(st.sets(st.integers(0, 3)))),
        laid=draw(st.none() | st.integers(0, 51)),
        run=tuple(draw(cards)[: draw(st.integers(0, 12))]),
        seen=draw(st.tuples(*[st.integers(0, FULL)] * 4)),
        tea=draw(st.none() | teas),
        tricks=draw(st.tuples(st.integers(0, 7), st.integers(0, 7))),
        score=draw(st.tuples(st.integers(0, 9), st.integers(0, 9))),
        winner=draw(st.none() | st.integers(0, 1)),
        points=draw(st.integers(0, 3)),
        ending=draw(st.none() | st.sampled_from(Ending)),
        deal=draw(st.sampled_from(Deal)),
        connection=draw(st.sampled_from(Connection)),
        messages=tuple(draw(st.lists(st.text(max_size=120), max_size=4))),
        typed=draw(st.text(max_size=60)),
    )


languages = st.sampled_from(Language)
modes = st.sampled_from((Bidi.SHAPED, Bidi.RAW))


@pytest.mark.parametrize(("name", "text"), [*rendered()], ids=[name for name, _ in rendered()])
def test_screens_are_those_kept(name: str, text: str) -> None:
    """Each picture and each row of sentences is the one in the folder; `screens` writes them anew."""
    assert text == (FOLDER / name).read_text("utf-8")


def test_no_kept_screen_is_left_over() -> None:
    """The folder holds what is rendered and nothing else."""
    assert {path.name for path in FOLDER.iterdir()} == {name for name, _ in rendered()}


@given(view=views(), language=languages, width=st.integers(1, 130), mode=modes, colour=st.booleans())
def test_no_line_is_wider_than_the_terminal(
    view: View, language: Language, width: int, mode: Bidi, colour: bool
) -> None:
    """Whatever is shown fits; the only control characters are those of colours."""
    for line in screen.draw(view, language, width, bidi=mode, colour=colour):
        bare = SGR.sub("", line) if colour else line
        assert all(unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp") for character in bare)
        assert cells(bare) <= max(width, 2)


@given(view=views(), language=languages, width=st.none() | st.integers(2, 130))
def test_sentences_have_no_escape_sequence(view: View, language: Language, width: int | None) -> None:
    """The plain mode is text alone."""
    for line in screen.tell(view, language, width):
        assert "\x1b" not in line
        assert width is None or cells(line) <= width


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("me", range(4))
@pytest.mark.parametrize("width", [screen.LEAST_WIDTH, 60, 80, 100])
@pytest.mark.parametrize("mode", [Bidi.SHAPED, Bidi.RAW])
def test_the_next_seat_is_on_the_right(language: Language, me: int, width: int, mode: Bidi) -> None:
    """Cards lie where their seats are: me below, seat + 1 right, partner above, seat - 1 left, in both languages."""
    faces = ("J♠", "Q♠", "K♠", "A♠")  # by seat
    trick = Trick(0, (9, 10, 11, 12))
    view = replace(PLAYING, me=me, trick=trick, last=None, hand=0, legal=0)
    lines = screen.draw(view, language, width, bidi=mode, colour=False)
    at = {
        seat: next((row, cells(line[: line.index(face)])) for row, line in enumerate(lines) if f" {face} " in line)
        for seat, face in enumerate(faces)
    }
    mine, right, partner, left = (at[(me + step) % 4] for step in range(4))
    assert partner[0] < right[0] == left[0] < mine[0]
    assert left[1] < mine[1] == partner[1] < right[1]


@pytest.mark.parametrize("language", Language)
def test_labels_stand_with_their_seats(language: Language) -> None:
    """The label of the right seat begins right of the middle, that of the left seat ends left of it."""
    labels = words(language).labels
    seats = (Seated(Sitter.PERSON), Seated(Sitter.BOT, "R1"), Seated(Sitter.BOT, "P2"), Seated(Sitter.BOT, "L3"))
    lines = screen.draw(replace(PLAYING, seats=seats, trick=None), language, 80, colour=False)
    right = next(line for line in lines if "R1" in line)
    assert right.index("L3") < 40 < right.index("R1")
    assert len(labels) == 4


def without_marks(lines: list[str]) -> list[str]:
    return [SGR.sub("", line) for line in lines]


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("language", Language)
def test_nothing_is_told_by_colour_alone(name: str, language: Language) -> None:
    """With colours taken out the picture is the one without colours; and it still tells everything in words."""
    view = VIEWS[name]
    plain = screen.draw(view, language, 80, colour=False)
    assert without_marks(screen.draw(view, language, 80, colour=True)) == plain


def test_playable_cards_stand_in_brackets() -> None:
    """Legal cards and only those; numbers stand under all."""
    text = "\n".join(screen.draw(PLAYING, Language.EN, 80, colour=False))
    assert re.findall(r"\[(.*?)\]", text) == ["A♣", "3♣"]
    assert re.search(r"^ *1 +2 +3 +4 +5 +6 +7 +8 +9 +10 *$", text, re.MULTILINE)


def test_the_four_suits_have_four_colours() -> None:
    """On white as on grey."""
    on = {Style.SPADES, Style.HEARTS, Style.DIAMONDS, Style.CLUBS}
    off = {Style.SPADES_OFF, Style.HEARTS_OFF, Style.DIAMONDS_OFF, Style.CLUBS_OFF}
    assert len({style.value for style in on}) == len({style.value for style in off}) == 4


def test_a_redraw_keeps_what_is_typed() -> None:
    """The unfinished line stands behind the prompt, the last line."""
    assert screen.draw(replace(PLAYING, typed="k"), Language.EN, 80)[-1] == "> k"


def test_hakem_turn_deadline_and_trumps_are_words() -> None:
    """All of them are in the picture without a colour."""
    text = "\n".join(screen.draw(PLAYING, Language.EN, 80, colour=False))
    for said in ("hakem", "your turn", "23 seconds left", "Trumps: hearts", "absent", "stand-in", "bot", "best card"):
        assert said in text


def test_a_narrow_terminal_gets_sentences() -> None:
    """Below the least width there is no picture."""
    assert not any("┌" in line for line in screen.draw(PLAYING, Language.EN, screen.LEAST_WIDTH - 1))
    assert any("┌" in line for line in screen.draw(PLAYING, Language.EN, screen.LEAST_WIDTH))


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize(("width", "height"), [(80, 24), (72, 20), (60, 20), (50, 24)])
def test_a_low_terminal_does_without_what_matters_least(language: Language, width: int, height: int) -> None:
    """Score, trumps, every seat, turn, all cards and the newest message stay; what is old and what only helps goes."""
    messages = (*(f"{number} {'very ' * 12}old" for number in "123"), "Now")
    view = replace(PLAYING, hand=hand_of(range(0, 52, 4)), legal=0, messages=messages)
    for asked in (False, True):
        lines = screen.draw(replace(view, asked=asked), language, width, height, bidi=Bidi.RAW, colour=False)
        text = "\n".join(lines).replace(LRM, "")
        assert len(lines) <= height
        catalogue = words(language)
        for said in (catalogue.score.split()[0], catalogue.trumps.split(":")[0], catalogue.turn[0].rstrip("."), "Now"):
            assert said in text
        assert all(label in text for label in catalogue.labels)
        assert (catalogue.prompt_answer in text) == asked
        assert "1 very" not in text
        assert text.count("♠") >= 4


def test_what_is_wrong_outlasts_a_low_terminal() -> None:
    """A lost connection and a wrong deal are told whatever else has no room."""
    view = replace(PLAYING, hand=hand_of(range(0, 52, 4)), connection=Connection.LOST, messages=("One.", "Two."))
    text = "\n".join(screen.draw(view, Language.EN, 50, 22))
    assert words(Language.EN).connections["lost"] in text
    assert "seconds left" not in text


@given(view=views(), language=languages, width=st.integers(1, 130), height=st.integers(2, 60), mode=modes)
def test_no_picture_is_higher_than_the_terminal(
    view: View, language: Language, width: int, height: int, mode: Bidi
) -> None:
    """The line that is typed is always there."""
    lines = screen.draw(view, language, width, height, bidi=mode)
    assert len(lines) <= height
    assert lines[-1] == screen.prompt_line(view.typed, language, width, mode)[0]


@pytest.mark.parametrize(("typed", "column"), [("", 78), ("دل", 76), ("KH", 76)])
def test_persian_is_typed_from_the_right(typed: str, column: int) -> None:
    """The next letter goes to the left of what is there, the cursor before it."""
    line, at = screen.prompt_line(typed, Language.FA, 80, Bidi.SHAPED)
    assert (cells(line), at) == (80, column)
    assert line.endswith(" <")
    assert screen.prompt_line(typed, Language.FA, 80, Bidi.RAW)[0].startswith("> ")


def test_a_screen_of_24_rows_is_enough() -> None:
    """At 80 columns, with thirteen cards, a finished trick and one message."""
    view = replace(PLAYING, hand=hand_of(range(0, 52, 4)), legal=0, messages=("One.",))
    for language in Language:
        assert len(screen.draw(view, language, 80)) <= 24
