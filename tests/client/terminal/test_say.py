# SPDX-License-Identifier: Apache-2.0
"""The sentences for a screen reader: suit, rank, turn and winner in words, each happening once."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hokm.cards import hand_of, parse_card, parse_cards
from hokm.languages import Language
from hokm.rules import legal_cards, trick_winner
from hokm_client.terminal import say
from hokm_client.terminal.say import happenings, situation
from hokm_client.terminal.view import Connection, Deal, Ending, Phase, Seated, Sitter, Step, Trick, View
from hokm_client.terminal.words import words
from tests.client.terminal.screens import PLAYING, VIEWS
from tests.client.terminal.test_screen import views

EN, FA = Language.EN, Language.FA
LEAD = replace(PLAYING, trick=None, last=None, awaited=(1,), legal=0, tricks=(0, 0), seconds_left=30)


def on_table(cards: str, leader: int = 1, turn: int = 0) -> View:
    return replace(LEAD, trick=Trick(leader, parse_cards(cards)), awaited=(turn,))


def test_cards_are_told_one_by_one() -> None:
    """Who, what, and whose turn it is; how long there is, only where the turn is mine."""
    one, two = on_table("KS", turn=2), on_table("KS 2H", turn=3)
    assert happenings(LEAD, one, EN) == ["Right opponent leads the king of spades.", "It is your partner's turn."]
    assert happenings(one, two, EN)[0] == "Your partner cuts with the two of hearts."
    assert happenings(one, on_table("KS QS", turn=3), EN)[0] == "Your partner plays the queen of spades."
    assert happenings(LEAD, one, FA)[0] == "حریف راست با شاه پیک شروع کرد."
    assert happenings(one, two, FA)[0] == "یارتان با دو دل برید."
    assert happenings(one, one, EN) == []


def test_the_end_of_a_trick_is_told_with_its_winner() -> None:
    """The cards that nobody heard of yet, then who takes it, then the turn."""
    before = on_table("KS QS", turn=3)
    full = Trick(1, parse_cards("KS QS 4S AS"))
    after = replace(before, trick=None, last=full, tricks=(1, 0), awaited=(0,), seconds_left=30)
    assert happenings(before, after, EN) == [
        "Left opponent plays the four of spades.",
        "You play the ace of spades.",
        "You take it.",
        "It is your turn.",
        "30 seconds left.",
    ]
    assert happenings(before, after, FA)[2:4] == ["این دست را شما بردید.", "نوبت شماست."]
    shown = replace(after, trick=full)  # left on the table for a moment
    assert happenings(before, shown, EN) == happenings(before, after, EN)
    assert happenings(shown, after, EN) == []


def test_after_a_gap_the_last_trick_is_told() -> None:
    """Two tricks have passed: what is known of them is told, nothing is made up."""
    before = on_table("KS", turn=2)
    last = Trick(2, parse_cards("2D 3D 4D 5D"))
    after = replace(before, trick=Trick(1, parse_cards("AC")), last=last, tricks=(1, 1), awaited=(2,))
    assert [sentence.split(" the ")[-1] for sentence in happenings(before, after, EN)[:6]] == [
        *("two of diamonds.", "three of diamonds.", "four of diamonds.", "five of diamonds."),
        *(words(EN).takes[1], "ace of clubs."),
    ]


def test_trumps_hakem_and_deal_are_told() -> None:
    """From the ceremony to the first lead."""
    commit = VIEWS["commit"]
    naming = replace(VIEWS["trumps"], hakem=2, awaited=(2,), hand=0)
    assert happenings(commit, naming, EN) == [
        "Deal checked: your number is in it.",
        "Your partner is the hakem.",
        "Your partner is to name the trumps.",
    ]
    named = replace(naming, trump=3, phase=Phase.TRICKS)
    assert happenings(naming, named, EN)[:2] == ["Your partner names clubs as trumps.", "It is your partner's turn."]
    assert happenings(naming, named, FA)[0] == "یارتان گشنیز را حکم کرد."


def test_steps_of_the_ceremony_are_told() -> None:
    """Each step, and not whose program has taken it."""
    commit = VIEWS["commit"]
    reveal = replace(commit, step=Step.REVEAL, awaited=(2, 3))
    assert happenings(commit, reveal, EN) == ["Making the deal, step 2: everybody hands over the number."]
    assert happenings(reveal, replace(reveal, awaited=(3,)), EN) == []


@pytest.mark.parametrize(
    ("points", "english", "persian"),
    [
        (1, "One point.", "یک امتیاز."),
        (2, "Kot! Two points.", "کت شد! دو امتیاز."),
        (3, "Hakem kot! Three points.", "حاکم‌کت شد! سه امتیاز."),
    ],
)
def test_rounds_are_told_with_kot(points: int, english: str, persian: str) -> None:
    """Tricks, points, and the score after."""
    after = replace(VIEWS["round-over"], points=points)
    assert happenings(PLAYING, after, EN)[-3:] == [
        "You and your partner win the round, 7 tricks to 0.",
        english,
        "Score: we 7, they 2.",
    ]
    assert persian in happenings(PLAYING, after, FA)
    lost = replace(after, me=1)
    assert "The opponents win the round, 7 tricks to 0." in happenings(replace(PLAYING, me=1), lost, EN)


def test_the_end_of_the_game_is_told() -> None:
    """The round that decides it first."""
    assert happenings(PLAYING, VIEWS["game-over"], EN)[-4:] == [
        "The opponents win the round, 7 tricks to 3.",
        "One point.",
        "The opponents win the game, 7 to 6.",
        "The target is reached.",
    ]
    fault = replace(PLAYING, phase=Phase.GAME_OVER, ending=Ending.FAULT, awaited=())
    assert happenings(PLAYING, fault, EN) == [
        "The game is over, with no winner.",
        "The house failed: the game does not count.",
    ]


def test_people_come_and_go() -> None:
    """Seats taken, absence and return."""
    seating = VIEWS["seating"]
    taken = replace(seating, seats=(*seating.seats[:3], Seated(Sitter.PERSON, "Nima")))
    assert happenings(seating, taken, EN) == ["Left opponent: \u200eNima\u200e sits down."]
    away = replace(PLAYING, seats=(PLAYING.seats[0], Seated(Sitter.STAND_IN, "Reza", absent=True), *PLAYING.seats[2:]))
    assert happenings(PLAYING, away, EN) == ["Right opponent is absent: a stand-in plays."]
    assert happenings(away, PLAYING, FA) == ["حریف راست برگشت."]


def test_connection_deal_and_messages_are_told() -> None:
    """Each when it changes."""
    after = replace(PLAYING, connection=Connection.LOST, deal=Deal.WRONG, messages=("A \x1b[2J word.",))
    assert happenings(PLAYING, after, EN) == ["CONNECTION LOST", "THE DEAL IS WRONG.", "A [2J word."]
    assert happenings(after, replace(after, messages=(*after.messages, "New.")), EN) == ["New."]


def test_my_deadline_is_told_again_before_it_comes() -> None:
    """At ten and at five seconds, and only mine."""
    at = [replace(PLAYING, seconds_left=left) for left in (11, 10, 9, 6, 3)]
    told = [happenings(before, after, EN) for before, after in itertools.pairwise(at)]
    assert told == [["10 seconds left."], [], [], ["3 seconds left."]]
    other = [replace(view, awaited=(1,)) for view in at]
    assert happenings(other[0], other[1], EN) == []
    assert say.seconds(1, EN) == "1 second left."


def test_the_situation_needs_no_picture() -> None:
    """Hakem, trumps, table, hand, turn, deadline and choices, all as words."""
    text = "\n".join(situation(PLAYING, EN))
    for sentence in (
        "The left opponent is the hakem. Trumps are hearts.",
        "On the table: your partner, queen of clubs; the left opponent, four of hearts.",
        "Your hand, hearts: 4 ten, 5 seven, 6 two.",
        "It is your turn. 23 seconds left.",
        "You may play: 9 ace of clubs, 10 three of clubs.",
        "Left opponent is absent: a stand-in plays.",
    ):
        assert sentence in text
    assert "شما حاکم هستید: حکم را بگویید." in "\n".join(situation(VIEWS["trumps"], FA))
    assert "حکم: ۱ پیک، ۲ دل، ۳ خشت، ۴ گشنیز." in situation(VIEWS["trumps"], FA)


@given(views(), views(), st.sampled_from(Language))
def test_any_two_views_can_be_told(before: View, after: View, language: Language) -> None:
    """No symbol stands for a suit, nothing steers the terminal, no brace is left."""
    bare = {"messages": (), "seats": PLAYING.seats}
    before, after = replace(before, **bare), replace(after, **bare)  # type: ignore[arg-type]
    for sentence in [*happenings(before, after, language), *situation(after, language)]:
        assert sentence
        assert not re.search(r"[♠♥♦♣{}\x00-\x1f]", sentence)


@given(st.permutations(range(52)), st.integers(0, 3), st.integers(0, 3))
def test_a_whole_round_is_told_card_by_card(pack: list[int], trump: int, leader: int) -> None:
    """Played to seven tricks by first legal card: 4 sentences of cards and one of the winner for each trick."""
    hands = [hand_of(pack[13 * seat : 13 * seat + 13]) for seat in range(4)]
    view = replace(LEAD, trump=trump, awaited=(leader,), seconds_left=None, hand=hands[0])
    told: list[str] = []
    tricks = [0, 0]
    while max(tricks) < 7:
        cards: tuple[int, ...] = ()
        for turn in range(4):
            seat = leader + turn & 3
            legal = legal_cards(hands[seat], cards[0] // 13 if cards else None)
            card = (legal & -legal).bit_length() - 1
            hands[seat] ^= 1 << card
            cards += (card,)
            after = replace(view, trick=Trick(leader, cards), awaited=(seat + 1 & 3,), hand=hands[0])
            if turn == 3:
                leader = trick_winner(cards, after.trick.leader if after.trick else 0, trump)
                tricks[leader & 1] += 1
                after = replace(after, trick=None, last=after.trick, tricks=(tricks[0], tricks[1]), awaited=(leader,))
            told += happenings(view, after, EN)
            view = after
    verbs = (" plays ", " play ", " leads ", " lead ", " cuts ", " cut ")
    assert sum(any(verb in sentence for verb in verbs) for sentence in told) == 4 * sum(tricks)
    assert sum(sentence in words(EN).takes for sentence in told) == sum(tricks)
    assert parse_card("2S") == 0
