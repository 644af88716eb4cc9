# SPDX-License-Identifier: Apache-2.0
"""The story is whole in both languages, and every tea tells its next chapter."""

from __future__ import annotations

import pytest

from hokm.languages import Language
from hokm_client.storyteller import Chapter, chapter, chapters

LEAST_CHAPTERS = 12


def test_both_languages_have_the_same_chapters() -> None:
    """At least twelve: every player of a game may ask for tea, and so for three games."""
    counts = {len(chapters(language)) for language in Language}
    assert len(counts) == 1
    assert min(counts) >= LEAST_CHAPTERS


@pytest.mark.parametrize("language", Language)
def test_every_chapter_can_be_told(language: Language) -> None:
    """A title, some paragraphs, no line that a terminal would show as anything but words."""
    for number, told in enumerate(chapters(language), 1):
        assert told.number == number
        assert told.title
        assert "\n" not in told.title
        assert len(told.paragraphs) >= 2
        text = " ".join(told.paragraphs)
        assert 60 <= len(text.split()) <= 260
        assert text.isprintable() or language is Language.FA
        assert "*" not in text


@pytest.mark.parametrize("language", Language)
def test_the_story_goes_on_from_tea_to_tea(language: Language) -> None:
    """And begins anew after its end."""
    story = chapters(language)
    told: list[Chapter] = [chapter(language, teas) for teas in range(2 * len(story))]
    assert told == [*story, *story]
