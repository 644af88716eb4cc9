# SPDX-License-Identifier: Apache-2.0
"""One run of `hokm-audit follow`: the files of an auditor, and what becomes of them.

ledger      how far, what is open, what was found     key         made at the first start, mode 0600
checkpoint  the latest that was audited, cosigned     statement   what is said of it, signed
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from hokm.checkpoint import Checkpoint
from hokm.note import Note
from hokm.policy import Policy
from hokm_audit.errors import LedgerMissing, PolicyOfSeveral
from hokm_audit.files import write_durably
from hokm_audit.following import Replay, follow
from hokm_audit.key_file import key_of
from hokm_audit.ledger import Ledger
from hokm_audit.sites import Site
from hokm_audit.stating import sign
from hokm_audit.telling import Outcome, tally

LEDGER: Final = "ledger"

Progress = Callable[[int, int], None]


class Auditor(NamedTuple):
    """Who audits, and where the files are."""

    folder: Path
    policy: Policy
    name: str | None
    """Of the key; without one nothing is signed."""
    entropy: Callable[[int], bytes]
    now_ms: Callable[[], int]

    def audit(self, site: Site, replay: Replay, progress: Progress) -> Outcome:
        """Follow the log to its latest checkpoint, and sign if nothing stands against it.

        Raises what `follow` raises, and the errors of the files; what was reached is kept. `LedgerMissing`.
        """
        now_ms = self.now_ms()  # of the cosignature too: what the log had when it was asked, not when all was read
        key_path = self.folder / "key"
        ledger = open_ledger(self.folder, self.policy)
        try:
            if ledger.note is None and key_path.exists():
                raise LedgerMissing(str(self.folder / LEDGER), str(key_path))
            log = follow(site, self.policy, ledger, replay, now_ms=now_ms, progress=progress)
            outcome = outcome_of(ledger)._replace(is_followed=log is not None)
        finally:
            ledger.close()
        if log is None or outcome.faults or self.name is None:
            return outcome
        key = key_of(key_path, "auditor", self.entropy)
        signed = sign(log, tally(outcome.counts), self.name, key, now_ms // 1000)
        write_durably(self.folder / "checkpoint", signed.checkpoint.format())
        write_durably(self.folder / "statement", signed.statement.format())
        return outcome._replace(is_signed=True)


def open_ledger(folder: Path, policy: Policy) -> Ledger:
    """The ledger of the one log of a policy. Raises `PolicyOfSeveral`, `LedgerUnusable`, `LedgerOfAnother`."""
    origins = {log.vkey.name for log in policy.logs}
    if len(origins) != 1:
        raise PolicyOfSeveral(len(origins))
    return Ledger(folder / LEDGER, origins.pop())


def outcome_of(ledger: Ledger) -> Outcome:
    """What a ledger holds."""
    note = ledger.note
    checkpoint = None if note is None else Checkpoint.parse(Note.parse(note).text)
    return Outcome(checkpoint, ledger.place, ledger.counts(), tuple(ledger.findings()), False, False)
