# SPDX-License-Identifier: Apache-2.0
"""A log's site: files by their paths, from wherever they are served. Nothing that comes from there is believed here.

checkpoint        the latest signed note      checkpoint/<size>       an earlier one
tile/…            tiles and bundles           checkpoint/witnessed    the latest with the quorum
keys              every manifest, and the later root keys
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final, NamedTuple

import httpx

from hokm.json_values import NotSuch, fields, list_of, load, octets_of
from hokm.merkle import HASH_BYTES
from hokm.note import MOST_BYTES as MOST_NOTE_BYTES
from hokm.proof import MOST_MANIFESTS
from hokm.tiles import MOST_ENTRY_BYTES, TILE_WIDTH, Fetch
from hokm_audit.errors import NotOnSite, SiteFailed, SiteKeysMalformed

MOST_BYTES: Final = TILE_WIDTH * (2 + MOST_ENTRY_BYTES)
"""Of a file: a bundle may have as many."""
_MOST_BYTES: Final = (
    ("checkpoint", MOST_NOTE_BYTES),
    ("tile/entries/", MOST_BYTES),
    ("tile/", TILE_WIDTH * HASH_BYTES),
)
"""By the start of a path: many files may be held that were fetched ahead."""

_SECONDS: Final = 20.0
"""Within which there is something new of a file."""
_MOST_SECONDS: Final = 120.0
"""From the beginning of a file to its end."""
_PAUSES: Final = (0.2, 1.0, 3.0)
"""Seconds before a file is asked for again that could not be had."""
_AT_ONCE: Final = 8
"""Files that are fetched ahead at a time."""
_MOST_AHEAD: Final = 256
_MAY_COME: Final = {408, 425, 429, 500, 502, 503, 504}


class Site(NamedTuple):
    """Where files come from."""

    fetch: Fetch
    """Raises `NotOnSite`, `SiteFailed`."""
    expect: Callable[[Iterable[str]], None] = lambda paths: None
    """Told which files will be asked for soon, each once."""


@contextmanager
def site_at(url: str, pause: Callable[[float], None] = time.sleep) -> Iterator[Site]:
    """The files below this address; those that are expected are fetched several at a time."""
    with (
        httpx.Client(
            timeout=_SECONDS, headers={"accept-encoding": "identity", "user-agent": "hokm-audit"}, follow_redirects=True
        ) as client,
        ThreadPoolExecutor(_AT_ONCE) as threads,
    ):
        coming: dict[str, Future[bytes]] = {}

        def fetch(path: str) -> bytes:
            whole = f"{url.rstrip('/')}/{path}"
            most = next((most for start, most in _MOST_BYTES if path.startswith(start)), MOST_BYTES)
            for seconds in (*_PAUSES, None):
                try:
                    return _get(client, whole, most)
                except SiteFailed as failed:
                    if seconds is None or not _is_worth_waiting(failed):
                        raise
                    pause(seconds)
            raise AssertionError

        def expect(paths: Iterable[str]) -> None:
            for path in paths:
                if path not in coming:
                    coming[path] = threads.submit(fetch, path)
            while len(coming) > _MOST_AHEAD:  # what nobody asked for in the end
                coming.pop(next(iter(coming))).cancel()

        def fetch_or_wait(path: str) -> bytes:
            future = coming.pop(path, None)
            return fetch(path) if future is None else future.result()

        try:
            yield Site(fetch_or_wait, expect)
        finally:
            for future in coming.values():
                future.cancel()


def _is_worth_waiting(failed: SiteFailed) -> bool:
    return isinstance(failed.__cause__, httpx.TransportError) or isinstance(failed, _NotNow)


class _NotNow(SiteFailed):
    """The site says that it may have it later."""


def _get(client: httpx.Client, url: str, most: int) -> bytes:
    octets = bytearray()
    end = time.monotonic() + _MOST_SECONDS
    try:
        with client.stream("GET", url) as answer:
            if answer.status_code in (404, 410):
                raise NotOnSite(url)
            if answer.status_code != 200:
                kind = _NotNow if answer.status_code in _MAY_COME else SiteFailed
                raise kind(url, f"the answer is {answer.status_code}")
            if "content-encoding" in answer.headers:  # a few bytes of it could become very many
                raise SiteFailed(url, "it is encoded, which was not asked for")
            for chunk in answer.iter_bytes():
                octets += chunk
                if len(octets) > most:
                    raise SiteFailed(url, f"it has more than {most} bytes")
                if time.monotonic() > end:
                    raise SiteFailed(url, f"it takes more than {_MOST_SECONDS:.0f} seconds")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise SiteFailed(url, str(error).rstrip(".") or type(error).__name__) from error
    return bytes(octets)


class SiteKeys(NamedTuple):
    """What a site says of the house's keys."""

    manifests: tuple[bytes, ...]
    """The entries of the stream "keys", by version."""
    roots: tuple[bytes, ...]
    """Root keys that manifests hand over to, 32 bytes each."""


def keys_on(fetch: Fetch) -> SiteKeys:
    """Read the file of keys. Raises `SiteKeysMalformed`, and what `fetch` raises."""
    entries = list_of(octets_of(1, MOST_ENTRY_BYTES), MOST_MANIFESTS)
    hashes = list_of(octets_of(HASH_BYTES, HASH_BYTES), MOST_MANIFESTS)
    try:
        return SiteKeys(**fields(load(fetch("keys")), "the file", {"manifests": entries, "roots": hashes}))
    except NotSuch as wrong:
        raise SiteKeysMalformed(str(wrong)) from None
