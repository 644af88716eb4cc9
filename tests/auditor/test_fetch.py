# SPDX-License-Identifier: Apache-2.0
"""Proof files rebuilt from the tiles of a log alone are those of the house, byte for byte; lies are found."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from hokm.errors import BadTile, HokmError, NotSigned, TileNotOfTree
from hokm.proof import Proof
from hokm.tiles import Fetch
from hokm.verify import Verdict, verify
from hokm_audit import sites
from hokm_audit.__main__ import main
from hokm_audit.errors import EntryMissing, NotOnSite, NotProvable, SiteFailed, SiteKeysMalformed
from hokm_audit.finding import _stream, find_proof
from hokm_audit.mirroring import mirror
from hokm_audit.published import latest
from hokm_audit.sites import Site, keys_on, site_at
from tests.auditor.published import PublishedHouse, play, serving
from tests.simulation import Game

HOUSE = PublishedHouse()
GAMES = [play(HOUSE)]
HOUSE.rotate()
GAMES += [play(HOUSE) for _ in range(3)]
HOUSE.wait(3_600_000)
GAMES.append(play(HOUSE))


def rebuilt(fetch: Fetch, table: bytes, round_: int | None = None) -> Proof:
    """What `hokm-audit fetch` makes."""
    return find_proof(latest(Site(fetch), HOUSE.policy), keys_on(fetch), table, round_)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id.hex()[:12])
def test_a_game_is_rebuilt_as_its_house_proves_it(game: Game) -> None:
    """From before and after a rotation of keys."""
    proof = rebuilt(HOUSE.fetch, game.id)
    expected = game.game_proof()
    assert proof.entries == expected.entries
    assert proof.inclusion == expected.inclusion
    assert proof.manifests == expected.manifests
    assert proof.anchors == expected.anchors
    assert verify(proof.format(), HOUSE.policy).verdict is Verdict.VERIFIED


def test_each_round_is_rebuilt() -> None:
    """As far as it was played."""
    game = GAMES[1]
    rounds = game.table.round
    for number in range(1, rounds + 1):
        proof = rebuilt(HOUSE.fetch, game.id, number)
        assert proof.entries == game.round_proof(number).entries
        assert proof.opening == game.round_proof(number).opening
        assert verify(proof.format(), HOUSE.policy).verdict is Verdict.VERIFIED
    for number in (0, rounds + 1):
        with pytest.raises(EntryMissing):
            rebuilt(HOUSE.fetch, game.id, number)


def test_a_table_is_found_without_reading_the_whole_log() -> None:
    """By its time; the last one lies an hour behind the others."""
    read: list[str] = []

    def fetch(path: str) -> bytes:
        read.append(path)
        return HOUSE.fetch(path)

    stream = _stream(latest(Site(fetch), HOUSE.policy), GAMES[-1].id, None)
    assert [placed.entry for placed in stream] == GAMES[-1].entries
    assert not {"tile/entries/000", "tile/entries/001"} & set(read)


def test_a_table_whose_id_tells_another_time_is_found_too() -> None:
    """Then all of the log is read."""
    house = PublishedHouse()
    play(house)
    house.now_ms += 10_000_000
    table = house.now_ms
    house.now_ms -= 10_000_000
    game = play(house)
    assert int.from_bytes(game.id[:6]) < table
    with pytest.raises(EntryMissing):
        find_proof(latest(Site(house.fetch), house.policy), keys_on(house.fetch), table.to_bytes(6) + bytes(10), None)


def test_a_manifest_that_is_younger_than_the_checkpoint_is_left_out() -> None:
    """It says nothing of what is proved."""
    house = PublishedHouse()
    game = play(house)
    house.rotate()
    proof = find_proof(latest(Site(house.fetch), house.policy), keys_on(house.fetch), game.id, None)
    assert len(proof.manifests) == 1
    assert verify(proof.format(), house.policy).verdict is Verdict.VERIFIED


# Lies.


def lying(path: str, lie: Callable[[bytes], bytes]) -> Fetch:
    """A site that has another file there."""
    return lambda asked: lie(HOUSE.fetch(asked)) if path in asked else HOUSE.fetch(asked)


def changed(octets: bytes) -> bytes:
    """Another last byte."""
    return octets[:-1] + bytes([octets[-1] ^ 1])


@pytest.mark.parametrize(
    ("path", "lie", "error"),
    [
        ("tile/entries/", changed, TileNotOfTree),
        ("tile/entries/", lambda octets: octets[:-1], BadTile),
        ("tile/0/", changed, TileNotOfTree),
        ("tile/1/", changed, TileNotOfTree),
        ("tile/1/", lambda octets: octets + octets[:32], BadTile),
        ("keys", lambda _: b"{}", SiteKeysMalformed),
        ("keys", lambda _: b'{"manifests":[],"roots":[3]}', SiteKeysMalformed),
    ],
)
def test_a_file_that_is_not_of_the_tree_is_told(
    path: str, lie: Callable[[bytes], bytes], error: type[HokmError]
) -> None:
    """Whichever it is."""
    with pytest.raises(error):
        rebuilt(lying(path, lie), GAMES[0].id)


def test_a_checkpoint_that_the_log_did_not_sign_is_refused() -> None:
    """Nothing is read by it."""
    other = PublishedHouse(seed=2)
    other.publish()
    with pytest.raises(NotSigned):
        rebuilt(other.fetch, GAMES[0].id)


def test_a_checkpoint_that_is_missing_is_named() -> None:
    """One that a ceremony was anchored in."""

    def fetch(path: str) -> bytes:
        if path.startswith("checkpoint/"):
            raise NotOnSite(path)
        return HOUSE.fetch(path)

    with pytest.raises(NotProvable, match="No checkpoint"):
        rebuilt(fetch, GAMES[0].id)


# Over HTTP.


def test_the_program_rebuilds_a_file_that_verifies(tmp_path: Path) -> None:
    """And says how to verify it."""
    (tmp_path / "policy").write_bytes(HOUSE.policy.format())
    table = GAMES[2].id.hex()
    with serving(HOUSE.fetch) as url:
        words = [sys.executable, "-m", "hokm_audit", "fetch", url, "--policy", "policy", "--table", table]
        done = subprocess.run([*words, "--round", "2"], cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        whole = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
        assert (whole.returncode, whole.stderr) == (0, "")
        none = subprocess.run([*words, "--round", "99"], cwd=tmp_path, capture_output=True, text=True)
        assert (none.returncode, none.stderr.count("\n")) == (1, 1)
    for name in (f"{table}-2.json", f"{table}-game.json"):
        assert verify((tmp_path / name).read_bytes(), HOUSE.policy).verdict is Verdict.VERIFIED
    gone = subprocess.run([*words[:4], "http://127.0.0.1:9/", *words[5:]], cwd=tmp_path, capture_output=True, text=True)
    assert gone.returncode == 1
    assert gone.stderr.startswith("hokm-audit: http://127.0.0.1:9/checkpoint")


@pytest.mark.parametrize(
    ("option", "said"),
    [("--table=zz", "a table's id is 32 hex digits"), ("--round=0", "rounds are counted from 1")],
)
def test_what_no_table_has_is_wrong_usage(option: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Said before anything is read or asked for."""
    with pytest.raises(SystemExit) as ended:
        main(["fetch", "http://127.0.0.1:9", "--policy", "policy", option])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_a_log_is_mirrored_and_can_be_read_from_there(tmp_path: Path) -> None:
    """Under the paths of the site, all of it; once more it takes nothing but the checkpoint."""
    (tmp_path / "policy").write_bytes(HOUSE.policy.format())
    folder = tmp_path / "log"
    with serving(HOUSE.fetch) as url:
        words = [sys.executable, "-m", "hokm_audit", "mirror", url, "--policy", "policy", "--out", "log"]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")

    def read(path: str) -> bytes:
        try:
            return (folder / path).read_bytes()
        except OSError:
            raise NotOnSite(path) from None

    log = latest(Site(read), HOUSE.policy)
    assert [entry for _, entry in log.entries(0)] == HOUSE.entries
    again = latest(Site(lambda path: b"" if path.startswith("tile") else HOUSE.fetch(path)), HOUSE.policy)
    mirror(again, folder, lambda count, of: None)
    assert [entry for _, entry in log.entries(0)] == HOUSE.entries


@contextmanager
def pouring(headers: dict[str, str], chunk: bytes) -> Iterator[str]:
    """A site of which every file begins so, and never ends: its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(OSError):
                while True:
                    self.wfile.write(chunk)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    ("path", "most"),
    [
        ("tile/0/000", 8192),
        ("checkpoint/5", 1_000_000),
        ("keys", sites.MOST_BYTES),
        ("tile/entries/0", sites.MOST_BYTES),
    ],
)
def test_a_file_without_an_end_is_no_more_than_it_can_be(path: str, most: int) -> None:
    """By its kind: many are fetched ahead."""
    with pouring({}, bytes(4096)) as url, site_at(url) as site, pytest.raises(SiteFailed) as caught:
        site.fetch(path)
    assert f"more than {most} bytes" in str(caught.value)


def test_a_file_that_comes_too_slowly_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """However little of it comes at a time."""
    monkeypatch.setattr(sites, "_MOST_SECONDS", 0.0)
    with pouring({}, b"x") as url, site_at(url) as site, pytest.raises(SiteFailed) as caught:
        site.fetch("keys")
    assert "seconds" in str(caught.value)


def test_a_file_that_is_encoded_is_not_decoded() -> None:
    """Thousands of times as much may come out, and that once more where it is encoded twice."""
    headers = {"content-encoding": "gzip, gzip"}
    with pouring(headers, bytes(10)) as url, site_at(url) as site, pytest.raises(SiteFailed) as caught:
        site.fetch("keys")
    assert "encoded" in str(caught.value)


def test_a_site_is_asked_again_when_it_may_come_back() -> None:
    """Three times, with longer and longer pauses; not for what it does not have."""
    pauses: list[float] = []
    with site_at("http://127.0.0.1:9", pauses.append) as site, pytest.raises(SiteFailed) as caught:
        site.fetch("checkpoint")
    assert isinstance(caught.value.__cause__, httpx.ConnectError)
    assert pauses == sorted(pauses)
    assert len(pauses) == 3
    with serving(HOUSE.fetch) as url, site_at(url, pauses.append) as site:
        site.expect(["checkpoint", "nothing", "keys"])
        for _ in range(2):
            assert site.fetch("checkpoint") == HOUSE.fetch("checkpoint")
            with pytest.raises(NotOnSite):
                site.fetch("nothing")
    assert len(pauses) == 3
