# SPDX-License-Identifier: Apache-2.0
"""The server's own check: everything that follows from the entries is derived from them again, and compared.

    tree         every leaf and node, every checkpoint at its size with its signature and cosignatures, the head file
    chains       each stream: versions without a gap, each entry naming the one before, nothing after the last
    projections  which tables there are and which run; seats that want somebody, at tables that run
    secrets      numbers and face-down cards that are sealed: those that are still needed, and none that is due to go

It says what differs and changes nothing. It judges no game: that is for who reads the proofs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from hokm.checkpoint import Checkpoint, verify_checkpoint, verify_cosignatures
from hokm.deal import HOUSE_SEAT
from hokm.entry import ZERO_HASH, leaf, parse_entry
from hokm.errors import BadTile, HokmError, TileNotOfTree
from hokm.events import GameEnded, ServerFault, TableOpened
from hokm.keys import read_manifest
from hokm.merkle import Nodes, grow, reading, root_of
from hokm.note import Note
from hokm.table import Ceremony, House, Round, Table, evolve, opened
from hokm.tiles import TILE_LEVELS, TILE_WIDTH, Tile, TiledTree
from hokm.wire import read_event
from hokm_server.cosigned import Cosigned
from hokm_server.errors import DatabaseCorrupt
from hokm_server.log import Log, peaks
from hokm_server.public_keys import PublicKeys, log_vkey
from hokm_server.signets import houses_of
from hokm_server.store import KEYS_STREAM, SealName, Store, Stored

MOST_FAULTS: Final = 100
"""That are told one by one."""

_AT_ONCE: Final = 4096


@dataclass(slots=True)
class Found:
    """What was looked at, and what differs."""

    entries: int = 0
    checkpoints: int = 0
    cosignatures: int = 0
    tables: int = 0
    running: int = 0
    sealed: int = 0
    faults: list[str] = field(default_factory=list)
    more: int = 0
    """Faults that are not told."""

    def fault(self, what: str) -> None:
        """One more thing that differs."""
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(what)
        else:
            self.more += 1

    def __str__(self) -> str:
        """One line for people."""
        told = len(self.faults) + self.more
        return (
            f"{self.entries} entries, {self.checkpoints} checkpoints with {self.cosignatures} cosignatures, "
            f"{self.tables} tables, {self.running} of them running, {self.sealed} secrets sealed: "
            + (f"{told} things differ" if told else "nothing differs")
        )


def check(store: Store, head: Path, keys: PublicKeys) -> Found:
    """Derive everything again, from the first entry on; some 15 seconds for a million entries.

    Raises what the store raises of a file that cannot be read.
    """
    store.examine()
    return _Check(store, head, keys).run()


def quick_check(store: Store, log: Log) -> list[str]:
    """What differs at a glance, for every start: the last entries against the tree, and what a game that is over left.

    Raises what the store raises of a file that cannot be read.
    """
    found, published = Found(), log.published.checkpoint
    if published.size:
        tree = TiledTree(published.size, published.root, lambda path: log.file(Tile.parse(path)))
        try:
            tree.bundle((published.size - 1) // TILE_WIDTH)
        except (BadTile, TileNotOfTree) as error:
            found.fault(str(error))
    running = set(store.running())
    for stream in sorted({stream for stream, _ in store.all_sealed()} - running):
        found.fault(f"secrets of table {stream.hex()} are sealed and were due to go: it is over")
    for stream in sorted({wanted.stream for wanted in store.wanted()} - running):
        found.fault(f"somebody is wanted at table {stream.hex()}, which is over")
    return found.faults


class _Check:
    def __init__(self, store: Store, head: Path, keys: PublicKeys) -> None:
        self._store = store
        self._head = head
        self._logs = [log_vkey(keys.origin, key) for key in keys.log_keys]
        self._witnesses = [witness.vkey for witness in keys.policy.witnesses]
        self._cosigned = Cosigned(store, keys.policy)
        self._houses = houses_of(keys)
        self._found = Found()
        self._ends: dict[bytes, tuple[int, bytes]] = {}
        """Of each stream that has not ended, the last version and its leaf."""
        self._over: set[bytes] = set()
        self._broken: set[bytes] = set()
        """Streams with an entry at fault."""
        self._peaks: Nodes = {}
        self._nodes = 0

    def run(self) -> Found:
        found = self._found
        below = -1
        while some := self._store.checkpoints(below, _AT_ONCE):
            for stored in some:
                self._entries_up_to(min(stored.size, self._store.size))
                self._checkpoint(stored)
            below = some[-1].size
        self._entries_up_to(self._store.size)
        self._head_file()
        kept = self._store.all_nodes()
        if not self._nodes_due(below) <= kept <= self._nodes:
            found.fault(f"{kept} nodes are kept, and the entries have {self._nodes}")
        self._projections()
        self._secrets()
        return found

    # Tree and chains.

    def _entries_up_to(self, size: int) -> None:
        while self._found.entries < size:
            start = self._found.entries
            rows = self._store.rows_between(start, min(start + _AT_ONCE, size))
            for stream, version, entry in rows:
                self._link(stream, version, entry)
            new = grow(start, (leaf(entry) for _, _, entry in rows), reading(self._peaks))
            self._peaks = peaks(start + len(rows), reading(new, reading(self._peaks)))
            self._kept_nodes({place: node for place, node in new.items() if place[0] and not place[0] % TILE_LEVELS})
            self._found.entries += len(rows)

    def _link(self, stream: bytes, version: int, entry: bytes) -> None:
        """One entry, behind the one before in its stream."""
        last, previous = self._ends.pop(stream, (-1, ZERO_HASH))
        over = False
        try:
            body = parse_entry(entry).body
            if stream == KEYS_STREAM:
                manifest = read_manifest(body)
                says = stream, manifest.version, manifest.previous
            else:
                event = read_event(body)
                says = event.table, event.version, event.previous
                over = isinstance(event.content, GameEnded | ServerFault)
        except HokmError as error:
            self._break(stream, version, f"cannot be read: {error}")
        else:
            if stream in self._over:
                self._break(stream, version, "comes after the last entry")
            elif says[0] != stream:
                self._break(stream, version, f"says that it is of {says[0].hex()}")
            elif last + 1 != version or says != (stream, version, previous):
                self._break(stream, version, "does not follow the one before it")
        if over:
            self._over.add(stream)
        else:
            self._ends[stream] = version, leaf(entry)

    def _break(self, stream: bytes, version: int, what: str) -> None:
        self._found.fault(f"entry {version} of {stream.hex()} {what}")
        self._broken.add(stream)

    def _kept_nodes(self, nodes: Nodes) -> None:
        self._nodes += len(nodes)
        for (level, place), node in nodes.items():
            try:
                kept = self._store.nodes(level, place, 1)
            except HokmError:
                continue  # one that the last checkpoint needs is missed in the count
            if kept != [node]:
                self._found.fault(f"the node {place} of level {level} is not that of the entries")

    def _nodes_due(self, published: int) -> int:
        """How many nodes a log that is published up to there keeps at least."""
        rows = range(TILE_LEVELS, published.bit_length(), TILE_LEVELS) if published > 0 else ()
        return sum(published >> level for level in rows)

    def _checkpoint(self, stored: Stored) -> None:
        """A checkpoint of the size that the tree has now."""
        found, where = self._found, f"the checkpoint of size {stored.size}"
        found.checkpoints += 1
        try:
            checkpoint = verify_checkpoint(Note.parse(stored.note), self._logs)
            self._compare(checkpoint, stored.size, where)
            under = Note.parse(self._cosigned.under(stored.size, stored.note))
            found.cosignatures += len(verify_cosignatures(under, self._witnesses))
        except HokmError as error:
            found.fault(f"{where} does not count: {error}")

    def _compare(self, checkpoint: Checkpoint, size: int, where: str) -> None:
        if size > self._found.entries:
            self._found.fault(f"{where} is of more entries than there are")
        elif (checkpoint.size, checkpoint.root) != (size, root_of(size, reading(self._peaks))):
            self._found.fault(f"{where} is not that of the entries")

    def _head_file(self) -> None:
        latest = self._store.latest()
        try:
            head = verify_checkpoint(Note.parse(self._head.read_bytes()), self._logs)
        except (HokmError, OSError) as error:
            self._found.fault(f"the head file {self._head} cannot be read: {error}")
            return
        known = None if latest is None else self._store.checkpoint(head.size)
        if known is None or Checkpoint.parse(Note.parse(known).text) != head:
            self._found.fault(f"the head file {self._head} holds no checkpoint of this database")

    # Projections and secrets.

    def _projections(self) -> None:
        found, listed = self._found, self._store.listed()
        running = self._ends.keys() - {KEYS_STREAM}
        found.tables, found.running = len(running | self._over), len(running)
        for stream in running | self._over | listed.keys():
            derived = True if stream in running else False if stream in self._over else None
            if listed.get(stream) is not derived:
                words = {True: "running", False: "over", None: "not there"}
                found.fault(
                    f"table {stream.hex()} is {words[derived]} by its entries, {words[listed.get(stream)]} in the list"
                )
        for wanted in self._store.wanted():
            if wanted.stream not in running:
                found.fault(f"somebody is wanted at seat {wanted.seat} of table {wanted.stream.hex()}, which is over")

    def _secrets(self) -> None:
        sealed = self._store.all_sealed()
        self._found.sealed = len(sealed)
        needed: set[tuple[bytes, SealName]] = set()
        for stream in self._ends.keys() - {KEYS_STREAM} - self._broken:
            try:
                needed |= {(stream, name) for name in secrets_of(folded(self._store, stream, self._houses))}
            except HokmError as error:
                self._found.fault(f"table {stream.hex()} cannot be taken up again: {error}")
        for stream, name in sorted(one for one in sealed - needed if one[0] not in self._broken):
            self._found.fault(f"a secret of seat {name.seat} of table {stream.hex()} is sealed and was due to go")
        for stream, name in sorted(needed - sealed):
            self._found.fault(f"a sealed secret of seat {name.seat} of table {stream.hex()} is lost")


def folded(store: Store, stream: bytes, houses: dict[bytes, House]) -> Table:
    """The table as its entries leave it. Raises `DatabaseCorrupt` where its first entry names no manifest of ours."""
    table: Table | None = None
    first = 0
    while entries := store.entries_of(stream, first, _AT_ONCE):
        for entry in entries:
            event = read_event(parse_entry(entry).body)
            if table is None:
                house = houses.get(event.content.manifest_leaf) if isinstance(event.content, TableOpened) else None
                if house is None:
                    raise DatabaseCorrupt(str(store.path), "a table was opened under no key manifest that is here")
                table = opened(house, event)
            else:
                table = evolve(table, event)
        first += len(entries)
    assert table is not None
    return table


def secrets_of(table: Table) -> set[SealName]:
    """What is to be sealed while a table stands so: the numbers that were given, and the cards that lie face down."""
    stage = table.stage
    ceremony = stage.ceremony if isinstance(stage, Round) else stage
    if not isinstance(ceremony, Ceremony):
        return set()
    names = {SealName(ceremony.ctx, seat) for seat in range(4) if ceremony.revealed[seat]}
    laid = stage.unturned if isinstance(stage, Round) else ()
    return (
        names | {SealName(ceremony.ctx, HOUSE_SEAT)} | {SealName(ceremony.ctx, lay.seat, lay.version) for lay in laid}
    )
