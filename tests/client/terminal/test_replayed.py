# SPDX-License-Identifier: Apache-2.0
"""A game seen again: its moments, the steps between them, and that each can be drawn."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hokm.cards import parse_cards
from hokm.errors import BadRecord
from hokm.languages import Language
from hokm.record import GameRecord, record
from hokm_client.terminal.bidi import Bidi, cells
from hokm_client.terminal.replay_screen import draw
from hokm_client.terminal.replay_told import news, told
from hokm_client.terminal.replay_words import QUIT, TYPED
from hokm_client.terminal.replayed import Go, Replay, replayed
from hokm_client.terminal.spelling import plain
from tests.simulation.stories import story

STORIES = ("lively", "troubled", "lost", "resigned")


@cache
def seen(name: str) -> Replay:
    """The whole game of a story, from its first moment."""
    made = replayed(record(story(name).game_proof().format()))
    assert made is not None
    return made


@cache
def moments(name: str) -> list[Replay]:
    """Every moment of it, one step after the other."""
    found = [seen(name)]
    while (after := found[-1].gone(Go.FORWARD)) != found[-1]:
        found.append(after)
    return found


@pytest.mark.parametrize("name", STORIES)
def test_forward_and_back_is_the_same_moment(name: str) -> None:
    """Everywhere, over the ends of rounds too; and the steps meet every moment that there is."""
    found = moments(name)
    assert [each.position for each in found] == [each for round_ in seen(name).moments for each in round_]
    for before, after in pairwise(found):
        assert after.gone(Go.BACK) == before
    assert found[0].gone(Go.BACK) == found[0]


@pytest.mark.parametrize("name", STORIES)
def test_rounds_are_left_for_their_beginnings(name: str) -> None:
    """The next one's; this one's, then the one before's."""
    for each in moments(name):
        after = each.gone(Go.NEXT_ROUND)
        assert (
            after == each if each.round + 1 == len(each.moments) else (after.round, after.step) == (each.round + 1, 0)
        )
        before = each.gone(Go.ROUND_BEFORE)
        assert before.step == 0
        assert before.round == (each.round if each.step else max(0, each.round - 1))


@pytest.mark.parametrize("name", STORIES)
def test_hands_and_tricks_are_those_of_the_record(name: str) -> None:
    """At the end the tricks are those won, and every hand has lost the cards that it played."""
    for each in moments(name):
        position, played = each.position, each.played
        if not position.is_end:
            continue
        assert position.tricks == played.won
        if played.hands is None or position.hands is None or position.trump is None:
            continue
        gone = {card for trick in played.tricks for card in parse_cards(trick.cards)}
        for hand, dealt in zip(position.hands, played.hands, strict=True):
            left = {card for card in range(52) if hand >> card & 1}
            assert left == set(parse_cards(dealt)) - gone


@pytest.mark.parametrize("name", STORIES)
@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("width", [80, 44])
def test_every_moment_can_be_drawn(name: str, language: Language, width: int) -> None:
    """Whole, in 24 lines, none wider than the terminal and nothing clipped."""
    for each in moments(name):
        lines = draw(each, language, width, colour=False)
        assert len(lines) <= 24
        assert all(cells(line) <= width for line in lines)
        assert "…" not in "".join(lines)
        assert [*news(each, language)]


@given(data=st.data(), language=st.sampled_from(Language), width=st.integers(1, 130), height=st.integers(1, 40))
def test_no_line_is_wider_and_no_picture_higher_than_the_terminal(
    data: st.DataObject, language: Language, width: int, height: int
) -> None:
    """Whatever its size: only a word wider than it is broken anywhere."""
    each = data.draw(st.sampled_from(moments(data.draw(st.sampled_from(STORIES)))))
    bidi = data.draw(st.sampled_from((Bidi.SHAPED, Bidi.RAW)))
    lines = draw(each, language, width, height, bidi=bidi, colour=False)
    assert all(cells(line) <= max(width, 2) for line in lines)
    assert len(lines) <= height or width < 44


def test_the_longest_hand_has_room_in_the_least_width() -> None:
    """Thirteen cards of four suits with every ten among them: no card lies over another."""
    whole = json.loads(record(story("lively").game_proof().format()).format())
    hands = ["TS AS KS QS TH AH KH TD AD KD TC AC KC", "9S 8S 7S JS 9H 8H 7H 9D 8D 7D 9C 8C 7C"]
    hands += ["2S 3S 4S 5S 6S 2H 3H 4H 5H 2D 3D 4D 5D", "6H JH QH 6D JD QD 2C 3C 4C 5C 6C JC QC"]
    whole["rounds"] = [whole["rounds"][0] | {"hands": hands, "tricks": []}]
    made = replayed(GameRecord.parse(json.dumps(whole).encode()))
    assert made is not None
    for language in Language:
        assert all(cells(line) <= 44 for line in draw(made.gone(Go.FORWARD), language, 44, colour=False))


@pytest.mark.parametrize("language", Language)
def test_sentences_tell_every_card(language: Language) -> None:
    """One for each moment at least, of text alone."""
    for each in moments("lively"):
        sentences = [*told(each, language)]
        assert sentences
        assert "{" not in "".join(sentences)
        assert "\x1b" not in "".join(sentences)


def test_who_looks_on_is_called_you() -> None:
    """By their key."""
    made = record(story("lively").game_proof().format())
    mine = replayed(made, bytes.fromhex(made.seats[2].key))
    assert mine is not None
    assert mine.me == 2
    assert "Seat 2 · you" in "\n".join(draw(mine, Language.EN, 80, colour=False))


def test_no_round_is_nothing_to_see() -> None:
    """A game that was over before the first deal."""
    assert replayed(record(story("never_started").game_proof().format())) is None


def test_what_is_typed_means_one_thing() -> None:
    """Words are written as they are compared, and none that goes somewhere closes."""
    assert not QUIT & set(TYPED)
    assert all(plain(word) == word.strip() for word in (*QUIT, *TYPED))


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container in it with each key or index."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, inner in [*items] for found in ((value, key), *places(inner))]


@given(st.data())
def test_every_record_that_can_be_read_can_be_seen(data: st.DataObject) -> None:
    """A file from anybody, with a value in another's place."""
    value: Any = json.loads(seen("lively").record.format())
    container, key = data.draw(st.sampled_from(places(value)))
    container[key] = data.draw(st.sampled_from([None, True, -1, 3, 10**9, "", "ZZ", "S", [], {}, [[]]]))
    try:
        made = replayed(GameRecord.parse(json.dumps(value).encode()))
    except BadRecord:
        return
    if made is not None:
        for at in range(len(made.moments)):
            step = data.draw(st.integers(0, len(made.moments[at]) - 1))
            each = replace(made, round=at, step=step)
            language = data.draw(st.sampled_from(Language))
            assert all(cells(line) <= 44 for line in draw(each, language, 44, colour=False))
            assert [*told(each, language)]
