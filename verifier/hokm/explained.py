# SPDX-License-Identifier: Apache-2.0
"""What a verification proves and does not prove, in plain words: the text of `hokm-verify --explain`."""

from __future__ import annotations

from typing import Final

EXPLAINED: Final = """\
What is proved when a proof is VERIFIED

  The deal. Each of the four seats and the house chose a secret number and, before any number was known, gave a
  commitment to it: a fingerprint that fits no other number. All five numbers together decide the order of the pack.
  Nobody could choose it, not the house alone and not a player alone. If your own number is in (--mine KEY), it does
  not matter what all the others did: you know that the pack could not be chosen.

  The moves. Every card was played, and every suit named, by whoever holds the key of that seat; the signature says so,
  and says also what the player had seen until then. Nobody else can have made it, and it fits nowhere else.

  The rules. Every card was legal, every trick went to whom it belongs, the points and the score are right, and where
  time ran out the house did what its fixed rule says. All of it was computed again from the cards.

  The history. The entries are one chain without a gap, and they are in a public log that can only grow. Witnesses that
  you chose (in your policy) have seen that log; so nobody can be shown another history than you.

What is not proved

  That the house kept the hands to itself. It must know them to deal.
  That a number or a move that the log calls missing was really not sent. Voids and missed deadlines are listed; if they
  are often those of one seat, or come when a deal would have suited somebody, ask why.
  Who sits behind a key, and whether it is a person. One person may hold two keys; friends may talk.
  Anything about a deal in which no person's own number took part. Bots and stand-ins belong to the operator.
  Of the proof of one round: the score before it, and that other rounds exist or are right. A game proof shows them.
  With `quorum none` in your policy: that there is no second history.

The verdicts

  VERIFIED                every step holds.
  VERIFIED WITH WARNINGS  every step holds, and there is something that you should know.
  INCOMPLETE              what is there is true; only the end is missing.
  REJECTED                something is wrong: the step, the code and the entry say what. Keep the file: it is evidence.
  UNREADABLE              this is no proof, or one of a kind that this verifier does not know.
"""
