# SPDX-License-Identifier: Apache-2.0
"""The verification of a proof: thirteen numbered steps, no network, and a report that says what is not proved.

    codes    the steps, and every code by which one refuses or warns
    reading  step 1: the file as values
    logged   steps 2 and 3: the log's word for it
    ground   all up to step 5: the house's keys, one chain
    walk     steps 6 to 12: every entry decided again; with `rulings`, what the house adds, `early`, the cards that lay
             face down, `witnesses`, who has seen a commit set, `round_before`, what a later round begins with, and
             `told`, what is listed
    judge    all of them, and the verdict; with `wishes`, what a reader asks, and `report`, what a reader is told
    retrace  the walk without signatures and log, for those who tell or draw a game

Steps 1 to 5 come one after the other. Then the entries are walked along once, and the first that does not follow
from those before it is refused by the step that it offends. A verdict of VERIFIED means: the deal was fixed by
numbers committed to before any was known; every move was made by the key that signed it; every ruling follows from
the rules; the score is right; and this is the whole history of the table up to the last entry here, as far as the
log and its witnesses are believed.
"""

from __future__ import annotations

from hokm.policy import Policy
from hokm.verify.codes import Code, Step
from hokm.verify.judge import verify
from hokm.verify.report import Finding, Line, Report, Verdict
from hokm.verify.wishes import Signatures, Wishes

__all__ = ["Code", "Finding", "Line", "Policy", "Report", "Signatures", "Step", "Verdict", "Wishes", "verify"]
