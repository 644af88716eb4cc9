# SPDX-License-Identifier: Apache-2.0
"""What a player typed, read as an act, a command, or a slip with its reason.

Both languages are always read, and Persian digits too. A card is its number in the hand as it is shown, or rank and
suit in either order:

    3  ۳      KH  hk  10h  k♥  king of hearts      شاه دل  ۱۰ دل  دل شاه

What cannot be done as things stand is refused here, before anything is sent, with the reason that the table would give:
so the legal cards of the view decide, and no rule is written twice. What belongs to a house rule is read by
`typed_customs`, what changes seats by `typed_seat`. Leaving, resigning, and closing the program in the middle of a game
are asked back first; `read` gets the open question and only a yes brings the act.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from hokm.cards import SUITS, Card, Suit, card_text, suit_of, suit_text
from hokm.events import Leave, NameTrump, Play, Resign, Return
from hokm.languages import Language
from hokm_client.terminal.bidi import clean
from hokm_client.terminal.slips import Slip
from hokm_client.terminal.spelling import SUIT_WORDS, card_named, plain
from hokm_client.terminal.typed_customs import Customary, read_customary, tea_answered
from hokm_client.terminal.typed_seat import ChangeSeat, read_seat
from hokm_client.terminal.view import Connection, Phase, View, held
from hokm_client.terminal.words import words

LONGEST: Final = 300
"""Characters of a line that are looked at. No command is longer, and no run of cards."""


class Command(StrEnum):
    """What concerns the program and not the table."""

    HELP = "help"
    QUIT = "quit"
    LAST = "last"
    SCORE = "score"
    AGAIN = "again"
    """Show or tell everything once more; an empty line does so too."""
    RULES = "rules"
    """What the table plays by, and what is typed for it."""
    STORY = "story"
    """The chapter that was told last, once more."""
    REMATCH = "rematch"
    """Another game with the same players, once this one is over."""
    CANCELLED = "cancelled"
    """The answer to a question was no."""


Asked: TypeAlias = Leave | Resign | Command
"""What needs a second step. Of the commands only QUIT."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question is to be put, and `asked` handed to `read` with the next line."""

    asked: Asked


Typed: TypeAlias = Play | NameTrump | Leave | Resign | Return | ChangeSeat | Customary | Command | Ask | Slip


def read(text: str, view: View, asked: Asked | None = None) -> Typed:
    """What a line means at the table as it is seen. `asked` is the question that it may answer.

    Any line that is neither yes nor no drops the question and is read as usual.
    """
    phrase = plain(text[:LONGEST])
    if phrase in _YES | _NO and asked is None and view.may_answer_tea:
        return tea_answered(phrase in _YES, view)
    if phrase in _YES:
        return _confirmed(asked, view)
    if phrase in _NO:
        return Command.CANCELLED if asked is not None else Slip("NOTHING_ASKED")
    match _COMMANDS.get(phrase):
        case Command.QUIT:
            return Ask(Command.QUIT) if _in_game(view) else Command.QUIT
        case Command.REMATCH if view.phase is not Phase.GAME_OVER:
            return Slip("GAME_GOES_ON")
        case Command() as command:
            return command
        case Return():
            return _returned(view)
        case Leave() | Resign() as act:
            return _left(act, view)
        case None:
            for reader in (read_seat, read_customary):
                meant = reader(phrase, view)
                if meant is not None:
                    return meant
            return _card_or_suit(phrase, text, view)


def question(asked: Asked, language: Language) -> str:
    """The sentence that asks back."""
    catalogue = words(language)
    match asked:
        case Leave():
            return catalogue.confirm_leave
        case Resign():
            return catalogue.confirm_resign
        case _:
            return catalogue.confirm_quit


# Acts.


def _in_game(view: View) -> bool:
    return view.phase not in (Phase.SEATING, Phase.GAME_OVER)


def _confirmed(asked: Asked | None, view: View) -> Typed:
    match asked:
        case None:
            return Slip("NOTHING_ASKED")
        case Leave() | Resign():  # as things stand now, not as they stood when it was asked
            answer = _left(asked, view)
            return answer.asked if isinstance(answer, Ask) else answer
        case _:
            return asked


def _left(act: Leave | Resign, view: View) -> Ask | Slip:
    if view.phase is Phase.GAME_OVER:
        return Slip("GAME_IS_OVER")
    if isinstance(act, Resign) and view.phase is Phase.SEATING:
        return Slip("NO_GAME")
    return _unconnected(view) or Ask(act)


def _returned(view: View) -> Return | Slip:
    if view.phase is Phase.GAME_OVER:
        return Slip("GAME_IS_OVER")
    if not view.seats[view.me].absent:
        return Slip("NOT_AWAY")
    return _unconnected(view) or Return()


def _unconnected(view: View) -> Slip | None:
    return None if view.connection is Connection.UP else Slip("NOT_CONNECTED")


def _card_or_suit(phrase: str, text: str, view: View) -> Typed:
    if phrase.isdecimal():
        return _numbered(int(phrase), view)
    joined = phrase.replace(" ", "")
    suit = SUIT_WORDS.get(joined)
    if suit is not None:
        return _suit(suit, view)
    card = card_named(joined)
    if card is not None:
        return _play(card, view)
    return Slip("NO_SUCH_WORD", {"text": clean(text[:LONGEST]).strip()})


def _numbered(number: int, view: View) -> Typed:
    if view.phase is Phase.TRUMPS:
        if not 1 <= number <= len(SUITS):
            return Slip("NO_SUCH_SUIT_NUMBER", {"number": str(number)})
        return _suit(SUITS[number - 1], view)
    if view.phase is not Phase.TRICKS:
        return Slip("NO_CARDS_NOW")
    cards = held(view.hand)
    if not 1 <= number <= len(cards):
        return Slip("NO_SUCH_NUMBER", {"number": str(number), "most": str(len(cards))})
    return _play(cards[number - 1], view)


def _suit(suit: Suit, view: View) -> Typed:
    match view.phase:
        case Phase.TRUMPS if view.hakem != view.me:
            return Slip("NOT_THE_HAKEM")
        case Phase.TRUMPS:
            return _not_mine(view) or NameTrump(suit)
        case Phase.TRICKS:
            return Slip("TRUMPS_ARE_NAMED", {"suit": suit_text(suit)})
        case _:
            return Slip("NO_CARDS_NOW")


def _play(card: Card, view: View) -> Typed:
    if view.phase is Phase.TRUMPS:
        return Slip("TRUMPS_FIRST")
    if view.phase is not Phase.TRICKS:
        return Slip("NO_CARDS_NOW")
    if not view.hand >> card & 1:
        return Slip("CARD_NOT_HELD", {"card": card_text(card)})
    refused = _not_mine(view)
    if refused is not None:
        return refused
    if not view.legal >> card & 1:
        led = view.led_suit
        if led is None or led == suit_of(card):
            return Slip("NOT_YOUR_TURN")
        return Slip("MUST_FOLLOW_SUIT", {"card": card_text(card), "led": suit_text(led)})
    return Play(card)


def _not_mine(view: View) -> Slip | None:
    """Why no decision of mine can be sent now, whatever it is."""
    if view.is_tea_time:
        return Slip("TEA_IS_SERVED")
    if view.seats[view.me].absent:
        return Slip("STAND_IN_PLAYS")
    if not view.my_turn:
        return Slip("NOT_YOUR_TURN")
    return _unconnected(view)


_YES: Final = frozenset(map(plain, ("yes", "y", "confirm", "بله", "بلی", "آره", "تأیید")))
_NO: Final = frozenset(map(plain, ("no", "n", "cancel", "نه", "خیر", "انصراف")))

_COMMANDS: Final[Mapping[str, Command | Leave | Resign | Return]] = {
    plain(word): meaning
    for meaning, spellings in (
        (Command.HELP, ("help", "?", "؟", "راهنما", "کمک")),
        (Command.QUIT, ("quit", "exit", "q", "خروج")),
        (Command.LAST, ("last", "last trick", "دست قبل", "دست آخر")),
        (Command.SCORE, ("score", "tricks", "امتیاز", "امتیازها")),
        (Command.RULES, ("rules", "قانون", "قانون‌ها", "قوانین")),
        (Command.STORY, ("story", "قصه", "داستان")),
        (Command.AGAIN, ("", "again", "دوباره", "بگو", "از نو")),
        (Command.REMATCH, ("rematch", "بازی دوباره", "دوباره بازی", "یک بازی دیگر")),
        (Return(), ("back", "return", "برگشتم", "برگشت")),
        (Leave(), ("leave", "ترک", "ترک میز")),
        (Resign(), ("resign", "give up", "تسلیم", "تسلیم می‌شوم")),
    )
    for word in spellings
}
