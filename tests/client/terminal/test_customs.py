# SPDX-License-Identifier: Apache-2.0
"""The house rules as they are seen and told: lively games, entry by entry, in both languages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from hokm.cards import hand_of, parse_card, parse_cards
from hokm.events import (
    AnswerTea,
    AskTea,
    EarlyTurned,
    Event,
    LayEarly,
    MiddleTurned,
    PickUp,
    Ready,
    Run,
    SignedMove,
    TakeBack,
    TeaBegan,
    TeaEnded,
)
from hokm.languages import Language
from hokm.rules import CLASSIC, HOUSE, TRADITIONAL, Seat
from hokm.table import Round, Table, opened
from hokm.table.evolve import evolve
from hokm_client.terminal import say, say_customs, screen
from hokm_client.terminal.customs import customs
from hokm_client.terminal.seen import Seen, seeing, view_of
from hokm_client.terminal.things import Thing
from hokm_client.terminal.view import Tea, TeaStep, View, place
from tests.client.terminal.screens import PLAYING, VIEWS
from tests.simulation import TestHouse
from tests.simulation.lively import LivelyGame

EN = Language.EN


def played(seed: int, me: Seat) -> Iterator[tuple[Event, Table, Seen, View]]:
    """A lively game as a seat sees it, after each entry."""
    game = LivelyGame(TestHouse(seed=seed))
    game.sit()
    game.until(lambda table: table.round == 3)
    seen, table = Seen(me, game.players[me].key.public), None
    for event in game.events:
        table = opened(game.house.house, event) if table is None else evolve(table, event)
        seen = seeing(seen, event, table)
        yield event, table, seen, view_of(seen, 0, table.time_ms)


@pytest.mark.parametrize("seed", range(4))
def test_what_the_house_rules_put_on_the_table_is_seen(seed: int) -> None:
    """What lies open, what lies face down, and what all have seen of the hands, each in the right one."""
    teas = 0
    for event, table, seen, view in played(seed, 2):
        teas += isinstance(event.content, TeaBegan)
        assert seen.teas == teas
        assert view.is_tea_time == table.is_pausing
        stage = table.stage
        if not isinstance(stage, Round):
            assert (view.middle, view.face_down, view.run, view.seen) == (None, (), (), (0, 0, 0, 0))
            continue
        assert stage.extra is not None
        assert view.middle == stage.extra.middle
        assert view.face_down == tuple(seat for seat in range(4) if stage.extra.lays[seat] is not None)
        assert view.run == stage.extra.run
        assert sum(view.seen) == stage.extra.seen & ~stage.played
        for trick in stage.history:
            for turn, card in enumerate(trick.cards):
                assert not hand_of([card]) & sum(seen.shown) or seen.shown[trick.leader + turn & 3] >> card & 1


def told_of(event: Event, table: Table, me: Seat) -> str | None:
    """What must be said of that entry, whatever else is; None where nothing must."""
    catalogue, stage = customs(EN), table.stage
    match event.content:
        case SignedMove(move):
            where = place(move.seat, me)
            match move.act:
                case PickUp():
                    return catalogue.picks_up[where]
                case LayEarly():
                    return catalogue.lays[where]
                case TakeBack():
                    return catalogue.takes_back[where]
                case Run() if isinstance(stage, Round) and stage.extra is not None and stage.extra.run:
                    return catalogue.leads_run[where].partition(";")[0]
                case AskTea():
                    return catalogue.asks_for_tea[where]
                case AnswerTea(yes):
                    return catalogue.says_yes[where] if yes else catalogue.is_refused
                case Ready():
                    return catalogue.is_ready[where]
        case MiddleTurned():
            return "middle is turned up"
        case EarlyTurned(seat=seat):
            return catalogue.turns_over[place(seat, me)]
        case TeaBegan():
            return catalogue.tea_begins
        case TeaEnded():
            return catalogue.tea_is_over
    return None


def test_whatever_is_done_by_the_house_rules_is_told() -> None:
    """Each act and ruling has its sentence, in English and in Persian, and every moment can be drawn and told."""
    told = set()
    for seed in range(4):
        before: View | None = None
        for event, table, _, view in played(seed, 1):
            news: list[str] = [] if before is None else say.happenings(before, view, EN)
            wanted = told_of(event, table, 1)
            if wanted is not None:
                assert wanted in " ".join(news), event.content
                told.add(type(event.content.move.act if isinstance(event.content, SignedMove) else event.content))
                assert before is not None
                assert len(say.happenings(before, view, Language.FA)) == len(news)
            for language in Language:
                assert screen.draw(view, language, 80)
                assert screen.tell(view, language)
            before = view
    assert {LayEarly, Run, AskTea, AnswerTea, Ready, MiddleTurned, EarlyTurned, TeaBegan, TeaEnded} <= told


@pytest.mark.parametrize("language", Language)
def test_at_tea_one_is_told_what_ends_it(language: Language) -> None:
    """Where it waits for me; a picture has that in its last line."""
    asked = replace(PLAYING, rules=HOUSE, tea=Tea(3, TeaStep.GRANTED, (0, 1, 2)))
    for awaited in ((0, 1), (1,)):
        drunk = replace(asked, tea=Tea(3, TeaStep.DRUNK, (), awaited, 180))
        told = say.happenings(asked, drunk, language)
        assert customs(language).tea_begins in told
        assert (customs(language).prompt_tea in told) == (0 in awaited)


def test_a_card_that_is_taken_back_is_told() -> None:
    """It has not been played."""
    before = replace(PLAYING, rules=HOUSE, face_down=(0, 1))
    after = replace(before, face_down=(0,))
    assert say.happenings(before, after, EN) == ["Right opponent takes the face-down card back."]


def test_what_goes_back_of_a_run_is_told_with_its_hand() -> None:
    """Beside a picture too."""
    before = replace(VIEWS["run"], seen=(0, 0, 0, 0), tea=None)
    after = replace(before, run=(), trick=None, seen=(0, hand_of(parse_cards("KC QC")), 0, 0))
    sentence = "The run is over: back into the right opponent's hand go king of clubs, queen of clubs."
    assert sentence in say.happenings(before, after, EN)
    assert say_customs.notices(before, after, EN) == [sentence]


def test_a_picture_is_not_told_what_it_shows() -> None:
    """A card that is laid face down, and who has said yes."""
    before = replace(PLAYING, rules=HOUSE, tea=Tea(3, TeaStep.ASKED, (), (0, 1, 2), 20))
    after = replace(before, face_down=(1,), tea=Tea(3, TeaStep.ASKED, (1,), (0, 2), 19))
    assert say_customs.notices(before, after, EN) == []
    assert len(say.happenings(before, after, EN)) == 2


@pytest.mark.parametrize("language", Language)
def test_the_rules_of_a_table_are_told(language: Language) -> None:
    """Of a classic one only where it is asked; of others what they are, and what is typed for each house rule."""
    assert say_customs.announced(CLASSIC, language) == say_customs.explained(CLASSIC, language) == []
    assert say_customs.rules(CLASSIC, language) == customs(language).nothing_unusual
    assert say_customs.rules(HOUSE, language) in say_customs.announced(HOUSE, language)[0]
    assert len(say_customs.explained(HOUSE, language)) == 5
    assert len(say_customs.explained(TRADITIONAL, language)) == 1
    assert "{" not in "".join(say_customs.explained(HOUSE, language))


def test_what_lands_is_told_without_who_threw_it() -> None:
    """The same words to all, but for where they sit."""
    assert say_customs.lands(Thing.SLIPPER, 2, 2, EN) == "A slipper hits you!"
    assert say_customs.lands(Thing.SLIPPER, 2, 0, EN) == "A slipper hits your partner!"
    assert say_customs.lands(Thing.RUBBER_DUCK, 3, 0, Language.FA) == "اردک پلاستیکی خورد به حریف چپ!"


def test_runs_that_may_be_led_are_offered() -> None:
    """On lead, where the table plays by them."""
    cards = hand_of(parse_cards("AS KS QS AH KH 2D"))
    view = replace(PLAYING, rules=HOUSE, trick=None, hand=cards, legal=cards)
    assert view.runs == [parse_cards("AH KH"), parse_cards("AS KS QS")]
    assert "run" in " ".join(say.choices(view, EN))
    assert replace(view, rules=CLASSIC).runs == []
    assert replace(view, legal=0).runs == []


def test_a_small_card_lies_before_the_seat_that_shows_it() -> None:
    """The middle before the hakem's partner, wherever that sits."""
    for hakem in range(4):
        view = replace(VIEWS["middle"], hakem=hakem, trick=None, face_down=(), middle=parse_card("8C"), hand=0)
        lines = screen.draw(view, EN, 80, colour=False)
        row, line = next((row, line) for row, line in enumerate(lines) if " 8♣ " in f"{line} ")
        where = {0: (7, 40), 1: (10, 15), 2: (8, 40), 3: (10, 60)}[hakem]
        assert abs(row - where[0]) <= 1
        assert abs(line.index("8♣") - where[1]) < 8
