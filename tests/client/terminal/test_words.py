# SPDX-License-Identifier: Apache-2.0
"""The catalogues: both say everything, with the same facts, and every refusal has Persian words."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from dataclasses import fields

import pytest

from hokm import errors
from hokm.cards import KHAJ, RANKS, SUITS, card_persian, parse_suit_persian
from hokm.errors import HokmError, is_shared, reason_of
from hokm.languages import Language
from hokm.rules import TableRules
from hokm.v1 import tables_service_pb2 as pb
from hokm_client.terminal.customs import Customs, customs
from hokm_client.terminal.english import WORDS as ENGLISH
from hokm_client.terminal.persian import WORDS as PERSIAN
from hokm_client.terminal.things import Thing
from hokm_client.terminal.view import Connection, Deal, Ending, Step
from hokm_client.terminal.words import Words, card_name, number, refusal, refusal_of, symbol, verdict, words


def sentences(catalogue: Words) -> dict[str, str]:
    """Each sentence by the way to it."""
    found: dict[str, str] = {}
    for field in fields(Words):
        match getattr(catalogue, field.name):
            case str() as text:
                found[field.name] = text
            case tuple() as texts:
                found |= {f"{field.name}[{index}]": text for index, text in enumerate(texts)}
            case mapping:
                found |= {f"{field.name}[{getattr(key, '__name__', key)}]": text for key, text in mapping.items()}
    return found


def facts_in(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


ENGLISH_SENTENCES, PERSIAN_SENTENCES = sentences(ENGLISH), sentences(PERSIAN)
SHARED = sorted(key for key in ENGLISH_SENTENCES if not key.startswith(("refusals", "help")))


def test_both_catalogues_have_the_same_keys() -> None:
    """But for refusals, which English has in the errors themselves."""
    assert sorted(key for key in PERSIAN_SENTENCES if not key.startswith(("refusals", "help"))) == SHARED
    assert len(ENGLISH.help) == len(PERSIAN.help)


@pytest.mark.parametrize("key", SHARED)
def test_both_catalogues_tell_the_same_facts(key: str) -> None:
    """The same braces, and no empty sentence."""
    english, persian = ENGLISH_SENTENCES[key], PERSIAN_SENTENCES[key]
    assert english.strip()
    assert persian.strip()
    known = facts_in(english) | {"led"} if key == "slips[MUST_FOLLOW_SUIT]" else facts_in(english)
    assert facts_in(persian) == known


@pytest.mark.parametrize("key", sorted(PERSIAN_SENTENCES))
def test_persian_is_written_with_persian_letters(key: str) -> None:
    """No Arabic kaf or yeh, no Latin digit, no Latin comma or question mark; joiners stand between letters."""
    text = re.sub(r"\{[a-z_]+\}", "", PERSIAN_SENTENCES[key])
    assert not re.search(r"[يكىة0-9,;?]", text)
    assert not re.search("\u200c(?![\u0600-\u06ff])|(?<![\u0600-\u06ff])\u200c", text)


def test_every_enumerated_word_has_its_sentence() -> None:
    """The mappings have exactly the values that there are."""
    for catalogue in (ENGLISH, PERSIAN):
        assert set(catalogue.steps) == set(Step)
        assert set(catalogue.endings) == set(Ending)
        assert set(catalogue.deals) == set(Deal)
        assert set(catalogue.connections) == set(Connection)
        assert len(catalogue.ranks) == len(RANKS)


def test_persian_cards_are_named_as_in_the_core() -> None:
    """آس پیک, and خاج is clubs too."""
    assert [card_name(Language.FA, card) for card in range(52)] == [card_persian(card) for card in range(52)]
    assert parse_suit_persian(KHAJ) is SUITS[3]
    assert card_name(Language.EN, 24) == "king of hearts"


def test_numbers_and_symbols() -> None:
    """Persian digits, the letters of the cards."""
    assert number(Language.FA, 13) == "۱۳"
    assert number(Language.EN, 13) == "13"
    assert symbol(Language.FA, 21) == "۱۰♥"
    assert symbol(Language.FA, 24) == "K♥"


# Refusals.


def below(kind: type[HokmError]) -> Iterator[type[HokmError]]:
    for child in kind.__subclasses__():
        yield child
        yield from below(child)


def made(kind: type[HokmError]) -> HokmError:
    """One of that class, with a number or a word for each fact."""
    values: dict[str, object] = {}
    for name, type_ in kind.fields.items():
        values[name] = 3 if type_ == "int" else {"card": "KH", "led": "S"}.get(name, "word")
    return kind(**values)


KINDS = [kind for kind in HokmError.__subclasses__() if is_shared(kind)]
ALL = [kind for kind in below(HokmError) if is_shared(kind) and kind not in KINDS]
RULES = [kind for kind in ALL if issubclass(kind, errors.Rule)]


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_every_error_can_be_told_in_both_languages(kind: type[HokmError]) -> None:
    """In its own words, or in those of its kind with the reason; never in the other language, no brace left."""
    error = made(kind)
    persian = refusal_of(Language.FA, error)
    own = kind in PERSIAN.refusals or error.reason in PERSIAN.slips
    assert re.search("[\u0600-\u06ff]", persian)
    assert not re.search("[{}]", persian)
    assert own or error.reason in persian
    assert not re.search("[\u0600-\u06ff{}]", refusal_of(Language.EN, error))


@pytest.mark.parametrize("kind", RULES, ids=lambda kind: kind.__name__)
def test_rules_fall_back_on_the_kind(kind: type[HokmError]) -> None:
    """An error with other facts than its words expect is told by its kind and its reason."""
    template = PERSIAN.refusals.get(kind) or PERSIAN.slips.get(reason_of(kind)) or "{unknown}"
    told = refusal(Language.FA, reason_of(kind), {})
    if facts_in(template):
        assert told == PERSIAN.refusal_kinds["RULE"].format(reason=f"\u200f{reason_of(kind)}\u200f")
    else:
        assert told == template


def test_the_kinds_all_have_words() -> None:
    """Seven of them."""
    for catalogue in (ENGLISH, PERSIAN):
        assert set(catalogue.refusal_kinds) == {reason_of(kind) for kind in KINDS}


def test_unknown_reasons_are_told() -> None:
    """A newer server may have reasons that this client does not know; its sentence serves who reads English."""
    assert refusal(Language.EN, "MOON_TOO_FULL", {}, "The moon is full.") == "The moon is full."
    assert refusal(Language.EN, "MOON_TOO_FULL", {}) == "That was refused (\u200eMOON_TOO_FULL\u200e)."
    assert "MOON_TOO_FULL" in refusal(Language.FA, "MOON_TOO_FULL", {}, "The moon is full.")


def test_refusals_name_cards_suits_and_numbers_in_the_language() -> None:
    """Facts come as the log writes them."""
    facts = {"card": "KH", "led": "S"}
    assert refusal(Language.EN, "MUST_FOLLOW_SUIT", facts) == (
        "Not the king of hearts: you must follow suit, and you hold spades."
    )
    assert refusal(Language.FA, "MUST_FOLLOW_SUIT", facts) == "شاه دل نمی‌شود: خال زمین پیک است و شما پیک دارید."
    assert "۳" in refusal(Language.FA, "TOO_MANY_RETURNS", {"seat": "1", "most": "3"})


def test_what_a_server_says_cannot_steer_the_terminal() -> None:
    """Escape sequences are taken out of reasons, facts and sentences."""
    for language in Language:
        assert "\x1b" not in refusal(language, "A\x1b[2J", {"x": "\x1b[2J"}, "b\x1b[2J")
        assert "\x1b" not in refusal(language, "NOT_A_CARD", {"text": "\x1b[2J"})
        assert "\x1b" not in refusal(language, reason_of(errors.NotACard), {"text": "\x1b[2J"})


@pytest.mark.parametrize("word", sorted(ENGLISH.verdicts))
def test_verdicts_have_words(word: str) -> None:
    """Each of the verifier's words, and an unknown one as it is."""
    assert verdict(Language.EN, word) == words(Language.EN).verdicts[word]
    assert re.search("[\u0600-\u06ff]", verdict(Language.FA, word))
    assert verdict(Language.FA, "NEW") == "NEW"


# The house rules.


def custom_sentences(catalogue: Customs) -> dict[str, str]:
    """Each sentence of the house rules by the way to it."""
    found: dict[str, str] = {}
    for field in fields(Customs):
        match getattr(catalogue, field.name):
            case str() as text:
                found[field.name] = text
            case tuple() as texts:
                found |= {f"{field.name}[{index}]": text for index, text in enumerate(texts)}
            case mapping:
                found |= {f"{field.name}[{key}]": text for key, text in mapping.items()}
    return found


ENGLISH_CUSTOMS, PERSIAN_CUSTOMS = (custom_sentences(customs(language)) for language in Language)


@pytest.mark.parametrize("key", sorted(ENGLISH_CUSTOMS.keys() | PERSIAN_CUSTOMS.keys()))
def test_the_house_rules_are_told_alike(key: str) -> None:
    """The same sentences with the same braces; the Persian ones in Persian letters."""
    english, persian = ENGLISH_CUSTOMS[key], PERSIAN_CUSTOMS[key]
    assert english.strip()
    assert facts_in(persian) == facts_in(english)
    text = re.sub(r"\{[a-z_]+\}", "", persian)
    assert re.search("[\u0600-\u06ff]", text)
    assert not re.search(r"[يكىة0-9A-Za-z,;?]", text)
    assert not re.search("\u200c(?![\u0600-\u06ff])|(?<![\u0600-\u06ff])\u200c", text)


def test_every_rule_and_every_thing_has_its_words() -> None:
    """House rules are explained, whatever is not classic has a name, and things are those of the wire."""
    named = {field.name for field in fields(TableRules)} - {"target", "turn_seconds", "away_seconds"}
    for language in Language:
        assert set(words(language).rules) == named
        assert set(customs(language).explained) == {
            "partners_middle",
            "coming_early",
            "runs",
            "tea",
            "throwing",
            "silent",
        }
        assert set(customs(language).things) == set(Thing)
    assert {f"THING_{thing.name}": thing.value for thing in Thing} | {"THING_UNSPECIFIED": 0} == dict(pb.Thing.items())


OF_HOUSE_RULES = [kind for kind in RULES if "(H" in (kind.__doc__ or "")]


@pytest.mark.parametrize("kind", OF_HOUSE_RULES, ids=lambda kind: kind.__name__)
def test_refusals_of_the_house_rules_have_own_words_in_both_languages(kind: type[HokmError]) -> None:
    """Nobody who plays is told of seats by their numbers."""
    for catalogue in (ENGLISH, PERSIAN):
        assert reason_of(kind) in catalogue.slips
    assert len(OF_HOUSE_RULES) > 15
