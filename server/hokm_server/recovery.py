# SPDX-License-Identifier: Apache-2.0
"""How a table is taken up again: its entries are folded, and what was sealed is opened.

The log is the server's own and was checked when it was written, so nothing is decided again here. A number that must be
there and is not, or does not open its commitment, marks the table: the house owes a ServerFault. The house's own number
cannot be lost like that: it follows from its secret.
"""

from __future__ import annotations

import logging

from hokm.deal import HOUSE_SEAT, commitment, early_commitment, house_number
from hokm.entry import leaf, parse_entry
from hokm.errors import HokmError
from hokm.events import Dealt, MiddleTurned, NameTrump, SignedMove, TableOpened, TimedOut
from hokm.table import Ceremony, Lay, Round, Table, evolve, opened
from hokm.wire import read_event
from hokm_server.draft import NO_SECRETS, Opening, Secrets, dealt, move_in, release_first, release_rest
from hokm_server.errors import SealedLost
from hokm_server.live import LiveTable
from hokm_server.sealing import SealKey
from hokm_server.signets import Signet, Signets
from hokm_server.store import SealName, Store

logger = logging.getLogger(__name__)

AT_ONCE = 512
"""Entries read from the store in one go."""


def recover(live: LiveTable, signets: Signets, store: Store, seal_key: SealKey) -> None:
    """Bring a live table to where its stream ends in the store, under the keys that it was opened under.

    Raises `EventKeyGone` where these are needed. At a table that is over nothing is signed any more.
    """
    table: Table | None = None
    manifest_leaf = b""
    first = 0
    while entries := store.entries_of(live.id, first, AT_ONCE):
        leaves, moves = [], []
        for entry in entries:
            event = read_event(parse_entry(entry).body)
            leaves.append(leaf(entry))
            moves.append(move_in(event))
            content = event.content
            if isinstance(content, TableOpened):
                manifest_leaf, live.rematch_of = content.manifest_leaf, content.rematch_of
            table = opened(signets.houses[manifest_leaf], event) if table is None else evolve(table, event)
            match content:
                case Dealt():
                    live.releases = [release_first(table, leaves[-1])]
                case MiddleTurned() | TimedOut(trump=int()) | SignedMove(move=(_, _, _, _, _, _, _, _, NameTrump())):
                    live.releases.append(release_rest(table, leaves[-1]))
        live.keep(entries, leaves, moves)
        first += len(entries)
    assert table is not None
    live.table = table
    if not live.is_over:
        live.signet = signets.of(manifest_leaf)
    if not isinstance(table.stage, Round):
        live.releases = []
    _open_sealed(live, table, store, seal_key)


def _open_sealed(live: LiveTable, table: Table, store: Store, seal_key: SealKey) -> None:
    stage = table.stage
    ceremony = stage.ceremony if isinstance(stage, Round) else stage
    if not isinstance(ceremony, Ceremony):
        live.secrets = NO_SECRETS
        return
    boxes = store.sealed(live.id)
    numbers: list[bytes | None] = [None] * 5
    laid: list[tuple[int, Opening]] = []
    for seat in (*(seat for seat in range(4) if ceremony.revealed[seat]), HOUSE_SEAT):
        name = SealName(ceremony.ctx, seat)
        try:
            numbers[seat] = _open_one(ceremony, seat, boxes.get(name), name, live.id, live.signet, seal_key)
        except HokmError as error:
            _lost(live, "number", error)
    for lay in stage.unturned if isinstance(stage, Round) else ():
        name = SealName(ceremony.ctx, lay.seat, lay.version)
        try:
            laid.append((lay.version, _open_lay(ceremony, lay, boxes.get(name), name, live.id, seal_key)))
        except HokmError as error:
            _lost(live, "face-down card", error)
    live.secrets = Secrets(ceremony.ctx, tuple(numbers), laid=tuple(laid))
    if isinstance(stage, Round) and not live.sealed_lost:
        live.secrets = dealt(live.secrets, ceremony, stage.hakem, table.rules.packets)


def _lost(live: LiveTable, what: str, error: HokmError) -> None:
    logger.error("a sealed %s of table %s is lost: %s", what, live.id.hex(), error.reason)
    live.sealed_lost = True
    live.releases = []


def _open_lay(
    ceremony: Ceremony, lay: Lay, box: bytes | None, name: SealName, table_id: bytes, seal_key: SealKey
) -> Opening:
    """Card and salt of a card that was laid face down. Raises `SealedLost`, `SealBroken`, `SealKeyMissing`."""
    if box is None:
        raise SealedLost(lay.seat)
    secret = seal_key.open(table_id, name, box)
    card, salt = secret[0], secret[1:]
    if early_commitment(ceremony.ctx, lay.trick, lay.seat, card, salt) != lay.commitment:
        raise SealedLost(lay.seat)
    return card, salt


def _open_one(
    ceremony: Ceremony, seat: int, box: bytes | None, name: SealName, table_id: bytes, signet: Signet, seal_key: SealKey
) -> bytes:
    """The number of one seat. Raises `SealedLost`, `SealBroken`, `SealKeyMissing`.

    The house's box counts only where its secret was changed since, which must not be while games run.
    """
    of_house = seat == HOUSE_SEAT
    key = signet.house.event_key if of_house else ceremony.holders[seat].public_key
    committed = ceremony.house_commitment if of_house else ceremony.commitments[seat]

    def opens(number: bytes) -> bool:
        return commitment(ceremony.ctx, seat, key, number) == committed

    if of_house and opens(number := house_number(signet.secret, ceremony.ctx)):
        return number
    if box is None or not opens(number := seal_key.open(table_id, name, box)):
        raise SealedLost(seat)
    return number
