# SPDX-License-Identifier: Apache-2.0
"""One table's entries, and the house's manifests, found in a log that has no index.

Entries stand in the log about in the order of their times, and a table's id begins with the time at which it was
opened. So a search by halves comes near, and from there it is read on until the game is over; only if the times of a
log deceive, it is read from its beginning. What is found is what the tree holds, however it was found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from hokm.entry import parse_entry
from hokm.errors import HokmError
from hokm.events import GameEnded, RoundRevealed, ServerFault
from hokm.keys import KEYS_TABLE, read_manifest
from hokm.proof import Proof
from hokm.tiles import TILE_WIDTH
from hokm.wire import read_event
from hokm_audit.errors import EntryMissing
from hokm_audit.proving import House, Placed, game_proof, round_proof
from hokm_audit.published import PublishedLog
from hokm_audit.sites import SiteKeys

_MARGIN_MS: Final = 60_000
"""By how much the order of a log may differ from that of its times before it is read as a whole."""

_TABLE_AT: Final = slice(10, 26)
"""Where an entry has its table id: behind frame, field number and length."""
_TIME_BITS: Final = 47
"""Of a table id, behind the bit that marks a private one."""


def table_of(entry: bytes) -> bytes:
    """The stream that an entry says it belongs to, of whatever bytes."""
    return entry[_TABLE_AT]


def find_proof(log: PublishedLog, keys: SiteKeys, table: bytes, round_: int | None) -> Proof:
    """The proof of a game, or of one of its rounds.

    Raises `EntryMissing` where the log does not hold all that it takes, and what `PublishedLog` raises.
    """
    house = House(tuple(_manifests(log, keys.manifests)), keys.roots)
    stream = _stream(log, table, round_)
    proof = game_proof(log, house, table, stream) if round_ is None else round_proof(log, house, table, stream, round_)
    if proof is None:
        raise EntryMissing(f"the end of round {round_} of table {table.hex()}", log.size)
    return proof


def _stream(log: PublishedLog, table: bytes, round_: int | None) -> list[Placed]:
    """The entries of a table, to the one that closes what is wanted, or to the last that there is."""
    opened_ms = int.from_bytes(table[:6]) & ((1 << _TIME_BITS) - 1)
    stream: list[Placed] = []
    rounds = 0
    for place, entry in _reading_from(log, opened_ms, lambda entry: table_of(entry) == table and _version(entry) == 0):
        if table_of(entry) != table:
            continue
        stream.append(Placed(place, entry))
        content = read_event(parse_entry(entry).body).content
        rounds += type(content) is RoundRevealed
        if isinstance(content, GameEnded | ServerFault) or (round_ is not None and rounds == round_):
            break
    return stream


def _manifests(log: PublishedLog, entries: Iterable[bytes]) -> Iterator[Placed]:
    """Those of them that the tree holds: the last may be younger."""
    for wanted in entries:
        time_ms = read_manifest(parse_entry(wanted).body).time_ms
        try:
            yield Placed(*next(_reading_from(log, time_ms, wanted.__eq__)))
        except EntryMissing:
            return


def _reading_from(log: PublishedLog, time_ms: int, is_first: Callable[[bytes], bool]) -> Iterator[tuple[int, bytes]]:
    """The log from the entry on that is the first wanted, which has about this time. Raises `EntryMissing`."""
    near = _place_near(log, time_ms - _MARGIN_MS)
    for start in dict.fromkeys((near, 0)):
        reading = log.entries(start)
        for place, entry in reading:
            if is_first(entry):
                yield place, entry
                yield from reading
                return
    raise EntryMissing("the table or manifest that was asked for", log.size)


def _place_near(log: PublishedLog, time_ms: int) -> int:
    """A place before which every entry is older, if the log is in the order of its times."""
    low, high = 0, log.size // TILE_WIDTH
    while low < high:
        middle = (low + high + 1) // 2
        if _time_at(log, TILE_WIDTH * middle) < time_ms:
            low = middle
        else:
            high = middle - 1
    return TILE_WIDTH * low


def _time_at(log: PublishedLog, place: int) -> int:
    """The time of the first entry from there that says one; 0 at the end."""
    for _, entry in log.entries(place):
        try:
            body = parse_entry(entry).body
            return read_manifest(body).time_ms if table_of(entry) == KEYS_TABLE else read_event(body).time_ms
        except HokmError:
            continue
    return 0


def _version(entry: bytes) -> int | None:
    """The version that an entry of a table says it has."""
    try:
        return read_event(parse_entry(entry).body).version
    except HokmError:
        return None
