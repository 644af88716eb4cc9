# SPDX-License-Identifier: Apache-2.0
"""200 recorded rounds: legal cards, trick winners, tricks, points, scores and hakems, as another engine had them."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import pytest

from hokm import cards, rules
from hokm.cards import FULL, parse_card, parse_suit
from tests import vector_files

ROUNDS = vector_files.rounds()
GAMES = [list(lines) for _, lines in groupby(ROUNDS, key=lambda line: line["game"])]


def name(line: dict[str, Any]) -> str:
    """Which round it is, for the report."""
    return f"{line['game']}/{line['round']}"


def tricks_and_score(line: dict[str, Any]) -> tuple[tuple[int, int], tuple[int, int]]:
    """[even, odd] as a pair, of tricks and of points."""
    (tricks_even, tricks_odd), (even, odd) = line["tricks"], line["score_after"]
    return (tricks_even, tricks_odd), (even, odd)


@pytest.mark.parametrize("line", ROUNDS, ids=name)
def test_every_card_is_legal_and_every_trick_goes_where_it_went(line: dict[str, Any]) -> None:
    """For each play all that was legal, nothing else; for each four the winner; seven tricks end the round."""
    hands = [cards.hand_of(map(parse_card, hand)) for hand in line["hands"]]
    assert sum(hands) == FULL
    trump = parse_suit(line["trump"])
    turn, tricks, winners = line["hakem"], [0, 0], []
    trick: list[int] = []
    for (seat, word), legal in zip(line["plays"], line["legal"], strict=True):
        card = parse_card(word)
        assert rules.round_winner((tricks[0], tricks[1])) is None
        assert seat == turn
        mask = rules.legal_cards(hands[seat], cards.suit_of(trick[0]) if trick else None)
        assert sorted(map(cards.card_text, cards.cards_of(mask))) == sorted(legal)
        assert mask >> card & 1
        assert mask >> rules.timeout_card(hands[seat], trick[0] // 13 if trick else None, trump) & 1
        hands[seat] ^= 1 << card
        trick.append(card)
        turn = rules.right_of(turn)
        if len(trick) == 4:
            turn = rules.trick_winner(trick, turn, trump)
            winners.append(turn)
            tricks[rules.side_of(turn)] += 1
            trick = []
    assert not trick
    assert winners == line["trick_winners"]
    assert tricks == line["tricks"]


@pytest.mark.parametrize("line", ROUNDS, ids=name)
def test_the_result_of_every_round(line: dict[str, Any]) -> None:
    """The side that won, its points, and who is hakem next (in the last round: who would have been)."""
    tricks, score = tricks_and_score(line)
    winner = rules.round_winner(tricks)
    assert winner == line["winner"]
    assert rules.points(line["hakem"], tricks) == line["points"]
    assert rules.next_hakem(line["hakem"], line["winner"], rules.HakemPasses.WHEN_LOSING) == line["next_hakem"]
    over = rules.game_winner(score, 7)
    assert (over is not None) == line["game_over"]
    assert over in (None, line["winner"])


@pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game[0]["game"]))
def test_every_game_from_its_first_round_to_its_last(game: list[dict[str, Any]]) -> None:
    """The rounds follow one another, the score adds up, each hakem is the one the round before gave."""
    score = (0, 0)
    for number, line in enumerate(game, 1):
        assert line["round"] == number
        score = rules.score_after(score, line["winner"], line["points"])
        assert score == tricks_and_score(line)[1]
        assert line["game_over"] == (number == len(game))
        if number > 1:
            assert line["hakem"] == game[number - 2]["next_hakem"]
