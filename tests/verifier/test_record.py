# SPDX-License-Identifier: Apache-2.0
"""The record of a game: all that was played, and read back to an equal value."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hokm.cards import parse_cards, parse_suit
from hokm.errors import BadRecord
from hokm.events import RoundRevealed
from hokm.languages import Language
from hokm.record import FORMAT, By, GameRecord, record
from hokm.rules import trick_winner
from hokm.telling import tell
from tests.simulation.stories import STORIES, story

NAMES = [made.__name__ for made in STORIES]


@pytest.mark.parametrize("name", NAMES)
def test_a_record_is_read_back_to_an_equal_one(name: str) -> None:
    """Of a whole game, and its text is the same again."""
    made = record(story(name).game_proof().format())
    assert GameRecord.parse(made.format()) == made
    assert GameRecord.parse(made.format()).format() == made.format()


@pytest.mark.parametrize("name", NAMES)
def test_a_record_tells_what_was_played(name: str) -> None:
    """Rounds, score and winner are those of the log, and every trick goes to whom the rules give it."""
    game = story(name)
    made = record(game.game_proof().format())
    revealed = [event.content for event in game.events if isinstance(event.content, RoundRevealed)]
    assert [round_.score for round_ in made.rounds if round_.score is not None] == [each.score for each in revealed]
    assert [round_.won for round_ in made.rounds if round_.score is not None] == [each.tricks for each in revealed]
    plays = 0
    for round_ in made.rounds:
        for trick in round_.tricks:
            cards = parse_cards(trick.cards)
            plays += len(cards)
            assert len(trick.by) == len(trick.think_ms) == len(cards)
            assert all(think >= 0 for think in trick.think_ms)
            if trick.winner is not None:
                assert round_.trump is not None
                assert trick_winner(cards, trick.leader, parse_suit(round_.trump)) == trick.winner
            if round_.hands is not None:
                for place, card in enumerate(trick.cards.split()):
                    assert card in round_.hands[trick.leader + place & 3].split()
    assert (plays > 0) == bool(revealed)


def test_the_record_of_a_round_is_that_of_the_game() -> None:
    """A round proof tells its round as the game's does."""
    game = story("lively")
    whole = record(game.game_proof().format())
    for number, round_ in enumerate(whole.rounds, 1):
        assert record(game.round_proof(number).format()).rounds == (round_,)


def test_how_cards_came_is_in_the_record() -> None:
    """Each way that there is."""
    ways = {
        by
        for name in ("lively", "troubled")
        for round_ in record(story(name).game_proof().format()).rounds
        for trick in round_.tricks
        for by in (*trick.by, *([round_.trump_by] if round_.trump_by else []))
    }
    assert ways == set(By)


@pytest.mark.parametrize("language", Language)
def test_a_lively_game_is_told(language: Language) -> None:
    """Every trick, the middle, runs, early cards and tea have a line."""
    game = story("lively")
    lines = [*tell(game.game_proof().format(), language)]
    tricks = sum(len(round_.tricks) for round_ in record(game.game_proof().format()).rounds)
    word = "Trick " if language is Language.EN else "دست "
    assert sum(line.startswith(word) for line in lines) == tricks
    teas = "Tea is served." if language is Language.EN else "چای آمد."
    assert teas in lines


# Reading.


def told() -> dict[str, Any]:
    """A record as JSON has it."""
    value: dict[str, Any] = json.loads(record(story("lively").game_proof().format()).format())
    return value


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container in it with each key or index."""
    found: list[tuple[Any, Any]] = []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found.append((value, key))
        found += places(inner)
    return found


@given(st.data())
def test_whatever_is_wrong_in_a_record_is_one_error(data: st.DataObject) -> None:
    """A value in another's place, a field too few or too many: BadRecord, or an equal text again."""
    value = told()
    container, key = data.draw(st.sampled_from(places(value)))
    wrong: Any = data.draw(st.sampled_from([None, True, -1, 1.5, "", "ZZ", [], {}, [[]], {"x": 1}]))
    if isinstance(container, dict) and data.draw(st.booleans()):
        container[f"{key}x" if data.draw(st.booleans()) else "format"] = wrong
    else:
        container[key] = wrong
    octets = json.dumps(value).encode()
    try:
        made = GameRecord.parse(octets)
    except BadRecord:
        return
    assert json.loads(made.format()) == value


@pytest.mark.parametrize(
    "octets", [b"", b"[]", b"{", b"\xff", b"null", b'{"format": "hokm-record/2"}', b"[" * 100_000, b" " * (5 << 20)]
)
def test_what_is_no_record_is_refused(octets: bytes) -> None:
    """Each with one clear error."""
    with pytest.raises(BadRecord):
        GameRecord.parse(octets)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("leader", 4),
        ("leader", -1),
        ("winner", 4),
        ("cards", ""),
        ("cards", "AS AS"),
        ("by", ["player"]),
        ("think_ms", []),
    ],
)
def test_a_trick_that_no_four_can_play_is_refused(field: str, value: Any) -> None:
    """A seat that there is not, no card, one card twice, lists that do not go with the cards."""
    whole = told()
    whole["rounds"][0]["tricks"][0][field] = value
    with pytest.raises(BadRecord):
        GameRecord.parse(json.dumps(whole).encode())


def test_the_format_is_named() -> None:
    """So that a later one can be told from it."""
    assert told()["format"] == FORMAT
