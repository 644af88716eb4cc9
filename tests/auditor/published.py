# SPDX-License-Identifier: Apache-2.0
"""A published log in memory: the simulation's house, with every file that a site would have of it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from hokm.errors import HokmError
from hokm.merkle import reading
from hokm.notation import write_base64
from hokm.rules import TableRules
from hokm.tiles import TILE_LEVELS, TILE_WIDTH, Fetch, Tile, format_bundle
from hokm_audit.errors import NotOnSite
from tests.simulation import Game, TestHouse
from tests.simulation.game import SHORT, TWO_AND_BOTS


@dataclass
class PublishedHouse(TestHouse):
    """A house that keeps its entries and checkpoints. Its log holds nothing but entries."""

    strangers: int = 0
    entries: list[bytes] = field(default_factory=list)
    notes: dict[int, bytes] = field(default_factory=dict)
    """By size."""

    def append(self, entry: bytes) -> int:
        self.entries.append(entry)
        return super().append(entry)

    def publish(self, size: int | None = None, cosigners: int | None = None, time_ms: int | None = None) -> str:
        note = super().publish(size, cosigners, time_ms)
        self.notes.setdefault(len(self.leaves) if size is None else size, note.encode())
        return note

    @property
    def latest(self) -> int:
        """The size of the latest checkpoint."""
        return max(self.notes)

    def fetch(self, path: str) -> bytes:
        """The file of this path; raises `NotOnSite`."""
        match path.split("/"):
            case ["checkpoint"]:
                return self.notes[self.latest]
            case ["checkpoint", size] if size.isdecimal() and int(size) in self.notes:
                return self.notes[int(size)]
            case ["keys"]:
                return self.keys()
            case ["tile", *_]:
                return self.tile(path)
        raise NotOnSite(path)

    def keys(self) -> bytes:
        """All manifests, and the root keys that they hand over to."""
        manifests = [write_base64(entry) for entry, _ in self.manifests]
        roots = [write_base64(key.public) for key in self.root_keys[1:-1]]
        return json.dumps({"manifests": manifests, "roots": roots}).encode()

    def tile(self, path: str) -> bytes:
        """A tile or bundle of the latest tree."""
        try:
            tile = Tile.parse(path)
        except HokmError:
            raise NotOnSite(path) from None
        first, level = TILE_WIDTH * tile.index, tile.level or 0
        if first + tile.width > self.latest >> TILE_LEVELS * level:
            raise NotOnSite(path)
        places = range(first, first + tile.width)
        if tile.level is None:
            return format_bundle(self.entries[place] for place in places)
        read = reading(self.nodes)
        return b"".join(read(TILE_LEVELS * level, place) for place in places)


def play(house: PublishedHouse, rules: TableRules = SHORT) -> Game:
    """One more game, from its first entry to its last."""
    game = Game(house, rules, TWO_AND_BOTS)
    game.sit()
    game.play_game()
    house.publish()
    return game


@contextmanager
def serving(fetch: Fetch) -> Iterator[str]:
    """These files over HTTP: their address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet

        def do_GET(self) -> None:
            try:
                status, octets = 200, fetch(self.path.removeprefix("/log/"))
            except NotOnSite:
                status, octets = 404, b"There is none.\n"
            self.send_response(status)
            self.send_header("content-length", str(len(octets)))
            self.end_headers()
            self.wfile.write(octets)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/log"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
