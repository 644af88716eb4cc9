# SPDX-License-Identifier: Apache-2.0
"""Sentences on a screen: they stand for their time, or until what they are about is past."""

from __future__ import annotations

import math

from hokm_client.messages import Messages, Until


def test_a_sentence_stands_from_its_time_to_its_end() -> None:
    """The newest is the last, and the next change is known."""
    messages = Messages()
    messages.add("first", 0.0, 5.0)
    messages.add("later", 3.0, 5.0)
    assert messages.at(1.0) == ("first",)
    assert messages.next_change(1.0) == 3.0
    assert messages.at(4.0) == ("first", "later")
    assert messages.at(5.0) == ("later",)
    assert messages.at(8.0) == ()
    assert messages.next_change(8.0) == math.inf


def test_what_is_past_goes_before_its_time() -> None:
    """An answer with the next line, what has happened with the next card, also where it is still to be shown."""
    messages = Messages()
    messages.add("the proof is false", 0.0)
    messages.add("the round is lost", 2.0, 15.0, Until.PLAYED)
    messages.add("not your turn", 0.0, 8.0, Until.TYPED)
    assert messages.at(3.0) == ("the proof is false", "the round is lost", "not your turn")
    messages.end(Until.TYPED)
    assert messages.at(3.0) == ("the proof is false", "the round is lost")
    messages.end(Until.PLAYED)
    assert messages.at(3.0) == ("the proof is false",)
