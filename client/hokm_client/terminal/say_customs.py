# SPDX-License-Identifier: Apache-2.0
"""The house rules in plain sentences: what holds at a table, what lies open or face down, and how a tea goes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from typing import Final

from hokm.cards import Hand
from hokm.languages import Language
from hokm.rules import CLASSIC, Seat, TableRules, partner_of
from hokm_client.terminal.customs import customs
from hokm_client.terminal.things import Thing
from hokm_client.terminal.view import Phase, TeaStep, View, held, place
from hokm_client.terminal.words import card_name, listed, number, words

_BY_NUMBER: Final = ("target", "turn_seconds", "away_seconds")
"""Rules that are told elsewhere, with their number."""


# The table's rules.


def rules(rules: TableRules, language: Language) -> str:
    """What is not classic at a table, in a sentence."""
    told = [words(language).rules[name] for name in _unusual(rules)]
    catalogue = customs(language)
    return catalogue.at_this_table.format(rules=listed(language, told)) if told else catalogue.nothing_unusual


def announced(rules_: TableRules, language: Language) -> list[str]:
    """The same, and how to ask for more; nothing where all is classic."""
    return [f"{rules(rules_, language)} {customs(language).type_rules}"] if any(_unusual(rules_)) else []


def explained(rules: TableRules, language: Language) -> list[str]:
    """Each house rule that is on: what it is, and what is typed for it."""
    catalogue = customs(language)
    things = listed(language, [_thing_listed(thing, language) for thing in Thing])
    return [catalogue.explained[name].format(things=things) for name in _unusual(rules) if name in catalogue.explained]


def _unusual(rules: TableRules) -> Iterator[str]:
    for field in fields(TableRules):
        if field.name not in _BY_NUMBER and getattr(rules, field.name) != getattr(CLASSIC, field.name):
            yield field.name


def _thing_listed(thing: Thing, language: Language) -> str:
    return customs(language).things[thing].lower()


def lands(thing: Thing, at: Seat, me: Seat, language: Language) -> str:
    """Something that was thrown has landed. By whom is not known."""
    catalogue = customs(language)
    return catalogue.lands[place(at, me)].format(thing=catalogue.things[thing])


# How things stand.


def on_table(view: View, language: Language) -> list[str]:
    """What lies open or face down beside the trick, and what all have seen of the hands."""
    catalogue = customs(language)
    lines = []
    if view.middle is not None and view.hakem is not None:
        where = place(partner_of(view.hakem), view.me)
        lines.append(catalogue.middle_lies[where].format(card=card_name(language, view.middle)))
    for seat in view.around():
        if seat in view.face_down:
            lines.append(catalogue.lies_face_down[place(seat, view.me)])
            if seat == view.me and view.laid is not None:
                lines[-1] += " " + catalogue.laid.format(card=card_name(language, view.laid))
    if view.run and view.trick is not None:
        where = place(view.trick.leader, view.me)
        lines.append(catalogue.run_lies[where].format(cards=_cards(view.run, language)))
    return lines + [
        catalogue.seen_in_hand[place(seat, view.me)].format(cards=_cards(held(in_hand), language))
        for seat in view.around()
        if (in_hand := seen_in_hand(view, seat))
    ]


def seen_in_hand(view: View, seat: Seat) -> Hand:
    """The cards of a hand that all have seen, but for those that lie open anyway."""
    open_now = 0 if view.middle is None else 1 << view.middle
    for card in view.run:
        open_now |= 1 << card
    return view.seen[seat] & ~open_now


def may_run(view: View, language: Language) -> list[str]:
    """The runs that I may lead now."""
    runs = [_cards(run, language) for run in view.runs]
    return [customs(language).may_run.format(runs=words(language).semicolon.join(runs))] if runs else []


def _cards(cards: Iterable[int], language: Language) -> str:
    return listed(language, [card_name(language, card) for card in cards])


# Tea.


def tea(view: View, language: Language) -> list[str]:
    """How a tea stands, and how long: none where there is none."""
    catalogue = customs(language)
    match view.tea:
        case None:
            return []
        case now if now.step is TeaStep.GRANTED:
            return [catalogue.is_granted]
        case now if now.step is TeaStep.ASKED:
            wanted = [catalogue.say_yes_or_no] if view.may_answer_tea else []
            asks = catalogue.asks_for_tea[place(now.asker, view.me)]
            return [asks, *wanted, *_seconds(now.seconds_left, language)]
        case now:
            ready = [catalogue.are_ready.format(who=_who(view, now.agreed, language))] if now.agreed else []
            who = _who(view, now.awaited, language)
            waits = [words(language).waits.format(who=who)] if now.awaited else []
            return [catalogue.tea_is_drunk, *ready, *waits, *_seconds(now.seconds_left, language)]


def _who(view: View, seats: tuple[Seat, ...], language: Language) -> str:
    within = words(language).within
    return listed(language, [within[place(seat, view.me)] for seat in view.around() if seat in seats])


def _seconds(left: int | None, language: Language) -> list[str]:
    if left is None:
        return []
    catalogue = words(language)
    return [catalogue.seconds_one if left == 1 else catalogue.seconds_many.format(seconds=number(language, left))]


# What has happened between two views.


def table_news(before: View, after: View, language: Language) -> Iterator[str]:
    """What has become of the middle and of cards laid face down. `before` is of the same round."""
    catalogue = customs(language)
    if after.middle is not None and before.middle is None and after.hakem is not None and after.trump is not None:
        suit = words(language).suits[after.trump]
        sentence = catalogue.turned_up[place(partner_of(after.hakem), after.me)]
        yield sentence.format(card=card_name(language, after.middle), suit=suit)
    is_gone = before.middle is not None and after.middle is None and not after.played >> before.middle & 1
    if is_gone and before.hakem is not None:
        yield catalogue.picks_up[place(partner_of(before.hakem), after.me)]
    for seat in after.around():
        was, is_ = seat in before.face_down, seat in after.face_down
        if is_ and not was:
            yield catalogue.lays[place(seat, after.me)]
        elif was and not is_:
            turned = after.played & ~before.played
            yield (catalogue.turns_over if turned else catalogue.takes_back)[place(seat, after.me)]


def run_news(before: View, after: View, language: Language) -> Iterator[str]:
    """A run that was led, or what went back of one."""
    catalogue = customs(language)
    if after.run and not before.run and after.trick is not None:
        cards = _cards(after.run, language)
        yield catalogue.leads_run[place(after.trick.leader, after.me)].format(cards=cards)
    for seat in after.around():
        back = after.seen[seat] & ~before.seen[seat]
        if back and before.run:
            yield catalogue.run_returns[place(seat, after.me)].format(cards=_cards(held(back), language))


def tea_news(before: View, after: View, language: Language) -> Iterator[str]:
    """How a tea has gone on."""
    catalogue = customs(language)
    was, now = before.tea, after.tea
    yield from tea_comes_and_goes(before, after, language)
    if now is None:
        return
    if was is None and after.may_answer_tea:
        yield catalogue.say_yes_or_no
    drunk = now.step is TeaStep.DRUNK
    if drunk and not before.is_tea_time:
        yield catalogue.tea_begins
        yield from [catalogue.prompt_tea] if after.me in now.awaited else []
    agreed = was.agreed if was is not None and before.is_tea_time == drunk else ()
    for seat in after.around():
        if seat in now.agreed and seat not in agreed:
            yield (catalogue.is_ready if drunk else catalogue.says_yes)[place(seat, after.me)]
    if now.step is TeaStep.GRANTED and was is not None and was.step is TeaStep.ASKED:
        yield catalogue.is_granted


def tea_comes_and_goes(before: View, after: View, language: Language) -> Iterator[str]:
    """Who has asked for it, and that there is none any more."""
    catalogue = customs(language)
    if before.tea is None and after.tea is not None:
        yield catalogue.asks_for_tea[place(after.tea.asker, after.me)]
    elif before.tea is not None and after.tea is None:
        if before.is_tea_time:
            yield catalogue.tea_is_over
        elif after.phase is not Phase.GAME_OVER:
            yield catalogue.is_refused


def notices(before: View, after: View, language: Language) -> list[str]:
    """What is worth a notice beside a picture, which shows the rest by itself."""
    news = [*tea_comes_and_goes(before, after, language)]
    if before.round == after.round:
        news += [*table_news(replace(before, face_down=after.face_down), after, language)]
        news += [*run_news(before, after, language)]
    return news
