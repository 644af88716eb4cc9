# SPDX-License-Identifier: Apache-2.0
"""What is typed: every spelling of every card, commands, slips with their reasons, and the second step."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hokm.cards import FULL, PACK, SUITS, card_persian, card_symbol, card_text, parse_card, parse_hand, persian_digits
from hokm.events import Leave, NameTrump, Play, Resign, Return
from hokm.languages import Language
from hokm_client.terminal import typed
from hokm_client.terminal.bidi import clean
from hokm_client.terminal.slips import Slip, slip_sentence
from hokm_client.terminal.spelling import RANK_WORDS, SUIT_WORDS
from hokm_client.terminal.typed import Ask, Command, Typed, question, read
from hokm_client.terminal.view import Connection, Phase, Seated, Sitter, Trick, View, held
from hokm_client.terminal.words import card_name, words
from tests.client.terminal.screens import PLAYING, VIEWS

FREE = replace(PLAYING, hand=FULL, legal=FULL, trick=None)
"""Every card may be played."""
NAMING = VIEWS["trumps"]


@pytest.mark.parametrize("card", PACK, ids=card_text)
def test_every_card_in_every_notation(card: int) -> None:
    """Letters, symbols and names, both orders, both languages, both digits."""
    letters, symbols = card_text(card), card_symbol(card)
    spellings = {letters, letters.lower(), letters[::-1], symbols, symbols[-1] + symbols[:-1]}
    spellings |= {symbols[:-1] + letters[1], card_name(Language.EN, card), card_persian(card)}
    spellings |= {" ".join(reversed(card_persian(card).split())), card_name(Language.EN, card).upper()}
    if card % 13 <= 8:
        digits = persian_digits(card % 13 + 2)
        spellings |= {f"{digits} {SUITS[card // 13].persian}", f"{digits}{SUITS[card // 13].symbol}"}
    for spelling in spellings:
        assert read(spelling, FREE) == Play(card), spelling


@pytest.mark.parametrize(
    ("text", "card"),
    [
        *(("KH", "KH"), ("10h", "TH"), ("hk", "KH"), ("k♥", "KH"), ("♥️k", "KH"), ("  k   h ", "KH"), ("K♡", "KH")),
        *(("play the queen of clubs", "QC"), ("ace spade", "AS"), ("k-h", "KH"), ("١٠ دل", "TH"), ("۱۰دل", "TH")),
        *(("شاه خاج", "KC"), ("بی بی گشنیز", "QC"), ("بیبی گیشنیز", "QC"), ("شاه پيك", "KS"), ("تک دل", "AH")),
        *(("آس خشت", "AD"), ("اس خشت", "AD"), ("سرباز دل را", "JH"), ("ＫＨ", "KH")),
    ],
)
def test_spellings_of_hands_in_a_hurry(text: str, card: str) -> None:
    """Spaces, idle words, Arabic letters, wide letters, emoji, and the other names."""
    assert read(text, FREE) == Play(parse_card(card))


def test_no_spelling_means_two_cards() -> None:
    """Rank and suit words written together, in whatever order, part in one way only."""
    seen: dict[str, tuple[int, int]] = {}
    for (rank_word, rank), (suit_word, suit) in itertools.product(RANK_WORDS.items(), SUIT_WORDS.items()):
        for joined in (rank_word + suit_word, suit_word + rank_word):
            assert seen.setdefault(joined, (rank, suit)) == (rank, suit)
            assert joined not in typed._COMMANDS


def test_a_number_is_the_card_shown_with_it() -> None:
    """From 1, in the order of the hand."""
    for index, card in enumerate(held(PLAYING.hand), start=1):
        for text in (str(index), persian_digits(index), f" {index}."):
            answer = read(text, PLAYING)
            assert answer == Play(card) if PLAYING.legal >> card & 1 else isinstance(answer, Slip)


@pytest.mark.parametrize(
    ("text", "suit"),
    [
        *(("hearts", 1), ("h", 1), ("دل", 1), ("♥", 1), ("2", 1), ("۲", 1), ("s", 0), ("spade", 0), ("پیک", 0)),
        *(("d", 2), ("خشت", 2), ("گشنیز", 3), ("خاج", 3), ("clubs", 3), ("حکم دل", 1), ("trumps hearts", 1)),
    ],
)
def test_trumps_by_name(text: str, suit: int) -> None:
    """In both languages, by letter, symbol and number."""
    assert read(text, NAMING) == NameTrump(suit)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        *(("help", Command.HELP), ("?", Command.HELP), ("؟", Command.HELP), ("راهنما", Command.HELP)),
        *(("last", Command.LAST), ("Last  Trick", Command.LAST), ("دست قبل", Command.LAST)),
        *(("score", Command.SCORE), ("امتیاز", Command.SCORE), ("again", Command.AGAIN), ("", Command.AGAIN)),
        *(("rules", Command.RULES), ("قانون‌ها", Command.RULES), ("story", Command.STORY), ("قصه", Command.STORY)),
        *((" ", Command.AGAIN), ("دوباره", Command.AGAIN)),
    ],
)
def test_commands(text: str, command: Command) -> None:
    """They do in every phase."""
    for view in VIEWS.values():
        assert read(text, view) is command


AWAY = replace(PLAYING, seats=(Seated(Sitter.STAND_IN, absent=True), *PLAYING.seats[1:]))
OFF = replace(PLAYING, connection=Connection.LOST)


@pytest.mark.parametrize(
    ("text", "view", "slip"),
    [
        ("KS", PLAYING, Slip("MUST_FOLLOW_SUIT", {"card": "KS", "led": "C"})),
        ("1", PLAYING, Slip("MUST_FOLLOW_SUIT", {"card": "AS", "led": "C"})),
        ("KC", PLAYING, Slip("CARD_NOT_HELD", {"card": "KC"})),
        ("14", PLAYING, Slip("NO_SUCH_NUMBER", {"number": "14", "most": "10"})),
        ("0", PLAYING, Slip("NO_SUCH_NUMBER", {"number": "0", "most": "10"})),
        ("hearts", PLAYING, Slip("TRUMPS_ARE_NAMED", {"suit": "H"})),
        ("AC", VIEWS["waiting"], Slip("NOT_YOUR_TURN")),
        ("AC", AWAY, Slip("STAND_IN_PLAYS")),
        ("AC", OFF, Slip("NOT_CONNECTED")),
        ("leave", OFF, Slip("NOT_CONNECTED")),
        ("AS", NAMING, Slip("TRUMPS_FIRST")),
        ("5", NAMING, Slip("NO_SUCH_SUIT_NUMBER", {"number": "5"})),
        ("hearts", replace(NAMING, hakem=1, awaited=(1,)), Slip("NOT_THE_HAKEM")),
        ("hearts", VIEWS["commit"], Slip("NO_CARDS_NOW")),
        ("3", VIEWS["round-over"], Slip("NO_CARDS_NOW")),
        ("AS", VIEWS["seating"], Slip("NO_CARDS_NOW")),
        ("back", PLAYING, Slip("NOT_AWAY")),
        ("resign", VIEWS["seating"], Slip("NO_GAME")),
        ("resign", VIEWS["game-over"], Slip("GAME_IS_OVER")),
        ("leave", VIEWS["game-over"], Slip("GAME_IS_OVER")),
        ("yes", PLAYING, Slip("NOTHING_ASKED")),
        ("no", PLAYING, Slip("NOTHING_ASKED")),
        ("xyzzy", PLAYING, Slip("NO_SUCH_WORD", {"text": "xyzzy"})),
        ("11h", PLAYING, Slip("NO_SUCH_WORD", {"text": "11h"})),
        ("khs", PLAYING, Slip("NO_SUCH_WORD", {"text": "khs"})),
    ],
)
def test_slips_are_refused_before_anything_is_sent(text: str, view: View, slip: Slip) -> None:
    """With the reason, and a sentence in both languages."""
    assert read(text, view) == slip
    for language in Language:
        sentence = slip_sentence(slip, language)
        assert sentence
        assert slip.reason not in sentence


@pytest.mark.parametrize(
    ("text", "act"), [("leave", Leave()), ("ترک", Leave()), ("resign", Resign()), ("تسلیم", Resign())]
)
def test_destructive_commands_need_a_second_step(text: str, act: Leave | Resign) -> None:
    """The first brings a question; only yes brings the act; anything else drops the question."""
    assert read(text, PLAYING) == Ask(act)
    for yes in ("yes", "Y", "بله", "آره"):
        assert read(yes, PLAYING, act) == act
    assert read("no", PLAYING, act) is Command.CANCELLED
    assert read("نه", PLAYING, act) is Command.CANCELLED
    assert read("AC", PLAYING, act) == Play(parse_card("AC"))
    assert read(text, PLAYING, act) == Ask(act)
    for language in Language:
        assert question(act, language)
    assert read("yes", VIEWS["game-over"], act) == Slip("GAME_IS_OVER")


def test_quitting_asks_only_in_the_middle_of_a_game() -> None:
    """A q that was meant as a queen does no harm."""
    assert read("q", PLAYING) == Ask(Command.QUIT)
    assert read("yes", PLAYING, Command.QUIT) is Command.QUIT
    assert read("quit", VIEWS["seating"]) is Command.QUIT
    assert read("خروج", VIEWS["game-over"]) is Command.QUIT
    assert question(Command.QUIT, Language.EN) == words(Language.EN).confirm_quit


def test_an_absent_player_comes_back() -> None:
    """And only an absent one."""
    assert read("back", AWAY) == Return()
    assert read("برگشتم", AWAY) == Return()


@given(st.text(), st.sampled_from(sorted(VIEWS)))
def test_nothing_typed_is_too_much(text: str, name: str) -> None:
    """Any text has an answer, and a slip has a sentence without control characters."""
    answer: Typed = read(text, VIEWS[name])
    if isinstance(answer, Slip):
        for language in Language:
            sentence = slip_sentence(answer, language)
            assert clean(sentence) == sentence


@given(st.integers(1, FULL), st.integers(0, 51), st.integers(0, 51))
def test_a_card_is_sent_only_if_it_is_legal(hand: int, card: int, led: int) -> None:
    """Whatever is held and led: `legal` decides."""
    from hokm.rules import legal_cards

    legal = legal_cards(hand, led // 13)
    view = replace(PLAYING, hand=hand, legal=legal, trick=Trick(3, (led,)))
    answer = read(card_text(card), view)
    assert (answer == Play(card)) == bool(legal >> card & 1)
    if hand >> card & 1 and not legal >> card & 1:
        assert isinstance(answer, Slip)
        assert answer.reason == "MUST_FOLLOW_SUIT"


def test_phases_without_cards_refuse_cards() -> None:
    """A card is played in one phase only."""
    for phase in set(Phase) - {Phase.TRICKS}:
        assert isinstance(read("AS", replace(FREE, phase=phase)), Slip)
    assert parse_hand("AS") == 1 << 12
