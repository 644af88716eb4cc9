# SPDX-License-Identifier: Apache-2.0
"""What the running program says of itself, in two languages: proofs that were checked, coming and going, the server.

The table's own words are in `words`. Braces are filled in as there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hokm.languages import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Notices:
    """One catalogue."""

    round_checked: str
    """{round}, {verdict}"""
    game_checked: str
    """{verdict}"""
    not_checked: str
    """{why}"""
    not_witnessed: str
    warnings: str
    """{codes}"""
    rematch: str
    once_more: str
    """Before the command for that."""
    see_again: str
    """Before the command for that."""
    proofs_kept: str
    timed_out_card: str
    """{card}"""
    timed_out_trump: str
    """{suit}"""
    type_back: str
    resigned: str
    already_sent: str
    left: str
    come_back: str
    """Before the command for that."""
    game_waits: str
    """The same, where the server has stopped with the program."""
    quit_waiting: str
    """The question before that."""
    ended_meanwhile: str
    others_join: str
    """Before the command for that."""
    others_elsewhere: str
    """{files}"""
    played: str
    """{when}, {rules}, {target}, {result}: a game that was played"""
    rules: Mapping[str, str]
    """By the preset's name, and other."""
    no_games: str
    """{folder}"""
    caught: str
    """{what}"""
    evidence: str
    """{folder}"""
    taken_over: str
    seat_gone: str
    press_enter: str
    next_page: str


_ENGLISH: Final = Notices(
    round_checked="The proof of round {round} was checked by a program of its own: {verdict}",
    game_checked="The proof of the whole game was checked by a program of its own: {verdict}",
    not_checked="A proof could not be checked: {why}",
    not_witnessed="The warning is that nobody outside the house has cosigned its log.",
    warnings="Warnings: {codes}",
    rematch="Type rematch for another game with the same players, whose seats are kept for a minute; or quit.",
    see_again="To see the game again, card by card:",
    once_more="Once more with the same players, whose seats are kept for a minute:",
    proofs_kept="The proofs are kept, to be checked again by you or by others:",
    timed_out_card="Your time was over: by the rules the house played the {card} for you.",
    timed_out_trump="Your time was over: by the rules the house named {suit} as trumps for you.",
    type_back="A stand-in plays for you. Type back to play on yourself.",
    resigned="You have resigned the game.",
    already_sent="That is on its way already.",
    left="You have left the table.",
    come_back="The game goes on. To come back:",
    game_waits="The server has stopped too, and the game waits. To come back:",
    quit_waiting="Close the program in the middle of a game? The server stops too, and the game waits. Type yes or no.",
    ended_meanwhile="The game that you had left open is over.",
    others_join="Others sit down here with:",
    others_elsewhere="On another machine too, with --policy and a copy of {files}.",
    played="{when}: {rules}, to {target}. {result}",
    rules={"classic": "classic", "house": "house rules", "traditional": "traditional", "other": "rules of its own"},
    no_games="No proof of a game of yours is kept in {folder}.",
    caught="THE SERVER WAS CAUGHT: {what} Nothing more is signed at this table.",
    evidence="The evidence is kept in {folder}",
    taken_over="Your seat is being played from elsewhere, with the same key.",
    seat_gone="The seat is not yours any more.",
    press_enter="Enter: back to the table.",
    next_page="Enter: read on.",
)

_PERSIAN: Final = Notices(
    round_checked="گواه دور {round} را برنامه‌ای جداگانه بررسی کرد: {verdict}",
    game_checked="گواه همهٔ بازی را برنامه‌ای جداگانه بررسی کرد: {verdict}",
    not_checked="گواهی را نشد بررسی کرد: {why}",
    not_witnessed="هشدار این است: هنوز هیچ شاهدی از بیرون پای دفتر خانه را امضا نکرده است.",
    warnings="هشدارها: {codes}",
    rematch="بنویسید «بازی دوباره» تا با همین بازیکنان دوباره بازی کنید و صندلی‌ها یک دقیقه بماند؛ یا «خروج».",
    see_again="تماشای دوبارهٔ بازی، برگ به برگ:",
    once_more="یک بازی دیگر با همین بازیکنان؛ صندلی‌ها یک دقیقه نگه داشته می‌شود:",
    proofs_kept="گواه‌ها نگه داشته شد؛ شما و دیگران می‌توانید دوباره بررسی کنید:",
    timed_out_card="وقت شما تمام شد: خانه طبق قانون به جای شما {card} بازی کرد.",
    timed_out_trump="وقت شما تمام شد: خانه طبق قانون به جای شما {suit} را حکم کرد.",
    type_back="جانشین به جای شما بازی می‌کند. برای ادامه بنویسید برگشتم.",
    resigned="شما در این بازی تسلیم شدید.",
    already_sent="فرستاده شده و در راه است.",
    left="شما از سر میز بلند شدید.",
    come_back="بازی ادامه دارد. برای برگشتن:",
    game_waits="سرور هم ایستاد و بازی منتظر می‌ماند. برای برگشتن:",
    quit_waiting="وسط بازی برنامه را می‌بندید؟ سرور هم می‌ایستد و بازی منتظر می‌ماند. بنویسید بله یا نه.",
    ended_meanwhile="بازی‌ای که باز گذاشته بودید تمام شده است.",
    others_join="دیگران با این فرمان سر این میز می‌نشینند:",
    others_elsewhere="از جای دیگر هم می‌شود، با --policy و رونوشتی از {files}.",
    played="{when}: {rules}، تا {target} امتیاز. {result}",
    rules={"classic": "بازی ساده", "house": "قاعده‌های خانگی", "traditional": "بازی سنتی", "other": "قاعده‌های دیگر"},
    no_games="گواه هیچ‌یک از بازی‌های شما در {folder} نیست.",
    caught="مچ سرور گرفته شد: {what} سر این میز دیگر چیزی امضا نمی‌شود.",
    evidence="مدرک در اینجاست: {folder}",
    taken_over="با همین کلید، از جای دیگری به جای شما بازی می‌کنند.",
    seat_gone="این صندلی دیگر از آنِ شما نیست.",
    press_enter="Enter: برگشت به میز.",
    next_page="Enter: ادامهٔ متن.",
)


def notices(language: Language) -> Notices:
    """The catalogue of a language."""
    return _PERSIAN if language is Language.FA else _ENGLISH
