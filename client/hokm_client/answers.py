# SPDX-License-Identifier: Apache-2.0
"""What an answer must be before anything of it is looked at: of its kind, and with an end.

Whether it is true is another matter. Whoever takes these for granted, a seat that there is, four seats at a table,
need not ask again. Everything here raises `StrangeAnswer`.
"""

from __future__ import annotations

from typing import Final

from hokm.proof import MOST_MANIFESTS
from hokm.rules import SEATS
from hokm.signing import PUBLIC_KEY_BYTES
from hokm.v1 import log_service_pb2
from hokm.v1 import tables_service_pb2 as pb
from hokm_client.errors import StrangeAnswer

MOST_TABLES: Final = 100_000
"""So many tables are listed at most."""

TABLE_ID_BYTES: Final = 16


def check_table_id(table_id: bytes) -> None:
    """The id of a table."""
    if len(table_id) != TABLE_ID_BYTES:
        raise StrangeAnswer(f"a table id of {len(table_id)} bytes")


def check_seat(seat: int) -> None:
    """A seat that there is."""
    if seat not in SEATS:
        raise StrangeAnswer(f"there is no seat {seat}")


def check_table(table: pb.TableSummary) -> None:
    """A table, with four seats."""
    check_table_id(table.table_id)
    if len(table.seats) != len(SEATS):
        raise StrangeAnswer(f"a table of {len(table.seats)} seats")


def check_page(page: pb.ListTablesResponse, listed: int) -> None:
    """One page of a list that has an end; so many tables were on those before it."""
    for table in page.tables:
        check_table(table)
    if page.next_page_token and (not page.tables or listed + len(page.tables) > MOST_TABLES):
        raise StrangeAnswer("a list of tables without an end")


def check_keys(keys: log_service_pb2.GetKeysResponse) -> None:
    """So many key manifests as any proof may have, and no more root keys than these can hand over to."""
    if len(keys.manifests) > MOST_MANIFESTS:
        raise StrangeAnswer("key manifests without an end")
    if len(keys.roots) > len(keys.manifests) or any(len(root) != PUBLIC_KEY_BYTES for root in keys.roots):
        raise StrangeAnswer("root keys that cannot be")


def check_length(proof: bytes | bytearray, most: int) -> None:
    """The pieces of a proof so far."""
    if len(proof) > most:
        raise StrangeAnswer(f"a proof of more than {most} bytes")


def check_things(response: pb.PlayResponse) -> None:
    """Whatever lands lands at a seat."""
    for update in response.updates:
        for thrown in update.thrown:
            check_seat(thrown.at)
