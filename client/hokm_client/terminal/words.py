# SPDX-License-Identifier: Apache-2.0
"""Every word that the terminal says, in two languages: what a catalogue holds, and how its sentences are filled.

A catalogue is one `Words`; `english` and `persian` hold one each, and a word that one of them lacks is a type error.
Text in braces is filled in: {who} is a seat's words, {card} and {suit} are names, numbers have the language's digits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Final, TypeAlias

from hokm import errors
from hokm.cards import PACK, SUITS, Card, card_symbol, card_text, persian_digits
from hokm.errors import HokmError, reason_of
from hokm.languages import Language
from hokm_client.terminal.bidi import apart, clean, has_rtl, leftward

Four: TypeAlias = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """One catalogue. Four strings are by place: I, right, partner, left; by suit: ♠ ♥ ♦ ♣."""

    # Names.
    suits: Four
    ranks: tuple[str, ...]
    """2 to ace."""
    card: str
    """{rank} {suit}"""
    comma: str
    """Between the parts of a list."""
    semicolon: str
    """Between parts that have commas themselves."""
    labels: Four
    """Over a seat, and where a sentence begins."""
    within: Four
    """Inside a sentence."""
    short: Four
    """Where there is little room."""
    free: str
    person: str
    bot: str
    stand_in: str
    absent: str
    hakem: str
    to_play: Four
    awaited: str
    """In a ceremony, where the programs act."""
    ahead: str
    """Whose card would take the trick as it lies."""
    between: str
    """Between the things that are said of one seat or game. Persian has its own: there a dot looks like a zero."""
    game: str
    """The game's name."""

    # The lines of the screen.
    round: str
    """{round}, {target}"""
    before_first_round: str
    """{target}"""
    trumps: str
    trumps_unnamed: str
    score: str
    """{ours}, {theirs}"""
    tricks: str
    """{ours}, {theirs}"""
    hand: str
    no_cards: str
    table: str
    table_empty: str
    last_trick: str
    no_last_trick: str
    may_play: str
    menu: str
    """The suits that can be named, before them."""

    # What happens.
    leads: Four
    plays: Four
    cuts: Four
    takes: Four
    drawn: str
    """{count}, {card}, {who}: how the first hakem was found."""
    hakem_is: Four
    trumps_are: str
    """{suit}"""
    names_trumps: Four
    """{suit}"""
    turn: Four
    name_trumps: Four
    """Who is to name them."""
    waits: str
    """{who}"""
    absent_now: Four
    back_now: Four
    takes_seat: str
    """{who}, {name}"""
    seconds_one: str
    seconds_many: str
    """{seconds}"""
    seating: str
    steps: Mapping[str, str]
    """By the value of `view.Step`."""
    round_begins: str
    """{round}"""
    round_won: str
    """{ours}, {theirs}: tricks"""
    round_lost: str
    round_undecided: str
    points: tuple[str, str, str]
    """One point; kot, two; hakem kot, three."""
    game_won: str
    """{ours}, {theirs}: score"""
    game_lost: str
    game_undecided: str
    endings: Mapping[str, str]
    """By the value of `view.Ending`."""
    deals: Mapping[str, str]
    """By the value of `view.Deal`."""
    connections: Mapping[str, str]
    """By the value of `view.Connection`."""
    verdicts: Mapping[str, str]
    """By the verifier's word."""

    # What to type.
    prompt_card: str
    prompt_trumps: str
    prompt_wait: str
    prompt_over: str
    prompt_answer: str
    """While a yes or no is wanted."""
    confirm_leave: str
    confirm_resign: str
    confirm_quit: str
    cancelled: str
    help: tuple[str, ...]

    rules: Mapping[str, str]
    """Names of table rules that are not the classic ones, by their field in `TableRules`."""

    # Refusals.
    slips: Mapping[str, str]
    """What `typed` refuses itself, by reason."""
    refusals: Mapping[type[HokmError], str]
    """What the table refuses, in place of the error's own English sentence."""
    refusal_kinds: Mapping[str, str]
    """For all other reasons, by the reason of their kind: {reason}."""
    refused: str
    """{reason}: not even the kind is known."""


@cache
def words(language: Language) -> Words:
    """The catalogue of a language; loaded when it is first asked for."""
    module = import_module(f"hokm_client.terminal.{'persian' if language is Language.FA else 'english'}")
    catalogue = module.WORDS
    assert isinstance(catalogue, Words)
    return catalogue


# Names of things.


def number(language: Language, value: int) -> str:
    """A number in the language's digits."""
    return persian_digits(value) if language is Language.FA else str(value)


def card_name(language: Language, card: Card) -> str:
    """``king of hearts``, شاه دل."""
    catalogue = words(language)
    return catalogue.card.format(rank=catalogue.ranks[card % 13], suit=catalogue.suits[card // 13])


def rank_name(language: Language, card: Card) -> str:
    """``king``, شاه."""
    return words(language).ranks[card % 13]


def suit_name(language: Language, suit: int) -> str:
    """``hearts``, دل."""
    return words(language).suits[suit]


def symbol(language: Language, card: Card) -> str:
    """``10♥``, ۱۰♥. The letters A K Q J are those on the cards, in Iran too."""
    return digits(language, card_symbol(card))


def digits(language: Language, text: str) -> str:
    """The text with its digits in those of the language."""
    return text.translate(_PERSIAN_DIGITS) if language is Language.FA else text


def listed(language: Language, parts: list[str]) -> str:
    """The parts one after the other, with the language's comma between."""
    return words(language).comma.join(parts)


_PERSIAN_DIGITS: Final = {ord("0") + digit: persian_digits(digit) for digit in range(10)}


def verdict(language: Language, word: str) -> str:
    """The verifier's word, such as ``VERIFIED WITH WARNINGS``, as a sentence; an unknown one as it is."""
    return words(language).verdicts.get(word, clean(word))


# Refusals.


def refusal(language: Language, reason: str, facts: Mapping[str, str], sentence: str = "") -> str:
    """What a refused move's reason means, in a sentence.

    `sentence` is the English one that came with it, if one did. Where the language has no words for a reason there
    are always words for its kind, and the reason itself is told.
    """
    catalogue = words(language)
    said = {name: _fact(language, name, text) for name, text in facts.items()}
    template = catalogue.slips.get(reason) or catalogue.refusals.get(_errors().get(reason, HokmError))
    if template is not None:
        try:
            return template.format_map(said)
        except KeyError:
            pass  # an older or newer server tells other facts: the kind's sentence is true all the same
    elif language is Language.EN and (clean(sentence) or reason in _errors()):
        return clean(sentence) or _own_sentence(reason, facts)
    kind = catalogue.refusal_kinds.get(_kind_of(reason), catalogue.refused)
    return kind.format(reason=apart(clean(reason), language.rtl))


def refusal_of(language: Language, error: HokmError) -> str:
    """The same for an error of this program."""
    return refusal(language, error.reason, error.facts, str(error))


def _own_sentence(reason: str, facts: Mapping[str, str]) -> str:
    kind = _errors()[reason]
    try:
        return clean(kind.sentence.format_map({name: clean(text) for name, text in facts.items()}))
    except (KeyError, ValueError):
        return words(Language.EN).refused.format(reason=reason)


def _fact(language: Language, name: str, text: str) -> str:
    """A fact as words: cards, suits, rules and numbers are named, all else is quoted as it is."""
    if name in ("card", "led_card") and (card := _CARDS.get(text)) is not None:
        return card_name(language, card)
    if name == "cards" and all(card in _CARDS for card in text.split()):
        return listed(language, [card_name(language, _CARDS[card]) for card in text.split()])
    if name == "rule" and text in words(language).rules:
        return words(language).rules[text]
    if name in ("suit", "led", "trump") and (suit := _SUITS.get(text)) is not None:
        return suit_name(language, suit)
    if text.isascii() and text.isdecimal():
        return number(language, int(text)) if len(text) < 20 else text
    quoted = clean(text)
    return apart(leftward(quoted) if language.rtl and not has_rtl(quoted) else quoted, language.rtl)


_CARDS: Final[Mapping[str, Card]] = {card_text(card): card for card in PACK}
_SUITS: Final[Mapping[str, int]] = {suit.letter: suit for suit in SUITS}


@cache
def _errors() -> Mapping[str, type[HokmError]]:
    """Every error of the tree by its reason."""

    def below(kind: type[HokmError]) -> list[type[HokmError]]:
        return [kind, *(leaf for child in kind.__subclasses__() for leaf in below(child))]

    return {reason_of(kind): kind for kind in below(HokmError)}


_KINDS: Final = (
    *(errors.Malformed, errors.Rule, errors.Conflict, errors.Unknown),
    *(errors.NotSignedIn, errors.NotYourSeat, errors.Busy),
)


def _kind_of(reason: str) -> str:
    error = _errors().get(reason)
    if error is None:
        return ""
    return next((reason_of(kind) for kind in _KINDS if issubclass(error, kind)), "")
