# SPDX-License-Identifier: Apache-2.0
"""A published log followed from where it was left to its latest checkpoint: every hash made again, every closed game
replayed by the verifier, and what no single proof can show looked at over all of them.

    read    a stretch of entries, recomputed from the tiles up to the checkpoint
    sort    each to its table, in order of version, each version once, nothing behind an end
    replay  games that are over, and at the end of the log the rounds that are closed of those that are not
    claim   commitments, numbers, game ids and stand-ins' keys: each once in the log; each key in one role
    keep    all of it in one transaction of the ledger, with how far it goes
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from google.protobuf.message import DecodeError

from hokm.checkpoint import Checkpoint
from hokm.entry import parse_entry
from hokm.errors import HokmError, NotCanonical, WrongLength
from hokm.keys import KEYS_TABLE, KeyManifest, check_manifests, read_manifest
from hokm.merkle import check_consistency, consistency_proof
from hokm.note import Note
from hokm.policy import Policy
from hokm.tiles import TILE_WIDTH, TiledTree
from hokm.v1 import event_pb2
from hokm_audit.errors import NoQuorum, NotProvable, RootMissing
from hokm_audit.finding import table_of
from hokm_audit.findings import Code, found
from hokm_audit.ledger import Ledger, Stream
from hokm_audit.proving import House, Placed, game_proof, round_proof
from hokm_audit.published import PublishedLog, latest
from hokm_audit.replaying import Replayed, Task
from hokm_audit.sites import Site, keys_on

STRETCH: Final = 32 * TILE_WIDTH
"""Entries that are read before anything is kept: some hundred rounds."""

LATE_MS: Final = 10_000
"""Within which an entry is promised to be in the log."""
ALLOWED_MS: Final = 60_000
"""By how much the house's clock may be ahead."""

Replay = Callable[[Iterable[Task]], Iterable[Replayed]]
"""What replays many, in whatever processes, and gives them back in any order."""

_ENDS: Final = {"game_ended", "server_fault"}


class Seen(NamedTuple):
    """What an entry says of itself, before anybody has checked it."""

    table: bytes
    version: int
    time_ms: int
    content: str


def follow(
    site: Site,
    policy: Policy,
    ledger: Ledger,
    replay: Replay,
    *,
    now_ms: int,
    progress: Callable[[int, int], None] = lambda place, size: None,
) -> PublishedLog | None:
    """Go on to the latest checkpoint; that log, or None where it is not one that goes on from what was seen.

    `progress` is told how far it is, and of how much. Raises `NoQuorum`, and what site and tiles raise: what was
    reached until then is kept.
    """
    log = latest(site, policy)
    if not log.endorsed.quorum_met:
        raise NoQuorum(log.size, len(log.endorsed.cosignatures))
    if not _goes_on(log, site, ledger):
        return None
    follower = _Follower(log, policy, ledger, keys_on(site.fetch).roots, now_ms)
    while ledger.place < log.size:
        progress(ledger.place, log.size)
        follower.stretch(replay)
    follower.unjudged(replay)
    progress(log.size, log.size)
    return log


def _goes_on(log: PublishedLog, site: Site, ledger: Ledger) -> bool:
    """Whether the log's tree begins with the one that was seen last. What is wrong is kept as a finding."""
    before = ledger.note
    seen = None if before is None else Checkpoint.parse(Note.parse(before).text)
    code = None if seen is None else _fault_after(seen, log, site)
    with ledger.changing():
        if code is None:
            ledger.saw(log.note.encode())
        else:
            assert before is not None
            assert seen is not None
            facts = {"checkpoint": log.note, "before": before.decode()}  # signed both: evidence for anybody
            ledger.find(found(code, None, size=log.size, seen=seen.size, **facts))
    return code is None


def _fault_after(seen: Checkpoint, log: PublishedLog, site: Site) -> Code | None:
    """What is wrong with a log that has shown another checkpoint before."""
    if log.size >= seen.size:
        return None if log.grew_out_of(seen) else Code.FORKED
    try:
        proof = consistency_proof(log.size, seen.size, TiledTree(seen.size, seen.root, site.fetch).read)
    except HokmError:  # its tiles are gone
        return Code.ROLLED_BACK
    is_one = check_consistency(log.size, log.checkpoint.root, seen.size, seen.root, proof)
    return Code.ROLLED_BACK if is_one else Code.FORKED


class _Follower:
    """One run along a log."""

    def __init__(
        self, log: PublishedLog, policy: Policy, ledger: Ledger, roots: tuple[bytes, ...], now_ms: int
    ) -> None:
        self._log = log
        self._policy = policy
        self._ledger = ledger
        self._roots = roots
        self._now_ms = now_ms
        self._house = House(tuple(ledger.manifests()), roots)
        self._newest_ms = ledger.newest_ms
        self._ended: list[bytes] = []

    def stretch(self, replay: Replay) -> None:
        """Read, sort, replay, claim and keep the next entries."""
        ledger = self._ledger
        with ledger.changing():
            start = ledger.place
            end = min(self._log.size, (start // STRETCH + 1) * STRETCH)
            self._ended = []
            self._log.expect(start, end)
            ledger.wait(self._sorted(itertools.islice(self._log.entries(start), end - start)))
            for replayed in replay(self._games()):
                self._take(replayed)
                ledger.let_go(replayed.table)
            ledger.reached(end, self._newest_ms)

    def unjudged(self, replay: Replay) -> None:
        """Replay the rounds that are closed of games that are not over."""
        with self._ledger.changing():
            for replayed in replay(self._rounds()):
                self._take(replayed)
                stream = self._ledger.stream(replayed.table)
                stream.judged = max(stream.judged, replayed.round or 0)

    # Sorting.

    def _sorted(self, entries: Iterable[tuple[int, bytes]]) -> Iterator[tuple[bytes, int, int, bytes]]:
        """The entries that belong to tables and stand where they may: stream, version, place, entry."""
        for place, entry in entries:
            try:
                seen = look_at(entry)
            except HokmError as error:
                self._ledger.find(found(Code.NOT_AN_ENTRY, place, what=error))
                continue
            if seen.table == KEYS_TABLE:
                self._manifest(Placed(place, entry))
                continue
            stream = self._ledger.stream(seen.table)
            if self._stands_well(stream, seen, place):
                self._times(seen, place)
                stream.versions += 1
                stream.rounds += seen.content == "round_revealed"
                if seen.content in _ENDS:
                    stream.over = True
                    self._ended.append(seen.table)
                yield seen.table, seen.version, place, entry

    def _stands_well(self, stream: Stream, seen: Seen, place: int) -> bool:
        if seen.version == stream.versions and not stream.over:
            return True
        code = (
            Code.PLACE_TAKEN if seen.version < stream.versions else Code.AFTER_END if stream.over else Code.VERSION_GAP
        )
        facts = {"expected": stream.versions} if code is Code.VERSION_GAP else {}
        self._ledger.find(found(code, place, table=seen.table, version=seen.version, **facts))
        return False

    def _manifest(self, placed: Placed) -> None:
        manifests = (*self._house.manifests, placed)
        root = self._policy.root_key(self._log.checkpoint.origin)
        try:
            counted = check_manifests([each.entry for each in manifests], root, self._roots)
        except HokmError as error:
            if self._lacks_root:
                raise RootMissing(placed.place) from error
            self._ledger.find(found(Code.MANIFEST_REFUSED, placed.place, what=error))
            return
        self._house = self._house._replace(manifests=manifests)
        self._ledger.add_manifest(placed)
        for key, role in _lasting_roles(counted[-1]):
            self._role(key, role, KEYS_TABLE)

    @property
    def _lacks_root(self) -> bool:
        """Whether there is a root key that may sign the next manifest and that the site did not tell."""
        if not self._house.manifests:
            return False
        last = read_manifest(parse_entry(self._house.manifests[-1].entry).body)
        return all(hashlib.sha256(key).digest() != last.next_root_hash for key in self._roots)

    def _times(self, seen: Seen, place: int) -> None:
        facts = {"table": seen.table, "version": seen.version}
        behind, ahead = self._newest_ms - seen.time_ms, seen.time_ms - self._now_ms
        if behind > LATE_MS:
            self._ledger.find(found(Code.LATE, place, seconds=behind // 1000, **facts))
        if ahead > ALLOWED_MS:
            self._ledger.find(found(Code.IN_FUTURE, place, seconds=ahead // 1000, **facts))
        else:
            self._newest_ms = max(self._newest_ms, seen.time_ms)

    # Replaying.

    def _games(self) -> Iterator[Task]:
        for table in self._ended:
            try:
                yield Task(game_proof(self._log, self._house, table, self._ledger.waiting(table)), self._policy)
            except NotProvable as error:
                self._ledger.find(found(Code.UNPROVABLE, None, table=table, what=error))

    def _rounds(self) -> Iterator[Task]:
        for table in self._ledger.unjudged():
            stream = self._ledger.stream(table)
            entries = self._ledger.waiting(table)
            try:
                for number in range(stream.judged + 1, stream.rounds + 1):
                    proof = round_proof(self._log, self._house, table, entries, number)
                    assert proof is not None
                    yield Task(proof, self._policy)
            except NotProvable as error:
                self._ledger.find(found(Code.UNPROVABLE, None, table=table, what=error))

    def _take(self, replayed: Replayed) -> None:
        """What came of a game or round."""
        ledger, table = self._ledger, replayed.table
        if replayed.fault is not None:
            reason, sentence, version = replayed.fault
            where = "" if version is None else f"entry {version}: "
            ledger.find(found(Code.REFUSED, None, table=table, reason=reason, sentence=where + sentence))
            return
        for kind, value, version in replayed.claims:
            other = ledger.claim(value, table, version)
            if other is not None:
                facts = {"other": other[0], "at": other[1], "value": value}
                ledger.find(found(Code.REUSED, None, kind=kind, table=table, version=version, **facts))
        for key, role in replayed.roles:
            self._role(key, role, table)
        ledger.count(replayed.counts)
        if replayed.record:
            ledger.keep_record(table, replayed.record)

    def _role(self, key: bytes, role: str, table: bytes) -> None:
        known = self._ledger.give_role(key, role)
        if known != role:
            self._ledger.find(found(Code.TWO_ROLES, None, key=key, role=role, table=table, other=known))


def look_at(entry: bytes) -> Seen:
    """What an entry says of itself. Raises `NotAnEntry`, `TooLong`, `NotCanonical`, `WrongLength`."""
    body = parse_entry(entry).body
    if table_of(entry) == KEYS_TABLE:
        return Seen(KEYS_TABLE, 0, 0, "")
    try:
        message = event_pb2.Event.FromString(body)
    except DecodeError:
        raise NotCanonical("event") from None
    if len(message.table) != len(KEYS_TABLE):
        raise WrongLength("table", len(message.table), len(KEYS_TABLE))
    return Seen(message.table, message.version, message.time_ms, message.WhichOneof("content") or "")


def _lasting_roles(manifest: KeyManifest) -> Iterator[tuple[bytes, str]]:
    """The house's keys, each by one name for ever: an event key may be revoked later."""
    for key, role in manifest.roles():
        yield key, role.removeprefix("revoked ")
