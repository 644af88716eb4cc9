# SPDX-License-Identifier: Apache-2.0
"""What holds of every log that a test leaves: each hash is made again, and the verifier finds no fault in any table.

A table that is over is proved whole; one that is not is proved so far, and the verifier says that only its end is
missing. Each round that is closed is proved by itself, too.
"""

from __future__ import annotations

import contextlib
import dataclasses
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hokm.entry import parse_entry
from hokm.events import CeremonyOpened, Event, GameEnded, GameStarted, RoundRevealed, ServerFault
from hokm.policy import Policy
from hokm.proof import Proof, ProofKind
from hokm.verify import Report, Verdict, verify
from hokm.wire import read_event
from hokm_server import house_keys
from hokm_server.check import check
from hokm_server.config import Settings
from hokm_server.log import Log, Published
from hokm_server.proofs import Proofs, Span
from hokm_server.public_keys import PublicKeys
from hokm_server.publisher import Publisher
from hokm_server.store import Store

TRUE: Final = (Verdict.VERIFIED, Verdict.WITH_WARNINGS)
"""Without witnesses in the policy every proof has a warning."""


def audit_files(var: Path) -> None:
    """The log of a house whose files are there, which is not served now."""
    policy = Policy.parse((var / "policy").read_bytes())
    files = Settings(var=var, origin=policy.logs[0].vkey.name)
    keys = house_keys.load(files.keys, files.origin)
    with contextlib.closing(Store(files.database, files.origin)) as store:
        former, policy = keys.public.log_keys, keys.policy
        log = Log(store, files.head, files.origin, *keys.log_keys, former=former, policy=policy)
        log.publish()
        assert check(store, files.head, keys.public).faults == []
        for table_id in tables_of(files.database):
            audit_table(store, log, keys.public, table_id)


def tables_of(database: Path) -> list[bytes]:
    """The ids of all tables in a log, oldest first."""
    with contextlib.closing(sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        return [table_id for (table_id,) in connection.execute("SELECT stream FROM streams ORDER BY stream")]


def audit_table(store: Store, log: Log, keys: PublicKeys, table_id: bytes) -> Report:
    """One table, of which everything is published, and witnessed where the policy wants that: the whole stream, and
    each round that is closed.
    """
    events = events_of(store, table_id)
    report = verify(proof_so_far(store, log, keys, table_id), keys.policy)
    expected = TRUE if is_over(events) else (Verdict.INCOMPLETE,)
    assert report.verdict in expected, (report.fault, [type(event.content).__name__ for event in events[-5:]])
    proofs = _proofs(store, log, keys)
    closed = sum(isinstance(event.content, RoundRevealed) for event in events)
    for number in range(1, closed + 1):
        of_round = verify(proofs._make(table_id, proofs._span(table_id, number), _latest(log)), keys.policy)
        assert of_round.verdict in TRUE, of_round.fault
    return report


def proof_so_far(store: Store, log: Log, keys: PublicKeys, table_id: bytes) -> bytes:
    """The proof of a game that may not be over."""
    events = events_of(store, table_id)
    start = next((event.version for event in events if isinstance(event.content, GameStarted)), None)
    anchors = tuple(
        (event.version, event.content.anchor.size) for event in events if isinstance(event.content, CeremonyOpened)
    )
    entries = tuple(store.entries_of(table_id, 0, len(events)))
    span = Span(ProofKind.GAME, None, (), 0, entries, start, anchors)
    octets = _proofs(store, log, keys)._make(table_id, span, _latest(log))
    if is_over(events):
        return octets
    proof = Proof.parse(octets)
    return dataclasses.replace(proof, inclusion=proof.inclusion[:-1]).format()


def events_of(store: Store, table_id: bytes) -> list[Event]:
    """What the entries of a table say."""
    return [read_event(parse_entry(entry).body) for entry in store.entries_of(table_id, 0, 100_000)]


def is_over(events: Sequence[Event]) -> bool:
    """The stream has ended."""
    return isinstance(events[-1].content, GameEnded | ServerFault)


def _latest(log: Log) -> Published:
    return log.witnessed or log.published


def _proofs(store: Store, log: Log, keys: PublicKeys) -> Proofs:
    return Proofs(store, log, Publisher(log), keys.roots)
