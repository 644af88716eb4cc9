# SPDX-License-Identifier: Apache-2.0
"""The words of a game that is seen again, in two languages. Braces are filled in; seats are called by their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hokm.languages import Language
from hokm.record import By
from hokm_client.terminal.replayed import Go


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayWords:
    """One catalogue."""

    # Beside the cards.
    seat: str
    """{seat}"""
    you: str
    kinds: Mapping[str, str]
    """By what the record calls them."""
    in_round: str
    """{round}"""
    trick: str
    """{trick}"""
    score: str
    """{even}, {odd}: points before the round"""
    tricks: str
    """{even}, {odd}"""
    leads: str
    cuts: str
    takes: str
    came: Mapping[By, str]
    """What is to be said of a card that its player did not simply play."""
    seconds: str
    """{seconds}: the number stays with its unit"""
    point: str
    """Between seconds and their tenths."""
    keys: str

    # Sentences.
    round: str
    """{round}, {seat}: the hakem"""
    holds: str
    """{seat}, {cards}"""
    holds_none: str
    """{seat}"""
    unknown: str
    names: Mapping[By, str]
    """{seat}, {suit}, {seconds}"""
    led: str
    """{seat}, {card}"""
    cut: str
    played: str
    how: Mapping[By, str]
    """{seconds}"""
    taken: str
    """{seat}, {even}, {odd}: tricks"""
    won: tuple[str, str]
    """By side; {won}, {lost}: tricks"""
    undecided: str
    points: tuple[str, str, str]
    score_now: str
    """{even}, {odd}"""
    typed: str
    """What can be typed where nothing is drawn."""


_ENGLISH: Final = ReplayWords(
    seat="Seat {seat}",
    you="you",
    kinds={"person": "person", "bot": "bot", "stand_in": "stand-in"},
    in_round="Round {round}",
    trick="Trick {trick}",
    score="Score: even {even}, odd {odd}",
    tricks="Tricks: even {even}, odd {odd}",
    leads="leads",
    cuts="cuts",
    takes="takes it",
    came={By.POLICY: "by the house", By.EARLY: "laid early", By.RUN: "in a run"},
    seconds="{seconds}\u00a0s",
    point=".",
    keys="→ a card on · ← back · n, p round · q quit",
    round="Round {round}. Seat {seat} is hakem.",
    holds="Seat {seat} holds {cards}.",
    holds_none="Seat {seat} holds nothing more.",
    unknown="The hands are not known: the numbers of this deal are not in the file.",
    names={
        By.PLAYER: "Seat {seat} names {suit} as trumps, after {seconds}.",
        By.POLICY: "The time of seat {seat} was over: by the rule the house names {suit} as trumps.",
        By.MIDDLE: "Seat {seat} calls the partner's middle, after {seconds}: trumps are {suit}.",
    },
    led="Seat {seat} leads the {card}",
    cut="Seat {seat} cuts with the {card}",
    played="Seat {seat} plays the {card}",
    how={
        By.PLAYER: ", after {seconds}.",
        By.POLICY: ": the time was over, and the house played by the rule.",
        By.EARLY: ": it lay there early and turned over.",
        By.RUN: ", in a run.",
    },
    taken="Seat {seat} takes the trick. Tricks: even {even}, odd {odd}.",
    won=(
        "The even seats win the round, {won} tricks to {lost}.",
        "The odd seats win the round, {won} tricks to {lost}.",
    ),
    undecided="The round was not played out.",
    points=("One point.", "Kot! Two points.", "Hakem kot! Three points."),
    score_now="The score is even {even}, odd {odd}.",
    typed="Enter: a card on. b: back. n, p: the next round, the one before. q: quit.",
)

_PERSIAN: Final = ReplayWords(
    seat="صندلی {seat}",
    you="شما",
    kinds={"person": "بازیکن", "bot": "ربات", "stand_in": "جانشین"},
    in_round="دور {round}",
    trick="دست {trick}",
    score="امتیاز: زوج {even}، فرد {odd}",
    tricks="دست‌ها: زوج {even}، فرد {odd}",
    leads="شروع",
    cuts="برید",
    takes="برد",
    came={By.POLICY: "به حکم خانه", By.EARLY: "زودتر خوابانده", By.RUN: "پشت سر هم"},
    seconds="{seconds}\u00a0ثانیه",
    point="٫",
    keys="← برگ بعد – → برگ قبل – n، p دور – q خروج",
    round="دور {round}. حاکم صندلی {seat} است.",
    holds="برگ‌های صندلی {seat}: {cards}.",
    holds_none="صندلی {seat} دیگر برگی ندارد.",
    unknown="برگ‌ها معلوم نیست: عددهای این پخش در فایل نیست.",
    names={
        By.PLAYER: "صندلی {seat} پس از {seconds} {suit} را حکم کرد.",
        By.POLICY: "وقت صندلی {seat} تمام شد: خانه طبق قاعده {suit} را حکم کرد.",
        By.MIDDLE: "صندلی {seat} پس از {seconds} وسطِ یار را خواست: حکم {suit} است.",
    },
    led="صندلی {seat} با {card} شروع کرد",
    cut="صندلی {seat} با {card} برید",
    played="صندلی {seat} {card} بازی کرد",
    how={
        By.PLAYER: "، پس از {seconds}.",
        By.POLICY: ": وقتش تمام شد و خانه طبق قاعده بازی کرد.",
        By.EARLY: ": زودتر خوابانده بود و رو شد.",
        By.RUN: "، پشت سر هم.",
    },
    taken="این دست را صندلی {seat} برد. دست‌ها: زوج {even}، فرد {odd}.",
    won=("این دور را تیم زوج {won} بر {lost} برد.", "این دور را تیم فرد {won} بر {lost} برد."),
    undecided="این دور تا آخر بازی نشد.",
    points=("یک امتیاز.", "کت شد! دو امتیاز.", "حاکم‌کت شد! سه امتیاز."),
    score_now="امتیاز: زوج {even}، فرد {odd}.",
    typed="Enter: برگ بعد. قبل: برگ قبل. دور بعد، دور قبل: دور دیگر. خروج: پایان.",
)


def replay_words(language: Language) -> ReplayWords:
    """The catalogue of a language."""
    return _PERSIAN if language is Language.FA else _ENGLISH


QUIT: Final = frozenset(("q", "ض", "quit", "exit", "خروج"))

TYPED: Final[Mapping[str, Go]] = {
    **dict.fromkeys(("", " ", "بعد", "next"), Go.FORWARD),
    **dict.fromkeys(("b", "ذ", "back", "قبل"), Go.BACK),
    **dict.fromkeys(("n", "د", "دور بعد", "next round"), Go.NEXT_ROUND),
    **dict.fromkeys(("p", "ح", "دور قبل", "round before"), Go.ROUND_BEFORE),
}
"""What is typed in either language; single letters with what the same key gives on a Persian keyboard."""
