# SPDX-License-Identifier: Apache-2.0
"""Which table a request names: the one reading of a table id, for every method that takes one.

An id is 16 bytes; others are malformed (WRONG_LENGTH), for whatever is asked. Sixteen bytes that are the id of no table
are looked for and not found (UNKNOWN_TABLE). Sixteen zero bytes name the stream of the key manifests where entries of
the log are asked for, and no table.
"""

from __future__ import annotations

from hokm.errors import WrongLength
from hokm_server.store import STREAM_BYTES


def named_table(table_id: bytes) -> bytes:
    """The id as a request has it. Raises `WrongLength`."""
    if len(table_id) != STREAM_BYTES:
        raise WrongLength("table_id", len(table_id), STREAM_BYTES)
    return table_id
