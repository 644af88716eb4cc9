# SPDX-License-Identifier: Apache-2.0
"""What a player typed that belongs to a house rule (H1 to H5), read as an act, a wish, a throw, or a slip.

    middle  pick up  early 3  early KH  take back  run AH KH QH  run 1 2 3  tea  ready  throw rose left
    وسط  بردار  زود ۳  زود شاه دل  پس می‌گیرم  ردیف آس دل شاه دل بی‌بی دل  چای  آماده  پرتاب گل چپ

What the table shows is refused here: a rule that is off, a card that is not held, a run that is none. All else that the
rules refuse the seat refuses, before it signs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from hokm.cards import Card, card_text, cards_text
from hokm.events import AnswerTea, AskTea, CallMiddle, PickUp, Ready, Run, TakeBack
from hokm.rules import Seat, is_run
from hokm_client.question import ComeEarly
from hokm_client.terminal.slips import Slip
from hokm_client.terminal.spelling import card_named, plain
from hokm_client.terminal.things import Thing
from hokm_client.terminal.view import Connection, Phase, Place, View, held


class Throw(NamedTuple):
    """A thing is to be thrown at a seat (H5)."""

    at: Seat
    thing: Thing


Customary: TypeAlias = CallMiddle | PickUp | ComeEarly | TakeBack | Run | AskTea | AnswerTea | Ready | Throw


def read_customary(phrase: str, view: View) -> Customary | Slip | None:
    """What a line in the one spelling means; None where it is about no house rule."""
    words = phrase.split()
    for length in (2, 1):
        reader = _READERS.get(" ".join(words[:length])) if len(words) >= length else None
        if reader is not None:
            rule, read = reader
            if not getattr(view.rules, rule):
                return Slip("RULE_OFF", {"rule": rule})
            return _not_now(view) or read(words[length:], view)
    return None


def tea_answered(yes: bool, view: View) -> AnswerTea | Slip:
    """Yes or no to a tea that is asked for."""
    return _not_now(view) or AnswerTea(yes)


def _not_now(view: View) -> Slip | None:
    """Why nothing can be done, whatever it is."""
    if view.phase is Phase.SEATING:
        return Slip("NO_GAME")
    if view.phase is Phase.GAME_OVER:
        return Slip("GAME_IS_OVER")
    if view.connection is not Connection.UP:
        return Slip("NOT_CONNECTED")
    return Slip("STAND_IN_PLAYS") if view.seats[view.me].absent else None


# Cards.


def _middle(words: Sequence[str], view: View) -> CallMiddle | Slip:
    if view.phase is not Phase.TRUMPS:
        return Slip("MIDDLE_TOO_LATE" if view.phase is Phase.TRICKS else "NO_CARDS_NOW")
    if view.hakem != view.me:
        return Slip("NOT_THE_HAKEM")
    return _not_my_turn(view) or CallMiddle()


def _pick_up(words: Sequence[str], view: View) -> PickUp:
    return PickUp()


def _early(words: Sequence[str], view: View) -> ComeEarly | Slip:
    if view.phase is not Phase.TRICKS:
        return Slip("NO_CARDS_NOW")
    cards = _cards(words, view)
    if isinstance(cards, Slip):
        return cards
    return ComeEarly(cards[0]) if len(cards) == 1 else Slip("EARLY_WHAT")


def _take_back(words: Sequence[str], view: View) -> TakeBack | Slip:
    return TakeBack() if view.phase is Phase.TRICKS else Slip("NO_CARDS_NOW")


def _run(words: Sequence[str], view: View) -> Run | Slip:
    if view.trump is None or view.phase is not Phase.TRICKS:
        return Slip("NO_CARDS_NOW")
    cards = _cards(words, view)
    if isinstance(cards, Slip):
        return cards
    if not cards:
        return Slip("RUN_OF_WHAT")
    refused = _not_my_turn(view)
    if refused is not None:
        return refused
    if view.led_suit is not None:
        return Slip("NOT_ON_LEAD")
    return Run(cards) if is_run(cards, view.trump, view.played) else Slip("NOT_A_RUN", {"cards": cards_text(cards)})


def _cards(words: Sequence[str], view: View) -> tuple[Card, ...] | Slip:
    """Cards of my hand, by their names or by the numbers under them."""
    numbered, cards = held(view.hand), []
    for name in _names(words):
        card = card_named(name)
        if card is None and not name.isdecimal():
            return Slip("NO_SUCH_WORD", {"text": name})
        if card is None and not 1 <= int(name) <= len(numbered):
            return Slip("NO_SUCH_NUMBER", {"number": name, "most": str(len(numbered))})
        cards.append(numbered[int(name) - 1] if card is None else card)
        if not view.hand >> cards[-1] & 1:
            return Slip("CARD_NOT_HELD", {"card": card_text(cards[-1])})
    return tuple(cards)


def _names(words: Sequence[str]) -> Iterator[str]:
    """The words of each card as one: up to three of them, for 10 hearts is no number ten."""
    while words:
        length = next((length for length in (3, 2) if card_named("".join(words[:length])) is not None), 1)
        yield "".join(words[:length])
        words = words[length:]


def _not_my_turn(view: View) -> Slip | None:
    if view.is_tea_time:
        return Slip("TEA_IS_SERVED")
    return None if view.my_turn else Slip("NOT_YOUR_TURN")


# Tea, and things that fly.


def _tea(words: Sequence[str], view: View) -> AskTea:
    return AskTea()


def _ready(words: Sequence[str], view: View) -> Ready:
    return Ready()


def _throw(words: Sequence[str], view: View) -> Throw | Slip:
    """A thing and a place, in either order."""
    places = [PLACES[word] for word in words if word in PLACES]
    what = " ".join(word for word in words if word not in PLACES and word not in _AT)
    if len(places) != 1 or not what:
        return Slip("THROW_WHAT")
    thing = _THINGS.get(what)
    if thing is None:
        return Slip("NO_SUCH_THING", {"text": what})
    return Slip("NOT_AT_YOURSELF") if places[0] is Place.ME else Throw(view.around()[places[0]], thing)


_Reader: TypeAlias = Callable[[Sequence[str], View], Customary | Slip]

_READERS: Final[Mapping[str, tuple[str, _Reader]]] = {
    plain(spelling): (rule, reader)
    for rule, reader, spellings in (
        ("partners_middle", _middle, ("middle", "call middle", "وسط", "وسط یار", "وسط یارم")),
        ("partners_middle", _pick_up, ("pick up", "pickup", "بردار", "برمی‌دارم", "برداشتم")),
        ("coming_early", _early, ("early", "come early", "زود", "زود آمدم")),
        ("coming_early", _take_back, ("take back", "takeback", "پس", "پس می‌گیرم", "پس گرفتم")),
        ("runs", _run, ("run", "ردیف")),
        ("tea", _tea, ("tea", "چای", "چایی")),
        ("tea", _ready, ("ready", "آماده", "آماده‌ام", "حاضر")),
        ("throwing", _throw, ("throw", "پرتاب", "پرت", "بزن")),
    )
    for spelling in spellings
}

PLACES: Final[Mapping[str, Place]] = {
    plain(word): where
    for where, words in (
        (Place.ME, ("me", "myself", "خودم", "من")),
        (Place.RIGHT, ("right", "راست")),
        (Place.PARTNER, ("partner", "یار", "یارم")),
        (Place.LEFT, ("left", "چپ")),
    )
    for word in words
}
_AT: Final = frozenset(map(plain, ("at", "to", "a", "an", "my", "opponent", "به", "حریف", "یک")))

_THINGS: Final[Mapping[str, Thing]] = {
    plain(word): thing
    for thing, words in (
        (Thing.TOMATO, ("tomato", "گوجه", "گوجه فرنگی")),
        (Thing.SLIPPER, ("slipper", "دمپایی")),
        (Thing.ROSE, ("rose", "گل", "گل سرخ", "رز")),
        (Thing.POMEGRANATE, ("pomegranate", "انار")),
        (Thing.CUSHION, ("cushion", "کوسن", "بالش")),
        (Thing.SUGAR_CUBE, ("sugar", "sugar cube", "قند")),
        (Thing.SUNFLOWER_SEEDS, ("seeds", "sunflower seeds", "handful sunflower seeds", "تخمه", "مشت تخمه")),
        (Thing.PAPER_PLANE, ("plane", "paper plane", "موشک", "موشک کاغذی")),
        (Thing.SNOWBALL, ("snowball", "گلولهٔ برف", "برف")),
        (Thing.SOCK, ("sock", "جوراب")),
        (Thing.WATERMELON, ("watermelon", "melon", "هندوانه", "هندونه")),
        (Thing.CONFETTI, ("confetti", "handful confetti", "نقل", "مشت نقل")),
        (Thing.AUBERGINE, ("aubergine", "eggplant", "بادمجان", "بادمجون")),
        (Thing.RUBBER_DUCK, ("duck", "rubber duck", "اردک", "اردک پلاستیکی")),
    )
    for word in words
}
