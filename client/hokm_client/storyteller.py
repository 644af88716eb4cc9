# SPDX-License-Identifier: Apache-2.0
"""The storyteller: at every tea (H4) one more chapter of a story, in the player's language.

A story is a file beside this one: chapters with a line of three stars between them, each with its title as the first
line and its paragraphs after empty lines. Both languages have the same chapters, so that one table hears one story.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

from hokm.languages import Language

BETWEEN: Final = "\n* * *\n"


class Chapter(NamedTuple):
    """What is told at one tea."""

    number: int
    """From 1."""
    title: str
    paragraphs: tuple[str, ...]


@cache
def chapters(language: Language) -> tuple[Chapter, ...]:
    """The whole story."""
    text = files("hokm_client.stories").joinpath(f"{language.value}.txt").read_text("utf-8")
    told = []
    for number, chapter in enumerate(text.strip().split(BETWEEN), 1):
        title, *paragraphs = (part.strip() for part in chapter.strip().split("\n\n"))
        told.append(Chapter(number, title, tuple(paragraphs)))
    return tuple(told)


def chapter(language: Language, teas: int) -> Chapter:
    """What is told at a table that has had so many teas before; after the last chapter comes the first again."""
    story = chapters(language)
    return story[teas % len(story)]
