# SPDX-License-Identifier: Apache-2.0
"""How things are spelled by whoever types: all letters brought into one spelling, and the names of cards in it.

Both languages are always read, and Persian digits too. Words and what they are compared with go through `plain`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Final

from hokm.cards import RANKS, Card, Suit, rank_persian


def plain(text: str) -> str:
    """Small letters, plain digits, Persian letters for Arabic ones, one space between words, no joiner or mark."""
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_SPELLINGS)
    kept = []
    for character in folded:
        if unicodedata.category(character) in ("Nd", "No"):
            kept.append(str(unicodedata.digit(character, "")))
        elif unicodedata.category(character) in ("Mn", "Me", "Cf") or character == "ـ":
            continue
        else:
            kept.append(" " if unicodedata.category(character)[0] in "CZ" or character in _BETWEEN else character)
    return " ".join(word for word in "".join(kept).split() if word not in _IDLE)


_SPELLINGS: Final = {
    **{ord(arabic): persian for arabic, persian in zip("كيىةأإآؤئ", "کییهااا" + "وی", strict=True)},
    **{ord(outline): solid for outline, solid in zip("♤♡♢♧", "♠♥♦♣", strict=True)},
}
_BETWEEN: Final = ".,،;:!-_/\"'«»()[]"
_IDLE: Final = frozenset(("of", "the", "play", "card", "trumps", "را", "برگ", "حکم"))


def _spelled(meanings: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    return {plain(word).replace(" ", ""): key for key, spellings in meanings.items() for word in spellings}


SUIT_WORDS: Final[Mapping[str, Suit]] = {
    word: Suit[name]
    for word, name in _spelled(
        {
            "SPADES": ("s", "♠", "spade", "spades", "پیک", "پیک‌ها"),
            "HEARTS": ("h", "♥", "heart", "hearts", "دل"),
            "DIAMONDS": ("d", "♦", "diamond", "diamonds", "خشت"),
            "CLUBS": ("c", "♣", "club", "clubs", "گشنیز", "گیشنیز", "خاج"),
        }
    ).items()
}

_RANK_NAMES: Final = (
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("jack", "queen", "king", "ace"),
)
RANK_WORDS: Final[Mapping[str, int]] = {
    **{plain(str(rank)): rank for rank in RANKS if rank <= 10},
    **{plain(name): rank for name, rank in zip(_RANK_NAMES, RANKS, strict=True)},
    **{plain(rank_persian(rank)): rank for rank in RANKS},
    **dict(zip("tjqka", range(10, 15), strict=True)),
    **{plain(word): 14 for word in ("تک", "تکخال")},
    **{plain(word): 12 for word in ("بی‌بی", "ملکه")},
}


def card_named(joined: str) -> Card | None:
    """Rank and suit in either order, written together. No two words make this ambiguous; a test tries them all."""
    for end in range(1, len(joined)):
        first, second = joined[:end], joined[end:]
        for rank_word, suit_word in ((first, second), (second, first)):
            rank, suit = RANK_WORDS.get(rank_word), SUIT_WORDS.get(suit_word)
            if rank is not None and suit is not None:
                return 13 * suit + rank - 2
    return None
