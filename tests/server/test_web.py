# SPDX-License-Identifier: Apache-2.0
"""The log over HTTP: what stands where, how long it may be kept, and what is refused."""

from __future__ import annotations

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from hokm.checkpoint import verify_checkpoint
from hokm.errors import TooManyCalls
from hokm.note import Note
from hokm.policy import Policy
from hokm.proof import Proof
from hokm.tiles import Tile, TiledTree
from hokm.v1 import log_service_pb2 as pb
from hokm_server import web, web_server
from hokm_server.config import Settings
from hokm_server.errors import AddressUnusable
from hokm_server.shares import Share
from hokm_server.web_server import answering
from tests.server.callers import Visit, served, visiting
from tests.server.test_tls import certificate

MISSING = "0" * 32


@asynccontextmanager
async def browsing(visit: Visit) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody who asks the server over HTTP."""
    url = f"http://127.0.0.1:{visit.found.web_port}"
    async with httpx.AsyncClient(base_url=url, trust_env=False) as http:
        yield http


async def test_a_game_is_read_from_the_web(tmp_path: Path) -> None:
    """The same proofs as over gRPC, the same checkpoint, and every entry again from the bundles."""
    async with visiting(tmp_path) as visit, browsing(visit) as http:
        table = (await visit.seat_four()).hex()
        await visit.play_game()
        for path, stream in (
            (f"/proof/{table}", visit.log.GetGameProof(pb.GetGameProofRequest(table_id=bytes.fromhex(table)))),
            (
                f"/proof/{table}/1",
                visit.log.GetRoundProof(pb.GetRoundProofRequest(table_id=bytes.fromhex(table), round=1)),
            ),
        ):
            answer = await http.get(path)
            assert answer.content == b"".join([answer.piece async for answer in stream])
            assert answer.headers["content-type"] == "application/json"
        proof = Proof.parse((await http.get(f"/proof/{table}")).content)

        note = await http.get("/checkpoint")
        assert note.headers["content-type"] == "text/plain; charset=utf-8"
        assert note.headers["cache-control"] == "public, max-age=1"
        policy = Policy.parse((await http.get("/policy")).content)
        checkpoint = verify_checkpoint(Note.parse(note.content), [log.vkey for log in policy.logs])
        assert (await http.get(f"/checkpoint/{checkpoint.size}")).content == note.content
        files = {}
        for row in (0, 1):
            for place in range((checkpoint.size >> 8 * row >> 8) + 1):
                width = min(256, (checkpoint.size >> 8 * row) - 256 * place)
                for level in (row, None) if width and not row else (row,) if width else ():
                    tile = Tile(level, place, width).format()
                    answer = await http.get(f"/{tile}")
                    assert answer.headers["content-type"] == "application/octet-stream"
                    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
                    files[tile] = answer.content
        tree = TiledTree(checkpoint.size, checkpoint.root, files.__getitem__)
        entries = [entry for place in range((checkpoint.size - 1 >> 8) + 1) for entry in tree.bundle(place)]
        keys = (await http.get("/keys")).json()
        assert [base64.b64decode(text) for text in keys["manifests"]] == entries[:1]
        assert keys["roots"] == []
        assert [entry for entry in entries if entry in proof.entries] == list(proof.entries)


async def test_what_is_there_and_what_is_not(tmp_path: Path) -> None:
    """A refusal is its reason alone, and nobody may keep it."""
    async with visiting(tmp_path) as visit, browsing(visit) as http:
        table = (await visit.seat_four()).hex()
        for path, status, reason in (
            ("/", 200, None),
            ("/keys", 200, None),
            ("/checkpoint/0", 200, None),
            ("/checkpoint/999999", 404, "UNKNOWN_CHECKPOINT"),
            ("/checkpoint/witnessed", 503, "NOT_WITNESSED"),
            ("/tile/0/001", 404, "OUT_OF_TREE"),
            ("/tile/entries/000", 404, "OUT_OF_TREE"),
            ("/tile/0/0", 400, "BAD_TILE"),
            ("/tile/0/000.p/0", 400, "BAD_TILE"),
            (f"/proof/{MISSING}", 404, "UNKNOWN_TABLE"),
            (f"/proof/{table}", 409, "NOT_OVER_YET"),
            (f"/proof/{table}/1", 409, "NOT_OVER_YET"),
            (f"/proof/{table}/0", 400, "OUT_OF_RANGE"),
        ):
            answer = await http.get(path)
            assert answer.status_code == status, path
            assert answer.headers["access-control-allow-origin"] == "*"
            if reason is not None:
                assert (answer.text, answer.headers["cache-control"]) == (f"{reason}\n", "no-store"), path
        for path in (
            "/nothing",
            "/checkpoint/01",
            "/checkpoint/x",
            "/proof/00",
            f"/proof/{table}/-1",
            "/tile",
            "/keys/",
        ):
            assert (await http.get(path)).status_code in (307, 404), path
        found = await http.get("/checkpoint/0")
        head = await http.head("/checkpoint/0")
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-length"] == str(len(found.content))
        for method in ("POST", "PUT", "DELETE", "PATCH"):
            assert (await http.request(method, "/checkpoint")).status_code == 405


async def test_one_caller_does_not_take_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond its share it is told so."""

    def none(*_: object) -> Share:
        return Share(0, 0, TooManyCalls)

    monkeypatch.setattr(web, "Share", none)
    async with visiting(tmp_path) as visit, browsing(visit) as http:
        answer = await http.get("/checkpoint")
        assert (answer.status_code, answer.text) == (429, "TOO_MANY_CALLS\n")


async def closed_by_the_other_end(port: int, host: str = "127.0.0.1", octets: bytes = b"") -> bytes:
    """What came on a connection until it was closed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(host, 0))
    try:
        writer.write(octets)
        return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


async def test_one_address_has_a_share_of_the_connections() -> None:
    """One more is closed at once, and nobody else's."""
    async with asyncio.timeout(20), answering(Starlette(), "127.0.0.1", 0, most_of_address=2) as port:
        ends = [(await asyncio.open_connection("127.0.0.1", port))[1] for _ in range(2)]
        assert await closed_by_the_other_end(port) == b""
        request = b"GET / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n"
        assert await closed_by_the_other_end(port, "127.0.0.2", request)
        for end in ends:
            end.close()


async def test_all_addresses_together_have_no_more_than_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """A descriptor is left for the games."""
    monkeypatch.setattr(web_server, "MOST_CONNECTIONS", 2)
    async with asyncio.timeout(20), answering(Starlette(), "127.0.0.1", 0, most_of_address=2) as port:
        ends = [
            (await asyncio.open_connection("127.0.0.1", port, local_addr=(host, 0)))[1]
            for host in ("127.0.0.2", "127.0.0.3")
        ]
        request = b"GET / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n"
        assert await closed_by_the_other_end(port, octets=request) == b""
        for end in ends:
            end.close()


@pytest.mark.parametrize("octets", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nhost: here\r\n"])
async def test_a_connection_on_which_nothing_is_asked_is_closed(octets: bytes) -> None:
    """Also in the middle of a request."""
    async with asyncio.timeout(20), answering(Starlette(), "127.0.0.1", 0, quiet_seconds=0.05) as port:
        assert await closed_by_the_other_end(port, octets=octets) == b""


async def test_the_web_can_be_left_out(tmp_path: Path) -> None:
    """Then nothing listens."""
    async with served(Settings(var=tmp_path, port=0, bots=False, web=False)) as found:
        assert found.web_port is None


async def test_with_a_certificate_the_web_speaks_tls(tmp_path: Path) -> None:
    """The same one as for gRPC."""
    chain, key = certificate(tmp_path)
    asked = Settings(var=tmp_path / "var", port=0, tls_certificate=chain, tls_key=key, bots=False)
    trusted = ssl.create_default_context(cafile=chain)
    async with served(asked) as found, httpx.AsyncClient(verify=trusted, trust_env=False) as http:
        answer = await http.get(f"https://localhost:{found.web_port}/checkpoint")
        assert answer.content == found.log.published.note
        with pytest.raises(httpx.HTTPError):
            await http.get(f"http://localhost:{found.web_port}/checkpoint")


async def test_an_address_that_is_taken_is_told() -> None:
    """As for gRPC."""
    site = Starlette()
    async with answering(site, "127.0.0.1", 0) as port:
        with pytest.raises(AddressUnusable, match="another program listens there"):
            async with answering(site, "127.0.0.1", port):
                pass


def test_settings_say_where() -> None:
    """Beside gRPC's where nothing is said."""
    assert Settings().port_of_web == 7466
    assert Settings(port=0).port_of_web == 0
    assert Settings(port=65_535).port_of_web == 0
    assert Settings(web_port=80).port_of_web == 80
    assert Settings(port=1, web_port=0).port_of_web == 0
