# SPDX-License-Identifier: Apache-2.0
"""Which games a log holds that are not over, read beside the server that may be writing it.

Nothing is locked and nothing is made: a database that is not there holds no games.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections import Counter
from pathlib import Path

from hokm.entry import parse_entry
from hokm.events import TableOpened
from hokm.wire import read_event
from hokm_server.database import telling

_FIRST_ENTRIES = "SELECT entry FROM entries JOIN streams USING (stream) WHERE running AND version = 0"


def running_under(database: Path) -> Counter[bytes]:
    """By the leaf of its key manifest, how many games are not over. Raises what `Store` raises of a file at fault."""
    counted = Counter[bytes]()
    if not database.exists():
        return counted
    with telling(database):
        connection = sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True)
        with contextlib.closing(connection):
            entries = [entry for (entry,) in connection.execute(_FIRST_ENTRIES)]
    for entry in entries:
        content = read_event(parse_entry(entry).body).content
        assert isinstance(content, TableOpened)
        counted[content.manifest_leaf] += 1
    return counted
