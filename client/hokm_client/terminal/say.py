# SPDX-License-Identifier: Apache-2.0
"""The table in plain sentences: what has happened, and how things stand.

`happenings` compares two views and tells the difference, one sentence for each thing, in the order in which it came
about; `situation` tells everything from the start. Suits, ranks, seats, turn and winner are words, so that a screen
reader can follow without a picture.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from hokm.cards import SUITS, Card, suit_of
from hokm.languages import Language
from hokm.rules import Seat
from hokm_client.terminal import say_customs
from hokm_client.terminal.bidi import apart, clean
from hokm_client.terminal.customs import customs
from hokm_client.terminal.view import Connection, Deal, Ending, Phase, Sitter, Trick, View, held, place
from hokm_client.terminal.words import (
    card_name,
    listed,
    number,
    rank_name,
    suit_name,
    words,
)

WARNINGS: Final = (10, 5)
"""Seconds before my deadline at which it is told again."""


# Parts of a screen that are sentences by themselves.


def round_line(view: View, language: Language) -> str:
    """Which round of what game."""
    catalogue = words(language)
    target = number(language, view.rules.target)
    if not view.round:
        return catalogue.before_first_round.format(target=target)
    return catalogue.round.format(round=number(language, view.round), target=target)


def score_line(view: View, language: Language) -> str:
    """Points of both sides, ours first."""
    return _pair(words(language).score, view.mine(view.score), language)


def tricks_line(view: View, language: Language) -> str:
    """Tricks of both sides in this round, ours first."""
    return _pair(words(language).tricks, view.mine(view.tricks), language)


def turn(view: View, language: Language) -> list[str]:
    """What the table waits for, and how long: one to three sentences."""
    catalogue = words(language)
    if view.connection is Connection.LOST and view.phase is not Phase.GAME_OVER:
        return [catalogue.slips["NOT_CONNECTED"]]
    if view.is_tea_time:
        return say_customs.tea(view, language)
    match view.phase:
        case Phase.SEATING:
            return [catalogue.seating]
        case Phase.CEREMONY:
            step = [catalogue.steps[view.step]] if view.step is not None else []
            return [*step, *_waits(view, language), *_seconds(view, language)]
        case Phase.TRUMPS | Phase.TRICKS:
            sentences = catalogue.name_trumps if view.phase is Phase.TRUMPS else catalogue.turn
            whose = [sentences[place(view.turn, view.me)]] if view.turn is not None else []
            return [*whose, *_seconds(view, language)]
        case Phase.ROUND_OVER:
            return _round_over(view, language)
        case Phase.GAME_OVER:
            return _game_over(view, language)


def prompt(view: View, language: Language) -> str:
    """What may be typed now."""
    catalogue = words(language)
    if view.asked:
        return catalogue.prompt_answer
    if view.phase is Phase.GAME_OVER:
        return catalogue.prompt_over
    if view.is_tea_time:
        return customs(language).prompt_tea
    if not view.my_turn:
        return customs(language).prompt_answer if view.may_answer_tea else catalogue.prompt_wait
    match view.phase:
        case Phase.TRUMPS:
            return catalogue.prompt_trumps
        case Phase.TRICKS:
            return catalogue.prompt_card
        case _:
            return catalogue.prompt_wait


def _waits(view: View, language: Language) -> list[str]:
    catalogue = words(language)
    if not view.awaited:
        return []
    who = [catalogue.within[place(seat, view.me)] for seat in view.around() if seat in view.awaited]
    return [catalogue.waits.format(who=listed(language, who))]


def _seconds(view: View, language: Language) -> list[str]:
    return [] if view.seconds_left is None else [seconds(max(view.seconds_left, 0), language)]


def seconds(left: int, language: Language) -> str:
    """How long there is to decide."""
    catalogue = words(language)
    return catalogue.seconds_one if left == 1 else catalogue.seconds_many.format(seconds=number(language, left))


def _round_over(view: View, language: Language) -> list[str]:
    catalogue = words(language)
    won = view.won()
    if won is None:
        return [catalogue.round_undecided]
    sentence = _pair(catalogue.round_won if won else catalogue.round_lost, view.mine(view.tricks), language)
    return [sentence, catalogue.points[view.points - 1]] if 1 <= view.points <= 3 else [sentence]


def _game_over(view: View, language: Language) -> list[str]:
    catalogue = words(language)
    won = view.won()
    if won is None:
        sentence = catalogue.game_undecided
    else:
        sentence = _pair(catalogue.game_won if won else catalogue.game_lost, view.mine(view.score), language)
    return [sentence] if view.ending is None else [sentence, catalogue.endings[view.ending]]


def _pair(template: str, pair: tuple[int, int], language: Language) -> str:
    ours, theirs = pair
    return template.format(ours=number(language, ours), theirs=number(language, theirs))


# Everything from the start.


def situation(view: View, language: Language) -> list[str]:
    """How things stand, in sentences that need no picture."""
    catalogue = words(language)
    lines = [f"{catalogue.game}. {round_line(view, language)}."]
    lines += [connection(view, language)] if view.connection is not Connection.UP else []
    lines += [sentence for seat in view.around() if (sentence := _sits(view, seat, language))]
    lines += [catalogue.deals[view.deal] + "."] if view.deal is not Deal.NONE else []
    if view.phase is not Phase.SEATING:
        lines.append(f"{score_line(view, language)}. {tricks_line(view, language)}.")
    if view.hakem is not None:
        trumps = "" if view.trump is None else catalogue.trumps_are.format(suit=suit_name(language, view.trump))
        lines.append(f"{catalogue.hakem_is[place(view.hakem, view.me)]} {trumps}".rstrip())
    if view.phase is Phase.TRICKS:
        lines += [last_trick(view, language), _on_table(view, language), *say_customs.on_table(view, language)]
    if view.hand:
        lines += hand(view, language)
    lines += [" ".join(waiting)] if (waiting := turn(view, language)) else []
    lines += [" ".join(tea)] if not view.is_tea_time and (tea := say_customs.tea(view, language)) else []
    lines += choices(view, language)
    return lines


def connection(view: View, language: Language) -> str:
    """Whether the server hears us."""
    return words(language).connections[view.connection]


def last_trick(view: View, language: Language) -> str:
    """The trick before, card by card, and who took it."""
    catalogue = words(language)
    if view.last is None or view.trump is None:
        return catalogue.no_last_trick
    taken = catalogue.takes[place(view.last.winner(view.trump), view.me)]
    return f"{catalogue.last_trick}: {_cards(view, view.last, language)}. {taken}"


def hand(view: View, language: Language) -> list[str]:
    """My cards, a line for each suit, from the ace down; while cards are played each with its number."""
    catalogue = words(language)
    cards = held(view.hand)
    if not cards:
        return [catalogue.no_cards]
    numbered = view.phase is Phase.TRICKS
    lines = []
    for suit in SUITS:
        ranks = [
            f"{number(language, index)} {rank_name(language, card)}" if numbered else rank_name(language, card)
            for index, card in enumerate(cards, start=1)
            if suit_of(card) is suit
        ]
        if ranks:
            lines.append(f"{catalogue.hand}{catalogue.comma}{suit_name(language, suit)}: {listed(language, ranks)}.")
    return lines


def choices(view: View, language: Language) -> list[str]:
    """What I may do now: the cards with their numbers, or the suits."""
    catalogue = words(language)
    if not view.my_turn:
        return []
    if view.phase is Phase.TRUMPS:
        suits = [f"{number(language, suit + 1)} {suit_name(language, suit)}" for suit in SUITS]
        middle = [customs(language).or_middle] if view.rules.partners_middle else []
        return [f"{catalogue.menu}: {listed(language, suits)}.", *middle]
    legal = [
        f"{number(language, index)} {card_name(language, card)}"
        for index, card in enumerate(held(view.hand), start=1)
        if view.legal >> card & 1
    ]
    plays = [f"{catalogue.may_play}: {listed(language, legal)}."] if legal else []
    return [*plays, *say_customs.may_run(view, language)]


def drawn(turned: Sequence[tuple[Seat, Card]], hakem: Seat, me: Seat, language: Language) -> str:
    """How the first hakem was found: by which card, of how many that were turned up."""
    catalogue = words(language)
    card = next(card for seat, card in reversed(turned) if seat == hakem)
    who = catalogue.within[place(hakem, me)]
    return catalogue.drawn.format(count=number(language, len(turned)), card=card_name(language, card), who=who)


def _on_table(view: View, language: Language) -> str:
    catalogue = words(language)
    if view.trick is None or not view.trick.cards:
        return catalogue.table_empty
    return f"{catalogue.table}: {_cards(view, view.trick, language)}."


def _cards(view: View, trick: Trick, language: Language) -> str:
    catalogue = words(language)
    return catalogue.semicolon.join(
        listed(language, [catalogue.within[place(seat, view.me)], card_name(language, card)])
        for seat, card in trick.plays()
    )


def _sits(view: View, seat: Seat, language: Language) -> str:
    catalogue = words(language)
    seated = view.seats[seat]
    label = catalogue.labels[place(seat, view.me)]
    name = apart(clean(seated.name).strip(), language.rtl) if seated.name.strip() else ""
    if seated.absent:
        return catalogue.absent_now[place(seat, view.me)]
    match seated.sitter:
        case Sitter.FREE:
            held_by = catalogue.free
        case Sitter.PERSON:
            held_by = "" if seat == view.me else catalogue.person
        case Sitter.BOT:
            held_by = catalogue.bot
        case Sitter.STAND_IN:
            held_by = catalogue.stand_in
    what = listed(language, [part for part in (name, held_by) if part])
    return f"{label}: {what}." if what else ""


# What has happened between two views.


def happenings(before: View, after: View, language: Language) -> list[str]:
    """What is new in `after`, one plain sentence each. Nothing new: no sentence."""
    return [*_news(before, after, language)]


def _news(before: View, after: View, language: Language) -> Iterator[str]:
    catalogue = words(language)
    if after.connection is not before.connection:
        yield connection(after, language)
    yield from _seats(before, after, language)
    if after.round > before.round:
        yield catalogue.round_begins.format(round=number(language, after.round))
    if after.deal is not before.deal and after.deal is not Deal.NONE:
        yield catalogue.deals[after.deal] + "."
    if after.hakem is not None and (after.hakem != before.hakem or after.round > before.round > 0):
        yield catalogue.hakem_is[place(after.hakem, after.me)]
    if after.trump is not None and before.trump is None and after.hakem is not None and after.middle is None:
        suit = suit_name(language, after.trump)
        yield catalogue.names_trumps[place(after.hakem, after.me)].format(suit=suit)
    is_same_round = after.round == before.round
    yield from say_customs.table_news(before, after, language) if is_same_round else ()
    yield from _play(before, after, language)
    yield from say_customs.run_news(before, after, language) if is_same_round else ()
    yield from say_customs.tea_news(before, after, language)
    if _waits_for(after) != _waits_for(before) and not after.is_tea_time:
        if after.ending is Ending.TARGET and before.phase not in (Phase.GAME_OVER, Phase.ROUND_OVER):
            yield from _round_over(after, language)
        yield from turn(_worth_telling(after), language)
        if after.phase is Phase.ROUND_OVER and before.phase is not Phase.ROUND_OVER:
            yield score_line(after, language) + "."
    elif after.turn == after.me and after.seconds_left is not None and _warned(before.seconds_left, after.seconds_left):
        yield seconds(after.seconds_left, language)
    yield from (clean(message) for message in _newer(before.messages, after.messages))


def _waits_for(view: View) -> tuple[object, ...]:
    """What makes it worth telling whom the table waits for. In a ceremony that is for programs to know."""
    awaited = () if view.phase is Phase.CEREMONY else view.awaited
    return view.phase, view.step, awaited, view.round, view.tricks, view.is_tea_time


def _worth_telling(view: View) -> View:
    """Whose turn it is, but the seconds only where they are mine."""
    if view.phase is Phase.CEREMONY:
        return replace(view, awaited=(), seconds_left=None)
    return view if view.turn == view.me else replace(view, seconds_left=None)


def _warned(before: int | None, after: int) -> bool:
    return before is not None and any(after <= mark < before for mark in WARNINGS)


def _seats(before: View, after: View, language: Language) -> Iterator[str]:
    catalogue = words(language)
    for seat in after.around():
        old, new = before.seats[seat], after.seats[seat]
        where = place(seat, after.me)
        if new.absent and not old.absent:
            yield catalogue.absent_now[where]
        elif old.absent and not new.absent:
            yield catalogue.back_now[where]
        elif old.sitter is Sitter.FREE and new.sitter is not Sitter.FREE and seat != after.me:
            kind = catalogue.person if new.sitter is Sitter.PERSON else catalogue.bot
            name = apart(clean(new.name).strip(), language.rtl) if new.name.strip() else kind
            yield catalogue.takes_seat.format(who=catalogue.labels[where], name=name)


def _play(before: View, after: View, language: Language) -> Iterator[str]:
    """The cards since `before`, trick by trick; of tricks that nobody saw, only the last is known."""
    catalogue = words(language)
    if after.trump is None:
        return
    shown = before.trick.cards if before.trick is not None and before.round == after.round else ()
    if after.last is not None and after.last != (before.last if before.round == after.round else None):
        seen = shown if after.last.cards[: len(shown)] == shown else ()
        yield from _plays(after, after.last, len(seen), language)
        yield catalogue.takes[place(after.last.winner(after.trump), after.me)]
        shown = ()
    if after.trick is not None and after.trick != after.last:
        seen = shown if after.trick.cards[: len(shown)] == shown else ()
        yield from _plays(after, after.trick, len(seen), language)


def _plays(view: View, trick: Trick, first: int, language: Language) -> Iterator[str]:
    for turn_of, (seat, card) in enumerate(trick.plays()):
        if turn_of >= first:
            yield _played(view, trick, seat, card, turn_of, language)


def _played(view: View, trick: Trick, seat: Seat, card: Card, turn_of: int, language: Language) -> str:
    catalogue = words(language)
    if turn_of == 0:
        sentences = catalogue.leads
    elif suit_of(card) == view.trump and suit_of(trick.cards[0]) != view.trump:
        sentences = catalogue.cuts
    else:
        sentences = catalogue.plays
    return sentences[place(seat, view.me)].format(card=card_name(language, card))


def _newer(before: tuple[str, ...], after: tuple[str, ...]) -> tuple[str, ...]:
    """The messages behind the longest end of `before` with which `after` begins."""
    for start in range(len(before) + 1):
        old = before[start:]
        if after[: len(old)] == old:
            return after[len(old) :]
    return after
